#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --launch-skip and --launch-count: of eleven launches, each of one load, the eighth of 64, those are counted that are asked for.
# usage: check_window.sh INFLIGHT PROGRAM      PROGRAM as growing.c
set -eu
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT

# counted REQUESTS OPTION...
counted()
{
    wanted=$1
    shift
    "$inflight" run "$@" --json "$T/report.json" -- "$program" 2>"$T/err" || { cat "$T/err"; exit 1; }
    found=$(sed -n 's/.*"global_load_requests": \([0-9]*\).*/\1/p' "$T/report.json" | head -1)
    [ "${found:-none}" = "$wanted" ] || { echo "$*: $found requests, expected $wanted"; exit 1; }
}

inflight=$1 program=$2
counted 74 --launches 0
counted 64 --launch-skip 7 --launch-count 1
counted 3 --launch-skip 8 --launches 0
counted 7 --launch-count 7 --launches 0
counted 64 --launch-skip 7 --launch-count 1 -k walk
counted 65 --launch-skip 6 --launch-count 2 -k regex:^wa --launches 0
counted none --launch-count 1 -k other
counted none --launch-skip 11
