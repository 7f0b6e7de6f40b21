/* SPDX-License-Identifier: Apache-2.0
 * The layout that a toolkit's shared runtime gives (audit/runtime_shared.h) is that of its static one: within each part, every
 * call is as far from the archive's.
 *     shared_parts SHARED ARCHIVE COPY     COPY: an object with the archive's code */
#include "audit/lead.h"
#include "audit/own_runtime_calls.h"
#include "audit/runtime_shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ifl_layout_call *call_of(const ifl_runtime_layout *layout, const char *name)
{
    for (size_t i = 0; i < layout->call_count; i++)
        if (strcmp(layout->calls[i].name, name) == 0)
            return &layout->calls[i];
    return NULL;
}

/* How many calls of the part lie elsewhere in the archive. */
static size_t compare(const ifl_runtime_layout *part, const ifl_runtime_layout *archive)
{
    size_t wrong = 0;
    bool is_first = true;
    uint32_t start = 0;
    for (size_t i = 0; i < part->call_count; i++) {
        const ifl_layout_call *call = &part->calls[i], *there = call_of(archive, call->name);
        if (call->offset == IFL_LAYOUT_BEFORE)
            continue;
        if (there && is_first)
            start = there->offset - call->offset;
        is_first &= !there;
        wrong += !there || there->offset - call->offset != start;
    }
    for (size_t i = 0; i < part->call_count; i++) {
        const ifl_layout_call *there = call_of(archive, part->calls[i].name);
        if (part->calls[i].offset != IFL_LAYOUT_BEFORE)
            continue;
        wrong += !there || there->offset >= start;
        for (size_t k = 0; there && k < archive->call_count; k++)
            wrong += archive->calls[k].offset > there->offset && archive->calls[k].offset < start;
    }
    return wrong;
}

/* In the shared library itself, or in the object that has the archive's code. */
static bool check(const char *shared, const ifl_object_file *copy,
                  const ifl_runtime_layout *archive)
{
    ifl_runtime_layout parts[IFL_SHARED_PARTS];
    size_t calls = 0, wrong = 0;
    if (!ifl_shared_open(shared, copy, IFL_LEAD_BYTES, ifl_own_runtime_call, parts)) {
        puts("no layout");
        return false;
    }
    for (size_t i = 0; i < IFL_SHARED_PARTS; i++) {
        calls += parts[i].call_count;
        wrong += compare(&parts[i], archive);
        free(parts[i].calls);
    }
    printf("%zu calls of %zu, %zu elsewhere\n", calls, archive->call_count, wrong);
    return !wrong && calls == archive->call_count;
}

int main(int count, char **paths)
{
    ifl_runtime_layout archive;
    ifl_object_file copy;
    if (count != 4 || !ifl_archive_open(paths[2], IFL_LEAD_BYTES, ifl_own_runtime_call, &archive) ||
        !ifl_object_open(paths[3], &copy)) {
        puts("nothing to compare with");
        return 1;
    }
    const bool is_all = check(paths[1], NULL, &archive), is_copy = check(paths[1], &copy, &archive);
    free(archive.calls);
    ifl_object_close(&copy);
    return is_all && is_copy ? 0 : 1;
}
