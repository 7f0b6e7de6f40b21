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
