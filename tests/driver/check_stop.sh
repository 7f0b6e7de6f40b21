#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program that cannot be served stops with exit status 4 and TEXT on stderr, before it says "went on".
# usage: check_stop.sh INFLIGHT TEXT PROGRAM [ARGUMENT]...
set -eu
inflight=$1 text=$2
shift 2
output=$(mktemp)
trap 'rm -f "$output"' EXIT
status=0
"$inflight" run -- "$@" >"$output" 2>&1 || status=$?
test "$status" = 4 || { echo "exit status $status"; cat "$output"; exit 1; }
grep -q -e "$text" "$output"
if grep -q "went on" "$output"; then
    echo "it went on"
    exit 1
fi
