#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page of `inflight run` is of the costliest launch that was followed, and its time stands in the table.
# The table of times has all launches as one row, whose figures follow from the rows of --each: the eighth takes longest.
# usage: check_worst.sh INFLIGHT PROGRAM      PROGRAM as growing.c
set -eu
output=$(mktemp)
trap 'rm -f "$output"' EXIT
"$1" run -- "$2" 2>"$output" || { cat "$output"; exit 1; }
grep -q "number 8 of 11 launches" "$output" || { cat "$output"; exit 1; }
# 64 turns of one warp
grep -Eq "^ *global loads +64 +256 " "$output" || { cat "$output"; exit 1; }

"$1" run --each -- "$2" 2>"$output"
awk '
    /^  *walk  *100\.0 % / { total = $4; launches = $6; average = $7; least = $9; most = $11; grid = $13; block = $14 }
    $1 ~ /^[0-9]+$/ && $2 == "walk" {
        rows++
        if ($1 != rows || $5 != 1 || $6 != 32) bad = 1
        sum += $3
        if (rows == 1 || $3 < low) low = $3
        if ($3 > high) { high = $3; longest = rows }
    }
    END {
        exit bad || rows != 11 || launches != 11 || grid != 1 || block != 32 || longest != 8 || least != low || most != high ||
            (total - sum) ^ 2 > 0.01 || (average - sum / 11) ^ 2 > 0.0001 || !(low < high)
    }' "$output" || { cat "$output"; exit 1; }
