/* SPDX-License-Identifier: Apache-2.0
 * The facts of tensor cores as cycles of a product. */
#include "arch/matrix_rate.h"

void ifl_matrix_costs_find(const ifl_arch *arch, double peak, ifl_matrix_costs *out)
{
    enum { OF_A_PRODUCT = 2, SCHEDULERS = 4 };
    const double halves = peak / OF_A_PRODUCT / SCHEDULERS;
    *out = (ifl_matrix_costs){
        .rate = {[IFL_MATRIX_KIND_HALVES] = halves,
                 [IFL_MATRIX_KIND_TF32] = halves * arch->matrix_tf32,
                 [IFL_MATRIX_KIND_DOUBLES] = halves * arch->matrix_doubles,
                 [IFL_MATRIX_KIND_BYTES] = halves * arch->matrix_bytes,
                 [IFL_MATRIX_KIND_FOURS] = halves * arch->matrix_fours,
                 [IFL_MATRIX_KIND_S8] = halves * arch->matrix_s8,
                 [IFL_MATRIX_KIND_S4] = halves * arch->matrix_s4,
                 [IFL_MATRIX_KIND_B1] = halves * arch->matrix_b1},
        .warp_cycles = arch->matrix_warp_cycles,
        .sparse_cycles = arch->matrix_sparse_cycles,
        .least_doubles = arch->matrix_least_doubles,
    };
}

/* A warp group's matrices come from shared memory, 128 bytes a cycle. */
double ifl_matrix_cycles(const ifl_matrix_costs *costs, const ifl_matrix_work *work)
{
    enum { SHARED_BYTES = 128 };
    const double rate = costs->rate[work->kind], cycles = rate > 0 ? work->products / rate : 0,
                 read = (double)work->shared_bytes / SHARED_BYTES;
    if (!(rate > 0))
        return 0;
    if (work->unit != IFL_MATRIX_UNIT_WARP)
        return cycles > read ? cycles : read;
    if (work->kind == IFL_MATRIX_KIND_DOUBLES)
        return cycles > costs->least_doubles ? cycles : costs->least_doubles;
    const double pieces = work->pieces > 1 ? work->pieces : 1;
    return cycles + pieces * (costs->warp_cycles + (work->is_sparse ? costs->sparse_cycles : 0));
}
