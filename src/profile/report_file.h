/* SPDX-License-Identifier: Apache-2.0
 * A JSON report (docs/json.md) as it is read again: the errors say in which way a file is none. */
#ifndef IFL_PROFILE_REPORT_FILE_H
#define IFL_PROFILE_REPORT_FILE_H

#include "base/error.h"

#include <jansson.h>

/* The report of launches that `analyze --json` and `run --json` write. `path` is for messages. The
 * caller owns *root. */
ifl_status ifl_report_parse(const char *path, const char *text, size_t bytes, json_t **root,
                            ifl_error *error);

#endif
