/* SPDX-License-Identifier: Apache-2.0
 * Has a GPU compute the matrix products of tests/gpu/matrix_shape.def on random fragments, and
 * writes the results: for each product a hash of each fragment, and the first fragments whole.
 *
 *     gpu-matrix OUT/matrix.bin [FRAGMENTS]     needs a GPU of compute capability 9.0 and its driver, nothing else
 *     gpu-matrix --more FRAGMENTS PART PARTS    every PARTSth row of tests/gpu/matrix_more.def from PART on: a name, and a
 *                                               hash for each 128 fragments (matrix_replay --hashes)
 *     gpu-matrix --ptx [TARGET]                 prints the kernels
 *
 * The file: for each product "name fragments whole words\n", then so many hashes, then the words of
 * the whole ones. */
#include "matrix_kernels.h"
#include "matrix_values.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { FRAGMENTS = 4096, WHOLE_WORDS = 16384, MOST_BYTES = 64 << 20 };

/* The driver's calls, as cuda.h declares them. */
typedef int call_init(unsigned flags);
typedef int call_device(int *device, int ordinal);
typedef int call_context(void **context, int device);
typedef int call_context_new(void **context, void *parameters, unsigned flags, int device);
typedef int call_set(void *context);
typedef int call_load(void **module, const void *image, unsigned count, const int *option,
                      void **value);
typedef int call_function(void **function, void *module, const char *name);
typedef int call_allocate(uint64_t *at, size_t bytes);
typedef int call_free(uint64_t at);
typedef int call_to(uint64_t to, const void *from, size_t bytes);
typedef int call_from(void *to, uint64_t from, size_t bytes);
typedef int call_launch(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, void *stream, void **parameters,
                        void **extra);
typedef int call_wait(void);

static struct {
    call_init *init;
    call_device *device;
    call_context *retain;
    call_set *set;
    call_load *load;
    call_function *function;
    call_allocate *allocate;
    call_free *release;
    call_to *to;
    call_from *from;
    call_launch *launch;
    call_wait *wait;
} cu;

static void must(int code, const char *what)
{
    if (code == 0)
        return;
    fprintf(stderr, "gpu-matrix: %s: error %d\n", what, code);
    exit(1);
}

static void *must_have(void *library, const char *name)
{
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        fprintf(stderr, "gpu-matrix: no driver, or it has no %s\n", name);
        exit(5);
    }
    return found;
}

static void open_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *context;
    int device;
    *(void **)&cu.init = must_have(library, "cuInit");
    *(void **)&cu.device = must_have(library, "cuDeviceGet");
    *(void **)&cu.retain = must_have(library, "cuDevicePrimaryCtxRetain");
    *(void **)&cu.set = must_have(library, "cuCtxSetCurrent");
    *(void **)&cu.load = must_have(library, "cuModuleLoadDataEx");
    *(void **)&cu.function = must_have(library, "cuModuleGetFunction");
    *(void **)&cu.allocate = must_have(library, "cuMemAlloc_v2");
    *(void **)&cu.release = must_have(library, "cuMemFree_v2");
    *(void **)&cu.to = must_have(library, "cuMemcpyHtoD_v2");
    *(void **)&cu.from = must_have(library, "cuMemcpyDtoH_v2");
    *(void **)&cu.launch = must_have(library, "cuLaunchKernel");
    *(void **)&cu.wait = must_have(library, "cuCtxSynchronize");
    must(cu.init(0), "cuInit");
    must(cu.device(&device, 0), "cuDeviceGet");
    must(cu.retain(&context, device), "cuDevicePrimaryCtxRetain");
    must(cu.set(context), "cuCtxSetCurrent");
}

/* NULL where the driver takes no such kernel. */
static void *compile(const matrix_kernel *kernel)
{
    enum { ERROR_LOG = 5, ERROR_LOG_BYTES = 6 }; /* CU_JIT_ERROR_LOG_BUFFER, ..._SIZE_BYTES */
    static char log[4096];
    const int option[] = {ERROR_LOG, ERROR_LOG_BYTES};
    void *value[] = {log, (void *)sizeof log}, *module, *function;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        exit(1);
    matrix_write_head("sm_90a", out);
    matrix_write_ptx(kernel, out);
    fclose(out);
    log[0] = 0;
    const int code = cu.load(&module, text, 2, option, value);
    free(text);
    if (code) {
        printf("%s: not compiled (%d): %s\n", kernel->name, code, log);
        return NULL;
    }
    must(cu.function(&function, module, kernel->name), "cuModuleGetFunction");
    return function;
}

static uint32_t *allocate_words(size_t count)
{
    uint32_t *words = calloc(count + 1, sizeof *words);
    if (!words)
        exit(1);
    return words;
}

