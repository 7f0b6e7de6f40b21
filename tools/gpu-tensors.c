/* SPDX-License-Identifier: Apache-2.0
 * Has a GPU, or the engine under `inflight run`, copy random boxes of tensors
 * (tests/gpu/tensor_copies.h), and holds them against what they must come to.
 *
 *     gpu-tensors FILE.cubin COUNT [FAMILY [KIND [FIRST]]]
 *     gpu-tensors calls
 *     gpu-tensors descriptions COUNT
 *
 * FILE: tests/gpu/matrix/tensors.sm_90.cubin. FAMILY: plain (where none is named), slices,
 * reductions, wide_slices. KIND: load, image, store, add and so on; of all where none is named. A line a copy on stdout:
 * number, kernel, hash of what it left; differences on stderr. Exit status 1: some differ; 3: a copy ended the
 * context, go on with the one after it. `calls`: what the calls that describe tensors say to a table of
 * arguments (tests/gpu/tensor_calls.h), a line each. `descriptions`: what they say to random ones, and what they make. */
#include "tensor_calls.h"
#include "tensor_copies.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_BYTES = TENSOR_SHARED_BYTES + 4, THREADS = 128 };

typedef struct driver {
    int (*init)(unsigned);
    int (*device)(int *, int);
    int (*retain)(void **, int);
    int (*set)(void *);
    int (*load)(void **, const void *);
    int (*function)(void **, void *, const char *);
    int (*allocate)(uint64_t *, size_t);
    int (*to)(uint64_t, const void *, size_t);
    int (*from)(void *, uint64_t, size_t);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
    int (*wait)(void);
    int (*tiled)(void *, int, unsigned, uint64_t, const uint64_t *, const uint64_t *,
                 const uint32_t *, const uint32_t *, int, int, int, int);
    int (*image)(void *, int, unsigned, uint64_t, const uint64_t *, const uint64_t *, const int *,
                 const int *, unsigned, unsigned, const uint32_t *, int, int, int, int);
} driver;

static driver cu;

static void must(int code, const char *what)
{
    if (!code)
        return;
    fprintf(stderr, "gpu-tensors: %s: error %d\n", what, code);
    exit(1);
}

static void open_driver(void)
{
    static const char *const names[] = {"cuInit",
                                        "cuDeviceGet",
                                        "cuDevicePrimaryCtxRetain",
                                        "cuCtxSetCurrent",
                                        "cuModuleLoadData",
                                        "cuModuleGetFunction",
                                        "cuMemAlloc_v2",
                                        "cuMemcpyHtoD_v2",
                                        "cuMemcpyDtoH_v2",
                                        "cuLaunchKernel",
                                        "cuCtxSynchronize",
                                        "cuTensorMapEncodeTiled",
                                        "cuTensorMapEncodeIm2col"};
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *context;
    int device;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *found = library ? dlsym(library, names[i]) : NULL;
        if (!found) {
            fprintf(stderr, "gpu-tensors: no driver, or it has no %s\n", names[i]);
            exit(5);
        }
        memcpy((char *)&cu + i * sizeof found, &found, sizeof found);
    }
    must(cu.init(0), "cuInit");
    must(cu.device(&device, 0), "cuDeviceGet");
    must(cu.retain(&context, device), "cuDevicePrimaryCtxRetain");
    must(cu.set(context), "cuCtxSetCurrent");
}

static void *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *bytes = file ? calloc(1, 4 << 20) : NULL;
    if (!bytes || !fread(bytes, 1, 4 << 20, file)) {
        fprintf(stderr, "gpu-tensors: cannot read '%s'\n", path);
        exit(2);
    }
    fclose(file);
    return bytes;
}

static uint32_t random_word(uint32_t i)
{
    uint32_t x = i * 2654435761u + 12345;
    x ^= x >> 15, x *= 2246822519u, x ^= x >> 13, x *= 3266489917u;
    return x ^ x >> 16;
}

/* FNV-1a of WAYS stretches at once: a byte waits for the product of the byte before it, not for those of others. */
enum { WAYS = 4 };
static void hash(const uint8_t *const bytes[WAYS], size_t count, uint32_t to[WAYS])
{
    const uint8_t *a = bytes[0], *b = bytes[1], *c = bytes[2], *d = bytes[3];
    uint32_t of_a = 2166136261u, of_b = of_a, of_c = of_a, of_d = of_a;
    for (size_t i = 0; i < count; i++) {
        of_a = (of_a ^ a[i]) * 16777619u;
        of_b = (of_b ^ b[i]) * 16777619u;
        of_c = (of_c ^ c[i]) * 16777619u;
        of_d = (of_d ^ d[i]) * 16777619u;
    }
    to[0] = of_a, to[1] = of_b, to[2] = of_c, to[3] = of_d;
}

