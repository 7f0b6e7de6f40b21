// SPDX-License-Identifier: Apache-2.0
// What the hardware does where PTX leaves it open: division by zero, the bits of NaN results, the values of -0 in
// minima. Prints one line a fact; tools/gpu-session runs it, facts.*.txt keep what a GPU said.
#include <cstdint>
#include <cstdio>
#include <cstring>

#define OPERATION2(name, type, reg, instruction)                                                   \
    __global__ void name(const type *in, type *out)                                                \
    {                                                                                              \
        type a = in[0], b = in[1], d;                                                              \
        asm volatile(instruction " %0, %1, %2;" : "=" reg(d) : reg(a), reg(b));                    \
        out[0] = d;                                                                                \
    }
#define OPERATION1(name, type, reg, instruction)                                                   \
    __global__ void name(const type *in, type *out)                                                \
    {                                                                                              \
        type a = in[0], d;                                                                         \
        asm volatile(instruction " %0, %1;" : "=" reg(d) : reg(a));                                \
        out[0] = d;                                                                                \
    }
#define OPERATION3(name, type, reg, instruction)                                                   \
    __global__ void name(const type *in, type *out)                                                \
    {                                                                                              \
        type a = in[0], b = in[1], c = in[2], d;                                                   \
        asm volatile(instruction " %0, %1, %2, %3;" : "=" reg(d) : reg(a), reg(b), reg(c));        \
        out[0] = d;                                                                                \
    }

OPERATION2(div_u32, uint32_t, "r", "div.u32")
OPERATION2(rem_u32, uint32_t, "r", "rem.u32")
OPERATION2(div_s32, uint32_t, "r", "div.s32")
OPERATION2(rem_s32, uint32_t, "r", "rem.s32")
OPERATION2(div_u64, uint64_t, "l", "div.u64")
OPERATION2(rem_u64, uint64_t, "l", "rem.u64")
OPERATION2(div_s64, uint64_t, "l", "div.s64")
OPERATION2(rem_s64, uint64_t, "l", "rem.s64")
OPERATION2(div_u16, uint16_t, "h", "div.u16")
OPERATION2(rem_u16, uint16_t, "h", "rem.u16")
OPERATION2(div_s16, uint16_t, "h", "div.s16")
OPERATION2(rem_s16, uint16_t, "h", "rem.s16")
// The bits of floating-point values travel through mov, so that the compiler cannot fold them.
#define F32_2(name, instruction)                                                                   \
    OPERATION2(name, uint32_t, "r",                                                                \
               "{.reg .f32 x,y,z; mov.b32 x,%1; mov.b32 y,%2; " instruction                        \
               " z,x,y; mov.b32 %0,z;}\n\tmov.b32 %0, %0; //")
#define F64_2(name, instruction)                                                                   \
    OPERATION2(name, uint64_t, "l",                                                                \
               "{.reg .f64 x,y,z; mov.b64 x,%1; mov.b64 y,%2; " instruction                        \
               " z,x,y; mov.b64 %0,z;}\n\tmov.b64 %0, %0; //")
#define F32_1(name, instruction)                                                                   \
    OPERATION1(name, uint32_t, "r",                                                                \
               "{.reg .f32 x,z; mov.b32 x,%1; " instruction " z,x; mov.b32 %0,z;}\n\tmov.b32 %0, %0; //")
#define F64_1(name, instruction)                                                                   \
    OPERATION1(name, uint64_t, "l",                                                                \
               "{.reg .f64 x,z; mov.b64 x,%1; " instruction " z,x; mov.b64 %0,z;}\n\tmov.b64 %0, %0; //")
