// SPDX-License-Identifier: Apache-2.0
// Instructions whose results no document tells, asked of a GPU of compute capability 9.0:
//
//     nvcc -arch=sm_90 -o open_forms tools/gpu/open_forms.cu && ./open_forms > open_forms.txt
//
// fma.oob: which of the 65,536 values of each operand give another result than fma does, and what (PTX ISA: 0 where an operand is the
// NaN of elements out of bounds; its bits, and whether the addend counts, are not said). cvt.pack to 4 and 2 bits: where the old
// register's bits go. mma.m8n8k4 of halves: sums whose bits tell in which order and with how many bits they are made (what tests/ptx/quad_sums.ptx expects of halves,
// and tests/ptx/packed_set.ptx of set, no GPU has said yet).
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fma_oob(uint16_t *out, uint32_t one, int which, bool is_bf16, bool oob)
{
    const uint32_t value = blockIdx.x * blockDim.x + threadIdx.x;
    const uint16_t a = which == 0 ? value : one, b = which == 1 ? value : one, c = which == 2 ? value : one;
    uint16_t d;
    if (is_bf16 && oob)
        asm("fma.rn.oob.bf16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c));
    else if (is_bf16)
        asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c));
    else if (oob)
        asm("fma.rn.oob.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c));
    else
        asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c));
    out[value] = d;
}

static void ask_fma(bool is_bf16)
{
    enum { VALUES = 65536, THREADS = 256 };
    static uint16_t plain[VALUES], oob[VALUES];
    uint16_t *out;
    cudaMalloc(&out, sizeof plain);
    for (int which = 0; which < 3; which++) {
        const uint32_t one = is_bf16 ? 0x3f80 : 0x3c00;
        fma_oob<<<VALUES / THREADS, THREADS>>>(out, one, which, is_bf16, false);
        cudaMemcpy(plain, out, sizeof plain, cudaMemcpyDeviceToHost);
        fma_oob<<<VALUES / THREADS, THREADS>>>(out, one, which, is_bf16, true);
        cudaMemcpy(oob, out, sizeof oob, cudaMemcpyDeviceToHost);
        for (int i = 0; i < VALUES; i++)
            if (plain[i] != oob[i])
                printf("fma.oob.%s operand %d 0x%04x: 0x%04x for 0x%04x\n", is_bf16 ? "bf16" : "f16", which, i, oob[i],
                       plain[i]);
        printf("fma.oob.%s operand %d asked\n", is_bf16 ? "bf16" : "f16", which);
    }
    cudaFree(out);
}

__global__ void pack(uint32_t *out, int a, int b, uint32_t c)
{
    asm("cvt.pack.sat.u4.s32.b32 %0, %1, %2, %3;" : "=r"(out[0]) : "r"(a), "r"(b), "r"(c));
    asm("cvt.pack.sat.s4.s32.b32 %0, %1, %2, %3;" : "=r"(out[1]) : "r"(a), "r"(b), "r"(c));
    asm("cvt.pack.sat.u2.s32.b32 %0, %1, %2, %3;" : "=r"(out[2]) : "r"(a), "r"(b), "r"(c));
    asm("cvt.pack.sat.s2.s32.b32 %0, %1, %2, %3;" : "=r"(out[3]) : "r"(a), "r"(b), "r"(c));
}

static void ask_pack()
{
    static const int values[][2] = {{1, 2}, {5, 3}, {100, -100}, {-1, 0}, {-100, 100}, {7, -8}};
    uint32_t *out, host[4];
    cudaMalloc(&out, sizeof host);
    for (const auto &v : values) {
        pack<<<1, 1>>>(out, v[0], v[1], 0x89abcdef);
        cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
        printf("cvt.pack %d %d 0x89abcdef: u4 0x%08x s4 0x%08x u2 0x%08x s2 0x%08x\n", v[0], v[1], host[0], host[1], host[2], host[3]);
    }
    cudaFree(out);
}

// Every lane gives what `a` and `b` say, so that all elements of d of its quarter are alike; d's bits of lane 0.
__global__ void mma884(float *out, uint2 a, uint2 b, float c)
{
    float d[8], e[8];
    for (int i = 0; i < 8; i++)
        d[i] = c;
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, "
                 "{%12,%13,%14,%15,%16,%17,%18,%19};"
                 : "=f"(e[0]), "=f"(e[1]), "=f"(e[2]), "=f"(e[3]), "=f"(e[4]), "=f"(e[5]), "=f"(e[6]), "=f"(e[7])
                 : "r"(a.x), "r"(a.y), "r"(b.x), "r"(b.y), "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]), "f"(d[4]), "f"(d[5]),
                   "f"(d[6]), "f"(d[7]));
    if (threadIdx.x == 0)
        *out = e[0];
}

