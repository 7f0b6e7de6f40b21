/* SPDX-License-Identifier: Apache-2.0
 * Sheets as JSON and CSV files (docs/lab-format.md, "Output"). */
#ifndef IFL_CLI_LAB_WRITE_H
#define IFL_CLI_LAB_WRITE_H

#include "lab_sheet.h"

/* "-" is standard output; other files are written beside themselves and renamed. */
ifl_status ifl_cli_lab_write_json(const ifl_cli_sheet *sheets, size_t count, const char *path,
                                  ifl_error *error);
ifl_status ifl_cli_lab_write_csv(const ifl_cli_sheet *sheets, size_t count, const char *path,
                                 ifl_error *error);

#endif
