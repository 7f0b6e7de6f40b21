/* SPDX-License-Identifier: Apache-2.0
 * What is known of an address that a program mapped (drv_virtual.c). */
#ifndef IFL_STANDIN_VIRTUAL_PLACE_H
#define IFL_STANDIN_VIRTUAL_PLACE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ifl_virtual_place {
    uint64_t reserved_bytes;
    uintptr_t reserved, mapped; /* where its reservation and its mapping begin */
    uint64_t mapped_bytes;
    int handle_types; /* by which the memory may be shared; 0: none */
    int access;       /* CUmemAccess_flags */
    const void *memory;
    int gpu; /* whose memory it is */
} ifl_virtual_place;

/* False: nothing is mapped there. */
bool ifl_virtual_find(uintptr_t at, ifl_virtual_place *out);

#endif
