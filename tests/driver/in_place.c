/* SPDX-License-Identifier: Apache-2.0
 * The launches of tools/gpu/host_probe.cu, in its order: kernels that use memory of the host in place.
 * usage: in_place CUBIN      (of host_probe.cu) */
#include "cu.h"

enum { WORDS = 1 << 24, MOST = 1 << 20 };

typedef enum kernel { CHAIN, ROW, ROWS, SAME, COPY, FILL, ADD } kernel;

static const char *const names[] = {
    [CHAIN] = "_Z5chainPKiiiPi", [ROW] = "_Z4rowsILi1EEvPKiiPi", [ROWS] = "_Z4rowsILi8EEvPKiiPi",
    [SAME] = "_Z4samePKiiPi",    [COPY] = "_Z4copyPK4int4PS_",   [FILL] = "_Z4fillPii",
    [ADD] = "_Z3addPii",
};

/* Whose memory a copy is between. */
enum { HOST, OTHER_HOST, GPU, MEMORIES };

static const struct {
    kernel kernel;
    unsigned blocks, threads;
    int first,
        second; /* of a chain steps and rounds; of a copy from and to; else words apart, or loads */
} launches[] = {
    {CHAIN, 1, 32, 1, 1},
    {CHAIN, 1, 32, 1, 4},
    {CHAIN, 1, 32, 2, 1},
    {CHAIN, 1, 32, 2, 4},
    {CHAIN, 1, 32, 4, 1},
    {CHAIN, 1, 32, 4, 4},
    {CHAIN, 1, 32, 16, 1},
    {CHAIN, 1, 32, 16, 4},
    {ROW, 1, 32, 1, 0},
    {ROWS, 1, 32, 1, 0},
    {ROW, 1, 32, 32, 0},
    {ROW, 1, 256, 1, 0},
    {ROWS, 1, 256, 1, 0},
    {ROW, 1, 256, 32, 0},
    {ROW, 1, 1024, 1, 0},
    {ROWS, 1, 1024, 1, 0},
    {ROW, 1, 1024, 32, 0},
    {ROW, 16, 256, 1, 0},
    {ROW, 132, 256, 1, 0},
    {ROW, 1056, 256, 1, 0},
    {ROW, 8448, 256, 1, 0},
    {ROW, 65536, 256, 1, 0},
    {ROWS, 132, 256, 1, 0},
    {ROWS, 1056, 256, 1, 0},
    {ROWS, 8192, 256, 1, 0},
    {ROW, 132, 256, 8, 0},
    {ROW, 132, 256, 32, 0},
    {ROW, 1056, 256, 32, 0},
    {SAME, 1, 256, 1, 0},
    {SAME, 1, 256, 16, 0},
    {SAME, 132, 256, 1, 0},
    {SAME, 132, 256, 16, 0},
    {COPY, 1, 256, HOST, GPU},
    {COPY, 1, 256, GPU, HOST},
    {COPY, 1, 256, HOST, OTHER_HOST},
    {COPY, 132, 256, HOST, GPU},
    {COPY, 132, 256, GPU, HOST},
    {COPY, 132, 256, HOST, OTHER_HOST},
    {COPY, 1056, 256, HOST, GPU},
    {COPY, 1056, 256, GPU, HOST},
    {COPY, 1056, 256, HOST, OTHER_HOST},
    {COPY, 8192, 256, HOST, GPU},
    {COPY, 8192, 256, GPU, HOST},
    {COPY, 8192, 256, HOST, OTHER_HOST},
    {FILL, 1, 256, 1, 0},
    {FILL, 132, 256, 1, 0},
    {FILL, 1056, 256, 1, 0},
    {FILL, 65536, 256, 1, 0},
    {FILL, 1, 32, 32, 0},
    {FILL, 132, 256, 32, 0},
    {ADD, 1, 256, 1, 0},
    {ADD, 132, 256, 1, 0},
    {ADD, 1, 32, 0, 0},
};

static void launch(size_t i, void *const *functions, address *memory, address *sink)
{
    int first = launches[i].first, second = launches[i].second;
    const kernel which = launches[i].kernel;
    void *of_chain[] = {&memory[HOST], &first, &second, sink},
         *of_rows[] = {&memory[HOST], &first, sink},
         *of_copy[] = {&memory[first % MEMORIES], &memory[second % MEMORIES]},
         *of_fill[] = {&memory[HOST], &first};
    void **arguments = which == CHAIN  ? of_chain
                       : which == COPY ? of_copy
                       : which >= FILL ? of_fill
                                       : of_rows;
    OK(cuLaunchKernel(functions[which], launches[i].blocks, 1, 1, launches[i].threads, 1, 1, 0,
                      NULL, arguments, NULL));
}

/* One is allocated as page-locked, and one made so. */
static void make_memory(address *memory)
{
    const size_t bytes = (size_t)WORDS * sizeof(int);
    void *host, *other = aligned_alloc(4096, bytes);
    if (!other)
        exit(2);
    memset(other, 0, bytes);
    OK(cuMemHostAlloc(&host, bytes, 0));
    OK(cuMemHostRegister_v2(other, bytes, 0));
    memory[HOST] = (address)host;
    memory[OTHER_HOST] = (address)other;
    OK(cuMemAlloc_v2(&memory[GPU], bytes));
}

int main(int argc, char **argv)
{
    static char bytes[MOST];
    void *context, *module, *functions[ADD + 1];
    address memory[MEMORIES], sink;
    (void)kernels;
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file || !fread(bytes, 1, sizeof bytes, file))
        return 2;
    fclose(file);
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuModuleLoadData(&module, bytes));
    for (int k = 0; k <= ADD; k++)
        OK(cuModuleGetFunction(&functions[k], module, names[k]));
    make_memory(memory);
    OK(cuMemAlloc_v2(&sink, sizeof(int)));
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++)
        launch(i, functions, memory, &sink);
    OK(cuCtxSynchronize());
    return 0;
}
