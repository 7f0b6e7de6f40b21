/* SPDX-License-Identifier: Apache-2.0
 * Warps flow through a kernel's blocks as water through pipes: what comes in goes out. Of such a
 * net, what is known of some blocks tells of others. Knows blocks and ways between them only. */
#ifndef IFL_SASS_SASS_FLUX_H
#define IFL_SASS_SASS_FLUX_H

#include "sass/sass.h"

typedef struct ifl_sass_flux ifl_sass_flux;

/* `warps` enter the first block. `uniform`: no warp parts at a branch; else only what leads to one
 * place alone, to which nothing else leads, is followed. NULL without memory. */
ifl_sass_flux *ifl_sass_flux_new(const ifl_sass_kernel *kernel, uint64_t warps, bool uniform);
void ifl_sass_flux_free(ifl_sass_flux *flux);
void ifl_sass_flux_know(ifl_sass_flux *flux, uint32_t block, uint64_t count);
/* Finds all that follows. Where what is known contradicts itself, nothing is known any more, for
 * good. */
void ifl_sass_flux_settle(ifl_sass_flux *flux);
/* False: not known. `count` may be NULL. */
bool ifl_sass_flux_block(const ifl_sass_flux *flux, uint32_t block, uint64_t *count);

#endif
