#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program with its own CUDA runtime is not started: the option to link it with is named, the exit status is 4.
# usage: check_runtime_inside.sh INFLIGHT PROGRAM
set -eu
output=$(mktemp)
trap 'rm -f "$output"' EXIT
status=0
"$1" run -- "$2" >"$output" 2>&1 || status=$?
test "$status" = 4 || { echo "exit status $status"; cat "$output"; exit 1; }
grep -q -e '-cudart shared' "$output"
if grep -q started "$output"; then
    echo "it was started"
    exit 1
fi
