#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Loads past the L1 (ld.cg; LDG.STRONG.GPU in machine code) of eight words of a sector in a row: an H200's L2 gets 0.57 to 0.7 of
# the sectors (docs/caches.md), whichever of the two runs. usage: check_past.sh INFLIGHT
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" lab lookup --version nol1_float --reduced --launches "$work" >/dev/null
for code in ptx machine; do
    "$1" analyze "$work/lookup-nol1_float.launch" --code $code --gpu h200 --json "$work/$code.json" >/dev/null
    awk -v code=$code '
        /"l1_load_sectors"/ { getline; asked = $2 + 0 }
        /"l2_read_sectors"/ { getline; got = $2 + 0 }
        END {
            printf "%s: %.0f of %.0f sectors reach the L2\n", code, got, asked
            exit !(got > 0.45 * asked && got < 0.75 * asked)
        }' "$work/$code.json"
done
