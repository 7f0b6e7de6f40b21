/* SPDX-License-Identifier: Apache-2.0
 * Memory that is written in each of the ways there are, wholly, in part or not at all, and then read by a
 * kernel of its own, word by word: what --check-reads says of it is in written.expected. */
#include "cu.h"

extern int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
extern int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
extern int cudaMemcpyPeer(void *to, int to_gpu, const void *from, int from_gpu, size_t bytes);
extern int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t pitch, size_t width,
                        size_t height, int kind);
extern int cudaMemset(void *to, int value, size_t bytes);
extern int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream);
extern int cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height);
extern int cudaMallocAsync(void **out, size_t bytes, void *stream);
extern int cudaIpcGetMemHandle(void *out, void *at);
extern int cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes,
                                size_t count, void *attributes, size_t *first,
                                size_t attribute_count, void *stream);
extern int cuMemcpy(address to, address from, size_t bytes);
extern int cuMemcpyDtoD_v2(address to, address from, size_t bytes);
extern int cuMemcpyDtoDAsync_v2(address to, address from, size_t bytes, void *stream);
extern int cuMemcpy3D_v2(const void *copy);
extern int cuArrayCreate_v2(void **out, const void *words);
extern int cuMemcpyHtoA_v2(void *to, size_t at, const void *from, size_t bytes);
extern int cuMemcpyAtoD_v2(address to, void *from, size_t at, size_t bytes);
extern int cuMemsetD8Async(address to, unsigned char value, size_t count, void *stream);
extern int cuMemsetD16_v2(address to, unsigned short value, size_t count);
extern int cuMemsetD2D8_v2(address to, size_t pitch, unsigned char value, size_t width,
                           size_t height);
extern int cuMemsetD2D32_v2(address to, size_t pitch, unsigned value, size_t width, size_t height);
extern int cuStreamWriteValue32_v2(void *stream, address at, uint32_t value, unsigned flags);
extern int cuStreamWriteValue64_v2(void *stream, address at, uint64_t value, unsigned flags);

enum { WORDS = 32, BYTES = 4 * WORDS, PITCH = 16, TO_DEVICE = 1, ON_DEVICE = 3, UNSIGNED_32 = 3 };

static unsigned char host[BYTES];
static void *stream, *module;
static address written; /* by a copy from the host */

static void *pointer(address at)
{
    return (void *)at;
}

static void launch(const char *name, address at)
{
    void *kernel, *params[] = {&at};
    OK(cuModuleGetFunction(&kernel, module, name));
    OK(cuLaunchKernel(kernel, 1, 1, 1, WORDS, 1, 1, 0, NULL, params, NULL));
}

/* ---- wholly ---------------------------------------------------------------------------------- */

static void copy(address at)
{
    OK(cudaMemcpy(pointer(at), host, BYTES, TO_DEVICE));
}

static void copy_async(address at)
{
    OK(cudaMemcpyAsync(pointer(at), host, BYTES, TO_DEVICE, stream));
}

static void copy_within(address at)
{
    OK(cudaMemcpy(pointer(at), pointer(written), BYTES, ON_DEVICE));
}

static void copy_peer(address at)
{
    OK(cudaMemcpyPeer(pointer(at), 0, pointer(written), 0, BYTES));
}

static void copy_batch(address at)
{
    struct { /* cudaMemcpyAttributes */
        int order;
        int places[4];
        unsigned flags;
    } attributes = {.order = 1};
    void *to[] = {pointer(at), pointer(at + BYTES / 2)};
    const void *from[] = {host, pointer(written)};
    const size_t bytes[] = {BYTES / 2, BYTES / 2};
    size_t first = 0;
    OK(cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, &first, 1, stream));
}

static void set(address at)
{
    OK(cudaMemset(pointer(at), 0, BYTES));
}

static void set_async(address at)
{
    OK(cudaMemsetAsync(pointer(at), 1, BYTES, stream));
}

static void drv_copies(address at)
{
    OK(cuMemcpyHtoD_v2(at, host, BYTES / 4));
    OK(cuMemcpyDtoD_v2(at + BYTES / 4, written, BYTES / 4));
    OK(cuMemcpyHtoDAsync_v2(at + BYTES / 2, host, BYTES / 4, stream));
    OK(cuMemcpyDtoDAsync_v2(at + 3 * BYTES / 4, written, BYTES / 8, stream));
    OK(cuMemcpy(at + 7 * BYTES / 8, written, BYTES / 8));
}

static void drv_sets(address at)
{
    OK(cuMemsetD8_v2(at, 1, BYTES / 4));
    OK(cuMemsetD16_v2(at + BYTES / 4, 0x102, BYTES / 8));
    OK(cuMemsetD32_v2(at + BYTES / 2, 0x1020304, BYTES / 16));
    OK(cuMemsetD8Async(at + 3 * BYTES / 4, 0, BYTES / 4, stream));
}

static void drv_rows_set(address at)
{
    OK(cuMemsetD2D8_v2(at, PITCH, 1, PITCH, 2));
    OK(cuMemsetD2D16_v2(at + 2 * PITCH, PITCH, 2, PITCH / 2, 2));
    OK(cuMemsetD2D32_v2(at + 4 * PITCH, PITCH, 3, PITCH / 4, BYTES / PITCH - 4));
}

static void from_array(address at)
{
    const struct {
        size_t width, height;
        int format;
        unsigned channels;
    } words = {WORDS, 0, UNSIGNED_32, 1};
    void *array;
    OK(cuArrayCreate_v2(&array, &words));
    OK(cuMemcpyHtoA_v2(array, 0, host, BYTES));
    OK(cuMemcpyAtoD_v2(at, array, 0, BYTES));
}

