/* SPDX-License-Identifier: Apache-2.0
 * A small stand-in for the CUDA headers: keywords, vector types, built-in variables, the common
 * intrinsics. There are no mathematical functions beyond clang's builtins. Names and signatures
 * are those of the CUDA C++ Programming Guide. */
#include "compile/shim.h"

#define VECTORS(type, name, align2, align4)                                                        \
    "struct " name "1 { " type " x; };\n"                                                          \
    "struct __attribute__((aligned(" align2 "))) " name "2 { " type " x, y; };\n"                  \
    "struct " name "3 { " type " x, y, z; };\n"                                                    \
    "struct __attribute__((aligned(" align4 "))) " name "4 { " type " x, y, z, w; };\n"            \
    "FN " name "2 make_" name "2(" type " x, " type " y) { return {x, y}; }\n"                     \
    "FN " name "3 make_" name "3(" type " x, " type " y, " type " z) { return {x, y, z}; }\n"      \
    "FN " name "4 make_" name "4(" type " x, " type " y, " type " z, " type                        \
    " w) { return {x, y, z, w}; }\n"

/* 32-bit shuffles; wider types go as words. */
#define SHUFFLE(name, builtin, second, clamp)                                                      \
    "FN int __shfl" name "_sync(unsigned m, int v, " second                                        \
    " d, int w = 32) { return __nvvm_shfl_sync_" builtin "_i32(m, v, d, ((32 - w) << 8) | " clamp  \
    "); }\n"                                                                                       \
    "FN unsigned __shfl" name "_sync(unsigned m, unsigned v, " second                              \
    " d, int w = 32) { return (unsigned)__shfl" name "_sync(m, (int)v, d, w); }\n"                 \
    "FN float __shfl" name "_sync(unsigned m, float v, " second                                    \
    " d, int w = 32) { return __nvvm_shfl_sync_" builtin "_f32(m, v, d, ((32 - w) << 8) | " clamp  \
    "); }\n"                                                                                       \
    "FN double __shfl" name "_sync(unsigned m, double v, " second                                  \
    " d, int w = 32) { long long b; "                                                              \
    "__builtin_memcpy(&b, &v, 8); int l = __shfl" name "_sync(m, (int)b, d, w), h = __shfl" name   \
    "_sync(m, (int)(b >> 32), d, w); b = (long long)h << 32 | (unsigned)l; __builtin_memcpy(&v, "  \
    "&b, 8); return v; }\n"

#define ATOMIC(name, type, builtin)                                                                \
    "FN " type " " name "(" type " *p, " type " v) { return " builtin "; }\n"
#define ATOMIC_INTEGERS(name, type)                                                                \
    ATOMIC("atomicAdd", type, "__atomic_fetch_add(p, v, 0)")                                       \
    ATOMIC("atomicSub", type, "__atomic_fetch_sub(p, v, 0)")                                       \
    ATOMIC("atomicAnd", type, "__atomic_fetch_and(p, v, 0)")                                       \
    ATOMIC("atomicOr", type, "__atomic_fetch_or(p, v, 0)")                                         \
    ATOMIC("atomicXor", type, "__atomic_fetch_xor(p, v, 0)")                                       \
    ATOMIC("atomicMin", type, "__atomic_fetch_min(p, v, 0)")                                       \
    ATOMIC("atomicMax", type, "__atomic_fetch_max(p, v, 0)")                                       \
    ATOMIC("atomicExch", type, "__atomic_exchange_n(p, v, 0)")                                     \
    "FN " type " atomicCAS(" type " *p, " type " c, " type                                         \
    " v) { __atomic_compare_exchange_n(p, &c, v, false, 0, "                                       \
    "0); return c; }\n"

