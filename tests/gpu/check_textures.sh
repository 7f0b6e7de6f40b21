#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs tools/gpu-textures.cu, built into PROGRAM, under `inflight run` and holds its lines against those of an H200, FIXTURE. Those
# that FIXTURE's neighbour .off names are known to differ, and must.
# usage: check_textures.sh INFLIGHT PROGRAM FIXTURE [CODE]      CODE: ptx or machine (machine)
set -u
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-textures.XXXXXX") || exit 1
trap 'rm -rf "$made"' EXIT
"$1" run --code "${4:-machine}" --gpu h200 -- "$2" >"$made/out" 2>"$made/err" || {
    cat "$made/err"
    exit 1
}
[ "$(wc -l <"$made/out")" -eq "$(wc -l <"$3")" ] || exit 1
diff "$made/out" "$3" >"$made/apart"
sed -n 's/^> \([^ ]*\) .*/\1/p' "$made/apart" | LC_ALL=C sort >"$made/names"
sed '/^#/d' "${3%.txt}.off" | LC_ALL=C sort | diff - "$made/names" || {
    cat "$made/apart"
    exit 1
}
