#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The files that `inflight run` writes: JSON and HTML have one part for each kernel and place of launch; paths count from
# the folder that inflight was started in; the program's own output is as without.
# usage: INFLIGHT=... check_reports.sh PROGRAM
set -eu
program=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/inflight-reports.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
"$INFLIGHT" run --json r.json --html r.html -- "$program" >out 2>err
"$INFLIGHT" run --no-analysis -- "$program" >plain 2>err.plain
cmp plain out
rows=$(grep -c '"kernel":' r.json)
sections=$(grep -c '^<section id="launch-' r.html)
test "$rows" -ge 1 && test "$rows" -eq "$sections"
tail -n 1 r.html | grep -qx '</html>'
test "$(ls | wc -l)" -eq 6 # nothing half-written was left

# What cannot be written is told before the program runs.
status=0
"$INFLIGHT" run --html nowhere/r.html -- "$program" >out 2>err || status=$?
grep -q "nowhere/r.html" err
test "$status" -eq 3
test ! -s out

# A report that cannot be written in the end is told too, by the status of a program that ends with 0; nothing is left of it.
rm r.json
{
    (
        ulimit -f 0
        "$INFLIGHT" run --json r.json -- "$program" || echo "status $?" >&2
    ) 2>&1 >/dev/null
} | cat | grep -E 'r.json|status' | paste -sd ' ' | grep -q "cannot write .*r.json'.* status 3"
test ! -e r.json && test -z "$(find . -name '*.part')"
