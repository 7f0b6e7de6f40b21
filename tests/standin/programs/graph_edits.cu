// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs changed one at a time, in the graph and in what was instantiated from it, and what a graph tells of
// them (CUDA Runtime API, "Graph Management").
#include "check.h"
#include <cstring>

__device__ int variable[4];

__global__ void add(int *to, int value)
{
    *to += value;
}

static int *sum, *other;

static int take(int *from)
{
    int value;
    CHECK(cudaMemcpy(&value, from, sizeof value, cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(from, 0, sizeof value));
    return value;
}

static void name(const char *what, cudaError_t code)
{
    printf("%s: %s\n", what, cudaGetErrorName(code));
}

static cudaKernelNodeParams kernel(int **to, int *value)
{
    static void *arguments[2];
    arguments[0] = to;
    arguments[1] = value;
    cudaKernelNodeParams params = {};
    params.func = (void *)add;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    return params;
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t after, int value)
{
    cudaGraphNode_t node;
    const cudaKernelNodeParams params = kernel(&sum, &value);
    CHECK(cudaGraphAddKernelNode(&node, graph, after ? &after : NULL, after != NULL, &params));
    return node;
}

static void launch(cudaGraphExec_t exec)
{
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
}

static void launch_new(cudaGraph_t graph)
{
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec);
    CHECK(cudaGraphExecDestroy(exec));
}

static void copies()
{
    static int from[2] = {11, 22}, second[2] = {33, 44}, to[2];
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t in, out, into, outof;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNode1D(&in, graph, NULL, 0, sum, from, sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&into, graph, &in, 1, variable, from, sizeof(int), 4, cudaMemcpyHostToDevice));
    CHECK(cudaGraphAddMemcpyNodeFromSymbol(&outof, graph, &into, 1, to + 1, variable, sizeof(int), 4,
                                           cudaMemcpyDeviceToHost));
    CHECK(cudaGraphAddMemcpyNode1D(&out, graph, &outof, 1, to, sum, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec);
    printf("copied: %d %d\n", to[0], to[1]);
    CHECK(cudaGraphExecMemcpyNodeSetParams1D(exec, in, sum, second, sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, into, variable, second + 1, sizeof(int), 8,
                                                   cudaMemcpyHostToDevice));
    CHECK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, outof, to + 1, variable, sizeof(int), 8,
                                                     cudaMemcpyDeviceToHost));
    launch(exec);
    printf("changed: %d %d\n", to[0], to[1]);
    launch_new(graph);
    printf("the graph itself: %d %d\n", to[0], to[1]);
    CHECK(cudaGraphMemcpyNodeSetParams1D(in, sum, from + 1, sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaGraphMemcpyNodeSetParamsToSymbol(into, variable, second, sizeof(int), 12, cudaMemcpyHostToDevice));
    CHECK(cudaGraphMemcpyNodeSetParamsFromSymbol(outof, to + 1, variable, sizeof(int), 12, cudaMemcpyDeviceToHost));
    launch_new(graph);
    printf("changed itself: %d %d\n", to[0], to[1]);
    name("past the variable", cudaGraphMemcpyNodeSetParamsToSymbol(into, variable, second, 8, 12, cudaMemcpyHostToDevice));
    name("of nothing", cudaGraphExecMemcpyNodeSetParams1D(exec, in, sum, second, 0, cudaMemcpyHostToDevice));
    name("from another side",
         cudaGraphExecMemcpyNodeSetParams1D(exec, in, sum, other, sizeof(int), cudaMemcpyDeviceToDevice));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    take(sum);
}

