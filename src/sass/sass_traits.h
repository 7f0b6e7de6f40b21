/* SPDX-License-Identifier: Apache-2.0
 * Traits of an instruction of machine code, by its name with all modifiers. */
#ifndef IFL_SASS_TRAITS_H
#define IFL_SASS_TRAITS_H

#include "code/trait.h"

uint16_t ifl_sass_traits(const char *name);

#endif
