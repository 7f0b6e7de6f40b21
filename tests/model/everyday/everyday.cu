// SPDX-License-Identifier: Apache-2.0
// Kernels as people write them every day, a first version and better ones, to judge the model by: nothing of it was made
// with these in sight (docs/model.md). everyday.lab has their sizes. Results do not depend on the order of blocks.
#include <cuda_fp16.h>

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define STRIDE (gridDim.x * blockDim.x)
#define ALL 0xffffffffu

// ---- sums: a tree in shared memory; shuffles; 16 bytes a load --------------------------------------

extern "C" __global__ void reduce_tree(const double *in, double *out, int n)
{
    __shared__ double s[512];
    const int i = INDEX;
    s[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 256; d > 0; d >>= 1) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

static __device__ float warp_sum(float v)
{
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_xor_sync(ALL, v, o);
    return v;
}

static __device__ float block_sum(float v)
{
    __shared__ float part[32];
    v = warp_sum(v);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : 0;
    return warp_sum(v);
}

extern "C" __global__ void reduce_shuffle(const float *in, float *out, int n)
{
    float v = 0;
    for (int i = INDEX; i < n; i += STRIDE)
        v += in[i];
    v = block_sum(v);
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}

extern "C" __global__ void reduce_float4(const float4 *in, float *out, int n)
{
    float v = 0;
    for (int i = INDEX; i < n / 4; i += STRIDE) {
        const float4 a = in[i];
        v += a.x + a.y + a.z + a.w;
    }
    v = block_sum(v);
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}

extern "C" __global__ void dot_float(const float *x, const float *y, float *out, int n)
{
    float v = 0;
    for (int i = INDEX; i < n; i += STRIDE)
        v += x[i] * y[i];
    v = block_sum(v);
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}

extern "C" __global__ void dot_double(const double *x, const double *y, double *out, int n)
{
    double v = 0;
    for (int i = INDEX; i < n; i += STRIDE)
        v += x[i] * y[i];
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_down_sync(ALL, v, o);
    if (threadIdx.x % 32 == 0)
        out[INDEX / 32] = v;
}

// ---- prefix sums of a block's elements: Hillis and Steele's; by shuffles, four elements a thread ------

extern "C" __global__ void scan_hillis(const int *in, int *out)
{
    __shared__ int s[2][512];
    int from = 0;
    s[0][threadIdx.x] = in[INDEX];
    __syncthreads();
    for (int d = 1; d < 512; d *= 2) {
        int v = s[from][threadIdx.x];
        if (threadIdx.x >= d)
            v += s[from][threadIdx.x - d];
        s[1 - from][threadIdx.x] = v;
        from = 1 - from;
        __syncthreads();
    }
    out[INDEX] = s[from][threadIdx.x];
}

extern "C" __global__ void scan_shuffle(const int4 *in, int4 *out)
{
    __shared__ int sums[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int4 v = in[INDEX];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    int total = v.w;
    for (int d = 1; d < 32; d *= 2) {
        const int left = __shfl_up_sync(ALL, total, d);
        if (lane >= d)
            total += left;
    }
    if (lane == 31)
        sums[warp] = total;
    __syncthreads();
    int before = total - v.w;
    for (int w = 0; w < warp; w++)
        before += sums[w];
    out[INDEX] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
}

// ---- products of matrices: as the formula says; tiles; four by four results a thread ------------------

extern "C" __global__ void gemm_naive(const float *a, const float *b, float *c, int n)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

extern "C" __global__ void gemm_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][16], bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        as[ty][tx] = a[row * n + t + tx];
        bs[ty][tx] = b[(t + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

extern "C" __global__ void gemm_registers(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][64], bs[16][64];
    const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int t = 0; t < n; t += 16) {
        for (int i = tid; i < 64 * 16; i += 256) {
            as[i % 16][i / 16] = a[(row0 + i / 16) * n + t + i % 16];
            bs[i / 64][i % 64] = b[(t + i / 64) * n + col0 + i % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            float ra[4], rb[4];
            for (int i = 0; i < 4; i++) {
                ra[i] = as[k][ty * 4 + i];
                rb[i] = bs[k][tx * 4 + i];
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row0 + ty * 4 + i) * n + col0 + tx * 4 + j] = sum[i][j];
}

// ---- matrix times vector: a thread a row; a warp a row; the same of halves; a block a row --------------

extern "C" __global__ void gemv_thread(const float *a, const float *x, float *y, int rows, int cols)
{
    const int row = INDEX;
    if (row >= rows)
        return;
    float sum = 0;
    for (int j = 0; j < cols; j++)
        sum += a[(size_t)row * cols + j] * x[j];
    y[row] = sum;
}

extern "C" __global__ void gemv_warp(const float *a, const float *x, float *y, int rows, int cols)
{
    const int row = INDEX / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int j = lane; j < cols; j += 32)
        sum += a[(size_t)row * cols + j] * x[j];
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

extern "C" __global__ void gemv_half(const __half2 *a, const __half2 *x, float *y, int rows, int cols)
{
    const int row = INDEX / 32, lane = threadIdx.x % 32, pairs = cols / 2;
    if (row >= rows)
        return;
    float sum = 0;
    for (int j = lane; j < pairs; j += 32) {
        const float2 u = __half22float2(a[(size_t)row * pairs + j]), v = __half22float2(x[j]);
        sum += u.x * v.x + u.y * v.y;
    }
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

// ---- many 8 x 8 products: a thread a matrix; 64 threads a matrix -----------------------------------

extern "C" __global__ void batched_thread(const float *a, const float *b, float *c, int count)
{
    const int m = INDEX;
    if (m >= count)
        return;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            float sum = 0;
            for (int k = 0; k < 8; k++)
                sum += a[m * 64 + i * 8 + k] * b[m * 64 + k * 8 + j];
            c[m * 64 + i * 8 + j] = sum;
        }
}

extern "C" __global__ void batched_shared(const float *a, const float *b, float *c)
{
    __shared__ float as[4][64], bs[4][64];
    const int own = threadIdx.x / 64, at = threadIdx.x % 64, i = at / 8, j = at % 8;
    as[own][at] = a[INDEX];
    bs[own][at] = b[INDEX];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += as[own][i * 8 + k] * bs[own][k * 8 + j];
    c[INDEX] = sum;
}

// ---- sparse matrix times vector, rows of 1 to `width` entries: a thread a row; a warp a row; by columns -------------

extern "C" __global__ void spmv_scalar(const int *length, const int *column, const float *value, const float *x,
                                       float *y, int rows, int width)
{
    const int row = INDEX;
    if (row >= rows)
        return;
    float sum = 0;
    for (int j = row * width; j < row * width + length[row]; j++)
        sum += value[j] * x[column[j]];
    y[row] = sum;
}

extern "C" __global__ void spmv_vector(const int *length, const int *column, const float *value, const float *x,
                                       float *y, int rows, int width)
{
    const int row = INDEX / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int j = lane; j < length[row]; j += 32)
        sum += value[row * width + j] * x[column[row * width + j]];
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

extern "C" __global__ void spmv_ell(const int *length, const int *column, const float *value, const float *x, float *y,
                                    int rows)
{
    const int row = INDEX;
    if (row >= rows)
        return;
    float sum = 0;
    const int count = length[row];
    for (int j = 0; j < count; j++)
        sum += value[j * rows + row] * x[column[j * rows + row]];
    y[row] = sum;
}

// ---- histograms: in global memory; in shared memory first -----------------------------------------------

extern "C" __global__ void histogram_global(const unsigned *key, unsigned *bins, int n)
{
    const int i = INDEX;
    if (i < n)
        atomicAdd(&bins[key[i]], 1u);
}

extern "C" __global__ void histogram_shared(const unsigned *key, unsigned *bins, int n)
{
    __shared__ unsigned own[1024];
    for (int b = threadIdx.x; b < 1024; b += blockDim.x)
        own[b] = 0;
    __syncthreads();
    for (int i = INDEX; i < n; i += STRIDE)
        atomicAdd(&own[key[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 1024; b += blockDim.x)
        if (own[b])
            atomicAdd(&bins[b], own[b]);
}

// ---- softmax of rows: three passes by a block; the row kept in registers -----------------------------------

static __device__ float block_max(float v)
{
    __shared__ float part[32];
    for (int o = 16; o > 0; o >>= 1)
        v = fmaxf(v, __shfl_xor_sync(ALL, v, o));
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[threadIdx.x % (blockDim.x / 32)];
    for (int o = 16; o > 0; o >>= 1)
        v = fmaxf(v, __shfl_xor_sync(ALL, v, o));
    return v;
}

extern "C" __global__ void softmax_passes(const float *in, float *out, int cols)
{
    const float *x = in + (size_t)blockIdx.x * cols;
    float *y = out + (size_t)blockIdx.x * cols;
    float most = -INFINITY, sum = 0;
    for (int j = threadIdx.x; j < cols; j += blockDim.x)
        most = fmaxf(most, x[j]);
    most = block_max(most);
    for (int j = threadIdx.x; j < cols; j += blockDim.x)
        sum += expf(x[j] - most);
    sum = block_sum(sum);
    for (int j = threadIdx.x; j < cols; j += blockDim.x)
        y[j] = expf(x[j] - most) / sum;
}

extern "C" __global__ void softmax_registers(const float4 *in, float4 *out)
{
    const size_t at = (size_t)blockIdx.x * 2 * blockDim.x + threadIdx.x;
    float4 v[2];
    float most = -INFINITY, sum = 0;
    for (int k = 0; k < 2; k++) {
        v[k] = in[at + k * blockDim.x];
        most = fmaxf(most, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
    }
    most = block_max(most);
    for (int k = 0; k < 2; k++) {
        v[k] = make_float4(__expf(v[k].x - most), __expf(v[k].y - most), __expf(v[k].z - most), __expf(v[k].w - most));
        sum += v[k].x + v[k].y + v[k].z + v[k].w;
    }
    const float scale = 1 / block_sum(sum);
    for (int k = 0; k < 2; k++)
        out[at + k * blockDim.x] = make_float4(v[k].x * scale, v[k].y * scale, v[k].z * scale, v[k].w * scale);
}

// ---- norms of rows: mean and deviation by a block; root of the mean square, halves, a warp a row -------------------

extern "C" __global__ void norm_layer(const float *in, const float *gain, const float *bias, float *out, int cols)
{
    const float *x = in + (size_t)blockIdx.x * cols;
    float *y = out + (size_t)blockIdx.x * cols;
    float sum = 0, squares = 0;
    for (int j = threadIdx.x; j < cols; j += blockDim.x)
        sum += x[j];
    const float mean = block_sum(sum) / cols;
    for (int j = threadIdx.x; j < cols; j += blockDim.x)
        squares += (x[j] - mean) * (x[j] - mean);
    const float scale = rsqrtf(block_sum(squares) / cols + 1e-5f);
    for (int j = threadIdx.x; j < cols; j += blockDim.x)
        y[j] = (x[j] - mean) * scale * gain[j] + bias[j];
}

extern "C" __global__ void norm_rms(const __half2 *in, const __half2 *gain, __half2 *out, int rows, int cols)
{
    const int row = INDEX / 32, lane = threadIdx.x % 32, pairs = cols / 2;
    if (row >= rows)
        return;
    const __half2 *x = in + (size_t)row * pairs;
    float sum = 0;
    for (int j = lane; j < pairs; j += 32) {
        const float2 v = __half22float2(x[j]);
        sum += v.x * v.x + v.y * v.y;
    }
    const float scale = rsqrtf(warp_sum(sum) / cols + 1e-6f);
    for (int j = lane; j < pairs; j += 32) {
        const float2 v = __half22float2(x[j]), g = __half22float2(gain[j]);
        out[(size_t)row * pairs + j] = __floats2half2_rn(v.x * scale * g.x, v.y * scale * g.y);
    }
}

// ---- stencils: nine points of doubles; seven points in space; the same, a column of planes in registers -----------

extern "C" __global__ void stencil_nine(const double *in, double *out, int nx, int ny)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    double sum = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            sum += in[(size_t)(y + j) * nx + x + i];
    out[(size_t)y * nx + x] = sum / 9;
}

extern "C" __global__ void stencil_heat(const float *in, float *out, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
        return;
    const int i = (z * ny + y) * nx + x;
    out[i] = in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny] -
                             6 * in[i]);
}

extern "C" __global__ void stencil_planes(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int nz)
{
    __shared__ float tile[10][34];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1, plane = nx * ny;
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int i = y * nx + x;
    float below = 0, here = in[i], above = in[i + plane];
    for (int z = 1; z < nz - 1; z++) {
        i += plane;
        below = here;
        here = above;
        above = in[i + plane];
        __syncthreads();
        tile[ty][tx] = here;
        if (threadIdx.x == 0 && x > 0)
            tile[ty][0] = in[i - 1];
        if (threadIdx.x == 31 && x < nx - 1)
            tile[ty][33] = in[i + 1];
        if (threadIdx.y == 0 && y > 0)
            tile[0][tx] = in[i - nx];
        if (threadIdx.y == 7 && y < ny - 1)
            tile[9][tx] = in[i + nx];
        __syncthreads();
        if (x > 0 && y > 0 && x < nx - 1 && y < ny - 1)
            out[i] = here + 0.1f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] + below +
                                    above - 6 * here);
    }
}

// ---- convolutions: 15 taps in constant memory; 7 x 7 from global memory; from a tile --------------------------------

static __constant__ float taps[49] = {1, 2, 3, 4, 5, 6, 7, 8, 7, 6, 5, 4, 3, 2, 1, 2, 3, 4, 5, 6, 7, 8, 7, 6, 5,
                                      4, 3, 2, 1, 2, 3, 4, 5, 6, 7, 8, 7, 6, 5, 4, 3, 2, 1, 2, 3, 4, 5, 6, 7};

extern "C" __global__ void convolve_row(const float *in, float *out, int n)
{
    const int i = INDEX;
    if (i < 7 || i >= n - 7)
        return;
    float sum = 0;
    for (int k = 0; k < 15; k++)
        sum += taps[k] * in[i + k - 7];
    out[i] = sum;
}

extern "C" __global__ void convolve_square(const float *in, float *out, int nx, int ny)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int j = -3; j <= 3; j++)
        for (int i = -3; i <= 3; i++) {
            const int u = min(max(x + i, 0), nx - 1), v = min(max(y + j, 0), ny - 1);
            sum += taps[(j + 3) * 7 + i + 3] * in[v * nx + u];
        }
    out[y * nx + x] = sum;
}

