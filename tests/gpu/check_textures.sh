#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program that prints what textures give, tools/gpu-textures.cu or tools/gpu/texture_levels.cu, built into PROGRAM, under
# `inflight run` and holds its lines against those of a GPU, FIXTURE: those that a script `keep` beside PROGRAM keeps, if there is
# one. Those that FIXTURE's neighbour .off names are known to differ, and must.
# usage: check_textures.sh INFLIGHT PROGRAM FIXTURE [CODE [GPU]]      CODE: ptx or machine (machine)
set -u
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-textures.XXXXXX") || exit 1
trap 'rm -rf "$made"' EXIT
"$1" run --code "${4:-machine}" --gpu "${5:-h200}" -- "$2" >"$made/all" 2>"$made/err" || {
    cat "$made/err"
    exit 1
}
keep=$(dirname "$2")/keep
if [ -x "$keep" ]; then "$keep"; else cat; fi <"$made/all" >"$made/out"
[ "$(wc -l <"$made/out")" -eq "$(wc -l <"$3")" ] || exit 1
diff "$made/out" "$3" >"$made/apart"
sed -n 's/^> \([^ ]*\) .*/\1/p' "$made/apart" | LC_ALL=C sort >"$made/names"
sed '/^#/d' "${3%.txt}.off" | LC_ALL=C sort | diff - "$made/names" || {
    cat "$made/apart"
    exit 1
}
