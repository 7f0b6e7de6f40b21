#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Is the session in README.md what the program prints now?
# usage: check_session.sh PROGRAM ROOT
cd "$2" || exit 1
shown=$(sed -n '/<!-- session: begin -->/,/<!-- session: end -->/p' README.md | sed -n 's/^    //p; /^$/p' |
    sed '1{/^$/d;}' | sed '${/^$/d;}')
made=$("$1" analyze lab/axpy/axpy_naive.launch) || exit 1
printf '%s\n' "$made" >"${TMPDIR:-/tmp}/session.$$"
printf '%s\n' "$shown" | diff - "${TMPDIR:-/tmp}/session.$$"
status=$?
rm -f "${TMPDIR:-/tmp}/session.$$"
exit $status
