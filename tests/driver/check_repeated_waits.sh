#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lanes that wait at a BSYNC for lanes that end, or that leave by BREAK, issue it once when they come there and once when the others have
# ended or left. So an H100 counts two kernels of tests/gpu/h100/programs_12.csv (hyunkoo-search_cuda_stride, and robotics-13_03's
# edge_distance_kernel), and an H200 one of tests/gpu/h200/programs_23.csv (deviceCalculateAnswer_shared: 1,028,250 instructions of warps and
# 31,429,125 of threads; 1,800 and 4,950 fewer if the BSYNC is issued once).
# Lanes that come to a WARPSYNC in several groups issue it once more together, but not behind lanes that stood at it while others parted,
# which issue it with all that wait: so an H200 counts trish-akdimitri of programs_30.csv (2,225,376 instructions of warps and 14,458,546 of
# threads; 2,375 and 16,140 more if it is issued again by all).
# usage: check_repeated_waits.sh INFLIGHT LAST BROKEN STOOD      cubins of last_waits.cu, broken_waits.cu and stood_waits.cu
set -eu
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
inflight=$1 last=$2 broken=$3 stood=$4

# issued TIMES WAIT CUBIN KERNEL ARGUMENT...: how often a launch of the kernel issues that BSYNC or WARPSYNC
issued() {
    wanted=$1 wait=$2 cubin=$3 kernel=$4
    shift 4
    "$inflight" analyze "$cubin" -k "$kernel" "$@" --json "$T/report.json" >"$T/out"
    "$inflight" sass "$cubin" -k "$kernel" --with "$T/report.json" --listing >"$T/listing"
    times=$(awk -v wait=" $wait" '$0 ~ wait { for (i = 1; i < NF; i++) if ($i == "control") print $(i + 1) }' "$T/listing")
    [ "$times" = "$wanted" ] || {
        echo "$kernel $*: $wait is issued $times times, not $wanted"
        cat "$T/listing"
        exit 1
    }
}

# Of 64 threads and 640 numbers, the lane that finds the number leaves the loop and waits; the others end.
find_number() {
    issued 2 "BSYNC B0" "$last" find -g 1 -b 64 i32x640=iota i32x1=zero i32:640 "i32:$1"
}
find_number 70
find_number 639
find_number 5

# 256 threads copy EACH numbers of a square of 22 x 22.
copy_square() {
    issued "$1" "BSYNC B1" "$broken" copy_square -g 1 -b 256 i32x484=iota i32x740=zero i32:22 "i32:$2"
}
copy_square 16 2 # the last of 11 threads comes to the end of a row: two or three lanes of each warp
copy_square 16 1 # the last of 22: one or two
copy_square 1 22 # each of the first 22 threads copies a row, and none leaves before its end

# Of 32 threads those with numbers above the limit take steps, the others stand at the WARPSYNC, before them or behind them: fewer go first.
take_steps() {
    issued "$1" "WARPSYNC.ALL" "$stood" take_steps -g 1 -b 32 i32x32=iota i32x65=zero i32:32 "i32:$2"
}
take_steps 3 5  # 26 take steps
take_steps 3 14 # 17
take_steps 2 15 # 16: of equal groups the one goes first that does not branch
take_steps 2 25 # 6
