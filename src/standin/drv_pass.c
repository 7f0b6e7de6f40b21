/* SPDX-License-Identifier: Apache-2.0
 * The calls of the driver that one call of the runtime does: rows of driver_pass.def. */
#include "standin/array.h"
#include "standin/driver_served.h"
#include "standin/graph_update.h"
#include "standin/handle.h"

static bool are_contexts(const void *a, const void *b)
{
    return ifl_driver_is_context(a) && ifl_driver_is_context(b);
}

/* The driver's copies of bytes in a row do not go over into the next row, as the runtime's do: so an H200
 * (tests/standin/programs/rows_of_arrays.cu). */
static bool is_in_row(const void *handle, size_t at, size_t bytes)
{
    const ifl_array *array = ifl_array_of(handle);
    const size_t row = array ? ifl_array_row_bytes(array) : SIZE_MAX;
    return at <= row && bytes <= row - at;
}

#define IN_ROW(array, at, bytes, call)                                                             \
    (is_in_row(array, at, bytes) ? (call) : ifl_cudaErrorInvalidValue)

static ifl_driver_need need_of(const void *stream)
{
    return ifl_handle_find(IFL_HANDLE_STREAM, stream) ? IFL_NEEDS_INIT : IFL_NEEDS_CONTEXT;
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
extern ifl_cuda_error cuGraphMemcpyNodeSetParams(void *node, const void *copy);
extern ifl_cuda_error cuGraphExecMemcpyNodeSetParams(void *exec, void *node, const void *copy,
                                                     void *context);

extern ifl_cuda_error cuGraphAddBatchMemOpNode(void **out, void *graph, void *const *after,
                                               size_t count, const void *params);
extern ifl_cuda_error cuGraphBatchMemOpNodeSetParams(void *node, const void *params);
extern ifl_cuda_error cuGraphExecBatchMemOpNodeSetParams(void *exec, void *node,
                                                         const void *params);

/* CUgraphNodeParams is cudaGraphNodeParams but for copies, for kernels that are given as CUkernel,
 * and for words, of which the runtime knows nothing. */
enum { NODE_KERNEL = 0, NODE_COPY = 1, NODE_WORDS = 12 };
typedef struct node_words {
    int type, reserved[3];
    void *of[29];
} node_words;
enum { KERNEL_HANDLE = 7, KERNELS_CONTEXT = 8, COPYS_CONTEXT = 1, COPYS_BOX = 2 };

/* The runtime's: `params` itself, or `own` for a kernel. */
static void *node_params(node_words *params, node_words *own)
{
    if (!params || params->type != NODE_KERNEL)
        return params;
    *own = *params;
    own->of[0] = own->of[0] ? own->of[0] : own->of[KERNEL_HANDLE];
    own->of[KERNEL_HANDLE] = own->of[KERNELS_CONTEXT] = NULL;
    return own;
}

static ifl_cuda_error add_node(void **out, void *graph, void *const *after, const void *edges,
                               size_t count, node_words *params)
{
    node_words own;
    if (params && params->type == NODE_WORDS)
        return cuGraphAddBatchMemOpNode(out, graph, after, count, params->of);
    return params && params->type == NODE_COPY
               ? cuGraphAddMemcpyNode(out, graph, after, count, &params->of[COPYS_BOX],
                                      params->of[COPYS_CONTEXT])
               : cudaGraphAddNode(out, graph, after, edges, count, node_params(params, &own));
}

static ifl_cuda_error set_node(void *node, node_words *params)
{
    node_words own;
    if (params && params->type == NODE_WORDS)
        return cuGraphBatchMemOpNodeSetParams(node, params->of);
    return params && params->type == NODE_COPY
               ? cuGraphMemcpyNodeSetParams(node, &params->of[COPYS_BOX])
               : cudaGraphNodeSetParams(node, node_params(params, &own));
}

static ifl_cuda_error set_exec_node(void *exec, void *node, node_words *params)
{
    node_words own;
    if (params && params->type == NODE_WORDS)
        return cuGraphExecBatchMemOpNodeSetParams(exec, node, params->of);
    return params && params->type == NODE_COPY
               ? cuGraphExecMemcpyNodeSetParams(exec, node, &params->of[COPYS_BOX],
                                                params->of[COPYS_CONTEXT])
               : cudaGraphExecNodeSetParams(exec, node, node_params(params, &own));
}

/* Before CUDA 13 the copy that fails is told: given one by one, the others have no part in it. */
static ifl_cuda_error copy_boxes(size_t count, const void *ops, size_t *failed,
                                 unsigned long long flags, void *stream)
{
    enum { OP_BYTES = 112 }; /* CUDA_MEMCPY3D_BATCH_OP */
    ifl_cuda_error code = ops && count ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
    if (failed)
        *failed = SIZE_MAX;
    for (size_t i = 0; i < count && code == ifl_cudaSuccess; i++) {
        code = cudaMemcpy3DBatchAsync(1, (const char *)ops + i * OP_BYTES, flags, stream);
        if (code != ifl_cudaSuccess && failed)
            *failed = i;
    }
    return code;
}

/* Before CUDA 12 the result is told in two places. */
static ifl_cuda_error update(void *exec, void *from, void **bad, int *result)
{
    ifl_update_info info;
    if (!bad || !result)
        return ifl_cudaErrorInvalidValue;
    const ifl_cuda_error code = cudaGraphExecUpdate(exec, from, &info);
    *bad = ifl_graph_update_told(ifl_graph_of(from), &info);
    *result = info.result;
    return code;
}

/* A node is told to the program that asks where the graph cannot be instantiated. */
static ifl_cuda_error instantiate(void **out, void *graph, void **bad, char *log, size_t bytes)
{
    struct {
        unsigned long long flags;
        void *stream, *bad;
        int result;
    } how = {0};
    if (log && bytes)
        *log = '\0';
    const ifl_cuda_error code = cudaGraphInstantiateWithParams(out, graph, &how);
    if (bad)
        *bad = how.bad;
    return code;
}

#define PASS(name, params, ...)                                                                    \
    IFL_SERVED ifl_cuda_error name params                                                          \
    {                                                                                              \
        DRIVE(__VA_ARGS__);                                                                        \
    }
#define PASS_EARLY(name, params, ...)                                                              \
    IFL_SERVED ifl_cuda_error name params                                                          \
    {                                                                                              \
        DRIVE_EARLY(__VA_ARGS__);                                                                  \
    }
/* XLA enqueues host functions in threads in which it made no context current. */
#define PASS_S(name, params, ...)                                                                  \
    IFL_SERVED ifl_cuda_error name params                                                          \
    {                                                                                              \
        DRIVE_WITH(need_of(stream), __VA_ARGS__);                                                  \
    }                                                                                              \
    ALSO_OF_THREAD(name##_ptsz, name);
#define PASS_Z(name, params, ...)                                                                  \
    PASS(name, params, __VA_ARGS__)                                                                \
    ALSO_OF_THREAD(name##_ptsz, name);
#define PASS_D(name, params, ...)                                                                  \
    PASS(name, params, __VA_ARGS__)                                                                \
    ALSO_OF_THREAD(name##_ptds, name);
#include "standin/driver_pass.def"
