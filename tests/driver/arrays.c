/* SPDX-License-Identifier: Apache-2.0
 * CUDA arrays of the driver API: made, described, copied in pieces, given back; and texture objects
 * of them. */
#include <stddef.h>

#include "cu.h"

enum { UNSIGNED_8 = 1, SIGNED_16 = 9, FLOAT = 0x20, LAYERED = 1, SURFACE = 2, CUBEMAP = 4 };
enum { HOST = 1, DEVICE = 2, ARRAY = 3 };
enum { W = 37, H = 5, D = 3 };

struct flat {
    size_t width, height;
    int format;
    unsigned channels;
};
struct deep {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};
struct flat_side {
    size_t x, y;
    int type;
    void *host;
    address device;
    void *array;
    size_t pitch;
};
struct flat_copy {
    struct flat_side from, to;
    size_t width, height;
};
struct deep_side {
    size_t x, y, z, level;
    int type;
    void *host;
    address device;
    void *array, *reserved;
    size_t pitch, height;
};
struct deep_copy {
    struct deep_side from, to;
    size_t width, height, depth;
};
struct resource {
    int type;
    union {
        void *array;
        struct {
            address at;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        int reserved[32];
    } of;
    unsigned flags;
};
struct sampler {
    int mode[3], filter;
    unsigned flags, anisotropy;
    int level_filter;
    float levels[3], border[4];
    int reserved[12];
};

extern int cuArrayCreate_v2(void **out, const struct flat *words);
extern int cuArrayGetDescriptor_v2(struct flat *out, void *array);
extern int cuArray3DCreate_v2(void **out, const struct deep *words);
extern int cuArray3DGetDescriptor_v2(struct deep *out, void *array);
extern int cuArrayDestroy(void *array);
extern int cuMemcpy3D_v2(const struct deep_copy *copy);
extern int cuMemcpyHtoA_v2(void *to, size_t at, const void *from, size_t bytes);
extern int cuMemcpyAtoH_v2(void *to, void *from, size_t at, size_t bytes);
extern int cuTexObjectCreate(uint64_t *out, const struct resource *from, const struct sampler *how,
                             const void *view);
extern int cuTexObjectDestroy(uint64_t object);
extern int cuTexObjectGetResourceDesc(struct resource *out, uint64_t object);
extern int cuTexObjectGetTextureDesc(struct sampler *out, uint64_t object);
extern int cuSurfObjectCreate(uint64_t *out, const struct resource *from);
extern int cuSurfObjectDestroy(uint64_t object);
extern int cuMipmappedArrayCreate(void **out, const struct deep *words, unsigned levels);
extern int cuMipmappedArrayGetLevel(void **out, void *mipmaps, unsigned level);
extern int cuMipmappedArrayDestroy(void *mipmaps);

static uint16_t host[D][H][W], back[D][H][W];

static void fill(void)
{
    for (unsigned i = 0; i < D * H * W; i++)
        host[i / (W * H)][i / W % H][i % W] = (uint16_t)(i * 7 + 1);
    memset(back, 0xff, sizeof back);
}

static void describe(void)
{
    const struct flat words = {W, H, SIGNED_16, 1};
    const struct deep box = {W, H, D, FLOAT, 4, SURFACE},
                      cube = {8, 8, 12, UNSIGNED_8, 2, LAYERED | CUBEMAP};
    struct flat seen;
    struct deep deep;
    void *array;
    OK(cuArrayCreate_v2(&array, &words));
    OK(cuArrayGetDescriptor_v2(&seen, array));
    EXPECT(seen.width == W && seen.height == H && seen.format == SIGNED_16 && seen.channels == 1,
           1);
    OK(cuArrayDestroy(array));
    EXPECT(cuArrayDestroy(array), INVALID_HANDLE);
    EXPECT(cuArrayGetDescriptor_v2(&seen, array), INVALID_HANDLE);
    EXPECT(cuArrayDestroy(host), INVALID_HANDLE);
    OK(cuArray3DCreate_v2(&array, &box));
    OK(cuArray3DGetDescriptor_v2(&deep, array));
    EXPECT(memcmp(&deep, &box, offsetof(struct deep, flags) + sizeof deep.flags),
           0); /* behind them only padding */
    OK(cuArrayDestroy(array));
    OK(cuArray3DCreate_v2(&array, &cube));
    OK(cuArrayDestroy(array));
    puts("made and described");
}

static void refuse(void)
{
    static const struct deep wrong[] = {{0, 0, 0, FLOAT, 1, 0},
                                        {W, H, 0, FLOAT, 3, 0},
                                        {W, H, 0, 0x77, 1, 0},
                                        {W, 0, D, FLOAT, 1, 0},
                                        {131073, 0, 0, FLOAT, 1, 0},
                                        {W, 65537, 0, FLOAT, 1, 0},
                                        {16385, 2, 2, FLOAT, 1, 0},
                                        {W, H, 0, FLOAT, 1, LAYERED},
                                        {W, H, 2049, FLOAT, 1, LAYERED},
                                        {8, 9, 6, FLOAT, 1, CUBEMAP},
                                        {8, 8, 5, FLOAT, 1, CUBEMAP},
                                        {8, 8, 12, FLOAT, 1, CUBEMAP},
                                        {8, 8, 7, FLOAT, 1, CUBEMAP | LAYERED},
                                        {SIZE_MAX, SIZE_MAX, 0, FLOAT, 4, 0}};
    void *array;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT(cuArray3DCreate_v2(&array, &wrong[i]), INVALID_VALUE);
    EXPECT(cuArray3DCreate_v2(NULL, &wrong[0]), INVALID_VALUE);
    puts("what cannot be is refused");
}

static struct deep_side of_host(void *at)
{
    return (struct deep_side){.type = HOST, .host = at, .pitch = W * 2, .height = H};
}

/* All of a 3D array there, a box of it back. */
static void copy_boxes(void)
{
    const struct deep box = {W, H, D, SIGNED_16, 1, 0};
    void *array, *other;
    fill();
    OK(cuArray3DCreate_v2(&array, &box));
    OK(cuArray3DCreate_v2(&other, &box));
    struct deep_copy c = {of_host(host), {.type = ARRAY, .array = array}, W * 2, H, D};
    OK(cuMemcpy3D_v2(&c));
    c = (struct deep_copy){
        {.type = ARRAY, .array = array}, {.type = ARRAY, .array = other}, W * 2, H, D};
    OK(cuMemcpy3D_v2(&c));
    c = (struct deep_copy){
        {.type = ARRAY, .array = other, .x = 4, .y = 1, .z = 2}, of_host(back), 20, 3, 1};
    OK(cuMemcpy3D_v2(&c));
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 10; x++)
            EXPECT(back[0][y][x], host[2][y + 1][x + 2]);
    EXPECT(back[0][0][10], 0xffff);
    c.from.x = W * 2 - 18; /* a box of 20 bytes ends behind the row */
    EXPECT(cuMemcpy3D_v2(&c), INVALID_VALUE);
    c.from.x = 3; /* half an element */
    EXPECT(cuMemcpy3D_v2(&c), INVALID_VALUE);
    c.from.x = 0, c.from.z = SIZE_MAX;
    EXPECT(cuMemcpy3D_v2(&c), INVALID_VALUE);
    c.from.z = 0, c.from.array = host;
    EXPECT(cuMemcpy3D_v2(&c), INVALID_HANDLE);
    OK(cuArrayDestroy(array));
    OK(cuArrayDestroy(other));
    puts("boxes copied");
}

