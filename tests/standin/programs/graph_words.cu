// SPDX-License-Identifier: Apache-2.0
// Words that nodes of a graph write and wait for: added, told about, changed in the graph and in its instance, captured. CUDA
// Driver API, cuGraphAddBatchMemOpNode.
#include "check.h"
#include <cuda.h>
#include <cstring>

template <typename F> static F entry(F, const char *name)
{
    void *at = NULL;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPointByVersion(name, &at, 13000, cudaEnableDefault, &found));
    if (!at) {
        printf("no %s\n", name);
        exit(2);
    }
    return (F)at;
}
#define ENTRY(name) entry((decltype(&name))NULL, #name)

static CUstreamBatchMemOpParams write32(CUdeviceptr at, cuuint32_t value)
{
    CUstreamBatchMemOpParams p;
    memset(&p, 0, sizeof p);
    p.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    p.writeValue.address = at;
    p.writeValue.value = value;
    return p;
}

static CUstreamBatchMemOpParams wait32(CUdeviceptr at, cuuint32_t value)
{
    CUstreamBatchMemOpParams p;
    memset(&p, 0, sizeof p);
    p.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    p.waitValue.address = at;
    p.waitValue.value = value;
    p.waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    return p;
}

__global__ void take(const unsigned *words, unsigned *to)
{
    for (int i = 0; i < 3; i++)
        to[i] = words[i];
}

static cudaStream_t stream;

static void run(cudaGraphExec_t exec, const unsigned *words)
{
    unsigned got[3];
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    from_gpu(got, words, 3);
    printf("words %u %u %u\n", got[0], got[1], got[2]);
}

int main()
{
    auto add = ENTRY(cuGraphAddBatchMemOpNode);
    auto get = ENTRY(cuGraphBatchMemOpNodeGetParams);
    auto set = ENTRY(cuGraphBatchMemOpNodeSetParams);
    auto set_exec = ENTRY(cuGraphExecBatchMemOpNodeSetParams);
    auto batch = ENTRY(cuStreamBatchMemOp);
    auto write_value = ENTRY(cuStreamWriteValue32);
    auto add_node = ENTRY(cuGraphAddNode);
    auto node_type = ENTRY(cuGraphNodeGetType);
    auto current = ENTRY(cuCtxGetCurrent);
    unsigned *words;
    CHECK(cudaMalloc(&words, 64));
    CHECK(cudaMemset(words, 0, 64));
    CHECK(cudaStreamCreate(&stream));
    CUcontext context;
    current(&context);
    const CUdeviceptr at = (CUdeviceptr)words;
    CUstreamBatchMemOpParams ops[3] = {write32(at, 1), write32(at + 4, 2), wait32(at + 4, 2)};
    CUDA_BATCH_MEM_OP_NODE_PARAMS params;
    memset(&params, 0, sizeof params);
    params.ctx = context;
    params.count = 3;
    params.paramArray = ops;
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    CUgraphNode node, second;
    printf("add: %d\n", add(&node, graph, NULL, 0, &params));
    CUgraphNodeType type;
    node_type(node, &type);
    printf("type %d\n", type);
    CUDA_BATCH_MEM_OP_NODE_PARAMS told;
    memset(&told, 0, sizeof told);
    printf("told: %d", get(node, &told));
    printf(" %u ops, flags %u, context %s, %s\n", told.count, told.flags, told.ctx == context ? "the same" : "another",
           told.paramArray == ops ? "the caller's" : "its own");
    for (unsigned i = 0; i < told.count; i++) {
        const auto &op = told.paramArray[i].writeValue;
        printf("  %d %d %d %d\n", told.paramArray[i].operation, (int)(op.address - at), op.value, op.flags);
    }
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    run(exec, words);
    CUstreamBatchMemOpParams more[3] = {write32(at, 10), write32(at + 4, 20), write32(at + 8, 30)};
    params.paramArray = more;
    printf("set in the instance: %d\n", set_exec(exec, node, &params));
    run(exec, words);
    params.count = 2;
    printf("fewer in the instance: %d\n", set_exec(exec, node, &params));
    CHECK(cudaMemset(words, 0, 64));
    run(exec, words);
    printf("fewer in the graph: %d\n", set(node, &params));
    get(node, &told);
    printf("told %u\n", told.count);
    params.count = 0;
    printf("none: %d\n", add(&second, graph, NULL, 0, &params));
    params.count = 1;
    params.paramArray = NULL;
    printf("no list: %d\n", add(&second, graph, NULL, 0, &params));
    params.paramArray = more;
    params.flags = 1;
    printf("flags: %d\n", add(&second, graph, NULL, 0, &params));
    params.flags = 0;
    params.ctx = NULL;
    printf("no context: %d\n", add(&second, graph, NULL, 0, &params));
    params.ctx = context;
    more[0].operation = (CUstreamBatchMemOpType)77;
    printf("operation 77: %d\n", add(&second, graph, NULL, 0, &params));
    more[0] = write32(at + 1, 1);
    printf("misaligned: %d\n", add(&second, graph, NULL, 0, &params));
    more[0] = write32(0, 1);
    printf("null: %d\n", add(&second, graph, NULL, 0, &params));
    printf("no node: %d\n", add(NULL, graph, NULL, 0, &params));
    more[0] = write32(at, 5);
    memset(&more[1], 0, sizeof more[1]);
    more[1].operation = CU_STREAM_MEM_OP_BARRIER;
    params.count = 2;
    printf("with a barrier: %d\n", add(&second, graph, &node, 1, &params));
    CUgraphNodeParams all;
    memset(&all, 0, sizeof all);
    all.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
    all.memOp.ctx = context;
    all.memOp.count = 1;
    all.memOp.paramArray = ops;
    printf("by the call for all kinds: %d\n", add_node(&second, graph, NULL, NULL, 0, &all));
    CHECK(cudaGraphDestroy(graph));

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    printf("captured: %d", batch(stream, 3, ops, 0));
    printf(" %d\n", write_value(stream, at + 8, 9, 0));
    take<<<1, 1, 0, stream>>>(words, words + 4);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaMemset(words, 0, 64));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    run(exec, words + 4);
}
