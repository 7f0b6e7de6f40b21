#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles kernels.cu here and in each folder of changes/ to kernels.ptx and kernels.cubin, as the tree keeps them, so that
# nothing else needs a compiler.
# usage: examples/gate/make.sh [NVCC]
set -eu
nvcc=${1:-nvcc}
cd "$(dirname "$0")"
for source in kernels.cu changes/*/kernels.cu; do
    folder=$(dirname "$source")
    (
        cd "$folder"
        "$nvcc" -ptx -lineinfo -arch=sm_90 -o raw.ptx kernels.cu
        # No path of this machine, no date.
        sed -E -e 's/^([[:space:]]*\.file[[:space:]]+[0-9]+[[:space:]]+")[^"]*\/([^"\/]+")/\1\2/' \
            -e '/^\/\/ (Compiler Build ID|Based on)/d' raw.ptx >kernels.ptx
        rm raw.ptx
        "$(dirname "$(command -v "$nvcc")")/ptxas" -arch=sm_90 -lineinfo -o kernels.cubin kernels.ptx
    )
done
