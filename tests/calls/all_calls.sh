#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every call that a library serves has a row of words. Left out are those with _ptsz or _ptds, which are others under
# another name, those that check_calls makes without a row, those that take no word, and those of without_words.txt.
# usage: all_calls.sh CHECK_CALLS LIBRARY...
set -eu
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-calls.XXXXXX")
trap 'rm -rf "$made"' EXIT
here=$(dirname "$0")
{ "$1" --names; grep -v '^#' "$here/without_words.txt"; } | sort -u >"$made/rows"
shift
for library; do
    nm -D --defined-only "$library" | sed -n 's/.* T \([a-zA-Z0-9_]*\).*/\1/p'
done | grep -vE '_pt[sd][sz]$|^__cuda(Register|Unregister|InitModule|PushCall)|^cudaGet(ErrorName|ErrorString|LastError)$|^cudaPeekAtLastError$' |
    sort -u >"$made/served"
if comm -13 "$made/rows" "$made/served" | grep .; then
    echo "the calls above are served, and have no row"
    exit 1
fi
