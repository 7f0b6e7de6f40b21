#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program under `inflight run` and compares its standard output and its exit status, the last line, with what is
# expected. A .cu file is built first, with $NVCC into $PROGRAMS; its line "// nvcc: ..." gives further words, in which
# further files are beside it. With INFLIGHT empty it runs as it is, on a GPU.
# usage: check_program.sh PROGRAM EXPECTED
set -u
program=$1 expected=$2
case $program in
*.cu)
    program=$PROGRAMS/$(basename "$1" .cu)
    more=$(sed -n 's/^\/\/ nvcc: //p' "$1")
    cd "$(dirname "$1")" || exit 1
    # shellcheck disable=SC2086 # the words are words
    [ "$program" -nt "$1" ] || "$NVCC" -cudart shared -lineinfo -arch=sm_90 -o "$program" "$1" $more || exit 1
    ;;
esac
work=$(mktemp -d "${TMPDIR:-/tmp}/inflight-standin.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
${INFLIGHT:+"$INFLIGHT" run --} "$program" >"$work/out" 2>"$work/err"
echo "exit $?" >>"$work/out"
if ! diff -u "$expected" "$work/out"; then
    head -40 "$work/err"
    exit 1
fi
