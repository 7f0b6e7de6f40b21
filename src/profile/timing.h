/* SPDX-License-Identifier: Apache-2.0
 * What a real GPU did with a launch: which GPU and code, how long it took, and how its results
 * compare with the engine's. Plain data: src/session fills it, reports read it. Texts live in the
 * profile's arena. */
#ifndef IFL_PROFILE_TIMING_H
#define IFL_PROFILE_TIMING_H

#include "base/vec.h"

#include <stdint.h>
#include <stdio.h>

typedef enum ifl_times_field {
#define TIMING(name, unit, doc) IFL_TIMING_##name,
#include "profile/timing.def"
    IFL_TIMING_COUNT
} ifl_times_field;

typedef struct ifl_times_info {
    const char *name;
    const char *unit; /* "" for shares */
    const char *doc;
} ifl_times_info;

const ifl_times_info *ifl_times_get(ifl_times_field field);
/* IFL_TIMING_COUNT when there is none of that name. */
ifl_times_field ifl_times_find(const char *name);

/* A value is meaningful only where known[] says so. */
typedef struct ifl_times {
    bool known[IFL_TIMING_COUNT];
    double value[IFL_TIMING_COUNT];
    const char *
        /* what happened between runs: "rotate", "flush", "warm"; NULL: nothing was timed */
        between;
    const char *method;    /* "graph": the runs of a sample are one graph; "launches" */
    bool floor_subtracted; /* from all times of the run */
} ifl_times;

/* A value that is not finite stays unknown. */
void ifl_times_set(ifl_times *timing, ifl_times_field field, double value);

typedef struct ifl_gpu_facts {
    bool known;
    const char *name;   /* as the driver tells it */
    const char *driver; /* the CUDA version that the driver supports: "13.0" */
    const char *code;   /* what ran: "PTX, compiled by the driver", "cubin, sm_90" */
    uint32_t sm;
    uint32_t registers, local_bytes; /* of a thread, in the code that ran */
    uint32_t static_shared_bytes;
    uint32_t blocks_per_sm; /* 0 unknown */
} ifl_gpu_facts;

typedef enum ifl_output_verdict {
    IFL_OUTPUT_EQUAL,  /* bit for bit */
    IFL_OUTPUT_WITHIN, /* different, but not by more than the stated error */
    IFL_OUTPUT_OPEN,   /* different, and CUDA leaves the result open */
    IFL_OUTPUT_DIFFERENT,
    IFL_OUTPUT_VERDICTS
} ifl_output_verdict;

/* Writes docs/times.md. */
void ifl_times_document(FILE *out);

const char *ifl_output_verdict_text(ifl_output_verdict verdict);

/* Who has the results that are compared. */
typedef struct ifl_output_sides {
    const char *reference, *own;         /* "engine", "GPU" */
    const char *reference_key, *own_key; /* "engine", "gpu" */
} ifl_output_sides;

#define IFL_NO_ARGUMENT UINT32_MAX

/* A buffer after the run, here and of the reference. */
typedef struct ifl_compared_output {
    uint32_t argument; /* IFL_NO_ARGUMENT: memory of a program */
    const char *text;  /* as the argument, or the memory, is described */
    uint64_t elements, different;
    uint64_t worst_at; /* the element of the largest difference; 0 where none */
    const char *worst_reference, *worst_own; /* its values, "" where all are equal */
    double
        largest; /* difference of floats, of the buffer's largest value where there is a tolerance, else of
                       * the element's; 0: not known */
    double tolerance; /* of the largest value; 0 for integers and exact results */
    ifl_output_verdict verdict;
} ifl_compared_output;

typedef struct ifl_outputs {
    bool of_code;     /* machine code beside PTX; else a GPU beside the engine */
    const char *rule; /* "bit for bit", or why not; NULL: nothing was compared */
    IFL_VEC(ifl_compared_output) list;
} ifl_outputs;

ifl_output_sides ifl_outputs_sides(const ifl_outputs *outputs);

#endif
