#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Loads past the L1 of eight words of a sector in a row: an H200's L2 gets 0.57 to 0.7 of the sectors, but of volatile loads all
# (docs/caches.md). ld.relaxed.gpu is the instruction that ld.cg is; in PTX and in machine code (LDG.STRONG.GPU).
# usage: check_past.sh INFLIGHT
set -eu
inflight=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() { # NAME LEAST MOST WORDS...: least and most share of the sectors that reaches the L2
    name=$1 least=$2 most=$3
    shift 3
    "$inflight" analyze "$@" --gpu h200 --json "$work/json" >/dev/null
    awk -v name="$name" -v least="$least" -v most="$most" '
        /"l1_load_sectors"/ { getline; asked = $2 + 0 }
        /"l2_read_sectors"/ { getline; got = $2 + 0 }
        END {
            printf "%s: %.0f of %.0f sectors reach the L2\n", name, got, asked
            exit !(asked > 0 && got >= least * asked && got <= most * asked)
        }' "$work/json"
}

"$inflight" lab lookup --version nol1_float --reduced --write-launches "$work" >/dev/null
for code in ptx machine; do
    check "nol1_float, $code" 0.45 0.75 "$work/lookup-nol1_float.launch" --code $code
done

# Each lane adds up the eight words of its own sector: kernel LOAD.
kernel() {
    {
        printf '.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 from, .param .u64 to)\n{\n'
        printf '.reg .b32 %%i, %%j, %%t;\n.reg .f32 %%s, %%x<8>;\n.reg .b64 %%a, %%b, %%o;\n'
        printf 'ld.param.u64 %%a, [from];\nld.param.u64 %%b, [to];\nmov.u32 %%i, %%ctaid.x;\nmov.u32 %%j, %%ntid.x;\nmov.u32 %%t, %%tid.x;\n'
        printf 'mad.lo.u32 %%i, %%i, %%j, %%t;\nmul.wide.u32 %%o, %%i, 32;\nadd.u64 %%a, %%a, %%o;\nmul.wide.u32 %%o, %%i, 4;\nadd.u64 %%b, %%b, %%o;\n'
        for i in 0 1 2 3 4 5 6 7; do printf '%s %%x%d, [%%a+%d];\n' "$1" $i $((4 * i)); done
        printf 'mov.f32 %%s, 0f00000000;\n'
        for i in 0 1 2 3 4 5 6 7; do printf 'add.f32 %%s, %%s, %%x%d;\n' $i; done
        printf 'st.global.f32 [%%b], %%s;\nret;\n}\n'
    } >"$work/k.ptx"
}
for load in ld.relaxed.gpu.global.f32 ld.global.cg.f32; do
    kernel $load
    check $load 0.45 0.75 "$work/k.ptx" -k k -g 64 -b 128 f32x65536=random f32x8192=zero --code ptx
done
kernel ld.volatile.global.f32
check ld.volatile.global.f32 1 1 "$work/k.ptx" -k k -g 64 -b 128 f32x65536=random f32x8192=zero --code ptx
