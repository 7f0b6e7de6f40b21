/* SPDX-License-Identifier: Apache-2.0
 * Copies, fills and allocations whose sizes are more than numbers or allocations hold. The codes
 * are those of the pages of the runtime's and the driver's references; nothing may be read or
 * written. */
#include "cu.h"

#include <sys/mman.h>

typedef struct pitched {
    void *at;
    size_t pitch, width, height;
} pitched;

typedef struct triple {
    size_t x, y, z;
} triple;

typedef struct copy3d {
    void *from_array;
    triple from_position;
    pitched from;
    void *to_array;
    triple to_position;
    pitched to;
    triple extent;
    int kind;
} copy3d;

typedef struct side {
    size_t x, y, z, level;
    int type;
    void *host;
    address device;
    void *array, *context;
    size_t pitch, height;
} side;

typedef struct deep_copy {
    side from, to;
    size_t width, height, depth;
} deep_copy;

extern int cudaMalloc(void **out, size_t bytes);
extern int cudaFree(void *at);
extern int cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height);
extern int cudaMalloc3D(pitched *out, triple extent);
extern int cudaMallocHost(void **out, size_t bytes);
extern int cudaHostRegister(void *at, size_t bytes, unsigned flags);
extern int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
extern int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                        size_t width, size_t height, int kind);
extern int cudaMemcpy3D(const copy3d *copy);
extern int cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height);
extern int cudaMemset3D(pitched block, int value, triple extent);
extern int cuMemcpy3D_v2(const deep_copy *copy);
extern int cuMemsetD2D32_v2(address to, size_t pitch, unsigned value, size_t width, size_t height);
extern int cudaGraphCreate(void **out, unsigned flags);
extern int cudaGraphAddMemsetNode(void **out, void *graph, void *const *after, size_t count,
                                  const void *params);

enum {
    TO_DEVICE = 1,
    TO_HOST = 2,
    WITHIN = 3,
    DEFAULT = 4,
    BYTES = 1 << 16,
    PITCH = 512,
    HOST = 1,
    DEVICE = 2
};

#define TOP ((size_t)1 << 63)
#define ALL ((size_t)-1)

static uint8_t *device, host[BYTES];

/* ---- two dimensions -------------------------------------------------------------------------- */

/* Rows of the device's 64 KiB, 16 bytes wide unless said otherwise. */
static const struct {
    size_t pitch, width, height;
} bad_rows[] = {
    {ALL, 16, 2}, /* the second row lies a byte before the first */
    {ALL, 16, 3},
    {TOP, 16, 2},
    {TOP, 16, 3},      /* the third one lies on the first */
    {ALL - 15, 16, 2}, /* 16 bytes before */
    {ALL - PITCH + 1, 16, 2},
    {(size_t)1 << 31, 16, 2}, /* over cudaDevAttrMaxPitch */
    {PITCH, 16, ALL},
    {PITCH, 16, TOP},
    {PITCH, 16, TOP / (PITCH / 2) + 1}, /* rows × pitch is 512 again */
    {PITCH, 16, BYTES / PITCH + 1},
    {PITCH, ALL, 2},
    {PITCH, PITCH + 1, 2},
    {8, 16, 2},
};

static void flat(void)
{
    for (size_t i = 0; i < sizeof bad_rows / sizeof *bad_rows; i++) {
        const size_t pitch = bad_rows[i].pitch, width = bad_rows[i].width,
                     height = bad_rows[i].height;
        fprintf(stderr, "rows %zu\n", i);
        EXPECT(cudaMemcpy2D(device, pitch, host, pitch, width, height, TO_DEVICE), INVALID_VALUE);
        EXPECT(cudaMemcpy2D(host, pitch, device, pitch, width, height, TO_HOST), INVALID_VALUE);
        EXPECT(cudaMemcpy2D(device, pitch, device, pitch, width, height, WITHIN), INVALID_VALUE);
        EXPECT(cudaMemcpy2D(device, pitch, host, pitch, width, height, DEFAULT), INVALID_VALUE);
        EXPECT(cudaMemset2D(device, pitch, 1, width, height), INVALID_VALUE);
        EXPECT(cuMemsetD2D16_v2((address)device, pitch & ~(size_t)1, 1, width, height),
               INVALID_VALUE);
    }
    EXPECT(cuMemsetD2D32_v2((address)device, PITCH, 1, TOP / 2, 2),
           INVALID_VALUE); /* width × 4 is 0 */
    OK(cudaMemcpy2D(device, PITCH, host, PITCH, PITCH, BYTES / PITCH, TO_DEVICE));
    OK(cudaMemset2D(device, PITCH, 1, PITCH, BYTES / PITCH));
    puts("rows that do not fit");
}

