/* SPDX-License-Identifier: Apache-2.0
 * What is told when the program ends. */
#ifndef IFL_STANDIN_SUMMARY_H
#define IFL_STANDIN_SUMMARY_H

#include "session/session.h"
#include "standin/run_options.h"

/* Writes the report to stderr and, where asked, as JSON. The exit status that the program shall end
 * with, 0: its own. */
int ifl_standin_summary(ifl_session *session, const ifl_standin_options *options);
/* Writes the rows of all launches until now as JSON, as that report does. */
ifl_status ifl_standin_rows(ifl_session *session, const char *path, ifl_error *error);

#endif
