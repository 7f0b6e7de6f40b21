/* SPDX-License-Identifier: Apache-2.0
 * Graphs: operations and what each waits for. */
#ifndef IFL_STANDIN_GRAPH_H
#define IFL_STANDIN_GRAPH_H

#include "base/vec.h"
#include "standin/handle.h"
#include "standin/op.h"

typedef struct ifl_node {
    ifl_op op;
    struct ifl_graph *graph; /* that it is a node of */
    bool is_disabled;
    bool is_joined;                   /* by the stream whose capture ends: found when it does */
    const struct ifl_node *made_from; /* of which it is a clone's; NULL: it is no clone's */
    IFL_VEC(struct ifl_node *) waits_for;
} ifl_node;

typedef struct ifl_graph {
    ifl_handle_kind
        /* IFL_HANDLE_GRAPH, whose nodes are handles too, IFL_HANDLE_EXEC, or IFL_HANDLE_NONE */
        kind;
    bool is_running;
    bool is_body;              /* of a conditional node, which owns it */
    IFL_VEC(ifl_node *) nodes; /* in the order they were made: a node waits for earlier ones only */
} ifl_graph;

/* NULL without memory. */
ifl_graph *ifl_graph_new(ifl_handle_kind kind);
void ifl_graph_free(ifl_graph *graph);
/* What a program holds; NULL: it is none. */
ifl_graph *ifl_graph_of(const void *handle);
ifl_graph *ifl_exec_of(const void *handle);
ifl_node *ifl_node_of(const void *handle);
/* A node with a copy of the operation, last in the graph; NULL without memory. */
ifl_node *ifl_graph_add(ifl_graph *graph, const ifl_op *op);
/* A copy with copies of all nodes; NULL without memory. */
ifl_graph *ifl_graph_clone(const ifl_graph *graph, ifl_handle_kind kind);
/* The node of a clone that was made from `node`, or `node` itself where it is of this graph; NULL:
 * neither. */
ifl_node *ifl_graph_twin(ifl_graph *graph, const ifl_node *node);
/* A node of the graph behind the handle that waits for the `count` nodes `after`, all of that
 * graph. */
ifl_cuda_error ifl_graph_add_after(ifl_node **out, const void *graph, ifl_node *const *after,
                                   size_t count, const ifl_op *op);
/* Lets each node to[i] wait for from[i]. */
ifl_cuda_error ifl_graph_depend(const void *graph, ifl_node *const *from, ifl_node *const *to,
                                size_t count);
/* Runs every node, each after those it waits for; cudaErrorNotPermitted where one of its own host
 * functions asks. */
ifl_cuda_error ifl_graph_run(ifl_session *session, ifl_graph *graph);

/* The bodies of a conditional node that its condition's value chooses; nothing where it has
 * none. */
ifl_cuda_error ifl_graph_run_chosen(ifl_session *session, const ifl_op_condition *condition);
bool ifl_graph_has_conditions(const ifl_graph *graph);

/* Memory that nodes of graphs allocate stands where it is from the node's making on: a graph that
 * is launched again finds it, and giving it back between changes nothing. */
bool ifl_graph_memory_keep(uint64_t address, uint64_t bytes);
bool ifl_graph_memory_holds(uint64_t address);
uint64_t ifl_graph_memory_bytes(void);

#endif
