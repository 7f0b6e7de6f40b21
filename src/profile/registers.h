/* SPDX-License-Identifier: Apache-2.0
 * How many registers a thread of a launched kernel has, from machine code or, as an estimate, from
 * its PTX. */
#ifndef IFL_PROFILE_REGISTERS_H
#define IFL_PROFILE_REGISTERS_H

#include "profile/profile.h"

/* 0: not known. `most`: what a thread may have; *is_estimate may be NULL. */
int ifl_profile_registers(const ifl_profile *profile, int most, bool *is_estimate);
/* What the values of the PTX that live at once would take, whatever a bound leaves; 0: not known. */
int ifl_profile_registers_wanted(const ifl_profile *profile);

#endif
