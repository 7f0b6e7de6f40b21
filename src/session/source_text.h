/* SPDX-License-Identifier: Apache-2.0
 * Lines of the source files that programs name, where the files are at hand. */
#ifndef IFL_SESSION_SOURCE_TEXT_H
#define IFL_SESSION_SOURCE_TEXT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

typedef struct ifl_source_file {
    const char *recorded;   /* the name in the program */
    char *text;             /* NULL: not at hand */
    IFL_VEC(size_t) starts; /* of its lines */
} ifl_source_file;

typedef struct ifl_source_texts {
    const char *module_path; /* relative names are looked up beside it */
    IFL_VEC(ifl_source_file) files;
} ifl_source_texts;

/* The text of a line (from 1) without the blanks around it, in the arena: "" where it is not at
 * hand, NULL without memory. A recorded path that is absolute is tried as it is; a relative one
 * beside the module and in the working directory; at last the bare file name beside the module. */
const char *ifl_source_line(ifl_source_texts *texts, ifl_arena *arena, const char *recorded,
                            uint32_t line);
/* The same as it stands in the file, without its end of line; NULL where it is not at hand. Valid
 * until the texts are freed. */
const char *ifl_source_raw_line(ifl_source_texts *texts, const char *recorded, uint32_t line,
                                size_t *bytes);
void ifl_source_texts_free(ifl_source_texts *texts);

/* `bytes` of `text`, a line, cleaned the same way. */
const char *ifl_text_line(ifl_arena *arena, const char *text, size_t bytes);

#endif
