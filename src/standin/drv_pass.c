/* SPDX-License-Identifier: Apache-2.0
 * The calls of the driver that one call of the runtime does: rows of driver_pass.def. */
#include "standin/driver_served.h"

static bool are_contexts(const void *a, const void *b)
{
    return ifl_driver_is_context(a) && ifl_driver_is_context(b);
}

/* From version 12 on CUDA_KERNEL_NODE_PARAMS has two members more, a kernel and a context: none. */
static void clear_kernel_node(void *params)
{
    enum { BEFORE = 56, MORE = 16 };
    if (params)
        memset((char *)params + BEFORE, 0, MORE);
}

#define PASS(name, params, ...)                                                                                        \
    IFL_SERVED ifl_cuda_error name params                                                                              \
    {                                                                                                                  \
        DRIVE(__VA_ARGS__);                                                                                            \
    }
#define PASS_Z(name, params, ...)                                                                                      \
    PASS(name, params, __VA_ARGS__)                                                                                    \
    ALSO(name##_ptsz, name);
#define PASS_D(name, params, ...)                                                                                      \
    PASS(name, params, __VA_ARGS__)                                                                                    \
    ALSO(name##_ptds, name);
#include "standin/driver_pass.def"