extern "C" __global__ void convolve_tile(const float *in, float *out, int nx, int ny)
{
    __shared__ float tile[22][38];
    const int x0 = blockIdx.x * 32 - 3, y0 = blockIdx.y * 16 - 3;
    for (int j = threadIdx.y; j < 22; j += 16)
        for (int i = threadIdx.x; i < 38; i += 32)
            tile[j][i] = in[min(max(y0 + j, 0), ny - 1) * nx + min(max(x0 + i, 0), nx - 1)];
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < 7; j++)
        for (int i = 0; i < 7; i++)
            sum += taps[j * 7 + i] * tile[threadIdx.y + j][threadIdx.x + i];
    out[(y0 + 3 + threadIdx.y) * nx + x0 + 3 + threadIdx.x] = sum;
}

// ---- sorting: a step of a bitonic network; all steps of 1,024 elements in shared memory ---------------------------

extern "C" __global__ void sort_step(unsigned *data, int j, int k)
{
    const unsigned i = INDEX, other = i ^ j;
    if (other > i) {
        const unsigned a = data[i], b = data[other];
        const bool up = (i & k) == 0;
        data[i] = up ? min(a, b) : max(a, b);
        data[other] = up ? max(a, b) : min(a, b);
    }
}

extern "C" __global__ void sort_shared(unsigned *data)
{
    __shared__ unsigned s[1024];
    const unsigned t = threadIdx.x;
    s[t] = data[INDEX];
    __syncthreads();
    for (unsigned k = 2; k <= 1024; k *= 2)
        for (unsigned j = k / 2; j > 0; j /= 2) {
            const unsigned other = t ^ j;
            if (other > t) {
                const unsigned a = s[t], b = s[other];
                const bool up = (t & k) == 0;
                s[t] = up ? min(a, b) : max(a, b);
                s[other] = up ? max(a, b) : min(a, b);
            }
            __syncthreads();
        }
    data[INDEX] = s[t];
}

