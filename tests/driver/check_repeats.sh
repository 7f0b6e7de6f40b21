#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The program is right whether or not launches run again that would only do what was done before; some of its last loop of 50 do not.
# usage: check_repeats.sh INFLIGHT PROGRAM      PROGRAM as repeats.c
set -eu
inflight=$1 program=$2
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
for options in "" --no-analysis "--launches 0" --check-reads; do
    "$inflight" run $options -- "$program" >"$T/out" 2>"$T/err" || { cat "$T/err"; exit 1; }
    [ "$(cat "$T/out")" = right ]
done
# Three of the loop run: the first is new, the second is looked at, and the 64th of its place is asked about by the model.
"$inflight" run -- "$program" 2>&1 >/dev/null | grep -q '^  47 of the launches did not run' || { echo "not 47 of 50"; exit 1; }
"$inflight" run --every-launch -- "$program" 2>&1 >/dev/null | grep 'did not run' && { echo "--every-launch: some did not"; exit 1; }
# What is counted is the same.
for kind in "" --every-launch; do
    "$inflight" run $kind --launches 0 --json "$T/report$kind.json" -- "$program" >"$T/out" 2>&1
    grep -e '"launches"' -e '_requests"' -e '"instructions"' -e '"thread_instructions"' "$T/report$kind.json" >"$T/counts$kind"
done
[ -s "$T/counts" ]
cmp "$T/counts" "$T/counts--every-launch"
