#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Is a generated page in docs/ the one that the tables make now?
# usage: check_document.sh PROGRAM TOPIC FILE
made=$("$1" "$2") || exit 1
if ! printf '%s\n' "$made" | diff "$3" -; then
    echo "$3 is not what the tables say: make docs"
    exit 1
fi
