/* SPDX-License-Identifier: Apache-2.0
 * The report on machine code: chooses a format. */
#include "report/report_sass.h"

ifl_status ifl_sass_report_write(const ifl_sass_report *report, ifl_report_format format, FILE *out,
                                 ifl_error *error)
{
    static ifl_status (*const writers[])(const ifl_sass_report *, FILE *, ifl_error *) = {
        [IFL_REPORT_TEXT] = ifl_sass_write_text,
        [IFL_REPORT_JSON] = ifl_sass_write_json,
    };
    if ((unsigned)format >= sizeof writers / sizeof *writers)
        return ifl_fail(error, IFL_USAGE, "there is no report format %d", (int)format);
    return writers[format](report, out, error);
}
