/* SPDX-License-Identifier: Apache-2.0
 * See tensor_calls.h. */
#include "tensor_calls.h"

#include "matrix_values.h"

enum { INVALID = 1 }; /* CUDA_ERROR_INVALID_VALUE */

/* A right call: 16 x 8 x 4 halves of a bigger tensor, in the layout that `interleave` says. */
static tensor_call right(bool is_image, int interleave)
{
    tensor_call c = {.is_image = is_image,
                     .type = 6,
                     .rank = 3,
                     .size = {64, 32, 16},
                     .stride = {2048, 65536},
                     .box = {16, 8, 4},
                     .element_stride = {1, 1, 1, 1, 1},
                     .channels = 16,
                     .pixels = 8,
                     .interleave = interleave,
                     .swizzle = interleave == 2 ? 1 : 0};
    return c;
}

static const struct {
    const char *name;
    bool is_image;
    int interleave;
    /* What is changed: the value of `field` of element `at`. */
    enum {
        NOTHING,
        TYPE,
        RANK,
        ADDRESS,
        SIZE,
        STRIDE,
        BOX,
        STEP,
        INTERLEAVE,
        SWIZZLE,
        PROMOTION,
        FILL,
        CHANNELS,
        PIXELS,
        LOWER,
        UPPER
    } field;
    unsigned at;
    int64_t value;
    int expected;
} calls[] = {
#define TILED(interleave, name, field, at, value, expected)                                        \
    {                                                                                              \
        "tiled " name, false, interleave, field, at, value, expected                               \
    }
#define IMAGE(interleave, name, field, at, value, expected)                                        \
    {                                                                                              \
        "im2col " name, true, interleave, field, at, value, expected                               \
    }
    TILED(0, "right", NOTHING, 0, 0, 0),
    TILED(0, "type 16", TYPE, 0, 16, INVALID),
    TILED(0, "type f32", TYPE, 0, 7, 0),
    TILED(0, "type f64", TYPE, 0, 8, 0),
    TILED(0, "type bf16", TYPE, 0, 9, 0),
    TILED(0, "type f32 ftz", TYPE, 0, 10, 0),
    TILED(0, "type tf32", TYPE, 0, 11, 0),
    TILED(0, "type tf32 ftz", TYPE, 0, 12, 0),
    TILED(0, "rank 0", RANK, 0, 0, INVALID),
    TILED(0, "rank 6", RANK, 0, 6, INVALID),
    TILED(0, "address 8", ADDRESS, 0, 8, INVALID),
    TILED(0, "size 0", SIZE, 1, 0, INVALID),
    TILED(0, "size 2^32", SIZE, 2, INT64_C(1) << 32, 0),
    TILED(0, "size 2^32 + 1", SIZE, 2, (INT64_C(1) << 32) + 1, INVALID),
    TILED(0, "stride 2056", STRIDE, 0, 2056, INVALID),
    TILED(0, "stride 2^40", STRIDE, 1, INT64_C(1) << 40, INVALID),
    TILED(0, "stride below the row", STRIDE, 0, 64, 0),
    TILED(0, "stride 0", STRIDE, 0, 0, 0),
    TILED(0, "box 0", BOX, 1, 0, INVALID),
    TILED(0, "box 256", BOX, 1, 256, 0),
    TILED(0, "box 257", BOX, 1, 257, INVALID),
    TILED(0, "box of 24 bytes", BOX, 0, 12, INVALID),
    TILED(0, "step 0", STEP, 1, 0, INVALID),
    TILED(0, "step 8", STEP, 1, 8, 0),
    TILED(0, "step 9", STEP, 1, 9, INVALID),
    TILED(0, "first step 0", STEP, 0, 0, INVALID), /* an H200; the reference: the word is ignored */
    TILED(0, "first step 9", STEP, 0, 9, INVALID), /* likewise */
    TILED(0, "interleave 3", INTERLEAVE, 0, 3, INVALID),
    TILED(0, "swizzle 32", SWIZZLE, 0, 1, 0),
    TILED(0, "swizzle 7", SWIZZLE, 0, 7, INVALID),
    TILED(0, "promotion 1", PROMOTION, 0, 1, 0),
    TILED(0, "promotion 2", PROMOTION, 0, 2, 0),
    TILED(0, "promotion 3", PROMOTION, 0, 3, 0),
    TILED(0, "promotion 4", PROMOTION, 0, 4, INVALID),
    TILED(0, "NaN fill", FILL, 0, 1, 0),
    TILED(0, "fill 2", FILL, 0, 2, INVALID),
    TILED(1, "slices of 16", NOTHING, 0, 0, 0),
    TILED(1, "slices of 16, rank 2", RANK, 0, 2, INVALID),
    TILED(1, "slices of 16, rank 4", RANK, 0, 4, 0),
    TILED(1, "slices of 16, u8", TYPE, 0, 0, 0),
    TILED(1, "slices of 16, f32", TYPE, 0, 7, 0),
    TILED(1, "slices of 16, 16U4_ALIGN8B", TYPE, 0, 13, INVALID), /* an H200 */
    TILED(1, "slices of 16, 16U6_ALIGN16B", TYPE, 0, 15, INVALID),
    TILED(1, "slices of 16, box of 2 bytes", BOX, 0, 1, INVALID), /* an H200 */
    TILED(1, "slices of 16, box of 512 bytes", BOX, 0, 256, 0),
    TILED(1, "slices of 16, address 16", ADDRESS, 0, 16, 0),
    TILED(1, "slices of 16, stride 2064", STRIDE, 0, 2064, 0),
    TILED(1, "slices of 16, first step 2", STEP, 0, 2, 0),
    TILED(1, "slices of 16, first step 0", STEP, 0, 0, INVALID),
    TILED(1, "slices of 16, first step 9", STEP, 0, 9, INVALID),
    TILED(1, "slices of 16, swizzle 32", SWIZZLE, 0, 1, 0),
    TILED(1, "slices of 16, swizzle 64", SWIZZLE, 0, 2, 0),
    TILED(1, "slices of 16, swizzle 128", SWIZZLE, 0, 3, 0),
    TILED(1, "slices of 16, NaN fill", FILL, 0, 1, 0),
    TILED(2, "slices of 32", NOTHING, 0, 0, 0),
    TILED(2, "slices of 32, rank 2", RANK, 0, 2, INVALID),
    TILED(2, "slices of 32, rank 5", RANK, 0, 5, 0),
    TILED(2, "slices of 32, u8", TYPE, 0, 0, 0),
    TILED(2, "slices of 32, 16U6_ALIGN16B", TYPE, 0, 15, INVALID),
    TILED(2, "slices of 32, address 16", ADDRESS, 0, 16, INVALID),
    TILED(2, "slices of 32, address 32", ADDRESS, 0, 32, 0),
    TILED(2, "slices of 32, stride 2064", STRIDE, 0, 2064, INVALID),
    TILED(2, "slices of 32, stride 2080", STRIDE, 0, 2080, 0),
    TILED(2, "slices of 32, swizzle none", SWIZZLE, 0, 0,
          0), /* an H200; the reference bars these */
    TILED(2, "slices of 32, swizzle 64", SWIZZLE, 0, 2, 0),
    TILED(2, "slices of 32, swizzle 128", SWIZZLE, 0, 3, 0),
    IMAGE(0, "right", NOTHING, 0, 0, 0),
    IMAGE(0, "rank 2", RANK, 0, 2, INVALID),
    IMAGE(0, "rank 5", RANK, 0, 5, 0),
    IMAGE(0, "channels 257", CHANNELS, 0, 257, INVALID),
    IMAGE(0, "channels of 24 bytes", CHANNELS, 0, 12, INVALID),
    IMAGE(0, "pixels 1024", PIXELS, 0, 1024, 0),
    IMAGE(0, "pixels 1025", PIXELS, 0, 1025, INVALID),
    IMAGE(0, "lower -32768", LOWER, 0, -32768, 0),
    IMAGE(0, "lower -32769", LOWER, 0, -32769, INVALID),
    IMAGE(0, "upper 32767", UPPER, 0, 32767, 0),
    IMAGE(0, "upper 32768", UPPER, 0, 32768, INVALID),
    IMAGE(1, "slices of 16", NOTHING, 0, 0, 0),
    IMAGE(1, "slices of 16, channels of 2 bytes", CHANNELS, 0, 1, INVALID), /* an H200 */
    IMAGE(1, "slices of 16, channels 256", CHANNELS, 0, 256, 0),
    IMAGE(1, "slices of 16, rank 4", RANK, 0, 4, 0),
    IMAGE(1, "slices of 16, swizzle 128", SWIZZLE, 0, 3, 0),
    IMAGE(2, "slices of 32", NOTHING, 0, 0, 0),
    IMAGE(2, "slices of 32, rank 5", RANK, 0, 5, 0),
    IMAGE(2, "slices of 32, address 16", ADDRESS, 0, 16, INVALID),
    IMAGE(2, "slices of 32, swizzle none", SWIZZLE, 0, 0, 0), /* an H200 */
};
const unsigned tensor_call_count = sizeof calls / sizeof *calls;

