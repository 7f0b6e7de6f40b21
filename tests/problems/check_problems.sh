#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each problem of problems.list: the first screen names the remedy, the advice has it first; without the fault nobody
# advises it, and the model says that it is faster. usage: check_problems.sh INFLIGHT
set -u
inflight=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 6
trap 'rm -rf "$work"' EXIT
SCREEN=24 # lines of a terminal that nobody made larger
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

# Time × rate is what the launch reads and writes; what is in flight finds its place in an SM's L1.
check_figures() { # VERSION
    awk -v l1=262144 '$1 ~ /^"(time_us|dram_bytes_per_s|bytes_in_flight_per_sm)":$/ { value[$1] = $2 + 0 }
        $1 ~ /^"dram_(read|write)_bytes":$/ && $2 == "{" { inside = 1 }
        inside && $1 == "\"value\":" { moved += $2; inside = 0 }
        END { product = value["\"time_us\":"] * value["\"dram_bytes_per_s\":"] / 1e6
              if (product < 0.99 * moved || product > 1.01 * moved) print "time x rate: " product " bytes, not " moved
              if (value["\"bytes_in_flight_per_sm\":"] > l1) print value["\"bytes_in_flight_per_sm\":"] " bytes in flight" }' \
        "$work/$1.json" >"$work/off"
    [ ! -s "$work/off" ] || fail "$1: $(cat "$work/off")"
}

# "LOW HIGH [open]": what the advice promises of a rule.
gain_of() { # FILE RULE
    awk -F'"' -v rule="$2" '/"advice": \[/ { inside = 1 } inside && $2 == "rule" { found = $4 == rule }
        found && ($2 == "gain_low" || $2 == "gain_high") { gsub(/[:, ]/, "", $3); printf "%s ", $3 }
        found && $2 == "gain_is_open" { print "open" }' "$1"
}

# Each measured gain is in the promised range.
check_gain() { # RULE
    awk -v name="$name" -v gain="$(gain_of "$work/slow.json" "$1")" '
        BEGIN { split(gain, promised, " ") }
        $1 == name { for (i = 2; i < NF; i += 2) { measured = $i / $(i + 1); seen++
            if (measured < promised[1] || (measured > promised[2] && promised[3] != "open"))
                print "gains " measured " on an H200, promised: " gain } }
        END { if (seen != 2) print "measured " seen " times" }' "$here/h200.txt" >"$work/off"
    [ ! -s "$work/off" ] || fail "slow: $(cat "$work/off")"
}

# The predicted time beside an H200's: within a factor of 1.4.
check_time() { # VERSION COLUMN
    awk -v name="$name" -v column="$2" -v predicted="$(time_of "$work/$1.json")" \
        '$1 == name { measured = $column } END { exit !(predicted > measured / 1.4 && predicted < measured * 1.4) }' \
        "$here/h200.txt" || fail "$1: predicted $(time_of "$work/$1.json") µs"
}

while read -r name rule; do
    case $name in
    '' | '#'*) continue ;;
    esac
    analyze slow
    analyze fast
    [ "$(rules_of "$work/slow.json" | head -n 1)" = "$rule" ] ||
        fail "slow: advised first: $(rules_of "$work/slow.json" | head -n 1), not $rule"
    head -n $SCREEN "$work/slow.txt" | grep -q "($rule;" || fail "slow: the first screen does not name $rule"
    check_figures slow
    check_figures fast
    check_time slow 4
    check_time fast 5
    check_gain "$rule"
    ! rules_of "$work/fast.json" | grep -qx "$rule" || fail "fast: $rule is still advised"
    awk -v slow="$(time_of "$work/slow.json")" -v fast="$(time_of "$work/fast.json")" \
        'BEGIN { exit !(fast > 0 && fast < slow) }' || fail "the model does not find it faster"
done <"$here/problems.list"
[ "$failures" = 0 ]
