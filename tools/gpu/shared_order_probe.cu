// SPDX-License-Identifier: Apache-2.0
// What barriers, loads and stores of shared memory take of an SM, by how many blocks of how many warps it has: barriers alone, barriers with
// loads and stores, wavefronts of one bank, of 4, 8 and 16 bytes a lane, of several rows. For src/time/time_memory.c. Prints a line a case: name,
// blocks on the SM, warps of each, of which every so many-th works, cycles of the SM for one trip of all of them.
//     nvcc -arch=sm_90 -std=c++17 -O3 -w -o shared_order_probe shared_order_probe.cu
//     shared_order_probe [BEGINNING-OF-NAMES [ROUNDS]] > shared_order.txt
// Times that are predicted (inflight run --each) of 12 and of 4 rounds: what eight rounds of 16 trips take is their difference.
// What an H200 prints: tests/gpu/h200/shared_order.txt.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum { SMS = 132 };

struct spent {
    long long begin, end;
    unsigned sm;
};

// What a trip does: barriers, loads of so many bytes that are awaited together, stores of as many, which begin in one bank in sets of
// `WAYS` lanes; ROWS of lanes, each of which has one address.
template <int BARRIERS_, int LOADS_, int BYTES_, int STORES_, int WAYS_ = 1, int ROWS_ = 32, int PLAIN_ = 0, int PRODUCTS_ = 0>
struct trip {
    enum { BARRIERS = BARRIERS_, LOADS = LOADS_, BYTES = BYTES_, STORES = STORES_, WAYS = WAYS_, ROWS = ROWS_, PLAIN = PLAIN_, PRODUCTS = PRODUCTS_ };
};

template <int BYTES> static __device__ __forceinline__ unsigned load(unsigned at, int offset)
{
    unsigned v, w, x, y;
    if (BYTES == 4) {
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(at + offset));
        return v;
    }
    if (BYTES == 8) {
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v), "=r"(w) : "r"(at + offset));
        return v ^ w;
    }
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(w), "=r"(x), "=r"(y) : "r"(at + offset));
    return v ^ w ^ x ^ y;
}
template <int BYTES> static __device__ __forceinline__ void store(unsigned at, int offset, unsigned v)
{
    if (BYTES == 4)
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(at + offset), "r"(v));
    else if (BYTES == 8)
        asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(at + offset), "r"(v));
    else
        asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at + offset), "r"(v));
}

enum { TRIPS = 16, APART = 128, WORDS = (32 + 4) * APART / 4 };

// Its own place is not known to ptxas, which would load one address once.
template <class T> __device__ __forceinline__ unsigned go(unsigned own, unsigned plain, unsigned sum)
{
    unsigned got[T::LOADS + T::PLAIN + 1];
#pragma unroll
    for (int i = 0; i < T::LOADS; i++)
        got[i] = load<T::BYTES>(own, i * APART);
#pragma unroll
    for (int i = 0; i < T::PLAIN; i++)
        got[T::LOADS + i] = load<4>(plain, i * APART);
#pragma unroll
    for (int i = 0; i < T::LOADS + T::PLAIN; i++)
        sum += got[i]; // 0, but ptxas cannot know
#pragma unroll
    for (int i = 0; i < T::STORES; i++)
        store<T::BYTES>(own, i * APART, sum);
#pragma unroll
    for (int i = 0; i < T::BARRIERS; i++)
        asm volatile("bar.sync 0;" ::: "memory");
    return sum;
}

// Of the warps of a block only every so many-th does anything.
template <class T> __global__ void __launch_bounds__(1024) trips(spent *out, int rounds, int every)
{
    extern __shared__ unsigned words[];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = lane * T::ROWS / 32;
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
        words[i] = 0;
    __syncthreads();
    if (warp % every)
        return;
    const unsigned all = (unsigned)__cvta_generic_to_shared(words), plain = all + lane * 4,
                   own = all + (T::WAYS > 1 ? row % T::WAYS * APART + row / T::WAYS * T::BYTES : row * T::BYTES);
    unsigned sum = 0;
    float product[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const long long begin = clock64();
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int t = 0; t < TRIPS; t++) {
            sum = go<T>(own + sum, plain + sum, sum);
#pragma unroll
            for (int k = 0; k < T::PRODUCTS; k++)
                asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(product[k]));
        }
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (lane == 0)
        out[blockIdx.x * 32 + warp] = {begin, clock64(), sm};
    for (int k = 0; k < T::PRODUCTS; k++)
        sum += product[k] == 0x12345;
    if (sum)
        out[0].begin = sum;
}

static spent *out;
static const char *only = ""; // what the names of the cases begin with
static int rounds = 100;

