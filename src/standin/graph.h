/* SPDX-License-Identifier: Apache-2.0
 * Graphs: operations and what each waits for. */
#ifndef IFL_STANDIN_GRAPH_H
#define IFL_STANDIN_GRAPH_H

#include "base/vec.h"
#include "standin/handle.h"
#include "standin/op.h"

/* What a program sets of a kernel's node and nothing here obeys: the number, and the union of
 * cudaLaunchAttribute. */
typedef struct ifl_node_attribute {
    int number;
    uint8_t is[64];
} ifl_node_attribute;

/* cudaGraphNodeType. */
typedef enum ifl_node_type {
    IFL_NODE_KERNEL = 0,
    IFL_NODE_COPY = 1,
    IFL_NODE_SET = 2,
    IFL_NODE_HOST = 3,
    IFL_NODE_GRAPH = 4,
    IFL_NODE_EMPTY = 5,
    IFL_NODE_EVENT_WAIT = 6,
    IFL_NODE_EVENT_RECORD = 7,
    IFL_NODE_ALLOCATE = 10,
    IFL_NODE_RELEASE = 11,
    IFL_NODE_WORDS = 12, /* of the driver alone: CUgraphNodeType */
    IFL_NODE_CONDITION = 13
} ifl_node_type;

struct ifl_user_object;
typedef struct ifl_user_hold {
    struct ifl_user_object *object;
    uint64_t count;
} ifl_user_hold;

/* cudaGraphEdgeData: zeros are an ordinary edge, which every edge is here but for who asks. */
typedef struct ifl_edge_data {
    uint8_t from_port, to_port, type, reserved[5];
} ifl_edge_data;

typedef struct ifl_node {
    ifl_op op;
    struct ifl_graph *graph; /* that it is a node of */
    unsigned number;         /* in the graph, from 0 on: it stays when others are destroyed */
    bool is_disabled;
    uint64_t device_number; /* by which kernels change it (device_node.h); 0: they do not */
    bool is_done;           /* in the run that is made */
    size_t place;           /* in the graph, where ifl_graph_number was called */
    bool is_waited_for;     /* by a node of the graph; the same */
    bool is_joined;         /* by the stream whose capture ends: found when it does */
    const struct ifl_node *made_from; /* of which it is a clone's; NULL: it is no clone's */
    IFL_VEC(struct ifl_node *) waits_for;
    IFL_VEC(ifl_edge_data) edges; /* to each of these */
    IFL_VEC(ifl_node_attribute) attributes;
} ifl_node;

typedef struct ifl_graph {
    ifl_handle_kind
        /* IFL_HANDLE_GRAPH, whose nodes are handles too, IFL_HANDLE_EXEC, or IFL_HANDLE_NONE */
        kind;
    unsigned number;  /* of the process: no other graph has had it */
    unsigned numbers; /* that its nodes were given */
    bool is_inner;    /* a node owns it */
    bool is_moved;    /* into that node, as the program asked for */
    bool is_ring;     /* and that node is in the graph itself, through others */
    bool is_spoilt;   /* by a call that its capture does not allow */
    struct ifl_recapture
        *recapture;            /* its capture goes over the nodes that it has; NULL: it does not */
    bool is_uploaded;          /* kernels may launch it */
    bool has_instance;         /* was instantiated */
    unsigned instance_of;      /* the number of the graph that it was instantiated from */
    unsigned long long flags;  /* it tells that it was instantiated with */
    IFL_VEC(ifl_node *) nodes; /* in the order they were made */
    IFL_VEC(ifl_user_hold) holds;
} ifl_graph;

