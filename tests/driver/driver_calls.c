/* SPDX-License-Identifier: Apache-2.0
 * A program of the driver API: PTX text to a result, each way that parameters, memory and streams
 * are used. */
#include "cu.h"

enum { N = 1000, BLOCK = 128, GRID = (N + BLOCK - 1) / BLOCK };

static void *module, *axpy, *poke;
static address x, y;
static float host[N];

static void fill(void)
{
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    OK(cuMemcpyHtoD_v2(x, host, sizeof host));
    OK(cuMemsetD32_v2(y, 0x3f800000, N)); /* 1.0f */
}

/* y = factor x + 1 */
static void check(float factor)
{
    memset(host, 0, sizeof host);
    OK(cuMemcpyDtoH_v2(host, y, sizeof host));
    for (int i = 0; i < N; i++)
        EXPECT(host[i] == factor * (float)i + 1, 1);
}

static void launch_both_ways(void)
{
    float a = 2;
    unsigned n = N;
    void *params[] = {&x, &y, &a, &n};
    fill();
    OK(cuLaunchKernel(axpy, GRID, 1, 1, BLOCK, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
    check(2);
    struct {
        address x, y;
        float a;
        unsigned n;
    } block = {x, y, 5, N};
    size_t bytes = sizeof block;
    void *extra[] = {(void *)1, &block, (void *)2, &bytes, (void *)0};
    fill();
    OK(cuLaunchKernel(axpy, GRID, 1, 1, BLOCK, 1, 1, 0, NULL, NULL, extra));
    check(5);
    bytes = 8; /* what is behind them is 0: no elements */
    OK(cuLaunchKernel(axpy, GRID, 1, 1, BLOCK, 1, 1, 0, NULL, NULL, extra));
    check(5);
    bytes = 0;
    EXPECT(cuLaunchKernel(axpy, GRID, 1, 1, BLOCK, 1, 1, 0, NULL, NULL, extra), INVALID_VALUE);
    puts("launched with parameters one by one, and as a block");
}

/* As PyCUDA does, and programs from before CUDA 4. */
static void launch_old(void)
{
    address pair[] = {x, y};
    fill();
    OK(cuFuncSetBlockShape(axpy, BLOCK, 1, 1));
    OK(cuFuncSetSharedSize(axpy, 0));
    OK(cuParamSetv(axpy, 0, pair, sizeof pair));
    OK(cuParamSetf(axpy, 16, 4));
    OK(cuParamSeti(axpy, 20, N));
    OK(cuParamSetSize(axpy, 24));
    OK(cuLaunchGrid(axpy, GRID, 1));
    check(4);
    OK(cuParamSetf(axpy, 16, 8));
    fill();
    OK(cuLaunchGridAsync(axpy, GRID, 1, NULL));
    check(8);
    OK(cuParamSeti(axpy, 20, BLOCK));
    fill();
    OK(cuLaunch(axpy));
    memset(host, 0, sizeof host);
    OK(cuMemcpyDtoH_v2(host, y, sizeof host));
    EXPECT(host[BLOCK - 1] == 8 * (BLOCK - 1) + 1 && host[BLOCK] == 1, 1);
    OK(cuParamSetSize(axpy, 32)); /* what an H200's driver says */
    EXPECT(cuLaunch(axpy), OUT_OF_RESOURCES);
    OK(cuParamSetSize(axpy, 0));
    OK(cuLaunch(axpy));
    EXPECT(cuParamSetv(axpy, 4090, pair, sizeof pair), INVALID_VALUE);
    EXPECT(cuFuncSetBlockShape(axpy, 0, 1, 1), INVALID_VALUE);
    EXPECT(cuFuncSetBlockShape(pair, 1, 1, 1), INVALID_HANDLE);
    puts("launched by calls of before CUDA 4");
}

static void use_variable(void)
{
    address scale;
    size_t bytes;
    unsigned seven = 7, found = 0;
    OK(cuModuleGetGlobal_v2(&scale, &bytes, module, "scale"));
    EXPECT(bytes, 4);
    OK(cuMemcpyDtoH_v2(&found, scale, 4));
    EXPECT(found, 3);
    OK(cuMemcpyHtoD_v2(scale, &seven, 4));
    void *params[] = {&x};
    OK(cuLaunchKernel(poke, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    OK(cuMemcpyDtoH_v2(&found, x, 4));
    EXPECT(found, 7);
    puts("a kernel reads the variable that the host wrote");
}

static void use_rows(void)
{
    address rows;
    size_t pitch;
    uint16_t back[3][10];
    OK(cuMemAllocPitch_v2(&rows, &pitch, 20, 3, 4));
    EXPECT(pitch >= 20, 1);
    OK(cuMemsetD8_v2(rows, 0, pitch * 3));
    OK(cuMemsetD2D16_v2(rows + 2, pitch, 0x1234, 8, 3));
    struct {
        size_t x, y;
        int type;
        void *host;
        address device;
        void *array;
        size_t pitch;
    } copy[2] = {{0, 0, 2, NULL, rows, NULL, pitch}, {0, 0, 1, back, 0, NULL, 20}};
    struct {
        char sides[sizeof copy];
        size_t width, height;
    } of = {.width = 20, .height = 3};
    memcpy(of.sides, copy, sizeof copy);
    OK(cuMemcpy2D_v2(&of));
    for (int r = 0; r < 3; r++)
        for (int i = 0; i < 10; i++)
            EXPECT(back[r][i], i == 0 || i == 9 ? 0 : 0x1234);
    OK(cuMemFree_v2(rows));
    puts("rows are filled and copied with their pitch");
}

static void note(void *user)
{
    ++*(int *)user;
}

static void use_stream(void)
{
    void *stream, *start, *end, *graph, *exec;
    float a = 3, milliseconds = -1;
    unsigned n = N;
    int calls = 0;
    void *params[] = {&x, &y, &a, &n};
    OK(cuStreamCreate(&stream, 1));
    OK(cuEventCreate(&start, 0));
    OK(cuEventCreate(&end, 0));
    fill();
    OK(cuEventRecord(start, stream));
    OK(cuStreamBeginCapture_v2(stream, 0));
    OK(cuLaunchKernel(axpy, GRID, 1, 1, BLOCK, 1, 1, 0, stream, params, NULL));
    OK(cuLaunchHostFunc(stream, note, &calls));
    OK(cuStreamEndCapture(stream, &graph));
    EXPECT(calls, 0);
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphLaunch(exec, stream));
    OK(cuGraphLaunch(exec, stream));
    OK(cuEventRecord(end, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuEventSynchronize(end));
    OK(cuEventElapsedTime(&milliseconds, start, end));
    EXPECT(calls, 2);
    EXPECT(milliseconds >= 0, 1);
    check(6);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    OK(cuEventDestroy_v2(start));
    OK(cuEventDestroy_v2(end));
    OK(cuStreamDestroy_v2(stream));
    puts("a captured graph ran twice");
}

/* XLA gives host functions to streams in threads in which it made no context current. */
static void use_stream_alone(void)
{
    void *stream, *event, *context;
    unsigned n = 0;
    int calls = 0;
    OK(cuStreamCreate(&stream, 1));
    OK(cuEventCreate(&event, 0));
    OK(cuCtxPopCurrent_v2(&context));
    OK(cuLaunchHostFunc(stream, note, &calls));
    OK(cuMemcpyDtoHAsync_v2(&n, x, 4, stream));
    OK(cuEventRecord(event, stream));
    OK(cuEventQuery(event));
    OK(cuStreamSynchronize(stream));
    EXPECT(cuLaunchHostFunc(NULL, note, &calls), INVALID_CONTEXT);
    OK(cuEventDestroy_v2(event));
    OK(cuStreamDestroy_v2(stream));
    EXPECT(cuStreamSynchronize(stream), INVALID_CONTEXT);
    OK(cuCtxPushCurrent_v2(context));
    EXPECT(calls, 1);
    puts("a stream needs no current context");
}

/* A graph made by hand: two slices of two rows, copied in and out again. */
static void use_boxes(void)
{
    typedef struct side {
        size_t x, y, z, level;
        int type;
        void *host;
        address device;
        void *array, *reserved;
        size_t pitch, height;
    } side;
    struct {
        side from, to;
        size_t width, height, depth;
    } in = {.width = 4, .height = 2, .depth = 2}, out = in;
    char given[2][2][4] = {{"abc", "def"}, {"ghi", "jkl"}}, back[2][2][4] = {{"", ""}, {"", ""}};
    void *graph, *first, *second, *exec;
    const side device = {.type = 2, .device = x, .pitch = 64, .height = 3};
    in.from = (side){.type = 1, .host = given, .pitch = 4, .height = 2};
    in.to = out.from = device;
    out.to = (side){.type = 1, .host = back, .pitch = 4, .height = 2};
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddMemcpyNode(&first, graph, NULL, 0, &in, NULL));
    OK(cuGraphAddMemcpyNode(&second, graph, &first, 1, &out, NULL));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphLaunch(exec, NULL));
    OK(cuCtxSynchronize());
    EXPECT(memcmp(given, back, sizeof given), 0);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    puts("boxes are copied by a graph");
}

static void ask(void)
{
    int value, grid, block;
    address start, managed;
    size_t bytes;
    unsigned long long id = 0, other_id = 0;
    void *library, *kernel, *function;
    OK(cuFuncGetAttribute(&value, 0, axpy));
    EXPECT(value, 1024);
    OK(cuFuncGetAttribute(&value, 5, axpy)); /* PTX version */
    EXPECT(value, 70);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, axpy, NULL, 0, 0));
    EXPECT(block % 32 == 0 && block > 0 && grid > 0, 1);
    OK(cuMemGetAddressRange_v2(&start, &bytes, x + 100));
    EXPECT(start == x && bytes == sizeof host, 1);
    OK(cuPointerGetAttribute(&value, 2, x));
    EXPECT(value, 2);
    OK(cuPointerGetAttribute(&id, 7, x + 100));
    OK(cuPointerGetAttribute(&other_id, 7, x));
    EXPECT(id == other_id && id != 0, 1);
    OK(cuPointerGetAttribute(&other_id, 7, y));
    EXPECT(id != other_id, 1);
    EXPECT(cuPointerGetAttribute(&other_id, 7, (address)host), INVALID_VALUE);
    OK(cuMemAllocManaged(&managed, 64, 1));
    memset((void *)managed, 1, 64);
    OK(cuPointerGetAttribute(&value, 8, managed));
    EXPECT(value, 1);
    OK(cuMemFree_v2(managed));
    OK(cuLibraryLoadData(&library, kernels, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&kernel, library, "poke"));
    OK(cuKernelGetFunction(&function, kernel));
    void *params[] = {&y};
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    OK(cuMemcpyDtoH_v2(&value, y, 4));
    EXPECT(value, 3);
    OK(cuLibraryUnload(library));
    puts("functions, pointers and libraries answer");
}

