/* SPDX-License-Identifier: Apache-2.0
 * One cubin of a larger file, for the reader of files. */
#ifndef IFL_SASS_CUBIN_H
#define IFL_SASS_CUBIN_H

#include "sass/elf_image.h"
#include "sass/sass.h"

/* The target of a cubin; 0 when the image is none. */
uint32_t ifl_cubin_sm(const ifl_elf_image *image);

/* ifl_machine_read_cubin, where `bytes` stand at `file_offset` of the file (0: not in it as they
 * are). */
ifl_status ifl_cubin_read(const char *name, const uint8_t *bytes, size_t size, uint64_t file_offset,
                          ifl_machine *into, ifl_error *error);

#endif
