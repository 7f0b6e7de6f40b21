/* SPDX-License-Identifier: Apache-2.0
 * The one interface behind which a report is written: outcomes in, bytes out. A format is a
 * function of this type and a row of the table in report.c. Writing errors are the caller's to
 * find, on the stream. */
#ifndef IFL_REPORT_WRITER_H
#define IFL_REPORT_WRITER_H

#include "outcome/outcome.h"
#include "report/page.h"

typedef struct ifl_report_input {
    const ifl_outcome *const *outcomes;
    size_t count;
    ifl_report_options options;
} ifl_report_input;

typedef ifl_status ifl_report_writer(const ifl_report_input *input, FILE *out, ifl_error *error);

/* The stream has failed: says so of `what`, with the reason in errno. */
ifl_status ifl_report_fail_stream(const char *what, ifl_error *error);

/* What there is to say of one launch, on pages like `page`. */
ifl_status ifl_report_print_launch(const ifl_report_input *input, size_t index,
                                   const ifl_page *page, ifl_error *error);

ifl_report_writer ifl_report_write_text;
ifl_report_writer ifl_report_write_html;
ifl_report_writer ifl_report_write_json;

#endif
