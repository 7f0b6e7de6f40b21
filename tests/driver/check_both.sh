#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run --code both: the program gets what its machine code leaves, and the report says where the PTX, which ran before on
# the same bytes, differs, or why the two are not compared. What is expected follows from two_codes.cu.
# usage: check_both.sh INFLIGHT PROGRAM FATBIN      PROGRAM as two_codes.c, FATBIN of two_codes.cu
set -eu
inflight=$1 program=$2 fatbin=$3
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
export INFLIGHT_PTXAS=none
fail() { echo "check_both: $*" >&2; cat "$T/err" >&2; exit 1; }
run() { # OUT OPTION...
    out=$1
    shift
    "$inflight" run "$@" -- "$program" "$fatbin" >"$T/$out" 2>"$T/err"
}
of() { # KERNEL: the first launch of it in the report
    sed -n "/^  *\"kernel\": \"$1\"/,/^  *\"advice\"/p" "$T/both.json" | sed '/^  *"advice"/q'
}
has() { of "$1" | grep -q -e "$2" || fail "the report of $1 has no $2"; }
hasnt() { of "$1" | grep -q -e "$2" && fail "the report of $1 has $2" || :; }

# What the program finds: the machine code's, also of the kernel that adds to what it finds, and of the one whose PTX faults.
run machine
run both --code both --json "$T/both.json"
cmp "$T/machine" "$T/both"
grep -qx 'counts 128' "$T/both"
grep -qx 'faults 320' "$T/both"
grep -qx 'waits 3 2' "$T/both"

# Results: 1 of 64 words is another, in each of three launches, told once; a fused product differs by less than its PTX allows.
told='machine code and PTX leave different results (bit for bit): cudaMalloc(256) of .*: 1 of 64 elements differ; element 7: PTX 1000, machine code 7'
[ "$(grep -c "$told" "$T/err")" = 1 ] || fail "the difference is not told once"
has differs '"verdict": "different"'
has differs '"ptx": "1000"'
has fuses '"verdict": "within the stated error"'
has counts '"verdict": "equal"'
hasnt counts '"verdict": "different"'

# What cannot be compared says why, and is compared nowhere.
for row in "allocates:allocates memory" "faults:its PTX stops at .*illegal address" "only_machine:has no PTX of the kernel" \
    "only_ptx:there is no machine code of it" "waits:waits for memory that the host or another kernel changes"; do
    has "${row%%:*}" "PTX and machine code are not compared: .*${row#*:}"
    hasnt "${row%%:*}" '"outputs"'
done
grep -q 'not compared: it allocates memory' "$T/err" || "$inflight" run --code both -k allocates -- "$program" "$fatbin" 2>&1 |
    tr -s ' \n' ' ' | grep -q 'not compared: it allocates memory' || fail "the page does not say why"

# Counts of each are those of a run of it alone, of all three launches together.
"$inflight" run --code ptx --json "$T/ptx.json" -k differs -- "$program" "$fatbin" >"$T/out" 2>"$T/err" || :
"$inflight" run --json "$T/machine.json" -k differs -- "$program" "$fatbin" >"$T/out" 2>"$T/err"
for name in ptx_instructions branches global_store_requests global_store_sectors; do
    alone=$(sed -n "/\"counters\": {/,/}/s/.*\"$name\": \([0-9]*\).*/\1/p" "$T/ptx.json" | head -n 1)
    beside=$(of differs | sed -n "/\"ptx\": {/,\$s/.*\"$name\": \([0-9]*\).*/\1/p" | head -n 1)
    [ -n "$alone" ] && [ "$alone" = "$beside" ] || fail "PTX: $name is $beside, alone $alone"
done
for name in instructions thread_instructions global_store_requests; do
    alone=$(sed -n "/\"counters\": {/,/}/s/.*\"$name\": \([0-9]*\).*/\1/p" "$T/machine.json" | head -n 1)
    beside=$(of differs | sed -n "/\"counters\": {/,/}/s/.*\"$name\": \([0-9]*\).*/\1/p" | head -n 1)
    [ -n "$alone" ] && [ "$alone" = "$beside" ] || fail "machine code: $name is $beside, alone $alone"
done

# The PTX has written the words that the machine code reads, and is undone in that too.
run out --code both --check-reads
grep -q 'LDG.E reads memory that was never written, 64 times' "$T/err" || fail "what is read unwritten is not told"

# The page of a program shows what that of a launch does; a difference makes --fail fail, none does not.
status=0
run out --code both --fail -k differs || status=$?
[ "$status" = 1 ] || fail "status $status with --fail"
for line in 'Where PTX and machine code differ' "Results against the PTX's" '1 of 64 elements differ; element 7: PTX 1000, machine code 7'; do
    grep -q "$line" "$T/err" || fail "the page does not say: $line"
done
