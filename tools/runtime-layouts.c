/* SPDX-License-Identifier: Apache-2.0
 * Writes src/audit/runtime_layout.def: where the functions of builds of libcudart_static.a lie.
 *     runtime-layouts ARCHIVE...      to standard output; see tools/make-runtime-layouts */
#include "audit/lead.h"
#include "audit/runtime_archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static ifl_runtime_layout builds[MOST];
static size_t count;

static const char *const names[] = {
#define CALL(name) #name,
#include "standin/cudart_call.def"
#undef CALL
};

static bool is_known_build(const ifl_runtime_layout *layout)
{
    for (size_t i = 0; i < count; i++)
        if (builds[i].functions == layout->functions && builds[i].starts == layout->starts)
            return true;
    return false;
}

static void take(const char *path)
{
    ifl_runtime_layout layout;
    if (!ifl_archive_open(path, IFL_LEAD_BYTES, ifl_own_runtime_call, &layout)) {
        fprintf(stderr, "runtime-layouts: no runtime that can be replaced in '%s'\n", path);
        exit(1);
    }
    if (!is_known_build(&layout) && count < MOST)
        builds[count++] = layout;
}

static const ifl_layout_call *call_of(const ifl_runtime_layout *layout, const char *name)
{
    for (size_t i = 0; i < layout->call_count; i++)
        if (strcmp(layout->calls[i].name, name) == 0)
            return &layout->calls[i];
    return NULL;
}

static void write_call(const char *name)
{
    bool is_there = false;
    for (size_t i = 0; i < count; i++)
        is_there |= call_of(&builds[i], name) != NULL;
    if (!is_there)
        return;
    printf("CALL(%s", name);
    for (size_t i = 0; i < count; i++) {
        const ifl_layout_call *call = call_of(&builds[i], name);
        if (call)
            printf(", 0x%x", call->offset);
        else
            printf(", NOT_THERE");
    }
    printf(")\n");
}

int main(int arguments, char **paths)
{
    for (int i = 1; i < arguments; i++)
        take(paths[i]);
    for (size_t i = 0; i < count; i++)
        printf("BUILD(%u, 0x%x, 0x%llx)\n", builds[i].functions, builds[i].span,
               (unsigned long long)builds[i].starts);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        write_call(names[i]);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
