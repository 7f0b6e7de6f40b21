#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A lane waits at a BSYNC for lanes that end: it issues the BSYNC once when it comes there and once when they have ended. So an H100
# counts two kernels of tests/gpu/h100/programs_12.csv (hyunkoo-search_cuda_stride, and robotics-13_03's edge_distance_kernel).
# usage: check_last_waits.sh INFLIGHT CUBIN      CUBIN of last_waits.cu
set -eu
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
inflight=$1 cubin=$2

# issued WANTED TIMES: of 64 threads and 640 numbers, the lane that finds WANTED leaves; how often BSYNC is issued
issued() {
    "$inflight" analyze "$cubin" -k find -g 1 -b 64 i32x640=iota i32x1=zero i32:640 "i32:$1" --json "$T/report.json" >"$T/out"
    "$inflight" sass "$cubin" -k find --with "$T/report.json" --listing >"$T/listing"
    times=$(awk '/ BSYNC B0/ { print $NF }' "$T/listing")
    [ "$times" = "$2" ] || {
        echo "$1: BSYNC is issued $times times, not $2"
        cat "$T/listing"
        exit 1
    }
}

issued 70 2
issued 639 2
issued 5 2
