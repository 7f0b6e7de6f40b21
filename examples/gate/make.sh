#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles kernels.cu as it is, and as each patch of changes/ leaves it, to kernels.ptx and kernels.cubin, as the tree keeps
# them, so that nothing else needs a compiler.
# usage: examples/gate/make.sh [NVCC]
set -eu
nvcc=${1:-nvcc}
cd "$(dirname "$0")"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

compile() { # SOURCE FOLDER
    "$nvcc" -ptx -lineinfo -arch=sm_90 -o "$made/raw.ptx" "$1"
    # No path of this machine, no date.
    sed -E -e 's/^([[:space:]]*\.file[[:space:]]+[0-9]+[[:space:]]+")[^"]*\/([^"\/]+")/\1\2/' \
        -e '/^\/\/ (Compiler Build ID|Based on)/d' "$made/raw.ptx" >"$2/kernels.ptx"
    (cd "$2" && "$(dirname "$(command -v "$nvcc")")/ptxas" -arch=sm_90 -lineinfo -o kernels.cubin kernels.ptx)
}

compile kernels.cu .
for change in changes/*/change.patch; do
    grep -q '^+++ kernels.cu' "$change" || continue
    cp kernels.cu "$made/"
    patch -s -d "$made" kernels.cu <"$change"
    compile "$made/kernels.cu" "$(dirname "$change")"
done
