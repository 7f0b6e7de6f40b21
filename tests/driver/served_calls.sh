#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The calls of the driver that are served, as libcuda.so.1 has them: those that are not are weak. Prints the list as
# docs/driver.md holds it; with PAGE, says whether the page holds it, and with `write` puts it there.
# usage: served_calls.sh LIBCUDA [PAGE [write]]
set -eu
list=$(nm -D --defined-only "$1" | awk '$2 == "T" { name = $3; sub(/_pt[ds][sz]$/, "", name); print name }' |
    LC_ALL=C sort -u | paste -sd ' ' | fold -s -w 116 | sed 's/ *$//')
test $# -gt 1 || { echo "$list"; exit 0; }
fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
LIST=$list awk '/^<!-- served -->/ { print; print ENVIRON["LIST"]; skip = 1 } /^<!-- end -->/ { skip = 0 } !skip' "$2" |
    awk '!(/^<!-- served -->/ && seen++)' >"$fresh"
if test "${3-}" = write; then
    cat "$fresh" >"$2"
elif ! cmp -s "$fresh" "$2"; then
    echo "$2 is stale: $0 $1 $2 write"
    diff "$2" "$fresh" || exit 1
fi