/* nodebug: what is inlined from here has the place of the call. */
const char ifl_cuda_shim[] =
    "#pragma once\n"
    "#define __global__ __attribute__((global))\n"
    "#define __device__ __attribute__((device))\n"
    "#define __host__ __attribute__((host))\n"
    "#define __shared__ __attribute__((shared))\n"
    "#define __constant__ __attribute__((constant))\n"
    "#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))\n"
    "#define __forceinline__ inline __attribute__((always_inline))\n"
    "#define __noinline__ __attribute__((noinline))\n"
    "#define __align__(n) __attribute__((aligned(n)))\n"
    "#define FN static __host__ __device__ inline __attribute__((always_inline, nodebug, unused))\n"
    "typedef __SIZE_TYPE__ size_t;\n"
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long "
    "int64_t;\n"
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t;\n"
    "typedef unsigned long uint64_t; typedef unsigned long uintptr_t;\n"
    "typedef struct CUstream_st *cudaStream_t; typedef int cudaError_t;\n" VECTORS(
        "char", "char", "2", "4") VECTORS("unsigned char", "uchar", "2",
                                          "4") VECTORS("short", "short", "4", "8")
        VECTORS("unsigned short", "ushort", "4", "8") VECTORS("int", "int", "8", "16") VECTORS(
            "unsigned", "uint", "8", "16") VECTORS("long long", "longlong", "16",
                                                   "16") VECTORS("unsigned long long", "ulonglong",
                                                                 "16", "16")
            VECTORS("float", "float", "8", "16") VECTORS(
                "double", "double", "16",
                "16") "struct dim3 { unsigned x, y, z; __host__ __device__ constexpr dim3(unsigned "
                      "a = 1, unsigned b = 1, unsigned c = "
                      "1) : x(a), y(b), z(c) {} __host__ __device__ constexpr dim3(uint3 v) : "
                      "x(v.x), y(v.y), z(v.z) {} };\n"
                      "extern \"C\" __host__ unsigned __cudaPushCallConfiguration(dim3, dim3, "
                      "size_t = 0, void * = 0);\n"
                      "extern \"C\" __host__ cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, "
                      "cudaStream_t = 0);\n"
                      "#include <__clang_cuda_builtin_vars.h>\n"
                      "extern \"C\" __device__ int vprintf(const char *, const void *);\n"
                      "extern \"C\" __device__ int printf(const char *, ...);\n"
                      "extern \"C\" __device__ void *malloc(size_t); extern \"C\" __device__ void "
                      "free(void *);\n"
                      "extern \"C\" __device__ __attribute__((noreturn)) void __assertfail(const "
                      "char *, const char *, unsigned, const char *, size_t);\n"
                      "extern \"C\" __device__ __attribute__((noreturn, always_inline, nodebug)) "
                      "inline void "
                      "__assert_fail(const char *m, const char *f, unsigned l, const char *n) "
                      "noexcept { __assertfail(m, f, l, n, 1); }\n"
                      "#undef FN\n"
                      "#define FN static __device__ inline __attribute__((always_inline, nodebug, "
                      "unused))\n"
                      "FN void __trap() { asm volatile(\"trap;\"); }\n"
                      "FN int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }\n"
                      "FN int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }\n"
                      "FN int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }\n"
                      "FN void __syncwarp(unsigned m = ~0u) { __nvvm_bar_warp_sync(m); }\n"
                      "FN void __threadfence() { __nvvm_membar_gl(); }\n"
                      "FN void __threadfence_block() { __nvvm_membar_cta(); }\n"
                      "FN void __threadfence_system() { __nvvm_membar_sys(); }\n"
                      "FN int __any_sync(unsigned m, int p) { return __nvvm_vote_any_sync(m, p); "
                      "}\n"
                      "FN int __all_sync(unsigned m, int p) { return __nvvm_vote_all_sync(m, p); "
                      "}\n"
                      "FN unsigned __ballot_sync(unsigned m, int p) { return "
                      "__nvvm_vote_ballot_sync(m, p); }\n"
                      "FN unsigned __activemask() { unsigned m; asm volatile(\"activemask.b32 "
                      "%0;\" : \"=r\"(m)); return m; }\n" SHUFFLE("", "idx", "int", "0x1f") SHUFFLE(
                          "_up", "up", "unsigned", "0") SHUFFLE("_down", "down", "unsigned", "0x1f")
                          SHUFFLE("_xor", "bfly", "int", "0x1f") ATOMIC_INTEGERS("", "int")
                              ATOMIC_INTEGERS("", "unsigned") ATOMIC_INTEGERS(
                                  "",
                                  "unsigned long long") "FN float atomicAdd(float *p, float v) { "
                                                        "return __nvvm_atom_add_gen_f(p, v); }\n"
                                                        "FN double atomicAdd(double *p, double v) "
                                                        "{ return __nvvm_atom_add_gen_d(p, v); }\n"
                                                        "template <class T> FN T __ldg(const T *p) "
                                                        "{ return *p; }\n"
                                                        "FN int __popc(unsigned v) { return "
                                                        "__builtin_popcount(v); }\n"
                                                        "FN int __ffs(int v) { return "
                                                        "__builtin_ffs(v); }\n"
                                                        "FN int __clz(int v) { return v ? "
                                                        "__builtin_clz((unsigned)v) : 32; }\n"
                                                        "FN float fmaf(float a, float b, float c) "
                                                        "{ return __builtin_fmaf(a, b, c); }\n"
                                                        "FN double fma(double a, double b, double "
                                                        "c) { return __builtin_fma(a, b, c); }\n"
                                                        "FN float sqrtf(float v) { return "
                                                        "__nvvm_sqrt_rn_f(v); }\n"
                                                        "FN float rsqrtf(float v) { return "
                                                        "__nvvm_rsqrt_approx_f(v); }\n"
                                                        "FN float fabsf(float v) { return "
                                                        "__builtin_fabsf(v); }\n"
                                                        "FN float fminf(float a, float b) { return "
                                                        "__nvvm_fmin_f(a, b); }\n"
                                                        "FN float fmaxf(float a, float b) { return "
                                                        "__nvvm_fmax_f(a, b); }\n"
                                                        "template <class T> FN T min(T a, T b) { "
                                                        "return b < a ? b : a; }\n"
                                                        "template <class T> FN T max(T a, T b) { "
                                                        "return a < b ? b : a; }\n"
                                                        "#undef FN\n";
