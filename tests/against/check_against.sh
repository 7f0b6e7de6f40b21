#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each pretence of cheats.cu is refused for its reason, and what is honest passes.
# usage: check_against.sh REFERENCE.so REFERENCE
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

# Figures of machine code that did not run are no figures of the candidate: an empty kernel of the same name.
cp "$here/empty.sm_90.cubin" "$T/candidate/"
{ launch cheats.ptx honest; printf 'code = ptx\nmachine = empty.sm_90.cubin\n'; } >"$T/candidate/candidate.launch"
"$INFLIGHT" check --against "$T/reference.launch" "$T/candidate/candidate.launch" >"$T/verdict" 2>"$T/err"
[ $? = 1 ] && grep -q '"rule": "other_code"' "$T/verdict" || { cat "$T/verdict" "$T/err"; fail "another code's figures pass"; }

# Nothing outside its folder can be read, where the system can see to that.
if grep -q '"files": "landlock"' "$T/verdict"; then
    mkdir "$T/outside"
    cp "$here/cheats.ptx" "$T/outside/"
    file=$T/outside/cheats.ptx
    judge does_not_run honest
    file=
fi
# The same seed gives the same verdict, also the one that a verdict names.
judge wrong_result remembered
cp "$T/verdict" "$T/first"
judge wrong_result remembered --seed "$(sed -n 's/^ "seed": \([0-9]*\).*/\1/p' "$T/first")"
cmp "$T/first" "$T/verdict" || fail "the same seed gives another verdict"

# A launch file that does not say what to do is the candidate's fault, and so is one that leads elsewhere.
refuse() # RULE TEXT OPTION...: candidate.launch is there
{
    rule=$1 text=$2
    shift 2
    timeout 100 "$INFLIGHT" check --against "$T/reference.launch" "$@" "$T/candidate/candidate.launch" >"$T/verdict" 2>"$T/err"
    [ $? = 1 ] && grep -q "\"rule\": \"$rule\"" "$T/verdict" && grep -q "$text" "$T/verdict" ||
        { cat "$T/verdict" "$T/err"; fail "not $rule, or no word of '$text'"; }
}
echo 'speed = 11' >>"$T/candidate/candidate.launch"
refuse does_not_run "'speed' is not a key"
printf 'file = cheats.ptx\nfile = cheats.ptx\n' >"$T/candidate/candidate.launch"
refuse does_not_run "'file' is there twice"
mv "$T/candidate/candidate.launch" "$T/candidate/other.launch"
launch cheats.ptx honest >"$T/elsewhere.launch"
ln -s "$T/elsewhere.launch" "$T/candidate/candidate.launch"
refuse does_not_run 'is a link'
rm "$T/candidate/candidate.launch"
mkfifo "$T/candidate/candidate.launch" "$T/candidate/pipe.ptx"
refuse does_not_run 'a pipe'
rm "$T/candidate/candidate.launch"
# One that waits for what never comes is no better than one that computes for too long.
launch pipe.ptx honest >"$T/candidate/candidate.launch"
refuse too_long '1 s of processor time, or 2 s in all' --seconds 1
# What the reader says is said whole: here which kernels there are.
launch cheats.ptx nowhere >"$T/candidate/candidate.launch"
refuse does_not_run 'there are:.*racing'

# Work that a kernel hands to grids of its own is in no figure.
printf 'file = %s/tests/nested/nested.sm_90.cubin\nkernel = launch_by_thread\ngrid = 1\nblock = 32\narg = u32x32=zero\n' "$SOURCE" \
    >"$T/nested.launch"
cp "$SOURCE/tests/nested/nested.sm_90.cubin" "$T/candidate/"
sed "s|$SOURCE/tests/nested/||" "$T/nested.launch" >"$T/candidate/candidate.launch"
"$INFLIGHT" check --against "$T/nested.launch" "$T/candidate/candidate.launch" >"$T/verdict" 2>"$T/err"
[ $? = 1 ] && grep -q '"rule": "uncounted_grids"' "$T/verdict" || { cat "$T/verdict" "$T/err"; fail "grids of a kernel are not told of"; }

# Random contents have other seeds, but the same limits.
printf 'file = %s/gather.ptx\ngrid = 16\nblock = 256\narg = f32x4096=zero\narg = f32x64=random\narg = u32x4096=random:1:64\n' \
    "$here" >"$T/gather.launch"
cp "$here/gather.ptx" "$T/candidate/"
sed "s|$here/||" "$T/gather.launch" >"$T/candidate/candidate.launch"
"$INFLIGHT" check --against "$T/gather.launch" "$T/candidate/candidate.launch" >"$T/verdict" 2>"$T/err" ||
    { cat "$T/verdict" "$T/err"; fail "limits of random contents are not kept"; }

# Who ends the judge ends the candidate; nothing stays.
runs()
{
    grep -lq "$T/candidate/endless.ptx" /proc/[0-9]*/cmdline 2>/dev/null
}
mkdir "$T/temporary"
cp "$here/gather.ptx" "$here/endless.ptx" "$T/candidate/"
printf 'file = endless.ptx\ngrid = 1\nblock = 32\n' >"$T/candidate/candidate.launch"
for signal in TERM KILL; do
    TMPDIR=$T/temporary "$INFLIGHT" check --against "$T/gather.launch" "$T/candidate/candidate.launch" >"$T/verdict" 2>&1 &
    judge=$!
    until runs; do sleep 0.1; done
    kill -$signal $judge
    wait $judge
    tries=0
    while runs || [ -n "$(ls "$T/temporary")" ]; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || { fail "after SIG$signal the candidate runs, or there is $(ls "$T/temporary")"; break; }
        sleep 0.1
    done
done

# A reference of C.
cp "$1" "$T/reference.so"
reference=$T/reference.so
launch cheats.ptx remembered >"$T/candidate/candidate.launch"
"$INFLIGHT" check --against "$reference" "$T/candidate/candidate.launch" >"$T/verdict"
grep -q '"rule": "wrong_result"' "$T/verdict" || fail "the reference of C does not refuse"
launch cheats.ptx honest >"$T/candidate/candidate.launch"
"$INFLIGHT" check --against "$reference" "$T/candidate/candidate.launch" >"$T/verdict" || fail "the reference of C refuses what is honest"

# A program as the reference.
launch "$here/cheats.ptx" reference >"$T/program.launch"
cp "$2" "$T/program"
launch cheats.ptx honest >"$T/candidate/candidate.launch"
"$INFLIGHT" check --against "$T/program" "$T/candidate/candidate.launch" >"$T/verdict" 2>"$T/err" || { cat "$T/err"; fail "the reference program refuses what is honest"; }
launch cheats.ptx remembered >"$T/candidate/candidate.launch"
"$INFLIGHT" check --against "$T/program" "$T/candidate/candidate.launch" >"$T/verdict"
grep -q '"rule": "wrong_result"' "$T/verdict" || fail "the reference program does not refuse"
printf '#!/bin/sh\necho no memory >&2\nexit 7\n' >"$T/program"
"$INFLIGHT" check --against "$T/program" "$T/candidate/candidate.launch" >"$T/verdict" 2>"$T/err"
[ $? = 3 ] && grep -q "ended with exit status 7: no memory" "$T/err" || { cat "$T/err"; fail "a reference that fails is not told of"; }

[ $failures = 0 ]