/* Dimensions behind the third go on as those before. */
static void widen(tensor_call *c)
{
    for (unsigned i = 3; i < 5; i++) {
        c->size[i] = 2;
        c->box[i] = 1;
        c->stride[i - 1] = c->stride[i - 2] * 16;
    }
}

static void change(tensor_call *c, int field, unsigned at, int64_t value)
{
    int *const words[] = {[TYPE] = &c->type,          [INTERLEAVE] = &c->interleave,
                          [SWIZZLE] = &c->swizzle,    [PROMOTION] = &c->promotion,
                          [FILL] = &c->fill,          [LOWER] = &c->lower[at % 3],
                          [UPPER] = &c->upper[at % 3]};
    unsigned *const counts[] = {[RANK] = &c->rank,
                                [BOX] = &c->box[at],
                                [STEP] = &c->element_stride[at],
                                [CHANNELS] = &c->channels,
                                [PIXELS] = &c->pixels};
    uint64_t *const sizes[] = {
        [ADDRESS] = &c->address, [SIZE] = &c->size[at], [STRIDE] = &c->stride[at % 4]};
    if (field < (int)(sizeof words / sizeof *words) && words[field])
        *words[field] = (int)value;
    else if (field < (int)(sizeof counts / sizeof *counts) && counts[field])
        *counts[field] = (unsigned)value;
    else if (field)
        *sizes[field] = (uint64_t)value;
}

