/* SPDX-License-Identifier: Apache-2.0
 * Lowers every kernel of files with machine code and prints, a line each, the forms of instructions
 * (mnemonics with their modifiers) that the engine has no code for, how often they stand there and
 * in how many kernels:
 *
 *     sass_census SM FILE ...        of the newest machine code in each that sm_SM runs
 *
 * A line sums up each file, a last one all of them. Status 1 where a kernel could not be lowered at
 * all. */
#include "sass/sass_lower.h"

#include "base/digest.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct form {
    char *name;
    uint64_t count, refused, kernels; /* that have refused ones */
    const void *last;                 /* kernel that it was counted for */
    char *why;                        /* NULL: all run */
} form;

typedef struct census {
    IFL_VEC(form) forms;
    uint32_t *table; /* places in it, 1 added, by the hash of the name; 0: free */
    size_t room;     /* of the table, a power of two */
    uint64_t kernels, whole, instructions, refused, failed;
} census;

/* ---- forms ----------------------------------------------------------------------------------- */

static void *checked(void *memory)
{
    if (!memory) {
        fputs("sass_census: no memory\n", stderr);
        exit(6);
    }
    return memory;
}

static uint32_t *slot_of(const census *c, const char *name)
{
    size_t at = ifl_hash_bytes(IFL_HASH_BASIS, (const uint8_t *)name, strlen(name)) & (c->room - 1);
    while (c->table[at] && strcmp(c->forms.at[c->table[at] - 1].name, name) != 0)
        at = (at + 1) & (c->room - 1);
    return &c->table[at];
}

/* Half of the table stays free. */
static void grow(census *c)
{
    enum { FIRST_ROOM = 1024 };
    c->room = c->room ? 2 * c->room : FIRST_ROOM;
    free(c->table);
    c->table = checked(calloc(c->room, sizeof *c->table));
    for (size_t i = 0; i < c->forms.count; i++)
        *slot_of(c, c->forms.at[i].name) = (uint32_t)i + 1;
}

static form *find(census *c, const char *name)
{
    if (2 * c->forms.count >= c->room)
        grow(c);
    uint32_t *slot = slot_of(c, name);
    if (!*slot) {
        checked(ifl_vec_push(&c->forms, (form){.name = checked(strdup(name))}) ? c : NULL);
        *slot = (uint32_t)c->forms.count;
    }
    return &c->forms.at[*slot - 1];
}

/* "'F2FP.RELU R3, R4' at 0x30 of ..: why". */
static void note_refusal(form *f, const char *text, const ifl_image *image)
{
    const char *why = strrchr(text, ':');
    if (getenv("SASS_CENSUS_ALL"))
        puts(text);
    if (!f->why)
        f->why = checked(strdup(why ? why : ""));
    f->kernels += f->last != image->name;
    f->last = image->name;
    f->refused++;
}

static const char *name_of(const ifl_image *image, size_t site)
{
    const char *name = image->sites.at[site].name;
    return name && *name ? name : "an unknown word";
}

static void count_forms(census *c, const ifl_image *image)
{
    uint64_t here = 0;
    const ifl_routine *routine = image->routines;
    for (size_t i = 0; i < image->sites.count; i++)
        find(c, name_of(image, i))->count++;
    for (size_t i = 0; i + 1 < routine->code_count; i++) {
        const ifl_code *code = &routine->code[i];
        if (code->table != IFL_TABLE_COMMON || code->operation != IFL_CODE_unsupported)
            continue;
        note_refusal(find(c, name_of(image, code->site)), code->extra, image);
        here++;
    }
    c->refused += here;
    c->whole += here == 0;
    c->instructions += image->sites.count;
}

/* ---- files ----------------------------------------------------------------------------------- */

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
            count_forms(c, &image);
            ifl_image_free(&image);
        } else {
            c->failed++;
            printf("! %s\n", own.text);
        }
    }
    ifl_object_close(object);
    return IFL_OK;
}

static int by_kernels(const void *a, const void *b)
{
    const form *x = a, *y = b;
    return x->kernels != y->kernels ? (x->kernels < y->kernels ? 1 : -1) : strcmp(x->name, y->name);
}

static uint64_t print_refused(census *c)
{
    uint64_t forms = 0;
    if (c->forms.count)
        qsort(c->forms.at, c->forms.count, sizeof *c->forms.at, by_kernels);
    for (size_t i = 0; i < c->forms.count; i++) {
        const form *f = &c->forms.at[i];
        if (!f->why)
            continue;
        printf("%8" PRIu64 " of %" PRIu64 " in %6" PRIu64 " kernels  %s%s\n", f->refused, f->count,
               f->kernels, f->name, f->why);
        forms++;
    }
    return forms;
}

static void print_census(census *c, const char *of)
{
    const uint64_t refused = print_refused(c);
    printf("%s: %" PRIu64 " kernels, %" PRIu64 " of them whole, %" PRIu64 " not lowered; %" PRIu64
           " instructions of %zu forms; %" PRIu64 " without code, of %" PRIu64 " forms\n",
           of, c->kernels, c->whole, c->failed, c->instructions, c->forms.count, c->refused,
           refused);
}

/* Of the same form the reasons of the first file stay. */
static void add(census *to, const census *from)
{
    for (size_t i = 0; i < from->forms.count; i++) {
        const form *f = &from->forms.at[i];
        form *sum = find(to, f->name);
        sum->count += f->count, sum->refused += f->refused, sum->kernels += f->kernels;
        if (f->why && !sum->why)
            sum->why = checked(strdup(f->why));
    }
    to->kernels += from->kernels, to->whole += from->whole, to->failed += from->failed;
    to->instructions += from->instructions, to->refused += from->refused;
}

static void empty(census *c)
{
    for (size_t i = 0; i < c->forms.count; i++) {
        free(c->forms.at[i].name);
        free(c->forms.at[i].why);
    }
    ifl_vec_free(&c->forms);
    free(c->table);
    *c = (census){0};
}

static void take_file(census *all, const char *path, uint32_t sm, bool is_alone)
{
    census own = {0};
    ifl_error error = {0};
    const ifl_machine_source source = {.name = path};
    const char *name = strrchr(path, '/');
    if (ifl_machine_each_runnable(&source, sm, visit, &own, &error) != IFL_OK)
        printf("! %s\n", error.text);
    if (!is_alone)
        print_census(&own, name ? name + 1 : path);
    add(all, &own);
    empty(&own);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: sass_census SM FILE ...\n", stderr);
        return 2;
    }
    census all = {0};
    for (int i = 2; i < argc; i++)
        take_file(&all, argv[i], (uint32_t)atoi(argv[1]), argc == 3);
    print_census(&all, "all");
    const bool has_failed = all.failed != 0;
    empty(&all);
    return has_failed ? 1 : 0;
}
