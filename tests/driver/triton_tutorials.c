/* SPDX-License-Identifier: Apache-2.0
 * The kernels of tests/triton/tutorials.py, loaded and launched as Triton's own launcher does it:
 * products, attention and layer norm of halves against the same in doubles on the host. What the
 * result may be off by is stated with each.
 * usage: triton_tutorials FOLDER NN      the cubins of sm_NN */
#include "cu.h"

#include <math.h>
#include <stdbool.h>

enum { MOST = 1 << 18, MOST_PARAMS = 16, HEADS = 2, WIDTH = 64 };

/* Of a half and of a float: the half distance between neighbours, relative. */
#define HALF_ROUNDING 0x1p-11
#define FLOAT_ROUNDING 0x1p-24

static const char *folder;
static int target, failures;

/* -- halves -- */

static double of_half(uint16_t h)
{
    const int exponent = h >> 10 & 31, fraction = h & 1023;
    const double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return h >> 15 ? -size : size;
}

/* k / 256 for |k| < 2048, which a half has exactly. */
static uint16_t half_of(int k)
{
    const int size = abs(k);
    int exponent = 0;
    while (size >> (exponent + 1))
        exponent++;
    const unsigned fraction = (unsigned)size << (10 - exponent) & 1023;
    const unsigned bits = size ? (unsigned)(exponent + 7) << 10 | fraction : 0;
    return (uint16_t)(bits | (k < 0 ? 0x8000u : 0));
}

/* -- memory: what the host knows of a buffer -- */

typedef struct buffer {
    address at;
    size_t count;
    uint16_t *host;
} buffer;

static buffer halves(size_t count, bool filled)
{
    static uint32_t state = 1;
    buffer b = {.count = count, .host = calloc(count, sizeof *b.host)};
    EXPECT(b.host != NULL, true);
    for (size_t i = 0; filled && i < count; i++) {
        state = state * 1664525u + 1013904223u;
        b.host[i] = half_of((int)(state >> 23) - 256);
    }
    OK(cuMemAlloc_v2(&b.at, count * sizeof *b.host));
    OK(cuMemcpyHtoD_v2(b.at, b.host, count * sizeof *b.host));
    return b;
}

static void read_back(buffer *b)
{
    OK(cuMemcpyDtoH_v2(b->host, b->at, b->count * sizeof *b->host));
}

static void drop(buffer *b)
{
    OK(cuMemFree_v2(b->at));
    free(b->host);
}

static address words_on_gpu(const void *from, size_t bytes)
{
    address at;
    OK(cuMemAlloc_v2(&at, bytes));
    OK(cuMemcpyHtoD_v2(at, from, bytes));
    return at;
}

/* -- launches: threads and shared memory as tutorials.txt has them -- */

static void look_up(const char *name, unsigned *threads, unsigned *shared)
{
    char path[4096], line[256], of[64];
    int sm = 0;
    snprintf(path, sizeof path, "%s/tutorials.txt", folder);
    FILE *in = fopen(path, "r");
    EXPECT(in != NULL, true);
    bool found = false;
    while (!found && fgets(line, sizeof line, in))
        found = sscanf(line, "%63s %d %u %u", of, &sm, threads, shared) == 4 &&
                strcmp(of, name) == 0 && sm == target;
    fclose(in);
    EXPECT(found, true);
}

static void *function_of(const char *name)
{
    static char image[MOST];
    char path[4096];
    void *module, *function;
    snprintf(path, sizeof path, "%s/%s.sm_%d.cubin", folder, name, target);
    FILE *in = fopen(path, "rb");
    EXPECT(in != NULL, true);
    EXPECT(fread(image, 1, sizeof image, in) > 0, true);
    fclose(in);
    OK(cuModuleLoadData(&module, image));
    OK(cuModuleGetFunction(&function, module, name));
    return function;
}

/* Triton adds two addresses of scratch memory, which these kernels do not use. */
static void launch(const char *name, unsigned x, unsigned y, void **params, size_t count)
{
    unsigned threads, shared;
    address none = 0;
    void *all[MOST_PARAMS];
    look_up(name, &threads, &shared);
    memcpy(all, params, count * sizeof *params);
    all[count] = all[count + 1] = &none;
    OK(cuLaunchKernel(function_of(name), x, y, 1, threads, 1, 1, shared, NULL, all, NULL));
    OK(cuCtxSynchronize());
}
#define LAUNCH(name, x, y, ...)                                                                    \
    launch(name, x, y, (void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))

