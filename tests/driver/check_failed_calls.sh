#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Calls that failed are told at the end, on standard error and in the JSON, whether the program looked at their codes or not;
# what only asks is not. --fail counts them where a check is on.
# usage: check_failed_calls.sh INFLIGHT PROGRAM      PROGRAM as failed_calls.c
set -eu
inflight=$1 program=$2
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
fail() { echo "check_failed_calls: $*" >&2; cat "$T/err" >&2; exit 1; }
status=0
"$inflight" run --fail --json "$T/json" -- "$program" 2>"$T/err" || status=$?
[ "$status" = 0 ] || fail "status $status with --fail"
[ "$(grep -c 'warning: ' "$T/err")" = 3 ] || fail "other calls are told"
[ "$(sed -n '/"warnings"/,/]/p' "$T/json" | grep -c ' failed ')" = 3 ] || fail "the JSON has others"
for text in 'cudaMemcpy failed with cudaErrorInvalidValue, called from main+' \
    'cudaFree failed 2 times with cudaErrorInvalidValue, first called from main+' \
    'cuMemsetD8_v2 failed with CUDA_ERROR_INVALID_VALUE, called from main+'; do
    grep -qF "inflight: warning: $text" "$T/err" || fail "not told: $text"
    grep -qF "\"$text" "$T/json" || fail "the JSON does not say: $text"
done
"$inflight" run --fail --check-reads -- "$program" 2>"$T/err" || status=$?
[ "$status" = 1 ] || fail "status $status with --fail and a check"
