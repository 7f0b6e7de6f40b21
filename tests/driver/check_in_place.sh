#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernels that use memory of the host in place: their times against an H200's (tests/gpu/h200/hosts.txt), within 20 %, but where
# all SMs load the same lines; what limits a copy of 33 MB, what would help, and how many sectors are the host's.
# usage: check_in_place.sh INFLIGHT PROGRAM CUBIN MEASURED
set -u
inflight=$1 program=$2 cubin=$3 measured=$4
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-driver.XXXXXX") || exit 1
trap 'rm -rf "$made"' EXIT
"$inflight" run --each --gpu h200 --json "$made/json" -- "$program" "$cubin" >"$made/text" 2>&1 || { cat "$made/text"; exit 1; }
sed -n '/^ "each"/,$s/.*"time_us": \([0-9.]*\).*/\1/p' "$made/json" >"$made/times"
grep -v '^#' "$measured" | paste -d ' ' "$made/times" - | awk '
    { off = $1 * 1000 / $5 - 1; is_hot = $2 == "same" && $3 > 1
      printf "%s %s %s: %.2f us predicted, %.2f measured, %+.0f %%%s\n", $2, $3, $4, $1, $5 / 1000, 100 * off, is_hot ? " (not judged)" : ""
      if (!is_hot && (off > 0.2 || off < -0.2)) failed = 1 }
    END { exit failed || NR != 53 }' || exit 1
"$inflight" run --gpu h200 --kernel fill -- "$program" "$cubin" >"$made/text" 2>&1 || { cat "$made/text"; exit 1; }
grep -q "limited by the bus to the host's memory" "$made/text" && grep -q '(copy_to_gpu' "$made/text" || { cat "$made/text"; exit 1; }
# 2^24 words that are stored, 65,536 blocks of 256
grep -q '"host_store_sectors": 2097152' "$made/json" || { grep '"host_store_sectors"' "$made/json"; exit 1; }
