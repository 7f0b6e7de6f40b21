/* SPDX-License-Identifier: Apache-2.0
 * Machine code -> code: a kernel of an object with all functions that it can call, as one
 * routine. */
#ifndef IFL_SASS_SASS_LOWER_H
#define IFL_SASS_SASS_LOWER_H

#include "code/code.h"
#include "sass/object.h"

typedef struct ifl_sass_lowering {
    const ifl_object *object; /* placed (ifl_object_place); must outlive the image */
    const ifl_object_text *kernel;
} ifl_sass_lowering;

/* What a kernel's file says of its launches: the part of its demands that its instructions do not show. */
ifl_demands ifl_sass_declared(const ifl_machine_kernel *kernel);

/* An instruction that there is no code for stops the launch that reaches it, with its name and
 * place. IFL_UNSUPPORTED: the architecture is not known, or the kernel needs a symbol that nobody
 * has. */
ifl_status ifl_sass_lower(const ifl_sass_lowering *lowering, ifl_image *image, ifl_error *error);

#endif
