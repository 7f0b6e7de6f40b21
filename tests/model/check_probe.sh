#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Launches of a probe against the times of an H200. ROWS has lines "KEY | KERNEL GRID BLOCK ARGUMENT...": the row of MEASURED that begins with
# KEY has the nanoseconds in column COLUMN; each prediction is within PERCENT of them.
# usage: check_probe.sh INFLIGHT CUBIN ROWS MEASURED COLUMN PERCENT
set -u
inflight=$1 cubin=$2 rows=$3 measured=$4 column=$5 percent=$6 failures=0 count=0
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-model.XXXXXX") || exit 1
trap 'rm -rf "$made"' EXIT

while IFS='|' read -r key launch; do
    case $key in '#'*) continue ;; esac
    ns=$(awk -v key="$key" -v column="$column" 'index($0 " ", key) == 1 { print $column; exit }' "$measured")
    # shellcheck disable=SC2086 # words of a launch
    set -- $launch
    kernel=$1 grid=$2 block=$3
    shift 3
    "$inflight" analyze "$cubin" -k "$kernel" -g "$grid" -b "$block" "$@" --gpu h200 --json "$made/json" >/dev/null || exit 1
    us=$(sed -n '/"models"/,$s/.*"time_us": \([0-9.]*\).*/\1/p' "$made/json" | head -n 1)
    awk -v us="$us" -v ns="$ns" -v percent="$percent" -v what="$key" 'BEGIN {
        off = ns > 0 ? 100 * (us * 1000 / ns - 1) : 1e9
        printf "%s: %s us predicted, %s ns on an H200 (%+.0f %%)\n", what, us, ns, off
        exit off > percent || off < -percent }' || failures=1
    count=$((count + 1))
done <"$rows"
[ "$count" -gt 0 ] || exit 1
exit $failures
