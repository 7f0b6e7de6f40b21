#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What remedies gained on an H100 and what is foretold: the median of the errors, and the direction.
# usage: check_pairs.sh INFLIGHT MEASURED LIST...   MEASURED: tools/gpu/pairs/h100.txt; LIST: pairs.txt
set -u
inflight=$1 measured=$2
shift 2
folder=$(dirname "$1")
work=$(mktemp -d) || exit 6
trap 'rm -rf "$work"' EXIT

# "NAME BEFORE AFTER" of the last time that it was measured, 16 launches in a row.
sed -n 's/^# //; s/^later //p' "$measured" >"$work/measured"

# gain RULE: what is foretold for it
gain() {
    awk -F'"' -v rule="$1" '/"advice": \[/ { inside = 1 } inside && $2 == "rule" { now = $4 }
        inside && $2 == "gain" && now == rule { gsub(/[:, ]/, "", $3); print $3; exit }' "$work/report.json"
}

cat "$@" | while read -r name rule words; do
    case $name in '' | '#'*) continue ;; esac
    cubin=$folder/$name.sm_90.cubin
    [ -f "$cubin" ] || cubin=$folder/pairs/$name.sm_90.cubin
    # shellcheck disable=SC2086 # the words of a launch
    "$inflight" analyze "$cubin" $words --gpu h100 --json "$work/report.json" >"$work/text" 2>&1 || cat "$work/text" >&2
    echo "$name $rule $(gain "$rule")"
    rm -f "$work/report.json"
done >"$work/foretold"

awk 'FNR == NR { gave[$1] = $2 / $3; next }
    NF < 3 || !($1 in gave) { print $1 ": " $2 " is not told, or was not measured"; bad++; next }
    {
        error = 100 * ($3 / gave[$1] - 1)
        printf "%-16s %-22s foretold %6.2f measured %6.2f %+4.0f %%\n", $1, $2, $3, gave[$1], error
        wrong += ($3 - 1) * (gave[$1] - 1) < 0
        e[++n] = error < 0 ? -error : error
    }
    END {
        for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (e[j] < e[i]) { t = e[i]; e[i] = e[j]; e[j] = t }
        middle = n % 2 ? e[(n + 1) / 2] : (e[n / 2] + e[n / 2 + 1]) / 2
        printf "%d pairs: median %.1f %%, worst %.0f %%, %d in the wrong direction\n", n, middle, e[n], wrong
        exit bad || !n || middle > 12 || wrong > 1
    }' "$work/measured" "$work/foretold"
