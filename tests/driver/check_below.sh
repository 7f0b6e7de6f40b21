#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What lies below the kernel's own shared memory: the kernel goes on, and one warning tells of it, with its place.
# usage: check_below.sh INFLIGHT PROGRAM CUBIN      PROGRAM as below_shared.c
set -eu
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
inflight=$1 program=$2 cubin=$3

fail() {
    echo "$*"
    cat "$T/out" "$T/err"
    exit 1
}

# warned KERNEL WORDS: analyze says so, once, in text and in JSON
warned() {
    "$inflight" analyze "$cubin" -k "$1" -g 1 -b 64 i32x64=zero --json "$T/report.json" >"$T/out" 2>"$T/err" ||
        fail "$1: it ends with $?"
    [ "$(grep -c "^Warnings" "$T/out")" = 1 ] || fail "$1: no warning"
    tr -s ' \n' ' ' <"$T/out" | grep -qF "$2" || fail "$1: not in the text: $2"
    [ "$(grep -cF "$2" "$T/report.json")" = 1 ] || fail "$1: not in the JSON: $2"
}

warned before "below_shared.cu:12: LDS reads shared memory below the kernel's own, 1 time; first block 0, thread 0: 4 bytes"
warned write_before "below_shared.cu:18: STS writes shared memory below the kernel's own, 2 times; first block 0, thread 0: 8 bytes"

"$inflight" analyze "$cubin" -k groups -g 1 -b 64 i32x64=zero >"$T/out" 2>"$T/err" || fail "groups: it ends with $?"
! grep -q Warnings "$T/out" || fail "groups: what the system's own code does is told of"

"$inflight" analyze "$cubin" -k far_before -g 1 -b 64 i32x64=zero >"$T/out" 2>"$T/err" && fail "far_before: no fault"
thread=$(sed -n 's/.*, thread (\([0-9]*\),0,0).*/\1/p' "$T/err") # that reads s[thread - 300]
grep -q "illegal address: LDS reads 4 bytes of shared memory.* $((4 * (300 - thread))) bytes before the start of the block's memory" "$T/err" ||
    fail "far_before: another fault"

# The 1,024 bytes that the system reserves are none that the program asked for: int s[64] has 256 bytes, of which s[300] is 944 past.
"$inflight" analyze "$cubin" -k behind -g 1 -b 64 i32x64=zero >"$T/out" 2>"$T/err" && fail "behind: no fault"
grep -q "STS writes 4 bytes of shared memory.* 944 bytes past the end of the block's 256 bytes" "$T/err" || fail "behind: another fault"

"$inflight" run --json "$T/report.json" -- "$program" "$cubin" before >"$T/out" 2>"$T/err" || fail "run: it ends with $?"
grep -qx "0 62" "$T/out" || fail "run: the program read something else"
[ "$(grep -c "LDS reads shared memory below the kernel's own" "$T/err")" = 1 ] || fail "run: not one warning"
