/* SPDX-License-Identifier: Apache-2.0
 * See tensor_map.h. */
#include "code/tensor_map.h"

#include "code/value.h"

#include <string.h>

/* Words of 32 bits; the address is words 0 and 1. What nothing writes is 0. Copies do not read the last two. */
enum {
    FORM = 2,
    STRIDES = 3,
    STRIDES_HIGH = 7,
    SIZES = 8,
    ELEMENT_STRIDES = 13,
    BOXES = 14,
    PIXELS = 15,
    WORDS = 16,
    BOX_BYTES = 16,
    ALIGNMENT = 18, /* of the box in shared memory */
    ALL_WORDS = 32
};

/* A field of word FORM: `bits` from `at`. Bit 1 is set in descriptions that cuBLAS 13.0 and cuDNN
 * 9.26 make by themselves, and clear in the driver's. `wide` is where a GPU's descriptions
 * have nothing that is known: what they have there no document says. */
typedef struct field {
    unsigned at, bits;
} field;
static const field is_image = {0, 1}, rank_less_1 = {4, 3}, type_number = {7, 4},
                   interleave = {11, 2}, swizzle = {13, 2}, fills_nan = {15, 1}, is_tf32 = {16, 1},
                   promotion = {17, 2}, wide = {28, 2}, atom_size = {19, 2}, atom = {22, 1};

static uint32_t get(uint32_t word, field f)
{
    return word >> f.at & ((UINT32_C(1) << f.bits) - 1);
}

/* By number (PTX ISA 9.0, "tensormap.replace", elemtype); 8 is f32 with denormals flushed. */
static const struct {
    uint8_t type, bytes;
} types[] = {{IFL_TYPE_U8, 1},  {IFL_TYPE_U16, 2}, {IFL_TYPE_U32, 4}, {IFL_TYPE_S32, 4},
             {IFL_TYPE_U64, 8}, {IFL_TYPE_S64, 8}, {IFL_TYPE_F16, 2}, {IFL_TYPE_F32, 4},
             {IFL_TYPE_F32, 4}, {IFL_TYPE_F64, 8}, {IFL_TYPE_BF16, 2}};
/* From number 11 on, by ifl_tensor_packing (what ptxas of CUDA 13.0 makes of tensormap.replace with the
 * elemtypes 13 to 15). */
static const ifl_tensor_unit packed[] = {
    [IFL_TENSOR_FOURS] = {2, 1, 1},
    [IFL_TENSOR_FOURS_APART] = {16, 8, 16},
    [IFL_TENSOR_SIXES_APART] = {16, 12, 16},
};
enum { PACKED_LESS_1 = 10, PACKINGS = sizeof packed / sizeof *packed };

ifl_tensor_unit ifl_tensor_unit_of(const ifl_tensor_map *map)
{
    return map->packing && !map->interleave
               ? packed[map->packing]
               : (ifl_tensor_unit){1, map->element_bytes, map->element_bytes};
}

enum { TYPES = sizeof types / sizeof *types, F32_NUMBER = 7, F32_FLUSHED_NUMBER };

/* 0 where channels are not in slices. */
static uint8_t slice_bytes(const ifl_tensor_map *map)
{
    static const uint8_t bytes[] = {0, 16, 32};
    return bytes[map->interleave];
}

static uint32_t type_word(const ifl_tensor_map *map)
{
    if (map->packing)
        return (uint32_t)(PACKED_LESS_1 + map->packing) << type_number.at;
    const uint32_t f32 = map->flushes ? F32_FLUSHED_NUMBER : F32_NUMBER;
    if (map->type == IFL_TYPE_TF32 || map->type == IFL_TYPE_F32)
        return f32 << type_number.at | (uint32_t)(map->type == IFL_TYPE_TF32) << is_tf32.at;
    for (uint32_t i = 0; i < TYPES; i++)
        if (types[i].type == map->type)
            return i << type_number.at;
    return 0;
}

/* ---- corners --------------------------------------------------------------------------------- */

/* Word BOXES of im2col: the lower corner's coordinates, and from bit 16 on the upper one's, the
 * innermost first. One has 16 bits, two have 8 each, three 5 each (CUDA Driver API reference,
 * cuTensorMapEncodeIm2col: the ranges of the corners). */
