/* SPDX-License-Identifier: Apache-2.0
 * A libcuda.so.1 without a GPU, so that src/gpu is tested everywhere. Device memory is host memory;
 * a kernel is a C function of the same name, found in the table below; time is a count that every
 * operation moves on by a fixed amount, so that reports are the same on every machine. Signatures:
 * CUDA Driver API reference. It knows nothing of the library.
 *
 *   STUB_CUDA_FAIL=SYMBOL:RESULT[:N]   SYMBOL fails with RESULT, at its N-th call only where N is given
 *   STUB_CUDA_VERSION, _SM, _COUNT     what is told: 13000, 90, 1
 *   STUB_CUDA_MEMORY                   bytes that can be allocated in all: 2^30
 *   STUB_CUDA_ANY                      kernels of other names are taken too, and do nothing
 *   STUB_CUDA_DRIFT    the clock and all kernels slow down by this per cent at each event */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
enum {
    OUT_OF_MEMORY = 2,
    INVALID_VALUE = 1,
    NOT_FOUND = 500,
    INVALID_PTX = 218,
    ILLEGAL_ADDRESS = 700
};
enum { MOST_PARAMS = 8, MOST_OPERATIONS = 4096 };

/* ---- what the environment asks for ----------------------------------------------------------- */

static long setting(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtol(text, NULL, 0) : otherwise;
}

/* Called with the symbol's name by every function that can fail. */
static int failure(const char *symbol)
{
    static int calls;
    int result = 0, at = 0;
    char name[64];
    const char *text = getenv("STUB_CUDA_FAIL");
    if (!text || sscanf(text, "%63[^:]:%d:%d", name, &result, &at) < 2 || strcmp(name, symbol) != 0)
        return 0;
    calls++;
    return at == 0 || calls == at ? result : 0;
}

#define FAIL_IF_ASKED()                                                                            \
    do {                                                                                           \
        const int asked = failure(__func__);                                                       \
        if (asked)                                                                                 \
            return asked;                                                                          \
    } while (0)

/* ---- time ------------------------------------------------------------------------------------ */

static double now_ns, slowness = 1;
static const double clock_ghz = 1.98;

static void pass(double ns)
{
    now_ns += ns * slowness;
}

/* ---- kernels --------------------------------------------------------------------------------- */

typedef struct call {
    uint64_t param[MOST_PARAMS];
    unsigned grid[3], block[3];
} call;

static void run_nothing(const call *c)
{
    (void)c;
}

static void run_spin(const call *c)
{
    uint64_t *out = (uint64_t *)(uintptr_t)c->param[0];
    const double ns = (double)c->param[1] / clock_ghz;
    out[0] = c->param[1];
    out[1] = (uint64_t)(ns * slowness + 0.5);
    pass(ns);
}

/* Of copies that only measure the memory, which are far longer than what a launch of the tests has, the first part is
 * moved: nothing looks at the rest. */
static void move_first(uint64_t to, uint64_t from, uint64_t bytes)
{
    const uint64_t most = 4 << 20;
    memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes < most ? bytes : most);
}

/* 16-byte words: `to`, `from`, `count`. */
static void run_copy16(const call *c)
{
    move_first(c->param[0], c->param[1], 16 * c->param[2]);
    pass(32.0 * (double)c->param[2] / 4000);
}

static void run_triad(const call *c)
{
    pass(48.0 * (double)c->param[3] / 4200);
}

/* Bytes in flight decide: 132 SMs and 700 ns. */
static void run_read(const call *c, unsigned words)
{
    const double threads = (double)c->grid[0] * c->block[0];
    const double bytes = threads * words * 16 * (double)(uint32_t)c->param[2];
    double gb_s = threads * words * 16 / 700;
    const double most = c->param[1] < (1 << 16) ? 30000 : c->param[1] < (1 << 21) ? 9000 : 4400;
    gb_s = gb_s < most ? gb_s : most;
    pass(bytes / gb_s);
}

static void run_read1(const call *c)
{
    run_read(c, 1);
}

