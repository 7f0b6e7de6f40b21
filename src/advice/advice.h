/* SPDX-License-Identifier: Apache-2.0
 * Advice: which remedies of the source documents fit a launch on a GPU, and what the model says each would give. Rules
 * are rows of advice.def. Knows profiles, devices and the model; nothing of reports. */
#ifndef IFL_ADVICE_ADVICE_H
#define IFL_ADVICE_ADVICE_H

#include "device/device.h"
#include "profile/profile.h"

/* One remedy. Texts are constants, or live in the arena given. */
typedef struct ifl_advice {
    const char *rule;     /* "wide_loads" */
    const char *remedy;   /* what to do */
    const char *symptom;  /* what was seen, with figures */
    const char *cost;     /* what it costs */
    const char *document; /* "000, 001" */
    const ifl_profile_line *line; /* where; NULL: the whole kernel */
    /* Time now over time with the remedy, by the model: with half of its effect, and with all of it. */
    double gain_low, gain_high;
} ifl_advice;

typedef struct ifl_advices {
    IFL_VEC(ifl_advice) list; /* most gain first */
} ifl_advices;

/* What would help on `device`; nothing where nothing is wrong. IFL_UNSUPPORTED where the launch has no model there. */
ifl_status ifl_advice_find(const ifl_profile *profile, const ifl_device *device, ifl_arena *arena,
                           ifl_advices *out, ifl_error *error);
void ifl_advice_free(ifl_advices *advices);

/* Writes docs/advice.md. */
void ifl_advice_document(FILE *out);

#endif
