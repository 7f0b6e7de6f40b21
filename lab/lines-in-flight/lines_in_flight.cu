/* SPDX-License-Identifier: Apache-2.0
 *
 * lines-in-flight: to[i] = from[i], with words of 1 to 16 bytes and 1 to 8 of them a thread. A
 * memory is kept busy by what is asked of it and has not come yet: latency times bandwidth in
 * bytes. A warp has 32 * word * requests bytes out, an SM that many times its warps.
 *
 *   copy_WORD_REQUESTS   what it changes, and why
 *   copy_1_1 copy_2_1    a warp's request is 32 or 64 bytes: a line is asked for in pieces
 *   copy_4_1             one line a request: 64 warps have 64 lines out
 *   copy_8_1 copy_16_1   two or four lines a request, for the same instructions
 *   copy_..._2 _4 _8     that many words a thread, a block apart, all loaded before the first is
 *                        stored: as many lines more, for a little set-up shared by all
 *
 * The launch bounds promise one block of 1024 threads and so allow 64 registers: with fewer, the
 * compiler would take the eighth word only when the first has been stored.
 *
 * The words of a thread are loaded one by one only where the array ends. `words` counts words. */

template <int bytes> struct word;
template <> struct word<1> {
    typedef unsigned char type;
};
template <> struct word<2> {
    typedef unsigned short type;
};
template <> struct word<4> {
    typedef unsigned int type;
};
template <> struct word<8> {
    typedef uint2 type;
};
template <> struct word<16> {
    typedef uint4 type;
};

template <typename value, int requests>
__device__ __forceinline__ void copy(long words, const value *__restrict__ from,
                                     value *__restrict__ to)
{
    const long first = (long)blockIdx.x * blockDim.x * requests + threadIdx.x;
    const int step = blockDim.x;
    if (first + (requests - 1) * step < words) {
        value in_flight[requests];
#pragma unroll
        for (int k = 0; k < requests; k++)
            in_flight[k] = from[first + k * step];
#pragma unroll
        for (int k = 0; k < requests; k++)
            to[first + k * step] = in_flight[k];
    } else {
#pragma unroll 1
        for (long i = first; i < words; i += step)
            to[i] = from[i];
    }
}

#define KERNEL(bytes, requests)                                                                    \
    extern "C" __global__ void __launch_bounds__(1024, 1)                                          \
        copy_##bytes##_##requests(long words, const word<bytes>::type *__restrict__ from,          \
                                  word<bytes>::type *__restrict__ to)                              \
    {                                                                                              \
        copy<word<bytes>::type, requests>(words, from, to);                                        \
    }
#define WORD(bytes)                                                                                \
    KERNEL(bytes, 1)                                                                               \
    KERNEL(bytes, 2)                                                                               \
    KERNEL(bytes, 3)                                                                               \
    KERNEL(bytes, 4)                                                                               \
    KERNEL(bytes, 6)                                                                               \
    KERNEL(bytes, 8)

WORD(1)
WORD(2)
WORD(4)
WORD(8)
WORD(16)
