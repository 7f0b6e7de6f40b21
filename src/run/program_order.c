/* SPDX-License-Identifier: Apache-2.0
 * Waits of a launch: those of each basic block, times how often it ran. */
#include "run/program_order.h"

#include "simt/waits.h"

#include <stdlib.h>

typedef struct state {
    size_t count;
    uint64_t warps[]; /* by instruction */
} state;

static void *create(const ifl_program *program)
{
    const size_t count = program->instruction_count;
    state *s = count < (SIZE_MAX - sizeof *s) / sizeof *s->warps
                   ? calloc(1, sizeof *s + count * sizeof *s->warps)
                   : NULL;
    if (s)
        s->count = count;
    return s;
}

static void take_issue(void *self, const ifl_issue *issue)
{
    state *s = self;
    if (issue->instruction < s->count)
        s->warps[issue->instruction] += issue->warps;
}

static void merge(void *self, const void *other)
{
    state *s = self;
    const state *o = other;
    for (size_t i = 0; i < s->count && i < o->count; i++)
        s->warps[i] += o->warps[i];
}

const ifl_observer ifl_order_observer = {
    .name = "order",
    .create = create,
    .issue = take_issue,
    .merge = merge,
    .destroy = free,
};

static bool has_run(const state *s, const ifl_function *function)
{
    return function->count && function->first < s->count && s->warps[function->first];
}

static ifl_status add_function(const state *s, const ifl_program *program,
                               const ifl_function *function, ifl_program_facts *out,
                               ifl_error *error)
{
    ifl_waits *waits = calloc(function->count + 1, sizeof *waits);
    if (!waits)
        return ifl_fail_memory(error, function->count * sizeof *waits);
    const bool has_times = (size_t)function->first + function->count <= s->count;
    const ifl_status status = ifl_waits_find(
        program, function, has_times ? s->warps + function->first : NULL, waits, error);
    for (uint32_t i = 0; status == IFL_OK && i < function->count && function->first + i < s->count;
         i++) {
        const double times = (double)s->warps[function->first + i];
        out->load_waits += times * waits[i].loads;
        out->load_spread += times * waits[i].spread;
        out->shared_waits += times * waits[i].shared;
        out->chain += times * waits[i].chain;
    }
    free(waits);
    return status;
}

ifl_status ifl_order_report(const void *self, const ifl_program *program, uint32_t kernel,
                            ifl_program_facts *out, ifl_error *error)
{
    const state *s = self;
    ifl_status status =
        ifl_registers_alive(program, &program->functions[kernel], &out->registers, error);
    for (size_t f = 0; f < program->function_count && status == IFL_OK; f++)
        if (has_run(s, &program->functions[f]))
            status = add_function(s, program, &program->functions[f], out, error);
    out->known = status == IFL_OK;
    return status;
}
