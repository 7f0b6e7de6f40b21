/* SPDX-License-Identifier: Apache-2.0 */
/* Two lanes meet under the full mask while the others wait for them behind their branch: what Numba's cuda.reduce does. */
extern "C" __global__ void partial_meeting(float *out, int n)
{
    __shared__ float values[32];
    int lane = threadIdx.x;
    values[lane] = lane;
    __syncwarp();
    if (lane < n) {
        if (lane < 2) {
            values[lane] += values[lane + 2];
            __syncwarp();
        }
        if (lane == 0)
            out[1] = values[0] + values[1];
    }
    if (lane == blockIdx.x)
        out[0] = out[2] + 1;
}

/* Functions that call others between BSSY and BSYNC: what a barrier register holds is saved around the calls, and each goes on
 * behind its own BSYNC. */
static __device__ __noinline__ float innermost(float x, int lane)
{
    for (int i = 0; i < lane % 5; i++)
        x = x * 2 - i;
    return x;
}

typedef float step(float x, int lane);
__device__ step *through[2]; // so that the compiler does not know which registers they use

__device__ volatile int visits[32];

static __device__ __noinline__ float middle(float x, int lane)
{
    if (lane % 3)
        x = through[1](x + 1, lane) + 1;
    visits[lane] += 1;
    return x * 3;
}

extern "C" __global__ void calls_that_nest(float *out, int n)
{
    const int lane = threadIdx.x;
    float x = lane;
    through[0] = middle;
    through[1] = innermost;
    __syncwarp();
    if (lane < n)
        x = through[0](x, lane) - 7;
    out[lane] = x + visits[lane];
}

/* Bits in the opposite order of a value that all lanes share: UBREV. */
extern "C" __global__ void shared_bits(float *out, unsigned n)
{
    out[threadIdx.x] = __brev(n + blockIdx.x) >> 16;
}

/* A clock that some lanes read: the others keep what they had. */
extern "C" __global__ void clock_of_some(float *out, int n)
{
    unsigned time = 7;
    if ((int)threadIdx.x < n)
        asm volatile("mov.u32 %0, %%clock;" : "=r"(time));
    out[threadIdx.x] = time == 7;
}

/* Each lane takes the lock once. The one that has it waits where the lanes meet, for those that look at the lock. */
extern "C" __global__ void lock_in_turn(float *out)
{
    __shared__ int lock;
    __shared__ volatile int count;
    if (threadIdx.x == 0)
        lock = count = 0;
    __syncthreads();
    while (atomicCAS(&lock, 0, 1) != 0)
        continue;
    count = count + 1;
    __threadfence_block();
    atomicExch(&lock, 0);
    __syncthreads();
    out[threadIdx.x] = count;
}

/* Barriers in memory that lanes of one warp make: a loop over the lanes around an instruction that takes its operands from
 * uniform registers, which ends where no lane is left (BRA.U.ANY). */
extern "C" __global__ void barriers_of_lanes(float *out, int n)
{
    __shared__ unsigned long long barrier[4];
    const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier[threadIdx.x % 4]);
    unsigned ends = 0;
    if (threadIdx.x < 4)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(1 + (threadIdx.x & 1) * n) : "memory");
    __syncwarp();
    if (threadIdx.x < 4) // one arrival ends those of a count of one
        asm volatile("{\n.reg .b64 s;\n.reg .pred p;\nmbarrier.arrive.shared.b64 s, [%1];\n"
                     "mbarrier.test_wait.parity.shared.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(ends)
                     : "r"(at)
                     : "memory");
    out[threadIdx.x] = ends;
}

extern "C" __global__ void pairs_less_pairs(float *out, unsigned a, unsigned b)
{
    const unsigned d = __vsub2(a + threadIdx.x, b);
    out[threadIdx.x] = d >> 16;
    out[32 + threadIdx.x] = d & 0xffff;
}

static __device__ __noinline__ float deeper(int depth, float x)
{
    volatile float kept[8];
    kept[depth % 8] = x;
    return depth == 0 ? x : deeper(depth - 1, x + 1) + kept[depth % 8] - x;
}

/* ptxas does not know how deep: it states no stack. 16 frames fit into what a thread has by default. */
extern "C" __global__ void calls_itself(float *out, int depth)
{
    out[threadIdx.x] = deeper(depth, threadIdx.x);
}
