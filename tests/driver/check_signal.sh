#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program that a signal ends, under `inflight run`: what it writes is WANT, and the shell sees the signal.
# usage: check_signal.sh INFLIGHT WANT PROGRAM
set -u
found=$("$1" run -- "$3" 2>/dev/null)
status=$?
test "$status" -eq 130 && test "$found" = "$2" || {
    echo "exit status $status, wrote: $found"
    exit 1
}
