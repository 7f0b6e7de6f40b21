/* SPDX-License-Identifier: Apache-2.0
 * How far the engine is from what a compiler makes of the same kernels: each kernel of loops.cu as
 * loops over the threads of a block, one loop between two barriers, as translators of CUDA to C
 * write them, beside its machine code of sm_90 on the engine, without observers. Both on one core,
 * in turns; the results must be equal to the bit. Prints the median of several runs: the loops,
 * the engine, and how many times as long that takes. usage: bench_loops [--quick] */
#include "session/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 1 << 20, WIDTH = 1 << 10, TILE = 32, ROWS = 8, BLOCK = 256, MOST_RUNS = 21 };

#if defined __x86_64__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__
#define EACH_WIDTH __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define EACH_WIDTH
#endif

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "bench_loops: %s\n", what);
    exit(EXIT_FAILURE);
}

/* ---- the kernels, as loops ------------------------------------------------------------------- */

typedef struct operands {
    float a;
    const uint32_t *index;
    const float *x;
    float *y;
} operands;

EACH_WIDTH static void saxpy(const operands *o)
{
    const float *restrict x = o->x;
    float *restrict y = o->y;
    for (uint32_t block = 0; block < N / BLOCK; block++)
        for (uint32_t t = 0; t < BLOCK; t++)
            if (t + block * BLOCK < N)
                y[t + block * BLOCK] =
                    fmaf(o->a, x[t + block * BLOCK], y[t + block * BLOCK]); /* as nvcc has it */
}

EACH_WIDTH static void gather(const operands *o)
{
    const float *restrict x = o->x;
    const uint32_t *restrict index = o->index;
    float *restrict y = o->y;
    for (uint32_t block = 0; block < N / BLOCK; block++)
        for (uint32_t t = 0; t < BLOCK; t++)
            if (t + block * BLOCK < N)
                y[t + block * BLOCK] = x[index[t + block * BLOCK]];
}

static inline void transpose_tile(const float *restrict x, float *restrict y, uint32_t column,
                                  uint32_t row)
{
    float tile[TILE][TILE + 1];
    for (uint32_t ty = 0; ty < ROWS; ty++)
        for (uint32_t tx = 0; tx < TILE; tx++)
            for (uint32_t k = 0; k < TILE; k += ROWS)
                tile[ty + k][tx] = x[(row + ty + k) * WIDTH + column + tx];
    for (uint32_t ty = 0; ty < ROWS; ty++)
        for (uint32_t tx = 0; tx < TILE; tx++)
            for (uint32_t k = 0; k < TILE; k += ROWS)
                y[(column + ty + k) * WIDTH + row + tx] = tile[tx][ty + k];
}

EACH_WIDTH static void transpose(const operands *o)
{
    for (uint32_t row = 0; row < WIDTH; row += TILE)
        for (uint32_t column = 0; column < WIDTH; column += TILE)
            transpose_tile(o->x, o->y, column, row);
}

static inline void stencil_row(const float *restrict x, float *restrict y, uint32_t row,
                               uint32_t first)
{
    for (uint32_t column = first; column < first + TILE; column++) {
        const bool is_border = column == 0 || row == 0 || column == WIDTH - 1 || row == WIDTH - 1;
        const float *at = x + (size_t)row * WIDTH + column;
        if (!is_border)
            y[row * WIDTH + column] = ((at[-1] + at[1]) + (at[-WIDTH] + at[WIDTH])) * 0.25f;
    }
}

EACH_WIDTH static void stencil(const operands *o)
{
    for (uint32_t row = 0; row < WIDTH; row += ROWS)
        for (uint32_t column = 0; column < WIDTH; column += TILE)
            for (uint32_t ty = 0; ty < ROWS; ty++)
                stencil_row(o->x, o->y, row + ty, column);
}

static inline float sum_of_block(const float *restrict x)
{
    float part[BLOCK];
    for (uint32_t t = 0; t < BLOCK; t++)
        part[t] = x[t];
    for (uint32_t half = BLOCK / 2; half; half /= 2)
        for (uint32_t t = 0; t < BLOCK; t++)
            if (t < half)
                part[t] += part[t + half];
    return part[0];
}

EACH_WIDTH static void reduction(const operands *o)
{
    for (uint32_t block = 0; block < N / BLOCK; block++)
        o->y[block] = sum_of_block(o->x + (size_t)block * BLOCK);
}

/* ---- the kernels, on the engine -------------------------------------------------------------- */

typedef struct buffer {
    uint64_t address;
    void *host;
} buffer;

typedef struct bench {
    ifl_session *session;
    ifl_loaded *loaded;
    buffer index, x, y;
    uint8_t params[64];
    size_t param_bytes;
    int runs;
} bench;

static buffer allocate(ifl_memory *memory)
{
    ifl_allocation *a;
    if (ifl_memory_allocate(memory, N * sizeof(float), 0, 0, "buffer", &a, NULL) != IFL_OK)
        die("no memory");
    return (buffer){a->address, a->host};
}

