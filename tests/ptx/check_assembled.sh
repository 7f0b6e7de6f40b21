#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every test of this folder, of patterns and of programs as the machine code that ptxas makes of it for an
# architecture: what the PTX is expected to leave, the machine code leaves too. What differs is in
# assembled.txt with its cause, and nothing else is there. Kernels that ptxas does not take for the
# architecture are left out.
# usage: check_assembled.sh RUN_TESTS SM        77 where there is no ptxas
set -eu
run=$1 sm=$2
cd "$(dirname "$0")/../.."
command -v ptxas >/dev/null || { echo "skipped: no ptxas"; exit 77; }
arch=sm_$sm
[ "$sm" -lt 90 ] || arch=sm_${sm}a
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# Without the kernels and functions in whose lines ptxas found errors; lines keep their numbers.
leave_out() {
    awk -v lines="$(sed -nE 's/.*, line ([0-9]+); error.*/\1/p' "$made/why" | tr '\n' ' ')" '
        BEGIN { n = split(lines, at, " "); for (i = 1; i <= n; i++) bad[at[i]] = 1 }
        { text[NR] = $0 }
        /^(\.visible |\.weak )*\.(entry|func)/ { first = NR }
        first { in_kernel[NR] = first; if (NR in bad) out[first] = 1 }
        /^}/ { first = 0 }
        END { for (i = 1; i <= NR; i++) print (in_kernel[i] in out) && text[i] !~ /^\/\// ? "" : text[i] }
    ' "$made/code.ptx" >"$made/less.ptx"
    ! cmp -s "$made/less.ptx" "$made/code.ptx" && mv "$made/less.ptx" "$made/code.ptx"
}

assemble() {
    until ptxas -arch="$arch" -o "$made/code.sm_$sm.cubin" "$made/code.ptx" >"$made/why" 2>&1; do
        sed -nE "s|.*, line [0-9]+; (error.*)|$1: without a kernel: \1|p" "$made/why" | head -1
        leave_out || { echo "$1: not assembled: $(head -1 "$made/why")"; return 1; }
    done
}

touch "$made/differ" "$made/assembled" "$made/all"
for file in tests/ptx/*.ptx tests/patterns/*.ptx tests/programs/*.ptx; do
    sed "s/^\.version .*/.version 9.0/; s/^\.target sm_[0-9a-z]*/.target $arch/" "$file" >"$made/code.ptx"
    assemble "$file" || continue
    grep -q '\.entry' "$made/code.ptx" || continue
    echo "$file" >>"$made/assembled"
    "$run" --once "$made/code.sm_$sm.cubin" "$file" >"$made/out" 2>&1 || true
    grep -q ' launches, [0-9]* failures$' "$made/out" || echo "$file:0: $(tail -1 "$made/out")" >>"$made/out"
    sed -nE "s|^($file:[0-9]+): .*|\1|p" "$made/out" >>"$made/differ"
    cat "$made/out" >>"$made/all"
done
sort -u "$made/differ" >"$made/found"
# FILE:LINE SM,SM,... CAUSE
sed -n '/^tests/p' tests/ptx/assembled.txt | while read -r place sms cause; do
    case ",$sms," in *",$sm,"*) echo "$place" ;; esac
done | sort -u >"$made/explained"
comm -23 "$made/found" "$made/explained" | while read -r place; do
    echo "not explained: $(grep -m1 -F "$place: " "$made/all")"
done
comm -13 "$made/found" "$made/explained" | sed 's/^/explained, and as expected: /'
echo "sm_$sm: $(wc -l <"$made/assembled") files, $(wc -l <"$made/found") expectations that differ"
cmp -s "$made/found" "$made/explained"
