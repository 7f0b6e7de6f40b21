#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Launches of a probe against the times of an H200. ROWS has lines "KEY | KERNEL GRID BLOCK ARGUMENT...": the row of MEASURED that begins with
# KEY has the nanoseconds in column COLUMN; each prediction is within PERCENT of them. From column FIRST on, MEASURED has warps stalled an issue
# for each REASON: of those together, each reason's share is within 10 points in the median of the launches, and the largest is the largest
# here in nine of ten of the launches in which it is 1.5 times the second.
# usage: check_probe.sh INFLIGHT CUBIN ROWS MEASURED COLUMN PERCENT [FIRST REASON...]
set -u
inflight=$1 cubin=$2 rows=$3 measured=$4 column=$5 percent=$6 failures=0 count=0
shift 6
first=${1:-0}
[ $# -eq 0 ] || shift
reasons=$*
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-model.XXXXXX") || exit 1
trap 'rm -rf "$made"' EXIT

# stalls_of JSON: the first model's stalls for each reason, on one line.
stalls_of() {
    sed -n '/"models"/,$p' "$1" | sed -n '/"stalls": {/,/}/p' | awk -v reasons="$reasons" '
        BEGIN { count = split(reasons, name, " ") }
        /}/ { exit }
        { key = $1; gsub(/[":]/, "", key); value[key] = $2 + 0 }
        END { for (i = 1; i <= count; i++) printf " %s", value[name[i]] + 0; print "" }'
}

while IFS='|' read -r key launch; do
    case $key in '#'*) continue ;; esac
    row=$(awk -v key="$key" 'index($0 " ", key) == 1 { print; exit }' "$measured")
    ns=$(echo "$row" | awk -v column="$column" '{ print $column }')
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
    [ "$first" = 0 ] || echo "$(echo "$row" | awk -v first="$first" '{ for (i = first; i <= NF; i++) printf " %s", $i }')$(stalls_of "$made/json")" >>"$made/stalls"
    count=$((count + 1))
done <"$rows"
[ "$count" -gt 0 ] || exit 1
[ "$first" != 0 ] || exit $failures

# $made/stalls: a launch a line, the GPU's stalls by reason, then those predicted.
number=0
for reason in $reasons; do
    number=$((number + 1))
    awk -v number=$number '{
        half = NF / 2; gpu = here = 0
        for (i = 1; i <= half; i++) { gpu += $i; here += $(half + i) }
        off = here > 0 ? 100 * ($(half + number) / here - $number / gpu) : 100
        print off < 0 ? -off : off }' "$made/stalls" | sort -n | awk -v reason="$reason" '
        { off[NR] = $1 }
        END {
            median = (off[int((NR + 1) / 2)] + off[int(NR / 2) + 1]) / 2
            printf "%s: its share is %.1f points off in the median of %d launches\n", reason, median, NR
            exit !(median <= 10) }' || failures=1
done
awk '{
        half = NF / 2; main = here = 1; second = 0
        for (i = 2; i <= half; i++) {
            if ($i > $main) main = i
            if ($(half + i) > $(half + here)) here = i
        }
        for (i = 1; i <= half; i++) if (i != main && $i > second) second = $i
        if ($main >= 1.5 * second) { clear++; right += main == here }
    }
    END {
        printf "the main reason is right in %d of %d launches\n", right, clear
        exit !(clear > 0 && right >= 0.9 * clear) }' "$made/stalls" || failures=1
exit $failures