/* -- what is expected -- */

static void check(const char *what, size_t at, double got, double wanted, double slack)
{
    if (fabs(got - wanted) <= slack)
        return;
    if (failures++ < 5)
        printf("%s: element %zu is %.9g, not %.9g, give or take %.2g\n", what, at, got, wanted,
               slack);
}

/* Each of the additions in floats may be off by one unit of the last place of what there is to add
 * up (tensor cores cut off what does not fit), and the result is rounded to a half. */
static double slack_of_sum(double wanted, double sizes, int additions)
{
    return HALF_ROUNDING * fabs(wanted) + 2 * FLOAT_ROUNDING * additions * sizes + 0x1p-25;
}

static void check_product(const char *what, const buffer *a, const buffer *b, buffer *c, int rows,
                          int columns, int depth)
{
    read_back(c);
    for (int m = 0; m < rows; m++)
        for (int n = 0; n < columns; n++) {
            double sum = 0, sizes = 0;
            for (int k = 0; k < depth; k++) {
                const double product =
                    of_half(a->host[m * depth + k]) * of_half(b->host[k * columns + n]);
                sum += product;
                sizes += fabs(product);
            }
            const size_t at = (size_t)m * (size_t)columns + (size_t)n;
            check(what, at, of_half(c->host[at]), sum, slack_of_sum(sum, sizes, depth));
        }
}

static void product(void)
{
    int rows = 200, columns = 112, depth = 80;
    buffer a = halves((size_t)(rows * depth), true), b = halves((size_t)(depth * columns), true),
           c = halves((size_t)(rows * columns), false);
    LAUNCH("half_product", 4 * 2, 1, &a.at, &b.at, &c.at, &rows, &columns, &depth, &depth, &columns,
           &columns);
    check_product("product", &a, &b, &c, rows, columns, depth);
    drop(&a), drop(&b), drop(&c);
}

static void grouped(void)
{
    enum { COUNT = 3, BLOCKS = 5 };
    static const int sizes[COUNT][3] = {{100, 40, 48}, {64, 96, 136}, {8, 200, 72}};
    buffer a[COUNT], b[COUNT], c[COUNT];
    address places[COUNT][3];
    int count = COUNT;
    for (int i = 0; i < COUNT; i++) {
        const size_t rows = (size_t)sizes[i][0], columns = (size_t)sizes[i][1],
                     depth = (size_t)sizes[i][2];
        a[i] = halves(rows * depth, true);
        b[i] = halves(depth * columns, true);
        c[i] = halves(rows * columns, false);
        memcpy(places[i], (address[]){a[i].at, b[i].at, c[i].at}, sizeof places[i]);
    }
    address of_places = words_on_gpu(places, sizeof places),
            of_sizes = words_on_gpu(sizes, sizeof sizes);
    LAUNCH("grouped_product", BLOCKS, 1, &of_places, &of_sizes, &count);
    for (int i = 0; i < COUNT; i++) {
        check_product("grouped product", &a[i], &b[i], &c[i], sizes[i][0], sizes[i][1],
                      sizes[i][2]);
        drop(&a[i]), drop(&b[i]), drop(&c[i]);
    }
    OK(cuMemFree_v2(of_places));
    OK(cuMemFree_v2(of_sizes));
}

/* Weights of one query, which add up to one; those behind it are none. */
static void weigh(const buffer *q, const buffer *k, int head, int query, int length, double scale,
                  double *weights)
{
    double total = 0;
    for (int key = 0; key <= query; key++) {
        double score = 0;
        for (int i = 0; i < WIDTH; i++)
            score += of_half(q->host[(head * length + query) * WIDTH + i]) *
                     of_half(k->host[(head * length + key) * WIDTH + i]);
        total += weights[key] = exp(score * scale);
    }
    for (int key = 0; key <= query; key++)
        weights[key] /= total;
}

