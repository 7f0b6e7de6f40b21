#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the case files named against the program in $INFLIGHT and compares line by line what it
# writes.
# A case file holds commands, each followed by what must come of it:
#     # comment
#     $ inflight analyze nothing.ptx      run by sh, in tests/cli/data; $T is a folder to write into
#     > a line of standard output
#     < page.txt                          standard output is the file tests/golden/page.txt
#     ! a line of standard error
#     ~ words                             somewhere on standard output or standard error
#     = 3                                 exit status; 0 where it is not given
# Without any '>' or '<' standard output must be empty; the same for '!' and standard error. A '~'
# lifts both.
set -u

here=$(cd "$(dirname "$0")" && pwd)
T=$(mktemp -d "${TMPDIR:-/tmp}/inflight-cli.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
mkdir "$T/bin" "$T/made"
ln -s "$INFLIGHT" "$T/bin/inflight"
PATH=$T/bin:$PATH
unset COLUMNS NO_COLOR
LC_ALL=C
export T PATH LC_ALL

failures=0 commands=0
command= place=

fail()
{
    failures=$((failures + 1))
    printf '%s: %s\n    $ %s\n' "$place" "$1" "$command"
}

compare()
{
    if ! cmp -s "$1" "$2"; then
        fail "$3 is not as expected (- expected, + found)"
        diff -u "$1" "$2" | sed -n '3,40s/^/    /p'
    fi
}

check_words()
{
    while IFS= read -r words; do
        if ! grep -qF -e "$words" "$T/out" "$T/err"; then
            fail "nowhere: $words"
            sed 's/^/    /' "$T/out" "$T/err" | head -20
        fi
    done <"$T/words"
}

# Runs the command read last, and compares.
finish()
{
    [ -n "$command" ] || return 0
    commands=$((commands + 1))
    (cd "$here/data" && sh -c "$command") >"$T/out" 2>"$T/err"
    found=$?
    [ "$found" = "$status" ] || fail "exit status $found, expected $status"
    if [ -s "$T/words" ]; then
        check_words
    fi
    if [ ! -s "$T/words" ] || [ -s "$T/want_out" ]; then
        compare "$T/want_out" "$T/out" "standard output"
    fi
    if [ ! -s "$T/words" ] || [ -s "$T/want_err" ]; then
        compare "$T/want_err" "$T/err" "standard error"
    fi
    command=
}

start()
{
    finish
    command=$1 place=$2 status=0
    : >"$T/want_out"
    : >"$T/want_err"
    : >"$T/words"
}

run_file()
{
    number=0
    while IFS= read -r line; do
        number=$((number + 1))
        rest=${line#??}
        case $line in
        '' | '#'*) ;;
        '$ '*) start "$rest" "$1:$number" ;;
        '>'*) printf '%s\n' "$rest" >>"$T/want_out" ;;
        '!'*) printf '%s\n' "$rest" >>"$T/want_err" ;;
        '< '*) cat "$here/../golden/$rest" >>"$T/want_out" ;;
        '~ '*) printf '%s\n' "$rest" >>"$T/words" ;;
        '= '*) status=$rest ;;
        *)
            command='' place=$1:$number
            fail "not a line of a case file: $line"
            ;;
        esac
    done <"$1"
    finish
}

for file in "$@"; do
    run_file "$file"
done
echo "$commands commands, $failures failures"
[ "$failures" = 0 ] && [ "$commands" -gt 0 ]
