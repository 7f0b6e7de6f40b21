/* SPDX-License-Identifier: Apache-2.0
 * Graphs that kernels launch and nodes that they change, by the driver's calls and from PTX (CUDA C++
 * Programming Guide, "Device Graph Launch"). tests/standin/programs has what an H200 says of them. */
#include "cu.h"

extern int cuGraphKernelNodeSetAttribute(void *node, int attribute, void *value);
extern int cuGraphUpload(void *exec, void *stream);
extern int cuGraphAddDependencies(void *graph, void *const *from, void *const *to, size_t count);
extern int cuGraphExecKernelNodeSetParams_v2(void *exec, void *node, const void *params);

static const char graphs_text[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".extern .func (.param .b32 r) cudaGraphLaunch(.param .b64 g, .param .b64 s);\n"
    ".extern .func (.param .b32 r) cudaGraphKernelNodeSetEnabled(.param .b64 n, .param .b32 e);\n"
    ".extern .func (.param .b32 r) cudaGraphKernelNodeSetGridDim(.param .b64 n,\n"
    "    .param .align 4 .b8 d[12]);\n"
    ".visible .entry note(.param .u64 log, .param .u32 value, .param .u64 graph, .param .u64 how)\n"
    "{\n"
    ".reg .b64 %a, %g, %s, %o;\n.reg .b32 %i, %v, %c;\n.reg .pred %p;\n"
    "ld.param.u64 %a, [log];\nld.param.u32 %v, [value];\nld.param.u64 %g, [graph];\n"
    "ld.param.u64 %s, [how];\n"
    "atom.global.add.u32 %i, [%a], 1;\nmul.wide.u32 %o, %i, 4;\nadd.u64 %o, %o, %a;\n"
    "st.global.u32 [%o+4], %v;\n"
    "setp.eq.u64 %p, %s, 0;\n@%p bra done;\n"
    "setp.eq.u64 %p, %g, 0;\n@%p mov.u64 %g, %current_graph_exec;\n"
    "{\n.param .b64 x;\n.param .b64 y;\n.param .b32 z;\nst.param.b64 [x], %g;\n"
    "st.param.b64 [y], %s;\ncall.uni (z), cudaGraphLaunch, (x, y);\nld.param.b32 %c, [z];\n}\n"
    "setp.eq.u32 %p, %c, 0;\n@%p bra done;\nst.global.u32 [%a+60], %c;\n"
    "done:\nret;\n}\n"
    ".visible .entry change(.param .u64 log, .param .u64 node, .param .u32 grid, .param .u32 on)\n"
    "{\n.reg .b64 %a, %n;\n.reg .b32 %g, %e, %c, %d;\n"
    "ld.param.u64 %a, [log];\nld.param.u64 %n, [node];\nld.param.u32 %g, [grid];\n"
    "ld.param.u32 %e, [on];\n"
    "{\n.param .b64 x;\n.param .align 4 .b8 y[12];\n.param .b32 z;\nst.param.b64 [x], %n;\n"
    "st.param.b32 [y], %g;\nst.param.b32 [y+4], 1;\nst.param.b32 [y+8], 1;\n"
    "call.uni (z), cudaGraphKernelNodeSetGridDim, (x, y);\nld.param.b32 %c, [z];\n}\n"
    "{\n.param .b64 x;\n.param .b32 y;\n.param .b32 z;\nst.param.b64 [x], %n;\n"
    "st.param.b32 [y], %e;\n"
    "call.uni (z), cudaGraphKernelNodeSetEnabled, (x, y);\nld.param.b32 %d, [z];\n}\n"
    "or.b32 %c, %c, %d;\nst.global.u32 [%a+60], %c;\nret;\n}\n";

enum {
    FROM_DEVICE = 4,
    UPDATABLE = 13,
    WORDS = 16,
};
#define TAIL (UINT64_C(1) << 56)
#define FORGET (UINT64_C(2) << 56)
#define SIBLING (UINT64_C(3) << 56)

static void *stream, *function, *changer;
static address words;

/* CUDA_KERNEL_NODE_PARAMS */
typedef struct kernel_params {
    void *function;
    unsigned grid[3], block[3], shared_bytes;
    void **params, **extra, *kernel, *context;
} kernel_params;

static void *add(void *graph, void *after, void *of, void **params)
{
    void *node;
    const kernel_params kernel = {
        .function = of, .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = params};
    OK(cuGraphAddKernelNode_v2(&node, graph, after ? &after : NULL, after != NULL, &kernel));
    return node;
}

/* One that notes the value and then launches another, or itself. */
static void *graph_of(uint32_t value, void *then, uint64_t how, unsigned long long flags)
{
    void *graph, *exec, *params[] = {&words, &value, &then, &how};
    OK(cuGraphCreate(&graph, 0));
    add(graph, NULL, function, params);
    OK(cuGraphInstantiateWithFlags(&exec, graph, flags));
    OK(cuGraphUpload(exec, stream));
    OK(cuGraphDestroy(graph));
    return exec;
}

static void notes(void *exec, size_t count, const uint32_t *values)
{
    uint32_t got[WORDS] = {0};
    OK(cuMemcpyHtoD_v2(words, got, sizeof got));
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH_v2(got, words, sizeof got));
    EXPECT(got[0], count);
    for (size_t i = 0; i < count; i++)
        EXPECT(got[1 + i], values[i]);
    EXPECT(got[WORDS - 1], 0);
}

