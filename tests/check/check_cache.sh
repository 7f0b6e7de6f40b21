#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is kept of earlier runs: nothing that did not change runs again, whatever changed does, and damage is no harm.
# usage: check_cache.sh EXAMPLE
set -u
. "$(dirname "$0")/project.sh"
make_project "$1"
sed -i '/pipeline/d' kernels.budget kernels.baseline

# check RUNS WHY: that so many runs are made.
check()
{
    "$INFLIGHT" check kernels.budget --cache "$T/cache" --json "$T/verdict.json" >"$T/out" 2>&1 || { cat "$T/out"; fail "it does not pass"; }
    made=$(sed -n 's/.*"runs_made": \([0-9]*\).*/\1/p' "$T/verdict.json")
    [ "$made" = "$1" ] || fail "$made runs were made, expected $1: $2"
}

check 4 "at first"
check 0 "nothing changed"
printf '# a comment\n' >>scale.launch
check 1 "a launch file changed"
cp kernels.ptx kept.ptx
echo '// a comment' >>kernels.ptx
check 3 "the PTX of three launches changed"
cp kept.ptx kernels.ptx
check 0 "the PTX is as it was"
echo '// a comment' >>kernels.cu
check 3 "the source that the reports quote changed"
find "$T/cache" -type f | while read -r entry; do echo '{' >"$entry"; done
check 4 "the entries are damaged"
rm -r "$T/cache"
check 4 "the folder is gone"