// A box of 3 x 2 x 2 ints in one of 4 x 3 x 2, from an array of 8 x 4.
static void boxes()
{
    static int host[32], got[24];
    cudaArray_t array;
    cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
    cudaPitchedPtr to = make_cudaPitchedPtr(got, 4 * sizeof(int), 4 * sizeof(int), 3);
    cudaGraph_t graph;
    cudaGraphNode_t node;
    for (int i = 0; i < 32; i++)
        host[i] = i;
    CHECK(cudaMallocArray(&array, &ints, 8, 4));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, host, 32, 32, 4, cudaMemcpyHostToDevice));
    CHECK(cudaGraphCreate(&graph, 0));
    cudaMemcpy3DParms box = {}, told;
    box.srcArray = array;
    box.srcPos = make_cudaPos(2, 1, 0);
    box.dstPtr = to;
    box.dstPos = make_cudaPos(1, 1, 0);
    box.extent = make_cudaExtent(3, 2, 1);
    box.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &box));
    CHECK(cudaGraphMemcpyNodeGetParams(node, &told));
    printf("box: array %d, at %zu %zu %zu, to %d, pitch %zu, rows %zu, at %zu %zu %zu, %zu x %zu x %zu, kind %d\n",
           told.srcArray == array, told.srcPos.x, told.srcPos.y, told.srcPos.z, told.dstPtr.ptr == got,
           told.dstPtr.pitch, told.dstPtr.ysize, told.dstPos.x, told.dstPos.y, told.dstPos.z, told.extent.width,
           told.extent.height, told.extent.depth, told.kind);
    launch_new(graph);
    printf("box: %d %d %d, %d %d %d\n", got[5], got[6], got[7], got[9], got[10], got[11]);
    box.srcPos = make_cudaPos(5, 2, 0);
    CHECK(cudaGraphMemcpyNodeSetParams(node, &box));
    launch_new(graph);
    printf("moved: %d %d %d, %d %d %d\n", got[5], got[6], got[7], got[9], got[10], got[11]);
    box.srcPos = make_cudaPos(6, 2, 0);
    name("outside of the array", cudaGraphMemcpyNodeSetParams(node, &box));
    // Places in memory count elements too where an array takes part.
    box.srcPos = make_cudaPos(0, 0, 0);
    box.dstPos = make_cudaPos(4, 1, 0);
    name("outside of the rows", cudaGraphMemcpyNodeSetParams(node, &box));
    name("outside of the rows, at once", cudaMemcpy3D(&box));
    box.dstPtr.pitch = 8 * sizeof(int);
    name("in longer rows", cudaGraphMemcpyNodeSetParams(node, &box));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFreeArray(array));
}

static void fills()
{
    static unsigned char got[8];
    cudaMemsetParams params = {}, told;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    unsigned char *to;
    CHECK(cudaMalloc(&to, 8));
    CHECK(cudaMemset(to, 0, 8));
    params.dst = to;
    params.elementSize = 1;
    params.value = 7;
    params.width = 2;
    params.height = 1;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &params));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec);
    params.dst = to + 4;
    params.value = 0x0909;
    params.elementSize = 2;
    CHECK(cudaGraphMemsetNodeSetParams(node, &params));
    CHECK(cudaGraphMemsetNodeGetParams(node, &told));
    printf("fill: %d, value %#x, %zu x %zu elements of %u bytes\n", told.dst == to + 4, told.value, told.width,
           told.height, told.elementSize);
    params.elementSize = 1;
    params.value = 5;
    CHECK(cudaGraphExecMemsetNodeSetParams(exec, node, &params));
    launch(exec);
    CHECK(cudaMemcpy(got, to, 8, cudaMemcpyDeviceToHost));
    printf("filled: %d %d %d %d %d %d %d %d\n", got[0], got[1], got[2], got[3], got[4], got[5], got[6], got[7]);
    params.height = 2;
    params.pitch = 4;
    name("a row more", cudaGraphExecMemsetNodeSetParams(exec, node, &params));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(to));
}

static void note(void *number)
{
    printf("host function %d\n", *(int *)number);
}

static void hosts_and_events()
{
    static int numbers[] = {1, 2, 3};
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t host, record, wait;
    cudaEvent_t events[2], told;
    cudaHostNodeParams params = {note, &numbers[0]}, got;
    for (int i = 0; i < 2; i++)
        CHECK(cudaEventCreate(&events[i]));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddHostNode(&host, graph, NULL, 0, &params));
    CHECK(cudaGraphAddEventRecordNode(&record, graph, &host, 1, events[0]));
    CHECK(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, events[0]));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec);
    params.userData = &numbers[1];
    CHECK(cudaGraphExecHostNodeSetParams(exec, host, &params));
    launch(exec);
    params.userData = &numbers[2];
    CHECK(cudaGraphHostNodeSetParams(host, &params));
    CHECK(cudaGraphHostNodeGetParams(host, &got));
    printf("host: %d %d\n", got.fn == note, got.userData == &numbers[2]);
    CHECK(cudaGraphEventRecordNodeSetEvent(record, events[1]));
    CHECK(cudaGraphEventRecordNodeGetEvent(record, &told));
    printf("records the second: %d\n", told == events[1]);
    CHECK(cudaGraphEventWaitNodeSetEvent(wait, events[1]));
    CHECK(cudaGraphEventWaitNodeGetEvent(wait, &told));
    printf("waits for the second: %d\n", told == events[1]);
    CHECK(cudaGraphExecEventRecordNodeSetEvent(exec, record, events[1]));
    CHECK(cudaGraphExecEventWaitNodeSetEvent(exec, wait, events[1]));
    launch(exec);
    name("the second is recorded", cudaEventQuery(events[1]));
    name("a record as a wait", cudaGraphEventWaitNodeGetEvent(record, &told));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    for (int i = 0; i < 2; i++)
        CHECK(cudaEventDestroy(events[i]));
}

