// SPDX-License-Identifier: Apache-2.0
// Launches of graphs by kernels that are errors, and graphs that no kernel may launch; the last is a fault. CUDA C++
// Programming Guide, "Device Graph Launch".
#include "check.h"

enum { MOST = 2 };

struct plan {
    int count;
    cudaGraphExec_t exec[MOST]; // NULL: the kernel's own
    cudaStream_t how[MOST];
    cudaError_t code[MOST];
};

__global__ void launch(plan *then, int *ran)
{
    atomicAdd(ran, 1);
    for (int i = 0; i < then->count; i++)
        then->code[i] = cudaGraphLaunch(then->exec[i] ? then->exec[i] : cudaGetCurrentGraphExec(), then->how[i]);
}

__global__ void count(int *ran)
{
    atomicAdd(ran, 1);
}

static const cudaStream_t TAIL = cudaStreamGraphTailLaunch, FORGET = cudaStreamGraphFireAndForget,
                          SIBLING = cudaStreamGraphFireAndForgetAsSibling;
static const unsigned long long ON_DEVICE = cudaGraphInstantiateFlagDeviceLaunch;
static cudaStream_t stream;
static int *ran;
static plan *then;

static cudaGraphExec_t leaf(unsigned long long flags, bool is_uploaded)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    count<<<1, 1, 0, stream>>>(ran);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, flags));
    if (is_uploaded)
        CHECK(cudaGraphUpload(exec, stream));
    return exec;
}

static void run(const char *what, plan p, unsigned long long flags)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int runs = 0;
    CHECK(cudaMemset(ran, 0, sizeof runs));
    CHECK(cudaMemcpy(then, &p, sizeof p, cudaMemcpyHostToDevice));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launch<<<1, 1, 0, stream>>>(then, ran);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, flags));
    CHECK(cudaGraphLaunch(exec, stream));
    const cudaError_t code = cudaStreamSynchronize(stream);
    cudaMemcpy(&p, then, sizeof p, cudaMemcpyDeviceToHost);
    cudaMemcpy(&runs, ran, sizeof runs, cudaMemcpyDeviceToHost);
    printf("%s: ran %d, %s:", what, runs, cudaGetErrorName(code));
    for (int i = 0; i < p.count; i++)
        printf(" %s", cudaGetErrorName(p.code[i]));
    printf("\n");
}

static void launches()
{
    cudaGraphExec_t one = leaf(ON_DEVICE, true);
    run("stream 0", {1, {one}, {0}}, 0);
    run("per thread", {1, {one}, {cudaStreamPerThread}}, 0);
    run("tail twice", {2, {one, one}, {TAIL, TAIL}}, 0);
    run("forget twice", {2, {one, one}, {FORGET, FORGET}}, 0);
    run("forget and tail", {2, {one, one}, {FORGET, TAIL}}, 0);
    run("itself forgotten", {1, {NULL}, {FORGET}}, ON_DEVICE);
    run("not uploaded", {1, {leaf(ON_DEVICE, false)}, {TAIL}}, 0);
    run("sibling from a host graph", {1, {one}, {SIBLING}}, 0);
    run("null in a host graph", {1, {NULL}, {TAIL}}, 0);
    run("sibling from a device graph", {1, {one}, {SIBLING}}, ON_DEVICE);
}

static void CUDART_CB host(void *) {}

static void instantiate(const char *what, cudaGraph_t graph, unsigned long long flags)
{
    cudaGraphInstantiateParams params = {};
    cudaGraphExec_t exec = NULL;
    cudaGraphNodeType type = (cudaGraphNodeType)-1;
    params.flags = flags;
    const cudaError_t code = cudaGraphInstantiateWithParams(&exec, graph, &params);
    if (params.errNode_out)
        cudaGraphNodeGetType(params.errNode_out, &type);
    printf("%s: %s, result %d, node %s of type %d, exec %s\n", what, cudaGetErrorName(code), params.result_out,
           params.errNode_out ? "told" : "none", type, exec ? "made" : "none");
    cudaGetLastError();
}

static cudaGraph_t fresh()
{
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    return graph;
}

static void requirements()
{
    cudaGraphNode_t node, second;
    cudaHostNodeParams function = {host, NULL};
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event));
    cudaGraph_t graph = fresh();
    instantiate("empty graph", graph, ON_DEVICE);
    CHECK(cudaGraphAddEmptyNode(&node, graph, NULL, 0));
    instantiate("empty node", graph, ON_DEVICE);
    CHECK(cudaGraphAddHostNode(&node, graph = fresh(), NULL, 0, &function));
    instantiate("host node", graph, ON_DEVICE);
    cudaGraph_t parent = fresh();
    CHECK(cudaGraphAddChildGraphNode(&node, parent, NULL, 0, graph));
    instantiate("child with a host node", parent, ON_DEVICE);
    CHECK(cudaGraphAddEventRecordNode(&node, graph = fresh(), NULL, 0, event));
    instantiate("event record", graph, ON_DEVICE);
    CHECK(cudaGraphAddEventWaitNode(&node, graph = fresh(), NULL, 0, event));
    instantiate("event wait", graph, ON_DEVICE);
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = 4;
    CHECK(cudaGraphAddMemAllocNode(&node, graph = fresh(), NULL, 0, &memory));
    CHECK(cudaGraphAddMemFreeNode(&second, graph, &node, 1, memory.dptr));
    instantiate("memory", graph, ON_DEVICE);
    void *pageable = malloc(64), *pinned;
    CHECK(cudaGraphAddMemcpyNode1D(&node, graph = fresh(), NULL, 0, pageable, ran, 4, cudaMemcpyDeviceToHost));
    instantiate("copy to pageable", graph, ON_DEVICE);
    CHECK(cudaMallocHost(&pinned, 64));
    CHECK(cudaGraphAddMemcpyNode1D(&node, graph = fresh(), NULL, 0, pinned, ran, 4, cudaMemcpyDeviceToHost));
    instantiate("copy to pinned", graph, ON_DEVICE);
    instantiate("with auto free", graph, ON_DEVICE | cudaGraphInstantiateFlagAutoFreeOnLaunch);
    instantiate("with priority", graph, ON_DEVICE | cudaGraphInstantiateFlagUseNodePriority);
    cudaGraphConditionalHandle handle;
    cudaGraphNodeParams condition = {cudaGraphNodeTypeConditional};
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph = fresh()));
    condition.conditional.handle = handle;
    condition.conditional.type = cudaGraphCondTypeIf;
    condition.conditional.size = 1;
    CHECK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &condition));
    instantiate("condition", graph, ON_DEVICE);
}

int main()
{
    CHECK(cudaMalloc(&ran, sizeof *ran));
    CHECK(cudaMalloc(&then, sizeof *then));
    CHECK(cudaStreamCreate(&stream));
    launches();
    requirements();
    run("not for the device", {1, {leaf(0, true)}, {TAIL}}, 0);
}
