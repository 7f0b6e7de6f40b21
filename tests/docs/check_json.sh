#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every key that the report has is in docs/json.md, in the order of its tables: of launches, lines, patterns, models, caches, findings
# and advice, in reports of PTX and of machine code, of both, of programs where INFLIGHT_PROGRAM names one, and of a GPU.
# usage: check_json.sh INFLIGHT SOURCE
set -eu
inflight=$1 source=$2
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
cd "$source/tests/cli/data"
{
    "$inflight" analyze copy.launch --gpu h200 --gpu b200 --json -
    "$inflight" analyze ../../machine/keep_quads.launch --gpu h200 --json -
    "$inflight" analyze ../../../lab/axpy/axpy.sm_90.ptx --machine ../../../lab/axpy/axpy.sm_90.cubin -k axpy_naive -g 64 -b 256 \
        i32:2^14 f32:2 f32x2^14=random:1 f32x2^14=random:2 --gpu h200 --code both --json -
    "$inflight" analyze ../../problems/uncoalesced.slow.launch -g 256,32 --gpu h200 --json -
    "$inflight" analyze ../../problems/bank_conflict.slow.launch -g 32,32 --gpu h200 --json -
    cat ../../gpu/h200/*.json
    if [ -n "${INFLIGHT_PROGRAM:-}" ]; then
        "$inflight" run --json "$T/run.json" -- "$INFLIGHT_PROGRAM" >/dev/null 2>&1
        cat "$T/run.json"
    fi
} >"$T/reports"
# From docs/json.md: SECTION KEY, in order; then of the reports each key with the path of its object.
awk '
    BEGIN { of["launches"] = "A launch"; of["lines"] = "A line"; of["pattern"] = "A pattern"; of["models"] = "A model"
            of["caches"] = "`caches` of a model"; of["findings"] = "A finding"; of["advice"] = "Advice" }
    FNR == NR && /^##/ { section = $0; sub(/^#+ */, "", section) }
    FNR == NR && /^\| `/ { split($0, cells, "|"); count = split(cells[2], words, "`")
                           for (i = 2; i <= count; i += 2) place[section, words[i]] = ++places }
    FNR == NR { next }
    { depth = match($0, /[^ ]/) }
    depth && substr($0, depth, 1) == "\"" {
        key = substr($0, depth + 1); sub(/".*/, "", key)
        name[depth] = key
        for (parent = depth - 1; parent > 0 && !(parent in opened); parent--) continue
        section = (opened[parent] in of) ? of[opened[parent]] : ""
        if (section) {
            if (!((section, key) in place)) say(section ": " key " is not in the document")
            else if (place[section, key] < last[depth]) say(section ": " key " comes before " previous[depth])
            last[depth] = place[section, key]; previous[depth] = key; seen[section]++
        }
    }
    depth && /[[{]$/ { opened[depth] = substr($0, depth, 1) == "\"" ? name[depth] : opened[up(depth)]; last_of(depth) }
    depth && /^ *[]}]/ { delete opened[depth] }
    function up(d,    p) { for (p = d - 1; p > 0 && !(p in opened); p--) continue; return p }
    function last_of(d,    i) { for (i = d + 1; i < d + 4; i++) last[i] = 0 }
    function say(text) { if (!(text in said)) print text; said[text] = 1; failed = 1 }
    END { for (o in of) if (!seen[of[o]]) { print "nothing was seen of: " of[o]; failed = 1 } exit failed }
' "$source/docs/json.md" "$T/reports"