static int describe(const tensor_copy *c, uint64_t tensor, void *map)
{
    if (c->is_image)
        return cu.image(map, c->type, c->rank, tensor, c->size, c->stride, c->lower, c->upper,
                        c->channels, c->pixels, c->element_stride, c->interleave, c->swizzle, 0,
                        c->fill);
    return cu.tiled(map, c->type, c->rank, tensor, c->size, c->stride, c->box, c->element_stride,
                    c->interleave, c->swizzle, 0, c->fill);
}

static _Alignas(1024) uint8_t shared[TENSOR_SHARED_BYTES], got_shared[MEMORY_BYTES];
static uint8_t tensor_bytes[TENSOR_GLOBAL_BYTES], expected[TENSOR_GLOBAL_BYTES];

/* Device addresses of the tensor and of what goes to or comes from shared memory. */
static uint64_t tensor, memory;
static bool is_as_before; /* the tensor there is tensor_bytes */

/* What stores left is hashed WAYS at once, and printed with what came between them. */
enum { MOST_LINES = 64 };
static uint8_t got[WAYS][TENSOR_GLOBAL_BYTES];
static struct {
    char name[24];
    const char *after;
    uint32_t index, hash;
    int way; /* of got; -1: hash is known */
} lines[MOST_LINES];
static unsigned line_count, way_count;

static void print_lines(void)
{
    const uint8_t *bytes[WAYS];
    uint32_t of[WAYS];
    for (unsigned w = 0; w < WAYS; w++)
        bytes[w] = got[w < way_count ? w : 0];
    if (way_count)
        hash(bytes, TENSOR_GLOBAL_BYTES, of);
    for (unsigned i = 0; i < line_count; i++)
        printf("%u %s %08x%s\n", lines[i].index, lines[i].name,
               lines[i].way < 0 ? lines[i].hash : of[lines[i].way], lines[i].after);
    line_count = way_count = 0;
}

static tensor_family family;
/* "load", "image", "store", "add" and so on: these only; NULL: all. */
static const char *only;

static void print_numbers(const char *name, const uint32_t *numbers, unsigned count)
{
    fprintf(stderr, " %s", name);
    for (unsigned i = 0; i < count; i++)
        fprintf(stderr, "%c%d", i ? ',' : ' ', (int)numbers[i]);
}

static void explain(uint32_t index, const char *name, const tensor_copy *c)
{
    fprintf(
        stderr,
        "%u %s: type %d interleave %d swizzle %d fill %d bytes %u pitch %u channels %u pixels %u",
        index, name, c->type, c->interleave, c->swizzle, c->fill, c->bytes, c->pitch, c->channels,
        c->pixels);
    for (unsigned i = 0; i < c->rank; i++)
        fprintf(stderr, "%s%llu", i ? "," : " size ", (unsigned long long)c->size[i]);
    for (unsigned i = 0; i + 1 < c->rank; i++)
        fprintf(stderr, "%s%llu", i ? "," : " stride ", (unsigned long long)c->stride[i]);
    print_numbers("box", c->box, c->rank);
    print_numbers("step", c->element_stride, c->rank);
    print_numbers("at", (const uint32_t *)c->coordinates, c->rank);
    if (c->is_image) {
        print_numbers("lower", (const uint32_t *)c->lower, c->rank - 2);
        print_numbers("upper", (const uint32_t *)c->upper, c->rank - 2);
        print_numbers("offsets", c->offsets, c->rank - 2);
    }
    fprintf(stderr, "\n");
}

/* The first bytes that differ. */
static void explain_bytes(const char *where, const uint8_t *found, const uint8_t *wanted,
                          size_t bytes)
{
    size_t first = 0, count = 0;
    for (size_t i = bytes; i-- > 0;)
        if (found[i] != wanted[i]) {
            first = i;
            count++;
        }
    if (!count)
        return;
    fprintf(stderr, "  %s: %zu bytes differ, from %zu on:", where, count, first);
    for (size_t i = first & ~(size_t)3; i < bytes && i < first + 16; i++)
        fprintf(stderr, " %02x/%02x", found[i], wanted[i]);
    fprintf(stderr, "\n");
}

enum { PIECE = 16 };

