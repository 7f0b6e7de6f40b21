/* SPDX-License-Identifier: Apache-2.0
 * Images of device code that a program hands over without their size, or as files. */
#ifndef IFL_STANDIN_IMAGE_H
#define IFL_STANDIN_IMAGE_H

#include <stddef.h>
#include <stdio.h>

/* Text of PTX, a fat binary, the wrapper of one, or an ELF file. *start is where its bytes begin,
 * which a wrapper says. */
size_t ifl_image_measure(const void *image, const void **start);

/* All bytes of a file, with a 0 behind them, of malloc; NULL: it cannot be read. */
char *ifl_image_read(FILE *file, size_t *bytes);

#endif
