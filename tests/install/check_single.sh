#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The program as one file: it asks for no library but libc and libm, and runs alone in a folder with an empty environment;
# where this user may change the root, in a root that holds nothing but it, libc, libm and a kernel. What it cannot do it
# says.
# usage: check_single.sh PROGRAM SOURCE VERSION
set -eu
program=$1
source=$2
version=$3
tree=$(mktemp -d "${TMPDIR:-/tmp}/inflight-single.XXXXXX")
trap 'rm -rf "$tree"' EXIT

fail() {
    echo "$*" >&2
    exit 1
}

readelf -d "$program" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' >"$tree/needed"
grep -q '^libc[.]' "$tree/needed" || fail "$program needs no libc: nothing was read"
! grep -vE '^(libc|libm|ld-linux-[a-z0-9-]*)[.]so' "$tree/needed" || fail "the program needs the libraries above"

mkdir "$tree/root" "$tree/root/tmp"
cp "$program" "$tree/root/inflight"
cp "$source/tests/install/empty.ptx" "$source/lab/axpy/axpy.sm_90.cubin" "$source/lab/axpy/axpy.sm_90.ptx" "$tree/root"

# works PREFIX-COMMAND...: the program, so started, does what it should.
works() {
    test "$("$@" --version)" = "inflight $version" || fail "$*: --version"
    "$@" analyze axpy.sm_90.ptx -k axpy_naive -g 4 -b 256 --gpu h200 i32:1024 f32:2 f32x1024=random f32x1024=zero \
        >"$tree/said" || fail "$*: analyze"
    # 4 blocks of 8 warps make 2 loads and 1 store each.
    grep -qE 'global loads +64 ' "$tree/said" || { cat "$tree/said"; fail "$*: analyze counts something else"; }
    "$@" sass axpy.sm_90.cubin >"$tree/said" || fail "$*: sass"
    "$@" devices >"$tree/said" || fail "$*: devices"
}

cd "$tree/root"
works env -i ./inflight
echo "empty environment: works"

status=0
env -i ./inflight run -- /bin/true 2>"$tree/said" || status=$?
test "$status" = 3 || fail "run ends with $status, not with 3"
grep -q 'the libraries that replace CUDA' "$tree/said" || { cat "$tree/said"; fail "run does not say what is missing"; }
echo "run: says what is missing"

for library in $(ldd ./inflight | grep -o '/[^ ]*'); do
    mkdir -p ".$(dirname "$library")"
    cp -L "$library" ".$library"
done
if chroot "$tree/root" /inflight --version >/dev/null 2>&1; then
    works env -i "$(command -v chroot)" "$tree/root" /inflight
    echo "a root without anything else: works"
fi
