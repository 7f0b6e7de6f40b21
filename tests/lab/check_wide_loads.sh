#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Is the table in lab/wide-loads/notes.md what inflight sass says of the kernels beside it? A cell is
# registers · exposed latencies · registers reused, of the first innermost loop that loads from
# global memory and stores nothing there. With --print the rows are printed instead.
# usage: check_wide_loads.sh PROGRAM ROOT [--print]
cd "$2" || exit 1
print=${3-}

# The first matching loop of the JSON report, which has a key a line.
cell() {
    "$1" sass "lab/wide-loads/wide_loads.$2.cubin" -k "wide_loads_$3" --json - |
        awk '
        function value(    text) { text = $2; sub(/,$/, "", text); return text }
        function take() {
            if (!done && innermost && loads && !stores) {
                print registers " · " exposed " · " reused
                done = 1
            }
            innermost = loads = stores = 0
        }
        $1 == "\"registers\":" { registers = value() }
        $1 == "\"blocks\":" { take() }
        $1 == "\"header_offset\":" { take() }
        $1 == "\"innermost\":" { innermost = value() == "true" }
        $1 == "\"exposed_latencies\":" { exposed = value() }
        $1 == "\"register_reuses\":" { reused = value() }
        $1 == "\"global_loads\":" { loads = 1 }
        $1 == "\"global_stores\":" { stores = 1 }'
}

status=0
for version in plain small both plain_bounded small_bounded both_bounded plain_halves small_halves both_halves; do
    cells="$(cell "$1" sm_80 $version) | $(cell "$1" sm_90 $version) | $(cell "$1" sm_100 $version) |"
    if [ -n "$print" ]; then
        echo "| $version | $cells"
    elif ! grep -qE "^\| $version \| .* \| $cells\$" lab/wide-loads/notes.md; then
        echo "lab/wide-loads/notes.md: $version is now: $cells"
        status=1
    fi
done
exit $status
