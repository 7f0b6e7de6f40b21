/* SPDX-License-Identifier: Apache-2.0
 * The lab: case studies kept as data. What `inflight lab` uses beside inflight.h; no part of the
 * library, which knows nothing of cases. */
#ifndef IFL_LAB_LAB_API_H
#define IFL_LAB_LAB_API_H

#include "inflight.h"

/* One case: lab/CASE/CASE.lab, whose format is docs/lab-format.md. A case has versions, counted
 * from 0. */
typedef struct ifl_lab ifl_lab;

#define IFL_LAB_COMMON ((size_t)-1) /* in place of a version: what holds for all */

/* Where in a case: a version, at the full or the reduced size, with variables set anew by a
 * sweep. */
typedef struct ifl_lab_setting {
    const char *name;
    double value;
} ifl_lab_setting;

typedef struct ifl_lab_point {
    size_t version;
    bool reduced;
    const ifl_lab_setting *settings;
    size_t setting_count;
} ifl_lab_point;

ifl_status ifl_lab_open(const char *path, ifl_lab **out, ifl_error *error);
void ifl_lab_close(ifl_lab *lab);
const char *ifl_lab_name(const ifl_lab *lab); /* the file's name without its end */
size_t ifl_lab_version_count(const ifl_lab *lab);
const char *ifl_lab_version_name(const ifl_lab *lab, size_t version); /* NULL past the end */
size_t ifl_lab_version_find(const ifl_lab *lab, const char *name);    /* IFL_LAB_COMMON: none */
/* A key's value as it is written, the version's own or the common one; NULL when there is none. */
const char *ifl_lab_text(const ifl_lab *lab, size_t version, const char *key);
/* The same with its expressions replaced, as a number. *found is false when there is no such key. */
ifl_status ifl_lab_number(const ifl_lab *lab, const ifl_lab_point *point, const char *key,
                          double *value, bool *found, ifl_error *error);
ifl_status ifl_lab_variable(const ifl_lab *lab, const ifl_lab_point *point, const char *name,
                            double *out, ifl_error *error);

/* The kernels that run one after another for this version, and one of them as a launch. The case
 * owns the modules: it must outlive the launch. */
ifl_status ifl_lab_kernel_count(const ifl_lab *lab, const ifl_lab_point *point, size_t *count,
                                ifl_error *error);
ifl_status ifl_lab_launch(ifl_lab *lab, const ifl_lab_point *point, size_t kernel, ifl_launch **out,
                          ifl_error *error);

/* The same as a launch file, which names its module from the root. `code` is "ptx" or "machine":
 * the file also names the machine code kept with the case, if there is some, and which of the two
 * runs. NULL: it says nothing of machine code. */
ifl_status ifl_lab_launch_write(ifl_lab *lab, const ifl_lab_point *point, size_t kernel,
                                const char *code, FILE *out, ifl_error *error);

typedef enum ifl_lab_figure_kind { IFL_LAB_PUBLISHED, IFL_LAB_EXPECTED } ifl_lab_figure_kind;

typedef struct ifl_lab_figure {
    char gpu[64]; /* "" where the figure is of no GPU */
    const char *metric;
    double value;
    double low, high; /* what counts as equal */
    const char *text; /* as written */
    int line;         /* of the case's file */
} ifl_lab_figure;

ifl_status ifl_lab_figure_at(const ifl_lab *lab, const ifl_lab_point *point,
                             ifl_lab_figure_kind kind, size_t index, ifl_lab_figure *out,
                             bool *found, ifl_error *error);

enum { IFL_LAB_MOST_AXES = 3, IFL_LAB_MOST_POINTS = 64 };

typedef struct ifl_lab_axis {
    char variable[64];
    size_t count;
    double values[IFL_LAB_MOST_POINTS];
} ifl_lab_axis;

typedef struct ifl_lab_sweep {
    const char *name;
    size_t axis_count; /* the last one runs along a chart's axis */
    ifl_lab_axis axes[IFL_LAB_MOST_AXES];
} ifl_lab_sweep;

ifl_status ifl_lab_sweep_at(const ifl_lab *lab, size_t version, size_t index, ifl_lab_sweep *out,
                            bool *found, ifl_error *error);

/* ---- calls of a vendor's library ------------------------------------------------------------- */

/* Is the library of a call installed? It is looked for at run time. */
bool ifl_lab_can_call(ifl_gpu *gpu, const char *call);

/* As ifl_launch_run_on, with a call in the kernel's place on its arguments n, alpha, x, y: "saxpy"
 * or "haxpy" (cuBLAS, y = alpha * x + y in float or bfloat16), or n, in, out: "dtranspose". */
ifl_status ifl_lab_run_call(ifl_launch *launch, ifl_gpu *gpu, const ifl_gpu_options *options,
                            const char *call, ifl_profile **out, ifl_error *error);

#endif
