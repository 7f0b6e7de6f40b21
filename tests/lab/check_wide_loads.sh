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

# Document 000: the bounds alone keep more in flight, which only the machine code shows: the PTX is the same.
in_flight() {
    "$1" analyze lab/wide-loads/wide_loads.sm_90.cubin -k "wide_loads_$2" -g 4 -b 1024 i32:4096 i32:64 i32:4096 \
        f64x64=random:1 f64x262144=random:2 f64x4096=none --gpu h200 --json - |
        awk '$1 == "\"bytes_in_flight_per_sm\":" { print int($2) }'
}
plain=$(in_flight "$1" plain) bounded=$(in_flight "$1" plain_bounded)
if [ "${plain:-0}" -le 0 ] || [ "${bounded:-0}" -lt $((2 * plain)) ]; then
    echo "wide-loads: $plain bytes in flight an SM, $bounded with launch bounds: twice as many were expected"
    status=1
fi
exit $status