/* Behind the last one, at a multiple of its size. */
static void add_param(bench *b, const void *value, size_t bytes)
{
    const size_t at = (b->param_bytes + bytes - 1) / bytes * bytes;
    memcpy(b->params + at, value, bytes);
    b->param_bytes = at + bytes;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); /* beside other work too */
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_engine(bench *b, const ifl_session_launch *launch)
{
    const ifl_session_way way = {.threads = 1};
    ifl_session_result ran;
    const double start = seconds();
    if (ifl_session_run(b->session, launch, &way, NULL, 0, &ran, NULL) != IFL_OK)
        die("the engine failed");
    const double took = seconds() - start;
    ifl_session_end(&ran);
    return took;
}

static void open_session(bench *b)
{
    static char image[1 << 16];
    const ifl_session_options options = {0};
    FILE *file = fopen(BENCH_FOLDER "/loops.sm_90.cubin", "rb");
    const size_t bytes = file ? fread(image, 1, sizeof image, file) : 0;
    if (file)
        fclose(file);
    if (!bytes || ifl_session_new(&options, &b->session, NULL) != IFL_OK ||
        ifl_session_load(b->session, "loops", image, bytes, &b->loaded, NULL) != IFL_OK)
        die("cannot read loops.sm_90.cubin");
    ifl_memory *memory = ifl_session_memory(b->session);
    b->index = allocate(memory);
    b->x = allocate(memory);
    b->y = allocate(memory);
}

/* ---- both ------------------------------------------------------------------------------------ */

typedef enum shape { LINE, SQUARE, TILES, SUMS } shape;

static const struct kernel {
    const char *name;
    void (*loops)(const operands *o);
    shape shape;
    bool has_factor, has_index; /* among its parameters */
} kernels[] = {{"saxpy", saxpy, LINE, true, false},
               {"gather", gather, LINE, false, true},
               {"transpose", transpose, TILES, false, false},
               {"stencil", stencil, SQUARE, false, false},
               {"reduction", reduction, SUMS, false, false}};

static const float factor = 1.5f;

static void set_params(bench *b, const struct kernel *kernel)
{
    const uint32_t n = kernel->shape == LINE ? N : WIDTH;
    memset(b->params, 0, sizeof b->params);
    b->param_bytes = 0;
    if (kernel->shape != SUMS)
        add_param(b, &n, sizeof n);
    if (kernel->has_factor)
        add_param(b, &factor, sizeof factor);
    if (kernel->has_index)
        add_param(b, &b->index.address, sizeof b->index.address);
    add_param(b, &b->x.address, sizeof b->x.address);
    add_param(b, &b->y.address, sizeof b->y.address);
}

static ifl_session_launch launch_of(bench *b, const struct kernel *kernel)
{
    ifl_session_launch launch = {.grid = {N / BLOCK, 1, 1}, .block = {BLOCK, 1, 1}};
    if (kernel->shape == SQUARE || kernel->shape == TILES) {
        const uint32_t rows = kernel->shape == TILES ? TILE : ROWS;
        memcpy(launch.grid, (uint32_t[]){WIDTH / TILE, WIDTH / rows, 1}, sizeof launch.grid);
        memcpy(launch.block, (uint32_t[]){TILE, ROWS, 1}, sizeof launch.block);
    }
    if (ifl_session_find(b->session, b->loaded, kernel->name, &launch.kernel, NULL) != IFL_OK)
        die("a kernel is missing");
    set_params(b, kernel);
    launch.params = b->params;
    return launch;
}

static void fill(bench *b, float *y)
{
    uint32_t *index = b->index.host;
    float *x = b->x.host;
    uint64_t seed = 1;
    for (uint32_t i = 0; i < N; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        index[i] = (uint32_t)(seed >> 40) % N;
        x[i] = (float)(seed >> 44) * 0x1p-19f - 1;
        y[i] = 0;
    }
    memset(b->y.host, 0, N * sizeof(float));
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *took, int count)
{
    qsort(took, (size_t)count, sizeof *took, compare_doubles);
    return took[count / 2];
}

/* Once more than is counted: the first run lowers the kernel and touches the pages. */
static void run_kernel(bench *b, const struct kernel *kernel, float *y)
{
    double loops[MOST_RUNS], engine[MOST_RUNS];
    const ifl_session_launch launch = launch_of(b, kernel);
    const operands o = {.a = factor, .index = b->index.host, .x = b->x.host, .y = y};
    fill(b, y);
    for (int i = 0; i <= b->runs; i++) {
        const double of_engine = time_engine(b, &launch), start = seconds();
        kernel->loops(&o);
        if (i) {
            loops[i - 1] = seconds() - start;
            engine[i - 1] = of_engine;
        }
    }
    if (memcmp(y, b->y.host, N * sizeof *y) != 0) {
        fprintf(stderr, "bench_loops: %s gives other results on the engine\n", kernel->name);
        exit(EXIT_FAILURE);
    }
    const double of_loops = median(loops, b->runs), of_engine = median(engine, b->runs);
    printf("%-12s %9.3f %9.3f %8.1f\n", kernel->name, of_loops * 1e3, of_engine * 1e3,
           of_engine / of_loops);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    bench b = {.runs = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 1 : MOST_RUNS};
    float *y = malloc(N * sizeof *y);
    if (!y)
        die("no memory");
    open_session(&b);
    printf("2^20 elements, milliseconds of one core, median of %d\n", b.runs);
    printf("%-12s %9s %9s %8s\n", "kernel", "loops", "engine", "ratio");
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        run_kernel(&b, &kernels[i], y);
    ifl_session_free(b.session);
    free(y);
    return EXIT_SUCCESS;
}
