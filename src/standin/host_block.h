/* SPDX-License-Identifier: Apache-2.0
 * Memory of the host that kernels may reach: what the memory of the GPU does not know of it. */
#ifndef IFL_STANDIN_HOST_BLOCK_H
#define IFL_STANDIN_HOST_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* The call that made it. BY_MALLOC is the GPU's own memory, which has no block. */
typedef enum ifl_block_origin {
    BY_MALLOC,
    BY_MANAGED,
    BY_HOST_ALLOC,
    BY_REGISTER
} ifl_block_origin;

typedef struct ifl_host_block {
    uintptr_t address;
    uint64_t bytes;
    ifl_block_origin origin;
    unsigned flags;
} ifl_host_block;

/* The block that holds the address, or NULL. */
ifl_host_block *ifl_block_find(const void *at);
/* Room for one more, which ifl_block_add then takes; false without memory. */
bool ifl_block_reserve(void);
void ifl_block_add(ifl_host_block block);
void ifl_block_remove(ifl_host_block *block);

#endif
