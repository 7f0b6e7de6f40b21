#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One change to the demonstration project: each line of its `expected`, "FILE:LINE RULE", must be among the errors, and where
# it says "nothing" there must be no error, no warning and no note.
# usage: check_example.sh EXAMPLE CHANGE
set -u
. "$(dirname "$0")/project.sh"
change=$2
[ "$change" = none ] && change=
make_project "$1" "$change"
expected=$1/changes/$2/expected
[ -n "$change" ] || { expected=$T/nothing; echo nothing >"$expected"; }

"$INFLIGHT" check kernels.budget --no-cache >"$T/out" 2>"$T/err"
status=$?
cat "$T/out" "$T/err"
if [ "$(cat "$expected")" = nothing ]; then
    [ $status = 0 ] || fail "exit status $status, expected 0"
    grep -q ': 0 errors, 0 warnings, 0 notes' "$T/out" || fail "something is told, and nothing changed"
    [ "$change" ] || ! grep -q 'better than the baseline' "$T/out" || fail "the baseline is not that of the project as it is"
    exit 0
fi
[ $status = 1 ] || fail "exit status $status, expected 1"
while read -r place rule; do
    grep -q "^$place: error: .* \[$rule\]\$" "$T/out" || fail "not told: $rule at $place"
done <"$expected"
