/* SPDX-License-Identifier: Apache-2.0
 * Traits of a PTX instruction, by its name with all modifiers. */
#ifndef IFL_PTX_TRAITS_H
#define IFL_PTX_TRAITS_H

#include "code/trait.h"

uint16_t ifl_ptx_traits(const char *name);

#endif
