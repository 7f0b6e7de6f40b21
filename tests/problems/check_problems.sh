#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each problem of problems.list: the remedy is advised, and first; without the fault nobody
# advises it, and the model says that it is faster. usage: check_problems.sh INFLIGHT
set -u
inflight=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 6
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "$name: $*"
    failures=$((failures + 1))
}

analyze() { # VERSION
    "$inflight" analyze "$here/$name.$1.launch" --json "$work/$1.json" >"$work/$1.txt" 2>&1 ||
        fail "$1 ended with $?: $(tail -n 2 "$work/$1.txt")"
}

# The rules of the advice, the best first.
rules_of() {
    awk -F'"' '/"advice": \[/ { inside = 1 } inside && $2 == "rule" { print $4 }' "$1"
}

time_of() {
    awk '$1 == "\"time_us\":" { print $2 + 0; exit }' "$1"
}

while read -r name rule; do
    case $name in
    '' | '#'*) continue ;;
    esac
    analyze slow
    analyze fast
    [ "$(rules_of "$work/slow.json" | head -n 1)" = "$rule" ] ||
        fail "slow: advised first: $(rules_of "$work/slow.json" | head -n 1), not $rule"

    ! rules_of "$work/fast.json" | grep -qx "$rule" || fail "fast: $rule is still advised"
    awk -v slow="$(time_of "$work/slow.json")" -v fast="$(time_of "$work/fast.json")" \
        'BEGIN { exit !(fast > 0 && fast < slow) }' || fail "the model does not find it faster"
done <"$here/problems.list"
[ "$failures" = 0 ]
