// SPDX-License-Identifier: Apache-2.0
// Kernels that change nodes of a graph before these run: a parameter, the grid, whether they run at all, and several at once.
// CUDA Runtime API, cudaGraphKernelNodeUpdatesApply, cudaLaunchAttributeDeviceUpdatableKernelNode.
#include "check.h"

struct change {
    bool sets_value, sets_grid, sets_enabled, at_once;
    int value, enabled;
    uint3 grid;
    cudaError_t code[4];
};

__global__ void decide(cudaGraphDeviceNode_t node, change *c)
{
    if (c->at_once) {
        alignas(cudaGraphKernelNodeUpdate) unsigned char room[3 * sizeof(cudaGraphKernelNodeUpdate)];
        cudaGraphKernelNodeUpdate *all = reinterpret_cast<cudaGraphKernelNodeUpdate *>(room);
        all[0].node = all[1].node = all[2].node = node;
        all[0].field = cudaGraphKernelNodeFieldGridDim;
        all[0].updateData.gridDim = dim3(c->grid.x, c->grid.y, c->grid.z);
        all[1].field = cudaGraphKernelNodeFieldParam;
        all[1].updateData.param.pValue = &c->value;
        all[1].updateData.param.offset = 8;
        all[1].updateData.param.size = sizeof c->value;
        all[2].field = cudaGraphKernelNodeFieldEnabled;
        all[2].updateData.isEnabled = c->enabled;
        c->code[3] = cudaGraphKernelNodeUpdatesApply(all, 3);
        return;
    }
    if (c->sets_value)
        c->code[0] = cudaGraphKernelNodeSetParam(node, 8, c->value);
    if (c->sets_grid)
        c->code[1] = cudaGraphKernelNodeSetGridDim(node, dim3(c->grid.x, c->grid.y, c->grid.z));
    if (c->sets_enabled)
        c->code[2] = cudaGraphKernelNodeSetEnabled(node, c->enabled);
}

// What it adds at [0], and how many blocks of which shape.
__global__ void work(int *sums, int value)
{
    atomicAdd(&sums[0], value);
    atomicAdd(&sums[1], 1);
    sums[2] = gridDim.x * 100 + gridDim.y * 10 + gridDim.z;
}

static int *sums;
static change *given;
static cudaStream_t stream;

static void step(const char *what, cudaGraphExec_t exec, change c)
{
    int got[3];
    CHECK(cudaMemset(sums, 0, sizeof got));
    CHECK(cudaMemcpy(given, &c, sizeof c, cudaMemcpyHostToDevice));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    from_gpu(got, sums, 3);
    from_gpu(&c, given, 1);
    printf("%s: %d in %d blocks, grid %d", what, got[0], got[1], got[2]);
    for (cudaError_t code : c.code)
        if (code != cudaSuccess)
            printf(" %s", cudaGetErrorName(code));
    printf("\n");
}

static change value_of(int value)
{
    change c = {};
    c.sets_value = true;
    c.value = value;
    return c;
}

static change grid_of(unsigned x, unsigned y, unsigned z)
{
    change c = {};
    c.sets_grid = true;
    c.grid = {x, y, z};
    return c;
}

static change enabled_as(int is)
{
    change c = {};
    c.sets_enabled = true;
    c.enabled = is;
    return c;
}

static change all_of(int value, unsigned x, int is)
{
    change c = {};
    c.at_once = true;
    c.value = value;
    c.grid = {x, 1, 1};
    c.enabled = is;
    return c;
}

static const cudaLaunchAttributeID UPDATABLE = cudaLaunchAttributeDeviceUpdatableKernelNode;

static const char *name(cudaError_t code)
{
    cudaGetLastError();
    return cudaGetErrorName(code);
}

