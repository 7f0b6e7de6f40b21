/* SPDX-License-Identifier: Apache-2.0
 * Whole files: read into memory, and written beside and renamed (file_write.c). */
#ifndef IFL_BASE_FILE_H
#define IFL_BASE_FILE_H

#include "base/error.h"

/* Reads all of `path` into memory of malloc, with a NUL after the last byte. A directory, a file
 * that cannot be read and one of more than `limit` bytes are errors that name it. */
typedef ifl_status ifl_file_reader(const char *path, size_t limit, char **text, size_t *bytes,
                                   ifl_error *error);
ifl_file_reader ifl_file_read;
/* The same of a file that somebody else has put there: a link is not followed, a pipe or a device
 * not waited for. IFL_BAD_INPUT. */
ifl_file_reader ifl_file_read_plain;

/* A file that takes its place only when it is complete: the old one stays as it was until
 * ifl_file_commit. A symbolic link stays, and what it leads to is written; a file that is there
 * keeps its owner and its rights. Pipes and devices are written directly, and so is a file whose
 * folder or owner does not let another take its place. */
typedef struct ifl_file {
    FILE *stream;
    char *name;   /* as it was given */
    char *path;   /* where that leads */
    char *beside; /* the file that is written, in the same folder; NULL: `path` itself */
} ifl_file;

ifl_status ifl_file_create(ifl_file *file, const char *path, ifl_error *error);
/* Closes the file and renames it; on failure what was written is removed. */
ifl_status ifl_file_commit(ifl_file *file, ifl_error *error);
void ifl_file_abandon(ifl_file *file);
/* Whether ifl_file_create could do its work now; nothing is changed. */
ifl_status ifl_file_check(const char *path, ifl_error *error);
/* Whether both lead to one regular file, or would make one. */
bool ifl_file_is_same(const char *a, const char *b);
/* Makes the folders of a path that are missing; false where one cannot be made. */
bool ifl_file_make_folders(const char *path);
/* "c.cu" of "a/b/c.cu". */
const char *ifl_file_last_name(const char *path);
/* Removes what is being written and is not complete. For a handler of signals, which then ends the
 * program. */
void ifl_files_drop(void);

/* Fills in "cannot VERB 'path': reason" from errno. */
ifl_status ifl_fail_file(ifl_error *error, const char *verb, const char *path);

#endif
