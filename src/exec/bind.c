/* SPDX-License-Identifier: Apache-2.0
 * The vector widths of this build, which of them this processor can run, and binding code to
 * one. */
#include "exec/bind.h"

#include "exec/slow.h"

#include <stdlib.h>

#include <string.h>

const ifl_width *ifl_width_base(void);
const ifl_width *ifl_width_v3(void);
const ifl_width *ifl_width_v4(void);

static bool has_base(void)
{
    return true;
}

#ifdef IFL_HAVE_WIDTH_V3
/* The x86-64 micro-architecture levels, x86-64 psABI: v3 is AVX2 with FMA, v4 AVX-512 F, BW, CD,
 * DQ, VL. */
static bool has_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
}

static bool has_v4(void)
{
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

/* Best first. */
static const struct {
    const ifl_width *(*get)(void);
    bool (*has)(void);
} widths[] = {
#ifdef IFL_HAVE_WIDTH_V4
    {ifl_width_v4, has_v4},
#endif
#ifdef IFL_HAVE_WIDTH_V3
    {ifl_width_v3, has_v3},
#endif
    {ifl_width_base, has_base},
};

const ifl_width *ifl_width_best(void)
{
    size_t i = 0;
    while (!widths[i].has())
        i++;
    return widths[i].get();
}

const ifl_width *ifl_width_find(const char *name)
{
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (widths[i].has() && strcmp(widths[i].get()->name, name) == 0)
            return widths[i].get();
    return NULL;
}

/* ---- binding --------------------------------------------------------------------------------- */

static ifl_handler **number_rows(const ifl_row_handler *const *rows, size_t count)
{
    ifl_handler **by_number = calloc(count + 1, sizeof *by_number);
    for (size_t i = 0; by_number && i < count; i++)
        by_number[rows[i]->number] = rows[i]->run;
    return by_number;
}

ifl_status ifl_binding_init(ifl_binding *binding, const ifl_width *width, ifl_error *error)
{
    size_t ptx_count, sass_count;
    const ifl_row_handler *const *ptx = width->ptx_rows(&ptx_count), *const *sass =
                                                                         width->sass_rows(
                                                                             &sass_count);
    *binding = (ifl_binding){.width = width,
                             .ptx_rows = number_rows(ptx, ptx_count),
                             .sass_rows = number_rows(sass, sass_count)};
    if (binding->ptx_rows && binding->sass_rows)
        return IFL_OK;
    ifl_binding_free(binding);
    return ifl_fail_memory(error, (ptx_count + sass_count) * sizeof *binding->ptx_rows);
}

void ifl_binding_free(ifl_binding *binding)
{
    free(binding->ptx_rows);
    free(binding->sass_rows);
    *binding = (ifl_binding){0};
}

static void bind_code(const ifl_binding *binding, ifl_code *code)
{
    static ifl_slow *const slow[IFL_CODE_OPERATIONS] = {
#define SLOW(name) [IFL_CODE_##name] = ifl_slow_##name,
#include "code/operation.def"
    };
    if (code->table == IFL_TABLE_PTX) {
        code->run = binding->ptx_rows[code->operation];
        return;
    }
    if (code->table == IFL_TABLE_SASS) {
        code->run = binding->sass_rows[code->operation];
        return;
    }
    code->slow = slow[code->operation];
    const ifl_width *width = binding->width;
    ifl_handler *side_by_side = width->side_by_side(code);
    code->run = code->slow     ? width->slow
                : side_by_side ? side_by_side
                               : width->handler[code->operation];
}

void ifl_bind(const ifl_binding *binding, ifl_image *image)
{
    if (image->bound == binding->width)
        return;
    for (size_t r = 0; r < image->routine_count; r++)
        for (size_t i = 0; i < image->routines[r].code_count; i++)
            bind_code(binding, &image->routines[r].code[i]);
    image->bound = binding->width;
}
