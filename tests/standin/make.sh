#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes tests/standin/prebuilt: the programs that are tested where there is no nvcc. Without -lineinfo nothing in them
# says where they were built.
# usage: tests/standin/make.sh
set -eu
cd "$(dirname "$0")/programs"
for name in vector_add reduction byte_histogram streams graph_captured managed constants templates device_printf \
    dynamic_shared illegal_access bad_launch event_times deep_recursion clusters \
    aligned_parameters cache_config unequal_launches work_queues memory_bus; do
    nvcc -std=c++17 -cudart shared -arch=sm_90 -Xfatbin -compress-all "$name.cu" -o "../prebuilt/$name.bin"
    strip "../prebuilt/$name.bin"
done
# Textures and swaps are run as the machine code of each architecture, and as PTX.
codes="-gencode arch=compute_75,code=compute_75"
for sm in 75 80 86 89 90 100 120; do
    codes="$codes -gencode arch=compute_$sm,code=sm_$sm"
done
for name in textures surfaces texture_offsets texture_residency generic_swaps; do
    # shellcheck disable=SC2086 # the words are words
    nvcc -cudart shared $codes -Xfatbin -compress-all "$name.cu" -o "../prebuilt/$name.bin"
    strip "../prebuilt/$name.bin"
done
nvcc -std=c++17 -cudart shared -gencode arch=compute_75,code=compute_75 -Xfatbin -compress-all texture_instructions.cu \
    -o ../prebuilt/texture_instructions.bin
strip ../prebuilt/texture_instructions.bin
if LC_ALL=C grep -l "$PWD\|${HOME:-/nowhere}/" ../prebuilt/*.bin; then
    echo "these say where they were built" >&2
    exit 1
fi
