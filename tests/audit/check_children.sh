#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Children of a program have reports of their own: on standard error under their process number, and in files of their own.
# The program itself says where it came to no kernel.
# usage: check_children.sh INFLIGHT OPENER PROGRAM CALLER      PROGRAM launches kernels, CALLER none, OPENER as opener.c
set -eu
work=$(mktemp -d "${TMPDIR:-/tmp}/inflight-children.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
"$1" run --json a.b/r.json --html r -- "$2" 2>err && { echo "wrote into a folder that is not there"; exit 1; }
mkdir a.b
"$1" run --json a.b/r.json --html r -- "$2" fork exec "$3" 2>err
test ! -e a.b/r.json && test ! -e r # the program itself did nothing
grep -qx "inflight: $(basename "$2") did not load CUDA" err
child=$(sed -n 's/^process \([0-9]*\) (.*$/\1/p' err)
grep -q '"launches"' "a.b/r.$child.json"
grep -q '</html>' "r.$child"
test "$(ls a.b | wc -l)" -eq 1

# What the program becomes is no child.
"$1" run --json a.b/r.json -- "$2" exec "$3" 2>err
grep -q '"launches"' a.b/r.json
! grep '^process' err
! grep 'did not load CUDA' err

# One that calls CUDA, but launches nothing.
"$1" run -- "$4" >/dev/null 2>err
grep -qx 'inflight: no kernel was launched' err