// The graph that a node holds is its own: changing that is not changing what it was made from.
static void children()
{
    cudaGraph_t graph, child, inner, longer;
    cudaGraphExec_t exec;
    cudaGraphNode_t node, at;
    size_t count = 1;
    int value = 100;
    CHECK(cudaGraphCreate(&child, 0));
    add_kernel(child, NULL, 1);
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    CHECK(cudaGraphChildGraphNodeGetGraph(node, &inner));
    CHECK(cudaGraphGetNodes(inner, &at, &count));
    printf("inner graph: another %d, %zu node\n", inner != child, count);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec);
    printf("child: %d\n", take(sum));
    cudaKernelNodeParams params = kernel(&sum, &value);
    CHECK(cudaGraphExecKernelNodeSetParams(exec, at, &params));
    launch(exec);
    printf("its node in what was instantiated: %d\n", take(sum));
    value = 10;
    CHECK(cudaGraphKernelNodeSetParams(at, &params));
    launch_new(graph);
    printf("its node: %d\n", take(sum));
    CHECK(cudaGraphExecChildGraphNodeSetParams(exec, node, child));
    launch(exec);
    printf("as the first one again: %d\n", take(sum));
    CHECK(cudaGraphClone(&longer, child));
    add_kernel(longer, NULL, 2);
    name("by one with a node more", cudaGraphExecChildGraphNodeSetParams(exec, node, longer));
    CHECK(cudaGraphDestroy(longer));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(child));
    CHECK(cudaGraphDestroy(graph));
}

static void any_kind()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    int value = 5;
    cudaGraphNodeParams params = {cudaGraphNodeTypeKernel}, other_kind = {cudaGraphNodeTypeMemset};
    const cudaKernelNodeParams first = kernel(&sum, &value);
    memcpy(&params.kernel, &first, sizeof first);
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    value = 6;
    CHECK(cudaGraphExecNodeSetParams(exec, node, &params));
    value = 7;
    CHECK(cudaGraphNodeSetParams(node, &params));
    launch(exec);
    printf("any kind: %d in what was instantiated", take(sum));
    launch_new(graph);
    printf(", %d in the graph\n", take(sum));
    other_kind.memset.dst = sum;
    other_kind.memset.elementSize = 4;
    other_kind.memset.width = other_kind.memset.height = 1;
    name("as another kind", cudaGraphNodeSetParams(node, &other_kind));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

