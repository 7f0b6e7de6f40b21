/* SPDX-License-Identifier: Apache-2.0
 * Captures into a graph that has its nodes already (CUDA Runtime API,
 * cudaStreamBeginRecaptureToGraph): what is captured takes the places of the nodes, in the order they
 * were made, and must have their kinds and edges. The lock of state.h is held. */
#ifndef IFL_STANDIN_RECAPTURE_H
#define IFL_STANDIN_RECAPTURE_H

#include "standin/graph.h"
#include "standin/stream.h"

/* Told of a node that gets other parameters, as they are before and when it has them; *is_eligible:
 * an instance of the graph may have them too. Another code than cudaSuccess ends the recapture. */
typedef ifl_cuda_error ifl_recapture_change(void *user, ifl_node *node, const ifl_op *to,
                                            bool is_eligible);

typedef struct ifl_recapture {
    size_t next;                  /* node */
    ifl_recapture_change *change; /* NULL: nobody is told */
    void *user;                   /* the program's, with its function */
    void *call;
    bool has_failed;
} ifl_recapture;

/* NULL without memory. */
ifl_recapture *ifl_recapture_begin(ifl_graph *graph, ifl_recapture_change *change, void *call,
                                   void *user);
/* The operation in the place of the next node, which is what the stream's next one follows. */
ifl_cuda_error ifl_recapture_give(ifl_session *session, ifl_stream *stream, const ifl_op *op);
/* What the next node allocates, where it does so many bytes; NULL: it does not. */
void *ifl_recapture_memory(const ifl_graph *graph, uint64_t bytes);
/* Whether every node had its turn. */
ifl_cuda_error ifl_recapture_end(ifl_graph *graph);

#endif