/* Where in the tensor such a piece is; -1: nowhere. */
static long place_of(const uint8_t *piece)
{
    for (long at = 0; at < TENSOR_GLOBAL_BYTES; at += PIECE)
        if (memcmp(tensor_bytes + at, piece, PIECE) == 0)
            return at;
    return -1;
}

/* Of what was loaded, where each piece came from; -1: it was filled, or there before. */
static void explain_pieces(const uint8_t *found)
{
    enum { PIECES = 48 };
    fprintf(stderr, "  pieces come from:");
    for (size_t i = 0; i < PIECES; i++)
        fprintf(stderr, " %ld", place_of(found + i * PIECE));
    fprintf(stderr, "\n");
}

static void launch(void *module, const tensor_copy *c, const char *name, uint32_t index, void *map)
{
    int code;
    uint32_t words[10] = {0};
    void *function, *parameters[] = {map, words, &memory};
    for (unsigned i = 0; i < TENSOR_RANKS; i++)
        words[i] = (uint32_t)c->coordinates[i];
    for (unsigned i = 0; i < TENSOR_RANKS - 2; i++)
        words[TENSOR_RANKS + i] = c->offsets[i];
    words[8] = c->bytes;
    must(cu.function(&function, module, name), name);
    must(cu.launch(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, parameters, NULL), name);
    if ((code = cu.wait()) == 0)
        return;
    print_lines();
    printf("%u %s error %d\n", index, name, code);
    fflush(stdout);
    explain(index, name, c);
    exit(3);
}

/* What was left is in got_shared, of a store in the next of got. */
static void add_line(uint32_t index, const char *name, bool is_store, const char *after)
{
    uint32_t of[WAYS] = {0};
    if (!is_store)
        hash((const uint8_t *const[]){got_shared, got_shared, got_shared, got_shared},
             TENSOR_SHARED_BYTES, of);
    lines[line_count].index = index;
    lines[line_count].after = after;
    lines[line_count].hash = of[0];
    lines[line_count].way = is_store ? (int)way_count : -1;
    snprintf(lines[line_count].name, sizeof lines->name, "%s", name);
    line_count++;
    way_count += is_store;
    if (line_count == MOST_LINES || way_count == WAYS)
        print_lines();
}

/* Boxes of slices whose width as elements would be no multiple of 16 bytes, as an H200's driver has it. */
static bool is_refused(const tensor_copy *c)
{
    return c->interleave && !c->is_image && c->box[0] * c->element_bytes % 16 != 0;
}

/* Whether it came to what it must. */
static bool run(void *module, uint32_t index)
{
    static _Alignas(64) uint8_t map[128];
    tensor_copy c;
    char name[16];
    tensor_copy_make(family, index, &c);
    snprintf(name, sizeof name, "%s_%u",
             c.is_image    ? "image"
             : c.operation ? tensor_operation_names[c.operation]
             : c.is_store  ? "store"
                           : "load",
             c.rank);
    if (only && strncmp(name, only, strlen(only)) != 0)
        return true;
    const int code = describe(&c, tensor, map);
    if (code) {
        print_lines();
        printf("%u %s refused %d\n", index, name, code);
        if (is_refused(&c))
            return true;
        explain(index, name, &c);
        return false;
    }
    uint8_t *left = got[way_count];
    const uint8_t *wanted = c.is_store ? expected : tensor_bytes;
    if (c.is_store)
        memcpy(expected, tensor_bytes, sizeof expected);
    memset(got_shared, 0, sizeof got_shared);
    for (uint32_t i = 0; i < TENSOR_SHARED_BYTES / 4; i++) {
        const uint32_t word = c.is_store ? random_word(i + 77) : 0xa5a5a5a5;
        memcpy(shared + 4 * i, &word, 4);
        memcpy(got_shared + 4 * i, &word, 4);
    }
    must(cu.to(memory, got_shared, sizeof got_shared), "cuMemcpyHtoD");
    if (!is_as_before)
        must(cu.to(tensor, tensor_bytes, sizeof tensor_bytes), "cuMemcpyHtoD");
    launch(module, &c, name, index, map);
    tensor_copy_do(&c, shared, c.is_store ? expected : tensor_bytes);
    must(cu.from(got_shared, memory, sizeof got_shared), "cuMemcpyDtoH");
    must(cu.from(left, tensor, TENSOR_GLOBAL_BYTES), "cuMemcpyDtoH");
    const bool has_come = got_shared[TENSOR_SHARED_BYTES] == 1;
    const bool is_right = has_come && memcmp(left, wanted, TENSOR_GLOBAL_BYTES) == 0 &&
                          memcmp(got_shared, shared, sizeof shared) == 0;
    is_as_before = !c.is_store && is_right;
    if (!is_right) {
        explain(index, name, &c);
        explain_bytes("shared", got_shared, shared, sizeof shared);
        if (c.interleave && !c.is_store)
            explain_pieces(got_shared);
        explain_bytes("global", left, wanted, TENSOR_GLOBAL_BYTES);
    }
    add_line(index, name, c.is_store,
             is_right   ? ""
             : has_come ? " differs"
                        : " never came differs");
    return is_right;
}