/* CUDA_KERNEL_NODE_PARAMS of version 12 on */
typedef struct kernel_node {
    void *function;
    unsigned grid[3], block[3], shared_bytes;
    void **params, **extra;
    void *kernel, *context;
} kernel_node;

/* As programs change one parameter of a node: what it has, another value, and back. */
static void change_node(void)
{
    void *graph, *exec, *node;
    float a = 3, b = 5;
    unsigned n = N;
    void *params[] = {&x, &y, &a, &n};
    const kernel_node made = {
        .function = axpy, .grid = {GRID, 1, 1}, .block = {BLOCK, 1, 1}, .params = params};
    kernel_node has;
    memset(&has, 0xff, sizeof has);
    fill();
    OK(cuGraphCreate(&graph, 0));
    EXPECT(cuGraphKernelNodeGetParams_v2(graph, &has), INVALID_VALUE);
    OK(cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &made));
    OK(cuGraphKernelNodeGetParams_v2(node, &has));
    EXPECT(has.function == axpy && has.grid[0] == GRID && has.block[0] == BLOCK && !has.kernel &&
               !has.context,
           1);
    EXPECT(*(address *)has.params[0] == x && *(float *)has.params[2] == 3 &&
               *(unsigned *)has.params[3] == N,
           1);
    has.params[2] = &b;
    OK(cuGraphKernelNodeSetParams_v2(node, &has));
    OK(cuGraphKernelNodeGetParams_v2(node, &has));
    EXPECT(*(float *)has.params[2] == 5, 1);
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphLaunch(exec, NULL));
    check(5);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    puts("a graph's kernel is changed");
}

