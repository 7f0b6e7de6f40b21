/* SPDX-License-Identifier: Apache-2.0
 * Waits of a launch: those of each basic block, times how often it ran. */
#include "ptx/estimate.h"

#include "ptx/waits.h"

#include <stdlib.h>

static ifl_status add_function(const ifl_program *program, const ifl_function *function,
                               const uint64_t *warps, ifl_ptx_estimate *out, ifl_error *error)
{
    ifl_waits *waits = calloc((size_t)function->count + 1, sizeof *waits);
    if (!waits)
        return ifl_fail_memory(error, function->count * sizeof *waits);
    const ifl_status status = ifl_waits_find(program, function, warps, waits, error);
    for (uint32_t i = 0; status == IFL_OK && i < function->count; i++) {
        const double times = (double)warps[i];
        out->load_waits += times * waits[i].loads;
        out->load_spread += times * waits[i].spread;
        out->shared_waits += times * waits[i].shared;
        out->chain += times * waits[i].chain;
    }
    free(waits);
    return status;
}

ifl_status ifl_ptx_estimate_find(const ifl_program *program, const ifl_image *image,
                                 const uint64_t *warps, ifl_ptx_estimate *out, ifl_error *error)
{
    ifl_status status = IFL_OK;
    *out = (ifl_ptx_estimate){0};
    for (size_t f = 0; f < program->function_count && status == IFL_OK; f++) {
        const int32_t routine = image->routine_of[f];
        const ifl_function *function = &program->functions[f];
        if (routine == 0)
            status = ifl_registers_alive(program, function, &out->registers, error);
        if (routine < 0 || !function->count || status != IFL_OK)
            continue;
        const uint64_t *at = warps + image->routines[routine].first_site;
        if (*at)
            status = add_function(program, function, at, out, error);
    }
    return status;
}
