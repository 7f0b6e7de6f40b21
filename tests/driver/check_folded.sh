#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tables and pages of `inflight run` have one row for the launches of a kernel that differ in their grid alone, if these are
# many; no two rows look the same; JSON has all. The figures of a row follow from the rows of --each.
# usage: check_folded.sh INFLIGHT PROGRAM      PROGRAM as wavefront.c
set -eu
work=$(mktemp -d "${TMPDIR:-/tmp}/inflight-folded.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail()
{
    echo "$1"
    head -40 "$work/err"
    exit 1
}
"$1" run --each --json "$work/r.json" --html "$work/r.html" -- "$2" 2>"$work/err" || fail "the program failed"

grep -qx '130 launches of 3 kernels from 3 places' "$work/err" || fail "another head"
if LC_ALL=C.UTF-8 grep -E '^.{101,}' "$work/err"; then fail "wider than 100 columns"; fi
sed -n '1,/^  Times are predicted/p' "$work/err" >"$work/times"
sed -n '/^  Times are predicted/,/^Each launch/p' "$work/err" >"$work/requests"
sed -n '/^Each launch/,/^needle/p' "$work/err" >"$work/each"
test "$(grep -c '^  needle ' "$work/times")" -eq 1 || fail "not one row of needle by time"
test "$(grep -c '^  sweep' "$work/times")" -eq 3 || fail "not three rows of sweep by time"
test "$(grep '^  sweep' "$work/times" | awk '{ print $1 }' | sort -u | wc -l)" -eq 2 || fail "names that look the same"
grep -q '^  needle .* 1 to 64 ' "$work/times" || fail "not the grids of needle"

# Of the rows of --each: launches, total, least and most.
awk '
    function us(figure, unit) { return figure * (unit == "ms" ? 1000 : unit == "ns" ? 0.001 : 1) }
    FILENAME ~ /each$/ && $1 ~ /^[0-9]+$/ && $2 == "needle" {
        time = us($3, $4)
        if (!rows++ || time < low) low = time
        if (time > high) high = time
        sum += time
    }
    FILENAME ~ /times$/ && $1 == "needle" { total = us($4, $5); launches = $6; least = us($9, $10); most = us($11, $12) }
    END { exit !(rows == 127 && launches == 127 && least == low && most == high && (total - sum) ^ 2 < (0.01 * sum) ^ 2) }
' "$work/each" "$work/times" || fail "other figures than those of --each"

# By place: 64 launches there and 63 back; each block of 32 threads writes to 32 sectors.
test "$(grep -c '^  needle  *there+[^ ]* .* 1 to 64  *32  *64  *32' "$work/requests")" -eq 1 || fail "not one row of needle there"
test "$(grep -c '^  needle  *back+[^ ]* .* 1 to 63  *32  *63  *32' "$work/requests")" -eq 1 || fail "not one row of needle back"
test "$(grep -c '^  sweep' "$work/requests")" -eq 3 || fail "not three rows of sweep"

# No column says the same in each row: the program's name, that its code has no lines.
if grep -e '(wavefront)' -e 'most of it at' "$work/requests" "$work/each"; then fail "what says nothing"; fi

# Of 43 rows the 40 that took longest, and what the others took of all: less than the average of as many.
"$1" run -- "$2" blocks 2>"$work/blocks" || fail "the program failed with a word"
test "$(sed '/^  Times are predicted/q' "$work/blocks" | grep -c '^  needle ')" -eq 40 || fail "not 40 rows"
awk '/^  and 3 further rows of less time, / { percent = $8 } END { exit !(percent > 0 && percent <= 100 * 3 / 43 + 0.05) }' "$work/blocks" ||
    fail "not the share of the three others"

# A page for each row, in the order of the first launches: the 64th step is the costliest. JSON has a part for each grid.
test "$(grep -c '<section id="launch-' "$work/r.html")" -eq 5 || fail "not five pages"
grep -q '<h1>130 launches of 3 kernels from 3 places</h1>' "$work/r.html" || fail "another head in HTML"
grep -q ">1 to 64</td>" "$work/r.html" || fail "not the grids of needle in HTML"
sed -n '/<section id="launch-1"/,/<\/section>/p' "$work/r.html" | grep -q 'grid 64 ' || fail "not the page of the 64th step"
test "$(grep -c '"made": 1' "$work/r.json")" -eq 130 || fail "not 130 parts in JSON"
