#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the L1 has left behind fences and acquires, against what an H200 counted.
# usage: check_forgets.sh INFLIGHT FOLDER MEASURED
set -u
inflight=$1 folder=$2 measured=$3 failures=0
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-model.XXXXXX") || exit 1
trap 'rm -rf "$made"' EXIT

while read -r kernel _ hits; do
    case $kernel in '#'*) continue ;; esac
    "$inflight" analyze "$folder/forgets.sm_90.cubin" -k "$kernel" -g 1 -b 1024 f32x1024=random f32x1024=zero i32x1=zero \
        --gpu h200 --json "$made/json" >/dev/null || exit 1
    found=$(sed -n '/"l1_load_hits"/,/}/s/.*"value": \([0-9.]*\).*/\1/p' "$made/json" | head -n 1)
    [ "${found%.*}" = "$hits" ] || { echo "$kernel: $found sectors found in the L1, $hits on an H200"; failures=1; }
done <"$measured"
exit $failures
