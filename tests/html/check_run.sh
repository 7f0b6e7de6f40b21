#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program's page: a row and a section for each place of launch, and the launches that the JSON has.
# usage: INFLIGHT=... check_run.sh SOURCE
set -eu
. "$1/tests/html/page.sh"

"$INFLIGHT" run --html "$tree/page.html" --json "$tree/report.json" -- "$1/tests/standin/prebuilt/event_times.bin" \
    >"$tree/out" 2>"$tree/err" || { cat "$tree/err"; fail "the program failed"; }
stands_alone "$tree/page.html"
values_of "$tree/report.json" made >"$tree/made"
texts_of() { sed -n "s/^ *\"$1\": \"\(.*\)\",*\$/\1/p" "$tree/report.json" | sort -u | wc -l; } # how many different ones
rows=$(wc -l <"$tree/made") launches=$(awk '{ sum += $1 } END { print sum }' "$tree/made")
test "$rows" -gt 1 || fail "the program launches from one place only"
counted() { test "$1" -eq 1 && echo "1 $2" || echo "$1 $2s"; }
head="$launches launches of $(counted "$(texts_of signature)" kernel) from $(counted "$(texts_of site)" place)"
grep -q "<h1>$head</h1>" "$tree/page.html" || { grep '<h1>' "$tree/page.html"; fail "not $head"; }
grep -q "<title>$head - inflight</title>" "$tree/page.html" || fail "another title"
test "$(grep -c '<section id="launch-' "$tree/page.html")" = "$rows" || fail "not a section for each row"
test "$(grep -o 'href="#launch-' "$tree/page.html" | wc -l)" = "$rows" || fail "not a link to each row"
sed -n '/Predicted time by kernel/,/<\/figure>/p' "$tree/page.html" | grep -c 'data-value=' >"$tree/bars"
test "$(cat "$tree/bars")" = "$rows" || fail "not a bar for each row"
echo "html of run: as the JSON"
