/* SPDX-License-Identifier: Apache-2.0
 * dlopen and dlsym behind one table of symbols. */
#include "base/dynamic.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void *ifl_dynamic_open(const char *const *folders, size_t folder_count, const char *const *names,
                       size_t name_count)
{
    char path[256];
    for (size_t i = 0; i < folder_count; i++)
        for (size_t j = 0; j < name_count; j++) {
            snprintf(path, sizeof path, "%s%s", folders[i], names[j]);
            void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
            if (library)
                return library;
        }
    return NULL;
}

void ifl_dynamic_close(void *library)
{
    if (library)
        dlclose(library);
}

/* POSIX lets dlsym's result become a function pointer, ISO C does not: the representation is
 * copied. */
const char *ifl_dynamic_find(void *library, const ifl_symbol *symbols, size_t count, void *table)
{
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(library, symbols[i].name);
        if (!function && symbols[i].needed)
            return symbols[i].name;
        memcpy((char *)table + symbols[i].offset, &function, sizeof function);
    }
    return NULL;
}
