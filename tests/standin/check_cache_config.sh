#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How many blocks an SM holds of a kernel with 6 KiB of shared memory and 256 threads: 8; where it prefers a large L1, 1; where it asks
# for 10 % of what shared memory can have (32 KiB), 4. As an H200 has it: tests/gpu/h200/shared_sizes.txt.
# usage: INFLIGHT=... check_cache_config.sh PROGRAM
set -eu
work=$(mktemp -d "${TMPDIR:-/tmp}/inflight-config.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$INFLIGHT" run --gpu h200 --json "$work/r.json" -- "$1" >"$work/out" 2>/dev/null
test "$(cat "$work/out")" = 255
found=$(grep -o '"blocks_per_sm": *[0-9]*' "$work/r.json" | grep -o '[0-9]*$' | tr '\n' ' ')
test "$found" = "8 1 1 4 " || { echo "blocks: $found, expected 8 1 1 4" >&2; exit 1; }