static void run_read2(const call *c)
{
    run_read(c, 2);
}

static void run_read4(const call *c)
{
    run_read(c, 4);
}

static void run_read8(const call *c)
{
    run_read(c, 8);
}

/* `from`, `warm`, `steps`, `out`: 33 cycles a step in what an L1 holds, 270 in an L2, 700
 * elsewhere; how far the chain goes decides. */
static void run_chase(const call *c)
{
    uint64_t at = c->param[0], low = at, high = at;
    uint64_t *out = (uint64_t *)(uintptr_t)c->param[3];
    const uint64_t steps = (uint32_t)c->param[1] + (uint64_t)(uint32_t)c->param[2];
    for (uint64_t i = 0; i < steps; i++) {
        memcpy(&at, (const void *)(uintptr_t)at, sizeof at);
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    const uint64_t bytes = high - low;
    out[0] = (uint32_t)c->param[2] * (uint64_t)(bytes < (1 << 17)   ? 33
                                                : bytes < (1 << 25) ? 270
                                                                    : 700);
    out[1] = at;
    pass((double)out[0] / clock_ghz);
}

/* `cells`, `steps`, `apart`, `out`: a link takes a cycle for each warp, and 24 at least. */
static void run_steps(const call *c)
{
    const unsigned warps = c->block[0] / 32;
    *(uint64_t *)(uintptr_t)c->param[3] =
        8 * (uint64_t)(uint32_t)c->param[1] * (warps > 24 ? warps : 24);
}

/* `to`, `mask`, `apart`, `rounds`, `out`: 80 billion a second, to one word 2.75. */
static void run_adds(const call *c)
{
    const double adds = (double)c->grid[0] * c->block[0] * (double)(uint32_t)c->param[3];
    pass(adds / (c->param[2] ? 80 : 2.75));
}

/* `from`, `mask`, `rounds`, `out`: 40 billion sectors a second. */
static void run_random(const call *c)
{
    pass((double)c->grid[0] * c->block[0] * 4 * (double)(uint32_t)c->param[2] / 40);
}

static void run_fill(const call *c)
{
    pass(16.0 * (double)c->param[1] / 4000);
}

/* `out`, `trips`, `count`: a cycle an instruction up to 2,048, two up to 8,192, six beyond. */
static void run_code(const call *c)
{
    const uint64_t count = (uint32_t)c->param[2];
    *(uint64_t *)(uintptr_t)c->param[0] = (uint32_t)c->param[1] * count *
                                          (count <= 2048   ? 1
                                           : count <= 8192 ? 2
                                                           : 6);
}

/* `at`, `turn`, `out`: eight loads of 270 cycles, of every other SM 450; atomics take 100 more. */
static void run_half(const call *c)
{
    const uint32_t turn = (uint32_t)c->param[1];
    uint64_t *of_sm = (uint64_t *)(uintptr_t)c->param[2] + 1 + 2 * turn;
    of_sm[0] = 8 * (turn % 2 ? 450 : 270);
    of_sm[1] = of_sm[0] + 800;
}

/* tests/cli/data/copy.ptx: f32 y[], f32 x[], n. */
static void run_copy(const call *c)
{
    memcpy((void *)(uintptr_t)c->param[0], (const void *)(uintptr_t)c->param[1],
           4 * (size_t)(uint32_t)c->param[2]);
    pass(10000);
}

/* The same, and one element is wrong. */
static void run_wrong(const call *c)
{
    run_copy(c);
    *(float *)(uintptr_t)(c->param[0] + 4 * 7) = -1;
}

/* tests/cli/data/root.ptx: y[i] = sqrt.approx(x[i]); this one is off by a last place in every third
 * element. */
static void run_root(const call *c)
{
    float *y = (float *)(uintptr_t)c->param[0];
    const float *x = (const float *)(uintptr_t)c->param[1];
    for (uint32_t i = 0; i < (uint32_t)c->param[2]; i++) {
        uint32_t bits;
        y[i] = __builtin_sqrtf(x[i]);
        memcpy(&bits, &y[i], sizeof bits);
        bits += i % 3 == 2;
        memcpy(&y[i], &bits, sizeof bits);
    }
    pass(10000);
}

/* `n`, `alpha`, `x`, `y`: y += alpha * x. */
static void add_up(const call *c)
{
    float alpha, *y = (float *)(uintptr_t)c->param[3];
    const float *x = (const float *)(uintptr_t)c->param[2];
    memcpy(&alpha, &c->param[1], sizeof alpha);
    for (uint32_t i = 0; i < (uint32_t)c->param[0]; i++)
        y[i] = __builtin_fmaf(alpha, x[i], y[i]);
}

static void run_saxpy(const call *c)
{
    add_up(c);
    pass(10000);
}

/* tests/gpu/stub_cublas.c launches it. */
static void run_library(const call *c)
{
    add_up(c);
    pass(6000);
}

/* n, in, out: for cublasDgeam. */
static void run_transpose(const call *c)
{
    const size_t n = (uint32_t)c->param[0];
    const double *in = (const double *)(uintptr_t)c->param[1];
    double *out = (double *)(uintptr_t)c->param[2];
    for (size_t i = 0; i < n * n; i++)
        out[i % n * n + i / n] = in[i];
    pass(6000);
}

typedef struct kernel {
    const char *name;
    int params; /* each of at most 8 bytes */
    uint8_t bytes[MOST_PARAMS];
    void (*run)(const call *c);
    int faults; /* the result that the next wait gives */
} kernel;

static const kernel kernels[] = {
    {"ifl_empty", 0, {0}, run_nothing, 0},
    {"ifl_spin", 2, {8, 8}, run_spin, 0},
    {"ifl_read_1", 4, {8, 8, 4, 8}, run_read1, 0},
    {"ifl_read_2", 4, {8, 8, 4, 8}, run_read2, 0},
    {"ifl_read_4", 4, {8, 8, 4, 8}, run_read4, 0},
    {"ifl_read_l2", 4, {8, 8, 4, 8}, run_read4, 0},
    {"ifl_read_8", 4, {8, 8, 4, 8}, run_read8, 0},
    {"ifl_chase_l1", 4, {8, 4, 4, 8}, run_chase, 0},
    {"ifl_chase_l2", 4, {8, 4, 4, 8}, run_chase, 0},
    {"ifl_copy", 3, {8, 8, 8}, run_copy16, 0},
    {"ifl_triad", 4, {8, 8, 8, 8}, run_triad, 0},
    {"ifl_adds", 5, {8, 8, 4, 4, 8}, run_adds, 0},
    {"ifl_adds_fetched", 5, {8, 8, 4, 4, 8}, run_adds, 0},
    {"ifl_random", 4, {8, 8, 4, 8}, run_random, 0},
    {"ifl_fill", 2, {8, 8}, run_fill, 0},
    {"ifl_half", 3, {8, 4, 8}, run_half, 0},
    {"ifl_code", 3, {8, 4, 4}, run_code, 0},
#define STEPS(name)                                                                                \
    {                                                                                              \
        "ifl_steps_" name, 4, {8, 4, 4, 8}, run_steps, 0                                           \
    }
    STEPS("fma"),
    STEPS("fp64"),
    STEPS("convert"),
    STEPS("logic"),
    STEPS("special"),
    STEPS("shuffle"),
    STEPS("constant"),
    STEPS("shared"),
    STEPS("quads"),
    STEPS("shared_add"),
    STEPS("lines"),
    STEPS("barrier"),
    STEPS("fence"),
    STEPS("fence_stored"),
    STEPS("fence_system"),
    {"copy", 3, {8, 8, 4}, run_copy, 0},
    {"wrong", 3, {8, 8, 4}, run_wrong, 0},
    {"root", 3, {8, 8, 4}, run_root, 0},
    {"saxpy", 4, {4, 4, 8, 8}, run_saxpy, 0},
    {"library_saxpy", 4, {4, 4, 8, 8}, run_library, 0},
    {"library_transpose", 3, {4, 8, 8}, run_transpose, 0},
    {"fault", 3, {8, 8, 4}, run_nothing, ILLEGAL_ADDRESS},
};

/* ---- operations, at once or into a graph ----------------------------------------------------- */

typedef struct operation {
    const kernel *kernel; /* NULL: a copy */
    call call;
} operation;

typedef struct graph {
    size_t count;
    operation list[MOST_OPERATIONS];
} graph;

static graph *capturing;
static int sticky;

static double copy_ns(const operation *o)
{
    return o->kernel ? 2000 + 32.0 * (double)o->call.param[2] / 4000
                     : 2 * (double)o->call.param[2] / 4000;
}

/* The same copy twice changes nothing the second time: only its time passes. */
static bool is_copy_again(const operation *o, const operation *before)
{
    const bool copies = !o->kernel || o->kernel->run == run_copy16;
    return copies && o->kernel == before->kernel &&
           memcmp(&o->call, &before->call, sizeof o->call) == 0;
}

static void perform(const operation *o)
{
    static operation before;
    if (is_copy_again(o, &before)) {
        pass(copy_ns(o));
        return;
    }
    before = *o;
    if (!o->kernel) {
        move_first(o->call.param[0], o->call.param[1], o->call.param[2]);
        pass(copy_ns(o));
        return;
    }
    pass(2000); /* what a launch costs */
    o->kernel->run(&o->call);
    if (o->kernel->faults)
        sticky = o->kernel->faults;
}

static int submit(const operation *o)
{
    if (!capturing)
        return perform(o), 0;
    if (capturing->count == MOST_OPERATIONS)
        return OUT_OF_MEMORY;
    capturing->list[capturing->count++] = *o;
    return 0;
}

static int submit_launch(void *function, const unsigned grid[3], const unsigned block[3],
                         void **params)
{
    operation o = {.kernel = function};
    memcpy(o.call.grid, grid, sizeof o.call.grid);
    memcpy(o.call.block, block, sizeof o.call.block);
    for (int i = 0; i < o.kernel->params; i++)
        memcpy(&o.call.param[i], params[i], o.kernel->bytes[i]);
    return submit(&o);
}

/* ---- driver, device, context ----------------------------------------------------------------- */

API int cuInit(unsigned flags)
{
    (void)flags;
    FAIL_IF_ASKED();
    return 0;
}

API int cuDriverGetVersion(int *version)
{
    FAIL_IF_ASKED();
    *version = (int)setting("STUB_CUDA_VERSION", 13000);
    return 0;
}

API int cuDeviceGetCount(int *count)
{
    FAIL_IF_ASKED();
    *count = (int)setting("STUB_CUDA_COUNT", 1);
    return 0;
}

API int cuDeviceGet(int *device, int ordinal)
{
    FAIL_IF_ASKED();
    *device = ordinal;
    return 0;
}

API int cuDeviceGetName(char *name, int bytes, int device)
{
    FAIL_IF_ASKED();
    snprintf(name, (size_t)bytes, "Stub GPU %d", device);
    return 0;
}

/* The numbers of an H200 as its driver tells them. */
API int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    static const int table[][2] = {{1, 1024},   {13, 1980000},  {16, 132},    {36, 3201000},
                                   {37, 6016},  {38, 62914560}, {39, 2048},   {81, 233472},
                                   {82, 65536}, {95, 1},        {97, 232448}, {106, 32},
                                   {111, 1024}, {120, 1}};
    const long sm = setting("STUB_CUDA_SM", 90);
    (void)device;
    FAIL_IF_ASKED();
    *value = attribute == 75 ? (int)(sm / 10) : attribute == 76 ? (int)(sm % 10) : 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i][0] == attribute)
            *value = table[i][1];
    return 0;
}

