#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program under `inflight run` writes EXPECTED to standard output ("|" for a new line), and ends with 0.
# usage: check_audit.sh INFLIGHT EXPECTED PROGRAM [ARGUMENT]...
set -eu
inflight=$1 expected=$(printf '%s' "$2" | tr '|' '\n')
shift 2
output=$("$inflight" run -- "$@") || { echo "exit status $?: $output"; exit 1; }
[ "$output" = "$expected" ] || { printf 'expected:\n%s\nfound:\n%s\n' "$expected" "$output"; exit 1; }
