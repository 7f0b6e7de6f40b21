// SPDX-License-Identifier: Apache-2.0
// What a driver answers about green contexts: how SMs are split, what belongs to one, which errors there are. A kernel counts the SMs
// that it runs on. Calls that crash are caught, and said.
//     nvcc -o green_probe green_probe.cu -lcuda; green_probe
// An H200's splits are in tests/driver/green_contexts.expected.
#include <cuda.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ptx[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry sms(.param .u64 out) {\n"
    " .reg .b64 a,b; .reg .b32 r,t; .reg .b64 c0,c1,d; .reg .pred p;\n"
    " ld.param.u64 a, [out]; mov.u32 r, %smid; mul.wide.u32 b, r, 4; add.u64 a, a, b;\n"
    " atom.global.add.u32 t, [a], 1; mov.u64 c0, %clock64;\n"
    "L: mov.u64 c1, %clock64; sub.u64 d, c1, c0; setp.lt.u64 p, d, 200000; @p bra L; ret; }\n";

static const char *name(CUresult code)
{
    const char *text = "?";
    cuGetErrorName(code, &text);
    return text;
}
static sigjmp_buf back;
static void crashed(int number)
{
    (void)number;
    siglongjmp(back, 1);
}
#define SAY(call)                                                                                  \
    do {                                                                                           \
        if (sigsetjmp(back, 1))                                                                    \
            printf("%s: crashes\n", #call);                                                        \
        else                                                                                       \
            printf("%s: %s\n", #call, name(call));                                                 \
    } while (0)

static void split(CUdevResource *all, unsigned n, unsigned flags, unsigned least)
{
    static CUdevResource out[64];
    CUdevResource rest;
    memset(out, 0, sizeof out);
    memset(&rest, 0, sizeof rest);
    unsigned asked = n, would = 77;
    if (sigsetjmp(back, 1)) {
        printf("split crashes\n");
        return;
    }
    CUresult query = cuDevSmResourceSplitByCount(NULL, &would, all, NULL, flags, least);
    CUresult code = cuDevSmResourceSplitByCount(out, &n, all, &rest, flags, least);
    printf("split flags %u least %u: query %s %u; asked %u: %s %u:", flags, least, name(query),
           would, asked, name(code), n);
    for (unsigned i = 0; i < n && i < 64; i++)
        if (code == CUDA_SUCCESS && (!i || out[i].sm.smCount != out[i - 1].sm.smCount))
            printf(" [%u]%u", i, out[i].sm.smCount);
    if (code == CUDA_SUCCESS)
        printf(" rest type %d %u; part %u %u\n", rest.type, rest.sm.smCount,
               out[0].sm.minSmPartitionSize, out[0].sm.smCoscheduledAlignment);
    else
        printf("\n");
}

static CUfunction kernel;
static CUdeviceptr counts;
static void count(const char *what, CUstream stream, unsigned blocks)
{
    int host[256], used = 0;
    CUresult a = cuMemsetD8(counts, 0, sizeof host);
    CUresult b = cuCtxSynchronize();
    void *args[] = {&counts};
    CUresult c = cuLaunchKernel(kernel, blocks, 1, 1, 1024, 1, 1, 0, stream, args, NULL);
    CUresult d = cuStreamSynchronize(stream);
    CUresult e = cuMemcpyDtoH(host, counts, sizeof host);
    for (int i = 0; i < 256; i++)
        used += host[i] != 0;
    printf("%s: %s %s launch %s %s %s, SMs %d\n", what, name(a), name(b), name(c), name(d), name(e),
           used);
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    signal(SIGSEGV, crashed);
    CUdevice device;
    CUcontext primary, converted = NULL, again = NULL, current = NULL;
    CUmodule module;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&primary, device);
    CUdevResource all, other, mine;
    memset(&all, 0, sizeof all);
    SAY(cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM));
    printf("all: type %d sms %u part %u aligned %u\n", all.type, all.sm.smCount,
           all.sm.minSmPartitionSize, all.sm.smCoscheduledAlignment);
    static const unsigned least[] = {0,  1,  2,  3,  7,  8,   9,   16,  20,  24,  32,
                                     33, 48, 64, 66, 72, 100, 128, 131, 132, 133, 200};
    for (unsigned flags = 0; flags <= 4; flags++)
        for (unsigned i = 0; i < sizeof least / sizeof *least; i++)
            split(&all, i % 3 == 0 ? 2 : i % 3 == 1 ? 64 : 1, flags, least[i]);
    for (unsigned n = 0; n <= 17; n += n < 4 ? 1 : 13)
        split(&all, n, 0, 16);
    unsigned n = 2;
    CUdevResource two[2], rest, third[2];
    SAY(cuDevSmResourceSplitByCount(two, NULL, &all, NULL, 0, 16));
    SAY(cuDevSmResourceSplitByCount(two, &n, NULL, NULL, 0, 16));
    memset(&other, 0, sizeof other);
    SAY(cuDevSmResourceSplitByCount(two, &n, &other, NULL, 0, 16));
    n = 2;
    SAY(cuDevSmResourceSplitByCount(two, &n, &all, &rest, 0, 16));
    split(&two[0], 2, 0, 8);
    split(&rest, 2, 0, 8);
    n = 2;
    cuDevSmResourceSplitByCount(third, &n, &all, NULL, 0, 16);
    CUdevResourceDesc one = NULL, both = NULL, mixed = NULL, whole = NULL, left = NULL, none = NULL;
    SAY(cuDevResourceGenerateDesc(&one, &two[0], 1));
    SAY(cuDevResourceGenerateDesc(&both, two, 2));
    CUdevResource mix[2] = {two[0], third[1]};
    SAY(cuDevResourceGenerateDesc(&mixed, mix, 2));
    CUdevResource same[2] = {two[0], two[0]};
    SAY(cuDevResourceGenerateDesc(&mixed, same, 2));
    SAY(cuDevResourceGenerateDesc(&whole, &all, 1));
    SAY(cuDevResourceGenerateDesc(&left, &rest, 1));
    SAY(cuDevResourceGenerateDesc(&none, &other, 1));
    SAY(cuDevResourceGenerateDesc(&none, &all, 0));
    SAY(cuDevResourceGenerateDesc(NULL, &all, 1));
    SAY(cuDevResourceGenerateDesc(&none, NULL, 1));
    CUgreenCtx green = NULL, green2 = NULL, found = NULL;
    unsigned long long id = 0, id2 = 0, id3 = 0;
    SAY(cuGreenCtxCreate(&green, one, device, 0));
    SAY(cuGreenCtxCreate(&green, NULL, device, 1));
    SAY(cuGreenCtxCreate(&green, one, 5, 1));
    SAY(cuGreenCtxCreate(NULL, one, device, 1));
    SAY(cuGreenCtxCreate(&green, one, device, 1));
    SAY(cuGreenCtxCreate(&green2, both, device, 1));
    SAY(cuGreenCtxGetDevResource(green, &mine, CU_DEV_RESOURCE_TYPE_SM));
    printf("mine: %d %u %u %u\n", mine.type, mine.sm.smCount, mine.sm.minSmPartitionSize,
           mine.sm.smCoscheduledAlignment);
    SAY(cuGreenCtxGetDevResource(green2, &other, CU_DEV_RESOURCE_TYPE_SM));
    printf("both: %u\n", other.sm.smCount);
    SAY(cuGreenCtxGetDevResource(NULL, &other, CU_DEV_RESOURCE_TYPE_SM));
    SAY(cuGreenCtxGetDevResource(green, &other, CU_DEV_RESOURCE_TYPE_INVALID));
    SAY(cuGreenCtxGetDevResource(green, NULL, CU_DEV_RESOURCE_TYPE_SM));
    split(&mine, 2, 0, 8);
    SAY(cuGreenCtxGetId(green, &id));
    SAY(cuGreenCtxGetId(green2, &id2));
    SAY(cuGreenCtxGetId(NULL, &id3));
    SAY(cuGreenCtxGetId(green, NULL));
    SAY(cuCtxSetCurrent((CUcontext)green));
    SAY(cuCtxFromGreenCtx(NULL, green));
    SAY(cuCtxFromGreenCtx(&converted, NULL));
    SAY(cuCtxFromGreenCtx(&converted, green));
    SAY(cuCtxFromGreenCtx(&again, green));
    printf("same again %d, primary %d, green itself %d, ids %d %d\n", converted == again,
           converted == primary, (void *)converted == (void *)green, id != id2, id3 == 0);
    cuCtxSetCurrent(primary);
    cuModuleLoadData(&module, ptx);
    cuModuleGetFunction(&kernel, module, "sms");
    cuMemAlloc(&counts, 1024);
    unsigned long long primary_id = 0, converted_id = 0;
    cuCtxGetId(primary, &primary_id);
    CUstream stream = NULL, plain = NULL;
    CUevent event = NULL;
    SAY(cuGreenCtxStreamCreate(&stream, green, 0, 0));
    SAY(cuGreenCtxStreamCreate(NULL, green, 1, 0));
    SAY(cuGreenCtxStreamCreate(&stream, NULL, 1, 0));
    SAY(cuGreenCtxStreamCreate(&stream, green, 1, 0));
    CUcontext of = NULL;
    unsigned flags = 99;
    int priority = 99;
    SAY(cuStreamGetCtx(stream, &of));
    printf("of stream: converted %d primary %d\n", of == converted, of == primary);
    found = NULL;
    of = NULL;
    SAY(cuStreamGetCtx_v2(stream, &of, &found));
    printf("v2: ctx null %d, green %d\n", of == NULL, found == green);
    found = NULL;
    SAY(cuStreamGetGreenCtx(stream, &found));
    printf("green %d\n", found == green);
    SAY(cuStreamGetFlags(stream, &flags));
    SAY(cuStreamGetPriority(stream, &priority));
    printf("flags %u priority %d\n", flags, priority);
    count("green stream", stream, 132);
    count("legacy stream, primary current", NULL, 132);
    SAY(cuCtxSetCurrent(converted));
    SAY(cuCtxGetCurrent(&current));
    printf("current is converted %d\n", current == converted);
    SAY(cuCtxGetId(NULL, &converted_id));
    printf("id: primary's %d green's %d\n", converted_id == primary_id, converted_id == id);
    id3 = 0;
    SAY(cuGreenCtxGetId(NULL, &id3));
    printf("id of current %d\n", id3 == id);
    SAY(cuCtxGetDevResource(converted, &other, CU_DEV_RESOURCE_TYPE_SM));
    printf("ctx resource %u\n", other.sm.smCount);
    SAY(cuCtxGetDevResource(primary, &other, CU_DEV_RESOURCE_TYPE_SM));
    printf("primary resource %u\n", other.sm.smCount);
    SAY(cuDeviceGetDevResource(device, &other, CU_DEV_RESOURCE_TYPE_SM));
    printf("device resource %u\n", other.sm.smCount);
    int sms = 0;
    cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    printf("attribute %d\n", sms);
    CUdevice of_device = 9;
    SAY(cuCtxGetDevice(&of_device));
    unsigned ctx_flags = 0;
    SAY(cuCtxGetFlags(&ctx_flags));
    count("legacy stream, green current", NULL, 132);
    SAY(cuStreamCreate(&plain, CU_STREAM_NON_BLOCKING));
    found = NULL;
    SAY(cuStreamGetGreenCtx(plain, &found));
    printf("plain stream's green %d\n", found == green);
    count("plain stream made in green", plain, 132);
    found = NULL;
    SAY(cuStreamGetGreenCtx(NULL, &found));
    printf("legacy stream's green %d\n", found == green);
    of = NULL;
    SAY(cuStreamGetCtx(NULL, &of));
    printf("legacy's ctx converted %d\n", of == converted);
    CUdeviceptr memory = 0;
    SAY(cuMemAlloc(&memory, 4096));
    SAY(cuMemFree(memory));
    int blocks = 0;
    SAY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 1024, 0));
    void *args[] = {&counts};
    SAY(cuLaunchCooperativeKernel(kernel, blocks * 16, 1, 1, 1024, 1, 1, 0, stream, args));
    SAY(cuCtxSynchronize());
    SAY(cuLaunchCooperativeKernel(kernel, blocks * 16 + 1, 1, 1, 1024, 1, 1, 0, stream, args));
    SAY(cuCtxSynchronize());
    SAY(cuLaunchCooperativeKernel(kernel, blocks * 132, 1, 1, 1024, 1, 1, 0, NULL, args));
    SAY(cuCtxSynchronize());
    SAY(cuEventCreate(&event, 0));
    SAY(cuGreenCtxRecordEvent(green, event));
    SAY(cuGreenCtxWaitEvent(green2, event));
    SAY(cuCtxRecordEvent(converted, event));
    SAY(cuCtxWaitEvent(converted, event));
    SAY(cuCtxRecordEvent(primary, event));
    SAY(cuCtxWaitEvent(primary, event));
    SAY(cuCtxRecordEvent(NULL, event));
    SAY(cuGreenCtxRecordEvent(NULL, event));
    SAY(cuGreenCtxRecordEvent(green, NULL));
    SAY(cuEventSynchronize(event));
    SAY(cuCtxDestroy(converted));
    CUcontext popped = NULL;
    SAY(cuCtxPushCurrent(primary));
    SAY(cuCtxPopCurrent(&popped));
    printf("popped primary %d\n", popped == primary);
    SAY(cuCtxSetCurrent(primary));
    SAY(cuStreamDestroy(plain));
    SAY(cuGreenCtxDestroy(green));
    SAY(cuStreamSynchronize(stream));
    SAY(cuStreamDestroy(stream));
    SAY(cuCtxSetCurrent(converted));
    SAY(cuGreenCtxGetId(green, &id));
    SAY(cuGreenCtxDestroy(green));
    SAY(cuGreenCtxDestroy(NULL));
    SAY(cuCtxSetCurrent(primary));
    SAY(cuGreenCtxDestroy(green2));
    count("after", NULL, 132);
    return 0;
}
