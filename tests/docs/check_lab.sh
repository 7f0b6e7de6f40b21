#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Is docs/lab.md what the cases of the lab and the results kept beside them say now?
# usage: check_lab.sh PROGRAM ROOT
if ! INFLIGHT_LAB=$2/lab "$1" lab --no-run --sweeps --markdown | diff "$2/docs/lab.md" -; then
    echo "docs/lab.md is not what lab/ says: make docs"
    exit 1
fi
