/* SPDX-License-Identifier: Apache-2.0
 * Whole files: read into memory, and written beside and renamed. */
#ifndef IFL_BASE_FILE_H
#define IFL_BASE_FILE_H

#include "base/error.h"

/* Reads all of `path` into memory of malloc, with a NUL after the last byte. A directory, a file
 * that cannot be read and one of more than `limit` bytes are errors that name it. */
ifl_status ifl_file_read(const char *path, size_t limit, char **text, size_t *bytes,
                         ifl_error *error);

/* A file that takes its place only when it is complete: the old one stays as it was until
 * ifl_file_commit. */
typedef struct ifl_file {
    FILE *stream;
    char *path;
    char *beside;
} ifl_file;

ifl_status ifl_file_create(ifl_file *file, const char *path, ifl_error *error);
/* Closes the file and renames it; on failure what was written is removed. */
ifl_status ifl_file_commit(ifl_file *file, ifl_error *error);
void ifl_file_abandon(ifl_file *file);

/* Fills in "cannot VERB 'path': reason" from errno. */
ifl_status ifl_fail_file(ifl_error *error, const char *verb, const char *path);

#endif
