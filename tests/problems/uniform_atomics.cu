/* SPDX-License-Identifier: Apache-2.0
 * Atomics of a whole warp on one word, of which ptxas makes one for the warp in some of these forms: by the operation, the
 * type, whether the old value is wanted, whether all lanes bring the same number, and what it knows of the address.
 * All kernels take (sum, old, values, n). */
#define KERNEL(name, type, ...)                                                                               \
    extern "C" __global__ void name(type *sum, type *old, const type *values, type n) { __VA_ARGS__; \
    }
#define OWN values[threadIdx.x]
#define KEPT old[threadIdx.x] =

typedef unsigned long long wide;
struct pair { int first, second; };
__device__ int total;

KERNEL(add_one, int, atomicAdd(sum, 1))
KERNEL(add_one_kept, int, KEPT atomicAdd(sum, 1))
KERNEL(add_number, int, atomicAdd(sum, n))
KERNEL(add_number_kept, int, KEPT atomicAdd(sum, n))
KERNEL(add_own, int, atomicAdd(sum, OWN))
KERNEL(add_own_kept, int, KEPT atomicAdd(sum, OWN))
KERNEL(subtract, int, atomicSub(sum, 1))
KERNEL(max_own, int, atomicMax(sum, OWN))
KERNEL(max_own_kept, int, KEPT atomicMax(sum, OWN))
KERNEL(min_number, int, atomicMin(sum, n))
KERNEL(and_own, int, atomicAnd(sum, OWN))
KERNEL(or_own, int, atomicOr(sum, OWN))
KERNEL(or_number_kept, int, KEPT atomicOr(sum, n))
KERNEL(xor_own, int, atomicXor(sum, OWN))
KERNEL(exchange, int, atomicExch(sum, n))
KERNEL(swap, int, atomicCAS(sum, 0, n))
KERNEL(count_up, unsigned, atomicInc(sum, 1000))
KERNEL(count_on, unsigned, atomicInc(sum, 0xffffffff))
KERNEL(add_wide, wide, atomicAdd(sum, n))
KERNEL(add_wide_kept, wide, KEPT atomicAdd(sum, n))
KERNEL(add_wide_own, wide, atomicAdd(sum, OWN))
KERNEL(max_wide, wide, atomicMax(sum, n))
KERNEL(add_float, float, atomicAdd(sum, n))
KERNEL(add_double, double, atomicAdd(sum, n))

KERNEL(of_block, int, atomicAdd(sum + blockIdx.x, OWN))
KERNEL(of_warp, int, atomicAdd(sum + threadIdx.x / 32, 1))
KERNEL(of_variable, int, atomicAdd(&total, 1))
KERNEL(of_member, int, atomicAdd(&((pair *)sum)->second, 1))
KERNEL(of_index, int, atomicAdd(sum + values[blockIdx.x], 1))
KERNEL(of_choice, int, atomicAdd(n > 1 ? sum : old, 1))
KERNEL(of_lanes_choice, int, atomicAdd(threadIdx.x > 9 ? sum : old, 1))
KERNEL(of_shuffled, int, atomicAdd(sum + __shfl_sync(__activemask(), threadIdx.x / 32, 0), 1))
KERNEL(of_shuffled_half, int, atomicAdd(sum + __shfl_sync(__activemask(), threadIdx.x / 32, 0, 16), 1))
KERNEL(of_shuffled_n, int, atomicAdd(sum + __shfl_sync(__activemask(), OWN, n), 1))
KERNEL(of_vote, int, atomicAdd(sum + __any_sync(__activemask(), OWN == n), 1))
KERNEL(of_ballot, int, atomicAdd(sum + (__ballot_sync(__activemask(), OWN == n) & 7), 1))
KERNEL(in_branch, int, if (OWN & 1) atomicAdd(sum, 1))
KERNEL(in_branches, int, if (OWN & 1) atomicAdd(sum, 1); else atomicAdd(sum + 1, 1))
KERNEL(behind_branch, int, int *to = sum; if (OWN & 1) { to = old; KEPT 3; } atomicAdd(to, 1))
KERNEL(in_loop, int, for (int i = 0; i < n; i++) atomicAdd(sum + i, 1))
KERNEL(in_lanes_loop, int, for (int i = 0; i < OWN; i++) atomicAdd(sum + i, 1))
KERNEL(of_first, int, if (threadIdx.x == 0) atomicAdd(sum, 1))

#define SHARED(name, type, ...)                                                                               \
    KERNEL(name, type, __shared__ type s[64]; s[threadIdx.x] = 0; __syncthreads(); __VA_ARGS__; __syncthreads(); \
           sum[threadIdx.x] = s[threadIdx.x])
SHARED(shared_one, int, atomicAdd(s, 1))
SHARED(shared_one_kept, int, KEPT atomicAdd(s, 1))
SHARED(shared_five, int, atomicAdd(s, 5))
SHARED(shared_own, int, atomicAdd(s, OWN))
SHARED(shared_max, int, atomicMax(s, OWN))
SHARED(shared_max_kept, int, KEPT atomicMax(s, OWN))
SHARED(shared_counts, int, atomicAdd(s + (OWN & 7), 1))
SHARED(shared_counts_kept, int, KEPT atomicAdd(s + (OWN & 7), 1))
SHARED(shared_counts_5, int, atomicAdd(s + (OWN & 7), 5))
