/* SPDX-License-Identifier: Apache-2.0
 * Matrix products of the engine on random fragments, special values among them.
 *
 *     matrix_replay --exact                 against exact arithmetic (matrix_exact.c), with each vector width
 *     matrix_replay --machine FILE.cubin    what ptxas made of the same kernels against their PTX: equal bits
 *     matrix_replay --digest FILE           what tools/gpu-matrix wrote, as the text that --hashes takes
 *     matrix_replay --hashes FILE           against a GPU's hashes, one for each 128 fragments
 *     matrix_replay --gpu FILE              against what a GPU computed (tools/gpu-matrix): equal bits
 * A name after these: of this product only. --few before them: a part of the fragments of each product. --more before them:
 * of the products of matrix_more.def those that the file has, in place of those of matrix_shape.def. */
#include "inflight.h"
#include "matrix_exact.h"
#include "matrix_values.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_FRAGMENTS = 64, WHOLE_FRAGMENTS = 16, MACHINE_FRAGMENTS = 256, FEW = 8 };
static bool is_few, is_more;

static uint32_t part_of(uint32_t fragments)
{
    return is_few ? fragments / FEW : fragments;
}

static _Noreturn void stop(const char *what, const ifl_error *error)
{
    fprintf(stderr, "matrix_replay: %s: %s\n", what, error ? error->text : "");
    exit(2);
}

static void *allocate(size_t bytes)
{
    void *at = malloc(bytes + 1);
    if (!at)
        stop("memory", NULL);
    return at;
}

/* ---- one kernel in the engine ---------------------------------------------------------------- */

/* All kernels, each in a file of its own: what is not supported stops only its own. */
static ifl_module *open_ptx(const matrix_kernel *kernel, ifl_error *error)
{
    char path[] = "/tmp/matrix_replay_XXXXXX.ptx";
    ifl_module *module = NULL;
    const int file = mkstemps(path, 4);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    if (!out)
        stop(path, NULL);
    matrix_write_head("sm_90a", out);
    matrix_write_ptx(kernel, out);
    fclose(out);
    ifl_module_open(path, NULL, &module, error);
    remove(path);
    return module;
}

static ifl_status set(ifl_launch *launch, const char *key, size_t value, ifl_error *error)
{
    char text[64];
    snprintf(text, sizeof text, key[0] == 'a' ? "u32x%zu=zero" : "%zu", value);
    return ifl_launch_set(launch, key, text, error);
}

/* NULL: the kernel cannot be run. */
static uint32_t *words_at(ifl_launch *launch, size_t argument, ifl_error *error)
{
    void *data = NULL;
    size_t bytes;
    const ifl_status status = ifl_launch_buffer(launch, argument, &data, &bytes, error);
    if (status != IFL_OK && status != IFL_UNSUPPORTED)
        stop("buffer", error);
    return data;
}

/* `count` fragments; with the best vector width unless one is named. */
typedef struct batch {
    uint32_t first, count;
    const char *width;
} batch;

/* An operand in shared memory of each fragment. It depends on its type alone: made once for all products that read it. */
static const uint32_t *shared_operand(int type, int operand, batch of)
{
    static struct {
        uint32_t first, count, *words;
    } kept[MATRIX_TYPES][2];
    __typeof__(kept[0][0]) *own = &kept[type][operand == MATRIX_OPERAND_B];
    if (own->words && own->first == of.first && own->count >= of.count)
        return own->words;
    free(own->words);
    own->words = allocate((size_t)of.count * MATRIX_SHARED_WORDS * sizeof *own->words);
    own->first = of.first, own->count = of.count;
    for (uint32_t f = 0; f < of.count; f++)
        matrix_fill_shared(type, operand, of.first + f,
                           own->words + (size_t)f * MATRIX_SHARED_WORDS);
    return own->words;
}

