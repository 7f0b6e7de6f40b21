/* SPDX-License-Identifier: Apache-2.0
 * Memory of three GPUs at one address (CUDA Driver API, Multicast Object Management): what stores,
 * reductions and combining loads do there (multicast.ptx), and what the reference refuses. Expected
 * are the sums of what the test writes.
 * usage: multicast FILE [FILE]    the kernels, PTX or cubins; those of multicast_bytes.ptx too */
#include "cu.h"

#include <math.h>
#include <stdbool.h>

extern int cuMemAddressReserve(address *out, size_t bytes, size_t alignment, address wish,
                               unsigned long long flags);
extern int cuMemAddressFree(address at, size_t bytes);
extern int cuMemCreate(unsigned long long *out, size_t bytes, const void *properties,
                       unsigned long long flags);
extern int cuMemRelease(unsigned long long handle);
extern int cuMemMap(address at, size_t bytes, size_t offset, unsigned long long handle,
                    unsigned long long flags);
extern int cuMemUnmap(address at, size_t bytes);
extern int cuMemSetAccess(address at, size_t bytes, const void *wishes, size_t count);
extern int cuMulticastCreate(unsigned long long *out, const void *properties);
extern int cuMulticastAddDevice(unsigned long long handle, int gpu);
extern int cuMulticastBindMem(unsigned long long handle, size_t first, unsigned long long memory,
                              size_t offset, size_t bytes, unsigned long long flags);
extern int cuMulticastBindAddr(unsigned long long handle, size_t first, address at, size_t bytes,
                               unsigned long long flags);
extern int cuMulticastUnbind(unsigned long long handle, int gpu, size_t first, size_t bytes);
extern int cuMulticastGetGranularity(size_t *out, const void *properties, int option);

enum { GPUS = 3, PINNED = 1, DEVICE = 1, READ_WRITE = 3, WORDS = 64, OUT_WORDS = 64 };

typedef struct of_memory {
    int type, handle_types, place, id;
    void *windows;
    unsigned char more[8];
} of_memory;
typedef struct of_group {
    unsigned gpus;
    size_t bytes;
    unsigned long long handle_types, flags;
} of_group;
typedef struct access_wish {
    int place, id, flags;
} access_wish;

static size_t granule;
static address own[GPUS], many, out;
static unsigned long long memory[GPUS], group;
static void *module, *bytes_module;

static void make_group(void)
{
    of_group wish = {.gpus = GPUS, .bytes = 2 << 20};
    OK(cuMulticastGetGranularity(&granule, &wish, 0));
    wish.bytes = granule;
    const of_group too_many = {.gpus = GPUS + 1, .bytes = granule},
                   uneven = {.gpus = GPUS, .bytes = granule + 1};
    EXPECT(cuMulticastCreate(&group, &too_many), INVALID_VALUE);
    EXPECT(cuMulticastCreate(&group, &uneven), INVALID_VALUE);
    OK(cuMulticastCreate(&group, &wish));
    for (int i = 0; i < GPUS; i++) {
        const of_memory there = {.type = PINNED, .place = DEVICE, .id = i};
        const access_wish may = {DEVICE, 0, READ_WRITE};
        OK(cuMemCreate(&memory[i], 2 * granule, &there, 0));
        OK(cuMemAddressReserve(&own[i], 2 * granule, 0, 0, 0));
        OK(cuMemMap(own[i], 2 * granule, 0, memory[i], 0));
        OK(cuMemSetAccess(own[i], 2 * granule, &may, 1));
    }
    OK(cuMulticastAddDevice(group, 0));
    EXPECT(cuMulticastAddDevice(group, 0), INVALID_VALUE);
    EXPECT(cuMulticastBindMem(group, 0, memory[0], 0, granule, 0), INVALID_VALUE); /* too early */
    OK(cuMulticastAddDevice(group, 2));
    OK(cuMulticastAddDevice(group, 1));
    EXPECT(cuMulticastAddDevice(group, 1), INVALID_VALUE);
    puts("a group of three");
}

static void bind_all(void)
{
    const access_wish may = {DEVICE, 0, READ_WRITE};
    OK(cuMemAddressReserve(&many, granule, 0, 0, 0));
    OK(cuMemMap(many, granule, 0, group, 0));
    OK(cuMemSetAccess(many, granule, &may, 1));
    OK(cuMulticastBindMem(group, 0, memory[0], granule, granule, 0));
    EXPECT(cuMulticastBindMem(group, 0, memory[0], 0, granule, 0), INVALID_VALUE); /* taken */
    EXPECT(cuMulticastBindMem(group, granule, memory[1], 0, granule, 0), INVALID_VALUE);
    OK(cuMulticastBindMem(group, 0, memory[1], granule, granule, 0));
    OK(cuMulticastBindAddr(group, 0, own[2] + granule, granule, 0));
    puts("bound");
}