static void orders(void)
{
    void *last = graph_of(3, NULL, 0, FROM_DEVICE), *leaf = graph_of(4, NULL, 0, FROM_DEVICE);
    void *middle = graph_of(2, last, TAIL, FROM_DEVICE);
    notes(graph_of(1, middle, FORGET, 0), 3, (const uint32_t[]){1, 2, 3});
    notes(graph_of(1, middle, TAIL, 0), 3, (const uint32_t[]){1, 2, 3});
    notes(graph_of(5, leaf, SIBLING, FROM_DEVICE), 2, (const uint32_t[]){5, 4});
    OK(cuGraphExecDestroy(last));
    OK(cuGraphExecDestroy(middle));
}

/* A kernel outside of a graph launches none. */
static void outside(void)
{
    void *then = graph_of(1, NULL, 0, FROM_DEVICE);
    uint32_t value = 1;
    uint64_t how = TAIL;
    void *params[] = {&words, &value, &then, &how};
    uint32_t got[WORDS] = {0};
    OK(cuMemcpyHtoD_v2(words, got, sizeof got));
    EXPECT(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL) != 0, 1);
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH_v2(got, words, sizeof got));
    EXPECT(got[0], 0);
}

static void changes(void)
{
    static const struct {
        uint32_t grid, on, notes;
    } steps[] = {{3, 1, 3}, {2, 0, 0}, {5, 1, 5}};
    struct {
        int is, unused;
        uint64_t node;
    } updatable = {1, 0, 0};
    uint32_t value = 9, grid = 1, on = 1;
    uint64_t none = 0;
    void *graph, *exec, *node, *first, *noting[] = {&words, &value, &none, &none};
    OK(cuGraphCreate(&graph, 0));
    void *changing[] = {&words, &updatable.node, &grid, &on};
    node = add(graph, NULL, function, noting);
    OK(cuGraphKernelNodeSetAttribute(node, UPDATABLE, &updatable));
    first = add(graph, NULL, changer, changing);
    OK(cuGraphAddDependencies(graph, &first, &node, 1));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphUpload(exec, stream));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        grid = steps[i].grid, on = steps[i].on;
        const kernel_params kernel = {
            .function = changer, .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = changing};
        OK(cuGraphExecKernelNodeSetParams_v2(exec, first, &kernel));
        notes(exec, steps[i].notes, (const uint32_t[]){9, 9, 9, 9, 9});
    }
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
}

int main(void)
{
    void *context, *module;
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuStreamCreate(&stream, 1));
    OK(cuMemAlloc_v2(&words, WORDS * sizeof(uint32_t)));
    OK(cuModuleLoadData(&module, graphs_text));
    OK(cuModuleGetFunction(&function, module, "note"));
    OK(cuModuleGetFunction(&changer, module, "change"));
    orders();
    outside();
    changes();
    printf("in their order\n");
    return 0;
}
