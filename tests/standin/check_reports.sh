#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The files that `inflight run` writes: JSON and HTML have one part for each kernel and place of launch; paths count from
# the folder that inflight was started in; the program's own output is as without.
# usage: INFLIGHT=... check_reports.sh PROGRAM SEVERAL STOPPED FAULTS BARE      SEVERAL launches one kernel four times from
# one place; the kernel of STOPPED writes past the end of its memory; FAULTS ends with 0 although kernels of it fault; a kernel
# `print` of BARE has no requests
set -eu
program=$1
several=$2
stopped=$3
faults=$4
bare=$5
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

# A row of several launches counts all of them, and has the model and advice of its costliest; --each lists them.
"$INFLIGHT" run --each --json each.json -- "$several" >out 2>err
grep -q '^ "each": \[' each.json && ! grep -q '"each"' r.json
test "$(grep -c '"made": 4' each.json)" -eq 1 && test "$(grep -c '"nth": 1,' each.json)" -eq 1
test "$(sed -n '/^ "each"/,$p' each.json | grep -c '"time_us": [0-9]')" -eq 4
total=$(sed -n 's/.*"total_us": \([0-9.]*\).*/\1/p' each.json)
sum=$(sed -n '/^ "each"/,$p' each.json | sed -n 's/.*"time_us": \([0-9.]*\).*/\1/p' | awk '{ s += $1 } END { print s }')
awk -v a="$total" -v b="$sum" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 < 1e-6 * a * a) }'
grep -q '"limiter": ' each.json && ! grep -q 'launches together have no time' each.json
rm each.json

# A kernel that the program does not launch: the report says so, and which it launches.
"$INFLIGHT" run --kernel nothing_like_it -- "$several" >out 2>err
grep -q "^inflight: no launch of a kernel 'nothing_like_it' was observed; others were:$" err
test "$(grep -c '^inflight:   ' err)" -ge 1

# A launch that was stopped has the time that its counts give, in the list as in its part: not that of the CPU.
"$INFLIGHT" run --each --json stopped.json -- "$stopped" >out 2>err || true
grep -q 'illegal address' err
part=$(sed -n 's/^ *"time_us": \([0-9.]*\).*/\1/p' stopped.json | head -n 1)
total=$(sed -n 's/.*"total_us": \([0-9.]*\).*/\1/p' stopped.json)
awk -v a="$total" -v b="$part" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 < 1e-6 * a * a) }'
rm stopped.json

# A fault is a failure for --fail, analyzed or not, whatever the program makes of it.
for analyzed in '' --no-analysis; do
    status=0
    # shellcheck disable=SC2086 # nothing, or a word
    "$INFLIGHT" run --fail $analyzed -- "$faults" >out 2>err || status=$?
    test "$status" -eq 1
    "$INFLIGHT" run $analyzed -- "$faults" >out 2>err
done

# Sectors a request of no requests are not known.
"$INFLIGHT" run -- "$bare" >out 2>err
grep -q '^  print .*[0-9]   *0 B' err && ! grep -q '^  print .* 0[.]00 ' err

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
