#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What loads find in the L1, against what an H200 counted.
# usage: check_l1_hits.sh INFLIGHT CUBIN MEASURED ARGUMENT...      of inflight analyze: the block and what the kernels are given
set -u
inflight=$1 cubin=$2 measured=$3 failures=0
shift 3
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-model.XXXXXX") || exit 1
trap 'rm -rf "$made"' EXIT

while read -r kernel _ hits; do
    case $kernel in '#'*) continue ;; esac
    "$inflight" analyze "$cubin" -k "$kernel" -g 1 "$@" --gpu h200 --json "$made/json" >/dev/null || exit 1
    found=$(sed -n '/"l1_load_hits"/,/}/s/.*"value": \([0-9.]*\).*/\1/p' "$made/json" | head -n 1)
    [ "${found%.*}" = "$hits" ] || { echo "$kernel: $found sectors found in the L1, $hits on an H200"; failures=1; }
done <"$measured"
exit $failures
