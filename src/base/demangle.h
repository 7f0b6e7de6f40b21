/* SPDX-License-Identifier: Apache-2.0
 * C++ names as people write them. What a name means is for others. */
#ifndef IFL_BASE_DEMANGLE_H
#define IFL_BASE_DEMANGLE_H

#include "base/arena.h"

/* The signature without its return type, or the name itself where it is not a C++ name or its
 * signature is longer than anybody reads. In the arena; NULL without memory. */
const char *ifl_demangle(ifl_arena *arena, const char *mangled);

#endif
