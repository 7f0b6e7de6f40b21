#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Requests of textures in all launches of a program whose machine code calls functions of the driver for them, PROGRAM of
# tools/gpu/texture_gradients.cu, against those that an H200 counts, FIXTURE. Of the launch box/level/linear, which makes no call, an H200 has 16
# fewer than the engine: filters in boxes (texture_counts.off).
# usage: check_texture_calls.sh INFLIGHT PROGRAM FIXTURE
set -eu
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-textures.XXXXXX")
trap 'rm -rf "$made"' EXIT
"$1" run --launches 0 --gpu h200 --json "$made/json" -- "$2" >"$made/out" 2>&1 || {
    cat "$made/out"
    exit 1
}
counted=$(sed -n 's/.*"texture_load_requests": *\([0-9]*\).*/\1/p' "$made/json" | head -1)
wanted=$(awk '!/^#/ { sum += $2 } END { print sum + 16 }' "$3")
echo "$counted requests, wanted $wanted"
[ "$counted" -eq "$wanted" ]