const char *tensor_call_make(unsigned index, tensor_call *out)
{
    *out = right(calls[index].is_image, calls[index].interleave);
    widen(out);
    change(out, calls[index].field, calls[index].at, calls[index].value);
    out->expected = calls[index].expected;
    return calls[index].name;
}

/* ---- random ones ----------------------------------------------------------------------------- */

typedef struct source {
    uint64_t state;
} source;

static unsigned pick(source *s, unsigned from, unsigned to)
{
    s->state = matrix_random(s->state + 1);
    return from + (unsigned)(s->state >> 20) % (to - from + 1);
}

static bool is_rare(source *s)
{
    return pick(s, 0, 15) == 0;
}

/* Up to 2^bits, each number of bits as often as another. */
static uint64_t pick_size(source *s, unsigned bits)
{
    const unsigned of = pick(s, 0, bits);
    s->state = matrix_random(s->state + 1);
    return 1 + (s->state >> 8 & ((UINT64_C(1) << of) - 1));
}

/* Bits of an element by CUtensorMapDataType, 4 and 6 where a type has units of those. */
static const uint8_t bits_of[] = {8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6};

/* Elements of a row: the last types have rows of 128, others a multiple of 16 bytes that the swizzle holds. */
static unsigned pick_row(source *s, const tensor_call *c)
{
    const unsigned unit = 128 / bits_of[c->type], width = c->swizzle > 3 ? 3 : (unsigned)c->swizzle;
    const unsigned most = c->swizzle && !c->interleave ? 1u << width : 256 / unit;
    if (is_rare(s))
        return pick(s, 1, 257);
    return c->type >= 14 ? 128 : unit * pick(s, 1, most);
}

static void pick_dimensions(source *s, tensor_call *c)
{
    const unsigned unit = c->interleave == 2 || c->type >= 14 ? 32 : 16;
    for (unsigned i = 0; i < 5; i++) {
        c->size[i] = c->type >= 13 && i == 0 ? 128 * pick_size(s, 20) : pick_size(s, 32);
        c->element_stride[i] = pick(s, 0, 1) ? 1 : pick(s, 1, is_rare(s) ? 9 : 8);
        c->box[i] = pick(s, 1, is_rare(s) ? 257 : 256);
    }
    for (unsigned i = 0; i < 4; i++)
        c->stride[i] = pick_size(s, 36) * unit - (is_rare(s) ? 8 : 0);
    c->address = pick(s, 0, 255) * (uint64_t)unit;
}

static void pick_corners(source *s, tensor_call *c)
{
    static const int most[] = {0, 0, 0, 32767, 127, 15};
    for (unsigned i = 0; i < 3; i++) {
        c->lower[i] = (int)pick(s, 0, 2 * (unsigned)most[c->rank] + 1) - most[c->rank] - 1;
        c->upper[i] = (int)pick(s, 0, 2 * (unsigned)most[c->rank] + 1) - most[c->rank] - 1;
    }
    c->pixels = pick(s, 1, is_rare(s) ? 1025 : 1024);
}

void tensor_call_random(uint32_t index, tensor_call *c)
{
    source s = {.state = (uint64_t)index << 32 | 0x7e75};
    *c = (tensor_call){.is_image = pick(&s, 0, 3) == 0};
    c->type = (int)pick(&s, 0, 15);
    c->interleave = pick(&s, 0, 3) ? 0 : (int)pick(&s, 1, 2);
    c->rank = pick(&s, c->is_image || c->interleave ? 3 : 1, 5);
    c->swizzle = (int)pick(&s, 0, pick(&s, 0, 3) ? 3 : 6);
    c->promotion = (int)pick(&s, 0, 3);
    c->fill = (int)pick(&s, 0, 1);
    pick_dimensions(&s, c);
    pick_corners(&s, c);
    c->box[0] = c->channels = pick_row(&s, c);
}