API int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    FAIL_IF_ASKED();
    *bytes = (size_t)setting("STUB_CUDA_MEMORY", 1 << 30);
    return 0;
}

static const struct {
    int result;
    const char *name, *text;
} errors[] = {
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch"},
};

API int cuGetErrorName(int result, const char **name)
{
    *name = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].result == result)
            *name = errors[i].name;
    return *name ? 0 : INVALID_VALUE;
}

API int cuGetErrorString(int result, const char **text)
{
    *text = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].result == result)
            *text = errors[i].text;
    return *text ? 0 : INVALID_VALUE;
}

API int cuDevicePrimaryCtxRetain(void **context, int device)
{
    static int one;
    (void)device;
    FAIL_IF_ASKED();
    *context = &one;
    return 0;
}

API int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    return 0;
}

API int cuCtxSetCurrent(void *context)
{
    (void)context;
    FAIL_IF_ASKED();
    return 0;
}

API int cuCtxSynchronize(void)
{
    FAIL_IF_ASKED();
    return sticky;
}

/* ---- code ------------------------------------------------------------------------------------ */

/* PTX that says STUB_REFUSE is refused, with a log. Options 5 and 6: the log and its size. */
API int cuModuleLoadDataEx(void **module, const void *image, unsigned options, int *option,
                           void **value)
{
    FAIL_IF_ASKED();
    if (strncmp(image, "\177ELF", 4) != 0 && strstr(image, "STUB_REFUSE")) {
        for (unsigned i = 0; i < options; i++)
            if (option[i] == 5)
                strcpy(value[i], "ptxas application ptx input, line 7; error : STUB_REFUSE");
        return INVALID_PTX;
    }
    if (getenv("STUB_CUDA_TELL") && strncmp(image, "\177ELF", 4) == 0)
        fprintf(stderr, "a cubin is loaded\n");
    if (getenv("STUB_CUDA_LOADS"))
        fprintf(stderr, "loaded\n");
    *module = malloc(1);
    return *module ? 0 : OUT_OF_MEMORY;
}

