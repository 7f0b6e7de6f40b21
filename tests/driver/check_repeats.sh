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
# Those of the four last loops that need not run. In place, forth and back: of each 50 all but the first, the second, whose allocations
# are noted, the third, whose memory is kept, and the fourth, which the model is asked for. Cleared each time: beside those the five with
# another word and the five after them (one of them the 8th), and the 16th and the 32nd, which the model is asked for, since those before
# were not watched. The last loop: all but the second of its arguments, which were seen twice before, and the 64th of its place.
"$inflight" run -- "$program" 2>&1 >/dev/null | grep -q "^  $((46 + 46 + 34 + 48)) launches did not run" || { echo "others ran"; exit 1; }
"$inflight" run --every-launch -- "$program" 2>&1 >/dev/null | grep 'did not run' && { echo "--every-launch: some did not"; exit 1; }
# What is counted is the same.
for kind in "" --every-launch; do
    "$inflight" run $kind --launches 0 --json "$T/report$kind.json" -- "$program" >"$T/out" 2>&1
    grep -e '"launches"' -e '_requests"' -e '"instructions"' -e '"thread_instructions"' "$T/report$kind.json" >"$T/counts$kind"
done
[ -s "$T/counts" ]
cmp "$T/counts" "$T/counts--every-launch"
