/* SPDX-License-Identifier: Apache-2.0
 * Launch files, in two steps that tests and fuzzing can take apart: reading the lines, applying
 * them to a launch. */
#ifndef IFL_SESSION_LAUNCH_FILE_H
#define IFL_SESSION_LAUNCH_FILE_H

#include "base/keyfile.h"

typedef struct ifl_launch_file ifl_launch_file;

/* Reads the lines and checks the keys. `path` and `text` (NUL-terminated) must outlive the
 * result. */
ifl_status ifl_launch_file_parse(const char *path, const char *text, size_t bytes,
                                 ifl_launch_file **out, ifl_error *error);
void ifl_launch_file_free(ifl_launch_file *file);

/* Sets grid, block, shared, gpu and the arguments. */
ifl_status ifl_launch_file_apply(const ifl_launch_file *file, ifl_launch *launch, ifl_error *error);

#endif
