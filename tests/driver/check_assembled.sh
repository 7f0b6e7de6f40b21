#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# PTX that no machine code stands beside is assembled, as a driver compiles it, with the options that its fat binary has, and
# once: after that the machine code comes from a folder of the user's. Where the assembler refuses, the PTX runs.
# limited.fatbin holds PTX 9.0 of tests/fatbin/scale.cu for compute_75 (nvcc -fatbin -maxrregcount 40), limited.sm_90.cubin is
# what ptxas of CUDA 13.0 makes of it with the same option.
# usage: check_assembled.sh INFLIGHT PROGRAM FOLDER      PROGRAM as old_code.c
set -eu
inflight=$1 program=$2 folder=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/inflight-assembled.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
cat >"$work/bin/ptxas" <<'EOF'
#!/bin/sh
# Says what it was asked, and gives the code that is kept.
echo "$@" >>"$CALLS"
test -z "${LD_AUDIT-}" || exit 3
test -z "${REFUSES-}" || { echo "ptxas fatal: $REFUSES"; exit 1; }
out=
while test $# -gt 0; do
    test "$1" = -o && out=$2
    shift
done
cp "$CODE" "$out"
EOF
chmod +x "$work/bin/ptxas"
export INFLIGHT_PTXAS="$work/bin/ptxas" CALLS="$work/calls" CODE="$folder/limited.sm_90.cubin" XDG_CACHE_HOME="$work/cache"
fail()
{
    echo "$1"
    cat "$work/err"
    exit 1
}
runs() # WHAT EXPECTED-IN-REPORT [OPTION...]
{
    what=$1 expected=$2
    shift 2
    "$inflight" run --json "$work/json" "$@" -- "$program" "$folder/limited.fatbin" >"$work/out" 2>"$work/err" ||
        fail "$what: exit status $?"
    grep -q "^32$" "$work/out" || fail "$what: 1 doubled five times is 32"
    tr -s '\n ' '  ' <"$work/err" | grep -q -e "$expected" || fail "$what: no '$expected'"
}
calls() { wc -l <"$CALLS"; }

runs "assembled" "Machine code (sm_90, assembled from PTX, .*it ran"
grep -q '"assembled": true' "$work/json" || fail "the JSON does not say that it was assembled"
grep -q -e "-arch=sm_90 .*-maxrregcount=40" "$CALLS" || fail "not its options: $(cat "$CALLS")"
runs "again" "Machine code (sm_90, assembled from PTX, .*it ran"
test "$(calls)" = 1 || fail "assembled $(calls) times"
"$inflight" analyze "$folder/limited.fatbin" --gpu h200 -g 4 -b 64 256 f32:2 f32x256=iota >"$work/err" 2>&1 || fail "analyze: $?"
grep -q "Machine code (sm_90, assembled from PTX, limited.fatbin): it ran" "$work/err" || fail "analyze runs other code"
runs "PTX asked for" "PTX instructions per warp" --code ptx
test "$(calls)" = 1 || fail "assembled although the PTX was asked for"

rm -r "$XDG_CACHE_HOME"
REFUSES=tired runs "refused" "the PTX ran instead of machine code: ptxas does not take it: ptxas fatal: tired"
INFLIGHT_PTXAS=none runs "no assembler" "PTX instructions per warp"