static void fill_all(const matrix_kernel *kernel, batch of, uint32_t *to)
{
    enum { BYTES = MATRIX_SHARED_WORDS * sizeof *to };
    const uint32_t *a = NULL, *b = NULL;
    if (kernel->shared_words) {
        a = shared_operand(kernel->a_type, MATRIX_OPERAND_A, of);
        b = shared_operand(kernel->b_type, MATRIX_OPERAND_B, of);
    }
    for (uint32_t f = 0; f < of.count; f++, to += matrix_words_in(kernel)) {
        if (a) {
            memcpy(to, a + (size_t)f * MATRIX_SHARED_WORDS, BYTES);
            memcpy(to + MATRIX_SHARED_WORDS, b + (size_t)f * MATRIX_SHARED_WORDS, BYTES);
        }
        matrix_fill_lanes(kernel, of.first + f, to + kernel->shared_words);
    }
}

/* False where it is not supported. The caller frees *in and *out. */
static bool compute(const ifl_module *module, const matrix_kernel *kernel, batch of, uint32_t **in,
                    uint32_t **out)
{
    const uint32_t count = of.count;
    const ifl_run_options options = {.vector_width = of.width};
    const size_t in_words = matrix_words_in(kernel), out_words = matrix_words_out(kernel);
    ifl_error error = {0};
    ifl_launch *launch;
    ifl_profile *profile = NULL;
    if (!module)
        return false;
    if (ifl_launch_new(module, kernel->name, &launch, &error) != IFL_OK) {
        printf("%s: %s\n", kernel->name, error.text);
        return false;
    }
    if (set(launch, "grid", count, &error) != IFL_OK ||
        set(launch, "block", kernel->threads, &error) != IFL_OK ||
        set(launch, "arg", in_words * count, &error) != IFL_OK ||
        set(launch, "arg", out_words * count, &error) != IFL_OK)
        stop(kernel->name, &error);
    uint32_t *words = words_at(launch, 0, &error);
    if (words)
        fill_all(kernel, of, words);
    const ifl_status status =
        words ? ifl_launch_run(launch, &options, &profile, &error) : IFL_UNSUPPORTED;
    if (status != IFL_OK && status != IFL_UNSUPPORTED)
        stop(kernel->name, &error);
    if (status != IFL_OK) {
        printf("%s: %s\n", kernel->name, error.text);
        ifl_launch_free(launch);
        return false;
    }
    *in = allocate(in_words * count * sizeof **in);
    *out = allocate(out_words * count * sizeof **out);
    memcpy(*in, words_at(launch, 0, &error), in_words * count * sizeof **in);
    memcpy(*out, words_at(launch, 1, &error), out_words * count * sizeof **out);
    ifl_profile_free(profile);
    ifl_launch_free(launch);
    return true;
}

static bool compute_ptx(const matrix_kernel *kernel, batch of, uint32_t **in, uint32_t **out)
{
    ifl_error error = {0};
    ifl_module *module = open_ptx(kernel, &error);
    if (!module)
        stop(kernel->name, &error); /* what is not supported is so when it is launched */
    const bool is_done = compute(module, kernel, of, in, out);
    ifl_module_close(module);
    return is_done;
}

/* ---- the comparisons ------------------------------------------------------------------------- */

static int count_different(const matrix_kernel *kernel, uint32_t count, const uint32_t *one,
                           const uint32_t *other)
{
    const size_t words = matrix_words_out(kernel);
    int different = 0;
    for (size_t i = 0; i < words * count; i++) {
        if (one[i] == other[i])
            continue;
        if (different++ < 3)
            printf("%s, fragment %zu, word %zu: %08x, not %08x\n", kernel->name, i / words,
                   i % words, one[i], other[i]);
    }
    return different;
}

static int check_sums(const matrix_kernel *kernel, batch of, const uint32_t *in,
                      const uint32_t *out)
{
    int wrong = 0;
    for (uint32_t f = 0; out && f < of.count && wrong >= 0; f++) {
        const int here =
            matrix_exact_check(kernel, of.first + f, in + (size_t)f * matrix_words_in(kernel),
                               out + (size_t)f * matrix_words_out(kernel));
        wrong = here < 0 ? here : wrong + here;
    }
    return wrong > 0 ? wrong : 0;
}

/* One vector width against exact sums, the others against its bits. Widths that this machine does not have are left out,
 * with the same words as products. */
