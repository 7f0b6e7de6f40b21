/* SPDX-License-Identifier: Apache-2.0
 * A kernel's machine code, decoded and analysed: the order of the parts. */
#include "sass/sass_flow.h"

enum { INSTRUCTION_BYTES = 16, MOST_INSTRUCTIONS = 1 << 24 };

static ifl_status decode(ifl_sass_kernel *out, ifl_arena *arena, ifl_error *error)
{
    const ifl_machine_kernel *kernel = out->kernel;
    const uint64_t count = kernel->code_bytes / INSTRUCTION_BYTES;
    if (count > MOST_INSTRUCTIONS)
        return ifl_fail(error, IFL_UNSUPPORTED, "kernel '%.200s' has more than %d instructions",
                        kernel->name, MOST_INSTRUCTIONS);
    out->instructions = ifl_arena_alloc(arena, (size_t)count * sizeof *out->instructions);
    if (!out->instructions)
        return ifl_fail_memory(error, (size_t)count * sizeof *out->instructions);
    out->instruction_count = (size_t)count;
    ifl_sass_decoder decoder;
    ifl_sass_decoder_init(&decoder, kernel->sm);
    for (size_t i = 0; i < count; i++)
        if (!ifl_sass_decode(&decoder, kernel->code + i * INSTRUCTION_BYTES,
                             (uint32_t)(i * INSTRUCTION_BYTES), &out->instructions[i]))
            out->unknown++;
    return IFL_OK;
}

ifl_status ifl_sass_analyze(const ifl_machine_kernel *kernel, ifl_arena *arena,
                            ifl_sass_kernel *out, ifl_error *error)
{
    static ifl_status (*const parts[])(ifl_sass_kernel *, ifl_arena *, ifl_error *) = {
        decode,
        ifl_sass_find_blocks,
        ifl_sass_find_reached,
        ifl_sass_find_loops,
        ifl_sass_find_purposes,
        ifl_sass_measure,
        ifl_sass_measure_spills,
    };
    ifl_status status = IFL_OK;
    *out = (ifl_sass_kernel){.kernel = kernel};
    if (!ifl_sass_supports(kernel->sm))
        return ifl_fail(error, IFL_UNSUPPORTED,
                        "kernel '%.200s': machine code for sm_%u is not supported", kernel->name,
                        kernel->sm);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == IFL_OK; i++)
        status = parts[i](out, arena, error);
    return status;
}
