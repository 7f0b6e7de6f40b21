/* SPDX-License-Identifier: Apache-2.0
 * What a GPU's special function unit (MUFU) gives, for src/exec/mufu: for each function a hash of each 2^20 inputs, all 2^32
 * of them, and the results of the octaves that the tables are made of, as differences from the correctly rounded result.
 *
 *     nvcc -arch=sm_90 -o mufu mufu.cu -lcuda; nvcc -arch=sm_90 -cubin -DKERNELS -o mufu.cubin mufu.cu; mufu mufu.cubin OUT
 *
 * PTX reaches some functions only behind other instructions (sin and cos behind a product), so the one MUFU of each kernel
 * is patched in its machine code: bits 74 to 77 choose the function, 72 to 73 the type (sm_90: 0 f32, 1 f16, 2 bf16). */
#ifdef KERNELS
__device__ unsigned mufu(unsigned x)
{
    float y;
    asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(__uint_as_float(x)));
    return __float_as_uint(y);
}

/* One block of threads for each 2^20 inputs. The order of a sum does not show. */
extern "C" __global__ void hash(unsigned long long *out)
{
    __shared__ unsigned long long total;
    unsigned long long sum = 0;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 1u << 20; i += blockDim.x) {
        unsigned x = blockIdx.x << 20 | i;
        unsigned long long v = ((unsigned long long)x << 32 | mufu(x)) * 0x9e3779b97f4a7c15ull;
        sum += v ^ v >> 29;
    }
    atomicAdd(&total, sum);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = total;
}

extern "C" __global__ void values(unsigned *out, unsigned first, unsigned step)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = mufu(first + i * step);
}
#else
#include <cuda.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void call(CUresult code, const char *what)
{
    if (code == CUDA_SUCCESS)
        return;
    fprintf(stderr, "mufu: %s: %d\n", what, (int)code);
    exit(1);
}
#define CALL(f, ...) call(f(__VA_ARGS__), #f)

/* ---- functions --------------------------------------------------------------------------------------------------- */

typedef struct function {
    const char *name;
    unsigned number, type;
    double (*exact)(double x); /* NULL: the words themselves are written */
} function;

static double rcp(double x) { return 1 / x; }
static double rsq(double x) { return 1 / sqrt(x); }
static double turn_sin(double x) { return sin(2 * M_PI * x); }
static double turn_cos(double x) { return cos(2 * M_PI * x); }

static const function functions[] = {
    {"cos", 0, 0, turn_cos},  {"sin", 1, 0, turn_sin}, {"ex2", 2, 0, exp2},      {"lg2", 3, 0, log2},
    {"rcp", 4, 0, rcp},       {"rsq", 5, 0, rsq},      {"rcp64h", 6, 0, NULL},   {"rsq64h", 7, 0, NULL},
    {"sqrt", 8, 0, sqrt},     {"tanh", 9, 0, tanh},    {"ex2_f16", 2, 1, NULL},  {"tanh_f16", 9, 1, NULL},
    {"ex2_bf16", 2, 2, NULL}, {"tanh_bf16", 9, 2, NULL},
};

typedef struct part {
    const char *name;
    unsigned first, step, log2_count;
} part;

/* 2^23 inputs are an octave. */
static const part parts[] = {
    {"rcp", 0x3f800000, 1, 23},       {"rsq", 0x3f800000, 1, 24},       {"sqrt", 0x3f800000, 1, 24},
    {"lg2", 0x3f000000, 1, 24},       {"lg2", 0x40000000, 1, 23},       {"ex2", 0x3f800000, 1, 23},
    {"ex2", 0x3f000000, 1, 23},       {"ex2", 0x3d800000, 1, 23},       {"ex2", 0xbf800000, 1, 23},
    {"sin", 0x3f000000, 1, 23},       {"sin", 0x3e800000, 1, 23},       {"sin", 0x3e000000, 1, 23},
    {"sin", 0x3c800000, 1, 23},       {"cos", 0x3f000000, 1, 23},       {"cos", 0x3e000000, 1, 23},
    {"tanh", 0x39800000, 16, 23},     {"tanh", 0x3f000000, 1, 23},      {"rcp64h", 0x3ff00000, 1, 20},
    {"rsq64h", 0x3ff00000, 1, 21},    {"ex2_f16", 0, 1, 16},            {"tanh_f16", 0, 1, 16},
    {"ex2_bf16", 0, 1, 16},           {"tanh_bf16", 0, 1, 16},          {"ex2_f16", 0x3c000000, 65536, 8},
    {"rcp", 0, 65536, 16},            {"rsq", 0, 65536, 16},            {"sqrt", 0, 65536, 16},
    {"lg2", 0, 65536, 16},            {"ex2", 0, 65536, 16},            {"sin", 0, 65536, 16},
    {"cos", 0, 65536, 16},            {"tanh", 0, 65536, 16},           {"rcp64h", 0, 65536, 16},
    {"rsq64h", 0, 65536, 16},
};