// ---- rows of a table: a word a thread; 16 bytes a thread --------------------------------------------------------------

extern "C" __global__ void embed_words(const int *token, const float *table, float *out, int width, int n)
{
    const int i = INDEX;
    if (i < n * width)
        out[i] = table[(size_t)token[i / width] * width + i % width];
}

extern "C" __global__ void embed_float4(const int *token, const float4 *table, float4 *out)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    out[row * 32 + threadIdx.x] = table[(size_t)token[row] * 32 + threadIdx.x];
}

// ---- bodies that attract each other: from global memory; from tiles --------------------------------------------------

static __device__ float3 pull(float3 sum, float4 from, float4 to)
{
    const float dx = to.x - from.x, dy = to.y - from.y, dz = to.z - from.z;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
    const float f = to.w * inverse * inverse * inverse;
    return make_float3(sum.x + f * dx, sum.y + f * dy, sum.z + f * dz);
}

extern "C" __global__ void bodies_global(const float4 *body, float4 *force, int n)
{
    const float4 own = body[INDEX];
    float3 sum = make_float3(0, 0, 0);
    for (int j = 0; j < n; j++)
        sum = pull(sum, own, body[j]);
    force[INDEX] = make_float4(sum.x, sum.y, sum.z, 0);
}

extern "C" __global__ void bodies_tiles(const float4 *body, float4 *force, int n)
{
    __shared__ float4 tile[128];
    const float4 own = body[INDEX];
    float3 sum = make_float3(0, 0, 0);
    for (int t = 0; t < n; t += 128) {
        tile[threadIdx.x] = body[t + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 128; j++)
            sum = pull(sum, own, tile[j]);
        __syncthreads();
    }
    force[INDEX] = make_float4(sum.x, sum.y, sum.z, 0);
}

