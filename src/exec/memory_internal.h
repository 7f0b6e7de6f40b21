/* SPDX-License-Identifier: Apache-2.0
 * What only the engine asks of global memory. */
#ifndef IFL_EXEC_MEMORY_INTERNAL_H
#define IFL_EXEC_MEMORY_INTERNAL_H

#include "exec/memory.h"

/* One byte for each byte of the allocation, 1 where it was written; NULL when nobody tracks. */
uint8_t *ifl_memory_written(const ifl_allocation *allocation);
/* What an allocation held when it had the version. */
typedef struct ifl_memory_copy {
    uint8_t *bytes; /* as many as it has; NULL: there is none */
    uint64_t version;
} ifl_memory_copy;

/* The copy that is kept with it, and freed with it. */
ifl_memory_copy *ifl_memory_copy_of(ifl_allocation *allocation);
/* Whether each change of its bytes gives it another version: nobody changes them without a call. */
bool ifl_memory_has_version(const ifl_allocation *allocation);
/* The allocation whose start or end is next to an address outside of all; NULL when there are
 * none. */
ifl_allocation *ifl_memory_nearest(const ifl_memory *memory, uint64_t address);
/* Gives back what only one launch needed, as if it had never been. Not for adopted ones. */
void ifl_memory_forget(ifl_memory *memory, ifl_allocation *allocation);
/* A launch begins, and ends: what it changed has another version then. */
void ifl_memory_launch_begin(ifl_memory *memory);
void ifl_memory_launch_end(ifl_memory *memory);
/* Of every allocation it cannot be said. */
void ifl_memory_changed_all(ifl_memory *memory);
/* The kernel freed it: kept, so that a later use can be named. */
void ifl_memory_release(ifl_memory *memory, ifl_allocation *allocation);

#endif
