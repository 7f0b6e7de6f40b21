/* SPDX-License-Identifier: Apache-2.0
 * Captures over the nodes of a graph (CUDA Runtime API, cudaStreamBeginRecaptureToGraph): other
 * parameters, told or not, other topologies, memory, and a function that refuses. */
#include "cu.h"

extern int cudaMalloc(void **out, size_t bytes);
extern int cudaMemset(void *to, int value, size_t bytes);
extern int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
extern int cudaStreamCreate(void **out);
extern int cudaStreamSynchronize(void *stream);
extern int cudaStreamBeginCapture(void *stream, int mode);
extern int cudaStreamEndCapture(void *stream, void **graph);
extern int cudaStreamBeginRecaptureToGraph(void *stream, int mode, void *graph, const void *data);
extern int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream);
extern int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
extern int cudaMallocAsync(void **out, size_t bytes, void *stream);
extern int cudaFreeAsync(void *at, void *stream);
extern int cudaGraphGetNodes(void *graph, void **nodes, size_t *count);
extern int cudaGraphInstantiate(void **out, void *graph, unsigned long long flags);
extern int cudaGraphLaunch(void *exec, void *stream);

enum { RECAPTURE_FAILURE = 918, WITHIN = 3 };

/* cudaGraphNodeParams of a fill. */
typedef struct fill_params {
    int type, reserved[3];
    void *to;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height;
    char rest[232 - 40];
} fill_params;

static void *stream;
static unsigned char *memory;

/* What the function was told last, and how often. */
static struct {
    void *node;
    unsigned before, after;
    int type, status, times, gives;
} told;

static int tell(void *user, void *node, const fill_params *before, const fill_params *after,
                int status)
{
    EXPECT(user == &told, 1);
    told.node = node;
    told.type = after->type;
    told.before = before->value;
    told.after = after->value;
    told.status = status;
    told.times++;
    return told.gives;
}

static void *captured(int value)
{
    void *graph;
    OK(cudaStreamBeginCapture(stream, 0));
    OK(cudaMemsetAsync(memory, value, 16, stream));
    OK(cudaMemcpyAsync(memory + 16, memory, 16, WITHIN, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    return graph;
}

static int again(void *graph, int value, const void *data, int *ended)
{
    void *same = NULL;
    OK(cudaStreamBeginRecaptureToGraph(stream, 0, graph, data));
    const int code = cudaMemsetAsync(memory, value, 16, stream);
    if (code == 0)
        OK(cudaMemcpyAsync(memory + 16, memory, 16, WITHIN, stream));
    *ended = cudaStreamEndCapture(stream, &same);
    if (*ended == 0)
        EXPECT(same == graph, 1);
    return code;
}

static int result_of(void *graph)
{
    void *exec;
    unsigned char got;
    OK(cudaMemset(memory, 0, 64));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(&got, memory + 31, 1, 2));
    return got;
}

static void parameters(void)
{
    void *const data[] = {(void *)(uintptr_t)tell, &told};
    void *graph = captured(1), *nodes[4];
    size_t count = 4;
    int ended;
    EXPECT(again(graph, 2, NULL, &ended), 0);
    EXPECT(ended, 0);
    EXPECT(result_of(graph), 2);
    OK(cudaGraphGetNodes(graph, nodes, &count));
    EXPECT(count, 2);
    EXPECT(again(graph, 3, data, &ended), 0);
    EXPECT(ended, 0);
    EXPECT(told.times, 1);
    EXPECT(told.node == nodes[0] && told.type == 2 && told.status == 0, 1);
    EXPECT(told.before == 2 && told.after == 3, 1);
    EXPECT(result_of(graph), 3);
    EXPECT(again(graph, 3, data, &ended), 0);
    EXPECT(told.times, 1);
    told.gives = INVALID_VALUE;
    EXPECT(again(graph, 4, data, &ended), RECAPTURE_FAILURE);
    EXPECT(ended, RECAPTURE_FAILURE);
    EXPECT(cudaStreamBeginRecaptureToGraph(stream, 0, stream, NULL), INVALID_VALUE);
}

static void topologies(void)
{
    void *graph = captured(1), *same;
    OK(cudaStreamBeginRecaptureToGraph(stream, 0, graph, NULL));
    EXPECT(cudaMemcpyAsync(memory + 16, memory, 16, WITHIN, stream), RECAPTURE_FAILURE);
    EXPECT(cudaStreamEndCapture(stream, &same), RECAPTURE_FAILURE);
    graph = captured(1);
    OK(cudaStreamBeginRecaptureToGraph(stream, 0, graph, NULL));
    OK(cudaMemsetAsync(memory, 1, 16, stream));
    EXPECT(cudaStreamEndCapture(stream, &same), RECAPTURE_FAILURE);
    graph = captured(1);
    OK(cudaStreamBeginRecaptureToGraph(stream, 0, graph, NULL));
    OK(cudaMemsetAsync(memory, 1, 16, stream));
    OK(cudaMemcpyAsync(memory + 16, memory, 16, WITHIN, stream));
    EXPECT(cudaMemsetAsync(memory, 1, 16, stream), RECAPTURE_FAILURE);
    EXPECT(cudaStreamEndCapture(stream, &same), RECAPTURE_FAILURE);
}

/* The graph, or NULL for a new one, which is given back. */
static int allocates(void **graph, size_t bytes, void **at)
{
    if (*graph)
        OK(cudaStreamBeginRecaptureToGraph(stream, 0, *graph, NULL));
    else
        OK(cudaStreamBeginCapture(stream, 0));
    const int code = cudaMallocAsync(at, bytes, stream);
    if (code == 0) {
        OK(cudaMemsetAsync(*at, 1, bytes, stream));
        OK(cudaFreeAsync(*at, stream));
    }
    EXPECT(cudaStreamEndCapture(stream, graph), code);
    return code;
}

static void memories(void)
{
    void *at, *other, *graph = NULL;
    OK(allocates(&graph, 256, &at));
    OK(allocates(&graph, 256, &other));
    EXPECT(at == other, 1);
    EXPECT(allocates(&graph, 512, &other), RECAPTURE_FAILURE);
}

int main(void)
{
    OK(cudaMalloc((void **)&memory, 64));
    OK(cudaStreamCreate(&stream));
    parameters();
    topologies();
    memories();
    printf("as documented\n");
    return 0;
}
