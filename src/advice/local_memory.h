/* SPDX-License-Identifier: Apache-2.0
 * What a kernel keeps in local memory: registers that spill, or arrays of its source. */
#ifndef IFL_ADVICE_LOCAL_MEMORY_H
#define IFL_ADVICE_LOCAL_MEMORY_H

#include "profile/profile.h"

typedef enum ifl_local_use { IFL_LOCAL_NONE, IFL_LOCAL_ARRAYS, IFL_LOCAL_SPILLS } ifl_local_use;

ifl_local_use ifl_local_use_of(const ifl_profile *profile);

#endif
