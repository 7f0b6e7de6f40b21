#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which code of a program runs: machine code where there is some, what --code asks for, or what the variables of CUDA's own
# driver do (CUDA C++ Programming Guide, "CUDA Environment Variables": CUDA_FORCE_PTX_JIT, CUDA_DISABLE_PTX_JIT); --code comes first.
# usage: INFLIGHT=... check_code.sh FOLDER      FOLDER has reduction.bin (sm_90 and its PTX)
set -eu
folder=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/inflight-code.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

ran() { # WHAT COMMAND...: which counter of instructions the report has
    expected=$1
    shift
    rm -f r.json
    "$@" >out 2>err || true
    case $(grep -c '"ptx_instructions"' r.json) in 0) found=machine ;; *) found=ptx ;; esac
    test "$found" = "$expected" || { echo "$*: $found ran, expected $expected" >&2; exit 1; }
}
program=$folder/reduction.bin
ran machine "$INFLIGHT" run --json r.json -- "$program"
ran ptx "$INFLIGHT" run --code ptx --json r.json -- "$program"
ran machine "$INFLIGHT" run --code machine --json r.json -- "$program"
ran ptx env CUDA_FORCE_PTX_JIT=1 "$INFLIGHT" run --json r.json -- "$program"
ran machine env CUDA_FORCE_PTX_JIT=1 "$INFLIGHT" run --code machine --json r.json -- "$program"
ran machine env CUDA_DISABLE_PTX_JIT=1 "$INFLIGHT" run --json r.json -- "$program"
ran ptx env CUDA_DISABLE_PTX_JIT=1 "$INFLIGHT" run --code ptx --json r.json -- "$program"

# What a program lacks is told, and the program gets its driver's error.
"$INFLIGHT" run --gpu t4 --code ptx -- "$folder/reduction.bin" >out 2>err || true
grep -q "holds no PTX that the GPU compiles, and --code asks for it" err
"$INFLIGHT" run --gpu b200 --code machine -- "$folder/reduction.bin" >out 2>err || true
grep -q "has no machine code that sm_100 runs; it has machine code for sm_90" err
