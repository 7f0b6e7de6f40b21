#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each pretence of cheats.cu is refused for its reason, and what is honest passes.
# usage: check_against.sh REFERENCE.so
set -u
here=$SOURCE/tests/against
T=$(mktemp -d "${TMPDIR:-/tmp}/inflight-against-test.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
failures=0

fail()
{
    failures=$((failures + 1))
    echo "$*"
}

launch() # FILE KERNEL
{
    printf 'file = %s\nkernel = %s\ngrid = 16\nblock = 256\narg = f32x4096=zero\narg = f32x4096=random\narg = f32:0.25\n' "$1" "$2"
}

# judge WANTED KERNEL OPTION...: WANTED is "passed" or the rule.
judge()
{
    wanted=$1 kernel=$2
    shift 2
    mkdir -p "$T/candidate"
    cp "$here/cheats.ptx" "$T/candidate/"
    launch "${file:-cheats.ptx}" "$kernel" >"$T/candidate/candidate.launch"
    "$INFLIGHT" check --against "$T/reference.launch" "$@" "$T/candidate/candidate.launch" >"$T/verdict" 2>"$T/err"
    status=$?
    "$VALIDATE" "$SOURCE/docs/against.schema.json" "$T/verdict" || fail "$kernel: not as docs/against.schema.json has it"
    if [ "$wanted" = passed ]; then
        [ $status = 0 ] && grep -q '"passed": true' "$T/verdict" || { cat "$T/verdict" "$T/err"; fail "$kernel is honest, and refused"; }
    else
        [ $status = 1 ] && grep -q "\"rule\": \"$wanted\"" "$T/verdict" || { cat "$T/verdict" "$T/err"; fail "$kernel: not $wanted"; }
    fi
}

launch "$here/cheats.ptx" reference >"$T/reference.launch"
judge passed reference
judge passed honest
judge wrong_result remembered
judge output_unwritten skipping
judge wrong_result adding
judge output_unwritten trusting
judge input_changed in_place
judge fault beyond
judge fault straying
judge unwritten_read unwritten
judge order_dependent racing
judge clock timed
judge wrong_result halved
judge passed halved --tolerance 0.01
judge impossible_time honest --claimed-us 0.001
judge passed honest --claimed-us 5
judge does_not_run nowhere

# Nothing outside its folder can be read, where the system can see to that.
if grep -q '"files": "landlock"' "$T/verdict"; then
    mkdir "$T/outside"
    cp "$here/cheats.ptx" "$T/outside/"
    file=$T/outside/cheats.ptx
    judge does_not_run honest
    file=
fi
# The same seed gives the same verdict.
judge wrong_result remembered --seed 5
cp "$T/verdict" "$T/first"
judge wrong_result remembered --seed 5
cmp "$T/first" "$T/verdict" || fail "the same seed gives another verdict"

# A reference of C.
cp "$1" "$T/reference.so"
reference=$T/reference.so
"$INFLIGHT" check --against "$reference" "$T/candidate/candidate.launch" >"$T/verdict"
grep -q '"rule": "wrong_result"' "$T/verdict" || fail "the reference of C does not refuse"
launch cheats.ptx honest >"$T/candidate/candidate.launch"
"$INFLIGHT" check --against "$reference" "$T/candidate/candidate.launch" >"$T/verdict" || fail "the reference of C refuses what is honest"

[ $failures = 0 ]
