// SPDX-License-Identifier: Apache-2.0
// Forms in which kernels use shared memory, each again and again on what it holds, so that global memory hardly counts: products of tiles,
// reductions, scans, sorts, stencils, eliminations, tiles by diagonals. For src/time. Nsight Compute tells, in the order of the launches:
//     gpu__time_duration.sum, sm__cycles_elapsed.max, smsp__average_warps_issue_stalled_*
//     nvcc -arch=sm_90 -O3 -w -o shared_form_probe shared_form_probe.cu
// What an H200 took: tests/gpu/h200/shared_forms.txt. For tests/model/shared_forms.sm_90.cubin: -cubin.
#include <cstdio>
#include <cuda_fp16.h>

enum { SMS = 132 };

// ---- products -----------------------------------------------------------------------------------------------------------------------

template <class T, int N, bool STORES> __global__ void product(T *out, int rounds)
{
    __shared__ T a[N][N], b[N][N];
    const int x = threadIdx.x, y = threadIdx.y;
    a[y][x] = (T)x, b[y][x] = (T)y;
    __syncthreads();
    T sum = 0;
    for (int r = 0; r < rounds; r++) {
        for (int k = 0; k < N; k++)
            sum += a[y][k] * b[k][x];
        __syncthreads();
        if (STORES) {
            a[y][x] = sum, b[y][x] = sum + (T)r;
            __syncthreads();
        }
    }
    out[(blockIdx.x * N + y) * N + x] = sum;
}

