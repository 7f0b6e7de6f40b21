#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# builds vendor_libraries.cu with the nvcc of this machine and runs it: results as expected, and kernels of the libraries in the report.
# usage: check_libraries.sh INFLIGHT SOURCES
set -eu
inflight=$1 sources=$2
nvcc=$(command -v nvcc || ls -d /usr/local/cuda/bin/nvcc 2>/dev/null || true)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "$nvcc" ] || ! "$nvcc" -arch=sm_90 -o "$work/libraries" "$sources/vendor_libraries.cu" -lcublas -lcusparse -lcusolver -lcurand -lcufft \
    >"$work/build" 2>&1; then
    echo "SKIPPED: no nvcc, or no libraries for it"
    exit 77
fi
LD_LIBRARY_PATH=$(dirname "$nvcc")/../lib64:$(dirname "$nvcc")/../lib
export LD_LIBRARY_PATH
"$inflight" run --json "$work/report.json" -- "$work/libraries" >"$work/output" 2>"$work/errors" || {
    echo "exit status $?"
    tail -n 20 "$work/errors"
    exit 1
}
diff "$sources/vendor_libraries.expected" "$work/output"
if grep "inflight: error" "$work/errors"; then exit 1; fi
grep -q '"kernel": *"[^"]*gemm' "$work/report.json"
kernels=$(grep -o '"kernel": *"[^"]*"' "$work/report.json" | sort -u | wc -l)
[ "$kernels" -ge 30 ] || { echo "$kernels kernels of the libraries ran: there were 35"; exit 1; }