static void edges()
{
    cudaGraph_t graph;
    cudaGraphNode_t nodes[3];
    size_t count;
    CHECK(cudaGraphCreate(&graph, 0));
    for (int i = 0; i < 3; i++)
        nodes[i] = add_kernel(graph, i ? nodes[i - 1] : NULL, 1 << i);
    CHECK(cudaGraphRemoveDependencies(graph, &nodes[1], &nodes[2], NULL, 1));
    name("once more", cudaGraphRemoveDependencies(graph, &nodes[1], &nodes[2], NULL, 1));
    CHECK(cudaGraphGetRootNodes(graph, NULL, &count));
    printf("%zu roots", count);
    CHECK(cudaGraphAddDependencies(graph, &nodes[0], &nodes[2], NULL, 1));
    CHECK(cudaGraphDestroyNode(nodes[0]));
    CHECK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    printf(", without the first node %zu edges", count);
    CHECK(cudaGraphGetNodes(graph, NULL, &count));
    printf(", %zu nodes\n", count);
    launch_new(graph);
    printf("what is left: %d\n", take(sum));
    CHECK(cudaGraphAddDependencies(graph, &nodes[1], &nodes[2], NULL, 1));
    CHECK(cudaGraphAddDependencies(graph, &nodes[2], &nodes[1], NULL, 1));
    cudaGraphInstantiateParams how = {};
    cudaGraphExec_t exec;
    name("in a circle", cudaGraphInstantiateWithParams(&exec, graph, &how));
    printf("result %d, a node of it %d\n", how.result_out, how.errNode_out == nodes[1] || how.errNode_out == nodes[2]);
    CHECK(cudaGraphRemoveDependencies(graph, &nodes[2], &nodes[1], NULL, 1));
    how.flags = cudaGraphInstantiateFlagUseNodePriority | cudaGraphInstantiateFlagUpload;
    CHECK(cudaGraphInstantiateWithParams(&exec, graph, &how));
    unsigned long long flags;
    CHECK(cudaGraphExecGetFlags(exec, &flags));
    printf("result %d, flags %llu\n", how.result_out, flags);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

// Which of the nodes it is: 0 for none, -1 for another one.
static int place(cudaGraphNode_t node, const cudaGraphNode_t *nodes, int count)
{
    for (int i = 0; i < count; i++)
        if (nodes[i] == node)
            return i + 1;
    return node ? -1 : 0;
}

static void update(const char *what, cudaGraphExec_t exec, cudaGraph_t graph, const cudaGraphNode_t *nodes, int count)
{
    cudaGraphExecUpdateResultInfo info;
    const cudaError_t code = cudaGraphExecUpdate(exec, graph, &info);
    printf("%s: %s, result %d, node %d, from %d\n", what, cudaGetErrorName(code), info.result,
           place(info.errorNode, nodes, count), place(info.errorFromNode, nodes, count));
}

static void updates()
{
    cudaGraph_t graph, next;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[2], others[3];
    CHECK(cudaGraphCreate(&graph, 0));
    nodes[0] = add_kernel(graph, NULL, 1);
    nodes[1] = add_kernel(graph, nodes[0], 2);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));

    CHECK(cudaGraphCreate(&next, 0));
    others[0] = add_kernel(next, NULL, 10);
    update("one node", exec, next, others, 1);
    others[1] = add_kernel(next, NULL, 20);
    update("no edge", exec, next, others, 2); // one of the exit nodes, of which the other graph has one only
    CHECK(cudaGraphAddDependencies(next, &others[0], &others[1], NULL, 1));
    update("the same", exec, next, others, 2);
    launch(exec);
    printf("updated: %d\n", take(sum));
    CHECK(cudaGraphDestroyNode(others[1]));
    CHECK(cudaGraphAddEmptyNode(&others[1], next, &others[0], 1));
    update("another kind", exec, next, others, 2);
    launch(exec);
    printf("as before: %d\n", take(sum));
    CHECK(cudaGraphDestroy(next));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

// Its last node waits for another one too: the node has another count of edges.
static void edge_more()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[3];
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphCreate(&graph, 0));
    for (int i = 0; i < 3; i++)
        nodes[i] = add_kernel(graph, i ? nodes[i - 1] : NULL, 1 << i);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphAddDependencies(graph, &nodes[0], &nodes[2], NULL, 1));
    name("an edge more", cudaGraphExecUpdate(exec, graph, &info));
    printf("result %d, node %d\n", info.result, place(info.errorNode, nodes, 3));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

static unsigned long long told_flags(cudaGraph_t graph, unsigned long long given)
{
    unsigned long long told;
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, given));
    CHECK(cudaGraphExecGetFlags(exec, &told));
    CHECK(cudaGraphExecDestroy(exec));
    return told;
}