static int check_batch(const matrix_kernel *kernel, batch of)
{
    static const char *const widths[] = {"base", "v3", "v4"};
    uint32_t *first = NULL;
    int wrong = 0;
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        uint32_t *in = NULL, *out = NULL;
        of.width = widths[w];
        if (!compute_ptx(kernel, of, &in, &out))
            printf("%s: not supported\n", kernel->name);
        else if (!first)
            wrong += check_sums(kernel, of, in, first = out);
        else
            wrong += count_different(kernel, of.count, out, first);
        free(in);
        if (out != first)
            free(out);
    }
    free(first);
    return wrong;
}

static int check_exact(const matrix_kernel *kernel)
{
    return check_batch(kernel, (batch){.count = part_of(EXACT_FRAGMENTS)}) +
           check_batch(kernel,
                       (batch){.first = MATRIX_WHOLE_FROM, .count = part_of(WHOLE_FRAGMENTS)});
}

static int check_machine(const ifl_module *machine, const matrix_kernel *kernel)
{
    const batch all = {.count = part_of(MACHINE_FRAGMENTS)};
    uint32_t *in = NULL, *out = NULL, *machine_in = NULL, *machine_out = NULL;
    const bool has_machine = compute(machine, kernel, all, &machine_in, &machine_out);
    const bool has_ptx = has_machine && compute_ptx(kernel, all, &in, &out);
    int different = has_ptx ? count_different(kernel, all.count, machine_out, out) : 0;
    for (uint32_t f = 0; has_machine && !has_ptx && f < part_of(EXACT_FRAGMENTS); f++) {
        const int wrong =
            matrix_exact_check(kernel, f, machine_in + (size_t)f * matrix_words_in(kernel),
                               machine_out + (size_t)f * matrix_words_out(kernel));
        different += wrong > 0 ? wrong : 0;
    }
    free(in), free(out), free(machine_in), free(machine_out);
    return different;
}

/* The file of tools/gpu-matrix: "name fragments whole words\n", hashes, the words of the whole
 * ones. */
static int check_gpu(const matrix_kernel *kernel, uint32_t fragments, uint32_t whole,
                     const uint32_t *hashes, const uint32_t *words)
{
    const unsigned each = matrix_words_out(kernel);
    uint32_t *in = NULL, *out = NULL;
    int different = 0;
    if (compute_ptx(kernel, (batch){.count = fragments}, &in, &out)) {
        int same = 0;
        for (uint32_t f = 0; f < fragments; f++)
            same += matrix_hash(out + (size_t)f * each, each) == hashes[f];
        different = (int)fragments - same;
        printf("%s: %d of %u fragments have other bits\n", kernel->name, different, fragments);
        count_different(kernel, whole, out, words);
    }
    free(in), free(out);
    return different;
}

static const matrix_kernel *kernel_named(const char *name)
{
    for (size_t i = 0; i < matrix_kernel_count; i++)
        if (strcmp(matrix_kernels[i].name, name) == 0)
            return &matrix_kernels[i];
    for (size_t i = 0; i < matrix_more_count; i++)
        if (strcmp(matrix_more[i].name, name) == 0)
            return &matrix_more[i];
    return NULL;
}

static int check_gpu_file(FILE *file, const char *only)
{
    char name[64];
    uint32_t fragments, whole, each;
    int different = 0;
    while (fscanf(file, "%63s %u %u %u", name, &fragments, &whole, &each) == 4 &&
           fgetc(file) == '\n') {
        const matrix_kernel *kernel = kernel_named(name);
        const size_t words = (size_t)whole * each;
        uint32_t *hashes = allocate(fragments * sizeof *hashes),
                 *results = allocate(words * sizeof *results);
        if (!kernel || each != matrix_words_out(kernel) ||
            fread(hashes, sizeof *hashes, fragments, file) != fragments ||
            fread(results, sizeof *results, words, file) != words)
            stop(name, NULL);
        if (!only || strcmp(only, name) == 0)
            different += check_gpu(kernel, fragments, whole, hashes, results);
        free(hashes), free(results);
    }
    return different;
}

/* ---- hashes of many fragments ---------------------------------------------------------------- */

enum { TOGETHER = 128 };

