#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page of `inflight run` is of the costliest launch that was followed, and its time stands in the table.
# usage: check_worst.sh INFLIGHT PROGRAM      PROGRAM as growing.c
set -eu
output=$(mktemp)
trap 'rm -f "$output"' EXIT
"$1" run -- "$2" 2>"$output" || { cat "$output"; exit 1; }
grep -q "number 8 of 11 launches" "$output" || { cat "$output"; exit 1; }
# 64 turns of one warp
grep -Eq "^ *global loads +64 +256 " "$output" || { cat "$output"; exit 1; }
