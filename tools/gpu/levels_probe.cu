// SPDX-License-Identifier: Apache-2.0
// Blocks whose warps meet at a barrier after each level of a graph, in few or many of which a warp has something to do, for
// src/time/time_window.c and time_sm.c. Prints a line a launch: kernel, blocks, threads, what it walks, sources, cycles by clock64
// of the longest block, and rounds, each of which ends at a barrier.
//     nvcc -arch=sm_90 -O3 -w -o levels_probe levels_probe.cu
//     levels_probe; ncu --clock-control none --cache-control all --metrics gpu__time_duration.sum,... levels_probe
// What an H200 takes: tests/gpu/h200/levels.txt.
#include "cuda_check.h"

#include <climits>
#include <vector>

struct graph {
    int nodes, edges;
    const int *first, *to, *from; // first: of a node's edges
};
// What a block has for itself.
struct state {
    int *distance, *sum, *queue;
};
struct span {
    long long cycles;
    int rounds;
};

static __device__ state own(state all, graph g)
{
    const size_t at = (size_t)blockIdx.x * g.nodes;
    return {all.distance + at, all.sum + at, all.queue + at};
}

static __device__ void clear(graph g, state s, int source)
{
    for (int v = threadIdx.x; v < g.nodes; v += blockDim.x) {
        s.distance[v] = v == source ? 0 : INT_MAX;
        s.sum[v] = v == source;
    }
}

static __device__ void note(span *out, long long begin, int rounds)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = {clock64() - begin, rounds};
}

// Every level looks at all edges.
extern "C" __global__ void edges(graph g, state all, int sources, span *out)
{
    __shared__ int going;
    const state s = own(all, g);
    const long long begin = clock64();
    int rounds = 0;
    for (int source = 0; source < sources; source++) {
        clear(g, s, source);
        int depth = -1;
        do {
            __syncthreads();
            going = 0;
            depth++;
            rounds++;
            __syncthreads();
            for (int e = threadIdx.x; e < g.edges; e += blockDim.x) {
                const int v = g.from[e];
                if (s.distance[v] != depth)
                    continue;
                const int w = g.to[e];
                if (s.distance[w] == INT_MAX) {
                    s.distance[w] = depth + 1;
                    going = 1;
                }
                if (s.distance[w] == depth + 1)
                    atomicAdd(&s.sum[w], s.sum[v]);
            }
            __syncthreads();
        } while (going);
    }
    note(out, begin, rounds);
}

// Every level looks at the nodes that the one before has found, a thread each.
extern "C" __global__ void queue(graph g, state all, int sources, span *out)
{
    __shared__ int count;
    const state s = own(all, g);
    const long long begin = clock64();
    int rounds = 0;
    for (int source = 0; source < sources; source++) {
        clear(g, s, source);
        if (threadIdx.x == 0) {
            s.queue[0] = source;
            count = 1;
        }
        __syncthreads();
        int done = 0, known = 1;
        while (done < known) {
            for (int at = done + threadIdx.x; at < known; at += blockDim.x) {
                const int v = s.queue[at], next = s.distance[v] + 1;
                for (int e = g.first[v]; e < g.first[v + 1]; e++) {
                    const int w = g.to[e];
                    if (atomicCAS(&s.distance[w], INT_MAX, next) == INT_MAX)
                        s.queue[atomicAdd(&count, 1)] = w;
                    if (s.distance[w] == next)
                        atomicAdd(&s.sum[w], s.sum[v]);
                }
            }
            __syncthreads();
            done = known;
            known = count;
            rounds++;
            __syncthreads();
        }
    }
    note(out, begin, rounds);
}

// In each round one warp, or each second, waits for `steps` loads of a chain; the others go to the barrier at once.
extern "C" __global__ void turns(const int *chain, int trips, int steps, int apart, int *result, span *out)
{
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    int at = threadIdx.x;
    const long long begin = clock64();
    for (int r = 0; r < trips; r++) {
        if ((warp + r) % apart == 0)
            for (int i = 0; i < steps; i++)
                at = chain[at];
        __syncthreads();
    }
    if (at < 0)
        result[warp % warps] = at;
    note(out, begin, trips);
}

static unsigned chance(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

template <class T> static T *on_gpu(const std::vector<T> &of)
{
    T *at;
    CHECK(cudaMalloc(&at, of.size() * sizeof(T)));
    CHECK(cudaMemcpy(at, of.data(), of.size() * sizeof(T), cudaMemcpyHostToDevice));
    return at;
}

// Each node has `degree` edges, to any node (near 0) or to one of the next `near`.
static graph make(int nodes, int degree, int near)
{
    unsigned seed = 1;
    std::vector<int> first(nodes + 1), to, from;
    for (int v = 0; v < nodes; v++) {
        first[v] = v * degree;
        for (int i = 0; i < degree; i++) {
            from.push_back(v);
            to.push_back(near ? (v + 1 + chance(&seed) % near) % nodes : chance(&seed) % nodes);
        }
    }
    first[nodes] = nodes * degree;
    return {nodes, nodes * degree, on_gpu(first), on_gpu(to), on_gpu(from)};
}

static void tell(const char *kernel, int blocks, int threads, const char *what, int sources, const span *out)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<span> of(blocks);
    CHECK(cudaMemcpy(of.data(), out, blocks * sizeof(span), cudaMemcpyDeviceToHost));
    span most = of[0];
    for (const span &one : of)
        most = one.cycles > most.cycles ? one : most;
    printf("%s %d %d %s %d %lld %d\n", kernel, blocks, threads, what, sources, most.cycles, most.rounds);
}

static void walk(const char *what, graph g, int threads, int blocks, const int *sources)
{
    state s;
    span *out;
    const size_t words = (size_t)blocks * g.nodes;
    CHECK(cudaMalloc(&s.distance, 4 * words));
    CHECK(cudaMalloc(&s.sum, 4 * words));
    CHECK(cudaMalloc(&s.queue, 4 * words));
    CHECK(cudaMalloc(&out, blocks * sizeof(span)));
    for (; *sources; sources++) {
        edges<<<blocks, threads>>>(g, s, *sources, out);
        tell("edges", blocks, threads, what, *sources, out);
        queue<<<blocks, threads>>>(g, s, *sources, out);
        tell("queue", blocks, threads, what, *sources, out);
    }
    cudaFree(s.distance), cudaFree(s.sum), cudaFree(s.queue), cudaFree(out);
}

int main()
{
    static const int few[] = {1, 4, 16, 0}, more[] = {1, 16, 128, 0};
    const graph any = make(2000, 8, 0), near = make(2000, 8, 40), large = make(20000, 8, 0);
    walk("any", any, 1024, 1, more);
    walk("near", near, 1024, 1, few);
    walk("large", large, 1024, 1, few);
    walk("any", any, 256, 1, few);
    walk("any", any, 1024, 8, few);
    std::vector<int> next(1 << 16);
    unsigned seed = 7;
    for (int &n : next)
        n = chance(&seed) % (1 << 16);
    const int *chain = on_gpu(next);
    int *result;
    span *out;
    CHECK(cudaMalloc(&result, 4096));
    CHECK(cudaMalloc(&out, sizeof(span)));
    for (int trips : {64, 4096})
        for (int steps : {1, 8})
            for (int apart : {1, 2, 32}) {
                char what[32];
                snprintf(what, sizeof what, "%d_steps_apart_%d", steps, apart);
                turns<<<1, 1024>>>(chain, trips, steps, apart, result, out);
                tell("turns", 1, 1024, what, trips, out);
            }
}
