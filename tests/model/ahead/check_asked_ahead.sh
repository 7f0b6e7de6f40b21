#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is prefetched to the L2 is in no counter of loads and is read from DRAM once; loads find it there, except those of the
# first turns, and the launch takes less time. In PTX and in machine code.
# usage: check_asked_ahead.sh INFLIGHT
set -eu
inflight=$1 here=$(cd "$(dirname "$0")" && pwd)
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-prefetch.XXXXXX")
trap 'rm -rf "$made"' EXIT
threads=33792 turns=32 far=8

# FIGURE of JSON: the first one by that name
of() { sed -n "s/.*\"$2\": *\(.*\)/\1/p" "$made/$1" | sed 's/^{$//; s/,$//' | head -n 1; }
value() { tr -d '\n ' <"$made/$1" | sed -n "s/.*\"$2\":{\"value\":\([0-9.]*\).*/\1/p"; }

for code in asked_ahead.ptx asked_ahead.sm_90.cubin; do
    for ahead in 0 $far; do
        "$inflight" analyze "$here/$code" -k sum -g 264 -b 128 --gpu h100 f32x$((threads * turns))=zero f32x$threads=zero \
            i32:$((threads * turns)) i32:$ahead --json "$made/$ahead" >"$made/out" || { cat "$made/out"; exit 1; }
        [ "$(of $ahead global_load_sectors)" -eq $((threads * turns / 8)) ]
        bytes=$(value $ahead dram_read_bytes) asked=$(value $ahead l2_read_sectors)
        awk -v bytes="$bytes" -v all=$((threads * turns * 4)) 'BEGIN { exit !(bytes > 0.98 * all && bytes < 1.02 * all) }'
        awk -v asked="$asked" -v all=$((threads * turns / 8)) 'BEGIN { exit asked != all }'
    done
    # of 32 turns the first 8 were not asked for
    awk -v hits="$(value $far l2_read_hits)" -v all="$(value $far l2_read_sectors)" -v none="$(value 0 l2_read_hits)" \
        'BEGIN { exit !(none == 0 && hits > 0.73 * all && hits < 0.77 * all) }' ||
        { echo "$code: $(value $far l2_read_hits) of $(value $far l2_read_sectors) loads found in the L2"; exit 1; }
    awk -v without="$(of 0 time_us)" -v with="$(of $far time_us)" 'BEGIN { exit !(with < 0.8 * without) }' ||
        { echo "$code: $(of $far time_us) us, without prefetches $(of 0 time_us)"; exit 1; }
done
