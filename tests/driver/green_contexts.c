/* SPDX-License-Identifier: Apache-2.0
 * Green contexts (CUDA Driver API, "Green Contexts"): how SMs are split, what belongs to a context
 * of some of them, and which kernels are too large for it. The parts and the errors of splits are
 * those that an H200's driver gave (580.159.04, CUDA 13.0; tools/gpu/green_probe.c). */
#include "cu.h"

enum { SMS = 1, DEFAULT_STREAM = 1, NON_BLOCKING = 1, TOO_LARGE = 720, BAD_TYPE = 914, BAD_PARTS };

typedef struct resource { /* CUdevResource of CUDA 13.0 */
    int type;
    char own[92];
    unsigned sms, least, aligned_to;
    char rest[36];
} resource;

extern int cuDeviceGetDevResource(int device, resource *out, int type);
extern int cuCtxGetDevResource(void *context, resource *out, int type);
extern int cuGreenCtxGetDevResource(void *green, resource *out, int type);
extern int cuDevSmResourceSplitByCount(resource *out, unsigned *count, const resource *all,
                                       resource *rest, unsigned flags, unsigned least);
extern int cuDevResourceGenerateDesc(void **out, resource *parts, unsigned count);
extern int cuGreenCtxCreate(void **out, void *descriptor, int device, unsigned flags);
extern int cuGreenCtxDestroy(void *green);
extern int cuCtxFromGreenCtx(void **out, void *green);
extern int cuGreenCtxGetId(void *green, unsigned long long *id);
extern int cuGreenCtxStreamCreate(void **out, void *green, unsigned flags, int priority);
extern int cuGreenCtxRecordEvent(void *green, void *event);
extern int cuGreenCtxWaitEvent(void *green, void *event);
extern int cuCtxRecordEvent(void *context, void *event);
extern int cuCtxWaitEvent(void *context, void *event);
extern int cuStreamGetCtx(void *stream, void **context);
extern int cuStreamGetCtx_v2(void *stream, void **context, void **green);
extern int cuStreamGetGreenCtx(void *stream, void **green);
extern int cuEventCreate(void **out, unsigned flags);
extern int cuStreamCreate(void **out, unsigned flags);
extern int cuStreamDestroy_v2(void *stream);
extern int cuLaunchCooperativeKernel(void *function, unsigned x, unsigned y, unsigned z,
                                     unsigned block_x, unsigned block_y, unsigned block_z,
                                     unsigned shared, void *stream, void **arguments);

static resource all;

static void split(unsigned asked, unsigned flags, unsigned least)
{
    resource part[64], rest;
    unsigned possible = 0, count = asked;
    const int query = cuDevSmResourceSplitByCount(NULL, &possible, &all, NULL, flags, least);
    const int code = cuDevSmResourceSplitByCount(part, &count, &all, &rest, flags, least);
    printf("flags %u, at least %u: %d %u, of %u ", flags, least, query, possible, asked);
    if (code == 0)
        printf("%u of %u, the rest %u of type %d\n", count, part[0].sms, rest.sms, rest.type);
    else
        printf("error %d\n", code);
}

static void splits(void)
{
    static const unsigned least[] = {0, 8, 9, 16, 20, 32, 33, 64, 66, 128, 131, 132, 133};
    for (unsigned flags = 0; flags < 2; flags++)
        for (unsigned i = 0; i < sizeof least / sizeof *least; i++)
            split(64, flags, least[i]);
    split(2, 0, 16);
    split(0, 0, 16);
    split(2, 3, 16);
}

static void *green, *both, *context;

static void make(void)
{
    resource part[2], other[2], mixed[2], rest;
    unsigned count = 2;
    void *descriptor, *of_both, *none;
    OK(cuDevSmResourceSplitByCount(part, &count, &all, &rest, 0, 16));
    OK(cuDevSmResourceSplitByCount(other, &count, &all, NULL, 0, 16));
    mixed[0] = part[0], mixed[1] = other[1];
    EXPECT(cuDevSmResourceSplitByCount(other, &count, &part[0], NULL, 0, 8), BAD_PARTS);
    OK(cuDevResourceGenerateDesc(&descriptor, part, 1));
    OK(cuDevResourceGenerateDesc(&of_both, part, 2));
    EXPECT(cuDevResourceGenerateDesc(&none, mixed, 2), BAD_PARTS);
    EXPECT(cuDevResourceGenerateDesc(&none, part, 0), INVALID_VALUE);
    memset(&rest, 0, sizeof rest);
    EXPECT(cuDevResourceGenerateDesc(&none, &rest, 1), BAD_TYPE);
    EXPECT(cuGreenCtxCreate(&green, descriptor, 0, 0), INVALID_VALUE);
    EXPECT(cuGreenCtxCreate(&green, descriptor, 7, DEFAULT_STREAM), INVALID_DEVICE);
    OK(cuGreenCtxCreate(&green, descriptor, 0, DEFAULT_STREAM));
    OK(cuGreenCtxCreate(&both, of_both, 0, DEFAULT_STREAM));
    EXPECT(cuCtxFromGreenCtx(&context, NULL), INVALID_CONTEXT);
    EXPECT(cuCtxSetCurrent(green), INVALID_CONTEXT); /* not before it is converted */
    OK(cuCtxFromGreenCtx(&context, green));
}

