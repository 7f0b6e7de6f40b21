/* SPDX-License-Identifier: Apache-2.0
 * What of an instantiated graph may change without making it anew (CUDA Runtime API,
 * cudaGraphExecUpdate and the calls cudaGraphExec...SetParams). */
#ifndef IFL_STANDIN_GRAPH_UPDATE_H
#define IFL_STANDIN_GRAPH_UPDATE_H

#include "standin/graph.h"

/* cudaGraphExecUpdateResult */
typedef enum ifl_update_result {
    IFL_UPDATE_DONE = 0,
    IFL_UPDATE_ERROR = 1,
    IFL_UPDATE_TOPOLOGY = 2,
    IFL_UPDATE_KIND = 3,
    IFL_UPDATE_PARAMETERS = 5,
    IFL_UPDATE_ATTRIBUTES = 8
} ifl_update_result;

/* cudaGraphExecUpdateResultInfo: the node at fault, and that at the other end of its edge. */
typedef struct ifl_update_info {
    int result;
    ifl_node *node, *from;
} ifl_update_info;

/* The nodes of `exec` do what those of `from` do, pair by pair; cudaErrorGraphExecUpdateFailure,
 * and nothing changed, where they may not. */
ifl_cuda_error ifl_graph_update(ifl_session *session, ifl_graph *exec, const ifl_graph *from,
                                ifl_update_info *info);
/* The node that calls of before CUDA 12 tell of an update: where the counts of nodes differ that is an
 * exit node of `from`, as an H100 (driver 580) has it. */
ifl_node *ifl_graph_update_told(const ifl_graph *from, const ifl_update_info *info);
/* Whether a node of an instantiated graph may do the one instead of the other. */
bool ifl_op_may_become(ifl_session *session, const ifl_op *op, const ifl_op *other);
/* ifl_node_replace for a node of an instantiated graph; cudaErrorInvalidValue where it may not. */
ifl_cuda_error ifl_exec_replace(ifl_session *session, ifl_node *node, const ifl_op *op);

#endif
