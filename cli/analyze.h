/* SPDX-License-Identifier: Apache-2.0
 * The request of `inflight analyze`, and the help that it prints if something is missing. */
#ifndef IFL_CLI_ANALYZE_H
#define IFL_CLI_ANALYZE_H

#include <inflight.h>

typedef struct ifl_cli_save {
    size_t index; /* of the argument */
    const char *path;
} ifl_cli_save;

typedef struct ifl_cli_request {
    const char *file, *kernel, *grid, *block, *cluster, *shared, *arch, *machine,
        *code; /* NULL: not given */
    char **arguments;
    int argument_count;
    const char *json, *html, *dump, *vector_width;
    ifl_cli_save *saves;
    size_t save_count;
    ifl_device **devices;      /* to model the launch on */
    const char **device_words; /* what names each */
    size_t device_count;
    int threads, resident, quantum, lines; /* 0: not given */
    bool check_reads, check_races, color;
    bool default_gpu; /* of the devices: nobody named one */
    bool on_gpu, no_check, no_timing, counters, subtract_floor;
    ifl_between between;
    int samples, carveout, device; /* carveout: -1 not given */
} ifl_cli_request;

/* Is the kernel known, and its grid and block? */
bool ifl_cli_can_run(const ifl_cli_request *request, const ifl_module *module);
/* Lists the kernels of the file with a command line to copy, and says what is missing. Returns the
 * exit status. */
int ifl_cli_say_what_is_missing(const ifl_cli_request *request, const ifl_module *module);

/* Runs the launch on the engine, with progress; what the kernel prints goes out as it comes. */
ifl_status ifl_cli_run_engine(const ifl_cli_request *request, ifl_launch *launch,
                              ifl_profile **profile, ifl_error *error);
enum { IFL_CLI_MOST_PROFILES = 2 }; /* of one launch: the engine's and a GPU's */

/* The report of `count` profiles as text, JSON, HTML or all of them; the exit status. */
int ifl_cli_report(const ifl_cli_request *request, const ifl_profile *const *profiles, size_t count,
                   bool with_page);
int ifl_cli_save_buffers(const ifl_cli_request *request, ifl_launch *launch);

/* --on gpu: runs `launch` on the GPU and `reference`, the same launch, on the engine; reports both
 * and what differs. Returns the exit status. */
int ifl_cli_run_on_gpu(const ifl_cli_request *request, ifl_launch *launch, ifl_launch *reference);

#endif