static void ask(void *primary)
{
    resource of;
    void *same, *found;
    unsigned long long id = 0, other = 0;
    OK(cuGreenCtxGetDevResource(both, &of, SMS));
    printf("both have %u SMs, ", of.sms);
    OK(cuCtxGetDevResource(context, &of, SMS));
    printf("one has %u, ", of.sms);
    OK(cuCtxGetDevResource(primary, &of, SMS));
    printf("the primary context %u\n", of.sms);
    OK(cuCtxFromGreenCtx(&same, green));
    OK(cuGreenCtxGetId(green, &id));
    OK(cuGreenCtxGetId(both, &other));
    printf("the same context again: %d, other numbers: %d\n", same == context, id != other);
    OK(cuCtxSetCurrent(context));
    OK(cuCtxGetCurrent(&found));
    printf("current: %d\n", found == context);
}

static void streams(void *primary)
{
    void *stream, *plain, *of, *of_green;
    EXPECT(cuGreenCtxStreamCreate(&stream, green, 0, 0), INVALID_VALUE);
    OK(cuGreenCtxStreamCreate(&stream, green, NON_BLOCKING, 0));
    OK(cuStreamCreate(&plain, NON_BLOCKING));
    OK(cuStreamGetGreenCtx(plain, &of_green));
    printf("a stream made while it is current is its own: %d\n", of_green == green);
    OK(cuCtxSetCurrent(primary));
    OK(cuStreamGetCtx(stream, &of));
    printf("of the stream: the context %d, ", of == context);
    OK(cuStreamGetCtx_v2(stream, &of, &of_green));
    printf("the primary one %d and the green one %d\n", of == primary, of_green == green);
    OK(cuStreamGetCtx_v2(NULL, &of, &of_green));
    printf("of the default stream: %d %d\n", of == primary, of_green == NULL);
    OK(cuStreamDestroy_v2(plain));
    OK(cuStreamDestroy_v2(stream));
}

/* An SM holds two blocks of 1,024 threads. */
static void launches(void)
{
    address x = 0, y = 0;
    float a = 0;
    unsigned n = 0;
    void *module, *function, *stream, *event, *arguments[] = {&x, &y, &a, &n};
    OK(cuModuleLoadData(&module, kernels));
    OK(cuModuleGetFunction(&function, module, "axpy"));
    OK(cuGreenCtxStreamCreate(&stream, green, NON_BLOCKING, 0));
    OK(cuLaunchCooperativeKernel(function, 32, 1, 1, 1024, 1, 1, 0, stream, arguments));
    EXPECT(cuLaunchCooperativeKernel(function, 33, 1, 1, 1024, 1, 1, 0, stream, arguments),
           TOO_LARGE);
    OK(cuLaunchCooperativeKernel(function, 264, 1, 1, 1024, 1, 1, 0, NULL, arguments));
    OK(cuEventCreate(&event, 0));
    OK(cuGreenCtxRecordEvent(green, event));
    OK(cuGreenCtxWaitEvent(both, event));
    OK(cuCtxRecordEvent(context, event));
    OK(cuCtxWaitEvent(context, event));
    OK(cuStreamDestroy_v2(stream));
}

int main(void)
{
    void *primary;
    int device;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&primary, device));
    OK(cuCtxSetCurrent(primary));
    EXPECT(cuDeviceGetDevResource(device, &all, 0), BAD_TYPE);
    OK(cuDeviceGetDevResource(device, &all, SMS));
    printf("%u SMs, in parts of %u or more\n", all.sms, all.least);
    splits();
    make();
    ask(primary);
    streams(primary);
    launches();
    OK(cuGreenCtxDestroy(green));
    EXPECT(cuGreenCtxDestroy(green), INVALID_CONTEXT);
    EXPECT(cuCtxSetCurrent(context), INVALID_CONTEXT);
    OK(cuGreenCtxDestroy(both));
    puts("done");
    return 0;
}
