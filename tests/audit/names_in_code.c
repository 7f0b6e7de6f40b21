/* SPDX-License-Identifier: Apache-2.0
 * What the code of a runtime names (audit/runtime_names.h), without any symbol: all calls of the
 * archive, and no others, at the distances that they have there.
 *     names_in_code ARCHIVE PROGRAM     PROGRAM: an object with the archive's code */
#include "audit/lead.h"
#include "audit/own_runtime_calls.h"
#include "audit/runtime_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1024 };

static uint64_t address_of(const ifl_own_call *calls, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(calls[i].name, name) == 0)
            return calls[i].address;
    return 0;
}

int main(int argc, char **argv)
{
    static ifl_own_call calls[MOST];
    ifl_runtime_layout archive;
    ifl_object_file program;
    size_t count = 0, wrong = 0;
    if (argc != 3 || !ifl_archive_open(argv[1], IFL_LEAD_BYTES, ifl_own_runtime_call, &archive) ||
        !ifl_object_open(argv[2], &program))
        return 2;
    program.symbols = NULL;
    program.symbol_count = 0;
    const bool is_found =
        ifl_names_find(&program, IFL_LEAD_BYTES, ifl_own_runtime_call, calls, MOST, &count);
    const uint64_t first =
        is_found ? address_of(calls, count, archive.calls[0].name) - archive.calls[0].offset : 0;
    for (size_t i = 0; i < archive.call_count; i++)
        wrong += address_of(calls, count, archive.calls[i].name) != first + archive.calls[i].offset;
    printf("%zu calls, %zu of the archive, %zu not where it has them\n", count, archive.call_count,
           wrong);
    ifl_object_close(&program);
    free(archive.calls);
    return !is_found || wrong || count != archive.call_count;
}
