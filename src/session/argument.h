/* SPDX-License-Identifier: Apache-2.0
 * One kernel argument as docs/launch.md writes it: a scalar, a structure's bytes, a buffer, a null
 * pointer, a tensor map, a texture, or an earlier buffer once more. Parsing checks the word against the
 * parameter; it fills and allocates no buffer. */
#ifndef IFL_SESSION_ARGUMENT_H
#define IFL_SESSION_ARGUMENT_H

#include "base/vec.h"
#include "session/fill.h"
#include "session/module.h"

#include "code/tensor_map.h"
#include "code/texture.h"

typedef enum ifl_argument_kind {
    IFL_ARGUMENT_VALUE,
    IFL_ARGUMENT_BUFFER,
    IFL_ARGUMENT_SAME
} ifl_argument_kind;

typedef struct ifl_argument {
    ifl_argument_kind kind;
    const ifl_element
        *element; /* of a scalar or a buffer's elements; NULL: plain bytes, a null pointer */
    const uint8_t *value; /* VALUE: the parameter's bytes */
    size_t value_bytes;
    uint64_t count; /* BUFFER */
    uint32_t misalign;
    ifl_fill fill;
    size_t same; /* SAME: the argument whose buffer it is */
    const ifl_tensor_map *
        /* the parameter is a description of the buffer, not its address; its address is not set */
        tensor;
    const ifl_texture *texture; /* the same: the parameter is the number of one that reads it */
    const char *text;           /* "f32×1000 = random", for people */
    /* the kernel's parameter that it is, or where in it: a structure's members are arguments each */
    size_t parameter;
    uint64_t offset;
} ifl_argument;
typedef IFL_VEC(ifl_argument) ifl_argument_list;

typedef struct ifl_argument_context {
    const ifl_parameter *param;
    size_t parameter;           /* its number */
    size_t index;               /* of this argument */
    const ifl_argument *before; /* the `index` arguments before it */
    const char *directory;      /* that file names are relative to; NULL: the working directory */
} ifl_argument_context;

/* Texts and bytes go to the arena. A word that cannot be read is IFL_USAGE, with "argument N" as
 * the file and the word as the line, so that the column has a caret. */
ifl_status ifl_argument_parse(ifl_arena *arena, const ifl_argument_context *context,
                              const char *word, ifl_argument *out, ifl_error *error);

/* "struct:WORD,WORD": the members of a structure that is passed by value, each an argument of its own,
 * laid out as C does. They go to the end of `list`. */
bool ifl_argument_is_structure(const char *word);
ifl_status ifl_argument_parse_structure(ifl_arena *arena, const ifl_argument_context *context,
                                        const char *word, ifl_argument_list *list,
                                        ifl_error *error);

/* The name that the source gives a parameter; NULL where the PTX has only a made-up one
 * ("saxpy_param_2"), as all compilers write it. */
const char *ifl_param_name(const ifl_parameter *param);
/* "u32", "f32", "24 bytes": how a parameter is called in messages. */
const char *ifl_param_text(const ifl_parameter *param, char *to, size_t size);

/* `name` as seen from `directory`; in the arena, NULL without memory. */
const char *ifl_path_join(ifl_arena *arena, const char *directory, const char *name);

#endif