// All but uploads and priorities.
static void flags()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    unsigned long long told;
    cudaGraphInstantiateParams how = {};
    how.flags = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload;
    CHECK(cudaGraphCreate(&graph, 0));
    add_kernel(graph, NULL, 1);
    CHECK(cudaGraphInstantiateWithParams(&exec, graph, &how));
    CHECK(cudaGraphExecGetFlags(exec, &told));
    printf("flags: with parameters %llu", told);
    printf(", without %llu\n", told_flags(graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

static void attributes()
{
    cudaGraph_t graph;
    cudaGraphNode_t nodes[2];
    cudaKernelNodeAttrValue value = {}, told;
    CHECK(cudaGraphCreate(&graph, 0));
    for (int i = 0; i < 2; i++) /* one after the other: they add without atomics */
        nodes[i] = add_kernel(graph, i ? nodes[0] : NULL, 1);
    value.cooperative = 1;
    CHECK(cudaGraphKernelNodeSetAttribute(nodes[0], cudaLaunchAttributeCooperative, &value));
    CHECK(cudaGraphKernelNodeGetAttribute(nodes[0], cudaLaunchAttributeCooperative, &told));
    printf("cooperative: %d", told.cooperative);
    CHECK(cudaGraphKernelNodeGetAttribute(nodes[1], cudaLaunchAttributeCooperative, &told));
    printf(" %d", told.cooperative);
    CHECK(cudaGraphKernelNodeCopyAttributes(nodes[1], nodes[0]));
    CHECK(cudaGraphKernelNodeGetAttribute(nodes[1], cudaLaunchAttributeCooperative, &told));
    printf(" %d\n", told.cooperative);
    memset(&value, 0, sizeof value);
    value.accessPolicyWindow.base_ptr = sum;
    value.accessPolicyWindow.num_bytes = 4;
    value.accessPolicyWindow.hitRatio = 0.5f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    CHECK(cudaGraphKernelNodeSetAttribute(nodes[0], cudaLaunchAttributeAccessPolicyWindow, &value));
    CHECK(cudaGraphKernelNodeGetAttribute(nodes[0], cudaLaunchAttributeAccessPolicyWindow, &told));
    printf("window: %d, %zu bytes, %g\n", told.accessPolicyWindow.base_ptr == sum, told.accessPolicyWindow.num_bytes,
           told.accessPolicyWindow.hitRatio);
    launch_new(graph);
    printf("they run: %d\n", take(sum));
    CHECK(cudaGraphDestroy(graph));
}

static void enabling()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node, empty;
    unsigned is_enabled;
    CHECK(cudaGraphCreate(&graph, 0));
    node = add_kernel(graph, NULL, 1);
    CHECK(cudaGraphAddEmptyNode(&empty, graph, &node, 1));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphNodeSetEnabled(exec, node, 0));
    CHECK(cudaGraphNodeGetEnabled(exec, node, &is_enabled));
    launch(exec);
    printf("disabled: %u, %d\n", is_enabled, take(sum));
    name("an empty node", cudaGraphNodeSetEnabled(exec, empty, 0));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

static int gone;

static void destroy(void *object)
{
    gone += *(int *)object;
}

static void wait_for(int wanted)
{
    for (int i = 0; i < 1000000 && *(volatile int *)&gone != wanted; i++)
        cudaDeviceSynchronize();
    printf(" %d", gone);
}

// A graph, its clone and what was instantiated keep the object; the last one lets it go.
static void objects()
{
    static int amount = 3;
    cudaUserObject_t object;
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec;
    name("without the flag", cudaUserObjectCreate(&object, &amount, destroy, 1, 0));
    CHECK(cudaUserObjectCreate(&object, &amount, destroy, 2, cudaUserObjectNoDestructorSync));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    CHECK(cudaUserObjectRelease(object, 1));
    CHECK(cudaGraphClone(&clone, graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    printf("gone:");
    wait_for(0);
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(clone));
    wait_for(0);
    CHECK(cudaGraphExecDestroy(exec));
    wait_for(3);
    printf("\n");
}

static void dot()
{
    static char text[65536];
    char path[] = "/tmp/graph_edits.XXXXXX";
    cudaGraph_t graph;
    const int file = mkstemp(path);
    CHECK(cudaGraphCreate(&graph, 0));
    add_kernel(graph, add_kernel(graph, NULL, 1), 2);
    CHECK(cudaGraphDebugDotPrint(graph, path, cudaGraphDebugDotFlagsVerbose));
    FILE *in = fdopen(file, "r");
    const size_t bytes = fread(text, 1, sizeof text - 1, in);
    printf("dot: %d %d %d\n", bytes > 0, strncmp(text, "digraph", 7) == 0, strstr(text, "->") != NULL);
    fclose(in);
    remove(path);
    CHECK(cudaGraphDestroy(graph));
}

int main()
{
    CHECK(cudaMalloc(&sum, sizeof(int)));
    CHECK(cudaMalloc(&other, sizeof(int)));
    take(sum);
    copies();
    boxes();
    fills();
    hosts_and_events();
    children();
    any_kind();
    edges();
    updates();
    edge_more();
    flags();
    attributes();
    enabling();
    objects();
    dot();
}
