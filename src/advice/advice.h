/* SPDX-License-Identifier: Apache-2.0
 * Advice: which remedies of the source documents fit a launch on a GPU, and what the model says
 * each would give. Rules are rows of remedy.def. Knows profiles, devices and the model; nothing of
 * reports. */
#ifndef IFL_ADVICE_ADVICE_H
#define IFL_ADVICE_ADVICE_H

#include "base/vec.h"
#include "device/device.h"
#include "model/model.h"

typedef struct ifl_advices {
    IFL_VEC(ifl_advice)
    list; /* most gain first; texts are constants, the profile's or the arena's */
} ifl_advices;

/* What would help on `device`, on which the model sees the launch as `modelled`; nothing where
 * nothing is wrong. */
ifl_status ifl_advice_find(const ifl_profile *profile, const ifl_device *device,
                           const ifl_modelled *modelled, ifl_arena *arena, ifl_advices *out,
                           ifl_error *error);
void ifl_advice_free(ifl_advices *advices);
/* Costs nothing, and is told however little it gains. */
bool ifl_advice_is_free(const ifl_advice *advice);

/* Writes docs/advice.md. */
void ifl_advice_document(FILE *out);

#endif
