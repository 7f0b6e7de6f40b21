#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the cubins beside it from tests/ptx: NAME.sm_NN.cubin runs as the test ptx.machine.NAME.sm_NN. Needs ptxas.
set -eu
cd "$(dirname "$0")"
make() { ptxas -arch="$2" -o "$1.$2.cubin" "../$1.ptx"; }
make matrix_move sm_90
