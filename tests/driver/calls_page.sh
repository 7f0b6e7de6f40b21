#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/calls.md, from the tables of names (src/standin/*_call.def) and from what the libraries have: calls that are not served
# are weak there. Says whether PAGE is what it should be, and with `write` makes it so.
# usage: calls_page.sh ROOT PAGE LIBCUDA LIBCUDART11 LIBCUDART12 LIBCUDART13 [write]
set -eu
root=$1 page=$2 driver=$3
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-calls-page.XXXXXX")
trap 'rm -rf "$made"' EXIT

served() { # LIBRARY
    nm -D --defined-only "$1" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort
}
names() { # DEF: "name" or "name version"; those with _ptsz and _ptds are the same call
    sed -n 's/^CALL(\([A-Za-z0-9_]*\)\(, \([0-9]*\)\)\{0,1\})$/\1 \3/p' "$1" | grep -vE '_pt[ds][sz] ' | LC_ALL=C sort
}

served "$driver" >"$made/driver"
for version in 11 12 13; do
    shift
    served "$3" >"$made/$version"
done
{
    cat <<'END'
# CUDA's calls under inflight run

All calls of the runtime and of the driver, from the tables that the libraries are generated from
(`tests/driver/calls_page.sh`). A refused call stops the program with its name and exit status 4. The variants of a call
whose names end in `_ptsz` or `_ptds`, for the default stream of each thread, are served if the call is.

END
    names "$root/src/standin/cudart_call.def" | awk -v folder="$made" '
        function read(file, set,    name) { while ((getline name < file) > 0) set[name] = 1 }
        BEGIN { read(folder "/11", a); read(folder "/12", b); read(folder "/13", c) }
        {
            all++; count += $1 in c
            rows = rows "| " $1 " | " ($1 in a ? "served" : "refused") " | " ($1 in b ? "served" : "refused") " | " \
                   ($1 in c ? "served" : "refused") " |\n"
        }
        END {
            print "## The runtime: " count " of " all " are served to programs of CUDA 13\n"
            print "| call | CUDA 11 | CUDA 12 | CUDA 13 |\n|---|---|---|---|"
            print rows
        }'
    names "$root/src/standin/driver_call.def" | awk -v folder="$made" '
        BEGIN { while ((getline name < (folder "/driver")) > 0) is[name] = 1 }
        {
            all++; count += $1 in is
            since = $2 ? int($2 / 1000) "." int($2 % 1000 / 10) : ""
            rows = rows "| " $1 " | " since " | " ($1 in is ? "served" : "refused") " |\n"
        }
        END {
            print "## The driver: " count " of " all " are served\n"
            print "`cuGetProcAddress` returns a call to programs that ask for the version in the second column or a newer one.\n"
            print "| call | since CUDA | |\n|---|---|---|"
            printf "%s", rows
        }'
} >"$made/page"
if test "${4-}" = write; then
    cp "$made/page" "$page"
elif ! cmp -s "$made/page" "$page"; then
    echo "$page is stale: give this script the same words and write"
    diff "$page" "$made/page" | head -40
    exit 1
fi
