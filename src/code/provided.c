/* SPDX-License-Identifier: Apache-2.0
 * The functions that kernels are given, by name. */
#include "code/code.h"

#include <string.h>

ifl_provided ifl_provided_find(const char *name)
{
    static const char *const names[IFL_PROVIDED_COUNT] = {
        [IFL_PROVIDED_NONE] = "",
#define PROVIDED(enum_name, text) [IFL_PROVIDED_##enum_name] = text,
#include "code/provided.def"
    };
    for (int i = IFL_PROVIDED_NONE + 1; i < IFL_PROVIDED_COUNT; i++)
        if (strcmp(names[i], name) == 0)
            return (ifl_provided)i;
    return IFL_PROVIDED_NONE;
}
