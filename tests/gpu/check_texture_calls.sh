#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Requests and sectors of textures in each launch of a program whose machine code calls functions of the driver for them, PROGRAM of
# tools/gpu/texture_gradients.cu, against those that an H200 counts, FIXTURE: a line a launch. Lines of FIXTURE's neighbour .off are known
# to differ, and must; their sectors by no more than one in a hundred.
# usage: check_texture_calls.sh INFLIGHT PROGRAM FIXTURE
set -u
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-textures.XXXXXX") || exit 1
trap 'rm -rf "$made"' EXIT
count() { # of the launch, which comes before its lines
    sed -n '/"lines"/q; s/^.*"texture_load_'"$1"'": *\([0-9]*\).*/\1/p' "$made/json" | head -1
}
grep -v '^#' "$3" >"$made/wanted"
launch=0
while read -r name _; do
    "$1" run --launches 0 --launch-skip $launch --launch-count 1 --gpu h200 --json "$made/json" -- "$2" >"$made/log" 2>&1 </dev/null || {
        cat "$made/log"
        exit 1
    }
    echo "$name $(count requests) $(count sectors)" >>"$made/out"
    launch=$((launch + 1))
done <"$made/wanted"
paste -d' ' "$made/out" "$made/wanted" >"$made/both"
awk '$2 != $5 || $3 != $6 { print $1 }' "$made/both" | LC_ALL=C sort >"$made/apart"
grep -v '^#' "${3%.txt}.off" | LC_ALL=C sort | diff - "$made/apart" || {
    cat "$made/both"
    exit 1
}
! awk '100 * ($3 - $6) > $6 || 100 * ($6 - $3) > $6' "$made/both" | grep .
