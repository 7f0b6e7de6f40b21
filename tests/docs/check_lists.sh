#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How many lines lists of the tests have, as docs/ says it.
# usage: check_lists.sh ROOT
set -u
cd "$1" || exit 1
failures=0

# says DOCUMENT TEXT LIST PATTERN: TEXT, in which %d stands for the lines of LIST with PATTERN that are no comments.
says() {
    # shellcheck disable=SC2059
    text=$(printf "$2" "$(grep -v '^#' "$3" | grep -c -- "$4")")
    grep -qF -- "$text" "docs/$1" && return
    printf 'docs/%s does not say "%s" of %s\n' "$1" "$text" "$3"
    failures=$((failures + 1))
}

says machine-code.md 'but for %d expectations that' tests/ptx/assembled.txt .
says fidelity.md '| `tests/gpu/h200/explained-machine.txt` | %d | 4 | which of the lanes' tests/gpu/h200/explained-machine.txt 'run first'
says fidelity.md '| `tests/gpu/h200/cubins/explained-machine.txt` | %d |' tests/gpu/h200/cubins/explained-machine.txt 'matter of time'
says fidelity.md '| the same | %d | 1 | in which order' tests/gpu/h200/cubins/explained-machine.txt COLLECTIVE
says fidelity.md '%d differ, in 10 launches' tests/gpu/h200/explained.txt .
[ "$failures" = 0 ]
