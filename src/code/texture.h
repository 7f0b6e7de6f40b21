/* SPDX-License-Identifier: Apache-2.0
 * Textures and surfaces: what the number stands for that a kernel is given (a texture object's or
 * surface object's handle), the table where it is looked up, and what an instruction asks of one.
 * Knows nothing of who makes them. */
#ifndef IFL_CODE_TEXTURE_H
#define IFL_CODE_TEXTURE_H

#include "base/vec.h"
#include "code/code.h"

#include <stdint.h>

/* Levels of detail after the first one: as many as halve 131,072 elements. */
enum {
    IFL_TEXTURE_RANKS = 3,
    IFL_TEXEL_CHANNELS = 4,
    IFL_CUBE_FACES = 6,
    IFL_TEXTURE_SMALLER = 17
};

typedef enum ifl_texel_class {
    IFL_TEXEL_SIGNED,
    IFL_TEXEL_UNSIGNED,
    IFL_TEXEL_FLOAT
} ifl_texel_class;

typedef enum ifl_texel_form {
    IFL_TEXEL_PLAIN,
    IFL_TEXEL_FRACTIONS,      /* integers that are read as floats of 0 to 1, or -1 to 1 */
    IFL_TEXEL_PACKED,         /* the same in a word: 10, 10, 10 and 2 bits, the first the lowest */
    IFL_TEXEL_UNSIGNED_FLOAT, /* BC6H without a sign */
    IFL_TEXEL_PLANES          /* NV12: no elements of its own, but planes that have some */
} ifl_texel_form;

/* What an element is. */
typedef struct ifl_texel {
    uint8_t of;       /* ifl_texel_class */
    uint8_t bits;     /* of a channel: 8, 16, 32; of the first one of PACKED: 10 */
    uint8_t channels; /* 1, 2, 4 */
    uint8_t form;     /* ifl_texel_form */
    uint8_t blocks;   /* 1 to 7: compressed in blocks of 4 by 4, BC1 to BC7; 0: is not */
    bool is_colour;   /* of sRGB */
    bool is_opaque;   /* the last channel is 1 where there is none */
} ifl_texel;

/* Of compressed elements, in each direction. */
enum { IFL_TEXEL_BLOCK_SIDE = 4 };

/* Values as those of cudaTextureAddressMode. */
typedef enum ifl_outside {
    IFL_OUTSIDE_WRAP,
    IFL_OUTSIDE_CLAMP,
    IFL_OUTSIDE_MIRROR,
    IFL_OUTSIDE_BORDER,
    IFL_OUTSIDE_FACE /* of a cube without seams: the next face */
} ifl_outside;

/* Of a level of detail after the first one. */
typedef struct ifl_texture_level {
    uint32_t size[IFL_TEXTURE_RANKS];
    uint64_t offset, pitch, slice; /* from the first one on */
} ifl_texture_level;

typedef struct ifl_texture {
    bool is_surface;
    bool is_linear;  /* elements in a row, found by their number alone */
    bool is_blocks;  /* a GPU keeps it in blocks of 64 bytes by 8 rows, observers see it so */
    uint8_t rank;    /* 1, 2, 3 */
    bool is_layered; /* `layers` of them; the faces of a cube are layers too */
    bool is_cube;
    bool filters;                    /* linear filtering, else the nearest */
    bool is_normalized;              /* coordinates */
    bool reads_normalized;           /* integers become floats of 0 to 1, or -1 to 1 */
    bool is_srgb;                    /* those of 8 bits are of this scale (ifl_texel_is_colour) */
    bool is_anisotropic;             /* derivatives filter in a direction */
    bool filters_levels;             /* between two levels, else the nearest */
    uint8_t smaller;                 /* levels after the first one */
    uint8_t mode[IFL_TEXTURE_RANKS]; /* ifl_outside */
    ifl_texel texel;
    uint32_t border[IFL_TEXEL_CHANNELS];
    uint32_t
        size[IFL_TEXTURE_RANKS]; /* elements, rows, slices; 1 where there is no such dimension */
    uint32_t layers;
    uint64_t address, pitch, slice; /* of a row; of a slice or layer */
    uint64_t bytes;                 /* from `address` on: all of its elements lie in them */
    float level_bias, least_level, most_level;
    ifl_texture_level level[IFL_TEXTURE_SMALLER];
} ifl_texture;

/* Bytes of an element, or of a block of compressed ones. */
static inline uint32_t ifl_texel_bytes(const ifl_texel *texel)
{
    enum { HALF_BLOCK = 8, BC1 = 1, BC4 = 4 };
    if (texel->blocks)
        return texel->blocks == BC1 || texel->blocks == BC4 ? HALF_BLOCK : 2 * HALF_BLOCK;
    return texel->form == IFL_TEXEL_PACKED ? 4 : (uint32_t)texel->bits / 8 * texel->channels;
}

