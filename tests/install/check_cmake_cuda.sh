#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What docs/run.md says of CMake: programs with the runtime inside and with the shared one run, tests run under one
# `inflight run`, stripped programs run too (the toolkit has the archive that names their runtime), and CUDA_ARCHITECTURES native is the GPU of --gpu.
# usage: check_cmake_cuda.sh INFLIGHT SOURCE NVCC
set -eu
inflight=$1
source=$2
export CUDACXX="$3"
tree=$(mktemp -d "${TMPDIR:-/tmp}/inflight-cmake.XXXXXX")
trap 'rm -rf "$tree"' EXIT

fail() {
    echo "$*" >&2
    exit 1
}

quietly() {
    "$@" >"$tree/log" 2>&1 || { cat "$tree/log"; fail "failed: $*"; }
}

cp "$source/tests/install/cuda_project.txt" "$tree/CMakeLists.txt"
cp "$source/tests/standin/programs/vector_add.cu" "$source/tests/standin/programs/check.h" "$tree"
quietly "$inflight" run --gpu b200 -- cmake -S "$tree" -B "$tree/build" -DCMAKE_CUDA_ARCHITECTURES=native
grep -rq 'ARCHITECTURES_NATIVE "100' "$tree/build/CMakeFiles" || fail "native is not the architecture of --gpu"
echo "native: works"

quietly cmake -S "$tree" -B "$tree/build" -DCMAKE_CUDA_ARCHITECTURES=90
quietly cmake --build "$tree/build"
quietly "$inflight" run -- ctest --test-dir "$tree/build"
grep -q '100% tests passed.* out of 2' "$tree/log" || { cat "$tree/log"; fail "the project's tests"; }
for app in app_Static app_Shared; do
    quietly "$inflight" run -- "$tree/build/$app"
    grep -q ' add ' "$tree/log" || { cat "$tree/log"; fail "$app: no kernel in the report"; }
    grep -q 'vector_add.cu:' "$tree/log" || { cat "$tree/log"; fail "$app: no source line"; }
done
echo "static and shared runtime: work"

quietly cmake --install "$tree/build" --strip --prefix "$tree/stripped"
quietly "$inflight" run -- "$tree/stripped/bin/app_Shared"
quietly "$inflight" run -- "$tree/stripped/bin/app_Static"
echo "stripped: works as documented"
