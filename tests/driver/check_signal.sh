#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program that a signal ends, under `inflight run`: what it writes is WANT, the shell sees the signal, and the report is
# whole, on standard error and as JSON. Each WORD is NUMBER or NUMBER:WORD, where the program takes another word for the signal;
# "ends" for the number: the program ends by itself, with 0.
# usage: check_signal.sh INFLIGHT WANT PROGRAM WORD...
set -u
inflight=$1 want=$2 program=$3
shift 3
work=$(mktemp -d "${TMPDIR:-/tmp}/inflight-signal.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
ulimit -c 0
for word; do
    rm -f "$work/r.json"
    found=$("$inflight" run --json "$work/r.json" -- "$program" "${word#*:}" 2>"$work/err")
    status=$?
    case $word in
    ends:*) wanted=0 ;;
    *) wanted=$((128 + ${word%%:*})) ;;
    esac
    if ! { test "$status" -eq $wanted && test "$found" = "$want" &&
        grep -q '^1 launch of 1 kernel from 1 place$' "$work/err" && grep -q 'A request is one memory instruction' "$work/err" &&
        grep -q '"launches"' "$work/r.json" && test -z "$(find "$work" -name '*.part')"; }; then
        echo "$word: exit status $status, wrote: $found"
        head -20 "$work/err"
        exit 1
    fi
done
