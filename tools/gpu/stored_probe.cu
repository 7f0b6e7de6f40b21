// SPDX-License-Identifier: Apache-2.0
// What the L1 has of sectors that were stored in part, for src/cache/: a block of 128 threads stores, and loads behind a barrier. Nsight
// Compute tells the sectors that the L1 was asked for by loads and those that it had:
//     l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum, l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
//     nvcc -arch=sm_90 -O3 -w -o stored_probe stored_probe.cu
// What an H200 counted: tests/gpu/h200/stored.txt.
#include <cstdint>
#include <cstdio>

#define K(name) extern "C" __global__ void name(unsigned *a, unsigned *o)
static __device__ unsigned ld(const void *p) { unsigned v; asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
static __device__ unsigned ld8(const void *p) { unsigned v; asm volatile("ld.global.u8 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
static __device__ unsigned ld64(const void *p) { unsigned long long v; asm volatile("ld.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory"); return (unsigned)(v ^ v >> 32); }
static __device__ unsigned ld128(const void *p) { unsigned a, b, c, d; asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p) : "memory"); return a ^ b ^ c ^ d; }
static __device__ void st(void *p, unsigned v) { asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); }
static __device__ void st8(void *p, unsigned v) { asm volatile("st.global.u8 [%0], %1;" :: "l"(p), "r"(v) : "memory"); }
static __device__ void st16(void *p, unsigned v) { asm volatile("st.global.u16 [%0], %1;" :: "l"(p), "h"((unsigned short)v) : "memory"); }
static __device__ void st128(void *p, unsigned v) { asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" :: "l"(p), "r"(v) : "memory"); }
#define T (threadIdx.x)
K(same_word)
{
    st(a + T * 8, T);
    __syncthreads();
    o[T] = ld(a + T * 8);
}

K(same_word_by_other)
{
    st(a + T * 8, T);
    __syncthreads();
    o[T] = ld(a + ((T + 40) & 127) * 8);
}

K(other_word)
{
    st(a + T * 8, T);
    __syncthreads();
    o[T] = ld(a + T * 8 + 1);
}

K(two_words)
{
    st(a + T * 8, T);
    __syncthreads();
    o[T] = ld64(a + T * 8);
}

K(two_stored_words)
{
    st(a + T * 8, T);
    st(a + T * 8 + 1, T);
    __syncthreads();
    o[T] = ld64(a + T * 8);
}

K(half_then_half)
{
    st128(a + T * 8, T);
    st128(a + T * 8 + 4, T);
    __syncthreads();
    o[T] = ld128(a + T * 8) + ld128(a + T * 8 + 4);
}

K(half_then_other_half)
{
    st128(a + T * 8, T);
    __syncthreads();
    o[T] = ld128(a + T * 8 + 4);
}

K(half_then_word)
{
    st128(a + T * 8, T);
    __syncthreads();
    o[T] = ld(a + T * 8 + 2);
}

K(byte_then_byte)
{
    st8(a + T * 8, T);
    __syncthreads();
    o[T] = ld8(a + T * 8);
}

K(byte_then_word)
{
    st8(a + T * 8, T);
    __syncthreads();
    o[T] = ld(a + T * 8);
}

K(halves_then_word)
{
    st16(a + T * 8, T);
    st16((char *)(a + T * 8) + 2, T);
    __syncthreads();
    o[T] = ld(a + T * 8);
}

K(other_then_same)
{
    st(a + T * 8, T);
    __syncthreads();
    unsigned v = ld(a + T * 8 + 1);
    __syncthreads();
    o[T] = v + ld(a + T * 8);
}

K(other_then_third)
{
    st(a + T * 8, T);
    __syncthreads();
    unsigned v = ld(a + T * 8 + 1);
    __syncthreads();
    o[T] = v + ld(a + T * 8 + 2);
}

K(load_store_load)
{
    unsigned v = ld(a + T * 8 + 3);
    __syncthreads();
    st(a + T * 8, v);
    __syncthreads();
    o[T] = ld(a + T * 8) + ld(a + T * 8 + 5);
}

K(mixed_request)
{
    if (T & 1) st(a + T * 4, T);
    __syncthreads();
    o[T] = ld(a + T * 4);
}

K(whole_by_lanes)
{
    st(a + T, T);
    __syncthreads();
    o[T] = ld(a + T);
}

K(whole_by_eight)
{
    for (int i = 0; i < 8; i++) st(a + T * 8 + i, T);
    __syncthreads();
    o[T] = ld(a + T * 8 + 3);
}

K(whole_by_eight_all)
{
    for (int i = 0; i < 8; i++) st(a + T * 8 + i, T);
    __syncthreads();
    unsigned v = 0;
    for (int i = 0; i < 8; i++) v += ld(a + ((T >> 5) * 256) + i * 32 + (T & 31));
    o[T] = v;
}

K(half_of_line)
{
    if (!(T & 16)) st(a + T, T);
    __syncthreads();
    o[T] = ld(a + T);
}

K(lanes_alternate)
{
    if (T & 1) st(a + T, T);
    __syncthreads();
    o[T] = ld(a + T);
}

K(lanes_alternate_odd)
{
    if (T & 1) st(a + T, T);
    __syncthreads();
    o[T] = ld(a + (T | 1));
}

K(atomic_then_load)
{
    atomicAdd(a + T * 8, T);
    __syncthreads();
    o[T] = ld(a + T * 8);
}

K(store_atomic_load)
{
    st(a + T * 8, T);
    __syncthreads();
    atomicAdd(a + T * 8, T);
    __syncthreads();
    o[T] = ld(a + T * 8);
}

K(store_atomic_other)
{
    st(a + T * 8, T);
    __syncthreads();
    atomicAdd(a + T * 8 + 1, T);
    __syncthreads();
    o[T] = ld(a + T * 8);
}

K(many_lines)
{
    for (int i = 0; i < 64; i++) st(a + i * 1024 + T * 8, T);
    __syncthreads();
    unsigned v = 0;
    for (int i = 0; i < 64; i++) v += ld(a + i * 1024 + T * 8);
    o[T] = v;
}

K(many_lines_other)
{
    for (int i = 0; i < 64; i++) st(a + i * 1024 + T * 8, T);
    __syncthreads();
    unsigned v = 0;
    for (int i = 0; i < 64; i++) v += ld(a + i * 1024 + T * 8 + 4);
    o[T] = v;
}

K(diagonal)
{
    for (int i = 0; i < 64; i++) { unsigned v = ld(a + T * 64 + i) ; st(a + T * 64 + i + 1, v); __syncthreads(); } o[T] = 1;
}

int main()
{
    unsigned *a, *o;
    cudaMalloc(&a, 1 << 22);
    cudaMalloc(&o, 1 << 16);
    cudaMemset(a, 0, 1 << 22);
    void (*const kernels[])(unsigned *, unsigned *) = {
        same_word, same_word_by_other, other_word, two_words,
        two_stored_words, half_then_half, half_then_other_half, half_then_word,
        byte_then_byte, byte_then_word, halves_then_word, other_then_same,
        other_then_third, load_store_load, mixed_request, whole_by_lanes,
        whole_by_eight, whole_by_eight_all, half_of_line, lanes_alternate,
        lanes_alternate_odd, atomic_then_load, store_atomic_load, store_atomic_other,
        many_lines, many_lines_other, diagonal};
    for (auto kernel : kernels)
        kernel<<<1, 128>>>(a, o);
    return cudaDeviceSynchronize();
}