// ---- options after Black and Scholes: floats; doubles -------------------------------------------------------------

template <class T>
static __device__ void price(const T *spot, const T *strike, const T *years, T *call, T *put, int n)
{
    const int i = INDEX;
    if (i >= n)
        return;
    const T s = spot[i] + 1, k = strike[i] + 1, t = years[i] + T(0.1), rate = T(0.02), vol = T(0.3);
    const T root = sqrt(t), d1 = (log(s / k) + (rate + vol * vol / 2) * t) / (vol * root), d2 = d1 - vol * root;
    const T n1 = erfc(-d1 * T(0.70710678118654752)) / 2, n2 = erfc(-d2 * T(0.70710678118654752)) / 2;
    const T later = k * exp(-rate * t);
    call[i] = s * n1 - later * n2;
    put[i] = later * (1 - n2) - s * (1 - n1);
}

extern "C" __global__ void options_float(const float *s, const float *k, const float *t, float *call, float *put, int n)
{
    price(s, k, t, call, put, n);
}

extern "C" __global__ void options_double(const double *s, const double *k, const double *t, double *call, double *put,
                                          int n)
{
    price(s, k, t, call, put, n);
}

// ---- points that take unequal time: floats; doubles --------------------------------------------------------------

template <class T> static __device__ void escape(int *out, int width, int height, int most)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const T cx = T(-2.2) + x * T(3) / width, cy = T(-1.5) + y * T(3) / height;
    T zx = 0, zy = 0;
    int k = 0;
    while (k < most && zx * zx + zy * zy < 4) {
        const T next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        k++;
    }
    out[y * width + x] = k;
}

