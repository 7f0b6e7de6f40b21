/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of boxes and cubes, for which compiled code calls functions of the driver: they do
 * what `tex.grad` of PTX does (src/ptx/lower_texture.c). Where arguments and results stand was read
 * from what ptxas 13.0 makes for sm_90 and sm_100. */
#include "exec/texture_calls.h"

#include "code/modifiers.h"
#include "code/texture.h"
#include "exec/approximate.h"
#include "exec/slow.h"

#include <math.h>
#include <string.h>

enum { PLANE = 4 * IFL_WARP_LANES, WORD = 4, MOST_LAYER = 0xffff };

/* In the order of the rows of provided.def: of a shape with and without the question whether all is
 * resident, for each type of the results. */
enum { OF_TYPES = 4, OF_SHAPE = 2 * OF_TYPES };
typedef enum asked { BOX, BOX_WITH_OFFSETS, CUBE, CUBE_WITH_DEPTH, CUBES, CUBES_WITH_DEPTH } asked;

/* Registers: the handle; four coordinates, of which a layer is the first; derivatives by x. Those by
 * y, then offsets, lie on the stack, in four words each. A depth is compared with nothing
 * (texture_request.c). */
enum {
    STACK = 1,
    HANDLE = 4,
    IS_RESIDENT = 4,
    RESULT = 5,
    COORDINATES = 8,
    BY_X = 12,
    ON_STACK = 4
};

/* What the request is given as a frame: 32 lanes of each. */
typedef struct planes {
    uint32_t handle[IFL_WARP_LANES], layer[IFL_WARP_LANES];
    uint32_t at[IFL_TEXTURE_RANKS][IFL_WARP_LANES];
    uint32_t by_x[IFL_TEXTURE_RANKS][IFL_WARP_LANES], by_y[IFL_TEXTURE_RANKS][IFL_WARP_LANES];
    uint32_t offset[IFL_TEXTURE_RANKS][IFL_WARP_LANES];
    uint32_t data[IFL_TEXEL_CHANNELS][IFL_WARP_LANES];
} planes;
#define SLOT(member) ((uint32_t)offsetof(planes, member))

static ifl_texture_op operation_of(asked shape, bool is_halves)
{
    ifl_texture_op op = {.use = IFL_TEXTURE_SAMPLE,
                         .detail = IFL_TEXTURE_GRADIENT,
                         .rank = IFL_TEXTURE_RANKS,
                         .is_layered = shape >= CUBES,
                         .is_cube = shape >= CUBE,
                         .wanted = (1 << IFL_TEXEL_CHANNELS) - 1,
                         .packs = is_halves ? IFL_TEXTURE_HALVES : IFL_TEXTURE_WORDS,
                         .offset_bits = shape == BOX_WITH_OFFSETS ? 4 : 0,
                         .handle = SLOT(handle),
                         .layer = SLOT(layer)};
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++) {
        op.at[d] = SLOT(at) + d * PLANE;
        op.gradient[0][d] = SLOT(by_x) + d * PLANE;
        op.gradient[1][d] = SLOT(by_y) + d * PLANE;
        op.offset[d] = SLOT(offset) + d * PLANE;
    }
    for (unsigned i = 0; i < IFL_TEXEL_CHANNELS; i++)
        op.data[i] = SLOT(data) + (is_halves ? i / 2 : i) * PLANE;
    return op;
}

static uint32_t *register_of(const ifl_fragment *fragment, unsigned index)
{
    const ifl_frame *frame = fragment->frame;
    return (uint32_t *)(void *)(frame->slots + frame->routine->registers + (size_t)index * PLANE);
}

/* A direction is brought to a largest coordinate of about 1, and its derivatives with it. */
static void scale_direction(planes *p, uint32_t lane)
{
    static const ifl_modifiers approximate = {.flags = IFL_FLAG_APPROX | IFL_FLAG_FTZ};
    float size = 0;
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++)
        size = fmaxf(size, fabsf(ifl_bits_f32(p->at[d][lane])));
    const float scale = ifl_rcp_approx(&approximate, size);
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++) {
        p->at[d][lane] = ifl_f32_bits(scale * ifl_bits_f32(p->at[d][lane]));
        p->by_x[d][lane] = ifl_f32_bits(scale * ifl_bits_f32(p->by_x[d][lane]));
        p->by_y[d][lane] = ifl_f32_bits(scale * ifl_bits_f32(p->by_y[d][lane]));
    }
}

static bool take_stack(ifl_warp *warp, const ifl_fragment *fragment, uint32_t lane, unsigned first,
                       uint32_t (*to)[IFL_WARP_LANES])
{
    const uint64_t at = register_of(fragment, STACK)[lane] + (uint64_t)first * WORD;
    const uint8_t *from = ifl_warp_reach_in(warp, fragment->code, IFL_SPACE_LOCAL, lane, at,
                                            IFL_TEXTURE_RANKS * WORD, false);
    for (unsigned d = 0; from && d < IFL_TEXTURE_RANKS; d++)
        memcpy(&to[d][lane], from + (size_t)d * WORD, WORD);
    return from;
}

static bool take_lane(ifl_warp *warp, const ifl_fragment *fragment, uint32_t lane, asked shape,
                      planes *to)
{
    const unsigned place = COORDINATES + (shape >= CUBES);
    to->handle[lane] = register_of(fragment, HANDLE)[lane];
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++) {
        to->at[d][lane] = register_of(fragment, place + d)[lane];
        to->by_x[d][lane] = register_of(fragment, BY_X + d)[lane];
    }
    const bool is_taken =
        take_stack(warp, fragment, lane, 0, to->by_y) &&
        (shape != BOX_WITH_OFFSETS || take_stack(warp, fragment, lane, ON_STACK, to->offset));
    if (shape >= CUBE)
        scale_direction(to, lane);
    return is_taken;
}

/* Of lanes that do not ask too: their neighbours' function samples with them. */
static void take_layers(const ifl_fragment *fragment, planes *to)
{
    for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++) {
        const uint32_t layer = register_of(fragment, COORDINATES)[lane];
        to->layer[lane] = layer < MOST_LAYER ? layer : MOST_LAYER;
    }
}

void ifl_texture_call(ifl_warp *warp, const ifl_fragment *fragment, ifl_provided function)
{
    const unsigned row = (unsigned)(function - IFL_PROVIDED_GRADIENT_3D_F16);
    const asked shape = (asked)(row / OF_SHAPE);
    const bool is_halves = row % OF_TYPES == 0;
    const ifl_texture_op op = operation_of(shape, is_halves);
    planes in = {0};
    ifl_code code = *fragment->code;
    code.extra = &op;
    take_layers(fragment, &in);
    for (uint32_t m = fragment->mask; m; m &= m - 1)
        if (!take_lane(warp, fragment, (uint32_t)__builtin_ctz(m), shape, &in))
            return;
    if (ifl_slow_texture(warp, &code, (char *)&in, fragment->mask, fragment->mask) !=
        IFL_REASON_NONE)
        return;
    for (uint32_t m = fragment->mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        register_of(fragment, IS_RESIDENT)[lane] = 1;
        for (unsigned i = 0; i < (is_halves ? 2 : IFL_TEXEL_CHANNELS); i++)
            register_of(fragment, RESULT + i)[lane] = in.data[i][lane];
    }
}
