#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Small launches, most of whose time is the launch itself, against the times of an H200 (floor_probe): each within 25 %.
# usage: check_floors.sh INFLIGHT CUBIN MEASURED
set -u
inflight=$1 cubin=$2 measured=$3 failures=0
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-model.XXXXXX") || exit 1
trap 'rm -rf "$made"' EXIT

while read -r kernel blocks threads ns _; do
    case "$kernel $blocks" in
    'nothing 1' | 'nothing 132' | 'nothing 4224' | 'store 1' | 'store 66' | 'load 2' | 'load 132' | 'copy 16' | 'copy 66' | 'compute 1' | 'compute 132') ;;
    *) continue ;;
    esac
    "$inflight" analyze "$cubin" -k "$kernel" -g "$blocks" -b "$threads" f32x2^23=zero f32x2^23=zero --gpu h200 --json "$made/json" >/dev/null || exit 1
    us=$(sed -n '/"models"/,$s/.*"time_us": \([0-9.]*\).*/\1/p' "$made/json" | head -n 1)
    awk -v us="$us" -v ns="$ns" -v what="$kernel, $blocks blocks of $threads" 'BEGIN {
        off = us * 1000 / ns - 1
        if (off > 0.25 || off < -0.25) { printf "%s: %s us predicted, %s ns on an H200\n", what, us, ns; exit 1 } }' || failures=1
done <"$measured"
exit $failures
