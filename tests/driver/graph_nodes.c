/* SPDX-License-Identifier: Apache-2.0
 * Nodes of graphs by the driver's calls: what it tells of them, and their changes one at a time and
 * by the call for all kinds (CUDA Driver API, "Graph Management"). */
#include "cu.h"

extern int cuGraphAddMemsetNode(void **out, void *graph, void *const *after, size_t count,
                                const void *params, void *context);
extern int cuGraphMemcpyNodeGetParams(void *node, void *params);
extern int cuGraphMemcpyNodeSetParams(void *node, const void *params);
extern int cuGraphExecMemcpyNodeSetParams(void *exec, void *node, const void *params,
                                          void *context);
extern int cuGraphMemsetNodeGetParams(void *node, void *params);
extern int cuGraphExecMemsetNodeSetParams(void *exec, void *node, const void *params,
                                          void *context);
extern int cuGraphNodeSetParams(void *node, void *params);
extern int cuGraphExecNodeSetParams(void *exec, void *node, void *params);
extern int cuGraphExecUpdate(void *exec, void *graph, void **bad, int *result);
extern int cuGraphExecUpdate_v2(void *exec, void *graph, void *info);
extern int cuGraphDestroyNode(void *node);
extern int cuArrayCreate_v2(void **out, const void *words);
extern int cuArrayDestroy(void *array);

enum { HOST = 1, DEVICE = 2, UPDATE_FAILURE = 910 };

/* CUDA_MEMCPY3D */
typedef struct side {
    size_t x, y, z, level;
    int type;
    const void *host;
    address device;
    void *array, *context;
    size_t pitch, height;
} side;

typedef struct copy {
    side from, to;
    size_t width, height, depth;
} copy;

typedef struct fill {
    address to;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height;
} fill;

/* CUgraphNodeParams */
typedef struct node_params {
    int type, reserved[3];
    union {
        struct {
            int flags, reserved;
            void *context;
            copy copy;
        } copy;
        fill fill;
        long long room[29];
    } of;
    long long unused;
} node_params;

static address memory;
static int bytes_from[16], bytes_to[16];

static copy line(const int *from, size_t bytes)
{
    return (copy){.from = {.type = HOST, .host = from},
                  .to = {.type = DEVICE, .device = memory},
                  .width = bytes,
                  .height = 1,
                  .depth = 1};
}

static int first_after(void *exec)
{
    OK(cuGraphLaunch(exec, NULL));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH_v2(bytes_to, memory, sizeof bytes_to));
    return bytes_to[0];
}

static void copies(void *context)
{
    void *graph, *node, *exec;
    copy told, one = line(&bytes_from[1], sizeof(int));
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddMemcpyNode(&node, graph, NULL, 0, &one, context));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    EXPECT(first_after(exec), 1);
    one = line(&bytes_from[2], sizeof(int));
    OK(cuGraphExecMemcpyNodeSetParams(exec, node, &one, context));
    EXPECT(first_after(exec), 2);
    OK(cuGraphMemcpyNodeGetParams(node, &told));
    EXPECT(told.from.type, HOST);
    EXPECT(told.from.host == &bytes_from[1], 1);
    EXPECT(told.to.device == memory, 1);
    EXPECT(told.width, sizeof(int));
    EXPECT(told.height, 1);
    /* two rows of one int of a side with rows of two, from the second column on */
    const copy two = {.from = {.type = HOST, .host = bytes_from, .x = 4, .y = 1, .pitch = 8},
                      .to = {.type = DEVICE, .device = memory, .pitch = 4},
                      .width = 4,
                      .height = 2,
                      .depth = 1};
    OK(cuGraphMemcpyNodeSetParams(node, &two));
    OK(cuGraphMemcpyNodeGetParams(node, &told));
    EXPECT(told.from.x, 4);
    EXPECT(told.from.y, 1);
    EXPECT(told.from.pitch, 8);
    EXPECT(told.to.pitch, 4);
    EXPECT(cuGraphExecMemcpyNodeSetParams(exec, node, &two, context), INVALID_VALUE);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    EXPECT(first_after(exec), 3);
    EXPECT(bytes_to[1], 5);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
}

