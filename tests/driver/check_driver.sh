#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program under `inflight run` and compares its standard output with what is expected of it.
# usage: check_driver.sh INFLIGHT EXPECTED PROGRAM [ARGUMENT]...
set -eu
inflight=$1
expected=$2
shift 2
output=$(mktemp)
trap 'rm -f "$output"' EXIT
"$inflight" run --gpu "${GPU-h200}" ${OPTIONS-} -- "$@" >"$output"
diff "$expected" "$output"
