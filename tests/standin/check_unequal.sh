#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each of several launches of one kernel from one place has the time of what it does, whether the model was asked about it
# or not: within 30 % of what the model says of it alone. The third is the first one whose work differs by what is in memory:
# the model is not asked, and it takes the first one's time times 24, by the formula. That has no time for lines that come from
# DRAM only at first: 60 %.
# usage: check_unequal.sh PROGRAM, PROGRAM as unequal_launches.cu in programs/ is
set -u
program=$1
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-standin.XXXXXX") || exit 1
trap 'rm -rf "$made"' EXIT

each_time() { sed -n '/^ "each"/,$p' "$made/json" | sed -n 's/.*"time_us": \([0-9.]*\).*/\1/p'; }

"$INFLIGHT" run --each --json "$made/json" -- "$program" >/dev/null 2>"$made/err" || { cat "$made/err"; exit 1; }
each_time >"$made/together"
[ "$(wc -l <"$made/together")" -eq 10 ] || { echo "10 launches expected:"; cat "$made/together"; exit 1; }
for skip in 0 1 2 3 4 5 6 7 8 9; do
    "$INFLIGHT" run --each --launch-skip "$skip" --launch-count 1 --json "$made/json" -- "$program" >/dev/null 2>"$made/err"
    each_time | sed -n "$((skip + 1))p"
done >"$made/alone"
paste "$made/together" "$made/alone" | awk '
    { off = $1 / $2 - 1; line = line sprintf(" %.1f (%.1f)", $1, $2); most = NR == 3 ? 0.6 : 0.3
      if (NF < 2 || off > most || off < -most) wrong = 1 }
    END { if (wrong) { print "together (alone):" line; exit 1 } }'
