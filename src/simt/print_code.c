/* SPDX-License-Identifier: Apache-2.0
 * Lowered code as text, for `--dump code`. */
#include "simt/code.h"

static const char *handler_name(const ifl_image *image, const ifl_code *code)
{
    const struct {
        ifl_handler *run;
        const char *name;
    } names[] = {
#define HANDLER(handler) {image->width->handler, #handler},
        IFL_HANDLERS(HANDLER)
#undef HANDLER
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].run == code->run)
            return names[i].name;
    return "row";
}

static void print_code(const ifl_image *image, const ifl_routine *routine, const ifl_code *code, FILE *out)
{
    char name[128];
    const char *handler = handler_name(image, code);
    bool is_instruction = code->m != NULL;
    fprintf(out, "%5td  %-13s", code - routine->code, handler);
    if (is_instruction)
        fprintf(out, " %-28s", ifl_instruction_name(&image->program->instructions[code->instruction], name, sizeof name));
    else
        fprintf(out, " %-28s", "");
    if (code->run == image->width->branch)
        fprintf(out, " to %td", code->target - routine->code);
    else if (is_instruction)
        fprintf(out, " d=%u a=%u b=%u c=%u e=%u", code->d, code->a, code->b, code->c, code->e);
    if (code->run == image->width->branch && code->join)
        fprintf(out, " meet at %td", code->join - routine->code);
    if (code->guard)
        fprintf(out, " if %sp@%u", code->guard_flip ? "!" : "", code->guard);
    fputc('\n', out);
}

void ifl_image_print(const ifl_image *image, FILE *out)
{
    for (size_t r = 0; r < image->routine_count; r++) {
        const ifl_routine *routine = &image->routines[r];
        fprintf(out, "%s: frame %llu bytes, %zu constants, vector width %s\n", routine->function->name,
                (unsigned long long)routine->frame_bytes, routine->constant_count, image->width->name);
        for (size_t i = 0; i < routine->code_count; i++)
            print_code(image, routine, &routine->code[i], out);
    }
}
