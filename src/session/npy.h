/* SPDX-License-Identifier: Apache-2.0
 * NumPy's .npy files: versions 1 to 3, little endian, C order, the types of element.def. */
#ifndef IFL_SESSION_NPY_H
#define IFL_SESSION_NPY_H

#include "base/error.h"
#include "session/element.h"

typedef struct ifl_npy {
    FILE *stream; /* stands at the first byte of the data */
    const ifl_element *element;
    uint64_t count; /* elements, all dimensions together */
} ifl_npy;

/* Opens a file and reads its header. `as` may be NULL; else a file whose type can be read as
 * that type is given as that type: bool as i8 and u8, u2 and raw two bytes as bf16. The data is
 * checked to be all there. */
ifl_status ifl_npy_open(const char *path, const ifl_element *as, ifl_npy *out, ifl_error *error);
/* Reads the whole data. */
ifl_status ifl_npy_read(ifl_npy *npy, const char *path, void *to, ifl_error *error);
void ifl_npy_close(ifl_npy *npy);

/* Writes a one-dimensional array: beside the path, then renamed. */
ifl_status ifl_npy_write(const char *path, const ifl_element *element, const void *data,
                         uint64_t count, ifl_error *error);

#endif
