/* SPDX-License-Identifier: Apache-2.0
 * The machine code of a launched kernel, beside its counters. */
#ifndef IFL_SESSION_MACHINE_CODE_H
#define IFL_SESSION_MACHINE_CODE_H

#include "sass/sass.h"
#include "session/session.h"

/* Fills profile->machine from the machine code of the kernel, where there is some: in the module's
 * file itself, or, for NAME.ptx, in NAME.cubin beside it. That of the PTX's target is taken, else
 * the newest. Where a complete profile makes it certain how often every block ran, the counter
 * `instructions` is set. Machine code that is there and cannot be used is a warning in the profile:
 * the launch has run without it. */
ifl_status ifl_machine_code_describe(const ifl_ready_kernel *kernel, ifl_profile *profile,
                                     ifl_error *error);
/* Of a kernel whose machine code ran; `issued` by site of its image: how often a warp issued it. */
ifl_status ifl_machine_code_ran(const ifl_ready_kernel *kernel, const uint64_t *issued,
                                ifl_profile *profile, ifl_error *error);
/* The same from machine code that is at hand. */
ifl_status ifl_machine_code_take(const ifl_machine *machine, const ifl_kernel *kernel,
                                 ifl_profile *profile, ifl_error *error);

#endif
