#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The model is as near to the measured times as model_lab demands, and docs/model.md has the figures that it prints. usage: check_page.sh MODEL_LAB ROOT
set -u
printed=$("$1" "$2") || { printf '%s\n' "$printed"; exit 1; }
page=$(tr '\n' ' ' <"$2/docs/model.md")
failures=0

has() {
    case $page in
    *"$1"*) ;;
    *) echo "docs/model.md lacks: $1" && failures=1 ;;
    esac
}

says() { # PATTERN REPLACEMENT: of the line that fits
    text=$(printf '%s\n' "$printed" | sed -n "s/$1/$2/p")
    [ -n "$text" ] && has "$text" || failures=1
}

for set in calibrate judge; do
    says "^\($set\): \([0-9]*\) times, median error \([0-9.]* %\), worst \([0-9]* %\), .*" '\1 \2 times, median \3, worst \4'
done
says "^unseen: [0-9]* times, median error \([0-9.]* %\), worst \([0-9]* %\), \([0-9]*\) within.*" "median is \1, its worst \2, and \3 are"
says '^\([0-9]*\)\([0-9]\{3\}\) of \([0-9]*\)\([0-9]\{3\}\) pairs in order, \([0-9.]* %\)' '\1,\2 of \3,\4 (\5)'
says '^\([0-9]* of [0-9]*\) published ratios within.*' '\1 ('
exit $failures
