#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a program's events measure under `inflight run` is what `inflight analyze --gpu` says of the same launches.
# usage: check_times.sh PROGRAM GPU, PROGRAM as event_times.cu in programs/ is
set -u
program=$1 gpu=$2
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-standin.XXXXXX") || exit 1
trap 'rm -rf "$made"' EXIT

model() {
    "$INFLIGHT" analyze "$program" -k scale -g "$1" -b 256 --gpu "$gpu" --json "$made/json" f32x2^20=zero f32:2 \
        i32:2^20 >"$made/text" || cat "$made/text" >&2
    awk -F'[:,]' '/"time_us":/ { printf "%.3f", $2 }' "$made/json"
}

"$INFLIGHT" run --gpu "$gpu" -- "$program" times 2>"$made/err" | tail -n 1 >"$made/out"
echo "$(model 4096) $(model 4096) $(model 2048) us" | diff - "$made/out" || { cat "$made/err"; exit 1; }
