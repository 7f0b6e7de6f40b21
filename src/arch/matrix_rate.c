/* SPDX-License-Identifier: Apache-2.0
 * The facts of tensor cores as one figure. */
#include "arch/matrix_rate.h"

double ifl_matrix_rate(const ifl_arch *arch, const ifl_matrix_work *work)
{
    const double kinds[IFL_MATRIX_KINDS] = {
        [IFL_MATRIX_KIND_HALVES] = 1,
        [IFL_MATRIX_KIND_TF32] = arch->matrix_tf32,
        [IFL_MATRIX_KIND_DOUBLES] = arch->matrix_doubles,
        [IFL_MATRIX_KIND_BYTES] = arch->matrix_bytes,
        [IFL_MATRIX_KIND_FOURS] = arch->matrix_fours,
        [IFL_MATRIX_KIND_S8] = arch->matrix_s8,
        [IFL_MATRIX_KIND_S4] = arch->matrix_s4,
        [IFL_MATRIX_KIND_B1] = arch->matrix_b1,
    };
    const bool is_by_warp =
        work->unit == IFL_MATRIX_UNIT_WARP && work->kind != IFL_MATRIX_KIND_DOUBLES;
    return kinds[work->kind] * (is_by_warp ? arch->matrix_by_warp : 1);
}