/* CUDA_MEM_ALLOC_NODE_PARAMS */
typedef struct memory_params {
    char pool[88];
    const void *access;
    size_t access_count, bytes;
    address at;
} memory_params;

static void allocate_in_graph(void)
{
    void *graph, *exec, *allocate, *release;
    address freed = 0;
    memory_params memory = {.bytes = 4096};
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddMemAllocNode(&allocate, graph, NULL, 0, &memory));
    EXPECT(cuGraphAddMemFreeNode(&release, graph, &allocate, 1, x), INVALID_VALUE);
    OK(cuGraphAddMemFreeNode(&release, graph, &allocate, 1, memory.at));
    OK(cuGraphMemFreeNodeGetParams(release, &freed));
    EXPECT(freed == memory.at, 1);
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphLaunch(exec, NULL));
    OK(cuMemsetD8_v2(memory.at, 0, 4096));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    puts("a graph allocates");
}

static void link_and_load(void)
{
    void *state, *image, *linked, *function;
    size_t bytes;
    OK(cuLinkCreate_v2(0, NULL, NULL, &state));
    EXPECT(cuLinkComplete(state, &image, &bytes), INVALID_VALUE);
    OK(cuLinkAddData_v2(state, 1, kernels, sizeof kernels, "kernels", 0, NULL, NULL));
    EXPECT(cuLinkAddData_v2(state, 6, kernels, sizeof kernels, "no type", 0, NULL, NULL),
           INVALID_VALUE);
    EXPECT(cuLinkAddFile_v2(state, 1, "not there", 0, NULL, NULL), FILE_NOT_FOUND);
    OK(cuLinkComplete(state, &image, &bytes));
    EXPECT(bytes, sizeof kernels);
    OK(cuModuleLoadData(&linked, image));
    OK(cuLinkDestroy(state));
    OK(cuModuleGetFunction(&function, linked, "axpy"));
    OK(cuModuleUnload(linked));
    puts("linked and loaded");
}

