/* SPDX-License-Identifier: Apache-2.0
 * Libraries that are looked for at run time and used where they are found: NVIDIA's driver and
 * compiler. What their functions do is for others. */
#ifndef IFL_BASE_DYNAMIC_H
#define IFL_BASE_DYNAMIC_H

#include <stdbool.h>
#include <stddef.h>

/* A function wanted: `offset` is that of a function pointer in the structure given to
 * ifl_dynamic_find. */
typedef struct ifl_symbol {
    const char *name;
    size_t offset;
    bool needed;
} ifl_symbol;

/* The first of `names` in the first of `folders` ("" is the system's own search) that can be
 * opened, or NULL. The libraries meant here keep allocations of their own past dlclose: they stay
 * loaded. */
void *ifl_dynamic_open(const char *const *folders, size_t folder_count, const char *const *names,
                       size_t name_count);
void ifl_dynamic_close(void *library);

/* Fills the function pointers of `table`; the name of the first that is needed and missing, or
 * NULL. Those that are not needed are NULL where they are missing. */
const char *ifl_dynamic_find(void *library, const ifl_symbol *symbols, size_t count, void *table);

#endif