static unsigned corner_bits(const ifl_tensor_map *map)
{
    static const unsigned bits[] = {[3] = 16, [4] = 8, [5] = 5};
    return map->wide ? 16 : map->rank < sizeof bits / sizeof *bits ? bits[map->rank] : 0;
}

/* Dimensions that have corners. */
static unsigned corner_count(const ifl_tensor_map *map)
{
    return map->wide ? 1 : map->rank - 2u;
}

static uint32_t corners_word(const ifl_tensor_map *map)
{
    const unsigned bits = corner_bits(map);
    const uint32_t mask = (UINT32_C(1) << bits) - 1;
    uint32_t word = 0;
    for (unsigned i = 0; i < corner_count(map); i++)
        word |= ((uint32_t)map->image.lower[i] & mask) << bits * i |
                ((uint32_t)map->image.upper[i] & mask) << (16 + bits * i);
    return word;
}

static int16_t signed_field(uint32_t word, unsigned at, unsigned bits)
{
    const int32_t value = (int32_t)(word >> at & ((UINT32_C(1) << bits) - 1)),
                  sign = 1 << (bits - 1);
    return (int16_t)((value ^ sign) - sign);
}

bool ifl_tensor_map_takes_row(const ifl_tensor_map *map, uint64_t elements)
{
    enum { UNIT = 16 };
    const ifl_tensor_unit unit = ifl_tensor_unit_of(map);
    const uint64_t bytes = elements / unit.elements * unit.shared_bytes;
    /* of slices it counts them, and all the same takes so many as elements would have to be: of 1,456 boxes of random widths an
     * H200's driver takes the 367 of which that holds */
    if (map->interleave)
        return elements * ifl_type_bits((ifl_type)map->type) % (8 * UNIT) == 0;
    return elements % unit.elements == 0 && bytes % UNIT == 0 &&
           (!map->swizzle || bytes <= (uint64_t)UNIT << map->swizzle);
}

/* ---- descriptions ---------------------------------------------------------------------------- */

/* Elements along the innermost dimension: of the box, or channels of a pixel. */
static uint32_t innermost(const ifl_tensor_map *map)
{
    return map->is_image ? map->image.channels : map->box[0];
}

uint64_t ifl_tensor_map_box_bytes(const ifl_tensor_map *map)
{
    const ifl_tensor_unit unit = ifl_tensor_unit_of(map);
    const uint64_t bits = map->interleave ? ifl_type_bits((ifl_type)map->type)
                                          : 8u * unit.shared_bytes / unit.elements;
    if (map->is_image)
        return (uint64_t)map->image.channels * map->image.pixels * bits / 8;
    uint64_t elements = 1; /* of 256 in each of five dimensions at most */
    for (unsigned i = 0; i < map->rank; i++)
        elements *= map->box[i] / map->element_stride[i];
    return elements * bits / 8;
}

static uint32_t alignment(const ifl_tensor_map *map)
{
    enum { LEAST = 16, LINES = 8 };
    return map->swizzle ? LEAST * LINES << map->swizzle : LEAST;
}

void ifl_tensor_map_write(const ifl_tensor_map *map, uint8_t out[static IFL_TENSOR_MAP_BYTES])
{
    uint32_t words[ALL_WORDS] = {(uint32_t)map->address, (uint32_t)(map->address >> 32)};
    words[FORM] = map->is_image | (map->rank - 1u) << rank_less_1.at | type_word(map) |
                  (uint32_t)map->interleave << interleave.at |
                  (uint32_t)map->swizzle << swizzle.at | (uint32_t)map->fills_nan << fills_nan.at |
                  (uint32_t)map->promotion << promotion.at | (uint32_t)map->atom << atom_size.at |
                  (uint32_t)map->wide << wide.at;
    for (unsigned i = 0; i + 1 < map->rank; i++) {
        words[STRIDES + i] = (uint32_t)(map->stride[i] >> 4);
        words[STRIDES_HIGH] |= (uint32_t)(map->stride[i] >> 36 & 0xf) << 4 * i;
    }
    for (unsigned i = 0; i < map->rank; i++) {
        words[SIZES + i] = (uint32_t)(map->size[i] - 1);
        words[ELEMENT_STRIDES] |= ((map->element_stride[i] - 1) & 7) << 3 * i;
    }
    words[ELEMENT_STRIDES] |= (innermost(map) - 1) << 24;
    if (map->is_image) {
        words[BOXES] = corners_word(map);
        words[PIXELS] = map->image.pixels - 1u;
    }
    for (unsigned i = 1; i < map->rank && !map->is_image; i++)
        words[BOXES] |= (map->box[i] - 1u) << 8 * (i - 1);
    words[BOX_BYTES] = (uint32_t)ifl_tensor_map_box_bytes(map);
    words[ALIGNMENT] = alignment(map);
    memcpy(out, words, sizeof words);
}

