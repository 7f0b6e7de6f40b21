// SPDX-License-Identifier: Apache-2.0
// What branches, and the places where their lanes meet again, take of a warp: an if of all lanes, of some and of none, with an else, in
// another, in a loop that lanes leave one after the other; a call; a switch. For src/time/time_sm.c. Prints a line a case: name, lanes that
// take the branch, warps of the SM, cycles of an SM for one trip of all its warps.
//     nvcc -arch=sm_90 -std=c++17 -O3 -w -o join_probe join_probe.cu
//     join_probe [ROUNDS] > joins.txt
// Times that are predicted (inflight run --each) of 36 and of 4 rounds: what 32 rounds of 8 trips take is their difference.
// What an H200 prints: tests/gpu/h200/joins.txt.
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { SMS = 132, TRIPS = 8 };

// A chain that takes 4 cycles an instruction and that ptxas does not make conditional.
template <int N> static __device__ __forceinline__ void work(float &x)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
}
static __device__ __noinline__ float called(float x)
{
    work<4>(x);
    return x;
}

struct plain {
    static __device__ void trip(float &x, int, int, const int *) { work<16>(x); }
};
struct if_one {
    static __device__ void trip(float &x, int lane, int lanes, const int *)
    {
        if (lane < lanes)
            work<12>(x);
        work<4>(x);
    }
};
struct if_else {
    static __device__ void trip(float &x, int lane, int lanes, const int *)
    {
        if (lane < lanes)
            work<12>(x);
        else
            work<14>(x);
        work<4>(x);
    }
};
struct if_twice {
    static __device__ void trip(float &x, int lane, int lanes, const int *)
    {
        if (lane < lanes) {
            work<8>(x);
            if (lane % 2 < lanes)
                work<9>(x);
            work<2>(x);
        }
        work<4>(x);
    }
};
struct if_loads {
    static __device__ void trip(float &x, int lane, int lanes, const int *words)
    {
        if (lane < lanes) {
            x += words[lane];
            work<9>(x);
        }
        work<4>(x);
    }
};
struct loop_of_lanes { // lane l goes round l % lanes + 1 times
    static __device__ void trip(float &x, int lane, int lanes, const int *)
    {
#pragma unroll 1
        for (int i = lane % lanes; i >= 0; i--)
            work<4>(x);
        work<4>(x);
    }
};
struct loop_of_warp {
    static __device__ void trip(float &x, int, int lanes, const int *)
    {
#pragma unroll 1
        for (int i = 0; i < lanes; i++)
            work<4>(x);
        work<4>(x);
    }
};
struct call_one {
    static __device__ void trip(float &x, int, int, const int *)
    {
        x = called(x);
        work<4>(x);
    }
};
struct call_some {
    static __device__ void trip(float &x, int lane, int lanes, const int *)
    {
        if (lane < lanes)
            x = called(x);
        work<4>(x);
    }
};
struct division { // its slow path is a call, which is not taken
    static __device__ void trip(float &x, int, int lanes, const int *)
    {
        x = (float)lanes / x;
        work<4>(x);
    }
};
struct cases {
    static __device__ void trip(float &x, int lane, int lanes, const int *words)
    {
        switch (lane % lanes) {
        case 0: work<5>(x); break;
        case 1: work<6>(x); x += words[1]; break;
        case 2: work<7>(x); x += words[2]; break;
        case 3: work<8>(x); x += words[3]; break;
        case 4: work<9>(x); x += words[4]; break;
        case 5: work<10>(x); x += words[5]; break;
        default: work<11>(x); x += words[6];
        }
        work<4>(x);
    }
};

