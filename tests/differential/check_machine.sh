#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Random kernels as the machine code that ptxas makes of them: against what an H200 left of the same PTX where the target has all
# forms, else without the forms that ptxas refuses, against their PTX.
# usage: check_machine.sh DIFFERENTIAL SM ROOT        77 where there is no ptxas
set -eu
command -v ptxas >/dev/null || { echo "skipped: no ptxas"; exit 77; }
if [ "$2" -ge 90 ]; then
    exec "$1" --machine ptxas "$2" --check "$3/tests/gpu/h200/statements.txt"
fi
exec "$1" --machine ptxas "$2" --beside 2000000 200