/* Three dimensions or more. The CUDA Driver API reference has slices of 32 bytes with the swizzle of 32 alone; an H200
 * takes them with every one. */
static bool are_slices_right(uint32_t word, bool is_apart)
{
    const uint32_t of = get(word, interleave);
    return of == IFL_TENSOR_NOT_INTERLEAVED || (of <= IFL_TENSOR_SLICES_32 && !is_apart &&
                                                get(word, rank_less_1) >= 2 && !get(word, wide));
}

static bool read_form(uint32_t word, ifl_tensor_map *out)
{
    const uint32_t number = get(word, type_number), packing = number - PACKED_LESS_1;
    const bool is_packed = number > PACKED_LESS_1 && packing < PACKINGS;
    const uint8_t atoms = (uint8_t)get(word, atom_size);
    const bool is_apart = is_packed && packing >= IFL_TENSOR_FOURS_APART;
    if (get(word, atom) || !are_slices_right(word, is_apart) ||
        (atoms && get(word, swizzle) != IFL_TENSOR_SWIZZLE_128) ||
        (is_apart && atoms == IFL_TENSOR_ATOM_32_FLIPPED) ||
        get(word, rank_less_1) >= IFL_TENSOR_RANKS || (!is_packed && number >= TYPES) ||
        (get(word, is_tf32) && number != F32_NUMBER && number != F32_FLUSHED_NUMBER))
        return false;
    out->rank = (uint8_t)(get(word, rank_less_1) + 1);
    out->packing = is_packed ? (uint8_t)packing : IFL_TENSOR_WHOLE;
    out->type = is_packed ? IFL_TYPE_U8 : get(word, is_tf32) ? IFL_TYPE_TF32 : types[number].type;
    out->flushes = number == F32_FLUSHED_NUMBER;
    out->interleave = (uint8_t)get(word, interleave);
    out->element_bytes = out->interleave ? slice_bytes(out)
                         : is_packed     ? packed[packing].bytes
                                         : types[number].bytes;
    out->swizzle = (uint8_t)get(word, swizzle);
    out->atom = atoms;
    out->fills_nan = get(word, fills_nan);
    out->is_image = get(word, is_image);
    out->wide = out->is_image ? (uint8_t)get(word, wide) : IFL_TENSOR_NOT_WIDE;
    out->promotion = (uint8_t)get(word, promotion);
    return true;
}

static bool read_image(const uint32_t *words, ifl_tensor_map *out)
{
    enum { PIXEL_BITS = 10, FEWEST_RANK = 3 };
    out->image.channels = (uint16_t)((words[ELEMENT_STRIDES] >> 24) + 1);
    out->image.pixels = (uint16_t)((words[PIXELS] & ((1u << PIXEL_BITS) - 1)) + 1);
    const unsigned bits = corner_bits(out);
    for (unsigned i = 0; bits && i < corner_count(out); i++) {
        out->image.lower[i] = signed_field(words[BOXES], bits * i, bits);
        out->image.upper[i] = signed_field(words[BOXES], 16 + bits * i, bits);
    }
    return out->rank >= FEWEST_RANK && out->wide <= IFL_TENSOR_WIDE_128;
}

static void read_box(const uint32_t *words, ifl_tensor_map *out)
{
    out->box[0] = (uint16_t)((words[ELEMENT_STRIDES] >> 24) + 1);
    for (unsigned i = 1; i < out->rank; i++)
        out->box[i] = (uint16_t)((words[BOXES] >> 8 * (i - 1) & 0xff) + 1);
}