enum { TABLE_ID_BYTES = 16 };

typedef int context_value_put(void *context, void *key, void *value,
                              void (*end)(void *, void *, void *));
typedef int context_value_remove(void *context, void *key);
typedef int context_value_get(void **value, void *context, void *key);
typedef void visitor(void *user, void *function, void *module);
typedef unsigned visit_functions(void *context, void *module, visitor *visit, void *user);
typedef void (*any_call)(void);

static unsigned visited;

static void visit(void *user, void *function, void *of)
{
    void *owner = NULL;
    OK(cuFuncGetModule(&owner, function));
    EXPECT(owner == of && user == &visited, 1);
    visited++;
}

/* What cuFFT asks this table for. */
static void list_functions(void)
{
    static const unsigned char id[TABLE_ID_BYTES] = {0x6e, 0x16, 0x3f, 0xbe, 0xb9, 0x58,
                                                     0x44, 0x4d, 0x83, 0x5c, 0xe1, 0x82,
                                                     0xaf, 0xf1, 0x99, 0x1e};
    const any_call *table;
    unsigned count;
    OK(cuGetExportTable((const void **)(void *)&table, id));
    EXPECT((size_t)table[0] > 7 * sizeof *table, 1);
    OK(cuModuleGetFunctionCount(&count, module));
    EXPECT(((visit_functions *)table[7])(NULL, module, visit, &visited), (int)count);
    EXPECT(visited == count && count > 1, 1);
    EXPECT(((visit_functions *)table[7])(NULL, &visited, visit, &visited), 0);
    puts("the functions of a module are listed");
}

