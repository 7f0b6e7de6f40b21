/* SPDX-License-Identifier: Apache-2.0
 * Lowers every kernel of files with machine code and prints, a line each, the forms of instructions
 * that the engine has no code for, how often they stand there and in how many kernels:
 *
 *     sass_census SM FILE ...        of the newest machine code in each that sm_SM runs
 *
 * A last line sums up. Status 1 where a kernel could not be lowered at all. */
#include "sass/sass_lower.h"

#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct form {
    char *name;
    uint64_t count, kernels;
    const void *last; /* kernel that it was counted for */
} form;

typedef struct census {
    IFL_VEC(form) forms;
    uint64_t kernels, whole, instructions, refused, failed;
} census;

/* The mnemonic with its modifiers, and why: "'F2FP.RELU R3, R4' at 0x30 of ..: why" without
 * operands and place. */
static void form_of(const char *text, char *to, size_t size)
{
    const char *start = text + (*text == '\''), *end = start + strcspn(start, " '"),
               *why = strrchr(text, ':');
    snprintf(to, size, "%.*s%s", (int)(end - start), start, why ? why : "");
}

static form *find(census *c, const char *name)
{
    for (size_t i = 0; i < c->forms.count; i++)
        if (strcmp(c->forms.at[i].name, name) == 0)
            return &c->forms.at[i];
    return ifl_vec_push(&c->forms, (form){.name = strdup(name)}) ? &c->forms.at[c->forms.count - 1]
                                                                 : NULL;
}

static void count_refusals(census *c, const ifl_image *image)
{
    uint64_t here = 0;
    const ifl_routine *routine = image->routines;
    for (size_t i = 0; i + 1 < routine->code_count; i++) {
        const ifl_code *code = &routine->code[i];
        char name[256];
        if (code->table != IFL_TABLE_COMMON || code->operation != IFL_CODE_unsupported)
            continue;
        if (getenv("SASS_CENSUS_ALL"))
            puts(code->extra);
        form_of(code->extra, name, sizeof name);
        form *f = find(c, name);
        if (!f)
            exit(6);
        f->kernels += f->last != image->name;
        f->last = image->name;
        f->count++;
        here++;
    }
    c->refused += here;
    c->whole += here == 0;
    c->instructions += image->sites.count;
}

static ifl_status visit(void *user, const char *name, const uint8_t *bytes, size_t size,
                        ifl_error *error)
{
    census *c = user;
    ifl_object *object;
    const ifl_status status = ifl_object_open(name, bytes, size, &object, error);
    if (status != IFL_OK)
        return status;
    ifl_object_place(object, 0);
    for (size_t i = 0; i < object->text_count; i++) {
        const ifl_sass_lowering lowering = {object, &object->texts[i]};
        ifl_image image;
        ifl_error own = {0};
        if (!object->texts[i].kernel->is_kernel)
            continue;
        c->kernels++;
        if (ifl_sass_lower(&lowering, &image, &own) == IFL_OK) {
            count_refusals(c, &image);
            ifl_image_free(&image);
        } else {
            c->failed++;
            printf("! %s\n", own.text);
        }
    }
    ifl_object_close(object);
    return IFL_OK;
}

static int by_count(const void *a, const void *b)
{
    const form *x = a, *y = b;
    return x->kernels != y->kernels ? (x->kernels < y->kernels ? 1 : -1) : strcmp(x->name, y->name);
}

int main(int argc, char **argv)
{
    census c = {0};
    if (argc < 3) {
        fputs("usage: sass_census SM FILE ...\n", stderr);
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        ifl_error error = {0};
        const ifl_machine_source source = {.name = argv[i]};
        if (ifl_machine_each_runnable(&source, (uint32_t)atoi(argv[1]), visit, &c, &error) !=
            IFL_OK)
            printf("! %s\n", error.text);
    }
    if (c.forms.count)
        qsort(c.forms.at, c.forms.count, sizeof *c.forms.at, by_count);
    for (size_t i = 0; i < c.forms.count; i++)
        printf("%8llu in %6llu kernels  %s\n", (unsigned long long)c.forms.at[i].count,
               (unsigned long long)c.forms.at[i].kernels, c.forms.at[i].name);
    printf("%llu kernels, %llu of them whole, %llu not lowered; %llu instructions, %llu without "
           "code in %zu forms\n",
           (unsigned long long)c.kernels, (unsigned long long)c.whole, (unsigned long long)c.failed,
           (unsigned long long)c.instructions, (unsigned long long)c.refused, c.forms.count);
    for (size_t i = 0; i < c.forms.count; i++)
        free(c.forms.at[i].name);
    ifl_vec_free(&c.forms);
    return c.failed ? 1 : 0;
}
