/* SPDX-License-Identifier: Apache-2.0
 * What the runtime of CUDA 13.1 and later tells of graphs and nodes of any kind: their numbers, the
 * graph that a node is in, and parameters (CUDA Runtime API, "Graph Management"). */
#include "cu.h"

#include <unistd.h>

extern int cudaMalloc(void **out, size_t bytes);
extern int cudaEventCreate(void **out);
extern int cudaGraphCreate(void **out, unsigned flags);
extern int cudaGraphDestroy(void *graph);
extern int cudaGraphDestroyNode(void *node);
extern int cudaGraphAddEmptyNode(void **out, void *graph, void *const *after, size_t count);
extern int cudaGraphAddMemsetNode(void **out, void *graph, void *const *after, size_t count,
                                  const void *params);
extern int cudaGraphAddMemcpyNode1D(void **out, void *graph, void *const *after, size_t count,
                                    void *to, const void *from, size_t bytes, int kind);
extern int cudaGraphAddHostNode(void **out, void *graph, void *const *after, size_t count,
                                const void *params);
extern int cudaGraphAddEventRecordNode(void **out, void *graph, void *const *after, size_t count,
                                       void *event);
extern int cudaGraphAddChildGraphNode(void **out, void *graph, void *const *after, size_t count,
                                      void *child);
extern int cudaGraphChildGraphNodeGetGraph(void *node, void **child);
extern int cudaGraphGetNodes(void *graph, void **nodes, size_t *count);
extern int cudaGraphAddNode(void **out, void *graph, void *const *after, const void *edges,
                            size_t count, void *params);
extern int cudaGraphInstantiate(void **out, void *graph, unsigned long long flags);
extern int cudaGraphDebugDotPrint(void *graph, const char *path, unsigned flags);
extern int cudaGraphGetId(void *graph, unsigned *out);
extern int cudaGraphExecGetId(void *exec, unsigned *out);
extern int cudaGraphNodeGetLocalId(void *node, unsigned *out);
extern int cudaGraphNodeGetToolsId(void *node, unsigned long long *out);
extern int cudaGraphNodeGetContainingGraph(void *node, void **out);
extern int cudaGraphNodeGetParams(void *node, void *out);
extern int cudaGraphConditionalHandleCreate_v2(uint64_t *out, void *graph, void *context,
                                               unsigned initial, unsigned flags);

/* cudaGraphNodeParams */
typedef struct node_params {
    int type, reserved[3];
    union {
        struct {
            void *to;
            size_t pitch;
            unsigned value, element_bytes;
            size_t width, height;
        } fill;
        struct {
            int flags, reserved[3];
            void *from_array;
            size_t from_place[3];
            void *from;
            size_t from_pitch, from_size[2];
            void *to_array;
            size_t to_place[3];
            void *to;
            size_t to_pitch, to_size[2];
            size_t width, height, depth;
            int kind;
        } copy;
        struct {
            void (*call)(void *);
            void *user;
        } host;
        void *pointer;
        struct {
            uint64_t handle;
            int type;
            unsigned count;
            void **bodies;
        } condition;
        long long room[29];
    } of;
    long long unused;
} node_params;

static void call(void *user)
{
    (void)user;
}

static unsigned local(void *node)
{
    unsigned number = 99;
    OK(cudaGraphNodeGetLocalId(node, &number));
    return number;
}

static void numbers(void)
{
    void *graph, *other, *exec, *node[3], *child, *inner, *got;
    unsigned number[3];
    unsigned long long whole[2];
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphCreate(&other, 0));
    for (int i = 0; i < 3; i++)
        OK(cudaGraphAddEmptyNode(&node[i], graph, NULL, 0));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphGetId(graph, &number[0]));
    OK(cudaGraphGetId(other, &number[1]));
    OK(cudaGraphExecGetId(exec, &number[2]));
    EXPECT(number[0] != number[1] && number[1] != number[2] && number[0] != number[2], 1);
    OK(cudaGraphDestroyNode(node[0]));
    EXPECT(local(node[1]), 1);
    EXPECT(local(node[2]), 2);
    OK(cudaGraphAddChildGraphNode(&child, other, NULL, 0, graph));
    OK(cudaGraphChildGraphNodeGetGraph(child, &inner));
    size_t count = 1;
    OK(cudaGraphGetNodes(inner, &node[0], &count));
    OK(cudaGraphNodeGetContainingGraph(node[0], &got));
    EXPECT(got == inner, 1);
    OK(cudaGraphNodeGetContainingGraph(child, &got));
    EXPECT(got == other, 1);
    OK(cudaGraphNodeGetToolsId(node[0], &whole[0]));
    OK(cudaGraphNodeGetToolsId(child, &whole[1]));
    EXPECT(whole[0] != whole[1], 1);
    EXPECT(cudaGraphGetId(exec, &number[0]), INVALID_VALUE);
    EXPECT(cudaGraphExecGetId(graph, &number[0]), INVALID_VALUE);
    EXPECT(cudaGraphNodeGetLocalId(graph, &number[0]), INVALID_VALUE);
    EXPECT(cudaGraphNodeGetToolsId(child, NULL), INVALID_VALUE);
}