extern "C" __global__ void escape_float(int *out, int width, int height, int most)
{
    escape<float>(out, width, height, most);
}

extern "C" __global__ void escape_double(int *out, int width, int height, int most)
{
    escape<double>(out, width, height, most);
}

// ---- a step of a breadth-first search: all nodes look whether they are in front; a warp a node of a list ----------------

extern "C" __global__ void search_flags(const int *length, const int *neighbour, const int *front, const int *level,
                                        int *next, int nodes, int width)
{
    const int node = INDEX;
    if (node >= nodes || front[node] != 0)
        return;
    for (int j = 0; j < length[node]; j++) {
        const int to = neighbour[node * width + j];
        if (level[to] == 0)
            next[to] = 1;
    }
}

extern "C" __global__ void search_list(const int *list, const int *length, const int *neighbour, const int *level,
                                       int *next, int count, int width)
{
    const int item = INDEX / 32, lane = threadIdx.x % 32;
    if (item >= count)
        return;
    const int node = list[item];
    for (int j = lane; j < length[node]; j += 32) {
        const int to = neighbour[node * width + j];
        if (level[to] == 0)
            next[to] = 1;
    }
}

// ---- images: patches as columns; the median of nine bytes; a bilateral filter; grey bytes, and four pixels a thread ----

