/* SPDX-License-Identifier: Apache-2.0
 * Descriptions of tensors for copies of boxes (CUDA Driver API reference, Tensor Map Object
 * Management). What a description holds is in code/tensor_map.h. */
#include "standin/driver_served.h"

#include "code/tensor_map.h"
#include "code/value.h"

#include <string.h>

enum {
    MOST_BOX = 256,
    MOST_ELEMENT_STRIDE = 8,
    STRIDE_UNIT = 16,
    LEAST_IMAGE_RANK = 3,
    LEAST_SLICES_RANK = 3,
    MOST_CHANNELS = 256,
    MOST_PIXELS = 1024
};

static const uint64_t MOST_SIZE = UINT64_C(1) << 32;

/* What both ways of encoding are given. */
typedef struct tensor_words {
    int type;
    unsigned rank;
    void *address;
    const uint64_t *size, *stride;
    const uint32_t *element_stride;
    int interleave, swizzle, promotion, fill;
} tensor_words;

/* By CUtensorMapDataType. */
static const struct {
    uint8_t type, bytes;
    bool flushes;
} types[] = {{IFL_TYPE_U8, 1, false},   {IFL_TYPE_U16, 2, false}, {IFL_TYPE_U32, 4, false},
             {IFL_TYPE_S32, 4, false},  {IFL_TYPE_U64, 8, false}, {IFL_TYPE_S64, 8, false},
             {IFL_TYPE_F16, 2, false},  {IFL_TYPE_F32, 4, false}, {IFL_TYPE_F64, 8, false},
             {IFL_TYPE_BF16, 2, false}, {IFL_TYPE_F32, 4, true},  {IFL_TYPE_TF32, 4, false},
             {IFL_TYPE_TF32, 4, true},  {IFL_TYPE_U8, 1, false},  {IFL_TYPE_U8, 8, false},
             {IFL_TYPE_U8, 12, false}};
enum {
    LAST_TYPE = sizeof types / sizeof *types - 1,
    LAST_PROMOTION = 3,
    LAST_SWIZZLE = 6, /* from the fourth on CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B and kin */
    LAST_INTERLEAVE = 2,
    FIRST_FLOAT = 6,
    LAST_FLOAT = 12
};

static int gpu_attribute(int attribute)
{
    int value = 0;
    return cudaDeviceGetAttribute(&value, attribute, 0) == ifl_cudaSuccess ? value : 0;
}

/* What Blackwell brought is refused by an H200's driver, and so are integers that are filled with NaN. */
static bool is_for_gpu(const tensor_words *w)
{
    enum { MAJOR = 75, BLACKWELL = 10 };
    const bool is_new = w->type > LAST_FLOAT || w->swizzle > IFL_TENSOR_SWIZZLE_128;
    return (!is_new || gpu_attribute(MAJOR) >= BLACKWELL) && (!w->fill || w->type >= FIRST_FLOAT);
}

/* The last three, of 4 and 6 bits. */
static uint8_t packing_of(int type)
{
    enum { FIRST = 13 };
    return type < FIRST ? IFL_TENSOR_WHOLE : (uint8_t)(IFL_TENSOR_FOURS + type - FIRST);
}

static bool is_plain_right(const void *out, const tensor_words *w)
{
    return out && (uintptr_t)out % 64 == 0 && w->type >= 0 && w->type <= LAST_TYPE && w->rank &&
           w->rank <= IFL_TENSOR_RANKS && (uintptr_t)w->address % STRIDE_UNIT == 0 && w->size &&
           w->element_stride && (w->stride || w->rank == 1) && w->interleave >= 0 &&
           w->interleave <= LAST_INTERLEAVE && w->swizzle >= 0 && w->swizzle <= LAST_SWIZZLE &&
           w->promotion >= 0 && w->promotion <= LAST_PROMOTION && (w->fill == 0 || w->fill == 1);
}

static bool fill_sizes(ifl_tensor_map *map, const tensor_words *w)
{
    for (unsigned i = 0; i < w->rank; i++) {
        const uint32_t stride = w->element_stride[i];
        if (!w->size[i] || w->size[i] > MOST_SIZE || !stride || stride > MOST_ELEMENT_STRIDE)
            return false;
        map->size[i] = w->size[i];
        map->element_stride[i] = stride;
    }
    for (unsigned i = 0; i + 1 < w->rank; i++) {
        if (w->stride[i] % STRIDE_UNIT || w->stride[i] >> 40)
            return false;
        map->stride[i] = w->stride[i];
    }
    return true;
}