/* Every place is in bytes, with an array too: two ints of it go to an odd address. */
static void from_array(void *context)
{
    enum { INT32 = 10, ARRAY = 3 };
    const struct {
        size_t width, height;
        int format;
        unsigned channels;
    } ints = {4, 2, INT32, 1};
    void *graph, *first, *node, *exec, *array;
    unsigned char got[32] = {0};
    int values[2];
    OK(cuArrayCreate_v2(&array, &ints));
    copy told,
        fills = {.from = {.type = HOST, .host = bytes_from, .pitch = 16},
                 .to = {.type = ARRAY, .array = array},
                 .width = 16,
                 .height = 2,
                 .depth = 1},
        box = {.from = {.type = ARRAY, .array = array, .x = 8, .y = 1},
               .to = {.type = HOST, .host = got, .x = 3, .y = 1, .pitch = 16},
               .width = 8,
               .height = 1,
               .depth = 1};
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddMemcpyNode(&first, graph, NULL, 0, &fills, context));
    OK(cuGraphAddMemcpyNode(&node, graph, &first, 1, &box, context));
    OK(cuGraphMemcpyNodeGetParams(node, &told));
    EXPECT(told.from.x, 8);
    EXPECT(told.from.y, 1);
    EXPECT(told.from.array == array, 1);
    EXPECT(told.to.x, 3);
    EXPECT(told.to.y, 1);
    EXPECT(told.width, 8);
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphLaunch(exec, NULL));
    OK(cuCtxSynchronize());
    memcpy(values, got + 16 + 3, sizeof values);
    EXPECT(values[0], 6);
    EXPECT(values[1], 7);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    OK(cuArrayDestroy(array));
}

static void fills(void *context)
{
    void *graph, *node, *exec;
    fill told, four = {memory, 0, 7, sizeof(int), 1, 1};
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddMemsetNode(&node, graph, NULL, 0, &four, context));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    four.value = 8;
    OK(cuGraphExecMemsetNodeSetParams(exec, node, &four, context));
    EXPECT(first_after(exec), 8);
    OK(cuGraphMemsetNodeGetParams(node, &told));
    EXPECT(told.value, 7);
    EXPECT(told.to == memory, 1);
    EXPECT(told.element_bytes, sizeof(int));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
}

static void any_kind(void *context)
{
    enum { COPY = 1, FILL = 2 };
    void *graph, *copied, *filled, *exec;
    const copy one = line(&bytes_from[1], sizeof(int));
    const fill four = {memory, 0, 7, sizeof(int), 1, 1};
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddMemcpyNode(&copied, graph, NULL, 0, &one, context));
    OK(cuGraphAddMemsetNode(&filled, graph, &copied, 1, &four, context));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    node_params params = {.type = FILL, .of.fill = four};
    params.of.fill.value = 9;
    OK(cuGraphExecNodeSetParams(exec, filled, &params));
    EXPECT(first_after(exec), 9);
    EXPECT(cuGraphNodeSetParams(copied, &params), INVALID_VALUE);
    OK(cuGraphDestroyNode(filled));
    params = (node_params){.type = COPY, .of.copy = {.context = context}};
    params.of.copy.copy = line(&bytes_from[6], sizeof(int));
    OK(cuGraphNodeSetParams(copied, &params));
    void *bad = &params;
    int result = 0;
    struct {
        int result;
        void *bad, *from;
    } info;
    EXPECT(cuGraphExecUpdate(exec, graph, &bad, &result), UPDATE_FAILURE);
    EXPECT(result, 2); /* the topology changed */
    EXPECT(bad == NULL, 0);
    printf("a node less, by the old call: %s\n", bad == &params  ? "no node is told"
                                                 : bad == copied ? "the node that is left"
                                                                 : "another node");
    EXPECT(cuGraphExecUpdate_v2(exec, graph, &info), UPDATE_FAILURE);
    EXPECT(info.result, 2);
    EXPECT(info.bad == NULL, 1);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    EXPECT(first_after(exec), 6);
    params.of.copy.copy = line(&bytes_from[7], sizeof(int));
    OK(cuGraphNodeSetParams(copied, &params));
    OK(cuGraphExecUpdate_v2(exec, graph, &info));
    EXPECT(info.result, 0);
    EXPECT(first_after(exec), 7);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
}

int main(void)
{
    void *context;
    for (int i = 0; i < 16; i++)
        bytes_from[i] = i;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuMemAlloc_v2(&memory, sizeof bytes_to));
    OK(cuMemsetD8_v2(memory, 0, sizeof bytes_to));
    copies(context);
    from_array(context);
    fills(context);
    any_kind(context);
    printf("nodes are as they were made\n");
    return 0;
}