API int cuModuleUnload(void *module)
{
    free(module);
    return 0;
}

API int cuModuleGetFunction(void **function, void *module, const char *name)
{
    (void)module;
    FAIL_IF_ASKED();
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, name) == 0) {
            *function = (void *)(uintptr_t)&kernels[i];
            return 0;
        }
    if (!getenv("STUB_CUDA_ANY"))
        return NOT_FOUND;
    *function = (void *)(uintptr_t)&kernels[0];
    return 0;
}

API int cuFuncSetAttribute(void *function, int attribute, int value)
{
    (void)function;
    (void)attribute;
    (void)value;
    FAIL_IF_ASKED();
    if (getenv("STUB_CUDA_TELL"))
        fprintf(stderr, "attribute %d = %d\n", attribute, value);
    return 0;
}

API int cuFuncGetAttribute(int *value, int attribute, void *function)
{
    (void)function;
    FAIL_IF_ASKED();
    *value = attribute == 4 ? 16 : 0;
    return 0;
}

API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int block,
                                                    size_t shared)
{
    (void)function;
    (void)shared;
    FAIL_IF_ASKED();
    *blocks = 2048 / block < 32 ? 2048 / block : 32;
    return 0;
}

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct block {
    size_t bytes;
    void *memory;
} block;

