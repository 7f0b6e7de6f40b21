/* SPDX-License-Identifier: Apache-2.0
 * The public report functions: choose a writer, and see that what it wrote has arrived. */
#include "report/writer.h"

#include "base/file.h"

#include <errno.h>
#include <string.h>

static ifl_report_writer *const writers[] = {
    [IFL_REPORT_TEXT] = ifl_report_write_text,
    [IFL_REPORT_JSON] = ifl_report_write_json,
    [IFL_REPORT_HTML] = ifl_report_write_html,
};

ifl_status ifl_report_fail_stream(const char *what, ifl_error *error)
{
    char buffer[128];
    const char *reason =
        errno ? strerror_r(errno, buffer, sizeof buffer) : "an earlier write failed";
    return ifl_fail(error, IFL_NO_FILE, "cannot write the %s: %s", what, reason);
}

static ifl_status write_form(const ifl_outcome *const *outcomes, size_t count,
                             ifl_report_format format, const ifl_report_options *options, FILE *out,
                             ifl_error *error)
{
    if ((unsigned)format >= sizeof writers / sizeof *writers)
        return ifl_fail(error, IFL_USAGE, "there is no report format %d", (int)format);
    ifl_report_input input = {.outcomes = outcomes, .count = count};
    if (options)
        input.options = *options;
    errno = 0;
    return writers[format](&input, out, error);
}

ifl_status ifl_report_write(const ifl_outcome *const *outcomes, size_t count,
                            ifl_report_format format, const ifl_report_options *options, FILE *out,
                            ifl_error *error)
{
    const ifl_status status = write_form(outcomes, count, format, options, out, error);
    if (status == IFL_OK && (fflush(out) != 0 || ferror(out)))
        return ifl_report_fail_stream("report", error);
    return status;
}

ifl_status ifl_report_save(const ifl_outcome *const *outcomes, size_t count,
                           ifl_report_format format, const ifl_report_options *options,
                           const char *path, ifl_error *error)
{
    ifl_file file;
    ifl_status status = ifl_file_create(&file, path, error);
    if (status != IFL_OK)
        return status;
    status = write_form(outcomes, count, format, options, file.stream, error);
    if (status == IFL_OK)
        return ifl_file_commit(&file, error);
    ifl_file_abandon(&file);
    return status;
}
