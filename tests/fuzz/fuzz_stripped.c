/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes what the audit library reads before a program begins: objects with and without names, and
 * archives of the runtime. */
#include "audit/lead.h"
#include "audit/runtime_shared.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_layout(const ifl_runtime_layout *layout)
{
    require(layout->functions && layout->call_count);
    for (size_t i = 0; i < layout->call_count; i++)
        require(layout->calls[i].offset <= layout->span &&
                ifl_own_runtime_call(layout->calls[i].name));
}

static void check_starts(const ifl_object_file *file)
{
    size_t count = 0, hash = 0;
    uint64_t address = 0;
    const ifl_function_start *starts = ifl_object_starts(file, &count, &address);
    for (size_t i = 0; starts && i < count; i++)
        hash += (size_t)starts[i].start + (size_t)starts[i].record;
    require(hash != 1 || count);
}

/* Objects with kernels would have the archives of this machine read. */
static void check_object(const ifl_object_file *file)
{
    ifl_own_runtime found;
    check_starts(file);
    if (ifl_object_section(file, ".nv_fatbin") ||
        ifl_own_runtime_find(file, "fuzz", IFL_LEAD_BYTES, &found) != IFL_OWN_FOUND)
        return;
    for (size_t i = 0; i < found.count; i++)
        require(ifl_object_code(file, found.calls[i].address, IFL_LEAD_BYTES) != NULL);
    free(found.calls);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size + 1); /* aligned, as mapped files are */
    ifl_runtime_layout layout, parts[IFL_SHARED_PARTS];
    ifl_object_file file;
    if (!bytes)
        return 0;
    memcpy(bytes, data, size);
    if (ifl_archive_layout(bytes, size, IFL_LEAD_BYTES, ifl_own_runtime_call, &layout)) {
        check_layout(&layout);
        free(layout.calls);
    }
    if (ifl_shared_layout(bytes, size, NULL, IFL_LEAD_BYTES, ifl_own_runtime_call, parts))
        for (size_t i = 0; i < IFL_SHARED_PARTS; i++) {
            require(parts[i].functions && parts[i].call_count);
            free(parts[i].calls);
        }
    if (ifl_object_read(bytes, size, &file)) {
        check_object(&file);
        if (ifl_shared_layout(bytes, size, &file, IFL_LEAD_BYTES, ifl_own_runtime_call, parts))
            for (size_t i = 0; i < IFL_SHARED_PARTS; i++)
                free(parts[i].calls);
    }
    free(bytes);
    return 0;
}
