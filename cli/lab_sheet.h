/* SPDX-License-Identifier: Apache-2.0
 * The figures of one case: rows are versions at points of a sweep, figures have a source and a GPU.
 * All that the command prints and writes comes from a sheet; it knows nothing of how it was
 * filled. */
#ifndef IFL_CLI_LAB_SHEET_H
#define IFL_CLI_LAB_SHEET_H

#include "lab/lab_api.h"

typedef enum ifl_cli_source {
    IFL_CLI_PUBLISHED,
    IFL_CLI_ENGINE, /* counted; belongs to no GPU */
    IFL_CLI_MODELLED,
    IFL_CLI_MEASURED,
    IFL_CLI_SOURCES
} ifl_cli_source;

typedef enum ifl_cli_verdict {
    IFL_CLI_NOT_RUN,
    IFL_CLI_UNCHECKED, /* the case has no reference */
    IFL_CLI_RIGHT,
    IFL_CLI_WRONG,
    IFL_CLI_FAILED /* the launch did not run */
} ifl_cli_verdict;

typedef struct ifl_cli_row {
    size_t version;
    const char *sweep; /* NULL: the case's own sizes */
    size_t setting_count;
    ifl_lab_setting settings[IFL_LAB_MOST_AXES];
    ifl_cli_verdict verdict;
    size_t figures; /* the last one of this row, counted from 1; 0: none */
} ifl_cli_row;

typedef struct ifl_cli_figure {
    size_t row;
    ifl_cli_source source;
    const char *gpu; /* NULL for the engine */
    const char *metric;
    double value;
    size_t before; /* the row's figure before this one, as above */
} ifl_cli_figure;

/* Where measured figures come from: "NVIDIA H200, driver 580.95.05, CUDA 13.0". */
typedef struct ifl_cli_origin {
    const char *gpu, *text;
} ifl_cli_origin;

typedef struct ifl_cli_sheet {
    ifl_lab *lab;
    bool reduced;
    ifl_cli_row *rows;
    size_t row_count;
    ifl_cli_figure *figures;
    size_t figure_count, figure_capacity;
    char **texts; /* names and complaints, each once */
    size_t text_count;
    const char **complaints; /* what is not as it has to be, a line each */
    size_t complaint_count;
    ifl_cli_origin *origins;
    size_t origin_count;
} ifl_cli_sheet;

void ifl_cli_sheet_free(ifl_cli_sheet *sheet);
/* The sheet's own copy of a text, the same for equal texts; NULL without memory. */
const char *ifl_cli_sheet_text(ifl_cli_sheet *sheet, const char *text);
ifl_status ifl_cli_sheet_add_row(ifl_cli_sheet *sheet, const ifl_cli_row *row, ifl_error *error);
/* `gpu` may be NULL. A second figure of the same place takes that of the first. */
ifl_status ifl_cli_sheet_add(ifl_cli_sheet *sheet, size_t row, ifl_cli_source source,
                             const char *gpu, const char *metric, double value, ifl_error *error);
bool ifl_cli_sheet_get(const ifl_cli_sheet *sheet, size_t row, ifl_cli_source source,
                       const char *gpu, const char *metric, double *value);
ifl_status ifl_cli_sheet_complain(ifl_cli_sheet *sheet, ifl_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
ifl_lab_point ifl_cli_sheet_point(const ifl_cli_sheet *sheet, size_t row);
/* The row of a version with those settings; row_count when there is none. */
size_t ifl_cli_sheet_find_row(const ifl_cli_sheet *sheet, size_t version,
                              const ifl_lab_setting *settings, size_t count);
/* "naive", or "naive, threads = 64". */
const char *ifl_cli_sheet_label(const ifl_cli_sheet *sheet, size_t row, char *to, size_t size);
/* NULL past the last GPU that any figure has. */
const char *ifl_cli_sheet_gpu(const ifl_cli_sheet *sheet, size_t index);

#endif
