/* SPDX-License-Identifier: Apache-2.0
 * The outcome of a launch: its profile, what stands out in it, and a model and advice for each GPU.
 * All of it is computed once; reports and summaries only read it. */
#ifndef IFL_OUTCOME_OUTCOME_H
#define IFL_OUTCOME_OUTCOME_H

#include "advice/advice.h"
#include "advice/finding.h"

typedef struct ifl_outcome_gpu {
    const ifl_device *device;
    bool has_model;
    const char *why; /* there is no model; in the outcome's arena */
    ifl_model model;
    ifl_advices advice;
} ifl_outcome_gpu;

struct ifl_outcome {
    const ifl_profile *profile; /* not owned, as the devices are not */
    ifl_arena arena;
    ifl_places off_chip, on_chip;
    ifl_findings findings;
    IFL_VEC(ifl_outcome_gpu) gpus;
    double program_us;         /* of all launches that a program made from there; 0: not known */
    uint64_t program_launches; /* those, where they are more than the profile's `made`; else 0 */
    const char *program_grids; /* their grids, "1 to 64"; NULL: the profile's */
    const ifl_outcome *
        /* of the launches that this one sums: its machine code, models and advice stand for
         * theirs; NULL: itself */
        costliest;
};

/* As ifl_outcome_add, of a launch that was modelled on the device before. */
ifl_status ifl_outcome_add_modelled(ifl_outcome *outcome, const ifl_device *device,
                                    const ifl_modelled *modelled, ifl_error *error);

#endif
