/* SPDX-License-Identifier: Apache-2.0
 * Binding code to the handlers of one vector width. */
#include "exec/bind.h"

#include "exec/slow.h"

#include <stdlib.h>

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
    static uint64_t images;
    if (image->bound == binding->width)
        return;
    for (size_t r = 0; r < image->routine_count; r++)
        for (size_t i = 0; i < image->routines[r].code_count; i++)
            bind_code(binding, &image->routines[r].code[i]);
    image->bound = binding->width;
    image->number = __atomic_add_fetch(&images, 1, __ATOMIC_RELAXED);
}
