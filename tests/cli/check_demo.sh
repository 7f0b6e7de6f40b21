#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: check_demo.sh SOURCE FOLDER. The program that `make demo` builds, in FOLDER, prints the page that $INFLIGHT prints.
set -eu
source=$1 folder=$2
cmake -S "$source" -B "$folder" $(sed -n 's/^.*cmake -S . -B build-demo//p' "$source/Makefile") >/dev/null
cmake --build "$folder" --target inflight >/dev/null
page=$("$INFLIGHT" analyze "$source/examples/gate/scale.launch")
test "$page"
test "$page" = "$("$folder/inflight" analyze "$source/examples/gate/scale.launch")"
