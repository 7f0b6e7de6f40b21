#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lanes that wait at a BSYNC for lanes that leave by BREAK issue it once when they come there and once when the others have left. So an
# H200 counts a kernel with such loops in tests/gpu/h200/programs_23.csv (deviceCalculateAnswer_shared: 1,028,250 instructions of warps and
# 31,429,125 of threads; 1,800 and 4,950 fewer if the BSYNC is issued once).
# usage: check_broken_waits.sh INFLIGHT CUBIN      CUBIN of broken_waits.cu
set -eu
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
inflight=$1 cubin=$2

# issued EACH TIMES: 256 threads copy EACH numbers of a square of 22 x 22; how often the inner BSYNC is issued
issued() {
    "$inflight" analyze "$cubin" -k copy_square -g 1 -b 256 i32x484=iota i32x740=zero i32:22 "i32:$1" --json "$T/report.json" >"$T/out"
    "$inflight" sass "$cubin" -k copy_square --with "$T/report.json" --listing >"$T/listing"
    times=$(awk '/ BSYNC B1/ { print $NF }' "$T/listing")
    [ "$times" = "$2" ] || {
        echo "$1: BSYNC is issued $times times, not $2"
        cat "$T/listing"
        exit 1
    }
}

issued 2 16 # the last of 11 threads comes to the end of a row: two or three lanes of each warp
issued 1 16 # the last of 22: one or two
issued 22 1 # each of the first 22 threads copies a row, and none leaves before its end
