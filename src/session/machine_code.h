/* SPDX-License-Identifier: Apache-2.0
 * The machine code of a launched kernel, beside its counters. */
#ifndef IFL_SESSION_MACHINE_CODE_H
#define IFL_SESSION_MACHINE_CODE_H

#include "session/session.h"

/* What its machine code alone says, the same for all its launches. */
typedef struct ifl_analysed ifl_analysed;
void ifl_analysed_free(ifl_analysed *analysed);

/* Fills profile->machine of a kernel whose machine code ran; `issued` by site of its image: how
 * often a warp issued it. With its instructions where they are to be listed. */
ifl_status ifl_machine_code_ran(ifl_ready_kernel *kernel, const uint64_t *issued, bool listed,
                                ifl_profile *profile, ifl_error *error);
/* Of a kernel whose PTX ran, where there is machine code beside it: what stands in that. Machine
 * code that cannot be read here is a warning in the profile. */
ifl_status ifl_machine_code_beside(const ifl_ready_kernel *kernel, ifl_profile *profile,
                                   ifl_error *error);

#endif
