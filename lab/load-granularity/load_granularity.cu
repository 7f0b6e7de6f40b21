/* SPDX-License-Identifier: Apache-2.0
 *
 * load-granularity: what one load of a warp moves. 32 lanes ask for a 4-byte word each; the memory
 * answers in lines of 128 bytes (a load that caches, on the document's GPUs) or in segments of 32
 * (one that does not, or through the read-only path; since Volta all loads). Every version stores
 * its words in order, so that only the load differs; each word is read once, except in one_word.
 *
 *   version                      which words a warp asks for
 *   load_granularity_aligned     32 neighbours from a line's start: 1 line, 4 segments
 *   load_granularity_permuted    the same in another order: nothing changes
 *   load_granularity_misaligned  32 neighbours from one word later: 2 lines, 5 segments
 *   load_granularity_one_word    the same word for all: 1 line, 1 segment, 4 bytes of use
 *   load_granularity_scattered   a word in each of 32 lines that are nowhere near each other
 *   ..._uncached                 the same loads past the L1 (ld.global.cg) */

constexpr int lanes = 32;

struct aligned {
    static __device__ unsigned word(unsigned i, int)
    {
        return i;
    }
};

struct permuted {
    static __device__ unsigned word(unsigned i, int)
    {
        return i ^ 21;
    }
};

struct misaligned {
    static __device__ unsigned word(unsigned i, int)
    {
        return i + 1;
    }
};

struct one_word {
    static __device__ unsigned word(unsigned i, int)
    {
        return i / lanes * lanes;
    }
};

/* Neither step loses a bit, so that different lines stay different: a permutation of 2^bits
 * numbers. The multipliers are odd; that they are those of MurmurHash3's last step does not
 * matter. */
static __device__ unsigned shuffled(unsigned line, int bits)
{
    unsigned mask = (1u << bits) - 1;
    line = line * 0x85ebca6bu & mask;
    line ^= line >> (bits + 1) / 2;
    line = line * 0xc2b2ae35u & mask;
    return line ^ line >> (bits + 1) / 2;
}

/* Neighbouring threads take neighbouring numbers of lines, shuffled; which word of the line changes
 * when all lines have had their turn. */
struct scattered {
    static __device__ unsigned word(unsigned i, int bits)
    {
        unsigned line = shuffled(i & ((1u << bits) - 1), bits);
        return line * lanes + ((i >> bits) + line) % lanes;
    }
};

#define VERSION(pattern)                                                                           \
    extern "C" __global__ void load_granularity_##pattern(int bits, const unsigned *in,            \
                                                          unsigned *out)                           \
    {                                                                                              \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                        \
        out[i] = in[pattern::word(i, bits)];                                                       \
    }                                                                                              \
    extern "C" __global__ void load_granularity_##pattern##_uncached(int bits, const unsigned *in, \
                                                                     unsigned *out)                \
    {                                                                                              \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                        \
        out[i] = __ldcg(in + pattern::word(i, bits));                                              \
    }

VERSION(aligned)
VERSION(permuted)
VERSION(misaligned)
VERSION(one_word)
VERSION(scattered)
