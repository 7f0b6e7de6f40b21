/* SPDX-License-Identifier: Apache-2.0
 * What all allocations hold, kept while a launch runs that is not to leave anything: afterwards they
 * hold it again, and what that launch left is kept in turn. Not for launches that allocate or
 * free. What has not changed since the last snapshot is not copied again. */
#ifndef IFL_EXEC_MEMORY_SNAPSHOT_H
#define IFL_EXEC_MEMORY_SNAPSHOT_H

#include "base/vec.h"
#include "exec/memory.h"

typedef struct ifl_snapshot_part {
    ifl_allocation *of;
    uint64_t address, id; /* of it */
    uint8_t *before;
    uint64_t version; /* that stands for what it held before */
    uint8_t *left;    /* by the launch; NULL: it changed nothing here */
    uint8_t *written; /* which bytes of it anything had written, where that is tracked */
} ifl_snapshot_part;

typedef struct ifl_memory_snapshot {
    ifl_memory *memory;
    IFL_VEC(ifl_snapshot_part) parts; /* by address */
} ifl_memory_snapshot;

/* Of nothing, where it fails. */
ifl_status ifl_memory_snapshot_take(ifl_memory *memory, ifl_memory_snapshot *out, ifl_error *error);
/* The launch that ran last has come to an end. Memory is as before in every case; without memory for
 * what the launch left it fails. */
ifl_status ifl_memory_snapshot_put_back(ifl_memory *memory, ifl_memory_snapshot *snapshot,
                                        ifl_error *error);
/* What it kept of allocations that still are there is left for the next one. */
void ifl_memory_snapshot_free(ifl_memory_snapshot *snapshot);

#endif
