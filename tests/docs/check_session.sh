#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Is the session in README.md what the program prints now? Its first line is the command.
# usage: check_session.sh PROGRAM ROOT          (says what differs)
#        check_session.sh PROGRAM ROOT update   (writes the session anew)
set -eu
program=$1
cd "$2"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
begin='<!-- session: begin -->'
end='<!-- session: end -->'

command=$(sed -n "/^$begin/,/^$end/s|^    build/inflight ||p" README.md)
# shellcheck disable=SC2086 # the words of the command
"$program" $command >"$folder/printed"

awk -v begin="$begin" -v end="$end" -v printed="$folder/printed" '
    $0 == end {
        inside = 0
        while ((getline line <printed) > 0)
            print line == "" ? "" : "    " line
        print ""
    }
    !inside
    $0 == begin { inside = 1; next }
    inside && /^    build\/inflight / { print ""; print; print "" }' README.md >"$folder/README.md"

if [ "${3:-}" = update ]; then
    cp "$folder/README.md" README.md
else
    diff README.md "$folder/README.md"
fi
