#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs launches of tools/gpu/texture_probe.cu, built into PROGRAM, under `inflight run` and holds their requests and sectors of
# textures and surfaces against those that a GPU counted, FIXTURE in its folder: a line a launch, its number, what it is, requests, sectors.
# Every EACHth line is taken. Lines of FIXTURE's neighbour .off are known to differ, and must.
# usage: check_texture_counts.sh INFLIGHT PROGRAM FIXTURE EACH CODE      CODE: ptx or machine
set -u
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-textures.XXXXXX") || exit 1
trap 'rm -rf "$made"' EXIT
gpu=$(basename "$(dirname "$3")")
sum() { # of the launch's counters of this kind, which come before those of its lines
    sed -n '/"lines"/q; s/^.*"\(texture\|surface\)_[a-z]*_'"$1"'": *\([0-9]*\).*/\2/p' "$made/json" |
        awk '{ sum += $1 } END { print sum + 0 }'
}
awk -v each="$4" '(NR - 1) % each == 0' "$3" >"$made/wanted"
while read -r number name; do
    "$1" run --code "$5" --gpu "$gpu" --json "$made/json" -- "$2" one "$number" >/dev/null 2>"$made/err" </dev/null || {
        cat "$made/err"
        exit 1
    }
    echo "$number ${name%:*}: $(sum requests) $(sum sectors)" >>"$made/out"
done <"$made/wanted"
diff "$made/out" "$made/wanted" | sed -n 's/^> [0-9]* \(.*\): .*/\1/p' | LC_ALL=C sort >"$made/apart"
sed -n 's/^[0-9]* \(.*\): .*/\1/p' "$made/wanted" | LC_ALL=C sort >"$made/names"
grep -v '^#' "${3%.txt}.off" | LC_ALL=C sort | LC_ALL=C comm -12 - "$made/names" | diff - "$made/apart" || {
    diff "$made/out" "$made/wanted"
    exit 1
}
