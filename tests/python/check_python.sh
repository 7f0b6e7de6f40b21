#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program in Python under `inflight run`; it checks its results itself. A kernel must be told of under its name, wherever it
# stands among the others.
# usage: check_python.sh INFLIGHT PYTHON PACKAGE KERNEL PROGRAM
set -eu
inflight=$1 python=$2 package=$3 kernel=$4 program=$5
if ! "$python" -c "import $package" 2>/dev/null; then
    echo "SKIPPED: $python has no $package (configure with -DINFLIGHT_PYTHON=...)"
    exit 77
fi
report=$(mktemp)
trap 'rm -f "$report" "$report.json"' EXIT
"$inflight" run --gpu h200 --json "$report.json" -- "$python" "$program" 2>"$report" || {
    status=$?
    grep -aE 'error|launched from' "$report" || tail -n 20 "$report"
    exit "$status"
}
grep -aq "\"kernel\": *\"[^\"(]*$kernel" "$report.json" || {
    echo "no kernel '$kernel' in the report"
    exit 1
}
