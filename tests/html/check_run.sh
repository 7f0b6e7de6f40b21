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
places=$(wc -l <"$tree/made") launches=$(awk '{ sum += $1 } END { print sum }' "$tree/made")
test "$places" -gt 1 || fail "the program launches from one place only"
grep -q "<h1>$launches launches from $places places</h1>" "$tree/page.html" ||
    { grep '<h1>' "$tree/page.html"; fail "not $launches launches from $places places"; }
test "$(grep -c '<section id="launch-' "$tree/page.html")" = "$places" || fail "not a section for each place"
test "$(grep -o 'href="#launch-' "$tree/page.html" | wc -l)" = "$places" || fail "not a link to each place"
sed -n '/Predicted time by kernel/,/<\/figure>/p' "$tree/page.html" | grep -c 'data-value=' >"$tree/bars"
test "$(cat "$tree/bars")" = "$places" || fail "not a bar for each place"
echo "html of run: as the JSON"
