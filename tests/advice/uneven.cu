// SPDX-License-Identifier: Apache-2.0
// Kernels of cases.txt: strings of different lengths, sums down the columns of a matrix, a wide
// stencil, records of bytes by way of shared memory.
//     nvcc -ptx -lineinfo -arch=sm_90 uneven.cu, its .file without folders, then
//     ptxas --generate-line-info -arch=sm_90 -o uneven.sm_90.cubin uneven.ptx

// String i begins somewhere in its 64 bytes and ends where the next begins.
static __device__ int begin_of(int i)
{
    return 64 * i + (int)((unsigned)i * 2654435761u >> 26);
}

extern "C" __global__ void hash_strings(const unsigned char *text, unsigned *hash, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned h = 5381;
    for (int k = begin_of(i), end = begin_of(i + 1); k < end; k++)
        h = h * 33 + text[k];
    hash[i] = h;
}

// A column a block: what is adjacent belongs to other blocks.
extern "C" __global__ void sum_columns(const float *x, float *sum, int rows, int columns)
{
    __shared__ float part[256];
    float s = 0;
    for (int i = threadIdx.x; i < rows; i += blockDim.x)
        s += x[(size_t)i * columns + blockIdx.x];
    part[threadIdx.x] = s;
    __syncthreads();
    for (int k = blockDim.x / 2; k; k /= 2) {
        if (threadIdx.x < k)
            part[threadIdx.x] += part[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sum[blockIdx.x] = part[0];
}

static __device__ float weight(int k)
{
    return 1.0f / (1 + (k < 0 ? -k : k));
}

extern "C" __global__ void stencil_wide(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 8 || i >= n - 8)
        return;
    float s = 0;
#pragma unroll
    for (int k = -8; k <= 8; k++)
        s += in[i + k] * weight(k);
    out[i] = s;
}

// Four results of a thread, from words of 16 bytes.
extern "C" __global__ void stencil_four(const float *in, float *out, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i < 8 || i >= n - 12)
        return;
    float v[20], r[4];
#pragma unroll
    for (int k = 0; k < 5; k++)
        *(float4 *)(v + 4 * k) = *(const float4 *)(in + i - 8 + 4 * k);
#pragma unroll
    for (int j = 0; j < 4; j++) {
        r[j] = 0;
#pragma unroll
        for (int k = -8; k <= 8; k++)
            r[j] += v[8 + k + j] * weight(k);
    }
    *(float4 *)(out + i) = *(float4 *)r;
}

// Records of 12 bytes; a warp stores twice, after all of its loads.
extern "C" __global__ void unpack(const unsigned *raw, unsigned *value, unsigned short *tag)
{
    __shared__ unsigned word[3 * 256];
    for (int k = threadIdx.x; k < 3 * 256; k += blockDim.x)
        word[k] = raw[blockIdx.x * 3 * 256 + k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned char *p = (const unsigned char *)word + threadIdx.x * 12;
    value[i] = p[1] | p[2] << 8 | p[3] << 16 | (unsigned)p[4] << 24;
    tag[i] = p[5] | p[6] << 8;
}
