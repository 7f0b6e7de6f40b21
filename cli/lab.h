/* SPDX-License-Identifier: Apache-2.0
 * The request of `inflight lab`, and its parts: running, checking, metrics, printing. */
#ifndef IFL_CLI_LAB_H
#define IFL_CLI_LAB_H

#include "lab_sheet.h"

enum { IFL_CLI_MOST_GPUS = 32, IFL_CLI_MOST_WORDS = 64 };

typedef struct ifl_cli_lab_request {
    const char *gpus[IFL_CLI_MOST_GPUS];
    size_t gpu_count;
    const char *versions[IFL_CLI_MOST_WORDS];
    size_t version_count;
    const char *sweep, *json, *csv, *metric, *launches, *capture, *code;
    int threads, samples;
    bool list, reduced, check, sweeps, on_gpu, no_run, markdown;
} ifl_cli_lab_request;

/* The sheet's rows: the versions asked for, and the points of sweeps. */
ifl_status ifl_cli_lab_rows(const ifl_cli_lab_request *request, ifl_cli_sheet *sheet,
                            ifl_error *error);

typedef struct ifl_cli_lab_gpu ifl_cli_lab_gpu;

/* Runs all rows of the sheet that were not, on the GPU or on the engine where it is NULL, fills its
 * figures and complaints. A row that fails is a complaint, not an error. */
ifl_status ifl_cli_lab_run(const ifl_cli_lab_request *request, const ifl_cli_lab_gpu *gpu,
                           ifl_cli_sheet *sheet, ifl_error *error);

/* ---- checking against the reference ---- */

typedef struct ifl_cli_expected ifl_cli_expected;

/* Copies the launch's buffers as they were filled and lets the reference compute on the copies.
 * *out is NULL where the version has no reference. */
ifl_status ifl_cli_lab_expect(const ifl_lab *lab, const ifl_lab_point *point, ifl_launch *launch,
                              ifl_cli_expected **out, ifl_error *error);
/* Compares them with the launch's buffers after the run. `text` says what differs first. */
ifl_status ifl_cli_lab_compare(const ifl_lab *lab, const ifl_lab_point *point,
                               const ifl_cli_expected *expected, ifl_launch *launch, bool *right,
                               char *text, size_t size, ifl_error *error);
void ifl_cli_lab_expected_free(ifl_cli_expected *expected);

/* ---- metrics ---- */

/* Adds the counters of the profiles (sums) and what follows from them. */
ifl_status ifl_cli_lab_count(ifl_cli_sheet *sheet, size_t row, ifl_profile *const *profiles,
                             size_t count, ifl_error *error);
/* Adds speedup and useful_gb_per_s wherever there is a time, and the published figures. */
ifl_status ifl_cli_lab_derive(ifl_cli_sheet *sheet, ifl_error *error);
/* Compares with the expected figures; differences become complaints. */
ifl_status ifl_cli_lab_hold(ifl_cli_sheet *sheet, size_t row, ifl_error *error);

typedef struct ifl_cli_metric {
    const char *name, *heading;
    double factor; /* of what is shown */
    int decimals;
    const char *unit;
} ifl_cli_metric;

/* "DRAM" for a limiter, else the number. */
const char *ifl_cli_lab_value_text(const ifl_cli_metric *metric, double value, char *to,
                                   size_t size);
/* The names of what is counted, modelled and measured, some of them twice; NULL past the end. */
const char *ifl_cli_lab_metric_name(size_t index);
/* How a metric is shown; for an unknown name a plain number. */
ifl_cli_metric ifl_cli_lab_metric(const char *name);

/* ---- models ---- */

typedef struct ifl_cli_lab_devices {
    char *names[IFL_CLI_MOST_GPUS];
    ifl_device *devices[IFL_CLI_MOST_GPUS];
    size_t count;
} ifl_cli_lab_devices;

/* The GPUs of the case's figures, those asked for, and those that measured figures are of. */
ifl_status ifl_cli_lab_devices_open(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet,
                                    ifl_cli_lab_devices *devices, ifl_error *error);
void ifl_cli_lab_devices_close(ifl_cli_lab_devices *devices);
/* Adds what the model says of the kernels of a row. "limiter" is an ifl_term. */
ifl_status ifl_cli_lab_model(ifl_cli_sheet *sheet, size_t row, const ifl_cli_lab_devices *devices,
                             ifl_profile *const *profiles, size_t count, ifl_error *error);

/* ---- a real GPU ---- */

struct ifl_cli_lab_gpu {
    ifl_gpu *gpu;
    char id[64];      /* "h200" */
    char origin[300]; /* "NVIDIA H200, driver 580.159.04, CUDA 13.0, 2026-11-21" */
};

ifl_status ifl_cli_lab_gpu_open(ifl_cli_lab_gpu *gpu, ifl_error *error);
void ifl_cli_lab_gpu_close(ifl_cli_lab_gpu *gpu);
/* Does it have the compute capability, or the library, that the version needs? */
ifl_status ifl_cli_lab_gpu_can(const ifl_cli_lab_gpu *gpu, const ifl_lab *lab,
                               const ifl_lab_point *point, bool *can, ifl_error *error);
/* A launch of that row: a library's call in the kernel's place where the version is one; the time
 * of a copy of as many bytes too, but not for the points of sweeps. */
ifl_status ifl_cli_lab_gpu_run(const ifl_cli_lab_request *request, const ifl_cli_lab_gpu *gpu,
                               const ifl_cli_sheet *sheet, size_t row, ifl_launch *launch,
                               ifl_profile **out, ifl_error *error);
ifl_status ifl_cli_lab_gpu_figures(ifl_cli_sheet *sheet, size_t row, const ifl_cli_lab_gpu *gpu,
                                   ifl_profile *const *profiles, size_t count, ifl_error *error);

/* A number made of the words of a row's launches and the PTX of their kernels. */
ifl_status ifl_cli_lab_hash(const ifl_cli_sheet *sheet, size_t row, uint64_t *hash,
                            ifl_error *error);
/* Keeps what was measured as FOLDER/CASE.GPU.txt. */
ifl_status ifl_cli_lab_capture(const ifl_cli_sheet *sheet, const ifl_cli_lab_gpu *gpu,
                               const char *folder, ifl_error *error);
/* Takes what is kept beside the case's file into the sheet's rows. */
ifl_status ifl_cli_lab_captured(ifl_cli_sheet *sheet, const char *path, ifl_error *error);

/* ---- showing ---- */

void ifl_cli_lab_print(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet, FILE *out);
/* Modelled speedups beside those published, of all sheets. */
void ifl_cli_lab_print_ratios(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheets,
                              size_t count, FILE *out);
/* "18Ki", "10Mi" in `to`: as launch files and cases write them; 1024 threads stay 1024. */
const char *ifl_cli_lab_number(double value, char *to, size_t size);
/* All sweeps as tables; the one that was asked for as a chart. */
void ifl_cli_lab_sweeps(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet, FILE *out);
void ifl_cli_lab_chart(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet, FILE *out);

#endif