/* What the reference demands of packed elements, beside what it demands of all. */
static bool are_packed_right(const tensor_words *w)
{
    enum { UNIT = 128, ALIGNMENT = 32 };
    const uint8_t packing = packing_of(w->type);
    if (packing < IFL_TENSOR_FOURS_APART)
        return packing == IFL_TENSOR_WHOLE || w->size[0] % 2 == 0;
    bool is_right = w->size[0] % UNIT == 0 && (uintptr_t)w->address % ALIGNMENT == 0 &&
                    (w->swizzle == IFL_TENSOR_SWIZZLE_NONE || w->swizzle == IFL_TENSOR_SWIZZLE_128);
    for (unsigned i = 0; i + 1 < w->rank; i++)
        is_right = is_right && w->stride[i] % ALIGNMENT == 0;
    return is_right;
}

/* What the reference demands of channels in slices; it bars them for elements of 6 bits, and an H200's
 * driver for those of 4 bits side by side. Slices of 32 bytes it bars with other swizzles than that of 32; the
 * driver takes them. */
static bool are_slices_right(const tensor_words *w)
{
    enum { ALIGNMENT = 32 };
    if (!w->interleave)
        return true;
    bool is_right = w->rank >= LEAST_SLICES_RANK && packing_of(w->type) != IFL_TENSOR_SIXES_APART &&
                    packing_of(w->type) != IFL_TENSOR_FOURS;
    if (w->interleave == IFL_TENSOR_SLICES_16)
        return is_right;
    for (unsigned i = 0; i + 1 < w->rank; i++)
        is_right = is_right && w->stride[i] % ALIGNMENT == 0;
    return is_right && (uintptr_t)w->address % ALIGNMENT == 0;
}

static bool is_row_right(const ifl_tensor_map *map, uint32_t elements)
{
    enum { UNIT = 128 };
    return ifl_tensor_map_takes_row(map, elements) &&
           (map->packing < IFL_TENSOR_FOURS_APART || elements == UNIT);
}

static ifl_cuda_error describe(const void *out, const tensor_words *w, ifl_tensor_map *map)
{
    const bool has_atoms = w->swizzle > IFL_TENSOR_SWIZZLE_128;
    if (!is_plain_right(out, w) || !is_for_gpu(w) || !are_slices_right(w))
        return ifl_cudaErrorInvalidValue;
    /* Elements of 4 bits that stand apart, in slices: what such a slice holds no document says. */
    if (packing_of(w->type) >= IFL_TENSOR_FOURS_APART && w->interleave)
        return ifl_cudaErrorNotSupported;
    *map = (ifl_tensor_map){.rank = (uint8_t)w->rank,
                            .type = types[w->type].type,
                            .element_bytes = types[w->type].bytes,
                            .packing = packing_of(w->type),
                            .interleave = (uint8_t)w->interleave,
                            .flushes = types[w->type].flushes,
                            .swizzle = (uint8_t)(has_atoms ? IFL_TENSOR_SWIZZLE_128 : w->swizzle),
                            .atom = (uint8_t)(has_atoms ? w->swizzle - IFL_TENSOR_SWIZZLE_128 : 0),
                            .fills_nan = w->fill != 0,
                            .promotion = (uint8_t)w->promotion,
                            .address = (uintptr_t)w->address};
    return are_packed_right(w) && fill_sizes(map, w) ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
}

static ifl_cuda_error keep(void *out, const ifl_tensor_map *map)
{
    ifl_tensor_map_write(map, out);
    return ifl_cudaSuccess;
}

/* An H200's driver takes boxes of up to 228 KB, which its SMs have. */
static ifl_cuda_error keep_box(void *out, const ifl_tensor_map *map)
{
    enum { SHARED_BYTES_OF_SM = 81 };
    return ifl_tensor_map_box_bytes(map) <= (uint64_t)gpu_attribute(SHARED_BYTES_OF_SM)
               ? keep(out, map)
               : ifl_cudaErrorInvalidValue;
}

static ifl_cuda_error encode_tiled(void *out, const tensor_words *w, const uint32_t *box)
{
    ifl_tensor_map map;
    const ifl_cuda_error code = describe(out, w, &map);
    if (code != ifl_cudaSuccess || !box)
        return code != ifl_cudaSuccess ? code : ifl_cudaErrorInvalidValue;
    for (unsigned i = 0; i < w->rank; i++) {
        if (!box[i] || box[i] > MOST_BOX)
            return ifl_cudaErrorInvalidValue;
        map.box[i] = (uint16_t)box[i];
    }
    return is_row_right(&map, box[0]) ? keep_box(out, &map) : ifl_cudaErrorInvalidValue;
}

/* Three corners have 5 bits each, two 8, one 16. */
static bool is_corner(unsigned rank, int corner)
{
    static const int most[] = {[3] = INT16_MAX, [4] = INT8_MAX, [5] = 15};
    return corner >= -most[rank] - 1 && corner <= most[rank];
}

/* Whether pixels have a place to begin at: an H200's driver says so in words of 32 bits with a sign. */
static bool has_pixels(uint64_t size, int lower, int upper)
{
    return (int64_t)(int32_t)(uint32_t)size + upper - lower > 0;
}