// Each thread M x M of a tile of 16 M by 16 M, of depth 8.
template <int M> __global__ void register_tiles(float *out, int rounds)
{
    __shared__ float a[8][16 * M], b[8][16 * M];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    for (int i = threadIdx.x; i < 8 * 16 * M; i += 256)
        a[i / (16 * M)][i % (16 * M)] = (float)i, b[i / (16 * M)][i % (16 * M)] = 1;
    __syncthreads();
    float sum[M][M] = {};
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float u[M], v[M];
#pragma unroll
            for (int i = 0; i < M; i++)
                u[i] = a[k][y * M + i], v[i] = b[k][x * M + i];
#pragma unroll
            for (int i = 0; i < M; i++)
#pragma unroll
                for (int j = 0; j < M; j++)
                    sum[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
    float all = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            all += sum[i][j];
    out[blockIdx.x * 256 + threadIdx.x] = all;
}

__global__ void product_of_halves(__half2 *out, int rounds)
{
    __shared__ __half2 a[32][32], b[32][32];
    const int x = threadIdx.x, y = threadIdx.y;
    a[y][x] = b[y][x] = __float2half2_rn((float)x);
    __syncthreads();
    __half2 sum = __float2half2_rn(0);
    for (int r = 0; r < rounds; r++) {
        for (int k = 0; k < 32; k++)
            sum = __hfma2(a[y][k], b[k][x], sum);
        __syncthreads();
    }
    out[(blockIdx.x * 32 + y) * 32 + x] = sum;
}

__global__ void bodies(float4 *out, int rounds)
{
    extern __shared__ float4 others[];
    others[threadIdx.x] = make_float4(threadIdx.x, 1, 2, 3);
    __syncthreads();
    float4 own = make_float4(blockIdx.x, threadIdx.x, 1, 0), pull = make_float4(0, 0, 0, 0);
    for (int r = 0; r < rounds; r++) {
        for (int k = 0; k < blockDim.x; k++) {
            const float4 other = others[k];
            const float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
            const float d = dx * dx + dy * dy + dz * dz + 1e-3f, i = rsqrtf(d), s = other.w * i * i * i;
            pull.x += dx * s, pull.y += dy * s, pull.z += dz * s;
        }
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = pull;
}

// ---- reductions, scans, sorts -------------------------------------------------------------------------------------------------------

enum { INTERLEAVED, STRIDED, SEQUENTIAL, LAST_WARP, SHUFFLES };

template <int FORM> __global__ void reduction(float *out, int rounds)
{
    extern __shared__ float words[];
    volatile float *loose = words;
    const int t = threadIdx.x, n = blockDim.x;
    float own = t;
    for (int r = 0; r < rounds; r++) {
        if (FORM == SHUFFLES) {
            for (int s = 16; s > 0; s >>= 1)
                own += __shfl_down_sync(~0u, own, s);
            if (t % 32 == 0)
                words[t / 32] = own;
            __syncthreads();
            if (t < 32) {
                own = t < n / 32 ? words[t] : 0;
                for (int s = 16; s > 0; s >>= 1)
                    own += __shfl_down_sync(~0u, own, s);
                if (t == 0)
                    words[0] = own;
            }
            __syncthreads();
            own = words[0] + t;
            __syncthreads();
            continue;
        }
        words[t] = own;
        __syncthreads();
        if (FORM == INTERLEAVED)
            for (int s = 1; s < n; s *= 2) {
                if (t % (2 * s) == 0)
                    words[t] += words[t + s];
                __syncthreads();
            }
        else if (FORM == STRIDED)
            for (int s = 1; s < n; s *= 2) {
                const int i = 2 * s * t;
                if (i < n)
                    words[i] += words[i + s];
                __syncthreads();
            }
        else
            for (int s = n / 2; s > (FORM == LAST_WARP ? 32 : 0); s >>= 1) {
                if (t < s)
                    words[t] += words[t + s];
                __syncthreads();
            }
        if (FORM == LAST_WARP && t < 32) {
            loose[t] += loose[t + 32];
            loose[t] += loose[t + 16];
            loose[t] += loose[t + 8];
            loose[t] += loose[t + 4];
            loose[t] += loose[t + 2];
            loose[t] += loose[t + 1];
        }
        __syncthreads();
        own = words[0] + t;
        __syncthreads();
    }
    out[blockIdx.x * n + t] = own;
}

__global__ void scan_by_steps(int *out, int rounds)
{
    extern __shared__ int sums[];
    const int t = threadIdx.x, n = blockDim.x;
    int at = 0, own = t;
    for (int r = 0; r < rounds; r++) {
        sums[at * n + t] = own;
        __syncthreads();
        for (int s = 1; s < n; s *= 2) {
            at = 1 - at;
            sums[at * n + t] = sums[(1 - at) * n + t] + (t >= s ? sums[(1 - at) * n + t - s] : 0);
            __syncthreads();
        }
        own = sums[at * n + t];
    }
    out[blockIdx.x * n + t] = own;
}

__global__ void scan_by_tree(int *out, int rounds)
{
    extern __shared__ int sums[];
    const int t = threadIdx.x, n = 2 * blockDim.x;
    sums[2 * t] = t, sums[2 * t + 1] = 1;
    for (int r = 0; r < rounds; r++) {
        int apart = 1;
        for (int d = n >> 1; d > 0; d >>= 1) {
            __syncthreads();
            if (t < d) {
                const int i = apart * (2 * t + 1) - 1, j = apart * (2 * t + 2) - 1;
                sums[j] += sums[i];
            }
            apart *= 2;
        }
        if (t == 0)
            sums[n - 1] = 0;
        for (int d = 1; d < n; d *= 2) {
            apart >>= 1;
            __syncthreads();
            if (t < d) {
                const int i = apart * (2 * t + 1) - 1, j = apart * (2 * t + 2) - 1, was = sums[i];
                sums[i] = sums[j];
                sums[j] += was;
            }
        }
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = sums[2 * t] + sums[2 * t + 1];
}

__global__ void bitonic(unsigned *out, int rounds)
{
    extern __shared__ unsigned keys[];
    const unsigned t = threadIdx.x, n = blockDim.x;
    unsigned own = t * 2654435761u;
    for (int r = 0; r < rounds; r++) {
        keys[t] = own;
        __syncthreads();
        for (unsigned k = 2; k <= n; k *= 2)
            for (unsigned j = k / 2; j > 0; j /= 2) {
                const unsigned other = t ^ j;
                if (other > t) {
                    const unsigned a = keys[t], b = keys[other];
                    if ((a > b) == ((t & k) == 0))
                        keys[t] = b, keys[other] = a;
                }
                __syncthreads();
            }
        own = keys[t] * 2654435761u + r;
        __syncthreads();
    }
    out[blockIdx.x * n + t] = own;
}

// ---- stencils, transposes, eliminations, diagonals ----------------------------------------------------------------------------------

template <int RADIUS> __global__ void stencil(float *out, int rounds)
{
    extern __shared__ float row[];
    const int t = threadIdx.x, n = blockDim.x;
    row[t] = t;
    if (t < 2 * RADIUS)
        row[n + t] = t;
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k <= 2 * RADIUS; k++)
            sum += row[t + k] * (float)k;
        __syncthreads();
        row[t + RADIUS] = sum;
        __syncthreads();
    }
    out[blockIdx.x * n + t] = row[t + RADIUS];
}

__global__ void stencil_of_tile(float *out, int rounds)
{
    __shared__ float tile[18][34];
    const int x = threadIdx.x + 1, y = threadIdx.y + 1;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 18 * 34; i += 512)
        tile[i / 34][i % 34] = (float)i;
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        const float next = 0.2f * (tile[y][x] + tile[y - 1][x] + tile[y + 1][x] + tile[y][x - 1] + tile[y][x + 1]);
        __syncthreads();
        tile[y][x] = next;
        __syncthreads();
    }
    out[(blockIdx.x * 16 + y - 1) * 32 + x - 1] = tile[y][x];
}