/* The weights are rounded to halves before they meet the values, their sum is not: two roundings of
 * a half at most, of all that is added up, beside those of a sum. The scores are sums themselves; 2^-20
 * is for them and the exponential. */
static void attention(void)
{
    enum { LENGTH = 150 };
    int length = LENGTH;
    float scale = (float)(0.125 * 1.4426950408889634);
    const size_t count = (size_t)HEADS * LENGTH * WIDTH;
    buffer q = halves(count, true), k = halves(count, true), v = halves(count, true),
           out = halves(count, false);
    LAUNCH("causal_attention", (LENGTH + 63) / 64, HEADS, &q.at, &k.at, &v.at, &out.at, &length,
           &scale);
    read_back(&out);
    for (int row = 0; row < HEADS * LENGTH; row++) {
        double weights[LENGTH];
        const int head = row / LENGTH, query = row % LENGTH;
        weigh(&q, &k, head, query, LENGTH, 0.125, weights);
        for (int i = 0; i < WIDTH; i++) {
            double sum = 0, sizes = 0;
            for (int key = 0; key <= query; key++) {
                const double part =
                    weights[key] * of_half(v.host[(head * LENGTH + key) * WIDTH + i]);
                sum += part;
                sizes += fabs(part);
            }
            const size_t at = (size_t)row * WIDTH + (size_t)i;
            check("attention", at, of_half(out.host[at]), sum,
                  slack_of_sum(sum, sizes, query) + (2 * HALF_ROUNDING + 0x1p-20) * sizes);
        }
    }
    drop(&q), drop(&k), drop(&v), drop(&out);
}

/* Floats throughout: 2^-20 for sums of some hundred values, the root and the division. */
static void layer_norm(void)
{
    enum { ROWS = 6, COLUMNS = 700 };
    int columns = COLUMNS;
    float epsilon = 1e-5f, got_means[ROWS], got_scales[ROWS];
    buffer x = halves((size_t)ROWS * COLUMNS, true), gain = halves(COLUMNS, true),
           bias = halves(COLUMNS, true), out = halves((size_t)ROWS * COLUMNS, false);
    address means = words_on_gpu(got_means, sizeof got_means),
            scales = words_on_gpu(got_scales, sizeof got_scales);
    LAUNCH("half_layer_norm", ROWS, 1, &x.at, &gain.at, &bias.at, &out.at, &means, &scales,
           &columns, &epsilon);
    read_back(&out);
    OK(cuMemcpyDtoH_v2(got_means, means, sizeof got_means));
    OK(cuMemcpyDtoH_v2(got_scales, scales, sizeof got_scales));
    for (int row = 0; row < ROWS; row++) {
        double mean = 0, squares = 0;
        for (int i = 0; i < COLUMNS; i++)
            mean += of_half(x.host[row * COLUMNS + i]) / COLUMNS;
        for (int i = 0; i < COLUMNS; i++)
            squares += pow(of_half(x.host[row * COLUMNS + i]) - mean, 2) / COLUMNS;
        const double scale = 1 / sqrt(squares + (double)epsilon);
        check("mean", (size_t)row, (double)got_means[row], mean, 0x1p-20);
        check("scale", (size_t)row, (double)got_scales[row], scale, 0x1p-20 * scale);
        for (int i = 0; i < COLUMNS; i++) {
            const double apart = (of_half(x.host[row * COLUMNS + i]) - mean) * scale,
                         part = apart * of_half(gain.host[i]), shift = of_half(bias.host[i]),
                         y = part + shift;
            check("layer norm", (size_t)(row * COLUMNS + i), of_half(out.host[row * COLUMNS + i]),
                  y, HALF_ROUNDING * fabs(y) + 0x1p-20 * (1 + fabs(part) + fabs(shift)));
        }
    }
    OK(cuMemFree_v2(means));
    OK(cuMemFree_v2(scales));
    drop(&x), drop(&gain), drop(&bias), drop(&out);
}

int main(int count, char **words)
{
    void *context;
    (void)kernels;
    if (count != 3)
        return 2;
    folder = words[1];
    target = atoi(words[2]);
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    product();
    grouped();
    attention();
    layer_norm();
    printf("%d elements are off\n", failures);
    return failures != 0;
}