bool ifl_tensor_map_read(const uint8_t bytes[static IFL_TENSOR_TOLD_BYTES], ifl_tensor_map *out)
{
    enum { ADDRESS_UNIT = 16 };
    uint32_t words[WORDS];
    memcpy(words, bytes, sizeof words);
    *out = (ifl_tensor_map){.address = words[0] | (uint64_t)words[1] << 32};
    if (!read_form(words[FORM], out) ||
        out->address % (out->interleave == IFL_TENSOR_SLICES_32 ? 2 * ADDRESS_UNIT : ADDRESS_UNIT))
        return false;
    for (unsigned i = 0; i + 1 < out->rank; i++)
        out->stride[i] =
            ((uint64_t)words[STRIDES + i] | (uint64_t)(words[STRIDES_HIGH] >> 4 * i & 0xf) << 32)
            << 4;
    for (unsigned i = 0; i < out->rank; i++) {
        out->size[i] = (uint64_t)words[SIZES + i] + 1;
        out->element_stride[i] = (words[ELEMENT_STRIDES] >> 3 * i & 7) + 1;
    }
    if (out->is_image && !read_image(words, out))
        return false;
    if (!out->is_image)
        read_box(words, out);
    const unsigned together = ifl_tensor_unit_of(out).elements;
    return innermost(out) % together == 0 && out->size[0] % together == 0;
}

/* ---- single fields --------------------------------------------------------------------------- */

static void put(uint32_t *word, field f, uint64_t value)
{
    const uint32_t mask = ((UINT32_C(1) << f.bits) - 1) << f.at;
    *word = (*word & ~mask) | ((uint32_t)value << f.at & mask);
}

static void put_stride(uint32_t *words, unsigned ordinal, uint64_t bytes)
{
    words[STRIDES + ordinal] = (uint32_t)(bytes >> 4);
    put(&words[STRIDES_HIGH], (field){4 * ordinal, 4}, bytes >> 36);
}

static void put_box(uint32_t *words, unsigned ordinal, uint64_t elements)
{
    if (ordinal)
        put(&words[BOXES], (field){8 * (ordinal - 1), 8}, elements - 1);
    else
        put(&words[ELEMENT_STRIDES], (field){24, 8}, elements - 1);
}

/* 11 is tf32, 12 with denormals flushed, 13 and on are packed (PTX ISA 9.0, "tensormap.replace",
 * elemtype). */
static void put_type(uint32_t *words, uint64_t number)
{
    enum { TF32_NUMBER = 11, PACKED_NUMBER = 13, OMITTED = PACKED_NUMBER - TF32_NUMBER };
    const bool is_of_tf32 = number >= TF32_NUMBER && number < PACKED_NUMBER;
    put(&words[FORM], is_tf32, is_of_tf32);
    put(&words[FORM], type_number,
        is_of_tf32                ? F32_NUMBER + number - TF32_NUMBER
        : number >= PACKED_NUMBER ? number - OMITTED
                                  : number);
}

void ifl_tensor_map_replace(uint8_t bytes[static IFL_TENSOR_TOLD_BYTES], ifl_tensor_map_field which,
                            unsigned ordinal, uint64_t value)
{
    static const field *const of_form[] = {[IFL_TENSOR_MAP_RANK] = &rank_less_1,
                                           [IFL_TENSOR_MAP_INTERLEAVE] = &interleave,
                                           [IFL_TENSOR_MAP_SWIZZLE] = &swizzle,
                                           [IFL_TENSOR_MAP_ATOM] = &atom_size,
                                           [IFL_TENSOR_MAP_FILL] = &fills_nan};
    uint32_t words[WORDS];
    memcpy(words, bytes, sizeof words);
    switch (which) {
    case IFL_TENSOR_MAP_ADDRESS:
        words[0] = (uint32_t)value, words[1] = (uint32_t)(value >> 32);
        break;
    case IFL_TENSOR_MAP_BOX:
        put_box(words, ordinal, value);
        break;
    case IFL_TENSOR_MAP_SIZE:
        words[SIZES + ordinal] = (uint32_t)value - 1;
        break;
    case IFL_TENSOR_MAP_STRIDE:
        put_stride(words, ordinal, value);
        break;
    case IFL_TENSOR_MAP_ELEMENT_STRIDE:
        put(&words[ELEMENT_STRIDES], (field){3 * ordinal, 3}, value - 1);
        break;
    case IFL_TENSOR_MAP_TYPE:
        put_type(words, value);
        break;
    default:
        put(&words[FORM], *of_form[which], value);
        if (which == IFL_TENSOR_MAP_SWIZZLE)
            put(&words[FORM], atom, 0);
    }
    memcpy(bytes, words, sizeof words);
}
