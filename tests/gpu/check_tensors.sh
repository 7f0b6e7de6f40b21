#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs tools/gpu-tensors.c, built as PROGRAM, under `inflight run`: its copies must come to what it expects, and leave what an H200
# left, FIXTURE (a line a copy: number, kernel, hash, or the error that ended the context; then the next copy begins a new one).
# usage: check_tensors.sh INFLIGHT PROGRAM CUBIN FIXTURE [FAMILY] [LINES]      of FIXTURE, the first so many
set -u
out=$(mktemp "${TMPDIR:-/tmp}/inflight-tensors.XXXXXX") && wanted=$(mktemp "${TMPDIR:-/tmp}/inflight-tensors.XXXXXX") || exit 1
trap 'rm -f "$out" "$out.own" "$wanted"' EXIT
head -n "${6:-100000}" "$4" | sed 's/ error [0-9]*$/ error/' >"$wanted" # 715 there, 719 here: docs/machine-code.md
most=$(($(tail -n 1 "$wanted" | cut -d ' ' -f 1) + 1)) first=0 code=3
while [ "$code" -eq 3 ] && [ "$first" -lt "$most" ]; do
    "$1" run --no-analysis -- "$2" "$3" "$most" "${5:-plain}" "" "$first" >>"$out"
    code=$?
    first=$(($(tail -n 1 "$out" | cut -d ' ' -f 1) + 1))
done
[ "$code" -eq 0 ] || [ "$code" -eq 3 ] || exit 1
# The GPU was not asked for those behind the 30th of a kernel that ends the context.
awk 'NR == FNR { asked[$1]; next } $1 in asked' "$wanted" "$out" | sed 's/ error [0-9]*$/ error/' >"$out.own"
diff "$out.own" "$wanted" | head -n 20
cmp "$out.own" "$wanted"