/* NULL without memory. */
ifl_graph *ifl_graph_new(ifl_handle_kind kind);
void ifl_graph_free(ifl_graph *graph);
/* What a program holds; NULL: it is none. */
ifl_graph *ifl_graph_of(const void *handle);
ifl_graph *ifl_exec_of(const void *handle);
ifl_node *ifl_node_of(const void *handle);
ifl_node_type ifl_node_type_of(const ifl_node *node);
/* A node with a copy of the operation, last in the graph; NULL without memory. */
ifl_node *ifl_graph_add(ifl_graph *graph, const ifl_op *op);
/* A copy with copies of all nodes; NULL without memory. */
ifl_graph *ifl_graph_clone(const ifl_graph *graph, ifl_handle_kind kind);
/* The node of a clone that was made from `node`, or `node` itself where it is of this graph; NULL:
 * neither. */
ifl_node *ifl_graph_twin(ifl_graph *graph, const ifl_node *node);
/* The node of an instantiated graph, or of a graph in it, that was made from `node`, which may be
 * gone itself. NULL: there is none. */
ifl_node *ifl_exec_twin(const void *exec, const void *node);
/* Its nodes know their places, and whether a node waits for them. */
void ifl_graph_number(const ifl_graph *graph);
/* A graph in the node's operation, the first being 0; NULL past the last, and for a graph that the
 * node is in. */
ifl_graph *ifl_node_inner(const ifl_node *node, unsigned number);
/* The node has a copy of the operation, of the same kind, in place of its own. */
ifl_cuda_error ifl_node_replace(ifl_node *node, const ifl_op *op);
/* Removes it from its graph: no node waits for it any more. */
ifl_cuda_error ifl_node_destroy(ifl_node *node);
/* A node of the graph behind the handle that waits for the `count` nodes `after`, all of that
 * graph. */
ifl_cuda_error ifl_graph_add_after(ifl_node **out, const void *graph, ifl_node *const *after,
                                   size_t count, const ifl_op *op);
/* The node waits for the other; false without memory. */
bool ifl_node_wait(ifl_node *node, ifl_node *before, ifl_edge_data data);
/* Gives the edges of a node that was added last, in the order of `after`, their data; NULL: zeros. */
ifl_cuda_error ifl_node_set_edges(ifl_node *node, const ifl_edge_data *data);
/* Lets each node to[i] wait for from[i]. `data` may be NULL. */
ifl_cuda_error ifl_graph_depend(const void *graph, ifl_node *const *from, ifl_node *const *to,
                                const ifl_edge_data *data, size_t count);
/* The reverse; cudaErrorInvalidValue where one of these does not, or not with these data. */
ifl_cuda_error ifl_graph_undepend(const void *graph, ifl_node *const *from, ifl_node *const *to,
                                  const ifl_edge_data *data, size_t count);
/* A node that waits for itself, through others; NULL: there is none. */
ifl_node *ifl_graph_cycle(const ifl_graph *graph);
/* Gives every node to `visit`, each after those it waits for; false where that has had enough. */
bool ifl_graph_walk(const ifl_graph *graph, bool (*visit)(void *user, ifl_node *node), void *user);
/* Runs every node of a graph without conditions and host functions, each after those it waits
 * for. */
ifl_cuda_error ifl_graph_run(ifl_session *session, const ifl_graph *graph);

/* Conditional nodes, which later.h runs. */
bool ifl_graph_has_conditions(const ifl_graph *graph);
/* Nodes that allocate or free memory, here or in graphs within. */
bool ifl_graph_has_memory(const ifl_graph *graph);

/* Memory that nodes of graphs allocate stands where it is from the node's making on: a graph that
 * is launched again finds it, and giving it back between changes nothing. */
bool ifl_graph_memory_keep(uint64_t address, uint64_t bytes);
bool ifl_graph_memory_holds(uint64_t address);
uint64_t ifl_graph_memory_bytes(void);
/* CUDA Runtime API, cudaGraphLaunch: false where memory of the last launch is not freed, and is not to
 * be by this one. */
bool ifl_graph_memory_launch(const ifl_graph *exec);
void ifl_graph_memory_freed(uint64_t address);

#endif
