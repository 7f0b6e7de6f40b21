#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Of 2,640 blocks that fetch work from a queue (queue.cu) 40 get some: 50,000 products, each of which waits for the one before it, 4 cycles (their
# stall counts): 101 us at an H200's 1.98 GHz, and no more than a fifth of that for the loop.
# usage: check_queue.sh INFLIGHT CUBIN
set -u
inflight=$1 cubin=$2
made=$(mktemp -d "${TMPDIR:-/tmp}/inflight-queue.XXXXXX") || exit 1
trap 'rm -rf "$made"' EXIT
"$inflight" analyze "$cubin" -k fetches -g 2640 -b 64 i32x1=zero f32x64=zero i32:40 i32:50000 --gpu h200 --json "$made/json" >/dev/null || exit 1
us=$(sed -n '/"models"/,$s/.*"time_us": \([0-9.]*\).*/\1/p' "$made/json" | head -n 1)
awk -v us="$us" 'BEGIN { printf "%s us, 101 for the products alone\n", us; exit !(us > 101 && us < 121) }'
