#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernels of products alone are limited by the tensor cores, in PTX and in machine code alike; one that waits for the DRAM is not.
# An H200's tensor cores do 4,096 operations on halves a cycle and SM, at 1.98 GHz (devices/h200.gpu).
# usage: check_tensor.sh INFLIGHT FOLDER [KERNEL]      that kernel alone
set -eu
inflight=$1 folder=$2 only=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() { # KERNEL LIMITER PRODUCTS: of all warps; WORDS...
    kernel=$1 limiter=$2 products=$3
    shift 3
    test "${only:-$kernel}" = "$kernel" || return 0
    for code in ptx cubin; do
        "$inflight" analyze "$folder/products.sm_90a.$code" -k "$kernel" -g 264 -b 256 "$@" --gpu h200 --json "$work/json" >"$work/text"
        awk -v name="$kernel, $code" -v limiter="\"$limiter\"," -v products="$products" '
            $1 == "\"limiter\":" { told = $2 }
            $1 == "\"tensor\":" { us = $2 + 0 }
            $1 == "\"tensor_utilization\":" { share = $2 + 0 }
            $1 == "\"time_us\":" && !time { time = $2 + 0 }
            END {
                peak = 2 * products / (4096 * 132 * 1.98e9) * 1e6 # microseconds
                printf "%s: %s %.2f of %.2f us, %.2f at the peak\n", name, told, us, time, peak
                exit !(told == limiter && us > 0.99 * peak && us < 1.7 * peak && share > 0.99 * us / time && share < 1.01 * us / time)
            }' "$work/json"
        if [ "$limiter" = tensor ]; then
            tr -s ' \n' '  ' <"$work/text" | grep -q 'h200: limited by tensor, .* keep the tensor cores busy for [78]. % of the time' || exit 1
        fi
    done
}

check group_products tensor $((264 * 2 * 32 * 4 * 64 * 64 * 16)) f32x67584=zero i32:32
check warp_products tensor $((264 * 8 * 64 * 8 * 16 * 8 * 16)) f32x67584=zero i32:64
check thin_products DRAM $((264 * 8 * 32 * 16 * 8 * 16)) u32x8650752=zero f32x67584=zero i32:32