/* ---- three ----------------------------------------------------------------------------------- */

static const struct {
    triple at;
    size_t pitch, rows;
    triple extent;
} bad_boxes[] = {
    {{0, 0, 0}, ALL, 8, {16, 8, 2}},
    {{0, 0, 0}, TOP, 2, {16, 2, 2}}, /* a slice of 2^64 bytes */
    {{0, 0, 0}, PITCH, ALL, {16, 8, 2}},
    {{0, 0, 0}, PITCH, TOP / (PITCH / 2), {16, 8, 2}},
    {{0, 0, 0}, PITCH, 4, {16, 8, 2}}, /* more rows than a slice has */
    {{0, 0, 0}, PITCH, 8, {16, 8, ALL}},
    {{0, 0, 0}, PITCH, 8, {16, ALL, 1}},
    {{0, 0, 0}, PITCH, 8, {ALL, 2, 1}},
    {{ALL, 0, 0}, PITCH, 8, {1, 1, 1}}, /* a byte before the first */
    {{ALL - 15, 0, 0}, PITCH, 8, {16, 2, 2}},
    {{0, ALL, 0}, PITCH, 8, {16, 1, 1}},
    {{0, 0, ALL}, PITCH, 8, {16, 1, 1}},
    {{0, 0, TOP / (PITCH * 4)}, PITCH, 8, {16, 1, 1}}, /* z × slice is 0 */
    {{0, 0, 16}, PITCH, 8, {16, 1, 1}},                /* the first byte behind all */
    {{PITCH - 8, 0, 0}, PITCH, 8, {16, 2, 2}},
};

