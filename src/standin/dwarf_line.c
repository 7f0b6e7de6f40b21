/* SPDX-License-Identifier: Apache-2.0
 * See dwarf_line.h. DWARF is libdw's (elfutils). Files are read as they lie on the disk; none is
 * looked for elsewhere. */
#include "standin/dwarf_line.h"

#include "base/file.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_cuda_header(const char *path)
{
    return strncmp(ifl_file_last_name(path), "cuda_", strlen("cuda_")) == 0;
}

/* The file of a DW_AT_call_file of the unit; NULL where there is none. */
static const char *call_file(Dwarf_Die *unit, Dwarf_Die *inlined)
{
    Dwarf_Attribute attribute;
    Dwarf_Word index;
    Dwarf_Files *files;
    size_t count;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &index) != 0 ||
        dwarf_getsrcfiles(unit, &files, &count) != 0 || index >= count)
        return NULL;
    return dwarf_filesrc(files, index, NULL, NULL);
}

/* From the innermost scope outwards, to where the code of a CUDA header was inlined. */
static void leave_headers(Dwarf_Die *unit, Dwarf_Addr at, const char **file, int *line)
{
    Dwarf_Die *scopes = NULL;
    const int count = dwarf_getscopes(unit, at, &scopes);
    for (int i = 0; i < count && is_cuda_header(*file); i++) {
        Dwarf_Attribute attribute;
        Dwarf_Word number;
        const char *from =
            dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine ? call_file(unit, &scopes[i]) : NULL;
        if (!from ||
            dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_line, &attribute), &number) != 0)
            continue;
        *file = from;
        *line = (int)number;
    }
    free(scopes);
}

static bool look(Dwfl *dwfl, uintptr_t address, char *to, size_t size)
{
    Dwarf_Addr bias;
    int line;
    Dwfl_Line *found = dwfl_getsrc(dwfl, address);
    const char *file = found ? dwfl_lineinfo(found, NULL, &line, NULL, NULL, NULL) : NULL;
    Dwarf_Die *unit = file ? dwfl_addrdie(dwfl, address, &bias) : NULL;
    if (!file || line <= 0)
        return false;
    if (unit)
        leave_headers(unit, address - bias, &file, &line);
    snprintf(to, size, "%.*s:%d", (int)size - 16, ifl_file_last_name(file), line);
    return true;
}

static int no_other_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                         const char *path, const char *link, GElf_Word checksum, char **found)
{
    (void)module, (void)user, (void)name, (void)base, (void)path, (void)link, (void)checksum,
        (void)found;
    return -1;
}

bool ifl_dwarf_line(uintptr_t address, char *to, size_t size)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = no_other_file};
    Dwfl *dwfl = dwfl_begin(&callbacks);
    const bool is_read = dwfl && dwfl_linux_proc_report(dwfl, getpid()) == 0 &&
                         dwfl_report_end(dwfl, NULL, NULL) == 0;
    const bool is_found = is_read && look(dwfl, address, to, size);
    if (dwfl)
        dwfl_end(dwfl);
    return is_found;
}
