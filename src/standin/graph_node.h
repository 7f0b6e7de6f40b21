/* SPDX-License-Identifier: Apache-2.0
 * Nodes of graphs as the calls of the runtime describe them: structures become operations, which
 * calls add as nodes or put in place of a node's. */
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

/* cudaMemsetParams. */
typedef struct ifl_set_params {
    void *to;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height;
} ifl_set_params;

/* cudaHostNodeParams. */
typedef struct ifl_host_params {
    void (*call)(void *);
    void *user;
} ifl_host_params;

/* cudaConditionalNodeParams. */
typedef struct ifl_condition_params {
    uint64_t handle;
    int type;
    unsigned count;
    ifl_graph **bodies; /* out */
} ifl_condition_params;

/* cudaGraphNodeParams: the second version of each kind's structure, which begins as the first one
 * does. */
typedef struct ifl_node_params {
    int type;
    int reserved[3];
    union {
        char bytes[232];
        ifl_kernel_params kernel;
        struct {
            int flags, reserved[3];
            ifl_copy3d box;
        } copy;
        ifl_set_params set;
        ifl_host_params host;
        void *pointer;
        struct {
            void *graph;
            int ownership; /* cudaGraphChildGraphNodeOwnership */
        } child;
        ifl_condition_params condition;
    } of;
    long long reserved_too;
} ifl_node_params;

/* An operation, and whether the call describes one. What it holds is the caller's, but for a
 * kernel's parameters. */
typedef struct ifl_made_op {
    ifl_cuda_error code;
    ifl_op op;
} ifl_made_op;

/* `node`: whose operation it is for, NULL for a new one; `from`: an address in the code that
 * asks. */
ifl_made_op ifl_make_kernel(ifl_session *session, const ifl_node *node,
                            const ifl_kernel_params *params, const void *from);
ifl_made_op ifl_make_copy(const ifl_copy3d *box);
ifl_made_op ifl_make_set(const ifl_set_params *params);
ifl_made_op ifl_make_host(const ifl_host_params *params);
ifl_made_op ifl_make_child(ifl_graph *child);
ifl_made_op ifl_make_event(ifl_op_kind kind, void *event);

/* These release what was made. */
ifl_cuda_error ifl_made_add(ifl_node **out, const void *graph, ifl_node *const *after, size_t count,
                            ifl_made_op made);
ifl_cuda_error ifl_made_set(ifl_node *node, ifl_made_op made);
ifl_cuda_error ifl_made_set_exec(ifl_session *session, ifl_node *node, ifl_made_op made);
/* Those of a child graph's nodes, in an instantiated graph. */
ifl_cuda_error ifl_set_exec_child(ifl_session *session, ifl_node *node, const ifl_graph *child);

#endif
