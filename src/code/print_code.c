/* SPDX-License-Identifier: Apache-2.0
 * Code as text, for `--dump code`; and freeing it. */
#include "code/code.h"

static const char *operation_name(const ifl_code *code)
{
    static const char *const names[IFL_CODE_OPERATIONS] = {
#define HANDLER(name) #name,
#define SLOW(name) #name,
#include "code/operation.def"
    };
    return code->table == IFL_TABLE_COMMON ? names[code->operation] : "row";
}

static void print_code(const ifl_image *image, const ifl_routine *routine, const ifl_code *code,
                       FILE *out)
{
    const bool is_instruction = code->m != NULL;
    const bool is_branch = code->table == IFL_TABLE_COMMON && code->operation == IFL_CODE_branch;
    fprintf(out, "%5td  %-13s %-28s", code - routine->code, operation_name(code),
            is_instruction ? image->sites.at[code->site].name : "");
    if (is_branch)
        fprintf(out, " to %td", code->target - routine->code);
    else if (is_instruction)
        fprintf(out, " d=%u a=%u b=%u c=%u e=%u", code->d, code->a, code->b, code->c, code->e);
    if (is_branch && code->join)
        fprintf(out, " meet at %td", code->join - routine->code);
    if (code->guard)
        fprintf(out, " if %sp@%u", code->guard_flip ? "!" : "", code->guard);
    fputc('\n', out);
}

void ifl_image_print(const ifl_image *image, FILE *out)
{
    for (size_t r = 0; r < image->routine_count; r++) {
        const ifl_routine *routine = &image->routines[r];
        fprintf(out, "%s: frame %llu bytes, %zu constants, %zu parameters\n", routine->name,
                (unsigned long long)routine->frame_bytes, routine->constant_count,
                routine->bank_count);
        for (size_t i = 0; i < routine->code_count; i++)
            print_code(image, routine, &routine->code[i], out);
    }
}

void ifl_image_free(ifl_image *image)
{
    ifl_arena_free(&image->arena);
}
