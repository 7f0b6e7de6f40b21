#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the fixtures and what the tests expect of them, with NVIDIA's tools: nvcc, ptxas and
# nvdisasm of CUDA 13, and where PTXAS_11 and PTXAS_12 name one, an older ptxas. No test needs it.
# usage: tests/cubin/make.sh
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# PTX for TARGET, of PTX VERSION, whose files have no folders.
ptx() {
    sed "s/^\.target sm_90/.target $1/; s/^\.version .*/.version $2/; s#\"/.*/kernels.cu\"#\"kernels.cu\"#" \
        "$work/$3.ptx"
}

# What ptxas says of NAME, without the times; what nvdisasm says of its lines and exits. Each block
# of nvdisasm's "//## File" lines (the line, and where it is inlined) becomes OFFSET FILE:LINE...
expect() {
    sed '/Compile time/d; /gmem/d' "$work/$1.log" >"$1.ptxas.txt"
    nvdisasm -gi "$1.cubin" | awk '
        /^\.text\./ { sub(/^\.text\./, ""); sub(/:$/, ""); print "kernel", $0; code = 1; chain = "" }
        /^\t\.section/ { code = 0 }
        !code { next }
        /\/\/## File/ {
            split($0, quoted, "\"")
            split(quoted[3], words, " ")
            chain = chain " " quoted[2] ":" words[3]
        }
        /^ *\/\*[0-9a-f]+\*\// {
            offset = substr($0, index($0, "/*") + 2)
            sub(/\*\/.*/, "", offset)
            print offset chain
            if ($0 ~ /[ \t]EXIT/)
                print "exit", offset
            chain = ""
        }' >"$1.lines.txt"
}

# assemble NAME TARGET PTX-VERSION PTX PTXAS
assemble() {
    ptx "$2" "$3" "$4" >"$work/kernels.ptx"
    (cd "$work" && "$5" -v -arch="$2" kernels.ptx -o cubin) 2>"$work/$1.log"
    mv "$work/cubin" "$1.cubin"
    expect "$1"
}

nvcc -arch=sm_90 -lineinfo -ptx kernels.cu -o "$work/lines.ptx"
nvcc -arch=sm_90 -ptx kernels.cu -o "$work/plain.ptx"
version=$(sed -n 's/^\.version //p' "$work/lines.ptx")
for target in sm_75 sm_80 sm_90 sm_100 sm_120; do
    assemble "$target" "$target" "$version" lines ptxas
done
for target in sm_75 sm_90 sm_120; do
    assemble "plain_$target" "$target" "$version" plain ptxas
done
[ -z "${PTXAS_11:-}" ] || assemble cuda11_sm_80 sm_80 7.4 lines "$PTXAS_11"
[ -z "${PTXAS_12:-}" ] || assemble cuda12_sm_90 sm_90 7.8 lines "$PTXAS_12"

# Programs: machine code for several targets, packed; functions linked from two files, and one of
# those files before that.
nvcc -cudart shared -gencode arch=compute_75,code=sm_75 -gencode arch=compute_90,code=sm_90 \
    -gencode 'arch=compute_120,code=[sm_120,compute_120]' -Xfatbin -compress-all \
    ../fatbin/scale.cu ../fatbin/add.cu -o program.bin
nvcc -cudart shared -arch=sm_90 -rdc=true linked_kernel.cu linked_function.cu -o linked.bin
nvcc -arch=sm_90 -rdc=true -dc linked_kernel.cu -o object.bin
strip program.bin linked.bin
strip --strip-debug object.bin
LC_ALL=C sed -i 's#/usr/local/cuda#/opt/tools/cuda#g' linked.bin # of the same length