static void launch(const char *name, unsigned threads)
{
    void *kernel, *params[] = {&many, &out};
    if (cuModuleGetFunction(&kernel, module, name))
        OK(cuModuleGetFunction(&kernel, bytes_module, name));
    OK(cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
}

static void stores_and_reductions(void)
{
    float floats[2 * WORDS * 4];
    unsigned words[WORDS];
    for (int i = 0; i < GPUS; i++)
        OK(cuMemsetD8_v2(own[i], 0, 2 * granule));
    launch("store_all", WORDS);
    for (int i = 0; i < GPUS; i++) {
        OK(cuMemcpyDtoH_v2(floats, own[i] + granule, sizeof floats / 2));
        for (int t = 0; t < WORDS; t++)
            EXPECT(floats[4 * t] == t && floats[4 * t + 1] == t + 0.5f && floats[4 * t + 2] == -t &&
                       floats[4 * t + 3] == 3,
                   1);
        OK(cuMemsetD32_v2(own[i] + granule, 100 * (unsigned)i, WORDS));
        OK(cuMemcpyDtoH_v2(words, own[i], sizeof words)); /* not bound */
        EXPECT(words[1], 0);
    }
    for (int i = 0; i < GPUS; i++) {
        for (int t = 0; t < WORDS; t++)
            floats[t] = 0.25f * i;
        OK(cuMemcpyHtoD_v2(own[i] + granule + 1024, floats, WORDS * sizeof *floats));
    }
    launch("add_all", WORDS);
    launch("add_all", WORDS);
    for (int i = 0; i < GPUS; i++) {
        OK(cuMemcpyDtoH_v2(words, own[i] + granule, sizeof words));
        OK(cuMemcpyDtoH_v2(floats, own[i] + granule + 1024, WORDS * sizeof *floats));
        for (unsigned t = 0; t < WORDS; t++)
            EXPECT(words[t] == 100 * (unsigned)i + 2 * t && floats[t] == 0.25f * i + 2, 1);
    }
    puts("stores and reductions go to all");
}

/* 4 words of each kind and GPU; the bits of bf16 1 are 0x3f80, of 2^-8 0x3b80, of 1 + 2^-7 0x3f81;
 * of f16 1, 2, -1, 0.5 0x3c00, 0x4000, 0xbc00, 0x3800. */
static void combining_loads(void)
{
    static const float parts[GPUS][4] = {{1.5f, 2, 3, 4}, {2.25f, 20, 30, 40}, {-1, 0.5f, 7, 0}};
    static const double wide[GPUS] = {1.0, 0x1p-40, 3};
    static const unsigned from[GPUS][40] = {{[4] = 7,
                                             [8] = 5,
                                             [12] = 0xff0f,
                                             [16] = 0xffffffff,
                                             1,
                                             [24] = 0x3f803f80,
                                             0x3f803f80,
                                             0x3f803f80,
                                             0x3f803f80,
                                             0x3c004000,
                                             0x3800bc00},
                                            {[4] = 0xfffffff0,
                                             [8] = 0xfffffffb,
                                             [12] = 0xfff0,
                                             [16] = 1,
                                             2,
                                             [24] = 0x3b803f80,
                                             0x3b803b80,
                                             0x3b803b80,
                                             0x3b803b80,
                                             0x40003c00,
                                             0x38003800},
                                            {[4] = 3,
                                             [8] = 9,
                                             [12] = 0xf00,
                                             [16] = 5,
                                             0,
                                             [24] = 0x3b803f80,
                                             0x3b803b80,
                                             0x3b803b80,
                                             0x3b803b80,
                                             0xbc00bc00,
                                             0xbc003c00}};
    unsigned got[OUT_WORDS];
    float sums[4];
    double sum;
    for (int i = 0; i < GPUS; i++) {
        OK(cuMemcpyHtoD_v2(own[i] + granule, from[i], sizeof from[i]));
        OK(cuMemcpyHtoD_v2(own[i] + granule, &parts[i][0], sizeof(float)));
        OK(cuMemcpyHtoD_v2(own[i] + granule + 80, parts[i], sizeof parts[i]));
        OK(cuMemcpyHtoD_v2(own[i] + granule + 128, &wide[i], sizeof wide[i]));
    }
    launch("combine", 32);
    OK(cuMemcpyDtoH_v2(got, out, sizeof got));
    memcpy(sums, got, sizeof *sums);
    EXPECT(sums[0] == 2.75f, 1);
    EXPECT(got[4], 0xfffffffa);  /* 7 - 16 + 3 */
    EXPECT((int)got[8], -5);     /* the smallest with a sign */
    EXPECT(got[12], 0xfffffffb); /* the largest without */
    EXPECT(got[16], 0xff0f & 0xfff0 & 0xf00);
    EXPECT(got[20], 0xff0f ^ 0xfff0 ^ 0xf00);
    EXPECT(got[24] == 5 && got[25] == 4, 1); /* 64 bits carry */
    memcpy(sums, &got[28], sizeof sums);
    EXPECT(sums[0] == 2.75f && sums[1] == 22.5f && sums[2] == 40 && sums[3] == 44, 1);
    EXPECT(got[32], 0x3f804040); /* 1 + 2^-8 is even as 1, twice; 3 */
    EXPECT(got[36], 0x3f814040); /* with sums of f32 */
    EXPECT(got[37] == 0x3f813f81 && got[39] == 0x3f813f81, 1);
    EXPECT(got[40], 0x40004000);
    EXPECT(got[41], 0x38003c00);
    memcpy(&sum, &got[44], sizeof sum);
    EXPECT(sum == 4 + 0x1p-40, 1);
    puts("loads combine all");
}

/* ---- in bulk --------------------------------------------------------------------------------- */

static void bulk(void)
{
    unsigned words[WORDS];
    long long wide[WORDS / 2];
    for (int i = 0; i < GPUS; i++) {
        OK(cuMemsetD32_v2(own[i] + granule, 9, WORDS));
        OK(cuMemsetD32_v2(own[i] + granule + 256, 100 * (unsigned)i, WORDS));
        for (int t = 0; t < WORDS / 2; t++)
            wide[t] = (t % 3 - 1) * (1LL << 40);
        OK(cuMemcpyHtoD_v2(own[i] + granule + 512, wide, sizeof wide));
        OK(cuMemsetD32_v2(own[i] + granule + 768, 0x3c003c00u + 0x04000400u * (unsigned)i, WORDS));
    }
    launch("bulk_all", WORDS);
    for (int i = 0; i < GPUS; i++) {
        OK(cuMemcpyDtoH_v2(words, own[i] + granule, sizeof words));
        for (unsigned t = 0; t < WORDS; t++)
            EXPECT(words[t], 3 * t + 1);
        OK(cuMemcpyDtoH_v2(words, own[i] + granule + 256, sizeof words));
        for (unsigned t = 0; t < WORDS; t++)
            EXPECT(words[t], 100 * (unsigned)i + 3 * t + 1);
        OK(cuMemcpyDtoH_v2(wide, own[i] + granule + 512, sizeof wide));
        for (int t = 0; t < WORDS / 2; t++) {
            const long long copied = (6 * t + 1) | (6 * t + 4LL) << 32,
                            before = (t % 3 - 1) * (1LL << 40);
            EXPECT(wide[t] == (copied > before ? copied : before), 1);
        }
        OK(cuMemcpyDtoH_v2(words, own[i] + granule + 768, sizeof words));
        for (unsigned t = 0; t < WORDS; t++) /* 1, 2, 4 and 1; 1.5 */
            EXPECT(words[t], i == 0 ? 0x41004000 : i == 1 ? 0x43004200 : 0x45804500);
    }
    puts("bulk copies and reductions go to all");
}

/* ---- floats of 8 bits ------------------------------------------------------------------------ */

/* The value of a code: `mantissa` bits below the exponent's. */
static double value_of(unsigned code, int mantissa)
{
    const int bias = mantissa == 3 ? 7 : 15, exponent = (int)(code & 0x7f) >> mantissa;
    const double part = code & ((1u << mantissa) - 1);
    const double size = exponent ? ldexp(part + (1 << mantissa), exponent - bias - mantissa)
                                 : ldexp(part, 1 - bias - mantissa);
    return code & 0x80 ? -size : size;
}

/* The nearest code, of two the even one; all are looked at. */
static unsigned nearest(double value, int mantissa)
{
    const unsigned last = mantissa == 3 ? 0x7e : 0x7b;
    unsigned best = 0;
    for (unsigned code = 0; code <= last; code++) {
        const double to = fabs(fabs(value) - value_of(code, mantissa)),
                     so_far = fabs(fabs(value) - value_of(best, mantissa));
        if (to < so_far || (to == so_far && code % 2 == 0))
            best = code;
    }
    return best | (signbit(value) ? 0x80 : 0);
}

/* 11 bits, as f16 has them; no sum here is too large or too small for it. */
static double to_half(double value)
{
    int exponent;
    const double part = frexp(value, &exponent);
    return ldexp(rint(ldexp(part, 11)), exponent - 11);
}

static unsigned sum_of(const unsigned char codes[GPUS], int mantissa, bool as_half)
{
    double sum = value_of(codes[0], mantissa);
    for (int i = 1; i < GPUS; i++) { /* in the order in which the GPUs joined: 0, 2, 1 */
        sum += value_of(codes[i], mantissa);
        sum = as_half ? to_half(sum) : value_of(nearest(sum, mantissa), mantissa);
    }
    return nearest(sum, mantissa);
}

static unsigned least_of(const unsigned char codes[GPUS], int mantissa, bool is_least)
{
    unsigned best = codes[0];
    for (int i = 1; i < GPUS; i++) {
        const double x = value_of(codes[i], mantissa), y = value_of(best, mantissa);
        const bool is_less = x < y || (x == y && codes[i] & 0x80 && !(best & 0x80));
        best = is_less == is_least && (x != y || is_less) ? codes[i] : best;
    }
    return best;
}

static void check_bytes(unsigned char from[GPUS][16])
{
    unsigned char got[96];
    const int joined[GPUS] = {0, 2, 1};
    for (int i = 0; i < GPUS; i++)
        OK(cuMemcpyHtoD_v2(own[i] + granule, from[i], 16));
    launch("combine_bytes", 32);
    OK(cuMemcpyDtoH_v2(got, out, sizeof got));
    for (int at = 0; at < 16; at++) {
        unsigned char codes[GPUS];
        for (int i = 0; i < GPUS; i++)
            codes[i] = from[joined[i]][at];
        EXPECT(got[at], sum_of(codes, 3, false));
        EXPECT(got[16 + at], sum_of(codes, 3, true));
        EXPECT(got[32 + at], sum_of(codes, 2, false));
        EXPECT(got[48 + at], sum_of(codes, 2, true));
        EXPECT(got[64 + at], least_of(codes, 3, true));
        EXPECT(value_of(got[80 + at], 2) == value_of(least_of(codes, 2, false), 2), 1);
    }
}

static void bytes(void)
{
    unsigned state = 1;
    unsigned char from[GPUS][16], all[256];
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < GPUS; i++)
            for (int at = 0; at < 16; at++) {
                state = state * 1664525 + 1013904223; /* magnitudes of 0x10 to 0x5f: sums fit */
                from[i][at] = (unsigned char)((state >> 24 & 0x80) | (0x10 + (state >> 16) % 0x50));
            }
        check_bytes(from);
    }
    for (int i = 0; i < GPUS; i++)
        OK(cuMemsetD8_v2(own[i] + granule, 0x99, 256));
    launch("bulk_masked", WORDS);
    for (int i = 0; i < GPUS; i++) {
        OK(cuMemcpyDtoH_v2(all, own[i] + granule, sizeof all));
        for (int at = 0; at < 256; at++)
            EXPECT(all[at], at % 16 == 0    ? 0x11
                            : at % 16 == 2  ? 0x33
                            : at % 16 == 15 ? 0x44
                                            : 0x99);
    }
    launch("store_bytes", 32);
    for (int i = 0; i < GPUS; i++) {
        OK(cuMemcpyDtoH_v2(all, own[i] + granule, sizeof all));
        EXPECT(all[8 * 31] == 31 && all[8 * 31 + 1] == 0 && all[8 * 31 + 4] == 1 &&
                   all[8 * 31 + 7] == 4,
               1);
    }
    puts("floats of 8 bits are combined");
}

