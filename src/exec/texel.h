/* SPDX-License-Identifier: Apache-2.0
 * What a texture gives at a place: elements, coordinates, filters (texel.c, texture_sample.c).
 * Knows no warps and no events; texture_request.c does. */
#ifndef IFL_EXEC_TEXEL_H
#define IFL_EXEC_TEXEL_H

#include "code/texture.h"

/* Elements that one fetch touches: those of a filter in three dimensions. */
enum { IFL_MOST_TEXELS = 8 };

/* A texture with its memory at hand. */
typedef struct ifl_texture_view {
    const ifl_texture *texture;
    const uint8_t *host; /* of texture->address */
} ifl_texture_view;

/* What an instruction asks of it, for one lane. */
typedef struct ifl_texture_query {
    const ifl_texture_op *op;
    uint32_t layer;
    uint32_t at[IFL_TEXTURE_RANKS];    /* as the registers have it: floats, or numbers of a fetch */
    int32_t offset[IFL_TEXTURE_RANKS]; /* elements that are added to it */
} ifl_texture_query;

typedef struct ifl_texture_answer {
    uint32_t channel[IFL_TEXEL_CHANNELS];
    uint64_t offset[IFL_MOST_TEXELS]; /* of the elements that were read, from texture->address */
    uint32_t count;
} ifl_texture_answer;

void ifl_texture_ask(const ifl_texture_view *view, const ifl_texture_query *query,
                     ifl_texture_answer *answer);

/* Where that is, in elements of the first level of detail; of a cube, on a face. */
void ifl_texture_find_place(const ifl_texture *texture, const ifl_texture_query *query,
                            float place[IFL_TEXTURE_RANKS]);

/* The same between two levels of detail, `weight` of 2^IFL_LEVEL_BITS of the second one: the words
 * are the first answer's. */
void ifl_texture_ask_between(const ifl_texture_view view[2], uint32_t weight,
                             const ifl_texture_query *query, ifl_texture_answer answer[2]);

/* ---- levels of detail: texture_level.c ------------------------------------------------------- */

enum { IFL_LEVEL_BITS = 8 };

/* In parts of 2^IFL_LEVEL_BITS, within what the texture has: of a level that is asked for, and of
 * derivatives by x and y of the screen. */
uint32_t ifl_texture_level_of(const ifl_texture *texture, float level);
float ifl_texture_gradient_level(const ifl_texture *texture, float gradient[2][IFL_TEXTURE_RANKS]);
float ifl_texture_cube_level(const ifl_texture *texture, const float direction[IFL_TEXTURE_RANKS],
                             float gradient[2][IFL_TEXTURE_RANKS]);
/* A level as a texture of its own. */
ifl_texture ifl_texture_at_level(const ifl_texture *texture, uint32_t level);

/* ---- elements: texel.c ----------------------------------------------------------------------- */

/* The words of an element, of the wanted channels (a bit each), as a filter counts them: the least
 * number of a signed fraction is below -1. `place`: in a block of compressed ones, by row. */
void ifl_texel_read(const ifl_texture *texture, const uint8_t *from, unsigned place, uint8_t wanted,
                    uint32_t to[IFL_TEXEL_CHANNELS]);
/* Whether a channel is on the scale of sRGB. */
bool ifl_texel_is_colour(const ifl_texture *texture, unsigned channel);
/* A colour of sRGB counts by the largest of the eight that share its upper five bits where a filter
 * asks how large it is. */
float ifl_texel_colour_bound(float value);
/* An element of what a program's words say, of the first `count` channels: others become zero. */
void ifl_texel_write(const ifl_texel *texel, const uint32_t *words, unsigned count, uint8_t *to);
/* Of a place outside that has no element: the border's, or zero. */
void ifl_texel_outside(const ifl_texture *texture, uint32_t to[IFL_TEXEL_CHANNELS]);

#endif
