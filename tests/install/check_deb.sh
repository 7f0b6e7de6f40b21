#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Debian packages of a build: their files, dependencies and control files, that what they hold runs where it was
# unpacked, and, if asked, that lintian has neither errors nor warnings.
# usage: check_deb.sh BUILD SOURCE VERSION [lintian]
set -eu
build=$1
source=$2
version=$3
tree=$(mktemp -d "${TMPDIR:-/tmp}/inflight-deb.XXXXXX")
trap 'rm -rf "$tree"' EXIT

fail() {
    echo "$*" >&2
    exit 1
}

cpack --config "$build/CPackConfig.cmake" -G DEB -D CPACK_DEBIAN_COMPRESSION_TYPE=none -D CPACK_XZ_LEVEL=0 -B "$tree" >"$tree/log" 2>&1 || { cat "$tree/log"; fail "cpack"; }
architecture=$(dpkg --print-architecture)
program=$tree/inflight_${version}_$architecture.deb
library=$tree/libinflight0_${version}_$architecture.deb
development=$tree/libinflight-dev_${version}_$architecture.deb
test "$(find "$tree" -maxdepth 1 -name '*.deb' | wc -l)" = 3 || fail "not three packages"

# has PACKAGE FILE...: the package has these files below /.
has() {
    package=$1
    shift
    dpkg-deb --fsys-tarfile "$package" | tar -t >"$tree/files"
    for file in "$@"; do
        grep -qE "^\./$file\$" "$tree/files" || { cat "$tree/files"; fail "$package has no $file"; }
    done
}

documents() {
    has "$1" "usr/share/doc/$2/copyright" "usr/share/doc/$2/changelog.gz"
}

has "$program" usr/bin/inflight 'usr/lib/.*inflight/libcudart.so.12' 'usr/lib/.*inflight/libcuda.so.1' \
    usr/share/man/man1/inflight.1.gz usr/share/zsh/vendor-completions/_inflight \
    usr/share/inflight/docs/run.md usr/share/inflight/lab/axpy/axpy.cu
! grep -E '/(include|pkgconfig|libinflight[.])' "$tree/files" || fail "$program has files of another package"
has "$library" "usr/lib/.*libinflight.so.$version"
has "$development" usr/include/inflight.h 'usr/lib/.*libinflight.a' 'usr/lib/.*libinflight.so' \
    'usr/lib/.*-linux-gnu.*/pkgconfig/inflight.pc' 'usr/lib/.*cmake/inflight/inflightConfig.cmake'
documents "$program" inflight
documents "$library" libinflight0
documents "$development" libinflight-dev
echo "files: as they should be"

# depends PACKAGE NAME...: on each of these, found by shlibdeps or told.
depends() {
    package=$1
    shift
    dpkg-deb --field "$package" Depends >"$tree/depends"
    for name in "$@"; do
        grep -qE "(^|, )$name( |,|\$)" "$tree/depends" || { cat "$tree/depends"; fail "$package does not depend on $name"; }
    done
}

depends "$program" libc6 libelf1 libjansson4 libdw1 libgomp1
depends "$library" libc6 libelf1 libjansson4
depends "$development" 'libinflight0 [(]= [^)]*[)]' libelf-dev libjansson-dev
for package in "$program" "$library" "$development"; do
    rm -rf "$tree/control"
    dpkg-deb --control "$package" "$tree/control"
    ! ls "$tree/control" | grep -E '^(pre|post)(inst|rm)$' || fail "$package has scripts"
    if test "$package" = "$library"; then
        grep -qx 'activate-noawait ldconfig' "$tree/control/triggers" || fail "the library's package does not run ldconfig"
        grep -qx "libinflight 0 libinflight0 (>= $version)" "$tree/control/shlibs" || fail "shlibs"
    fi
done
echo "dependencies and triggers: as they should be"

for package in "$program" "$library" "$development"; do
    dpkg-deb --extract "$package" "$tree/root"
done
inflight=$tree/root/usr/bin/inflight
test "$(cd / && env -i "$inflight" --version)" = "inflight $version" || fail "the unpacked program's --version"
(cd / && env -i "$inflight" run -- "$source/tests/standin/prebuilt/vector_add.bin" >"$tree/said" 2>"$tree/log"
    echo "exit $?" >>"$tree/said")
diff -u "$source/tests/standin/programs/vector_add.expected" "$tree/said" ||
    { cat "$tree/log"; fail "the unpacked program's run"; }
echo "program: works"

if [ "${4:-}" = lintian ]; then
    lintian --allow-root --fail-on error,warning "$program" "$library" "$development" || fail "lintian"
    echo "lintian: no errors, no warnings"
fi
