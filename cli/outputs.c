/* SPDX-License-Identifier: Apache-2.0
 * See outputs.h. */
#include "outputs.h"

#include "terminal.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool ifl_cli_is_dash(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static ifl_status check_two(const ifl_cli_output *a, const ifl_cli_output *b, ifl_error *error)
{
    if (!a->path || !b->path)
        return IFL_OK;
    if (ifl_cli_is_dash(a->path) && ifl_cli_is_dash(b->path))
        return ifl_cli_error(error, IFL_USAGE, "%s and %s both go to standard output", a->option,
                             b->option);
    if (ifl_cli_is_dash(a->path) || ifl_cli_is_dash(b->path) ||
        !ifl_output_is_same(a->path, b->path))
        return IFL_OK;
    return ifl_cli_error(error, IFL_USAGE, "%s and %s both write the file '%s'", a->option,
                         b->option, b->path);
}

/* Into which the page goes, or what the program prints. */
static bool is_stream(const char *path, int descriptor)
{
    struct stat of, is;
    return stat(path, &of) == 0 && S_ISREG(of.st_mode) && fstat(descriptor, &is) == 0 &&
           of.st_dev == is.st_dev && of.st_ino == is.st_ino;
}

static ifl_status check_streams(const ifl_cli_output *output, ifl_error *error)
{
    const bool is_out = is_stream(output->path, STDOUT_FILENO);
    if (!is_out && !is_stream(output->path, STDERR_FILENO))
        return IFL_OK;
    return ifl_cli_error(error, IFL_USAGE, "%s and standard %s both write the file '%s'",
                         output->option, is_out ? "output" : "error", output->path);
}

ifl_status ifl_cli_outputs_check(const ifl_cli_output *outputs, size_t count, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < count && status == IFL_OK; i++)
        for (size_t j = i + 1; j < count && status == IFL_OK; j++)
            status = check_two(&outputs[i], &outputs[j], error);
    for (size_t i = 0; i < count && status == IFL_OK; i++)
        if (outputs[i].path && !ifl_cli_is_dash(outputs[i].path)) {
            status = check_streams(&outputs[i], error);
            if (status == IFL_OK)
                status = ifl_output_check(outputs[i].path, error);
        }
    return status;
}

ifl_status ifl_cli_outputs_spare(const ifl_cli_output *outputs, size_t count, const char *input,
                                 ifl_error *error)
{
    for (size_t i = 0; i < count && input; i++)
        if (outputs[i].path && !ifl_cli_is_dash(outputs[i].path) &&
            ifl_output_is_same(outputs[i].path, input))
            return ifl_cli_error(error, IFL_USAGE, "%s would overwrite '%s', which is an input",
                                 outputs[i].option, input);
    return IFL_OK;
}

ifl_status ifl_cli_output_write(const char *path, ifl_cli_writer *write, const void *user,
                                ifl_error *error)
{
    ifl_output *output;
    FILE *stream;
    if (ifl_cli_is_dash(path))
        return write(user, stdout, error);
    fflush(stdout); /* which may be where the path leads */
    ifl_status status = ifl_output_create(path, &output, &stream, error);
    if (status != IFL_OK)
        return status;
    status = write(user, stream, error);
    if (status != IFL_OK && status != IFL_FINDING) {
        ifl_output_abandon(output);
        return status;
    }
    const ifl_status finished = ifl_output_finish(output, error);
    return finished == IFL_OK ? status : finished;
}
