/* SPDX-License-Identifier: Apache-2.0
 * What an observer has found out of requests of a likeness (ifl_access): it is so of all that begin at
 * the same place of a line or a sector. A table without chains: what comes to an entry that is taken
 * takes its place. */
#ifndef IFL_CODE_ALIKE_H
#define IFL_CODE_ALIKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IFL_ALIKE_BITS = 11, IFL_ALIKE_ENTRIES = 1 << IFL_ALIKE_BITS };

/* Zeroed: empty. */
typedef struct ifl_alike {
    uint64_t *key; /* of each entry; NULL: nothing has been kept */
    unsigned char *value;
} ifl_alike;

/* The entry, of `bytes` bytes, the same number at every call, zeroed when it is made the first time;
 * `*is_new`: it holds nothing of such requests. NULL without memory. `where`: below 128. */
void *ifl_alike_find(ifl_alike *table, size_t bytes, uint64_t likeness, uint32_t where,
                     bool *is_new);
void ifl_alike_free(ifl_alike *table);

#endif
