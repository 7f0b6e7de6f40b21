/* SPDX-License-Identifier: Apache-2.0
 * Launches with the same arguments, where the memory that they read or write was changed in every
 * way in between, and where it was not: whether a launch runs again must not show in what it
 * leaves. */
#include "cu.h"

enum { COUNT = 64, TIMES = 6, LOOP = 50 };

static void *poke, *axpy;
static uint32_t word;

static uint32_t poked(address at)
{
    void *arguments[] = {&at};
    OK(cuLaunchKernel(poke, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH_v2(&word, at, sizeof word));
    return word;
}

/* In place: each launch counts. */
static void adds_each_time(address x, address y)
{
    uint32_t n = COUNT;
    float a = 1, sum;
    void *arguments[] = {&x, &y, &a, &n};
    OK(cuMemsetD32_v2(x, 0x3f800000, COUNT));
    OK(cuMemsetD32_v2(y, 0, COUNT));
    for (int i = 0; i < TIMES; i++)
        OK(cuLaunchKernel(axpy, 1, 1, 1, COUNT, 1, 1, 0, NULL, arguments, NULL));
    OK(cuMemcpyDtoH_v2(&sum, y, sizeof sum));
    EXPECT(sum, TIMES);
}

static void sees_its_variable(address scale, address to)
{
    for (uint32_t i = 0; i < TIMES; i++) {
        OK(cuMemcpyHtoD_v2(scale, &i, sizeof i));
        EXPECT(poked(to), i);
    }
    for (uint32_t i = 0; i < TIMES; i++) {
        OK(cuMemsetD32_v2(scale, i + 1, 1));
        EXPECT(poked(to), i + 1);
    }
}

/* What it wrote is there again. */
static void writes_what_was_overwritten(address scale, address to)
{
    OK(cuMemsetD32_v2(scale, 7, 1));
    for (uint32_t i = 0; i < TIMES; i++) {
        OK(cuMemsetD32_v2(to, 1000 + i, 1));
        EXPECT(poked(to), 7);
    }
    for (uint32_t i = 0; i < TIMES; i++) {
        address other;
        OK(cuMemAlloc_v2(&other, sizeof word));
        EXPECT(poked(other), 7);
        OK(cuMemFree_v2(other));
    }
}

/* Another kernel's doing counts as well. */
static void sees_other_kernels(address scale, address from, address to)
{
    uint32_t n = 1;
    float a = 2, one = 1;
    void *arguments[] = {&from, &scale, &a, &n};
    OK(cuMemcpyHtoD_v2(from, &one, sizeof one));
    OK(cuMemsetD32_v2(scale, 0, 1));
    for (int i = 1; i <= TIMES; i++) {
        float seen;
        OK(cuLaunchKernel(axpy, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
        word = poked(to);
        memcpy(&seen, &word, sizeof seen);
        EXPECT(seen, 2 * i);
    }
}

/* No call tells of what the program writes into memory that is its own. */
static void writes_host_memory(address scale)
{
    uint32_t *pinned;
    address managed;
    OK(cuMemsetD32_v2(scale, 9, 1));
    OK(cuMemAllocHost_v2((void **)&pinned, sizeof *pinned));
    OK(cuMemAllocManaged(&managed, sizeof word, 1));
    for (uint32_t i = 0; i < TIMES; i++) {
        *pinned = *(uint32_t *)managed = i;
        EXPECT(poked((address)pinned), 9);
        EXPECT(poked(managed), 9);
        EXPECT(*pinned, 9);
    }
    OK(cuMemFree_v2(managed));
    OK(cuMemFreeHost(pinned));
}

static void reads_pinned_memory(address to)
{
    uint32_t n = COUNT;
    float a = 1, *pinned, seen;
    OK(cuMemAllocHost_v2((void **)&pinned, COUNT * sizeof *pinned));
    for (int i = 0; i < TIMES; i++) {
        void *arguments[] = {&pinned, &to, &a, &n};
        pinned[3] = (float)i;
        OK(cuMemsetD32_v2(to, 0, COUNT));
        OK(cuLaunchKernel(axpy, 1, 1, 1, COUNT, 1, 1, 0, NULL, arguments, NULL));
        OK(cuMemcpyDtoH_v2(&seen, to + 3 * sizeof seen, sizeof seen));
        EXPECT(seen, i);
    }
    OK(cuMemFreeHost(pinned));
}

/* What it changes in place is what it was before: it was cleared, another kernel changed it back, or
 * one word of it differs from the times before. */
static void changes_the_same_again(address scale, address x, address y)
{
    uint32_t n = COUNT;
    float a = 1, back = -1, sum;
    void *forth[] = {&x, &y, &a, &n}, *and_back[] = {&x, &y, &back, &n};
    OK(cuMemsetD32_v2(x, 0x3f800000, COUNT));
    for (int i = 0; i < LOOP; i++) {
        const int other = i % 10 == 7;
        OK(cuMemsetD32_v2(y, 0, COUNT));
        if (other)
            OK(cuMemsetD32_v2(y + (COUNT - 1) * sizeof(float), 0x40000000, 1));
        OK(cuLaunchKernel(axpy, 1, 1, 1, COUNT, 1, 1, 0, NULL, forth, NULL));
        OK(cuMemcpyDtoH_v2(&sum, y + (COUNT - 1) * sizeof sum, sizeof sum));
        EXPECT(sum, other ? 3 : 1);
        OK(cuMemcpyDtoH_v2(&sum, y, sizeof sum));
        EXPECT(sum, 1);
    }
    OK(cuMemsetD32_v2(y, 0, COUNT));
    for (int i = 0; i < LOOP; i++) {
        OK(cuLaunchKernel(axpy, 1, 1, 1, COUNT, 1, 1, 0, NULL, forth, NULL));
        OK(cuMemcpyDtoH_v2(&sum, y, sizeof sum));
        EXPECT(sum, 1);
        OK(cuLaunchKernel(axpy, 1, 1, 1, COUNT, 1, 1, 0, NULL, and_back, NULL));
        OK(cuMemcpyDtoH_v2(&sum, y, sizeof sum));
        EXPECT(sum, 0);
    }
    /* Its input is another, and what it left the last time is there. */
    OK(cuMemsetD32_v2(scale, 3, 1));
    EXPECT(poked(x), 3);
    OK(cuMemsetD32_v2(scale, 4, 1));
    EXPECT(poked(x), 4);
}

int main(void)
{
    void *context, *module;
    address scale, x, y;
    size_t bytes;
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuModuleLoadData(&module, kernels));
    OK(cuModuleGetFunction(&poke, module, "poke"));
    OK(cuModuleGetFunction(&axpy, module, "axpy"));
    OK(cuModuleGetGlobal_v2(&scale, &bytes, module, "scale"));
    OK(cuMemAlloc_v2(&x, COUNT * sizeof(float)));
    OK(cuMemAlloc_v2(&y, COUNT * sizeof(float)));
    adds_each_time(x, y);
    sees_its_variable(scale, y);
    writes_what_was_overwritten(scale, y);
    sees_other_kernels(scale, x, y);
    writes_host_memory(scale);
    reads_pinned_memory(y);
    changes_the_same_again(scale, x, y);
    OK(cuMemsetD32_v2(scale, 5, 1));
    for (int i = 0; i < LOOP; i++)
        EXPECT(poked(x), 5);
    puts("right");
    return 0;
}
