/* SPDX-License-Identifier: Apache-2.0
 * See alike.h. */
#include "code/alike.h"

#include <stdlib.h>

static bool make(ifl_alike *table, size_t bytes)
{
    table->key = calloc(IFL_ALIKE_ENTRIES, sizeof *table->key);
    table->value = table->key ? calloc(IFL_ALIKE_ENTRIES, bytes) : NULL;
    if (!table->value)
        ifl_alike_free(table);
    return table->value;
}

void *ifl_alike_find(ifl_alike *table, size_t bytes, uint64_t likeness, uint32_t where,
                     bool *is_new)
{
    enum { WHERE_BITS = 7 };
    if (!table->key && !make(table, bytes))
        return NULL;
    const uint64_t key = likeness << WHERE_BITS | where; /* no likeness is 0 */
    const size_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - IFL_ALIKE_BITS);
    *is_new = table->key[at] != key;
    table->key[at] = key;
    return table->value + at * bytes;
}

void ifl_alike_free(ifl_alike *table)
{
    free(table->key);
    free(table->value);
    *table = (ifl_alike){NULL, NULL};
}