/* A copy and a fill, as nodes. */
static void graph(address at)
{
    void *of, *ready;
    OK(cuStreamBeginCapture_v2(stream, 0));
    OK(cuMemcpyHtoDAsync_v2(at, host, BYTES / 2, stream));
    OK(cuMemsetD8Async(at + BYTES / 2, 7, BYTES / 2, stream));
    OK(cuStreamEndCapture(stream, &of));
    OK(cuGraphInstantiateWithFlags(&ready, of, 0));
    OK(cuGraphLaunch(ready, stream));
}

static void kernel_stores(address at)
{
    launch("stores", at);
}

static void kernel_adds(address at)
{
    launch("adds", at);
}

static void kernel_copies(address at)
{
    launch("copies", at);
}

/* Another process may write it. */
static void shared_memory(address at)
{
    unsigned char handle[64];
    OK(cudaIpcGetMemHandle(handle, pointer(at)));
}

/* ---- in part, and not at all ----------------------------------------------------------------- */

static void not_at_all(address at)
{
    (void)at;
}

static void half(address at)
{
    OK(cuMemcpyHtoD_v2(at, host, BYTES / 2));
}

static void half_set(address at)
{
    OK(cudaMemset(pointer(at + BYTES / 2), 0, BYTES / 2));
}

static void rows(address at)
{
    OK(cudaMemcpy2D(pointer(at), PITCH, host, PITCH, PITCH / 2, BYTES / PITCH, TO_DEVICE));
}

static void rows_set(address at)
{
    OK(cudaMemset2D(pointer(at), PITCH, 0, PITCH / 4, BYTES / PITCH));
}

/* Two boxes of two rows of 12 bytes, in slices of four rows. */
static void box(address at)
{
    struct side {
        size_t x, y, z, level;
        int type;
        void *host;
        address device;
        void *array, *reserved;
        size_t pitch, height;
    };
    const struct {
        struct side from, to;
        size_t width, height, depth;
    } c = {{.type = 1, .host = host, .pitch = PITCH, .height = 4},
           {.x = 4, .y = 1, .type = 2, .device = at, .pitch = PITCH, .height = 4},
           12,
           2,
           2};
    OK(cuMemcpy3D_v2(&c));
}

static void words_of_stream(address at)
{
    OK(cuStreamWriteValue32_v2(stream, at, 5, 0));
    OK(cuStreamWriteValue64_v2(stream, at + 16, 6, 0));
}

static void kernel_stores_one(address at)
{
    launch("stores_one", at);
}

/* ---------------------------------------------------------------------------------------------- */

#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
static const struct {
    const char *name;
    void (*write)(address at);
} cases[] = {
    CASE(copy),
    CASE(copy_async),
    CASE(copy_within),
    CASE(copy_peer),
    CASE(copy_batch),
    CASE(set),
    CASE(set_async),
    CASE(drv_copies),
    CASE(drv_sets),
    CASE(graph),
    CASE(drv_rows_set),
    CASE(from_array),
    CASE(kernel_adds),
    CASE(not_at_all),
    CASE(kernel_stores),
    CASE(kernel_copies),
    CASE(half),
    CASE(half_set),
    CASE(shared_memory),
    CASE(kernel_stores_one),
    CASE(words_of_stream),
    CASE(rows),
    CASE(rows_set),
    CASE(box),
};
enum { CASES = sizeof cases / sizeof *cases };

/* A kernel with %rd1: the address of the thread's word, %r1: the thread. */
static const char entry[] =
    ".visible .entry %s(.param .u64 at) { .reg .pred %%p<2>; .reg .b32 %%r<4>; .reg .b64 %%rd<4>; "
    "ld.param.u64 %%rd2, [at]; mov.u32 %%r1, %%tid.x; mad.wide.u32 %%rd1, %%r1, 4, %%rd2; %s ret; "
    "}\n";
static const char copies[] =
    ".shared .align 16 .b32 words[32]; mov.u32 %r2, words; mad.lo.u32 %r3, %r1, 4, %r2; "
    "st.shared.u32 [%r3], %r1; fence.proxy.async; bar.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra E; "
    "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 128; cp.async.bulk.commit_group; "
    "cp.async.bulk.wait_group 0; E: ";

static void load(void)
{
    static char text[CASES * 512 + 4096];
    char *to = text;
    to += sprintf(to, ".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 sink;\n");
    to += sprintf(to, entry, "stores", "st.global.u32 [%rd1], %r1;");
    to += sprintf(to, entry, "stores_one", "st.global.u32 [%rd2+12], %r1;");
    to += sprintf(to, entry, "adds", "red.global.add.u32 [%rd1], %r1;");
    to += sprintf(to, entry, "copies", copies);
    for (unsigned i = 0; i < CASES; i++)
        to += sprintf(to, entry, cases[i].name,
                      "ld.global.u32 %r2, [%rd1]; st.global.u32 [sink], %r2;");
    OK(cuModuleLoadData(&module, text));
}

int main(void)
{
    void *context;
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuStreamCreate(&stream, 1));
    load();
    OK(cuMemAlloc_v2(&written, BYTES));
    OK(cuMemcpyHtoD_v2(written, host, BYTES));
    for (unsigned i = 0; i < CASES; i++) {
        address at;
        if (i % 2)
            OK(cudaMallocAsync((void **)&at, BYTES, stream));
        else
            OK(cuMemAlloc_v2(&at, BYTES));
        OK(cuStreamSynchronize(stream));
        cases[i].write(at);
        OK(cuStreamSynchronize(stream));
        launch(cases[i].name, at);
        OK(cuCtxSynchronize());
    }
    puts("right");
    return 0;
}
