/* SPDX-License-Identifier: Apache-2.0
 * Files of `key = value # comment` lines: launch files and device descriptions. The reader knows
 * the shape of a line, not what any key means. It allocates nothing: entries point into the
 * text. */
#ifndef IFL_BASE_KEYFILE_H
#define IFL_BASE_KEYFILE_H

#include "base/error.h"

typedef struct ifl_span {
    const char *at; /* not NUL-terminated */
    size_t length;
} ifl_span;

typedef struct ifl_keyfile {
    const char *file; /* for errors */
    const char *text;
    size_t bytes;
    size_t at; /* start of the next line */
    int line;  /* of the entry given last */
} ifl_keyfile;

typedef struct ifl_keyfile_entry {
    ifl_span key;
    ifl_span value;        /* without the blanks around it; may be empty */
    ifl_span comment;      /* what follows the #, without blanks; empty when there is none */
    const char *line_text; /* the whole line, for a caret */
    int line;
    int key_column;
    int value_column;
} ifl_keyfile_entry;

/* Starts reading. `text` must be NUL-terminated at text[bytes] and must outlive the reader. */
void ifl_keyfile_start(ifl_keyfile *reader, const char *file, const char *text, size_t bytes);

/* The next entry: *found tells whether there was one. Blank lines and comments are skipped. A
 * `#` starts a comment at the start of a line or after a blank, so that values may hold one. A
 * line that is not of this shape is IFL_BAD_INPUT with its place. */
ifl_status ifl_keyfile_next(ifl_keyfile *reader, ifl_keyfile_entry *entry, bool *found,
                            ifl_error *error);

bool ifl_span_is(ifl_span span, const char *text);
/* The place of an entry's value, `offset` bytes into it, for ifl_fail_at. */
ifl_place ifl_keyfile_place(const ifl_keyfile *reader, const ifl_keyfile_entry *entry,
                            size_t offset);
/* IFL_BAD_INPUT at an entry's key. */
ifl_status ifl_keyfile_fail_key(const ifl_keyfile *reader, const ifl_keyfile_entry *entry,
                                ifl_error *error, const char *format, ...) IFL_PRINTF(4, 5);

#endif
