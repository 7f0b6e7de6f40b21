#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Handlers of the engine never fill the stack (cmake/tail_calls.cmake): built with gcc -Og they jump to each other, flags with
# which they could not are refused, and so is compiling them unasked. In this build, one block of 900,000 instructions runs.
# usage: check_tail_calls.sh INFLIGHT SOURCE [GCC]
set -eu
inflight=$1 source=$2 gcc=${3:-}
tree=$(mktemp -d "${TMPDIR:-/tmp}/inflight-jumps.XXXXXX")
trap 'rm -rf "$tree"' EXIT

fail() {
    echo "$*" >&2
    exit 1
}

awk 'BEGIN {
    print ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry long(.param .u64 y)\n{"
    print ".reg .f32 %f<2>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [y];\ncvta.to.global.u64 %rd2, %rd1;\nmov.f32 %f1, 0f00000000;"
    for (i = 0; i < 900000; i++)
        print "add.f32 %f1, %f1, 0f3f800000;"
    print "st.global.f32 [%rd2], %f1;\nret;\n}"
}' >"$tree/long.ptx"
"$inflight" analyze "$tree/long.ptx" -g 1 -b 1 f32x1=zero >"$tree/log" 2>&1 ||
    { tail -n 3 "$tree/log"; fail "a block of 900,000 instructions does not run"; }

test -n "$gcc" || exit 0
! "$gcc" -D_GNU_SOURCE -DIFL_WIDTH=base -I"$source/src" -I"$source/include" -Og -fsyntax-only \
    "$source/src/exec/width/exchange_handler.c" 2>"$tree/log" || fail "compiled with -Og without asking whether calls are jumps"
grep -q 'calls in tail position' "$tree/log" || { cat "$tree/log"; fail "the error does not say what is wrong"; }

configure() {
    cmake -G "Unix Makefiles" -S "$source" -B "$tree/build" -DCMAKE_C_COMPILER="$gcc" -DCMAKE_BUILD_TYPE=None -DBUILD_TESTING=OFF \
        -DINFLIGHT_WIDTHS=base -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_C_FLAGS="$1" >"$tree/log" 2>&1
}
configure -Og || { cat "$tree/log"; fail "does not configure with -Og"; }
command=$(sed -n 's/^ *"command": "\(.*exchange_handler[.]c\)",*$/\1/p' "$tree/build/compile_commands.json" | sed 's/\\\\//g;s/\\"/"/g' |
    sed 's/ -o [^ ]* -c / -S -o - /')
(cd "$tree/build" && sh -c "$command") >"$tree/code.s"
grep -qE '^\s(jmp\s+\*|br\s)' "$tree/code.s" || fail "built with -Og, no handler jumps: $command"
! grep -E '^\s(call\s+\*|blr\s)' "$tree/code.s" || fail "built with -Og, handlers call each other: $command"

! configure "-O2 -finstrument-functions" || fail "configures where calls cannot be jumps"
grep -q 'INFLIGHT_TAIL_CALLS=OFF' "$tree/log" || { cat "$tree/log"; fail "the error does not say what to do"; }
echo "tail calls: jumps with -Og, and an error where there are none"