F32_2(add_f32, "add.rn.f32")
F32_2(min_f32, "min.f32")
F32_2(max_f32, "max.f32")
F32_2(min_nan_f32, "min.NaN.f32")
F32_2(div_f32, "div.rn.f32")
F32_2(copysign_f32, "copysign.f32")
F32_1(neg_f32, "neg.f32")
F32_1(abs_f32, "abs.f32")
F32_1(sqrt_f32, "sqrt.rn.f32")
F32_1(rcp_f32, "rcp.rn.f32")
F32_1(cvt_rni_f32, "cvt.rni.f32.f32")
F32_1(sat_f32, "cvt.sat.f32.f32")
F64_2(add_f64, "add.rn.f64")
F64_2(mul_f64, "mul.rn.f64")
F64_2(min_f64, "min.f64")
F64_2(max_f64, "max.f64")
F64_2(div_f64, "div.rn.f64")
F64_1(neg_f64, "neg.f64")
F64_1(abs_f64, "abs.f64")
F64_1(sqrt_f64, "sqrt.rn.f64")
F64_1(rcp_f64, "rcp.rn.f64")
F64_1(cvt_rni_f64, "cvt.rni.f64.f64")
OPERATION2(add_f16, uint16_t, "h", "add.rn.f16")
OPERATION2(min_f16, uint16_t, "h", "min.f16")
OPERATION2(max_nan_f16, uint16_t, "h", "max.NaN.f16")
OPERATION1(neg_f16, uint16_t, "h", "neg.f16")
OPERATION1(abs_f16, uint16_t, "h", "abs.f16")
OPERATION2(add_bf16, uint16_t, "h", "add.rn.bf16")
OPERATION1(neg_bf16, uint16_t, "h", "neg.bf16")

__global__ void cvt_f64_f32(const uint32_t *in, uint64_t *out)
{
    uint64_t d;
    asm volatile("{.reg .f32 x; .reg .f64 z; mov.b32 x,%1; cvt.f64.f32 z,x; mov.b64 %0,z;}" : "=l"(d) : "r"(in[0]));
    out[0] = d;
}
__global__ void cvt_f32_f64(const uint64_t *in, uint32_t *out)
{
    uint32_t d;
    asm volatile("{.reg .f64 x; .reg .f32 z; mov.b64 x,%1; cvt.rn.f32.f64 z,x; mov.b32 %0,z;}" : "=r"(d) : "l"(in[0]));
    out[0] = d;
}
__global__ void cvt_f16_f32(const uint32_t *in, uint16_t *out)
{
    uint16_t d;
    asm volatile("{.reg .f32 x; mov.b32 x,%1; cvt.rn.f16.f32 %0,x;}" : "=h"(d) : "r"(in[0]));
    out[0] = d;
}
__global__ void cvt_f32_f16(const uint16_t *in, uint32_t *out)
{
    uint32_t d;
    asm volatile("{.reg .f32 z; cvt.f32.f16 z,%1; mov.b32 %0,z;}" : "=r"(d) : "h"(in[0]));
    out[0] = d;
}
__global__ void cvt_bf16_f32(const uint32_t *in, uint16_t *out)
{
    uint16_t d;
    asm volatile("{.reg .f32 x; mov.b32 x,%1; cvt.rn.bf16.f32 %0,x;}" : "=h"(d) : "r"(in[0]));
    out[0] = d;
}
__global__ void cvt_f32_bf16(const uint16_t *in, uint32_t *out)
{
    uint32_t d;
    asm volatile("{.reg .f32 z; cvt.f32.bf16 z,%1; mov.b32 %0,z;}" : "=r"(d) : "h"(in[0]));
    out[0] = d;
}
__global__ void cvt_relu_f16x2(const uint32_t *in, uint32_t *out)
{
    uint32_t d;
    asm volatile("{.reg .f32 x,y; mov.b32 x,%1; mov.b32 y,%2; cvt.rn.relu.f16x2.f32 %0,x,y;}"
                 : "=r"(d) : "r"(in[0]), "r"(in[1]));
    out[0] = d;
}

template <typename A, typename D>
void say(const char *name, void (*kernel)(const A *, D *), A a, A b = 0, A c = 0)
{
    A in[3] = {a, b, c}, *gpu_in;
    D result = 0, *gpu_out;
    cudaMalloc(&gpu_in, sizeof in);
    cudaMalloc(&gpu_out, sizeof result);
    cudaMemcpy(gpu_in, in, sizeof in, cudaMemcpyHostToDevice);
    kernel<<<1, 1>>>(gpu_in, gpu_out);
    cudaError_t error = cudaMemcpy(&result, gpu_out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%-14s %0*llx %0*llx -> %0*llx%s\n", name, (int)sizeof(A) * 2, (unsigned long long)a, (int)sizeof(A) * 2,
           (unsigned long long)b, (int)sizeof(D) * 2, (unsigned long long)result, error ? " ERROR" : "");
    cudaFree(gpu_in);
    cudaFree(gpu_out);
}
#define SAY(name, ...) say(#name, name, __VA_ARGS__)

