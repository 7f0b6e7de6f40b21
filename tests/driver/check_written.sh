#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What --check-reads says of memory that is written in many ways: a line for each kernel that reads what was never written, how often
# it does, and where first. Nothing else is said.
# usage: check_written.sh INFLIGHT EXPECTED PROGRAM      PROGRAM as written.c
set -eu
inflight=$1 expected=$2 program=$3
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
for options in --no-analysis "--every-launch --launches 1" "--launches 0"; do
    # shellcheck disable=SC2086 # the words are words
    "$inflight" run --check-reads $options -- "$program" >"$T/out" 2>"$T/err" || { cat "$T/err"; exit 1; }
    [ "$(cat "$T/out")" = right ]
    sed -n -e 's/^inflight: .* reads memory that was never written, \(.*\); first block 0, \(thread .*: byte [0-9]*\) of .*/\1, first \2/p' \
        -e 's/^  in \([^,]*\), launched from.*/\1/p' "$T/err" | paste -d ' ' - - | sed 's/^\(.*\) \([a-z_]*\)$/\2: \1/' >"$T/said"
    diff "$expected" "$T/said" || { cat "$T/err"; exit 1; }
done
"$inflight" run -- "$program" 2>&1 | grep "never written" && { echo "said without --check-reads"; exit 1; }
exit 0
