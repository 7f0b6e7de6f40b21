/* SPDX-License-Identifier: Apache-2.0
 * CUDA arrays: memory of the GPU whose layout programs cannot see, and that copies, textures and
 * surfaces reach. Here rows lie one after the other, in whole blocks of 64 bytes × 8 rows. */
#ifndef IFL_STANDIN_ARRAY_H
#define IFL_STANDIN_ARRAY_H

#include "code/texture.h"
#include "standin/state.h"

/* cudaArray* and CUDA_ARRAY3D_*: the same numbers */
enum {
    IFL_ARRAY_LAYERED = 1,
    IFL_ARRAY_SURFACE = 2,
    IFL_ARRAY_CUBE = 4,
    IFL_ARRAY_GATHER = 8,
    IFL_ARRAY_FLAGS = 15,
    IFL_ARRAY_VIDEO = 256 /* CUDA_ARRAY3D_VIDEO_ENCODE_DECODE, of arrays of planes alone */
};

/* cudaChannelFormatDesc: bits of each channel, and cudaChannelFormatKind */
typedef struct ifl_channels {
    int bits[IFL_TEXEL_CHANNELS];
    int kind;
} ifl_channels;

typedef struct ifl_array {
    ifl_texel texel;
    size_t width, height, depth; /* elements; 0 for a dimension that is not there */
    unsigned flags;
    bool is_part; /* a level of a mipmapped array or a plane of an array, with which it goes */
    uint64_t address;
    size_t pitch, slice, bytes;
    struct ifl_array *plane; /* IFL_ARRAY_PLANES of NV12; NULL: of others */
} ifl_array;

/* Brightness; two colours of half its size in each direction. */
enum { IFL_ARRAY_PLANES = 2 };

enum { IFL_ARRAY_LEVELS = 1 + IFL_TEXTURE_SMALLER };

/* Levels of detail, each half as large as the one before. Their memory is one allocation. */
typedef struct ifl_mipmaps {
    unsigned count;
    ifl_array level[IFL_ARRAY_LEVELS];
} ifl_mipmaps;

ifl_cuda_error ifl_texel_of_channels(const ifl_channels *channels, ifl_texel *texel);
ifl_channels ifl_channels_of_texel(const ifl_texel *texel);

/* Of `asked` the texel, the size and the flags count. `call` and `from` name it in messages. */
ifl_cuda_error ifl_array_make(ifl_session *session, const ifl_array *asked, const char *call,
                              const void *from, ifl_array **out);
/* NULL: it is none. */
ifl_array *ifl_array_of(const void *handle);
/* Of a row of elements, or of blocks of compressed ones. */
size_t ifl_array_row_bytes(const ifl_array *array);
void ifl_array_drop(ifl_session *session, ifl_array *array);

/* As many levels as are asked for and can be: at least one. */
ifl_cuda_error ifl_mipmaps_make(ifl_session *session, const ifl_array *asked, unsigned levels,
                                const char *call, const void *from, ifl_mipmaps **out);
ifl_mipmaps *ifl_mipmaps_of(const void *handle);
void ifl_mipmaps_drop(ifl_session *session, ifl_mipmaps *mipmaps);

/* A side of a copy: where the box of bytes × rows × slices lies. */
typedef struct ifl_array_side {
    void *start;
    size_t offset, pitch, slice;
    void *array; /* its handle; NULL: memory */
} ifl_array_side;

/* cudaErrorInvalidValue where the box leaves the array, or does not consist of whole elements: of
 * compressed ones of whole blocks, whose rows are counted. */
ifl_cuda_error ifl_array_find(const ifl_array *array, const ifl_position *at, const ifl_extent *box,
                              ifl_array_side *out);

#endif
