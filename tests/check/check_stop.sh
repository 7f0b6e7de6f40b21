#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Who ends a check ends its runs: none goes on, no folder stays, and nothing of it is kept. Takes nothing.
set -u
T=$(mktemp -d "${TMPDIR:-/tmp}/inflight-stop-test.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
failures=0
mkdir "$T/temporary" "$T/cache"
cp "$SOURCE/tests/against/endless.ptx" "$T/"
printf 'file = endless.ptx\ngrid = 1\nblock = 32\narg = u32x1=zero\narg = u32x1=zero\narg = u32x1=zero\n' >"$T/endless.launch"
printf 'run = endless.launch\nlimit = requests <= 5\n' >"$T/endless.budget"

runs()
{
    grep -lq "$T/temporary/" /proc/[0-9]*/cmdline 2>/dev/null
}

for signal in TERM KILL; do
    TMPDIR=$T/temporary "$INFLIGHT" check --cache "$T/cache" "$T/endless.budget" >"$T/out" 2>&1 &
    check=$!
    until runs; do sleep 0.1; done
    kill -$signal $check
    wait $check
    status=$?
    tries=0
    while runs || [ -n "$(ls "$T/temporary")" ]; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || { echo "after SIG$signal the run goes on, or there is: $(ls "$T/temporary")"; failures=1; break; }
        sleep 0.1
    done
    [ $signal = KILL ] || { [ $status = 130 ] && grep -q 'stopped: 0 of 1 runs' "$T/out"; } ||
        { echo "SIGTERM: exit status $status"; cat "$T/out"; failures=1; }
done
[ -z "$(find "$T/cache" -type f)" ] || { echo "a run that was ended is kept"; failures=1; }
exit $failures