static void copy_rows(void)
{
    const struct flat words = {W, H, SIGNED_16, 1};
    void *array;
    fill();
    OK(cuArrayCreate_v2(&array, &words));
    struct flat_copy c = {
        {.type = HOST, .host = host, .pitch = W * 2}, {.type = ARRAY, .array = array}, W * 2, H};
    OK(cuMemcpy2D_v2(&c));
    /* within a row, as an H200 has it (tests/standin/programs/rows_of_arrays.cu) */
    OK(cuMemcpyAtoH_v2(back, array, 10, W * 2 - 10));
    EXPECT(memcmp(back, (char *)host + 10, W * 2 - 10), 0);
    EXPECT(cuMemcpyAtoH_v2(back, array, 10, W * 2), INVALID_VALUE);
    OK(cuMemcpyHtoA_v2(array, 0, host[1], 6));
    OK(cuMemcpyAtoH_v2(back, array, 0, 6));
    EXPECT(memcmp(back, host[1], 6), 0);
    EXPECT(cuMemcpyAtoH_v2(back, array, 0, W * 2 * H + 2), INVALID_VALUE);
    EXPECT(cuMemcpyAtoH_v2(back, array, SIZE_MAX, 2), INVALID_VALUE);
    OK(cuArrayDestroy(array));
    puts("rows copied");
}

