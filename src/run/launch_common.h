/* SPDX-License-Identifier: Apache-2.0
 * What a launch needs whatever it runs on: its checks before, and the head of its profile. */
#ifndef IFL_RUN_LAUNCH_COMMON_H
#define IFL_RUN_LAUNCH_COMMON_H

#include "profile/profile.h"
#include "run/launch.h"

/* Grid and block are given, and the kernel and shared memory allow them. */
ifl_status ifl_launch_check(const ifl_launch *launch, uint64_t static_shared_bytes,
                            ifl_error *error);

/* Names, sizes and arguments of the launch. `backend` must outlive the profile. */
ifl_status ifl_launch_describe(const ifl_launch *launch, uint64_t static_shared_bytes,
                               const char *backend, ifl_profile *profile, ifl_error *error);

/* A valid UTF-8 copy in the profile; NULL without memory. */
const char *ifl_profile_copy_text(ifl_profile *profile, const char *text);
/* Adds a warning, of one line and at most a thousand bytes. */
ifl_status ifl_profile_warn(ifl_profile *profile, ifl_error *error, const char *format, ...)
    IFL_PRINTF(3, 4);

#endif
