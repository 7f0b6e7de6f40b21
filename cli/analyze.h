/* SPDX-License-Identifier: Apache-2.0
 * What `inflight analyze` was asked for, and the help that it gives when something is missing. */
#ifndef IFL_CLI_ANALYZE_H
#define IFL_CLI_ANALYZE_H

#include <inflight.h>

typedef struct ifl_cli_save {
    size_t index; /* of the argument */
    const char *path;
} ifl_cli_save;

typedef struct ifl_cli_request {
    const char *file, *kernel, *grid, *block, *shared, *arch; /* NULL: not given */
    char **arguments;
    int argument_count;
    const char *json, *dump, *vector_width;
    ifl_cli_save *saves;
    size_t save_count;
    ifl_device **devices; /* to model the launch on */
    size_t device_count;
    int threads, resident, quantum, lines; /* 0: not given */
    bool check_reads, color;
} ifl_cli_request;

/* Is the kernel known, and its grid and block? */
bool ifl_cli_can_run(const ifl_cli_request *request, const ifl_module *module);
/* Lists the kernels of the file with a command line to copy, and says what is missing. Returns the
 * exit status. */
int ifl_cli_say_what_is_missing(const ifl_cli_request *request, const ifl_module *module);

#endif