// Cycles from the first warp's begin to the last one's end on SM 0.
template <class T> static void probe_shape(const char *name, int blocks, int warps, int every)
{
    cudaFuncSetAttribute(trips<T>, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
    cudaMemset(out, 0, SMS * 32 * 32 * sizeof *out);
    trips<T><<<SMS * blocks, warps * 32, WORDS * 4>>>(out, rounds, every);
    std::vector<spent> all(SMS * blocks * 32);
    if (cudaMemcpy(all.data(), out, all.size() * sizeof *out, cudaMemcpyDeviceToHost)) {
        printf("%s: %s\n", name, cudaGetErrorString(cudaGetLastError()));
        exit(1);
    }
    long long begin = 0, end = 0;
    for (const spent &one : all)
        if (one.end && one.sm == 0) {
            begin = begin && begin < one.begin ? begin : one.begin;
            end = end > one.end ? end : one.end;
        }
    printf("%-20s %2d %2d %d %8.2f\n", name, blocks, warps, every, (double)(end - begin) / rounds / TRIPS);
}

template <class T> static void probe(const char *name)
{
    static const struct {
        int blocks, warps, every;
    } shapes[] = {{1, 1, 1}, {1, 2, 1}, {1, 4, 1}, {1, 8, 1}, {1, 16, 1}, {1, 32, 1}, {1, 8, 4}, {1, 16, 4}, {1, 32, 4}, {1, 16, 2}, {2, 1, 1},
                  {4, 1, 1}, {8, 1, 1}, {16, 1, 1}, {32, 1, 1}, {2, 2, 1}, {4, 2, 1}, {8, 2, 1}, {16, 2, 1}, {32, 2, 1}, {4, 4, 1}, {8, 4, 1},
                  {16, 4, 1}, {4, 8, 1}, {8, 8, 1}, {4, 16, 1}, {2, 32, 1}};
    for (const auto &s : shapes)
        if (strncmp(name, only, strlen(only)) == 0)
            probe_shape<T>(name, s.blocks, s.warps, s.every);
}

int main(int arguments, char **argument)
{
    if (arguments > 1)
        only = argument[1];
    if (arguments > 2)
        rounds = atoi(argument[2]);
    cudaMalloc(&out, SMS * 32 * 32 * sizeof *out);
    probe<trip<0, 0, 4, 0, 1, 32, 0, 8>>("products");
    // barriers, loads, bytes of a lane, stores, ways, rows, plain loads
    probe<trip<1, 0, 4, 0>>("barrier");
    probe<trip<1, 1, 4, 0>>("barrier_load");
    probe<trip<1, 4, 4, 0>>("barrier_loads");
    probe<trip<2, 3, 4, 1>>("barriers_loads_store");
    probe<trip<0, 1, 4, 0>>("load");
    probe<trip<0, 4, 4, 0>>("loads");
    probe<trip<0, 4, 8, 0>>("loads_8");
    probe<trip<0, 4, 16, 0>>("loads_16");
    probe<trip<0, 4, 4, 0, 1, 1>>("loads_one");
    probe<trip<0, 4, 8, 0, 1, 1>>("loads_8_one");
    probe<trip<0, 4, 16, 0, 1, 1>>("loads_16_one");
    probe<trip<0, 4, 16, 0, 1, 2>>("loads_16_2_rows");
    probe<trip<0, 4, 16, 0, 1, 4>>("loads_16_4_rows");
    probe<trip<0, 4, 16, 0, 1, 16>>("loads_16_16_rows");
    probe<trip<0, 0, 4, 4>>("stores");
    probe<trip<0, 0, 8, 4>>("stores_8");
    probe<trip<0, 0, 16, 4>>("stores_16");
    probe<trip<0, 1, 4, 1>>("load_store");
    probe<trip<0, 4, 4, 0, 2>>("loads_2_ways");
    probe<trip<0, 4, 4, 0, 3>>("loads_3_ways");
    probe<trip<0, 4, 4, 0, 4>>("loads_4_ways");
    probe<trip<0, 4, 4, 0, 8>>("loads_8_ways");
    probe<trip<0, 1, 4, 0, 32>>("load_32_ways");
    probe<trip<0, 4, 4, 0, 32>>("loads_32_ways");
    probe<trip<0, 1, 4, 0, 8>>("load_8_ways");
    probe<trip<0, 0, 4, 4, 2>>("stores_2_ways");
    probe<trip<0, 0, 4, 4, 4>>("stores_4_ways");
    probe<trip<0, 0, 4, 1, 32>>("store_32_ways");
    probe<trip<0, 3, 4, 1, 32>>("loads_store_32_ways");
    probe<trip<0, 2, 4, 0, 4, 32, 2>>("loads_4_ways_plain");
    probe<trip<0, 1, 4, 0, 8, 32, 7>>("load_8_ways_plain");
    probe<trip<0, 1, 4, 0, 32, 32, 3>>("load_32_ways_plain");
    probe<trip<0, 2, 16, 0, 1, 32, 2>>("loads_16_plain");
    probe<trip<0, 1, 16, 0, 1, 2, 4>>("load_16_2_rows_plain");
    probe<trip<1, 0, 4, 1>>("barrier_store");
    probe<trip<1, 0, 4, 1, 8>>("barrier_store_8");
    probe<trip<1, 0, 4, 1, 32>>("barrier_store_32");
    probe<trip<1, 1, 4, 0, 8>>("barrier_load_8");
    probe<trip<1, 3, 4, 1, 8>>("barrier_all_8");
    probe<trip<1, 3, 4, 1, 32>>("barrier_all_32");
    probe<trip<1, 4, 16, 0>>("barrier_loads_16");
    probe<trip<1, 0, 4, 0, 1, 32, 0, 8>>("barrier_products");
    probe<trip<0, 2, 4, 0, 1, 32, 0, 8>>("loads_products");
    probe<trip<0, 2, 16, 0, 1, 32, 0, 8>>("loads_16_products");
}
