/* SPDX-License-Identifier: Apache-2.0
 * Graphs that are moved into each other's nodes until one is within itself: what can be asked of them
 * then, and that their nodes can change and go (CUgraphChildGraphNodeOwnership). No graph is instantiated. */
#include "cu.h"

extern int cuGraphAddNode_v2(void **out, void *graph, void *const *after, const void *edges,
                             size_t count, void *params);
extern int cuGraphAddEmptyNode(void **out, void *graph, void *const *after, size_t count);
extern int cuGraphAddChildGraphNode(void **out, void *graph, void *const *after, size_t count,
                                    void *child);
extern int cuGraphChildGraphNodeGetGraph(void *node, void **out);
extern int cuGraphClone(void **out, void *graph);
extern int cuGraphDebugDotPrint(void *graph, const char *path, unsigned flags);
extern int cuGraphDestroyNode(void *node);
extern int cuGraphNodeSetParams(void *node, void *params);
extern int cuGraphExecUpdate_v2(void *exec, void *graph, void *info);

/* CUgraphNodeParams of a child graph */
typedef struct node_params {
    int type, reserved[3];
    void *graph;
    int ownership;
    long long room[28];
} node_params;

enum { GRAPH = 4, MOVES = 1, GRAPHS = 3 };

typedef struct ring {
    void *graph[GRAPHS], *node[GRAPHS]; /* each has the next one, and the last the first */
} ring;

static int move(void **node, void *to, void *child)
{
    node_params params = {.type = GRAPH, .graph = child, .ownership = MOVES};
    return cuGraphAddNode_v2(node, to, NULL, NULL, 0, &params);
}

static ring make(void)
{
    ring r;
    void *node;
    for (int i = 0; i < GRAPHS; i++) {
        OK(cuGraphCreate(&r.graph[i], 0));
        OK(cuGraphAddEmptyNode(&node, r.graph[i], NULL, 0));
    }
    for (int i = 0; i < GRAPHS; i++)
        OK(move(&r.node[i], r.graph[i], r.graph[(i + 1) % GRAPHS]));
    return r;
}

static void ask(const ring *r)
{
    struct info {
        int result;
        void *node, *from;
    } info;
    void *graph, *node, *other, *exec;
    OK(cuGraphCreate(&other, 0));
    OK(cuGraphInstantiateWithFlags(&exec, other, 0));
    for (int i = 0; i < GRAPHS; i++) {
        OK(cuGraphChildGraphNodeGetGraph(r->node[i], &graph));
        EXPECT(graph == r->graph[(i + 1) % GRAPHS], 1);
        EXPECT(cuGraphInstantiateWithFlags(&graph, r->graph[i], 0), NOT_SUPPORTED);
        EXPECT(move(&node, other, r->graph[i]), NOT_SUPPORTED);
        EXPECT(cuGraphClone(&graph, r->graph[i]), NOT_SUPPORTED);
        EXPECT(cuGraphAddChildGraphNode(&node, other, NULL, 0, r->graph[i]), NOT_SUPPORTED);
        EXPECT(cuGraphExecUpdate_v2(exec, r->graph[i], &info), NOT_SUPPORTED);
        EXPECT(cuGraphDestroy(r->graph[i]), INVALID_VALUE);
        OK(cuGraphDebugDotPrint(r->graph[i], "/dev/null", 0));
    }
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(other));
}

/* The node has another graph, and then goes. */
static void open_at(void *node)
{
    node_params params = {.type = GRAPH};
    OK(cuGraphCreate(&params.graph, 0));
    OK(cuGraphNodeSetParams(node, &params));
    OK(cuGraphDestroy(params.graph));
    OK(cuGraphDestroyNode(node));
}

int main(void)
{
    void *context;
    int device;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    for (int i = 0; i < GRAPHS; i++) {
        const ring r = make();
        ask(&r);
        open_at(r.node[i]);
    }
    puts("rings of graphs");
    return 0;
}
