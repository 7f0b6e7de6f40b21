# SPDX-License-Identifier: Apache-2.0
# For the tests to source: a copy of examples/gate in $T/project, with the program built. Without a program, where none can run,
# its run is left out.

T=$(mktemp -d "${TMPDIR:-/tmp}/inflight-check-test.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
LC_ALL=C
export LC_ALL

# make_project EXAMPLE [CHANGE]
make_project()
{
    mkdir "$T/project"
    cp "$1"/*.cu "$1"/*.ptx "$1"/*.cubin "$1"/*.launch "$1"/*.budget "$1"/*.baseline "$1"/*.c "$1"/*.h "$T/project/"
    if [ -n "${2:-}" ]; then
        cp "$1/changes/$2"/* "$T/project/"
    fi
    cd "$T/project" || exit 1
    [ ! -f change.patch ] || patch -s -i change.patch || exit 1
    if ! "$CC" -g -o pipeline pipeline.c -ldl || ! "$INFLIGHT" run -- ./pipeline >/dev/null 2>&1; then
        sed -i '/pipeline/d' kernels.budget kernels.baseline
    fi
}

fail()
{
    echo "$*"
    exit 1
}
