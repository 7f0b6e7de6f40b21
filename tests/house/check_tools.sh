#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Shows that tools/check-includes, check-names, check-waist, check-figures and check-format find what they are for: breaks each rule
# once in a tree of its own and looks for the message.
# usage: check_tools.sh ROOT
set -u
tools=$1/tools
tree=$(mktemp -d "${TMPDIR:-/tmp}/inflight-house.XXXXXX") || exit 1
trap 'rm -rf "$tree"' EXIT
failures=0

# write FILE TEXT: a source with its SPDX line and one more.
write() {
    mkdir -p "$tree/$(dirname "$1")"
    printf '/* SPDX-License-Identifier: Apache-2.0 */\n%s\n' "$2" >"$tree/$1"
}

# expect TOOL MESSAGE: the tool fails and says so; then the tree is empty again.
expect() {
    if said=$("$tools/$1" "$tree" 2>&1); then
        echo "$1 let it pass: $2"
        failures=$((failures + 1))
    elif ! printf '%s\n' "$said" | grep -qF -- "$2"; then
        printf '%s did not say "%s" but:\n%s\n' "$1" "$2" "$said"
        failures=$((failures + 1))
    fi
    rm -rf "${tree:?}"/*
}

write src/base/a.c '#include "ptx/program.h"'
expect check-includes 'src/base/a.c:2: src/base may not include src/ptx'
write src/count/a.c '#include "exec/memory.h"'
expect check-includes 'src/count/a.c:2: src/count may not include src/exec'
write src/ptx/a.c '#  include "sass/elf.h"'
expect check-includes 'src/ptx/a.c:2: src/ptx may not include src/sass'
write src/exec/a.c '#include "lane.h"'
expect check-includes 'src/exec/a.c:2: say the folder: "exec/lane.h"'
write src/exec/a.c '#include "../base/vec.h"'
expect check-includes 'src/exec/a.c:2: an include never says ".."'
write src/odd/a.c ''
expect check-includes 'src/odd/a.c:1: folder src/odd is not in the table'
write cli/a.c '#include "session/module.h"'
expect check-includes 'cli/a.c:2: cli/a.c sees the public header only'
write lab/axpy/a.c '#include "base/vec.h"'
expect check-includes 'lab/axpy/a.c:2: lab/axpy/a.c sees the public header only'
write include/inflight.h '#include "base/vec.h"'
expect check-includes 'include/inflight.h:2: the public header includes only libc'
write src/base/a.c ''
write src/ptx/a.c ''
expect check-includes 'src/ptx/a.c:1: the file name is not unique: src/base/a.c has it too'
write src/advice/a.c 'bool f(const char *op) { return strstr(op, "f64"); }'
expect check-waist 'src/advice/a.c:2:'
write src/time/a.c 'static const char *const names[] = {"LDSM.16"};'
expect check-waist 'src/time/a.c:2:'
write src/time/a.c 'double f(double x) { return x * 0.65; }'
expect check-figures 'src/time/a.c:2: 0.65'
write src/model/a.c 'enum { LATENCY = 23 };'
expect check-figures 'src/model/a.c:2: 23'
mkdir -p "$tree/src/base"
printf 'int a;\nint b;\n' >"$tree/src/base/a.c"
expect check-includes 'src/base/a.c:1: no line "SPDX-License-Identifier'
write src/base/a.c "$(seq 900)"
expect check-includes 'src/base/a.c:901: more than 900 lines'
write docs/a.md "see /ho""me/someone/notes"
expect check-names 'docs/a.md:2:'
write src/exec/a.h 'typedef struct ifl_thing {'
write src/standin/b.h 'typedef struct ifl_thing {'
expect check-names 'src/standin/b.h:2: src/exec/a.h has a type ifl_thing too'
write NOTES.txt ''
expect check-names 'NOTES.txt'

if command -v clang-format >/dev/null; then
    write src/base/a.c 'int   a;'
    expect check-format 'src/base/a.c:2:4: error: code should be clang-formatted'
    write src/base/a.c "/* $(printf '%0130d' 0) */"
    expect check-format 'src/base/a.c:2:'
fi

# And a tree that keeps the rules passes.
write src/session/a.c '#include "exec/exec.h"'
write src/exec/width/b.c '#include "exec/lane.h"'
write src/api.c '#include "session/module.h"'
write cli/c.c '#include "cli.h"'
write tools/d.sh 'cd "${TMPDIR:-/t''mp}/x"'
for tool in check-includes check-names check-waist check-figures; do
    if ! "$tools/$tool" "$tree"; then
        echo "$tool found fault with a good tree"
        failures=$((failures + 1))
    fi
done
exit $((failures > 0))