/* Elements, or blocks of them, that so many in a row make. */
static inline size_t ifl_texel_units(const ifl_texel *texel, size_t elements)
{
    const size_t side = texel->blocks ? IFL_TEXEL_BLOCK_SIDE : 1;
    return elements / side + (elements % side != 0);
}

/* ---- the table ------------------------------------------------------------------------------- */

typedef struct ifl_texture_entry {
    ifl_texture *texture; /* of a free place the last one */
    bool is_free;
    uint32_t uses; /* of the place by others before */
} ifl_texture_entry;

/* A zeroed one is empty. */
typedef struct ifl_textures {
    IFL_VEC(ifl_texture_entry) entries;
} ifl_textures;

/* Copies the texture, whose padding is zero; 0 without memory. A number is of 32 bits, since that is what machine code
 * hands to the texture unit. */
uint32_t ifl_textures_add(ifl_textures *table, const ifl_texture *texture);
/* NULL: there is none of the number. */
const ifl_texture *ifl_textures_find(const ifl_textures *table, uint32_t handle);
void ifl_textures_remove(ifl_textures *table, uint32_t handle);
void ifl_textures_free(ifl_textures *table);

/* ---- what an instruction asks ---------------------------------------------------------------- */

typedef enum ifl_texture_use {
    IFL_TEXTURE_SAMPLE, /* at coordinates */
    IFL_TEXTURE_FETCH,  /* by the element's number */
    IFL_TEXTURE_GATHER, /* one channel of the four that a filter would take */
    IFL_TEXTURE_LOAD,   /* of a surface */
    IFL_TEXTURE_STORE,
    IFL_TEXTURE_REDUCE,       /* an element of a surface, combined with a value */
    IFL_TEXTURE_QUERY,        /* a property of a texture */
    IFL_TEXTURE_DIMENSIONS,   /* of a level of a texture, or of a surface */
    IFL_TEXTURE_SURFACE_QUERY /* of a surface */
} ifl_texture_use;

/* Of coordinates of a surface that lie outside. Textures say that themselves. */
typedef enum ifl_surface_clamp {
    IFL_SURFACE_IGNORE, /* stores nothing, loads zero */
    IFL_SURFACE_CLAMP,
    IFL_SURFACE_TRAP
} ifl_surface_clamp;

/* Which level of detail is meant, where there are several. */
typedef enum ifl_texture_detail {
    IFL_TEXTURE_NO_DETAIL, /* not told */
    IFL_TEXTURE_LEVEL,
    IFL_TEXTURE_GRADIENT
} ifl_texture_detail;

typedef enum ifl_texture_packing {
    IFL_TEXTURE_WORDS,
    IFL_TEXTURE_HALVES, /* rounded to the nearest */
    IFL_TEXTURE_HALVES_TO_ZERO
} ifl_texture_packing;

/* code->extra. All slots are 32 bits wide. */
typedef struct ifl_texture_op {
    uint8_t use; /* ifl_texture_use */
    uint8_t rank;
    bool is_layered, is_cube;
    uint8_t channel;         /* of a gather */
    uint8_t clamp;           /* ifl_surface_clamp, also of fetches: no trap */
    bool counts_elements;    /* x of a surface: else bytes */
    uint8_t bytes;           /* of an element of a surface: 1, 2, 4, 8, 16 */
    bool is_signed;          /* 1 and 2 bytes are extended by their sign */
    uint8_t wanted;          /* bit: channel */
    uint8_t packs;           /* ifl_texture_packing: results of 16 bits, two in a word */
    uint8_t query;           /* IFL_QUERY_* */
    uint8_t operation, type; /* of a reduction: IFL_OPERATION_*, ifl_type */
    uint8_t offset_bits;     /* of what is added to an element's place, 0: nothing is */
    uint8_t offset_shift[IFL_TEXTURE_RANKS];
    uint32_t handle, layer;
    uint32_t at[IFL_TEXTURE_RANKS];
    uint32_t offset[IFL_TEXTURE_RANKS];      /* signed, `offset_bits` from bit `offset_shift` on */
    uint32_t data[IFL_TEXEL_CHANNELS];       /* by channel, or by word of a surface's element */
    uint8_t detail;                          /* ifl_texture_detail */
    uint32_t level;                          /* a float; of fetches and questions a number */
    uint32_t gradient[2][IFL_TEXTURE_RANKS]; /* by x of the screen, by y */
    bool is_formatted; /* words of a surface's element are of the surface's format */
} ifl_texture_op;

/* A function that kernels are given and that asks textures for values by derivatives. */
bool ifl_provided_asks_textures(ifl_provided function);

#endif
