#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Wavefronts of products of warp groups over shared memory, against what an H200 counted.
# usage: check_wgmma_shared.sh INFLIGHT CUBIN MEASURED      CUBIN of tools/gpu/wgmma_shared_probe.cu
set -u
inflight=$1 cubin=$2 measured=$3 failures=0 count=0
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-model.XXXXXX") || exit 1
trap 'rm -rf "$made"' EXIT

while read -r kernel wavefronts _; do
    case $kernel in 'wgmma'*) ;; *) continue ;; esac
    # wgmma<8,1,0> is _Z5wgmmaILi8ELi1ELb0EEvPf
    name=$(echo "$kernel" | sed 's/wgmma<\(.*\),\(.*\),\(.*\)>/_Z5wgmmaILi\1ELi\2ELb\3EEvPf/')
    "$inflight" analyze "$cubin" -k "$name" -g 1 -b 128 -s 65536 f32x1=zero --gpu h200 --json "$made/json" >/dev/null || exit 1
    found=$(sed -n 's/.*"shared_product_wavefronts": \([0-9]*\).*/\1/p' "$made/json" | head -n 1)
    [ "$found" = "$wavefronts" ] || { echo "$kernel: $found wavefronts, $wavefronts on an H200"; failures=1; }
    count=$((count + 1))
done <"$measured"
[ "$count" -eq 15 ] || { echo "$count kernels"; exit 1; }
exit $failures
