// SPDX-License-Identifier: Apache-2.0
// A fault in a node of a graph: the launch has succeeded, a later call tells, and no node behind it is done. In a plain graph,
// and in the body of a conditional node if there is an argument; the context is gone then, so each is a process.
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

__global__ void put(int *to, int value)
{
    *to = value;
}

static const char *name(cudaError_t code)
{
    return cudaGetErrorName(code);
}

static void run(bool is_inner)
{
    int *pinned, *nowhere = NULL, four = 4, five = 5;
    cudaGraph_t graph, body;
    cudaGraphNode_t first, second;
    cudaGraphExec_t exec;
    CHECK(cudaMallocHost(&pinned, sizeof *pinned));
    *pinned = 0;
    CHECK(cudaGraphCreate(&graph, 0));
    body = graph;
    if (is_inner) {
        cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
        CHECK(cudaGraphConditionalHandleCreate(&params.conditional.handle, graph, 1, cudaGraphCondAssignDefault));
        params.conditional.type = cudaGraphCondTypeIf;
        params.conditional.size = 1;
        CHECK(cudaGraphAddNode(&first, graph, NULL, NULL, 0, &params));
        body = params.conditional.phGraph_out[0];
    }
    void *bad[] = {&nowhere, &four}, *good[] = {&pinned, &five};
    cudaKernelNodeParams params = {};
    params.func = (void *)put;
    params.gridDim = params.blockDim = 1;
    params.kernelParams = bad;
    CHECK(cudaGraphAddKernelNode(&first, body, NULL, 0, &params));
    params.kernelParams = good;
    CHECK(cudaGraphAddKernelNode(&second, body, &first, 1, &params));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    printf("%s ", name(cudaGraphLaunch(exec, 0)));
    printf("%s ", name(cudaDeviceSynchronize()));
    printf("%s %d\n", name(cudaGraphLaunch(exec, 0)), *pinned);
    fflush(stdout);
}

int main()
{
    for (int is_inner = 0; is_inner < 2; is_inner++) {
        const pid_t child = fork();
        if (child == 0) {
            run(is_inner);
            return 0;
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}
