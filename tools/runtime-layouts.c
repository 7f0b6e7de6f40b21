/* SPDX-License-Identifier: Apache-2.0
 * Writes src/audit/runtime_layout.def: where the functions of builds of libcudart_static.a lie.
 *     runtime-layouts [add] FILE...    archives and shared libraries, SHARED:COPY for one whose
 *                                      distances a copy tells; to standard output; see
 *                                      tools/make-runtime-layouts */
#include "audit/lead.h"
#include "audit/runtime_shared.h"

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

static bool is_same(const ifl_runtime_layout *a, const ifl_runtime_layout *b)
{
    return a->functions == b->functions && a->starts == b->starts;
}

static bool is_known_build(const ifl_runtime_layout *parts)
{
    for (size_t i = 0; i < count; i++)
        if (is_same(&builds[i], &parts[0]) &&
            (!parts[1].functions || is_same(&builds[i + 1], &parts[1])))
            return true;
    return false;
}

/* SHARED:COPY */
static bool open_pair(const char *pair, ifl_runtime_layout *parts)
{
    char path[4096];
    ifl_object_file copy;
    const char *colon = strchr(pair, ':');
    if (!colon || (size_t)(colon - pair) >= sizeof path || !ifl_object_open(colon + 1, &copy))
        return false;
    snprintf(path, sizeof path, "%.*s", (int)(colon - pair), pair);
    const bool is_found = ifl_shared_open(path, &copy, IFL_LEAD_BYTES, ifl_own_runtime_call, parts);
    ifl_object_close(&copy);
    return is_found;
}

/* Builds that the table has already. */
static void take_known(void)
{
    for (size_t i = 0; count < MOST && ifl_layout_known(i, &builds[count]); i++)
        count++;
}

static void take(const char *path)
{
    ifl_runtime_layout parts[IFL_SHARED_PARTS] = {{0}};
    if (!ifl_archive_open(path, IFL_LEAD_BYTES, ifl_own_runtime_call, &parts[0]) &&
        !ifl_shared_open(path, NULL, IFL_LEAD_BYTES, ifl_own_runtime_call, parts) &&
        !open_pair(path, parts)) {
        fprintf(stderr, "runtime-layouts: no runtime that can be replaced in '%s'\n", path);
        exit(1);
    }
    const bool is_new = !is_known_build(parts);
    for (size_t i = 0; i < IFL_SHARED_PARTS && is_new && count + 1 < MOST; i++)
        if (parts[i].functions)
            builds[count++] = parts[i];
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
        if (call && call->offset == IFL_LAYOUT_BEFORE)
            printf(", BEFORE");
        else if (call)
            printf(", 0x%x", call->offset);
        else
            printf(", NOT_THERE");
    }
    printf(")\n");
}

int main(int arguments, char **paths)
{
    const bool adds = arguments > 1 && strcmp(paths[1], "add") == 0;
    if (adds)
        take_known();
    for (int i = adds ? 2 : 1; i < arguments; i++)
        take(paths[i]);
    for (size_t i = 0; i < count; i++)
        printf("%s(%u, 0x%x, 0x%llx)\n", builds[i].continues ? "PART" : "BUILD",
               builds[i].functions, builds[i].span, (unsigned long long)builds[i].starts);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        write_call(names[i]);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
