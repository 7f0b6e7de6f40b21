/* SPDX-License-Identifier: Apache-2.0
 * Nodes that kernels change (CUDA Runtime API, cudaLaunchAttributeDeviceUpdatableKernelNode): each has
 * a number, by which kernels name it, and which its node in the one instance of its graph has too.
 * The lock of state.h is held. */
#ifndef IFL_STANDIN_DEVICE_NODE_H
#define IFL_STANDIN_DEVICE_NODE_H

#include "standin/graph.h"

/* cudaLaunchAttributeValue::deviceUpdatableKernelNode */
typedef struct ifl_updatable {
    int is_updatable;
    uint64_t node; /* out */
} ifl_updatable;
enum { IFL_ATTRIBUTE_UPDATABLE = 13 };

/* The node may be changed from now on, as the attribute asks for. */
ifl_cuda_error ifl_device_node_set(ifl_node *node, ifl_updatable *attribute);
bool ifl_graph_has_device_nodes(const ifl_graph *graph);
/* What a kernel asks for, in the instance and in what of it is to run still. */
ifl_cuda_error ifl_device_node_change(const ifl_graph_change *change);
/* The same of one operation; *is_off: its node is disabled. */
ifl_cuda_error ifl_device_op_change(ifl_op *op, bool *is_off, const ifl_graph_change *change);

#endif
