/* SPDX-License-Identifier: Apache-2.0
 * The PTX inside ELF files (cubins, objects, executables, shared libraries) and fat binaries. */
#ifndef IFL_SASS_EMBEDDED_H
#define IFL_SASS_EMBEDDED_H

#include "base/error.h"
#include "base/vec.h"

typedef struct ifl_ptx_text {
    char *text; /* of malloc, NUL-terminated */
    size_t bytes;
    uint32_t sm;             /* the entry's; 0 unknown */
    uint32_t machine_sm;     /* of the newest machine code beside it that is not too new; 0: none */
    uint32_t most_registers; /* of a thread, by nvcc -maxrregcount; 0: any */
} ifl_ptx_text;

typedef struct ifl_ptx_texts {
    IFL_VEC(ifl_ptx_text) list;
} ifl_ptx_texts;

void ifl_ptx_texts_free(ifl_ptx_texts *texts);

/* Each container (one a translation unit) gives one text: the newest PTX, or with `sm` not 0 the
 * newest that runs on that GPU. A container without PTX gives the PTX that -lineinfo keeps in
 * its machine code, if it does. No PTX at all is IFL_UNSUPPORTED, and the error says how to
 * embed it. `path` is for messages. */
ifl_status ifl_embedded_elf(int descriptor, const char *path, uint32_t sm, ifl_ptx_texts *out,
                            ifl_error *error);
ifl_status ifl_embedded_fatbin(const char *data, size_t bytes, const char *path, uint32_t sm,
                               ifl_ptx_texts *out, ifl_error *error);

#endif
