#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs each launch of tools/gpu/bulk_probe.cu, built into PROGRAM, under `inflight run` and holds what its copies ask of the L2
# against what an H200 counted, FIXTURE: a line a launch, what it is and then lts__t_sectors_srcunit_tex_op_read, requests of it,
# sectors and requests of _op_write, sectors of _op_red. Lines of FIXTURE's neighbour .off are known to differ, and must.
# usage: check_bulk.sh INFLIGHT PROGRAM FIXTURE
set -u
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-bulk.XXXXXX") || exit 1
trap 'rm -rf "$made"' EXIT
values() { # NAME...: of the launch, whose counters come before those of its lines
    awk -v names="$*" -F'[":, ]+' '$2 ~ /^bulk_/ && !($2 in value) { value[$2] = $3 } /"lines"/ { exit }
        END { count = split(names, name, " "); for (i = 1; i <= count; i++) printf " %s", value[name[i]]; print "" }' "$made/json"
}
number=0
launches=$(wc -l <"$3")
while [ "$number" -lt "$launches" ]; do
    said=$("$1" run --gpu h200 --json "$made/json" -- "$2" "$number" 2>"$made/err") || { cat "$made/err"; exit 1; }
    echo "$said:$(values bulk_load_sectors bulk_load_requests bulk_store_sectors bulk_store_requests bulk_reduction_sectors)" >>"$made/out"
    number=$((number + 1))
done
diff "$made/out" "$3" | sed -n 's/^> \(.*\): .*/\1/p' >"$made/apart"
grep -v '^#' "${3%.txt}.off" | sed 's/: .*//' | diff - "$made/apart" || { diff "$made/out" "$3"; exit 1; }