/* The picture names nodes by their numbers. */
static void picture(void)
{
    void *graph, *node[2];
    char path[] = "/tmp/inflight-graph-XXXXXX", text[4096] = "", wanted[64];
    unsigned number;
    const int file = mkstemp(path);
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddEmptyNode(&node[0], graph, NULL, 0));
    OK(cudaGraphAddEmptyNode(&node[1], graph, NULL, 0));
    OK(cudaGraphDestroyNode(node[0]));
    OK(cudaGraphGetId(graph, &number));
    OK(cudaGraphDebugDotPrint(graph, path, 0));
    EXPECT(read(file, text, sizeof text - 1) > 0, 1);
    snprintf(wanted, sizeof wanted, "graph %u", number);
    EXPECT(strstr(text, wanted) != NULL, 1);
    EXPECT(strstr(text, "\"graph.1\" [label=\"1: empty") != NULL, 1);
    close(file);
    unlink(path);
}

static void parameters(void)
{
    void *graph, *node, *event, *at, *child;
    uint64_t handle;
    node_params told, asked = {.type = 13};
    OK(cudaMalloc(&at, 256));
    OK(cudaEventCreate(&event));
    OK(cudaGraphCreate(&graph, 0));
    asked.of.fill.to = at;
    asked.of.fill.value = 7;
    asked.of.fill.element_bytes = 4;
    asked.of.fill.width = 16;
    asked.of.fill.height = 1;
    OK(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &asked.of));
    OK(cudaGraphNodeGetParams(node, &told));
    EXPECT(told.type, 2);
    EXPECT(told.of.fill.to == at && told.of.fill.value == 7 && told.of.fill.width == 16, 1);
    OK(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, (char *)at + 64, at, 48, 3));
    OK(cudaGraphNodeGetParams(node, &told));
    EXPECT(told.type, 1);
    EXPECT(told.of.copy.to == (char *)at + 64 && told.of.copy.from == at, 1);
    EXPECT(told.of.copy.width, 48);
    EXPECT(told.of.copy.kind, 3);
    void *host[] = {(void *)(uintptr_t)call, &told};
    OK(cudaGraphAddHostNode(&node, graph, NULL, 0, host));
    OK(cudaGraphNodeGetParams(node, &told));
    EXPECT(told.type, 3);
    EXPECT(told.of.host.call == call && told.of.host.user == &told, 1);
    OK(cudaGraphAddEventRecordNode(&node, graph, NULL, 0, event));
    OK(cudaGraphNodeGetParams(node, &told));
    EXPECT(told.type, 7);
    EXPECT(told.of.pointer == event, 1);
    OK(cudaGraphAddEmptyNode(&node, graph, NULL, 0));
    OK(cudaGraphNodeGetParams(node, &told));
    EXPECT(told.type, 5);
    OK(cudaGraphCreate(&child, 0));
    OK(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    OK(cudaGraphNodeGetParams(node, &told));
    EXPECT(told.type, 4);
    EXPECT(told.of.pointer != NULL && told.of.pointer != child, 1);
    EXPECT(cudaGraphConditionalHandleCreate_v2(&handle, graph, at, 0, 0), INVALID_VALUE);
    OK(cudaGraphConditionalHandleCreate_v2(&handle, graph, NULL, 1, 1));
    asked.of.condition.handle = handle;
    asked.of.condition.type = 1;
    asked.of.condition.count = 1;
    OK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &asked));
    OK(cudaGraphNodeGetParams(node, &told));
    EXPECT(told.type, 13);
    EXPECT(told.of.condition.handle == handle && told.of.condition.type == 1, 1);
    EXPECT(told.of.condition.count == 1 &&
               told.of.condition.bodies[0] == asked.of.condition.bodies[0],
           1);
    EXPECT(cudaGraphNodeGetParams(graph, &told), INVALID_VALUE);
    EXPECT(cudaGraphNodeGetParams(node, NULL), INVALID_VALUE);
    OK(cudaGraphDestroy(graph));
}

int main(void)
{
    numbers();
    picture();
    parameters();
    printf("as asked\n");
    return 0;
}
