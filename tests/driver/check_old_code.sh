#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Machine code that is not read here is left out with one warning on the kernel's page, as `inflight analyze` does, and all
# launches from the PTX beside it are in the report.
# sm_70.fatbin holds PTX 8.0 of tests/fatbin/scale.cu for sm_70 and what ptxas of CUDA 12.4 makes of it, packed by
# `fatbinary --compress=false`.
# usage: check_old_code.sh INFLIGHT PROGRAM FATBIN      PROGRAM as old_code.c
set -eu
export INFLIGHT_PTXAS=none # which would give machine code that is read
output=$(mktemp)
trap 'rm -f "$output"' EXIT
fail()
{
    echo "$1"
    cat "$output"
    exit 1
}
warnings() # in lines of any width
{
    tr -s '\n ' '  ' <"$output" | grep -o "the machine code in [^:]* is ignored: [^:]*: machine code for sm_70" | wc -l
}
"$1" run -- "$2" "$3" >"$output" 2>&1 || fail "exit status $?"
grep -q "^32$" "$output" || fail "1 doubled five times is 32"
grep -q "5 launches" "$output" || fail "the report has not all launches"
grep -q "error" "$output" && fail "an error"
[ "$(warnings)" = 1 ] || fail "not one warning"
"$1" analyze "$3" -k scale -g 4 -b 64 256 f32:2 f32x256=iota >"$output" 2>&1 || fail "analyze: exit status $?"
[ "$(warnings)" = 1 ] || fail "analyze: not one warning"
