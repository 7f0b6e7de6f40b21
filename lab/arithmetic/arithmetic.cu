/* SPDX-License-Identifier: Apache-2.0
 *
 * arithmetic: when it is instructions that take the time. Each element goes through a few steps of
 * arithmetic; load and store are the same in all versions, four bytes each.
 *
 *   version                     what it changes, and why
 *   arithmetic_literals_f64     v = v * 1.25 - 0.375 in float, but for the literals: without an f
 *                               they are doubles, so v is widened, multiplied in fp64, and rounded
 *                               back, at every step
 *   arithmetic_literals_f32     the same with 1.25f and 0.375f
 *   arithmetic_functions        sinf, expf, logf as math.h has them: tens of instructions each
 *   arithmetic_intrinsics       __sinf, __expf, __logf: a few, with an error of some 2^-21
 *   arithmetic_roots            x / sqrtf(x * x + 1), correctly rounded: with iterations and a slow
 *                               path for extreme values
 *   arithmetic_roots_flags      the same as -ftz=true -prec-div=false -prec-sqrt=false have it
 *                               compiled (div.full.ftz, sqrt.approx.ftz)
 *   arithmetic_diverging        odd and even elements take different branches: a warp takes both
 *   arithmetic_grouped          elements of a warp take the same branch: half the instructions */

constexpr unsigned lanes = 32;

#define ELEMENT const int i = blockIdx.x * blockDim.x + threadIdx.x

/* Ten different pairs, so that no two steps are one. Literals through LITERAL(v): v or v##f. */
#define STEPS(LITERAL)                                                                             \
    v = v * LITERAL(1.25) - LITERAL(0.375);                                                        \
    v = v * LITERAL(0.71) + LITERAL(0.13);                                                         \
    v = v * LITERAL(1.19) - LITERAL(0.29);                                                         \
    v = v * LITERAL(0.83) + LITERAL(0.07);                                                         \
    v = v * LITERAL(1.07) - LITERAL(0.11);                                                         \
    v = v * LITERAL(0.93) + LITERAL(0.17);                                                         \
    v = v * LITERAL(1.31) - LITERAL(0.23);                                                         \
    v = v * LITERAL(0.67) + LITERAL(0.19);
#define AS_DOUBLE(v) v
#define AS_FLOAT(v) v##f

#define LITERALS(name, LITERAL)                                                                    \
    extern "C" __global__ void arithmetic_##name(int rounds, const float *x, float *y)             \
    {                                                                                              \
        ELEMENT;                                                                                   \
        float v = x[i];                                                                            \
        for (int r = 0; r < rounds; r++) {                                                         \
            STEPS(LITERAL)                                                                         \
        }                                                                                          \
        y[i] = v;                                                                                  \
    }

LITERALS(literals_f64, AS_DOUBLE)
LITERALS(literals_f32, AS_FLOAT)

extern "C" __global__ void arithmetic_functions(int rounds, const float *x, float *y)
{
    ELEMENT;
    float v = x[i];
    for (int r = 0; r < rounds; r++)
        v = logf(1.0f + expf(-v) * sinf(v));
    y[i] = v;
}

extern "C" __global__ void arithmetic_intrinsics(int rounds, const float *x, float *y)
{
    ELEMENT;
    float v = x[i];
    for (int r = 0; r < rounds; r++)
        v = __logf(1.0f + __expf(-v) * __sinf(v));
    y[i] = v;
}

extern "C" __global__ void arithmetic_roots(int rounds, const float *x, float *y)
{
    ELEMENT;
    float v = x[i];
    for (int r = 0; r < rounds; r++)
        v = v / sqrtf(fmaf(v, v, 1.0f));
    y[i] = v;
}

static __device__ __forceinline__ float fast_root(float v)
{
    float result;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(v));
    return result;
}

static __device__ __forceinline__ float fast_quotient(float a, float b)
{
    float result;
    asm("div.full.ftz.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
}

extern "C" __global__ void arithmetic_roots_flags(int rounds, const float *x, float *y)
{
    ELEMENT;
    float v = x[i];
    for (int r = 0; r < rounds; r++)
        v = fast_quotient(v, fast_root(fmaf(v, v, 1.0f)));
    y[i] = v;
}

/* Either branch takes as many steps; they have nothing that could be shared. */
static __device__ __forceinline__ float either(bool first, int rounds, float v)
{
    if (first) {
#pragma unroll 1
        for (int r = 0; r < rounds; r++) {
            v = fmaf(v, v, -0.7f);
            v = fmaf(v, 0.9f, 0.2f);
            v = fmaf(v, v, -0.6f);
            v = fmaf(v, 0.8f, 0.1f);
        }
    } else {
#pragma unroll 1
        for (int r = 0; r < rounds; r++) {
            v = fmaxf(v, 0.01f) * 0.99f;
            v = fminf(v, 0.95f) + 0.02f;
            v = fmaxf(v, 0.03f) * 0.97f;
            v = fminf(v, 0.93f) + 0.04f;
        }
    }
    return v;
}

extern "C" __global__ void arithmetic_diverging(int rounds, const float *x, float *y)
{
    ELEMENT;
    y[i] = either(i % 2 == 0, rounds, x[i]);
}

extern "C" __global__ void arithmetic_grouped(int rounds, const float *x, float *y)
{
    ELEMENT;
    y[i] = either(i / lanes % 2 == 0, rounds, x[i]);
}
