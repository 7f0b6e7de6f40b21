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

extern ifl_cuda_error cuGraphAddMemcpyNode(void **out, void *graph, void *const *after,
                                           size_t count, const void *copy, void *context);

/* CUgraphNodeParams is cudaGraphNodeParams but for copies, and for kernels that are given as
 * CUkernel. */
static ifl_cuda_error add_node(void **out, void *graph, void *const *after, size_t count,
                               void *params)
{
    enum { KERNEL = 0, COPY = 1 };
    struct {
        int type, reserved[3];
        void *of[29];
    } own;
    enum { KERNELS_CONTEXT = 8, KERNEL_HANDLE = 7, COPYS_BOX = 2 };
    if (!params)
        return ifl_cudaErrorInvalidValue;
    memcpy(&own, params, sizeof own);
    if (own.type == COPY)
        return cuGraphAddMemcpyNode(out, graph, after, count, &own.of[COPYS_BOX], own.of[1]);
    if (own.type != KERNEL)
        return cudaGraphAddNode(out, graph, after, NULL, count, params);
    own.of[0] = own.of[0] ? own.of[0] : own.of[KERNEL_HANDLE];
    own.of[KERNEL_HANDLE] = own.of[KERNELS_CONTEXT] = NULL;
    return cudaGraphAddNode(out, graph, after, NULL, count, &own);
}

#define PASS(name, params, ...)                                                                    \
    IFL_SERVED ifl_cuda_error name params                                                          \
    {                                                                                              \
        DRIVE(__VA_ARGS__);                                                                        \
    }
#define PASS_Z(name, params, ...)                                                                  \
    PASS(name, params, __VA_ARGS__)                                                                \
    ALSO(name##_ptsz, name);
#define PASS_D(name, params, ...)                                                                  \
    PASS(name, params, __VA_ARGS__)                                                                \
    ALSO(name##_ptds, name);
#include "standin/driver_pass.def"
