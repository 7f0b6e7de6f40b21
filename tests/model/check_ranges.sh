#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The ranges of predicted times are what measured times say: of each class's kernels nine in ten are within its row of
# range.def, and as many above as below, and the row names how many they are.
# usage: check_ranges.sh RANGE_DEF MEASURED      MEASURED: "CLASS MEASURED_US PREDICTED_US PROGRAM KERNEL"
set -u
sed -n 's/^RANGE(\([a-z0-9_]*\), \([0-9.]*\), \([0-9.]*\), "\(.*\)")/\1 \2 \3 \4/p' "$1" | awk '
    NR == FNR { low[$1] = $2; high[$1] = $3; count[$1] = 0; for (i = 4; i <= NF; i++) if ($(i + 1) == "kernels" || $(i + 1) == "kernels,") count[$1] = $i; next }
    /^#/ { next }
    { n[$1]++; below[$1] += $2 / $3 < low[$1]; above[$1] += $2 / $3 > high[$1] }
    END {
        for (class in n) {
            inside = 100 * (1 - (below[class] + above[class]) / n[class])
            printf "%s: %d kernels, %.0f %% within %s to %s, %d below, %d above\n", class, n[class], inside, low[class], high[class], below[class], above[class]
            if (!low[class] || inside < 87 || inside > 94 || below[class] > 0.08 * n[class] || above[class] > 0.08 * n[class] || count[class] != n[class]) failed = 1
            classes++
        }
        exit failed || classes != 4
    }' - "$2"
