// SPDX-License-Identifier: Apache-2.0
// Kernels as beginners write them, and each after the remedy that an expert would apply: cases.txt has what an H200 gave.
//     nvcc -O3 -arch=sm_90 -cubin -o beginners.sm_90.cubin beginners.cu
// Names: KERNEL and KERNEL_after.
// 1. Histogram of bytes with global atomics; after: one in shared memory for each block, then merged.
extern "C" __global__ void hist(const unsigned char *text, int n, unsigned *bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[text[i]], 1u);
}
extern "C" __global__ void hist_after(const unsigned char *text, int n, unsigned *bins)
{
    __shared__ unsigned s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[text[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&bins[i], s[i]);
}
// 2. Particles as an array of structures; after: a structure of arrays.
struct particle {
    float x, y, z, vx, vy, vz, mass, charge;
};
extern "C" __global__ void particles(particle *p, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += p[i].vx * dt;
        p[i].y += p[i].vy * dt;
        p[i].z += p[i].vz * dt;
    }
}
extern "C" __global__ void particles_after(float *x, float *y, float *z, const float *vx, const float *vy, const float *vz, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] += vx[i] * dt;
        y[i] += vy[i] * dt;
        z[i] += vz[i] * dt;
    }
}
// 3. Matrix times vector, a row a thread; after: a row a warp.
extern "C" __global__ void matvec(const float *a, const float *x, float *y, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int c = 0; c < columns; c++)
            sum += a[row * columns + c] * x[c];
        y[row] = sum;
    }
}
extern "C" __global__ void matvec_after(const float *a, const float *x, float *y, int rows, int columns)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row < rows) {
        float sum = 0;
        for (int c = lane; c < columns; c += 32)
            sum += a[row * columns + c] * x[c];
        for (int k = 16; k > 0; k /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, k);
        if (lane == 0)
            y[row] = sum;
    }
}
// 4. Dot product, an atomic a thread; after: one a block.
extern "C" __global__ void dot(const float *a, const float *b, int n, float *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum, a[i] * b[i]);
}
extern "C" __global__ void dot_after(const float *a, const float *b, int n, float *sum)
{
    __shared__ float s[32];
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += a[i] * b[i];
    for (int k = 16; k > 0; k /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, k);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < blockDim.x / 32; w++)
            mine += s[w];
        atomicAdd(sum, mine);
    }
}
// 5. Softmax of rows, a row a thread, three passes; after: a row a block.
extern "C" __global__ void softmax(const float *in, float *out, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float most = -1e30f, sum = 0;
    for (int c = 0; c < columns; c++)
        most = fmaxf(most, in[row * columns + c]);
    for (int c = 0; c < columns; c++)
        sum += expf(in[row * columns + c] - most);
    for (int c = 0; c < columns; c++)
        out[row * columns + c] = expf(in[row * columns + c] - most) / sum;
}
extern "C" __global__ void softmax_after(const float *in, float *out, int rows, int columns)
{
    __shared__ float s[32];
    const int row = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    float most = -1e30f, sum = 0;
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        most = fmaxf(most, in[row * columns + c]);
    for (int k = 16; k > 0; k /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, k));
    if (lane == 0)
        s[warp] = most;
    __syncthreads();
    for (int w = 0; w < warps; w++)
        most = fmaxf(most, s[w]);
    __syncthreads();
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        sum += expf(in[row * columns + c] - most);
    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, k);
    if (lane == 0)
        s[warp] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < warps; w++)
        sum += s[w];
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        out[row * columns + c] = expf(in[row * columns + c] - most) / sum;
}
// 6. Transposed copy with a pitch; after: through a tile.
extern "C" __global__ void turn(const float *in, float *out, int width, int height, int in_pitch, int out_pitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[x * out_pitch + y] = in[y * in_pitch + x];
}
extern "C" __global__ void turn_after(const float *in, float *out, int width, int height, int in_pitch, int out_pitch)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < width && y + k < height)
            tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * in_pitch + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < height && y + k < width)
            out[(y + k) * out_pitch + x] = tile[threadIdx.x][threadIdx.y + k];
}
// 7. A string sought at each byte; after: four positions a thread, from words.
extern "C" __global__ void search(const char *text, int n, const char *what, int length, int *found)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + length > n)
        return;
    bool is_there = true;
    for (int k = 0; k < length; k++)
        if (text[i + k] != what[k])
            is_there = false;
    if (is_there)
        atomicMin(found, i);
}
extern "C" __global__ void search_after(const unsigned *text, int n, const unsigned *what, int words, int *found)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 4 * words + 4 > n)
        return;
    unsigned low = text[i];
    bool is_there[4] = {true, true, true, true};
    for (int k = 0; k < words; k++) {
        unsigned high = text[i + k + 1], sought = what[k];
        for (int p = 0; p < 4; p++)
            is_there[p] = is_there[p] && __funnelshift_r(low, high, 8 * p) == sought;
        low = high;
    }
    for (int p = 0; p < 4; p++)
        if (is_there[p])
            atomicMin(found, 4 * i + p);
}
// 8. Convolution of 7x7, the filter from global memory, rows and columns bounded; after: the filter constant, the image in a tile.
extern "C" __global__ void convolve(const float *in, float *out, const float *filter, int width, int height, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0;
    for (int j = -radius; j <= radius; j++)
        for (int i = -radius; i <= radius; i++) {
            int u = x + i, v = y + j;
            if (u >= 0 && u < width && v >= 0 && v < height)
                sum += in[v * width + u] * filter[(j + radius) * (2 * radius + 1) + i + radius];
        }
    out[y * width + x] = sum;
}
__constant__ float taps[49];
extern "C" __global__ void convolve_after(const float *in, float *out, int width, int height)
{
    __shared__ float tile[38][38];
    const int left = blockIdx.x * 32 - 3, top = blockIdx.y * 32 - 3;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 38 * 38; k += 256) {
        int u = left + k % 38, v = top + k / 38;
        tile[k / 38][k % 38] = u >= 0 && u < width && v >= 0 && v < height ? in[v * width + u] : 0;
    }
    __syncthreads();
    float sum[4] = {0, 0, 0, 0};
    const int row = threadIdx.y * 4;
