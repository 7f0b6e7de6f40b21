/* SPDX-License-Identifier: Apache-2.0
 * Where an image that a program hands over without its size ends. */
#ifndef IFL_STANDIN_IMAGE_H
#define IFL_STANDIN_IMAGE_H

#include <stddef.h>

/* Text of PTX, a fat binary, the wrapper of one, or an ELF file. *start is where its bytes begin, which a wrapper says. */
size_t ifl_image_measure(const void *image, const void **start);

#endif
