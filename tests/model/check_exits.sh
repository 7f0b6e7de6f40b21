#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A kernel that checks a bound, and branches no further, is held 8.0 cycles a warp behind the EXIT of the lanes that are beyond it: so Nsight
# Compute counts branch_resolving of an H200 in kernels of other people that do so (docs/model.md).
# usage: check_exits.sh INFLIGHT LAB
set -u
inflight=$1 lab=$2 warps=8192
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-exits.XXXXXX") || exit 1
trap 'rm -rf "$made"' EXIT
"$inflight" analyze "$lab/axpy/axpy.sm_90.cubin" -k axpy_naive -g 1024 -b 256 i32:2^18 f32:2 f32x2^18=zero f32x2^18=zero --gpu h200 --json "$made/json" >/dev/null || exit 1
value() { sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" "$made/json" | head -n 1; }
awk -v held="$(value branch_resolving)" -v issued="$(value instructions)" -v warps="$warps" 'BEGIN {
    cycles = held * issued / warps
    printf "%.2f cycles a warp, 8.0 on an H200\n", cycles
    exit !(cycles > 7.5 && cycles < 8.5) }'