extern "C" __global__ void image_columns(const float *image, float *columns, int channels, int height, int width)
{
    const int i = INDEX, x = i % width, y = i / width % height, c = i / width / height;
    if (c >= channels)
        return;
    for (int ky = 0; ky < 3; ky++)
        for (int kx = 0; kx < 3; kx++) {
            const int u = x + kx - 1, v = y + ky - 1;
            const bool inside = u >= 0 && v >= 0 && u < width && v < height;
            columns[((c * 3 + ky) * 3 + kx) * height * width + y * width + x] =
                inside ? image[(c * height + v) * width + u] : 0;
        }
}

extern "C" __global__ void image_median(const unsigned char *in, unsigned char *out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    unsigned char v[9];
    for (int k = 0; k < 9; k++)
        v[k] = in[(y + k / 3 - 1) * width + x + k % 3 - 1];
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 9; j++) {
            const unsigned char a = v[i], b = v[j];
            v[i] = min(a, b);
            v[j] = max(a, b);
        }
    out[y * width + x] = v[4];
}

extern "C" __global__ void image_bilateral(const float *in, float *out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2)
        return;
    const float here = in[y * width + x];
    float sum = 0, weights = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            const float v = in[(y + j) * width + x + i];
            const float w = __expf(-0.1f * (i * i + j * j) - 4 * (v - here) * (v - here));
            sum += w * v;
            weights += w;
        }
    out[y * width + x] = sum / weights;
}

extern "C" __global__ void grey_bytes(const unsigned char *rgb, unsigned char *grey, int n)
{
    const int i = INDEX;
    if (i < n)
        grey[i] = (unsigned char)(0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2]);
}

extern "C" __global__ void grey_words(const unsigned *rgb, unsigned *grey, int n)
{
    const int i = INDEX;
    if (i >= n / 4)
        return;
    const unsigned word[3] = {rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]};
    unsigned four = 0;
    for (int p = 0; p < 4; p++) {
        float g = 0;
        for (int c = 0; c < 3; c++) {
            const int byte = 3 * p + c;
            g += (c == 0 ? 0.299f : c == 1 ? 0.587f : 0.114f) * (word[byte / 4] >> byte % 4 * 8 & 255);
        }
        four |= (unsigned)g << 8 * p;
    }
    grey[i] = four;
}

// ---- a pass of a Fourier transform: two points a thread; four ----------------------------------------------------------

static __device__ float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

static __device__ float2 turn(float angle)
{
    float2 w;
    __sincosf(angle, &w.y, &w.x);
    return w;
}

extern "C" __global__ void fourier_two(float2 *data, int half)
{
    const int i = INDEX, k = i % half, at = 2 * (i - k) + k;
    const float2 a = data[at], b = times(data[at + half], turn(-3.14159265f * k / half));
    data[at] = make_float2(a.x + b.x, a.y + b.y);
    data[at + half] = make_float2(a.x - b.x, a.y - b.y);
}

extern "C" __global__ void fourier_four(float2 *data, int quarter)
{
    const int i = INDEX, k = i % quarter, at = 4 * (i - k) + k;
    const float angle = -1.57079633f * k / quarter;
    const float2 a = data[at], b = times(data[at + quarter], turn(angle)),
                 c = times(data[at + 2 * quarter], turn(2 * angle)), d = times(data[at + 3 * quarter], turn(3 * angle));
    const float2 e = make_float2(a.x + c.x, a.y + c.y), f = make_float2(a.x - c.x, a.y - c.y);
    const float2 g = make_float2(b.x + d.x, b.y + d.y), h = make_float2(b.y - d.y, d.x - b.x);
    data[at] = make_float2(e.x + g.x, e.y + g.y);
    data[at + quarter] = make_float2(f.x + h.x, f.y + h.y);
    data[at + 2 * quarter] = make_float2(e.x - g.x, e.y - g.y);
    data[at + 3 * quarter] = make_float2(f.x - h.x, f.y - h.y);
}

// ---- random points in a circle; the largest of a row; a text's lines, by bytes and by words -----------------------------