template <int PAD> __global__ void transposes(int *out, int rounds)
{
    __shared__ int tile[32][32 + PAD];
    const int x = threadIdx.x;
    int own = x;
    for (int r = 0; r < rounds; r++) {
        for (int y = threadIdx.y; y < 32; y += blockDim.y)
            tile[y][x] = own + y;
        __syncthreads();
        for (int y = threadIdx.y; y < 32; y += blockDim.y)
            own ^= tile[x][y];
        __syncthreads();
    }
    out[(blockIdx.x * blockDim.y + threadIdx.y) * 32 + x] = own;
}

template <class T> __global__ void elimination(T *out, int rounds)
{
    __shared__ T m[32][33];
    const int x = threadIdx.x, y = threadIdx.y;
    for (int r = 0; r < rounds; r++) {
        m[y][x] = (T)(x == y ? 40 : 1);
        __syncthreads();
        for (int k = 0; k < 31; k++) {
            const T f = m[y][k] / m[k][k];
            __syncthreads();
            if (y > k && x >= k)
                m[y][x] -= f * m[k][x];
            __syncthreads();
        }
    }
    out[(blockIdx.x * 32 + y) * 32 + x] = m[y][x];
}

__global__ void diagonals(int *out, int rounds)
{
    enum { N = 32 };
    __shared__ int cost[N + 1][N + 1], match[N][N];
    const int t = threadIdx.x;
    for (int i = 0; i < N; i++)
        match[i][t] = (i * 7 + t) % 5 - 2;
    for (int r = 0; r < rounds; r++) {
        cost[t + 1][0] = cost[0][t + 1] = -t;
        if (t == 0)
            cost[0][0] = r;
        __syncthreads();
        for (int d = 0; d < 2 * N - 1; d++) {
            const int x = d - t;
            if (x >= 0 && x < N)
                cost[t + 1][x + 1] = max(cost[t][x] + match[t][x], max(cost[t][x + 1], cost[t + 1][x]) - 1);
            __syncthreads();
        }
    }
    out[blockIdx.x * N + t] = cost[t + 1][N];
}

__global__ void butterflies(float2 *out, int rounds)
{
    extern __shared__ float2 z[];
    const int t = threadIdx.x, n = 2 * blockDim.x;
    z[t] = make_float2(t, 1), z[t + n / 2] = make_float2(1, t);
    __syncthreads();
    for (int r = 0; r < rounds; r++)
        for (int h = 1; h < n; h *= 2) {
            const int i = t % h, at = (t / h) * 2 * h + i;
            const float2 w = make_float2(1.0f - (float)i / h, (float)i / h), a = z[at], b = z[at + h],
                         p = make_float2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
            __syncthreads();
            z[at] = make_float2(a.x + p.x, a.y + p.y);
            z[at + h] = make_float2(a.x - p.x, a.y - p.y);
            __syncthreads();
        }
    out[blockIdx.x * blockDim.x + t] = z[t];
}

