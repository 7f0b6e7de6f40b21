/* SPDX-License-Identifier: Apache-2.0
 * Names of source files for compilers: nvcc hands them to a shell, and clang reads '@' in front of
 * one as a file of options. A path that such a reader would not take literally is replaced by a
 * name in a private folder. */
#ifndef IFL_COMPILE_SHELL_NAME_H
#define IFL_COMPILE_SHELL_NAME_H

#include "base/process.h"

typedef struct ifl_shell_name {
    char path[IFL_PATH_BYTES];   /* for the compiler */
    bool is_stand_in;            /* a file in the private folder that includes the source */
    char folder[IFL_PATH_BYTES]; /* the source's, absolute */
    char linked[IFL_PATH_BYTES]; /* how the stand-in reaches that folder, absolute */
} ifl_shell_name;

/* A name for `path`; where it is a stand-in, the compiler has to run in the private folder.
 * IFL_UNSUPPORTED: the path holds characters that no source text can name. */
ifl_status ifl_shell_name_make(const char *path, const ifl_scratch *scratch, ifl_shell_name *out,
                               ifl_error *error);

/* Puts the source's own folder back in what the compiler wrote; *text is of malloc and may move. */
ifl_status ifl_shell_name_restore(const ifl_shell_name *name, char **text, size_t *bytes,
                                  ifl_error *error);

#endif
