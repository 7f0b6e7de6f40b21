// SPDX-License-Identifier: Apache-2.0
// What products of matrices take of an SM's tensor cores: one block an SM, loops of one instruction.
//
//     nvcc -O3 -gencode arch=compute_90a,code=sm_90a -o tensor_probe tools/gpu/tensor_probe.cu && ./tensor_probe > tensor_probe.txt
//
// A line: instruction, multiply-adds of a warp, cycles of one after the other (each awaited), cycles of a scheduler for each of
// eight independent ones with 1, 2 and 4 warps a scheduler, operations a cycle and SM of the best. wgmma: one warp group awaits
// each; 1, 2 and 4 groups do not.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

enum { TRIPS = 256, MOST_WARPS = 16 };

#define MMA4(name, text, products, CTYPE, cc)                                                                          \
    struct name {                                                                                                      \
        static const char *title() { return text; }                                                                    \
        enum { PRODUCTS = products };                                                                                  \
        typedef CTYPE sum;                                                                                             \
        static __device__ void go(CTYPE (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[4])                       \
        {                                                                                                              \
            asm volatile(text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                 \
                         : "+" cc(d[0]), "+" cc(d[1]), "+" cc(d[2]), "+" cc(d[3])                                      \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                          \
        }                                                                                                              \
    }
#define MMA2(name, text, products, CTYPE, cc)                                                                          \
    struct name {                                                                                                      \
        static const char *title() { return text; }                                                                    \
        enum { PRODUCTS = products };                                                                                  \
        typedef CTYPE sum;                                                                                             \
        static __device__ void go(CTYPE (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[4])                       \
        {                                                                                                              \
            asm volatile(text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"                                          \
                         : "+" cc(d[0]), "+" cc(d[1]), "+" cc(d[2]), "+" cc(d[3])                                      \
                         : "r"(a[0]), "r"(a[1]), "r"(b[0]));                                                           \
        }                                                                                                              \
    }
#define SPARSE(name, text, products, CTYPE, cc)                                                                        \
    struct name {                                                                                                      \
        static const char *title() { return text; }                                                                    \
        enum { PRODUCTS = products };                                                                                  \
        typedef CTYPE sum;                                                                                             \
        static __device__ void go(CTYPE (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[4])                       \
        {                                                                                                              \
            asm volatile(text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;"               \
                         : "+" cc(d[0]), "+" cc(d[1]), "+" cc(d[2]), "+" cc(d[3])                                      \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]),     \
                           "r"(0x44444444));                                                                           \
        }                                                                                                              \
    }

MMA4(f32_f16_k16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 2048, float, "f");
MMA2(f32_f16_k8, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 1024, float, "f");
MMA4(f32_bf16_k16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 2048, float, "f");
MMA4(tf32_k8, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 1024, float, "f");
MMA2(tf32_k4, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 512, float, "f");
MMA4(e4m3_k32, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 4096, float, "f");
MMA4(s8_k32, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4096, uint32_t, "r");
MMA2(s8_k16, "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", 2048, uint32_t, "r");
MMA4(s4_k64, "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 8192, uint32_t, "r");
MMA4(b1_k256, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 32768, uint32_t, "r");
SPARSE(sparse_f16_k32, "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 4096, float, "f");
SPARSE(sparse_s8_k64, "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32", 8192, uint32_t, "r");

struct f16_f16_k16 {
    static const char *title() { return "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"; }
    enum { PRODUCTS = 2048 };
    typedef uint32_t sum;
    static __device__ void go(uint32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[4])
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                     : "+r"(d[0]), "+r"(d[1])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
struct f64_k4 {
    static const char *title() { return "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64"; }
    enum { PRODUCTS = 256 };
    typedef double sum;
    static __device__ void go(double (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[4])
    {
        const double x = __hiloint2double(a[0], a[1]), y = __hiloint2double(b[0], b[1]);
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                     : "+d"(d[0]), "+d"(d[1])
                     : "d"(x), "d"(y));
    }
};
struct f64_k16 {
    static const char *title() { return "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64"; }
    enum { PRODUCTS = 2048 };
    typedef double sum;
    static __device__ void go(double (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[4])
    {
        const double x = __hiloint2double(a[0], a[1]), y = __hiloint2double(b[0], b[1]);
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%4,%4,%4,%4,%4,%4,%4}, "
                     "{%5,%5,%5,%5}, {%0,%1,%2,%3};"
                     : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                     : "d"(x), "d"(y));
    }
};

template <class M, int CHAINS> __global__ void run_mma(long long *cycles, uint32_t seed)
{
    typename M::sum d[CHAINS][4] = {};
    uint32_t a[4], b[4];
    for (int i = 0; i < 4; i++)
        a[i] = b[i] = seed;
    __syncthreads();
    const long long begin = clock64();
    for (int trip = 0; trip < TRIPS; trip++)
#pragma unroll
        for (int i = 0; i < CHAINS; i++)
            M::go(d[i], a, b);
    typename M::sum all = 0;
    for (int i = 0; i < CHAINS; i++)
        all += d[i][0];
    const long long end = clock64();
    if (all == (typename M::sum)12345)
        cycles[1] = 0;
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        cycles[0] = end - begin;
}

static long long *cycles;
static int sms;

static double taken(void)
{
    const cudaError_t e = cudaDeviceSynchronize();
    long long c;
    if (e != cudaSuccess || cudaMemcpy(&c, cycles, sizeof c, cudaMemcpyDeviceToHost) != cudaSuccess) {
        printf("error: %s\n", cudaGetErrorString(e));
        exit(1);
    }
    return (double)c;
}

template <class M> static void mma(void)
{
    enum { CHAINS = 8 };
    double best = 1e9;
    for (int i = 0; i < 2; i++)
        run_mma<M, 1><<<1, 32>>>(cycles, 0);
    printf("%-78s %6d %7.2f", M::title(), (int)M::PRODUCTS, taken() / TRIPS);
    for (int warps = 1; warps <= 4; warps *= 2) {
        for (int i = 0; i < 2; i++)
            run_mma<M, CHAINS><<<sms, warps * 128>>>(cycles, 0);
        const double each = taken() / (TRIPS * CHAINS * warps);
        best = each < best ? each : best;
        printf(" %7.2f", each);
    }
    printf(" %8.0f\n", 2.0 * M::PRODUCTS * 4 / best);
}

// ---- of a warp group -----------------------------------------------------------------------------------------------

#define F4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define F16(i) F4(i), F4(i + 4), F4(i + 8), F4(i + 12)
#define F32 F16(0), F16(16)
#define F64 F32, F16(32), F16(48)
#define F128 F64, F16(64), F16(80), F16(96), F16(112)
#define I4(i) "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3])
#define I16(i) I4(i), I4(i + 4), I4(i + 8), I4(i + 12)
#define I64 I16(0), I16(16), I16(32), I16(48)
#define T4 "{%0,%1,%2,%3}"
#define UP_TO_31                                                                                                       \
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,"  \
    "%30,%31"
#define UP_TO_63                                                                                                       \
    UP_TO_31 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,"   \
             "%57,%58,%59,%60,%61,%62,%63"
#define T32 UP_TO_31 "}"
#define T64 UP_TO_63 "}"
#define T128                                                                                                           \
    UP_TO_63 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,"   \
             "%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,"     \
             "%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127}"

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define GROUP_ASM asm volatile
#else
#define GROUP_ASM(...) (void)d
#endif

// `inputs` behind `sums` registers, of which `list` is the text.
#define GROUP(name, text, products, registers, CTYPE, list, rest, outputs, ...)                                        \
    struct name {                                                                                                      \
        static const char *title() { return text; }                                                                    \
        enum { PRODUCTS = products, REGISTERS = registers };                                                           \
        typedef CTYPE sum;                                                                                             \
        static __device__ void go(CTYPE (&d)[registers], uint64_t at)                                                  \
        {                                                                                                              \
            (void)at;                                                                                                  \
            GROUP_ASM(text " " list ", " rest ";" : outputs : __VA_ARGS__);                                            \
        }                                                                                                              \
    }
#define BY(...) __VA_ARGS__
#define W "wgmma.mma_async.sync.aligned."

GROUP(g_f16_8, W "m64n8k16.f32.f16.f16", 2048, 4, float, T4, "%4, %4, 1, 1, 1, 0, 0", BY(F4(0)), "l"(at));
GROUP(g_f16_64, W "m64n64k16.f32.f16.f16", 16384, 32, float, T32, "%32, %32, 1, 1, 1, 0, 0", BY(F32), "l"(at));
GROUP(g_f16_128, W "m64n128k16.f32.f16.f16", 32768, 64, float, T64, "%64, %64, 1, 1, 1, 0, 0", BY(F64), "l"(at));
GROUP(g_f16_256, W "m64n256k16.f32.f16.f16", 65536, 128, float, T128, "%128, %128, 1, 1, 1, 0, 0", BY(F128), "l"(at));
GROUP(g_bf16_128, W "m64n128k16.f32.bf16.bf16", 32768, 64, float, T64, "%64, %64, 1, 1, 1, 0, 0", BY(F64), "l"(at));
GROUP(g_tf32_128, W "m64n128k8.f32.tf32.tf32", 16384, 64, float, T64, "%64, %64, 1, 1, 1", BY(F64), "l"(at));
GROUP(g_e4m3_128, W "m64n128k32.f32.e4m3.e4m3", 65536, 64, float, T64, "%64, %64, 1, 1, 1", BY(F64), "l"(at));
GROUP(g_s8_128, W "m64n128k32.s32.s8.s8", 65536, 64, uint32_t, T64, "%64, %64, 1", BY(I64), "l"(at));
GROUP(g_b1_128, W "m64n128k256.s32.b1.b1.and.popc", 524288, 64, uint32_t, T64, "%64, %64, 1", BY(I64), "l"(at));
GROUP(g_sparse_128, "wgmma.mma_async.sp.sync.aligned.m64n128k32.f32.f16.f16", 65536, 64, float, T64,
      "%64, %64, %65, 0, 1, 1, 1, 0, 0", BY(F64), "l"(at), "r"(0x44444444));
GROUP(g_registers_64, W "m64n64k16.f32.f16.f16 /* a in registers */", 16384, 32, float, T32,
      "{%32,%32,%32,%32}, %33, 1, 1, 1, 0", BY(F32), "r"(0), "l"(at));
GROUP(g_registers_128, W "m64n128k16.f32.f16.f16 /* a in registers */", 32768, 64, float, T64,
      "{%64,%64,%64,%64}, %65, 1, 1, 1, 0", BY(F64), "r"(0), "l"(at));

static __device__ void fence(void)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}

static __device__ void finish(void)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
}

// Zeros in shared memory, swizzled by 128 bytes, eight rows 1,024 bytes.
template <class M, bool AWAITED> __global__ void __launch_bounds__(M::REGISTERS >= 64 ? 256 : 512) run_group(long long *cycles)
{
    extern __shared__ __align__(1024) uint8_t zeros[];
    typename M::sum d[M::REGISTERS] = {};
    for (int i = threadIdx.x; i < 65536 / 4; i += blockDim.x)
        ((uint32_t *)zeros)[i] = 0;
    const uint64_t at = ((uint32_t)__cvta_generic_to_shared(zeros) & 0x3ffff) >> 4 | (uint64_t)1 << 16 |
                        (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
    __syncthreads();
    const long long begin = clock64();
    fence();
    for (int trip = 0; trip < TRIPS; trip++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            M::go(d, at);
            if (AWAITED) {
                finish();
                fence();
            }
        }
        if (!AWAITED && trip % 4 == 3) {
            finish();
            fence();
        }
    }
    finish();
    const long long end = clock64();
    for (int i = 0; i < M::REGISTERS; i++)
        if (d[i] == (typename M::sum)12345)
            cycles[1] = 0;
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        cycles[0] = end - begin;
}

template <class M> static void group(void)
{
    enum { BYTES = 65536 };
    double best = 1e9;
    if (cudaFuncSetAttribute(run_group<M, true>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES) != cudaSuccess ||
        cudaFuncSetAttribute(run_group<M, false>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES) != cudaSuccess)
        exit(1);
    for (int i = 0; i < 2; i++)
        run_group<M, true><<<1, 128, BYTES>>>(cycles);
    printf("%-78s %6d %7.2f", M::title(), (int)M::PRODUCTS, taken() / (TRIPS * 4));
    for (int groups = 1; groups <= (M::REGISTERS >= 64 ? 2 : 4); groups *= 2) {
        for (int i = 0; i < 2; i++)
            run_group<M, false><<<sms, groups * 128, BYTES>>>(cycles);
        const double each = taken() / (TRIPS * 4 * groups);
        best = each < best ? each : best;
        printf(" %7.2f", each);
    }
    printf("%s %8.0f\n", M::REGISTERS >= 64 ? "       -" : "", 2.0 * M::PRODUCTS * 4 / best);
}

int main()
{
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess || cudaMalloc(&cycles, 16) != cudaSuccess)
        return 1;
    sms = p.multiProcessorCount;
    printf("# %s, %d SMs\n", p.name, sms);
    mma<f32_f16_k16>();
    mma<f32_f16_k8>();
    mma<f16_f16_k16>();
    mma<f32_bf16_k16>();
    mma<tf32_k8>();
    mma<tf32_k4>();
    mma<e4m3_k32>();
    mma<s8_k32>();
    mma<s8_k16>();
    mma<s4_k64>();
    mma<b1_k256>();
    mma<f64_k4>();
    mma<f64_k16>();
    mma<sparse_f16_k32>();
    mma<sparse_s8_k64>();
    group<g_f16_8>();
    group<g_f16_64>();
    group<g_f16_128>();
    group<g_f16_256>();
    group<g_bf16_128>();
    group<g_tf32_128>();
    group<g_e4m3_128>();
    group<g_s8_128>();
    group<g_b1_128>();
    group<g_sparse_128>();
    group<g_registers_64>();
    group<g_registers_128>();
    return 0;
}