static block blocks[4096];
static size_t in_use;

API int cuMemGetInfo_v2(size_t *free_bytes, size_t *bytes)
{
    FAIL_IF_ASKED();
    *bytes = (size_t)setting("STUB_CUDA_MEMORY", 1 << 30);
    *free_bytes = *bytes - in_use;
    return 0;
}

API int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    FAIL_IF_ASKED();
    const size_t most = (size_t)setting("STUB_CUDA_MEMORY", 1 << 30);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        if (blocks[i].memory)
            continue;
        if (!bytes || bytes > most - in_use)
            return bytes ? OUT_OF_MEMORY : INVALID_VALUE;
        blocks[i].memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
        if (!blocks[i].memory)
            return OUT_OF_MEMORY;
        blocks[i].bytes = bytes;
        in_use += bytes;
        *address = (uint64_t)(uintptr_t)blocks[i].memory;
        return 0;
    }
    return OUT_OF_MEMORY;
}

API int cuMemFree_v2(uint64_t address)
{
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (blocks[i].memory && (uint64_t)(uintptr_t)blocks[i].memory == address) {
            free(blocks[i].memory);
            blocks[i].memory = NULL;
            in_use -= blocks[i].bytes;
            return 0;
        }
    return INVALID_VALUE;
}

API int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    FAIL_IF_ASKED();
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}