static int digest(FILE *file)
{
    char name[64];
    uint32_t fragments, whole, each;
    while (fscanf(file, "%63s %u %u %u", name, &fragments, &whole, &each) == 4 &&
           fgetc(file) == '\n') {
        uint32_t *hashes = allocate(fragments * sizeof *hashes);
        if (fread(hashes, sizeof *hashes, fragments, file) != fragments ||
            fseek(file, (long)whole * each * 4, SEEK_CUR) != 0)
            stop(name, NULL);
        printf("%s", name);
        for (uint32_t at = 0; at + TOGETHER <= fragments; at += TOGETHER)
            printf(" %08x", matrix_hash(hashes + at, TOGETHER));
        printf("\n");
        free(hashes);
    }
    return 0;
}

enum { MOST_HASHES = 64 }; /* of a line */

/* A line: a product and its hashes. */
static int check_line(char *line, const char *only)
{
    const matrix_kernel *kernel = kernel_named(strtok(line, " \n"));
    uint32_t wanted[MOST_HASHES], count = 0, *in = NULL, *out = NULL, hashes[TOGETHER];
    int different = 0;
    for (const char *word; count < MOST_HASHES && (word = strtok(NULL, " \n"));)
        wanted[count++] = (uint32_t)strtoul(word, NULL, 16);
    count = part_of(count);
    if (!kernel)
        stop(line, NULL);
    if ((only && strcmp(only, kernel->name) != 0) ||
        !compute_ptx(kernel, (batch){.count = count * TOGETHER}, &in, &out))
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        const unsigned each = matrix_words_out(kernel);
        for (uint32_t f = 0; f < TOGETHER; f++)
            hashes[f] = matrix_hash(out + (size_t)(i * TOGETHER + f) * each, each);
        different += matrix_hash(hashes, TOGETHER) != wanted[i];
    }
    if (different)
        printf("%s: %d of %u hashes differ\n", kernel->name, different, count);
    free(in), free(out);
    return different;
}

static int check_hashes(FILE *file, const char *only)
{
    char line[1024];
    int different = 0;
    while (fgets(line, sizeof line, file))
        different += line[0] == '#' ? 0 : check_line(line, only);
    return different;
}

static int check_each(const ifl_module *machine, const char *only)
{
    const matrix_kernel *all = is_more ? matrix_more : matrix_kernels;
    const size_t count = is_more ? matrix_more_count : matrix_kernel_count;
    int wrong = 0;
    for (size_t i = 0; i < count; i++)
        if (!only || strcmp(only, all[i].name) == 0)
            wrong += machine ? check_machine(machine, &all[i]) : check_exact(&all[i]);
    return wrong;
}

static bool takes(const char *word, int *count, char ***words)
{
    const bool is_there = *count >= 2 && strcmp((*words)[1], word) == 0;
    *count -= is_there, *words += is_there;
    return is_there;
}

int main(int count, char **words)
{
    ifl_error error = {0};
    ifl_module *machine = NULL;
    int wrong = 2;
    is_few = takes("--few", &count, &words);
    is_more = takes("--more", &count, &words);
    if (count >= 2 && strcmp(words[1], "--exact") == 0) {
        wrong = check_each(NULL, words[2]);
    } else if (count >= 3 && strcmp(words[1], "--machine") == 0) {
        if (ifl_module_open(words[2], NULL, &machine, &error) != IFL_OK)
            stop(words[2], &error);
        wrong = check_each(machine, count > 3 ? words[3] : NULL);
        ifl_module_close(machine);
    } else if (count >= 3) {
        FILE *file = fopen(words[2], "rb");
        if (!file)
            stop(words[2], NULL);
        if (strcmp(words[1], "--digest") == 0)
            return digest(file);
        wrong = (strcmp(words[1], "--gpu") == 0 ? check_gpu_file
                                                : check_hashes)(file, count > 3 ? words[3] : NULL);
        fclose(file);
    } else {
        fprintf(stderr, "usage: matrix_replay [--few] [--more] --exact | --machine FILE.cubin | "
                        "--digest FILE | "
                        "--hashes FILE | --gpu FILE [NAME]\n");
        return 2;
    }
    printf("%d differences\n", wrong);
    return wrong != 0;
}