int main()
{
    cudaGraph_t graph, other;
    cudaGraphNode_t first, second, third;
    cudaGraphExec_t exec, again;
    cudaGraphDeviceNode_t node, told;
    CHECK(cudaMalloc(&sums, 3 * sizeof(int)));
    CHECK(cudaMalloc(&given, sizeof *given));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaGraphCreate(&graph, 0));
    int value = 5;
    void *work_arguments[] = {&sums, &value};
    cudaKernelNodeParams params = {(void *)work, dim3(2), dim3(1), 0, work_arguments, NULL};
    CHECK(cudaGraphAddKernelNode(&second, graph, NULL, 0, &params));
    cudaLaunchAttributeValue attribute = {};
    attribute.deviceUpdatableKernelNode.deviceUpdatable = 1;
    printf("updatable: %s\n", name(cudaGraphKernelNodeSetAttribute(second, UPDATABLE, &attribute)));
    node = attribute.deviceUpdatableKernelNode.devNode;
    cudaLaunchAttributeValue is = {};
    printf("asked: %s", name(cudaGraphKernelNodeGetAttribute(second, UPDATABLE, &is)));
    told = is.deviceUpdatableKernelNode.devNode;
    printf(" %d, %s\n", is.deviceUpdatableKernelNode.deviceUpdatable, told == node ? "the same" : "another");
    void *decide_arguments[] = {&node, &given};
    cudaKernelNodeParams decides = {(void *)decide, dim3(1), dim3(1), 0, decide_arguments, NULL};
    CHECK(cudaGraphAddKernelNode(&first, graph, NULL, 0, &decides));
    CHECK(cudaGraphAddDependencies(graph, &first, &second, NULL, 1));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphUpload(exec, stream));

    step("as made", exec, {});
    step("value 7", exec, value_of(7));
    step("it stays", exec, {});
    step("grid 3 x 2", exec, grid_of(3, 2, 1));
    step("off", exec, enabled_as(0));
    step("off still", exec, {});
    step("on", exec, enabled_as(1));
    step("all at once", exec, all_of(11, 4, 1));
    step("all at once, off", exec, all_of(12, 5, 0));
    step("all at once, on", exec, all_of(13, 6, 1));

    attribute.deviceUpdatableKernelNode.deviceUpdatable = 0;
    printf("not updatable any more: %s\n", name(cudaGraphKernelNodeSetAttribute(second, UPDATABLE, &attribute)));
    attribute.deviceUpdatableKernelNode.deviceUpdatable = 1;
    printf("updatable again: %s\n", name(cudaGraphKernelNodeSetAttribute(second, UPDATABLE, &attribute)));
    attribute.deviceUpdatableKernelNode.deviceUpdatable = 2;
    printf("updatable 2: %s\n", name(cudaGraphKernelNodeSetAttribute(first, UPDATABLE, &attribute)));
    printf("a second instance: %s\n", name(cudaGraphInstantiate(&again, graph, 0)));
    cudaGraphExecUpdateResultInfo info = {};
    cudaError_t code = cudaGraphExecUpdate(exec, graph, &info);
    printf("updated by the graph: %s, %d\n", name(code), info.result);
    printf("destroyed node: %s\n", name(cudaGraphDestroyNode(second)));
    CHECK(cudaGraphCreate(&other, 0));
    CHECK(cudaGraphAddKernelNode(&third, other, NULL, 0, &params));
    printf("attributes from it: %s\n", name(cudaGraphKernelNodeCopyAttributes(third, second)));
    printf("attributes to it: %s\n", name(cudaGraphKernelNodeCopyAttributes(second, third)));
    CHECK(cudaGraphDestroy(other));
    printf("clone: %s\n", name(cudaGraphClone(&other, graph)));
    value = 20;
    printf("set by the host: %s\n", name(cudaGraphExecKernelNodeSetParams(exec, second, &params)));
    CHECK(cudaGraphUpload(exec, stream));
    step("the host's value", exec, {});

    cudaLaunchAttribute at_launch = {};
    at_launch.id = UPDATABLE;
    at_launch.val.deviceUpdatableKernelNode.deviceUpdatable = 1;
    cudaLaunchConfig_t configuration = {};
    configuration.gridDim = configuration.blockDim = dim3(1);
    configuration.stream = stream;
    configuration.attrs = &at_launch;
    configuration.numAttrs = 1;
    printf("launched outside of a capture: %s\n", name(cudaLaunchKernelEx(&configuration, work, sums, 1)));
    CHECK(cudaStreamSynchronize(stream));
    cudaGraph_t captured;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    printf("launched in a capture: %s", name(cudaLaunchKernelEx(&configuration, work, sums, 1)));
    CHECK(cudaStreamEndCapture(stream, &captured));
    node = at_launch.val.deviceUpdatableKernelNode.devNode;
    printf(", a node is %s\n", node ? "told" : "not told");
    CHECK(cudaGraphInstantiate(&exec, captured, 0));
    CHECK(cudaGraphUpload(exec, stream));
    change outside = value_of(30);
    CHECK(cudaMemcpy(given, &outside, sizeof outside, cudaMemcpyHostToDevice));
    decide<<<1, 1, 0, stream>>>(node, given);
    CHECK(cudaStreamSynchronize(stream));
    from_gpu(&outside, given, 1);
    printf("from outside of the graph: %s\n", cudaGetErrorName(outside.code[0]));
    step("then", exec, {});
}