static void *ended_with;

static void end_value(void *context, void *key, void *value)
{
    EXPECT(context != NULL && key == &ended_with, 1);
    ended_with = value;
}

/* What cuBLAS without handles asks this table for; the value goes with the context. */
static void keep_value(void)
{
    static const unsigned char id[TABLE_ID_BYTES] = {0xc6, 0x93, 0x33, 0x6e, 0x11, 0x21,
                                                     0xdf, 0x11, 0xa8, 0xc3, 0x68, 0xf3,
                                                     0x55, 0xd8, 0x95, 0x93};
    const any_call *table;
    void *value = NULL, *context, *before;
    OK(cuGetExportTable((const void **)(void *)&table, id));
    context_value_put *put = (context_value_put *)table[0];
    context_value_get *get = (context_value_get *)table[2];
    OK(cuCtxGetCurrent(&before));
    EXPECT(get(&value, NULL, &visited), INVALID_HANDLE);
    OK(put(NULL, &visited, host, NULL));
    OK(get(&value, before, &visited));
    EXPECT(value == host, 1);
    OK(((context_value_remove *)table[1])(NULL, &visited));
    EXPECT(get(&value, NULL, &visited), INVALID_HANDLE);
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(put(NULL, &ended_with, host, end_value));
    EXPECT(get(&value, before, &ended_with), INVALID_HANDLE);
    OK(cuCtxDestroy_v2(context));
    EXPECT(ended_with == host, 1);
    OK(cuCtxSetCurrent(before));
    EXPECT(put(&value, &visited, host, NULL), INVALID_CONTEXT);
    puts("a context keeps values");
}

static void attach(void)
{
    void *context, *same, *before, *now;
    OK(cuCtxGetCurrent(&before));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuCtxAttach(&same, 0));
    EXPECT(same == context, 1);
    EXPECT(cuCtxDetach(before), INVALID_CONTEXT); /* not current */
    OK(cuCtxDetach(context));
    OK(cuCtxGetCurrent(&now));
    EXPECT(now == context, 1);
    OK(cuCtxDetach(context));
    OK(cuCtxGetCurrent(&now));
    EXPECT(now == before, 1);
    EXPECT(cuCtxDetach(context), INVALID_CONTEXT);
    puts("a context is destroyed when nobody uses it");
}

int main(void)
{
    int device, count, version;
    void *context, *current;
    OK(cuInit(0));
    OK(cuDriverGetVersion(&version));
    EXPECT(version >= 11000, 1);
    OK(cuDeviceGetCount(&count));
    EXPECT(count, 1);
    OK(cuDeviceGet(&device, 0));
    OK(cuCtxCreate_v2(&context, 0, device));
    OK(cuCtxGetCurrent(&current));
    EXPECT(current == context, 1);
    OK(cuModuleLoadData(&module, kernels));
    OK(cuModuleGetFunction(&axpy, module, "axpy"));
    OK(cuModuleGetFunction(&poke, module, "poke"));
    OK(cuMemAlloc_v2(&x, sizeof host));
    OK(cuMemAlloc_v2(&y, sizeof host));
    launch_both_ways();
    launch_old();
    use_variable();
    use_rows();
    use_stream();
    use_stream_alone();
    use_boxes();
    change_node();
    allocate_in_graph();
    link_and_load();
    ask();
    list_functions();
    keep_value();
    attach();
    OK(cuMemFree_v2(x));
    OK(cuMemFree_v2(y));
    OK(cuModuleUnload(module));
    OK(cuCtxDestroy_v2(context));
    return 0;
}