static ifl_cuda_error encode_image(void *out, const tensor_words *w, const int *lower,
                                   const int *upper, unsigned channels, unsigned pixels)
{
    ifl_tensor_map map;
    const ifl_cuda_error code = describe(out, w, &map);
    if (code != ifl_cudaSuccess)
        return code;
    if (w->rank < LEAST_IMAGE_RANK || !lower || !upper || !channels || channels > MOST_CHANNELS ||
        !pixels || pixels > MOST_PIXELS || !is_row_right(&map, channels))
        return ifl_cudaErrorInvalidValue;
    map.is_image = true;
    map.image.channels = (uint16_t)channels;
    map.image.pixels = (uint16_t)pixels;
    const unsigned first = w->interleave ? 0 : 1;
    for (unsigned i = 0; i + 2 < w->rank; i++) {
        if (!is_corner(w->rank, lower[i]) || !is_corner(w->rank, upper[i]) ||
            !has_pixels(w->size[first + i], lower[i], upper[i]))
            return ifl_cudaErrorInvalidValue;
        map.image.lower[i] = (int16_t)lower[i];
        map.image.upper[i] = (int16_t)upper[i];
    }
    return keep_box(out, &map);
}

/* `mode`: 0 W, 1 W128. */
static ifl_cuda_error encode_wide(void *out, const tensor_words *w, int lower, int upper,
                                  unsigned channels, unsigned pixels, int mode)
{
    ifl_tensor_map map;
    const ifl_cuda_error code = describe(out, w, &map);
    if (code != ifl_cudaSuccess)
        return code;
    if (w->interleave || w->rank < LEAST_IMAGE_RANK || mode < 0 || mode > 1 ||
        lower != (int16_t)lower || upper != (int16_t)upper || !channels ||
        channels > MOST_CHANNELS || !pixels || pixels > MOST_PIXELS ||
        !is_row_right(&map, channels))
        return ifl_cudaErrorInvalidValue;
    map.is_image = true;
    map.wide = mode ? IFL_TENSOR_WIDE_128 : IFL_TENSOR_WIDE;
    map.image.channels = (uint16_t)channels;
    map.image.pixels = (uint16_t)pixels;
    map.image.lower[0] = (int16_t)lower;
    map.image.upper[0] = (int16_t)upper;
    return keep(out, &map);
}

IFL_SERVED ifl_cuda_error cuTensorMapEncodeTiled(void *out, int type, unsigned rank, void *address,
                                                 const uint64_t *size, const uint64_t *stride,
                                                 const uint32_t *box,
                                                 const uint32_t *element_stride, int interleave,
                                                 int swizzle, int promotion, int fill)
{
    const tensor_words words = {type,           rank,       address, size,      stride,
                                element_stride, interleave, swizzle, promotion, fill};
    DRIVE_WITH(IFL_NEEDS_NOTHING, encode_tiled(out, &words, box));
}

IFL_SERVED ifl_cuda_error cuTensorMapEncodeIm2col(void *out, int type, unsigned rank, void *address,
                                                  const uint64_t *size, const uint64_t *stride,
                                                  const int *lower, const int *upper,
                                                  unsigned channels, unsigned pixels,
                                                  const uint32_t *element_stride, int interleave,
                                                  int swizzle, int promotion, int fill)
{
    const tensor_words words = {type,           rank,       address, size,      stride,
                                element_stride, interleave, swizzle, promotion, fill};
    DRIVE_WITH(IFL_NEEDS_NOTHING, encode_image(out, &words, lower, upper, channels, pixels));
}

IFL_SERVED ifl_cuda_error cuTensorMapEncodeIm2colWide(
    void *out, int type, unsigned rank, void *address, const uint64_t *size, const uint64_t *stride,
    int lower, int upper, unsigned channels, unsigned pixels, const uint32_t *element_stride,
    int interleave, int mode, int swizzle, int promotion, int fill)
{
    const tensor_words words = {type,           rank,       address, size,      stride,
                                element_stride, interleave, swizzle, promotion, fill};
    DRIVE_WITH(IFL_NEEDS_NOTHING, encode_wide(out, &words, lower, upper, channels, pixels, mode));
}

static ifl_cuda_error replace(void *map, void *address)
{
    const uint64_t at = (uintptr_t)address;
    ifl_tensor_map of;
    if (!map || (uintptr_t)map % 64 || at % STRIDE_UNIT || !ifl_tensor_map_read(map, &of) ||
        (of.interleave == IFL_TENSOR_SLICES_32 && at % (2 * STRIDE_UNIT)))
        return ifl_cudaErrorInvalidValue;
    memcpy(map, &at, sizeof at);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuTensorMapReplaceAddress(void *map, void *address)
{
    DRIVE_WITH(IFL_NEEDS_NOTHING, replace(map, address));
}