API int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    FAIL_IF_ASKED();
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return 0;
}

API int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
    const operation o = {.call = {.param = {to, from, bytes}}};
    (void)stream;
    FAIL_IF_ASKED();
    return submit(&o);
}

/* ---- streams, events, graphs ----------------------------------------------------------------- */

API int cuStreamCreate(void **stream, unsigned flags)
{
    (void)flags;
    FAIL_IF_ASKED();
    *stream = malloc(1);
    return *stream ? 0 : OUT_OF_MEMORY;
}

API int cuStreamDestroy_v2(void *stream)
{
    free(stream);
    return 0;
}

API int cuStreamSynchronize(void *stream)
{
    (void)stream;
    FAIL_IF_ASKED();
    return sticky;
}

API int cuEventCreate(void **event, unsigned flags)
{
    (void)flags;
    FAIL_IF_ASKED();
    *event = calloc(1, sizeof(double));
    return *event ? 0 : OUT_OF_MEMORY;
}

API int cuEventDestroy_v2(void *event)
{
    free(event);
    return 0;
}

API int cuEventRecord(void *event, void *stream)
{
    (void)stream;
    FAIL_IF_ASKED();
    *(double *)event = now_ns;
    slowness *= 1 + 0.01 * (double)setting("STUB_CUDA_DRIFT", 0);
    return 0;
}

API int cuEventSynchronize(void *event)
{
    (void)event;
    return sticky;
}

API int cuEventElapsedTime(float *ms, void *from, void *to)
{
    FAIL_IF_ASKED();
    *ms = (float)(1e-6 * (*(double *)to - *(double *)from));
    return 0;
}

API int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                       unsigned by, unsigned bz, unsigned shared, void *stream, void **params,
                       void **extra)
{
    (void)shared;
    (void)stream;
    (void)extra;
    FAIL_IF_ASKED();
    return submit_launch(function, (unsigned[]){gx, gy, gz}, (unsigned[]){bx, by, bz}, params);
}

API int cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                                  unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                  void *stream, void **params)
{
    (void)shared;
    (void)stream;
    FAIL_IF_ASKED();
    return submit_launch(function, (unsigned[]){gx, gy, gz}, (unsigned[]){bx, by, bz}, params);
}

API int cuStreamBeginCapture_v2(void *stream, int mode)
{
    (void)stream;
    (void)mode;
    FAIL_IF_ASKED();
    capturing = calloc(1, sizeof *capturing);
    return capturing ? 0 : OUT_OF_MEMORY;
}

API int cuStreamEndCapture(void *stream, void **out)
{
    (void)stream;
    *out = capturing;
    capturing = NULL;
    FAIL_IF_ASKED();
    return 0;
}

API int cuGraphInstantiateWithFlags(void **executable, void *from, unsigned long long flags)
{
    (void)flags;
    FAIL_IF_ASKED();
    graph *copy = malloc(sizeof *copy);
    if (copy)
        memcpy(copy, from, sizeof *copy);
    *executable = copy;
    return copy ? 0 : OUT_OF_MEMORY;
}

API int cuGraphLaunch(void *executable, void *stream)
{
    const graph *g = executable;
    (void)stream;
    FAIL_IF_ASKED();
    for (size_t i = 0; i < g->count; i++)
        perform(&g->list[i]);
    return 0;
}

API int cuGraphExecDestroy(void *executable)
{
    free(executable);
    return 0;
}

#ifndef STUB_OLD
API int cuGraphDestroy(void *from)
{
    free(from);
    return 0;
}
#endif
