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
sections=$(grep -c '^<section>$' r.html)
test "$rows" -ge 1 && test "$rows" -eq "$sections"
tail -n 1 r.html | grep -qx '</html>'
test "$(ls | wc -l)" -eq 6 # nothing half-written was left

status=0
"$INFLIGHT" run --html nowhere/r.html -- "$program" >out 2>err || status=$?
grep -q "nowhere/r.html" err
test "$status" -eq 0 # the program's own