static int call(const tensor_call *c, void *map)
{
    const uint64_t at = tensor + c->address;
    if (c->is_image)
        return cu.image(map, c->type, c->rank, at, c->size, c->stride, c->lower, c->upper,
                        c->channels, c->pixels, c->element_stride, c->interleave, c->swizzle,
                        c->promotion, c->fill);
    return cu.tiled(map, c->type, c->rank, at, c->size, c->stride, c->box, c->element_stride,
                    c->interleave, c->swizzle, c->promotion, c->fill);
}

/* A name, the code, and of what was made the words behind the address. */
static int run_calls(void)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < tensor_call_count; i++) {
        static _Alignas(64) uint32_t map[32];
        tensor_call c;
        const char *name = tensor_call_make(i, &c);
        memset(map, 0, sizeof map);
        const int code = call(&c, map);
        printf("%s: %d", name, code);
        for (unsigned w = 2; w < 16 && !code; w++)
            printf(" %x", map[w]);
        printf("\n");
        if (code != c.expected)
            fprintf(stderr, "%s: %d, expected %d\n", name, code, c.expected);
        wrong += code != c.expected;
    }
    fprintf(stderr, "%u of %u codes differ from what the reference says\n", wrong,
            tensor_call_count);
    return wrong != 0;
}

/* A number, the code, and of what was made all words but those that are 0: "3:1f". The address is told from the tensor's on. */
static void run_descriptions(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        static _Alignas(64) uint32_t map[32];
        tensor_call c;
        tensor_call_random(i, &c);
        memset(map, 0, sizeof map);
        const int code = call(&c, map);
        printf("%u %d", i, code);
        const uint64_t address = ((uint64_t)map[1] << 32 | map[0]) - tensor;
        map[0] = (uint32_t)address, map[1] = (uint32_t)(address >> 32);
        for (unsigned w = 0; w < 32 && !code; w++)
            if (map[w])
                printf(" %u:%x", w, map[w]);
        printf("\n");
    }
}

static tensor_family family_of(const char *name)
{
    static const char *const names[] = {"plain", "slices", "reductions", "wide_slices"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return (tensor_family)i;
    fprintf(stderr, "gpu-tensors: no family '%s'\n", name);
    exit(2);
}

static void load_tensor(const char *path, void **module)
{
    void *image = read_file(path);
    must(cu.load(module, image), "cuModuleLoadData");
    free(image);
    for (uint32_t i = 0; i < TENSOR_GLOBAL_BYTES / 4; i++) {
        const uint32_t word = random_word(i);
        memcpy(tensor_bytes + 4 * i, &word, 4);
    }
}

int main(int count, char **words)
{
    const bool calls = count == 2 && strcmp(words[1], "calls") == 0;
    if (count < 3 && !calls) {
        fprintf(stderr, "usage: gpu-tensors FILE.cubin COUNT [FAMILY [KIND [FIRST]]]\n"
                        "       gpu-tensors calls | descriptions COUNT\n");
        return 2;
    }
    open_driver();
    must(cu.allocate(&tensor, TENSOR_GLOBAL_BYTES), "cuMemAlloc");
    must(cu.allocate(&memory, MEMORY_BYTES), "cuMemAlloc");
    if (calls)
        return run_calls();
    if (strcmp(words[1], "descriptions") == 0) {
        run_descriptions((uint32_t)atoi(words[2]));
        return 0;
    }
    const uint32_t copies = (uint32_t)atoi(words[2]);
    const uint32_t first = count > 5 ? (uint32_t)atoi(words[5]) : 0;
    uint32_t wrong = 0;
    void *module;
    family = count > 3 ? family_of(words[3]) : TENSOR_PLAIN;
    only = count > 4 ? words[4] : NULL;
    load_tensor(words[1], &module);
    for (uint32_t i = first; i < copies; i++)
        wrong += !run(module, i);
    print_lines();
    fprintf(stderr, "%u of %u copies differ from what they must come to\n", wrong, copies);
    return wrong != 0;
}