static void make_objects(void)
{
    const struct deep words = {W, H, 0, UNSIGNED_8, 4, SURFACE};
    const struct flat plain = {W, H, UNSIGNED_8, 4};
    struct sampler how = {.mode = {1, 3, 0}, .filter = 1, .flags = 2, .border = {1, 2, 3, 4}}, seen;
    struct resource from = {0}, seen_from;
    void *array, *no_surface;
    address memory;
    uint64_t object, surface;
    OK(cuArray3DCreate_v2(&array, &words));
    OK(cuArrayCreate_v2(&no_surface, &plain));
    from.of.array = array;
    OK(cuTexObjectCreate(&object, &from, &how, NULL));
    OK(cuTexObjectGetTextureDesc(&seen, object));
    EXPECT(memcmp(&seen, &how, sizeof how), 0);
    OK(cuTexObjectGetResourceDesc(&seen_from, object));
    EXPECT(seen_from.type == 0 && seen_from.of.array == array, 1);
    OK(cuSurfObjectCreate(&surface, &from));
    EXPECT(cuTexObjectDestroy(surface), INVALID_VALUE); /* of the other kind */
    OK(cuSurfObjectDestroy(surface));
    OK(cuTexObjectDestroy(object));
    EXPECT(cuTexObjectDestroy(object), INVALID_VALUE);
    how.flags = 1; /* integers, which no filter takes */
    EXPECT(cuTexObjectCreate(&object, &from, &how, NULL), INVALID_VALUE);
    from.of.array = no_surface;
    OK(cuSurfObjectCreate(
        &surface, &from)); /* as an H200: that the array was made for surfaces is not asked */
    OK(cuSurfObjectDestroy(surface));
    from.of.array = host;
    EXPECT(cuTexObjectCreate(&object, &from, &how, NULL), INVALID_HANDLE);
    OK(cuMemAlloc_v2(&memory, 100));
    from = (struct resource){.type = 2};
    from.of.linear.at = memory, from.of.linear.format = FLOAT, from.of.linear.channels = 1,
    from.of.linear.bytes = 100;
    how.filter = 0;
    OK(cuTexObjectCreate(&object, &from, &how, NULL));
    OK(cuTexObjectDestroy(object));
    from.of.linear.bytes = 104; /* more than there is: not to be read */
    OK(cuTexObjectCreate(&object, &from, &how, NULL));
    OK(cuTexObjectDestroy(object));
    puts("objects made and described");
}

static size_t halved(size_t size, unsigned times)
{
    return size >> times ? size >> times : 1;
}

/* CUDA Driver API, cuMipmappedArrayCreate: as many levels as can be, each half as large. */
static void make_levels(void)
{
    void *mipmaps, *level, *wrong = host;
    address object;
    struct deep seen, words = {W, H, D, FLOAT, 1, 0};
    struct resource from = {.type = 1}, seen_from;
    struct sampler how = {.flags = 2};
    OK(cuMipmappedArrayCreate(&mipmaps, &words, 100));
    for (unsigned i = 0; i < 6; i++) {
        OK(cuMipmappedArrayGetLevel(&level, mipmaps, i));
        OK(cuArray3DGetDescriptor_v2(&seen, level));
        EXPECT(seen.width == halved(W, i) && seen.height == halved(H, i) &&
                   seen.depth == halved(D, i),
               1);
        EXPECT(cuArrayDestroy(level), INVALID_VALUE);
    }
    EXPECT(cuMipmappedArrayGetLevel(&level, mipmaps, 6), INVALID_VALUE);
    from.of.array = mipmaps;
    OK(cuTexObjectCreate(&object, &from, &how, NULL));
    OK(cuTexObjectGetResourceDesc(&seen_from, object));
    EXPECT(seen_from.type == 1 && seen_from.of.array == mipmaps, 1);
    OK(cuTexObjectDestroy(object));
    EXPECT(cuMipmappedArrayDestroy(wrong), INVALID_HANDLE);
    OK(cuMipmappedArrayDestroy(mipmaps));
    EXPECT(cuMipmappedArrayDestroy(mipmaps), INVALID_HANDLE);
    EXPECT(cuArray3DGetDescriptor_v2(&seen, level), INVALID_HANDLE);
    words.flags = LAYERED, words.height = 0;
    OK(cuMipmappedArrayCreate(&mipmaps, &words, 2));
    OK(cuMipmappedArrayGetLevel(&level, mipmaps, 1));
    OK(cuArray3DGetDescriptor_v2(&seen, level));
    EXPECT(seen.width == W / 2 && seen.height == 0 && seen.depth == D, 1);
    OK(cuMipmappedArrayDestroy(mipmaps));
    words.width = 0;
    EXPECT(cuMipmappedArrayCreate(&mipmaps, &words, 2), INVALID_VALUE);
    puts("levels made, described and given back");
}

int main(void)
{
    void *context;
    (void)kernels;
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    describe();
    refuse();
    copy_boxes();
    copy_rows();
    make_objects();
    make_levels();
    return 0;
}
