#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs into a folder of its own, then builds and runs a consumer in each way that an installed
# library is used, and looks at what the libraries export.
# usage: check_install.sh BUILD SOURCE VERSION
set -eu
build=$1
here=$2/tests/install
version=$3
tree=$(mktemp -d "${TMPDIR:-/tmp}/inflight-install.XXXXXX")
trap 'rm -rf "$tree"' EXIT
prefix=$tree/prefix

fail() {
    echo "$*" >&2
    exit 1
}

cmake --install "$build" --prefix "$tree/elsewhere" >"$tree/log" || { cat "$tree/log"; exit 1; }
grep -q "Wl,-rpath,$tree/elsewhere/" "$tree/log" || fail "an installation beside the linker's folders does not say so"
(DESTDIR=$tree/staged cmake --install "$build" --prefix /usr >"$tree/log") || fail "a staged installation"
! grep -i 'linker' "$tree/log" || fail "a staged installation looks at this machine's linker"
rm -r "$tree/staged"
mv "$tree/elsewhere" "$prefix" # a staged installation is used at another place than it was made for
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name inflight.pc)")
export PKG_CONFIG_PATH
libdir=$(dirname "$PKG_CONFIG_PATH")

# runs HOW PROGRAM: the program finds the kernel.
runs() {
    said=$("$2" "$here/empty.ptx") || fail "$1: the consumer failed"
    test "$said" = "$version nothing" || fail "$1: the consumer said '$said'"
    echo "$1: works"
}

test "$(pkg-config --modversion inflight)" = "$version" || fail "inflight.pc: not $version"
# shellcheck disable=SC2046 # lists of words
cc "$here/consumer.c" -o "$tree/shared" $(pkg-config --cflags --libs inflight) "-Wl,-rpath,$libdir"
runs "pkg-config, shared" "$tree/shared"
# shellcheck disable=SC2046
cc "$here/consumer.c" -o "$tree/static" $(pkg-config --cflags inflight) "$libdir/libinflight.a" \
    -Wl,--as-needed $(pkg-config --static --libs inflight)
runs "pkg-config, static" "$tree/static"

mkdir "$tree/consumer"
cp "$here/consumer.c" "$tree/consumer"
cp "$here/consumer.txt" "$tree/consumer/CMakeLists.txt"
cmake -S "$tree/consumer" -B "$tree/consumer/build" -DCMAKE_PREFIX_PATH="$prefix" \
    >"$tree/log" 2>&1 && cmake --build "$tree/consumer/build" >>"$tree/log" 2>&1 ||
    { cat "$tree/log"; fail "find_package"; }
runs "find_package, shared" "$tree/consumer/build/consumer_shared"
runs "find_package, static" "$tree/consumer/build/consumer_static"

# shellcheck disable=SC2046
echo '#include <inflight.h>' |
    c++ -x c++ -std=c++11 -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags inflight) - ||
    fail "the header in C++"
echo "C++ header: works"

nm -D --defined-only "$libdir/libinflight.so" | awk '{ print $3 }' | while read -r symbol; do
    grep -qw "$symbol" "$prefix/include/inflight.h" || echo "$symbol"
done >"$tree/symbols"
test ! -s "$tree/symbols" || { cat "$tree/symbols"; fail "exported, but not in inflight.h"; }
nm -g --defined-only "$libdir/libinflight.a" 2>/dev/null |
    awk 'NF == 3 && $3 !~ /^ifl_/ { print $3 }' >"$tree/symbols"
test ! -s "$tree/symbols" ||
    { cat "$tree/symbols"; fail "global in libinflight.a without the prefix ifl_"; }
echo "exports: as declared"

test "$("$prefix/bin/inflight" --version)" = "inflight $version" ||
    fail "the installed program's --version"
for file in share/man/man1/inflight.1 share/bash-completion/completions/inflight \
    share/zsh/site-functions/_inflight share/fish/vendor_completions.d/inflight.fish share/inflight/examples/gate/kernels.budget \
    share/inflight/lab/axpy/axpy.cu \
    share/inflight/docs/architecture.md; do
    test -s "$prefix/$file" || fail "not installed: $file"
done
(cd / && env -i "$prefix/bin/inflight" help >"$tree/help") || fail "the installed program's help"
# Every library of ours is found with nothing set, from any folder, and no place of the build is in a run path.
for library in "$libdir"/inflight/*; do
    ! (cd / && env -i ldd "$library") | grep 'not found' || fail "$library: incomplete"
    run_path=$(readelf -d "$library" | sed -n 's/.*R.*PATH.*\[\(.*\)\]/\1/p')
    test -z "$run_path" || test "$run_path" = "\$ORIGIN" || fail "$library: run path $run_path"
done
# A CUDA program runs with the installed libraries; its output and exit status are what they are on a GPU.
programs=$here/../standin
(cd / && env -i "$prefix/bin/inflight" run -- "$programs/prebuilt/vector_add.bin" >"$tree/said" 2>"$tree/log"
    echo "exit $?" >>"$tree/said")
diff -u "$programs/programs/vector_add.expected" "$tree/said" || { cat "$tree/log"; fail "inflight run, installed"; }
echo "run: works"
echo "program: works"
