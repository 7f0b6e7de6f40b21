/* SPDX-License-Identifier: Apache-2.0
 * NVIDIA's fat binary container: entries of PTX and machine code for several GPUs. No size in
 * one is trusted. */
#ifndef IFL_SASS_FATBIN_H
#define IFL_SASS_FATBIN_H

#include "base/error.h"

enum { IFL_FATBIN_PTX = 1, IFL_FATBIN_ELF = 2, IFL_FATBIN_MAGIC = (int)0xba55ed50 };

typedef struct ifl_fatbin_entry {
    uint16_t kind; /* IFL_FATBIN_* */
    uint32_t sm;   /* 90 */
    uint64_t flags;
    const uint8_t *payload;
    size_t payload_bytes;    /* without padding, as far as the header tells */
    uint64_t raw_bytes;      /* unpacked; 0 when it is not packed */
    uint32_t most_registers; /* of a thread, which the PTX is to be compiled for; 0: any */
    const char *file;        /* for messages */
} ifl_fatbin_entry;

/* A range of bytes that holds containers one after another, or one container's entries. */
typedef struct ifl_fatbin {
    const uint8_t *at;
    const uint8_t *end;
    const char *file; /* for messages; NULL: none */
} ifl_fatbin;

/* Takes the next container out of a section: *found tells whether there was one. Padding between
 * them is skipped. */
ifl_status ifl_fatbin_next(ifl_fatbin *section, ifl_fatbin *container, bool *found,
                           ifl_error *error);
/* Takes the next entry out of a container. */
ifl_status ifl_fatbin_entry_next(ifl_fatbin *container, ifl_fatbin_entry *entry, bool *found,
                                 ifl_error *error);
/* Whether the payload must be unpacked; else it is the contents. */
bool ifl_fatbin_is_packed(const ifl_fatbin_entry *entry);
/* Whether it is for one architecture or family alone (sm_90a, sm_100f). */
bool ifl_fatbin_is_specific(const ifl_fatbin_entry *entry);
/* A copy of the entry's contents, unpacked; of malloc, with a NUL after it. */
ifl_status ifl_fatbin_unpack(const ifl_fatbin_entry *entry, char **text, size_t *bytes,
                             ifl_error *error);

#endif
