/* SPDX-License-Identifier: Apache-2.0
 *
 * bank-conflicts: the document's examples of shared memory accesses. A block fills a tile and then
 * reads it over and over, always in the same pattern; each time a little further on, so that no
 * read can be left out. 32 banks of 4 bytes; words of 8 bytes are served a half-warp at a time.
 *
 *   version                       which words a warp reads, and how often the read is issued
 *   bank_conflicts_consecutive    one word a bank, in order: once
 *   bank_conflicts_permuted       one word a bank, in another order: once
 *   bank_conflicts_same_word      four lanes a word, eight words: once, a word is handed to all
 *   bank_conflicts_two_way        every other word: two words in each of 16 banks, twice
 *   bank_conflicts_three_way      four lanes a bank, two of them on the same word: three times
 *   bank_conflicts_column         a column of 32 x 32 doubles: 16 words in one bank for each
 *                                 half-warp, 32 times where 2 would do
 *   bank_conflicts_column_padded  a row of 33 doubles: 2 */

constexpr int lanes = 32;
constexpr int tile_words = 33 * 32 * 2;

struct consecutive {
    static __device__ int word(int lane)
    {
        return lane;
    }
};

struct permuted {
    static __device__ int word(int lane)
    {
        return lane ^ 21;
    }
};

struct same_word {
    static __device__ int word(int lane)
    {
        return lane / 4;
    }
};

struct two_way {
    static __device__ int word(int lane)
    {
        return lane * 2;
    }
};

/* Eight banks; the rows of lanes 0 to 3 of each are 0, 0, 1, 2. */
struct three_way {
    static __device__ int word(int lane)
    {
        int row = lane % 4;
        return lane / 4 + lanes * (row > 0 ? row - 1 : 0);
    }
};

static __device__ __forceinline__ void fill(float *tile, const float *in)
{
    for (int i = threadIdx.x; i < tile_words; i += blockDim.x)
        tile[i] = in[i];
    __syncthreads();
}

/* One of 32 rows further on each time: all lanes in the banks that they were in. */
template <class pattern>
static __device__ __forceinline__ void read_words(int reads, const float *in, float *out)
{
    __shared__ float tile[tile_words];
    fill(tile, in);
    const float *at = tile + pattern::word(threadIdx.x % lanes);
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < reads; k++)
        sum += at[k % lanes * lanes];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* One column further on each time. The tile is read as doubles. */
template <int width>
static __device__ __forceinline__ void read_column(int reads, const float *in, float *out)
{
    __shared__ double tile[tile_words / 2];
    fill((float *)tile, in);
    const double *at = tile + threadIdx.x % lanes * width;
    double sum = 0;
#pragma unroll 8
    for (int k = 0; k < reads; k++)
        sum += at[k % lanes];
    out[blockIdx.x * blockDim.x + threadIdx.x] = (float)sum;
}

#define VERSION(name, read)                                                                        \
    extern "C" __global__ void bank_conflicts_##name(int reads, const float *in, float *out)       \
    {                                                                                              \
        read(reads, in, out);                                                                      \
    }

VERSION(consecutive, read_words<consecutive>)
VERSION(permuted, read_words<permuted>)
VERSION(same_word, read_words<same_word>)
VERSION(two_way, read_words<two_way>)
VERSION(three_way, read_words<three_way>)
VERSION(column, read_column<lanes>)
VERSION(column_padded, read_column<lanes + 1>)
