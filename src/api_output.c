/* SPDX-License-Identifier: Apache-2.0
 * The public functions of files that are written: src/base/file_write.c behind handles. */
#include "base/file.h"

#include <stdlib.h>

struct ifl_output {
    ifl_file file;
};

ifl_status ifl_output_create(const char *path, ifl_output **out, FILE **stream, ifl_error *error)
{
    ifl_output *output = calloc(1, sizeof *output);
    *out = NULL;
    if (!output)
        return ifl_fail_memory(error, sizeof *output);
    const ifl_status status = ifl_file_create(&output->file, path, error);
    if (status != IFL_OK) {
        free(output);
        return status;
    }
    *out = output;
    *stream = output->file.stream;
    return IFL_OK;
}

ifl_status ifl_output_finish(ifl_output *output, ifl_error *error)
{
    const ifl_status status = ifl_file_commit(&output->file, error);
    free(output);
    return status;
}

void ifl_output_abandon(ifl_output *output)
{
    if (!output)
        return;
    ifl_file_abandon(&output->file);
    free(output);
}

ifl_status ifl_output_check(const char *path, ifl_error *error)
{
    return ifl_file_check(path, error);
}

bool ifl_output_is_same(const char *a, const char *b)
{
    return ifl_file_is_same(a, b);
}

void ifl_outputs_drop(void)
{
    ifl_files_drop();
}
