#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program under `inflight run` and compares its standard output and its exit status, the last line, with what is
# expected. A .cu file is built first with $NVCC into $PROGRAMS, as nvcc links by default, with the runtime inside, by way of the
# compiler cache $LAUNCHER where there is one, which takes what is compiled and not linked; its line
# "// nvcc: ..." gives further words, in which further files are beside it, its line "// run: ..." options of `inflight run`;
# standard error must have each line of NAME.told somewhere. "// library: FILE" is built too, as PROGRAM-library.so. Of a
# program that is built already SOURCE is the file with these lines and OPTIONS are further options; what is told of source
# lines and functions is not expected of it. With INFLIGHT empty the program runs as it is, on a GPU.
# usage: check_program.sh PROGRAM EXPECTED
set -u
build() { # PROGRAM SOURCE WORDS...
    built=$1 from=$2
    shift 2
    case "${LAUNCHER:-} $*" in
    ' '* | *.cu*) "$NVCC" -lineinfo -o "$built" "$from" "$@" ;;
    *) "$LAUNCHER" "$NVCC" -lineinfo -c -o "$built.o" "$from" "$@" && "$NVCC" -o "$built" "$built.o" "$@" ;;
    esac
}

program=$1 expected=$2 source=${SOURCE:-/dev/null} unknown='[.]cu:\|^launched from'
case $program in
*.cu)
    program=$PROGRAMS/$(basename "$1" .cu) source=$1 unknown='^$'
    more=$(sed -n 's/^\/\/ nvcc: //p' "$1")
    library=$(sed -n "s/^\/\/ library: //p" "$1")
    cd "$(dirname "$1")" || exit 1
    [ -z "$library" ] || "$NVCC" -Xcompiler -fPIC -shared -arch=sm_90 -o "$program-library.so" "$library" ||
        exit 1
    case $more in *-gencode*) ;; *) more="-arch=sm_90 $more" ;; esac
    # shellcheck disable=SC2086 # the words are words
    [ "$program" -nt "$1" ] || build "$program" "$1" $more || exit 1
    ;;
esac
options="$(sed -n 's/^\/\/ run: //p' "$source") ${OPTIONS:-}"
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-standin.XXXXXX") || exit 1
trap 'rm -rf "$made"' EXIT
[ "$source" = /dev/null ] || grep -v "$unknown" "${expected%.expected}.told" >"$made/told" 2>/dev/null
# shellcheck disable=SC2086 # the words are words
${INFLIGHT:+"$INFLIGHT" run $options --} "$program" >"$made/out" 2>"$made/err"
echo "exit $?" >>"$made/out"
if ! diff -u "$expected" "$made/out"; then
    head -40 "$made/err"
    exit 1
fi
[ -n "$INFLIGHT" ] && [ -f "$made/told" ] || exit 0
while read -r line; do
    grep -qF -e "$line" "$made/err" && continue
    echo "standard error does not say: $line"
    cat "$made/err"
    exit 1
done <"$made/told"