static void take_apart(void)
{
    unsigned word;
    EXPECT(cuMemcpyDtoH_v2(&word, many, sizeof word),
           INVALID_VALUE); /* that is no way to read it */
    OK(cuMulticastUnbind(group, 1, 0, granule));
    EXPECT(cuMulticastUnbind(group, 1, 0, granule), INVALID_VALUE);
    OK(cuMulticastBindMem(group, 0, memory[1], 0, granule, 0));
    launch("store_all", WORDS);
    OK(cuMemcpyDtoH_v2(&word, own[1] + 12, sizeof word));
    EXPECT(word, 0x40400000);
    OK(cuMemUnmap(many, granule));
    OK(cuMemAddressFree(many, granule));
    OK(cuMemRelease(group));
    EXPECT(cuMulticastAddDevice(group, 0), INVALID_VALUE);
    for (int i = 0; i < GPUS; i++) {
        OK(cuMemUnmap(own[i], 2 * granule));
        OK(cuMemAddressFree(own[i], 2 * granule));
        OK(cuMemRelease(memory[i]));
        EXPECT(cuMemRelease(memory[i]), INVALID_VALUE);
    }
    puts("bound elsewhere, and taken apart");
}

int main(int count, char **word)
{
    int device;
    void *context;
    if (count != 2 && count != 3)
        return 2;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuCtxCreate_v2(&context, 0, device));
    OK(cuModuleLoad(&module, word[1]));
    if (count == 3)
        OK(cuModuleLoad(&bytes_module, word[2]));
    OK(cuMemAlloc_v2(&out, OUT_WORDS * sizeof(unsigned)));
    make_group();
    bind_all();
    stores_and_reductions();
    combining_loads();
    bulk();
    if (bytes_module)
        bytes();
    take_apart();
    return 0;
}
