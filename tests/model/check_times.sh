#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The schedule of one SM against the H200's times of a case's versions: fails where the median error, the worst, or the share
# within 10 % is worse than it was.
# usage: check_times.sh TIME_LAB FOLDER CASE filled|zeros MOST_MEDIAN MOST_WORST LEAST_WITHIN_10 [VERSION]...      percent; FOLDER has CASE.lab
set -u
time_lab=$1 folder=$2 case=$3 floats=$4 median=$5 worst=$6 within=$7
shift 7
inputs=$(cd "$(dirname "$0")" && pwd)/inputs/$case.inputs
found=$(mktemp) && trap 'rm -f "$found"' EXIT
if [ $# -eq 0 ]; then
    "$time_lab" "$folder/$case.lab" "$inputs" h200 "$floats" >"$found" || exit 1
else
    for version; do "$time_lab" "$folder/$case.lab" "$inputs" h200 "$floats" "$version" >>"$found" || exit 1; done
fi
awk -v median="$median" -v worst="$worst" -v within="$within" '
    FNR == NR && $1 == "row" { row = NF > 3 ? "" : $3 } # of a sweep
    FNR == NR && $1 == "time_us" { measured[row] = $3 }
    FNR != NR && $1 == "row" { error = 100 * ($3 / measured[$2] - 1); print $2, $3, measured[$2], sprintf("%+.1f %%", error)
        e[++n] = error < 0 ? -error : error; close_ones += e[n] <= 10 }
    END {
        for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (e[j] < e[i]) { t = e[i]; e[i] = e[j]; e[j] = t }
        middle = n % 2 ? e[(n + 1) / 2] : (e[n / 2] + e[n / 2 + 1]) / 2
        printf "%d rows: median %.1f %%, worst %.0f %%, %.0f %% within 10 %%\n", n, middle, e[n], 100 * close_ones / n
        exit !(n && middle <= median && e[n] <= worst && 100 * close_ones >= within * n)
    }' "$folder/$case.h200.txt" "$found"