static void deep(void)
{
    for (size_t i = 0; i < sizeof bad_boxes / sizeof *bad_boxes; i++) {
        const pitched bad = {device, bad_boxes[i].pitch, bad_boxes[i].pitch, bad_boxes[i].rows},
                      good = {host, PITCH, PITCH, 8};
        const triple at = bad_boxes[i].at, extent = bad_boxes[i].extent;
        const copy3d to = {
            .from = good, .to = bad, .to_position = at, .extent = extent, .kind = TO_DEVICE};
        const copy3d from = {
            .from = bad, .from_position = at, .to = good, .extent = extent, .kind = TO_HOST};
        const side bad_side = {at.x,
                               at.y,
                               at.z,
                               .type = DEVICE,
                               .device = (address)device,
                               .pitch = bad.pitch,
                               .height = bad.height};
        const side good_side = {.type = HOST, .host = host, .pitch = PITCH, .height = 8};
        fprintf(stderr, "box %zu\n", i);
        EXPECT(cudaMemcpy3D(&to), INVALID_VALUE);
        EXPECT(cudaMemcpy3D(&from), INVALID_VALUE);
        EXPECT(cuMemcpy3D_v2(&(deep_copy){good_side, bad_side, extent.x, extent.y, extent.z}),
               INVALID_VALUE);
        EXPECT(cuMemcpy3D_v2(&(deep_copy){bad_side, good_side, extent.x, extent.y, extent.z}),
               INVALID_VALUE);
        if (!at.x && !at.y && !at.z)
            EXPECT(cudaMemset3D(bad, 1, extent), INVALID_VALUE);
    }
    /* Slices that all lie on one another. */
    EXPECT(cudaMemset3D((pitched){device, 0, PITCH, 0}, 1, (triple){16, 1, TOP}), INVALID_VALUE);
    OK(cudaMemset3D((pitched){device, PITCH, PITCH, 8}, 1, (triple){PITCH, 8, 16}));
    puts("boxes that do not fit");
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void lines(void)
{
    EXPECT(cudaMemcpy(NULL, device, 4, TO_HOST), INVALID_VALUE);
    EXPECT(cudaMemcpy(device, NULL, 4, TO_DEVICE), INVALID_VALUE);
    EXPECT(cudaMemcpy(device, host, ALL, TO_DEVICE), INVALID_VALUE);
    EXPECT(cudaMemcpy(host, device, ALL, DEFAULT), INVALID_VALUE);
    EXPECT(cudaMemcpy(host, device + BYTES, 4, DEFAULT),
           INVALID_VALUE); /* just behind, and in the gap */
    EXPECT(cudaMemcpy(device + BYTES + 4096, host, 4, DEFAULT), INVALID_VALUE);
    EXPECT(cudaMemcpy(device, device, ALL, DEFAULT), INVALID_VALUE);
    puts("lines that do not fit");
}

/* A freed address is none, however long ago it was freed. */
static void freed(void)
{
    void *first, *at;
    OK(cudaMalloc(&first, 64));
    OK(cudaFree(first));
    for (int i = 0; i < 3000; i++) {
        OK(cudaMalloc(&at, 64));
        OK(cudaFree(at));
    }
    EXPECT(cudaMemcpy(first, host, 4, DEFAULT), INVALID_VALUE);
    EXPECT(cudaMemcpy(host, first, 4, TO_HOST), INVALID_VALUE);
    EXPECT(cudaMemcpy(at, host, 4, DEFAULT), INVALID_VALUE);
    EXPECT(cudaFree(first), INVALID_VALUE);
    puts("freed memory");
}

/* ---- allocations, nodes ---------------------------------------------------------------------- */

static void allocations(void)
{
    void *at;
    size_t pitch;
    pitched box;
    EXPECT(cudaMallocPitch(&at, &pitch, ALL, ALL), OUT_OF_MEMORY);
    EXPECT(cudaMallocPitch(&at, &pitch, ALL, 1), OUT_OF_MEMORY);
    EXPECT(cudaMallocPitch(&at, &pitch, ALL - PITCH, 1), OUT_OF_MEMORY);
    EXPECT(cudaMallocPitch(&at, &pitch, PITCH, TOP / (PITCH / 2)), OUT_OF_MEMORY);
    EXPECT(cudaMalloc3D(&box, (triple){ALL, ALL, ALL}), OUT_OF_MEMORY);
    EXPECT(cudaMalloc3D(&box, (triple){PITCH, TOP, 2}), OUT_OF_MEMORY);
    EXPECT(cuMemAllocPitch_v2((address *)&at, &pitch, ALL, ALL, 4), OUT_OF_MEMORY);
    EXPECT(cudaMalloc(&at, ALL), OUT_OF_MEMORY);
    EXPECT(cudaMallocHost(&at, ALL), OUT_OF_MEMORY);
    EXPECT(cudaMallocHost(&at, (size_t)1 << 46), OUT_OF_MEMORY);
    puts("allocations that do not fit");
}

static void registrations(void)
{
    uint8_t *pages =
        mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(pages != MAP_FAILED, 1);
    munmap(pages + 4096, 4096);
    EXPECT(cudaHostRegister(pages, 8192, 0), INVALID_VALUE);
    EXPECT(cudaHostRegister(pages + 100, ALL, 0), INVALID_VALUE);
    EXPECT(cudaHostRegister(pages, (size_t)1 << 46, 0), INVALID_VALUE);
    OK(cudaHostRegister(pages, 4096, 0));
    puts("memory that is not there");
}

typedef struct set_params {
    void *to;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height;
} set_params;

static void nodes(void)
{
    static const unsigned sizes[] = {0, 3, 8, 1000, UINT32_MAX};
    void *graph, *node;
    OK(cudaGraphCreate(&graph, 0));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const set_params params = {device, PITCH, 1, sizes[i], 4, 1};
        EXPECT(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &params), INVALID_VALUE);
    }
    EXPECT(cudaGraphAddMemsetNode(&node, graph, NULL, 0,
                                  &(set_params){device, PITCH, 1, 4, TOP / 2, 1}),
           INVALID_VALUE);
    puts("nodes that fill what is none");
}

int main(void)
{
    void *at;
    OK(cudaMalloc(&at, BYTES));
    OK(cuInit(0));
    device = at;
    lines();
    flat();
    deep();
    freed();
    allocations();
    registrations();
    nodes();
    return 0;
}