extern "C" __global__ void chance_circle(unsigned *hits, int rounds)
{
    unsigned state = INDEX * 2654435761u + 1, in = 0;
    for (int r = 0; r < rounds; r++) {
        float at[2];
        for (int k = 0; k < 2; k++) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            at[k] = (state >> 8) * 5.9604645e-8f;
        }
        in += at[0] * at[0] + at[1] * at[1] < 1;
    }
    for (int o = 16; o > 0; o >>= 1)
        in += __shfl_down_sync(ALL, in, o);
    if (threadIdx.x % 32 == 0)
        atomicAdd(hits, in);
}

extern "C" __global__ void largest_place(const float *in, int *place, int cols)
{
    __shared__ float values[256];
    __shared__ int places[256];
    const float *x = in + (size_t)blockIdx.x * cols;
    float best = x[threadIdx.x];
    int at = threadIdx.x;
    for (int j = threadIdx.x + 256; j < cols; j += 256)
        if (x[j] > best) {
            best = x[j];
            at = j;
        }
    values[threadIdx.x] = best;
    places[threadIdx.x] = at;
    for (int d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d && values[threadIdx.x + d] > values[threadIdx.x]) {
            values[threadIdx.x] = values[threadIdx.x + d];
            places[threadIdx.x] = places[threadIdx.x + d];
        }
    }
    if (threadIdx.x == 0)
        place[blockIdx.x] = places[0];
}

extern "C" __global__ void lines_bytes(const unsigned char *text, unsigned *count, int n)
{
    unsigned own = 0;
    for (int i = INDEX; i < n; i += STRIDE)
        own += text[i] == '\n';
    for (int o = 16; o > 0; o >>= 1)
        own += __shfl_down_sync(ALL, own, o);
    if (threadIdx.x % 32 == 0)
        atomicAdd(count, own);
}

extern "C" __global__ void lines_words(const uint4 *text, unsigned *count, int n)
{
    unsigned own = 0;
    for (int i = INDEX; i < n / 16; i += STRIDE) {
        const uint4 v = text[i];
        own += __popc(__vcmpeq4(v.x, 0x0a0a0a0a)) + __popc(__vcmpeq4(v.y, 0x0a0a0a0a)) +
               __popc(__vcmpeq4(v.z, 0x0a0a0a0a)) + __popc(__vcmpeq4(v.w, 0x0a0a0a0a));
    }
    own /= 8;
    for (int o = 16; o > 0; o >>= 1)
        own += __shfl_down_sync(ALL, own, o);
    if (threadIdx.x % 32 == 0)
        atomicAdd(count, own);
}

// ---- networks: floats as bytes, one and four a thread; positions turned into angles; scores of a query, a thread and a
// warp a key ------------------------------------------------------------------------------------------------------------

static __device__ signed char small(float v, float scale)
{
    return (signed char)max(-127, min(127, __float2int_rn(v * scale)));
}

extern "C" __global__ void quantise_one(const float *in, signed char *out, float scale, int n)
{
    const int i = INDEX;
    if (i < n)
        out[i] = small(in[i], scale);
}

extern "C" __global__ void quantise_four(const float4 *in, char4 *out, float scale, int n)
{
    const int i = INDEX;
    if (i >= n / 4)
        return;
    const float4 v = in[i];
    out[i] = make_char4(small(v.x, scale), small(v.y, scale), small(v.z, scale), small(v.w, scale));
}

extern "C" __global__ void rotate_pairs(__half2 *q, int pairs, int heads)
{
    const int i = INDEX, pair = i % pairs, position = i / pairs / heads;
    float s, c;
    __sincosf(position * exp2f(-13.0f * pair / pairs), &s, &c);
    const float2 v = __half22float2(q[i]);
    q[i] = __floats2half2_rn(v.x * c - v.y * s, v.x * s + v.y * c);
}

extern "C" __global__ void scores_thread(const float *query, const float *key, float *score, int keys, int width)
{
    const int k = INDEX;
    if (k >= keys)
        return;
    float sum = 0;
    for (int d = 0; d < width; d++)
        sum += query[d] * key[(size_t)k * width + d];
    score[k] = sum * rsqrtf((float)width);
}

extern "C" __global__ void scores_warp(const float4 *query, const float4 *key, float *score, int keys)
{
    const int k = INDEX / 32, lane = threadIdx.x % 32;
    if (k >= keys)
        return;
    const float4 a = query[lane], b = key[(size_t)k * 32 + lane];
    const float sum = warp_sum(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
    if (lane == 0)
        score[k] = sum * 0.088388348f;
}
