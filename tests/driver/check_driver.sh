#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program under `inflight run` and compares its standard output with what is expected of it.
# usage: check_driver.sh INFLIGHT PROGRAM EXPECTED
set -eu
output=$(mktemp)
trap 'rm -f "$output"' EXIT
"$1" run --gpu h200 -- "$2" >"$output"
diff "$3" "$output"
