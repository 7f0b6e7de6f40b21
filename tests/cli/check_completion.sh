#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a shell offers for the lines of completion.list: `LINE|WORDS`, in any order, an option before '=' left out.
# usage: INFLIGHT=... check_completion.sh ROOT SHELL [OPTION]...
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$1
shift
T=$(mktemp -d "${TMPDIR:-/tmp}/inflight-completion.XXXXXX")
trap 'rm -rf "$T"' EXIT
ln -s "$INFLIGHT" "$T/inflight"
PATH=$T:$PATH HOME=$T
export PATH HOME
kind=$(basename "$1")
cd "$here/data"
cut -d'|' -f1 "$here/completion.list" >"$T/lines"
"$@" "$here/completion.$kind" "$root/completion/inflight.$kind" <"$T/lines" >"$T/offered"
sed 's/^[^>]*> *//' "$T/offered" | while IFS= read -r words; do
    for word in $words; do
        word=${word##*=}
        echo "${word%/}"
    done | LC_ALL=C sort | paste -sd' ' -
done >"$T/words"
paste -d'|' "$T/lines" "$T/words" | diff "$here/completion.list" -