static void ask_mma()
{
    // halves of a and b along k: 1, 2^-k and -1 show what is cut and when
    static const struct {
        uint2 a, b;
        float c;
    } asked[] = {
        {{0x3c003c00, 0x3c003c00}, {0x3c003c00, 0x3c003c00}, 0},            // 4
        {{0x3c003c00, 0x3c00bc00}, {0x00013c00, 0x3c003c00}, 0},            // 1 + 2^-24 - 1 + 1
        {{0x00013c00, 0xbc000000}, {0x00013c00, 0x3c000000}, 0},            // 1 + 2^-48 - 1
        {{0x00013c00, 0x00000000}, {0x3c003c00, 0x00000000}, -1},           // 1 + 2^-24, and c = -1
        {{0x04003c00, 0x04000400}, {0x0c000400, 0x0c000c00}, 0x1p-24f},
        {{0x7bff7bff, 0xfbfffbff}, {0x7bff7bff, 0x7bff7bff}, 1},            // large ones that cancel, and 1
        {{0x3c000000, 0x00000000}, {0x3c000000, 0x00000000}, 0x1p24f},      // 2^24 + 1
        {{0x3e000000, 0x00000000}, {0x3c000000, 0x00000000}, 0x1p24f},      // 2^24 + 1.5
    };
    float *out, host;
    cudaMalloc(&out, sizeof host);
    for (const auto &q : asked) {
        mma884<<<1, 32>>>(out, q.a, q.b, q.c);
        cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
        printf("mma.m8n8k4 a %08x %08x b %08x %08x c %a: %a\n", q.a.x, q.a.y, q.b.x, q.b.y, q.c, host);
    }
    cudaFree(out);
}

__global__ void mma884_halves(uint32_t *out, uint2 a, uint2 b, uint32_t c)
{
    uint32_t d[4];
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%8,%8,%8};"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                 : "r"(a.x), "r"(a.y), "r"(b.x), "r"(b.y), "r"(c));
    if (threadIdx.x == 0)
        *out = d[0] & 0xffff;
}

// c and two pairs of products are 65504, -65504 and 2^-9, which is lost beside either: which comes last?
static void ask_mma_halves()
{
    static const struct {
        uint2 a;
        uint32_t c;
    } asked[] = {{{0x0000fbff, 0x00001800}, 0x7bff7bff}, {{0x00001800, 0x0000fbff}, 0x7bff7bff}, {{0x00007bff, 0x0000fbff}, 0x18001800}};
    uint32_t *out, host;
    cudaMalloc(&out, sizeof host);
    for (const auto &q : asked) {
        mma884_halves<<<1, 32>>>(out, q.a, make_uint2(0x3c003c00, 0x3c003c00), q.c);
        cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
        printf("mma.m8n8k4.f16 a %08x %08x b ones c %08x: 0x%04x\n", q.a.x, q.a.y, q.c, host);
    }
    cudaFree(out);
}

// set of packed halves with a predicate: a = 1 2, b = 1 3, the predicate false and true.
__global__ void packed_set(uint32_t *out, uint32_t a, uint32_t b, int p)
{
    asm("{.reg .pred q; setp.ne.s32 q, %3, 0; set.eq.and.f16x2.f16x2 %0, %1, %2, q;}" : "=r"(out[0]) : "r"(a), "r"(b), "r"(p));
    asm("{.reg .pred q; setp.ne.s32 q, %3, 0; set.eq.or.f16x2.f16x2 %0, %1, %2, q;}" : "=r"(out[1]) : "r"(a), "r"(b), "r"(p));
    asm("{.reg .pred q; setp.ne.s32 q, %3, 0; set.eq.xor.f16x2.f16x2 %0, %1, %2, q;}" : "=r"(out[2]) : "r"(a), "r"(b), "r"(p));
    asm("{.reg .pred q; setp.ne.s32 q, %3, 0; set.eq.xor.u32.f16x2 %0, %1, %2, q;}" : "=r"(out[3]) : "r"(a), "r"(b), "r"(p));
}

static void ask_set()
{
    uint32_t *out, host[4];
    cudaMalloc(&out, sizeof host);
    for (int p = 0; p < 2; p++) {
        packed_set<<<1, 1>>>(out, 0x3c004000, 0x3c004200, p);
        cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
        printf("set.eq p %d: and 0x%08x or 0x%08x xor 0x%08x xor.u32 0x%08x\n", p, host[0], host[1], host[2], host[3]);
    }
    cudaFree(out);
}

int main()
{
    ask_fma(false);
    ask_fma(true);
    ask_pack();
    ask_mma();
    ask_mma_halves();
    ask_set();
    const cudaError_t error = cudaDeviceSynchronize();
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