#pragma unroll
    for (int j = 0; j < 10; j++)
#pragma unroll
        for (int i = 0; i < 7; i++) {
            const float value = tile[row + j][threadIdx.x + i];
#pragma unroll
            for (int r = 0; r < 4; r++)
                if (j - r >= 0 && j - r < 7)
                    sum[r] += value * taps[(j - r) * 7 + i];
        }
    for (int r = 0; r < 4; r++)
        if (left + 3 + (int)threadIdx.x < width && top + 3 + row + r < height)
            out[(top + 3 + row + r) * width + left + 3 + threadIdx.x] = sum[r];
}
// 9. Prefix sum of an array by one block, a tile after the other; after: three kernels, of which the first and the last are many blocks.
__device__ float scan_block(float mine, float *s)
{
    s[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned k = 1; k < blockDim.x; k *= 2) {
        float left = threadIdx.x >= k ? s[threadIdx.x - k] : 0;
        __syncthreads();
        s[threadIdx.x] += left;
        __syncthreads();
    }
    return s[threadIdx.x];
}
extern "C" __global__ void prefix(const float *in, float *out, int n)
{
    __shared__ float s[1024];
    float before = 0;
    for (int start = 0; start < n; start += blockDim.x) {
        float sum = scan_block(in[start + threadIdx.x], s);
        out[start + threadIdx.x] = before + sum;
        before += s[blockDim.x - 1];
        __syncthreads();
    }
}
extern "C" __global__ void prefix_after(const float *in, float *out, float *sums)
{
    __shared__ float s[1024];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = scan_block(in[i], s);
    if (threadIdx.x == blockDim.x - 1)
        sums[blockIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void prefix_after_add(float *out, const float *sums)
{
    if (blockIdx.x)
        out[blockIdx.x * blockDim.x + threadIdx.x] += sums[blockIdx.x - 1];
}
// 10. Mandelbrot with literals of double precision; after: of single precision.
extern "C" __global__ void mandel(int *out, int width, int height, int most)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = x * 3.0 / width - 2.0, cy = y * 2.0 / height - 1.0, zx = 0, zy = 0;
    int k = 0;
    while (k < most && zx * zx + zy * zy < 4.0) {
        float t = zx * zx - zy * zy + cx;
        zy = 2.0 * zx * zy + cy;
        zx = t;
        k++;
    }
    out[y * width + x] = k;
}
extern "C" __global__ void mandel_after(int *out, int width, int height, int most)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = x * 3.0f / width - 2.0f, cy = y * 2.0f / height - 1.0f, zx = 0, zy = 0;
    int k = 0;
    while (k < most && zx * zx + zy * zy < 4.0f) {
        float t = zx * zx - zy * zy + cx;
        zy = 2.0f * zx * zy + cy;
        zx = t;
        k++;
    }
    out[y * width + x] = k;
}
// 11. Pixels of three bytes to grey, byte by byte; after: four pixels a thread, from words.
extern "C" __global__ void grey(const unsigned char *rgb, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8;
}
__device__ unsigned grey_of(unsigned r, unsigned g, unsigned b)
{
    return (77 * (r & 255) + 150 * (g & 255) + 29 * (b & 255)) >> 8;
}
extern "C" __global__ void grey_after(const unsigned *rgb, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned a = rgb[3 * i], b = rgb[3 * i + 1], c = rgb[3 * i + 2];
        out[i] = grey_of(a, a >> 8, a >> 16) | grey_of(a >> 24, b, b >> 8) << 8 | grey_of(b >> 16, b >> 24, c) << 16 |
                 grey_of(c >> 8, c >> 16, c >> 24) << 24;
    }
}
// 12. Product of matrices with rows along threadIdx.x; after: columns along threadIdx.x.
extern "C" __global__ void product(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
extern "C" __global__ void product_after(const float *a, const float *b, float *c, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
// Between convolve and convolve_after: the radius known; and the filter constant, too.
extern "C" __global__ void convolve_fixed(const float *in, float *out, const float *filter, int width, int height)
{
    const int radius = 3;
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0;
    for (int j = -radius; j <= radius; j++)
        for (int i = -radius; i <= radius; i++) {
            int u = x + i, v = y + j;
            if (u >= 0 && u < width && v >= 0 && v < height)
                sum += in[v * width + u] * filter[(j + radius) * (2 * radius + 1) + i + radius];
        }
    out[y * width + x] = sum;
}
extern "C" __global__ void convolve_constant(const float *in, float *out, int width, int height)
{
    const int radius = 3;
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0;
    for (int j = -radius; j <= radius; j++)
        for (int i = -radius; i <= radius; i++) {
            int u = x + i, v = y + j;
            if (u >= 0 && u < width && v >= 0 && v < height)
                sum += in[v * width + u] * taps[(j + radius) * (2 * radius + 1) + i + radius];
        }
    out[y * width + x] = sum;
}