static void compute(void *function, const matrix_kernel *kernel, uint32_t first, uint32_t count,
                    uint32_t *results)
{
    const size_t in_words = matrix_words_in(kernel), out_words = matrix_words_out(kernel);
    uint32_t *input = allocate_words(in_words * count);
    uint64_t in, out;
    for (uint32_t f = 0; f < count; f++)
        matrix_fill(kernel, first + f, input + f * in_words);
    must(cu.allocate(&in, in_words * count * sizeof *input), "cuMemAlloc");
    must(cu.allocate(&out, out_words * count * sizeof *input), "cuMemAlloc");
    must(cu.to(in, input, in_words * count * sizeof *input), "cuMemcpyHtoD");
    void *parameters[] = {&in, &out};
    must(cu.launch(function, count, 1, 1, kernel->threads, 1, 1, 0, NULL, parameters, NULL),
         "cuLaunchKernel");
    must(cu.wait(), kernel->name);
    must(cu.from(results, out, out_words * count * sizeof *input), "cuMemcpyDtoH");
    must(cu.release(in), "cuMemFree");
    must(cu.release(out), "cuMemFree");
    free(input);
}

static uint32_t *results_of(void *function, const matrix_kernel *kernel, uint32_t fragments)
{
    const unsigned words = matrix_words_out(kernel);
    const uint32_t batch = (uint32_t)(MOST_BYTES / 4 / matrix_words_in(kernel));
    uint32_t *results = allocate_words((size_t)words * fragments);
    for (uint32_t at = 0; at < fragments; at += batch)
        compute(function, kernel, at, fragments - at < batch ? fragments - at : batch,
                results + (size_t)at * words);
    return results;
}

static void print_hashes(void *function, const matrix_kernel *kernel, uint32_t fragments)
{
    enum { TOGETHER = 128 };
    const unsigned words = matrix_words_out(kernel);
    uint32_t *results = results_of(function, kernel, fragments), hashes[TOGETHER];
    printf("%s", kernel->name);
    for (uint32_t f = 0; f < fragments; f++) {
        hashes[f % TOGETHER] = matrix_hash(results + (size_t)f * words, words);
        if (f % TOGETHER == TOGETHER - 1)
            printf(" %08x", matrix_hash(hashes, TOGETHER));
    }
    printf("\n");
    free(results);
}

static void run_more(uint32_t fragments, size_t part, size_t parts)
{
    for (size_t i = part; i < matrix_more_count; i += parts) {
        void *function = compile(&matrix_more[i]);
        if (function)
            print_hashes(function, &matrix_more[i], fragments);
        fflush(stdout);
    }
}

static void run_all(void *function, const matrix_kernel *kernel, uint32_t fragments, FILE *to)
{
    const unsigned words = matrix_words_out(kernel);
    uint32_t whole = WHOLE_WORDS / words, *results = results_of(function, kernel, fragments);
    uint32_t *hashes = allocate_words(fragments);
    whole = whole > fragments ? fragments : whole;
    for (uint32_t f = 0; f < fragments; f++)
        hashes[f] = matrix_hash(results + (size_t)f * words, words);
    fprintf(to, "%s %u %u %u\n", kernel->name, fragments, whole, words);
    fwrite(hashes, sizeof *hashes, fragments, to);
    fwrite(results, sizeof *results, (size_t)whole * words, to);
    printf("%s: %u fragments, all: %08x\n", kernel->name, fragments,
           matrix_hash(hashes, fragments));
    free(results);
    free(hashes);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--ptx") == 0) {
        matrix_write_head(argc > 2 ? argv[2] : "sm_90a", stdout);
        for (size_t i = 0; i < matrix_kernel_count; i++)
            matrix_write_ptx(&matrix_kernels[i], stdout);
        return 0;
    }
    if (argc == 5 && strcmp(argv[1], "--more") == 0) {
        open_driver();
        run_more((uint32_t)atol(argv[2]), (size_t)atol(argv[3]), (size_t)atol(argv[4]));
        return 0;
    }
    FILE *to = argc > 1 ? fopen(argv[1], "wb") : NULL;
    if (!to) {
        fprintf(stderr, "usage: gpu-matrix FILE [FRAGMENTS] | gpu-matrix --ptx [TARGET]\n");
        return 2;
    }
    const long fragments = argc > 2 ? atol(argv[2]) : FRAGMENTS;
    open_driver();
    for (size_t i = 0; i < matrix_kernel_count; i++) {
        void *function = compile(&matrix_kernels[i]);
        if (function)
            run_all(function, &matrix_kernels[i], (uint32_t)fragments, to);
    }
    return fclose(to) == 0 ? 0 : 1;
}
