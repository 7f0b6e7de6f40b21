#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs tools/gpu-tensors.c, built as PROGRAM, under `inflight run`: its copies must come to what it expects, and leave what an H200
# left, FIXTURE (a line a copy: number, kernel, hash).
# usage: check_tensors.sh INFLIGHT PROGRAM CUBIN FIXTURE [FAMILY]
set -u
out=$(mktemp "${TMPDIR:-/tmp}/inflight-tensors.XXXXXX") || exit 1
trap 'rm -f "$out"' EXIT
"$1" run --no-analysis -- "$2" "$3" "$(wc -l <"$4")" "${5:-plain}" >"$out" || exit 1
diff "$out" "$4" | head -n 20
cmp "$out" "$4"