int main()
{
    for (uint32_t a : {0u, 7u, 0x80000000u, 0xffffffffu}) {
        SAY(div_u32, a, 0u);
        SAY(rem_u32, a, 0u);
        SAY(div_s32, a, 0u);
        SAY(rem_s32, a, 0u);
        SAY(div_s32, a, 0xffffffffu);
        SAY(rem_s32, a, 0xffffffffu);
    }
    for (uint64_t a : {uint64_t(0), uint64_t(7), uint64_t(1) << 63, ~uint64_t(0)}) {
        SAY(div_u64, a, uint64_t(0));
        SAY(rem_u64, a, uint64_t(0));
        SAY(div_s64, a, uint64_t(0));
        SAY(rem_s64, a, uint64_t(0));
        SAY(div_s64, a, ~uint64_t(0));
        SAY(rem_s64, a, ~uint64_t(0));
    }
    for (uint16_t a : {uint16_t(0), uint16_t(7), uint16_t(0x8000), uint16_t(0xffff)}) {
        SAY(div_u16, a, uint16_t(0));
        SAY(rem_u16, a, uint16_t(0));
        SAY(div_s16, a, uint16_t(0));
        SAY(rem_s16, a, uint16_t(0));
    }
    const uint32_t quiet = 0x7fc01234, signalling = 0xffa05678, one = 0x3f800000, zero = 0, minus = 0x80000000;
    for (uint32_t a : {quiet, signalling, one})
        for (uint32_t b : {quiet, signalling, one}) {
            SAY(add_f32, a, b);
            SAY(min_f32, a, b);
            SAY(max_f32, a, b);
            SAY(min_nan_f32, a, b);
            SAY(div_f32, a, b);
            SAY(copysign_f32, a, b);
        }
    SAY(min_f32, zero, minus);
    SAY(min_f32, minus, zero);
    SAY(max_f32, zero, minus);
    SAY(max_f32, minus, zero);
    for (uint32_t a : {quiet, signalling, minus, 0xbf800000u}) {
        SAY(neg_f32, a);
        SAY(abs_f32, a);
        SAY(sqrt_f32, a);
        SAY(rcp_f32, a);
        SAY(cvt_rni_f32, a);
        SAY(sat_f32, a);
        SAY(cvt_f64_f32, a);
        SAY(cvt_f16_f32, a);
        SAY(cvt_bf16_f32, a);
        SAY(cvt_relu_f16x2, a, one);
    }
    const uint64_t q = 0x7ff8000000001234, s = 0xfff4000000005678, d1 = 0x3ff0000000000000, m = uint64_t(1) << 63,
                   inf = 0x7ff0000000000000;
    for (uint64_t a : {q, s, d1})
        for (uint64_t b : {q, s, d1}) {
            SAY(add_f64, a, b);
            SAY(mul_f64, a, b);
            SAY(min_f64, a, b);
            SAY(max_f64, a, b);
            SAY(div_f64, a, b);
        }
    SAY(add_f64, inf, inf | m);
    SAY(mul_f64, inf, uint64_t(0));
    SAY(div_f64, inf, inf);
    SAY(min_f64, uint64_t(0), m);
    SAY(max_f64, m, uint64_t(0));
    for (uint64_t a : {q, s, m, d1 | m}) {
        SAY(neg_f64, a);
        SAY(abs_f64, a);
        SAY(sqrt_f64, a);
        SAY(rcp_f64, a);
        SAY(cvt_rni_f64, a);
        SAY(cvt_f32_f64, a);
    }
    const uint16_t hq = 0x7e12, hs = 0xfd34, h1 = 0x3c00, bq = 0x7fc1, bs = 0xffa1;
    for (uint16_t a : {hq, hs, h1})
        for (uint16_t b : {hq, hs, h1}) {
            SAY(add_f16, a, b);
            SAY(min_f16, a, b);
            SAY(max_nan_f16, a, b);
        }
    for (uint16_t a : {hq, hs, uint16_t(0x8000)}) {
        SAY(neg_f16, a);
        SAY(abs_f16, a);
        SAY(cvt_f32_f16, a);
    }
    for (uint16_t a : {bq, bs}) {
        SAY(add_bf16, a, uint16_t(0x3f80));
        SAY(neg_bf16, a);
        SAY(cvt_f32_bf16, a);
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