// A table that lanes look into at random places, each the next one's.
__global__ void walks(int *out, int rounds)
{
    __shared__ int next[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        next[i] = (i * 421 + 17) % 1024;
    __syncthreads();
    int at = threadIdx.x * 37 % 1024;
    for (int r = 0; r < rounds; r++)
        at = next[at];
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

// -------------------------------------------------------------------------------------------------------------------------------------

static void *out;
template <class T> static T *of() { return (T *)out; }

template <class LAUNCH> static void widths(LAUNCH launch)
{
    for (int threads : {64, 256, 1024})
        for (int blocks : {(int)SMS, SMS * (2048 / threads < 16 ? 2048 / threads : 16)})
            launch(blocks, threads);
}

int main()
{
    cudaMalloc(&out, 64 << 20);
    widths([](int b, int t) { reduction<STRIDED><<<b, t, t * 4>>>(of<float>(), 20); });
    widths([](int b, int t) { scan_by_tree<<<b, t, t * 8>>>(of<int>(), 10); });
    widths([](int b, int t) { stencil<1><<<b, t, t * 4 + 64>>>(of<float>(), 40); });
    for (int per : {1, 8, 32})
        diagonals<<<SMS * per, 32>>>(of<int>(), 10);
    for (int per : {1, 2}) {
        product<float, 32, false><<<SMS * per, dim3(32, 32)>>>(of<float>(), 20);
        product<float, 32, true><<<SMS * per, dim3(32, 32)>>>(of<float>(), 20);
        product<int, 32, false><<<SMS * per, dim3(32, 32)>>>(of<int>(), 20);
        product<double, 32, false><<<SMS * per, dim3(32, 32)>>>(of<double>(), 20);
        product_of_halves<<<SMS * per, dim3(32, 32)>>>(of<__half2>(), 20);
    }
    for (int per : {1, 2, 4, 8}) {
        product<float, 16, false><<<SMS * per, dim3(16, 16)>>>(of<float>(), 40);
        product<float, 16, true><<<SMS * per, dim3(16, 16)>>>(of<float>(), 40);
        product<double, 16, false><<<SMS * per, dim3(16, 16)>>>(of<double>(), 40);
        product<float, 8, false><<<SMS * per, dim3(8, 8)>>>(of<float>(), 80);
        register_tiles<2><<<SMS * per, 256>>>(of<float>(), 40);
        register_tiles<4><<<SMS * per, 256>>>(of<float>(), 40);
    }
    for (int per : {1, 2})
        register_tiles<8><<<SMS * per, 256>>>(of<float>(), 40);
    widths([](int b, int t) { bodies<<<b, t, t * 16>>>(of<float4>(), 2048 / t); });
    widths([](int b, int t) { reduction<INTERLEAVED><<<b, t, t * 4>>>(of<float>(), 20); });
    widths([](int b, int t) { reduction<SEQUENTIAL><<<b, t, t * 4>>>(of<float>(), 20); });
    widths([](int b, int t) { reduction<LAST_WARP><<<b, t, t * 4>>>(of<float>(), 20); });
    widths([](int b, int t) { reduction<SHUFFLES><<<b, t, t * 4>>>(of<float>(), 20); });
    widths([](int b, int t) { scan_by_steps<<<b, t, t * 8>>>(of<int>(), 20); });
    widths([](int b, int t) { bitonic<<<b, t, t * 4>>>(of<unsigned>(), 5); });
    widths([](int b, int t) { stencil<4><<<b, t, t * 4 + 64>>>(of<float>(), 40); });
    widths([](int b, int t) { butterflies<<<b, t, t * 16>>>(of<float2>(), 5); });
    widths([](int b, int t) { walks<<<b, t>>>(of<int>(), 200); });
    for (int per : {1, 4}) {
        stencil_of_tile<<<SMS * per, dim3(32, 16)>>>(of<float>(), 40);
        transposes<0><<<SMS * per, dim3(32, 8)>>>(of<int>(), 20);
        transposes<1><<<SMS * per, dim3(32, 8)>>>(of<int>(), 20);
        transposes<0><<<SMS * per, dim3(32, 16)>>>(of<int>(), 20);
    }
    for (int per : {1, 2}) {
        elimination<float><<<SMS * per, dim3(32, 32)>>>(of<float>(), 4);
        elimination<double><<<SMS * per, dim3(32, 32)>>>(of<double>(), 4);
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
