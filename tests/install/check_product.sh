#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Building and installing need nothing that only tests need: where no package configuration of cmocka is found, the tree is
# configured, `product` builds no test, and a test says what is missing.
# usage: check_product.sh SOURCE
set -eu
source=$1
tree=$(mktemp -d "${TMPDIR:-/tmp}/inflight-product.XXXXXX")
trap 'rm -rf "$tree"' EXIT

fail() {
    echo "$*" >&2
    exit 1
}

# All package configurations but cmocka's.
mkdir "$tree/pc"
pkg-config --variable pc_path pkg-config | tr ':' '\n' | while read -r folder; do
    for file in "$folder"/*.pc; do
        test ! -e "$file" || test "$(basename "$file")" = cmocka.pc || test -e "$tree/pc/$(basename "$file")" ||
            ln -s "$file" "$tree/pc/"
    done
done
export PKG_CONFIG_LIBDIR="$tree/pc" PKG_CONFIG_PATH=

! pkg-config --exists cmocka || fail "cmocka is still found"
cmake -G "Unix Makefiles" -S "$source" -B "$tree/build" >"$tree/log" 2>&1 ||
    { cat "$tree/log"; fail "does not configure without cmocka"; }
grep -q 'libcmocka-dev' "$tree/log" || fail "configuring does not tell of the missing package"
grep '^CMakeFiles/product.dir/all: ' "$tree/build/CMakeFiles/Makefile2" >"$tree/parts" || fail "no target product"
grep -q ' CMakeFiles/inflight.dir/all' "$tree/parts" || fail "product does not build the program"
! grep -E ' (tests|bench)/' "$tree/parts" || fail "product builds tests"
ctest --test-dir "$tree/build" -R '^unit[.]' >"$tree/log" 2>&1 && fail "the missing unit tests do not fail"
grep -q 'cmocka_is_missing' "$tree/log" || { cat "$tree/log"; fail "no test names cmocka"; }
echo "product: needs no test library"