// words[32] has a bit for each lane, which the compiler does not know; nor does it know that all lanes go round these loops as often.
struct sync_mask {
    static __device__ void trip(float &x, int lane, int lanes, const int *words)
    {
        const int mask = words[32];
#pragma unroll 1
        for (int i = words[lane] / 32; i < lanes; i++) {
            __syncwarp(mask);
            work<4>(x);
        }
    }
};
struct shuffle_mask {
    static __device__ void trip(float &x, int lane, int lanes, const int *words)
    {
        const int mask = words[32];
#pragma unroll 1
        for (int i = words[lane] / 32; i < lanes; i++) {
            x += __shfl_xor_sync(mask, x, 1);
            work<4>(x);
        }
    }
};
struct sync_all {
    static __device__ void trip(float &x, int lane, int lanes, const int *words)
    {
#pragma unroll 1
        for (int i = words[lane] / 32; i < lanes; i++) {
            __syncwarp();
            work<4>(x);
        }
    }
};
// Masks of `lanes` neighbours each.
struct sync_tiles {
    static __device__ void trip(float &x, int lane, int lanes, const int *words)
    {
        const unsigned mask = 0xffffffffu >> (32 - lanes) << lane / lanes * lanes;
#pragma unroll 1
        for (int i = words[lane] / 32; i < 1; i++) {
            __syncwarp(mask);
            work<4>(x);
        }
    }
};
struct shuffle_tiles {
    static __device__ void trip(float &x, int lane, int lanes, const int *words)
    {
        const unsigned mask = 0xffffffffu >> (32 - lanes) << lane / lanes * lanes;
#pragma unroll 1
        for (int i = words[lane] / 32; i < 1; i++) {
            x += __shfl_xor_sync(mask, x, 1);
            work<4>(x);
        }
    }
};
struct tiles_in_row { // as cooperative groups write it, where the compiler knows that all lanes are there
    static __device__ void trip(float &x, int lane, int lanes, const int *)
    {
        const unsigned mask = 0xffffffffu >> (32 - lanes) << lane / lanes * lanes;
        x += __shfl_xor_sync(mask, x, 1);
        work<4>(x);
    }
};
struct vote_tiles {
    static __device__ void trip(float &x, int lane, int lanes, const int *words)
    {
        const unsigned mask = 0xffffffffu >> (32 - lanes) << lane / lanes * lanes;
#pragma unroll 1
        for (int i = words[lane] / 32; i < 1; i++) {
            x += __ballot_sync(mask, x > i);
            work<4>(x);
        }
    }
};
struct shuffle_parted {
    static __device__ void trip(float &x, int lane, int lanes, const int *words)
    {
#pragma unroll 1
        for (int i = words[lane] / 32; i < lanes; i++) {
            x += __shfl_xor_sync(0xffffffff, x, 1);
            work<4>(x);
        }
    }
};
struct vote_parted {
    static __device__ void trip(float &x, int lane, int lanes, const int *words)
    {
#pragma unroll 1
        for (int i = words[lane] / 32; i < lanes; i++) {
            x += __ballot_sync(0xffffffff, x > i);
            work<4>(x);
        }
    }
};
struct reduce_parted {
    static __device__ void trip(float &x, int lane, int lanes, const int *words)
    {
#pragma unroll 1
        for (int i = words[lane] / 32; i < lanes; i++) {
            x += __reduce_add_sync(0xffffffff, (int)x);
            work<4>(x);
        }
    }
};
struct barrier_parted {
    static __device__ void trip(float &x, int lane, int lanes, const int *words)
    {
#pragma unroll 1
        for (int i = words[lane] / 32; i < lanes; i++) {
            work<4>(x);
            __syncthreads();
        }
    }
};

struct spent {
    long long begin, end;
    unsigned sm;
};

template <class T> __global__ void __launch_bounds__(1024) trips(spent *out, int rounds, int lanes, float *sink)
{
    __shared__ int words[33];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32)
        words[lane] = lane;
    if (threadIdx.x == 0)
        words[32] = -1;
    __syncthreads();
    float x = 1.0f + lane;
    const long long begin = clock64();
#pragma unroll 1
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int t = 0; t < TRIPS; t++)
            T::trip(x, lane, lanes, words);
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (lane == 0)
        out[blockIdx.x * 32 + threadIdx.x / 32] = {begin, clock64(), sm};
    if (x == 0.12345f)
        *sink = x;
}

static spent *out;
static float *sink;
static int rounds = 200;

template <class T> static void probe(const char *name, std::vector<int> lanes)
{
    for (int some : lanes)
        for (int warps : {1, 4, 8, 16, 32}) {
            cudaMemset(out, 0, SMS * 32 * sizeof *out);
            trips<T><<<SMS, warps * 32>>>(out, rounds, some, sink);
            std::vector<spent> all(SMS * 32);
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
            printf("%-14s %2d %2d %8.2f\n", name, some, warps, (double)(end - begin) / rounds / TRIPS);
        }
}

int main(int arguments, char **argument)
{
    if (arguments > 1)
        rounds = atoi(argument[1]);
    cudaMalloc(&out, SMS * 32 * sizeof *out);
    cudaMalloc(&sink, 4);
    probe<plain>("plain", {32});
    probe<if_one>("if_one", {0, 1, 16, 32});
    probe<if_else>("if_else", {0, 16, 32});
    probe<if_twice>("if_twice", {0, 1, 16, 32});
    probe<if_loads>("if_loads", {0, 16, 32});
    probe<loop_of_lanes>("loop_of_lanes", {1, 2, 4, 16});
    probe<loop_of_warp>("loop_of_warp", {1, 4, 16});
    probe<call_one>("call_one", {32});
    probe<call_some>("call_some", {0, 16, 32});
    probe<division>("division", {32});
    probe<cases>("cases", {1, 2, 4, 7});
    probe<sync_mask>("sync_mask", {1, 8});
    probe<sync_tiles>("sync_tiles", {2, 4, 8, 16, 32});
    probe<shuffle_tiles>("shuffle_tiles", {2, 4, 8, 16, 32});
    probe<tiles_in_row>("tiles_in_row", {4, 32});
    probe<vote_tiles>("vote_tiles", {4, 32});
    probe<sync_all>("sync_all", {1, 8});
    probe<shuffle_mask>("shuffle_mask", {1, 8});
    probe<shuffle_parted>("shuffle_parted", {1, 8});
    probe<vote_parted>("vote_parted", {1, 8});
    probe<reduce_parted>("reduce_parted", {1, 8});
    probe<barrier_parted>("barrier_parted", {1, 8});
}