/* ---- the patched code -------------------------------------------------------------------------------------------- */

static unsigned char *read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        exit(1);
    *bytes = (size_t)ftell(file);
    rewind(file);
    unsigned char *data = (unsigned char *)malloc(*bytes);
    if (!data || fread(data, 1, *bytes, file) != *bytes)
        exit(1);
    fclose(file);
    return data;
}

/* Of both kernels. */
static CUmodule load(const unsigned char *cubin, size_t bytes, const function *f)
{
    unsigned char *copy = (unsigned char *)malloc(bytes);
    CUmodule module;
    int patched = 0;
    memcpy(copy, cubin, bytes);
    for (size_t at = 0; at + 16 <= bytes; at += 16) {
        uint64_t word[2];
        memcpy(word, copy + at, sizeof word);
        const unsigned opcode = word[0] & 0xfff;
        if (opcode != 0x308 || (word[1] >> 10 & 15) != 2)
            continue;
        word[1] = (word[1] & ~(UINT64_C(0x3f) << 8)) | (uint64_t)f->number << 10 | (uint64_t)f->type << 8;
        memcpy(copy + at, word, sizeof word);
        patched++;
    }
    if (!patched) {
        fprintf(stderr, "mufu: no MUFU found\n");
        exit(1);
    }
    printf("%s: %d instructions patched\n", f->name, patched);
    CALL(cuModuleLoadData, &module, copy);
    free(copy);
    return module;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static FILE *create(const char *folder, const char *name, unsigned first, const char *end)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.%08x.%s", folder, name, first, end);
    FILE *file = fopen(path, "wb");
    if (!file)
        exit(1);
    return file;
}

static void write_hashes(CUmodule module, const function *f, const char *folder)
{
    static unsigned long long hashes[4096];
    CUfunction kernel;
    CUdeviceptr at;
    CALL(cuMemAlloc, &at, sizeof hashes);
    void *arguments[] = {&at};
    CALL(cuModuleGetFunction, &kernel, module, "hash");
    CALL(cuLaunchKernel, kernel, 4096, 1, 1, 512, 1, 1, 0, NULL, arguments, NULL);
    CALL(cuMemcpyDtoH, hashes, at, sizeof hashes);
    CALL(cuMemFree, at);
    FILE *file = create(folder, f->name, 0, "hash");
    fwrite(hashes, sizeof *hashes, 4096, file);
    fclose(file);
}

static float as_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static int16_t difference(const function *f, uint32_t x, uint32_t result)
{
    const float rounded = (float)f->exact((double)as_float(x));
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    const int64_t d = (int64_t)result - (int64_t)bits;
    return d < -32767 ? -32768 : d > 32767 ? 32767 : (int16_t)d;
}

static void write_values(CUmodule module, const function *f, const part *p, const char *folder)
{
    const size_t count = (size_t)1 << p->log2_count;
    uint32_t *words = (uint32_t *)malloc(count * sizeof *words);
    CUfunction kernel;
    CUdeviceptr at;
    unsigned first = p->first, step = p->step;
    CALL(cuMemAlloc, &at, count * sizeof *words);
    void *arguments[] = {&at, &first, &step};
    CALL(cuModuleGetFunction, &kernel, module, "values");
    CALL(cuLaunchKernel, kernel, (unsigned)(count / 256), 1, 1, 256, 1, 1, 0, NULL, arguments, NULL);
    CALL(cuMemcpyDtoH, words, at, count * sizeof *words);
    CALL(cuMemFree, at);
    const bool is_sample = step == 65536; /* special values: the words */
    FILE *file = create(folder, f->name, first, is_sample || !f->exact ? "words" : "delta");
    if (is_sample || !f->exact) {
        fwrite(words, sizeof *words, count, file);
    } else {
        int16_t *deltas = (int16_t *)malloc(count * sizeof *deltas);
        for (size_t i = 0; i < count; i++)
            deltas[i] = difference(f, first + (uint32_t)i * step, words[i]);
        fwrite(deltas, sizeof *deltas, count, file);
        free(deltas);
    }
    fclose(file);
    free(words);
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    size_t bytes;
    if (argc != 3) {
        fprintf(stderr, "usage: mufu CUBIN FOLDER\n");
        return 2;
    }
    CALL(cuInit, 0);
    CALL(cuDeviceGet, &device, 0);
    CALL(cuDevicePrimaryCtxRetain, &context, device);
    CALL(cuCtxSetCurrent, context);
    const unsigned char *cubin = read_file(argv[1], &bytes);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const function *f = &functions[i];
        CUmodule module = load(cubin, bytes, f);
        write_hashes(module, f, argv[2]);
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            if (strcmp(parts[k].name, f->name) == 0)
                write_values(module, f, &parts[k], argv[2]);
        CALL(cuModuleUnload, module);
    }
    return 0;
}
#endif
