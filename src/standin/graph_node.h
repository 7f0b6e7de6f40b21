/* SPDX-License-Identifier: Apache-2.0
 * Nodes of graphs as the calls of the runtime make them, beyond the file that serves a call. */
#ifndef IFL_STANDIN_GRAPH_NODE_H
#define IFL_STANDIN_GRAPH_NODE_H

#include "standin/graph.h"

/* cudaKernelNodeParams. */
typedef struct ifl_kernel_params {
    void *function;
    ifl_dim3 grid, block;
    unsigned shared_bytes;
    void **arguments;
    void **extra;
} ifl_kernel_params;

/* `from`: an address in the code that asks. */
ifl_cuda_error ifl_graph_add_kernel(ifl_session *session, ifl_node **out, const void *graph,
                                    ifl_node *const *after, size_t count,
                                    const ifl_kernel_params *params, const void *from);

#endif
