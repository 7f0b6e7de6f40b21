/* SPDX-License-Identifier: Apache-2.0
 * The functions that kernels are given, by name. */
#include "code/code.h"
#include "code/texture.h"

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

bool ifl_provided_is_for_ptx(ifl_provided function)
{
    return function < IFL_PROVIDED_NESTED_PARAMETERS;
}

bool ifl_provided_asks_textures(ifl_provided function)
{
    return function >= IFL_PROVIDED_GRADIENT_3D_F16 &&
           function <= IFL_PROVIDED_PRED_GRADIENT_ACUBE_DEPTH_U32;
}

/* Those that read textures ask nothing of a launch. */
uint32_t ifl_provided_bit(ifl_provided function)
{
    return function == IFL_PROVIDED_NONE || function >= IFL_PROVIDED_GRADIENT_3D_F16
               ? 0
               : UINT32_C(1) << function;
}

bool ifl_provided_any_outside(uint32_t functions)
{
    return functions & ~ifl_provided_bit(IFL_PROVIDED_ASSERT);
}

bool ifl_provided_any_lasting(uint32_t functions)
{
    return functions &
           ~(ifl_provided_bit(IFL_PROVIDED_ASSERT) | ifl_provided_bit(IFL_PROVIDED_PRINTF) |
             ifl_provided_bit(IFL_PROVIDED_SET_CONDITION));
}

/* Far behind all code. */
#define FIRST_ADDRESS (IFL_CODE_WINDOW + IFL_WINDOW_BYTES / 2)

uint64_t ifl_provided_address(ifl_provided function)
{
    return FIRST_ADDRESS + IFL_CODE_BYTES * (uint64_t)function;
}

ifl_provided ifl_provided_at(uint64_t address)
{
    const uint64_t number = (address - FIRST_ADDRESS) / IFL_CODE_BYTES;
    return address % IFL_CODE_BYTES == 0 && number < IFL_PROVIDED_COUNT ? (ifl_provided)number
                                                                        : IFL_PROVIDED_NONE;
}
