#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs each launch of tools/gpu/bulk_probe.cu, built into PROGRAM, under `inflight run` and holds what its copies ask of the L2
# against what an H200 counted, FIXTURE: a line a launch, what it is and then lts__t_sectors_srcunit_tex_op_read, requests of it,
# sectors and requests of _op_write, sectors of _op_red. Lines of FIXTURE's neighbour .off are known to differ, and must.
# usage: check_bulk.sh INFLIGHT PROGRAM FIXTURE
set -u
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-bulk.XXXXXX") || exit 1
trap 'rm -rf "$made"' EXIT
value() { sed -n "s/^.*\"$1\": *\([0-9]*\).*/\1/p" "$made/json" | head -n 1; }
number=0
while [ "$number" -lt "$(wc -l <"$3")" ]; do
    said=$("$1" run --gpu h200 --json "$made/json" -- "$2" "$number" 2>"$made/err") || { cat "$made/err"; exit 1; }
    echo "$said: $(value bulk_load_sectors) $(value bulk_load_requests) $(value bulk_store_sectors) $(value bulk_store_requests)" \
        "$(value bulk_reduction_sectors)" >>"$made/out"
    number=$((number + 1))
done
diff "$made/out" "$3" | sed -n 's/^> \(.*\): .*/\1/p' >"$made/apart"
grep -v '^#' "${3%.txt}.off" | sed 's/: .*//' | diff - "$made/apart" || { diff "$made/out" "$3"; exit 1; }
