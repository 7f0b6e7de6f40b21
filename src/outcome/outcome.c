/* SPDX-License-Identifier: Apache-2.0
 * Finds what an outcome holds, in the order of the line: findings from the profile, then for each
 * GPU the model and, from that, the advice. */
#include "outcome/outcome.h"

#include <stdlib.h>
#include <string.h>

static ifl_status find(ifl_outcome *o, ifl_error *error)
{
    ifl_status status = ifl_places_gather(o->profile, false, &o->off_chip, error);
    if (status == IFL_OK)
        status = ifl_places_gather(o->profile, true, &o->on_chip, error);
    if (status == IFL_OK)
        status = ifl_findings_collect(o->profile, &o->off_chip, &o->on_chip, &o->arena,
                                      &o->findings, error);
    return status;
}

ifl_status ifl_outcome_new(const ifl_profile *profile, ifl_outcome **out, ifl_error *error)
{
    ifl_outcome *outcome = calloc(1, sizeof *outcome);
    *out = NULL;
    if (!outcome)
        return ifl_fail_memory(error, sizeof *outcome);
    outcome->profile = profile;
    const ifl_status status = find(outcome, error);
    if (status != IFL_OK)
        ifl_outcome_free(outcome);
    else
        *out = outcome;
    return status;
}

void ifl_outcome_free(ifl_outcome *outcome)
{
    if (!outcome)
        return;
    for (size_t i = 0; i < outcome->gpus.count; i++)
        ifl_advice_free(&outcome->gpus.at[i].advice);
    ifl_vec_free(&outcome->gpus);
    ifl_findings_free(&outcome->findings);
    ifl_places_free(&outcome->off_chip);
    ifl_places_free(&outcome->on_chip);
    ifl_arena_free(&outcome->arena);
    free(outcome);
}

/* ---- GPUs ------------------------------------------------------------------------------------ */

static ifl_status keep(ifl_outcome *outcome, ifl_outcome_gpu *gpu, ifl_error *error)
{
    if (ifl_vec_push(&outcome->gpus, *gpu))
        return IFL_OK;
    ifl_advice_free(&gpu->advice);
    return ifl_fail_memory(error, sizeof *gpu);
}

ifl_status ifl_outcome_add_modelled(ifl_outcome *outcome, const ifl_device *device,
                                    const ifl_modelled *modelled, ifl_error *error)
{
    ifl_modelled all = *modelled;
    ifl_model_find_levers(outcome->profile, device, &all);
    ifl_outcome_gpu gpu = {.device = device, .has_model = true, .model = all.model};
    const ifl_status status =
        ifl_advice_find(outcome->profile, device, &all, &outcome->arena, &gpu.advice, error);
    return status == IFL_OK ? keep(outcome, &gpu, error) : status;
}

ifl_status ifl_outcome_add(ifl_outcome *outcome, const ifl_device *device, ifl_error *error)
{
    ifl_modelled modelled;
    ifl_error own = {0};
    const ifl_status status = ifl_model_find(outcome->profile, device, &modelled, &own);
    if (status == IFL_OK)
        return ifl_outcome_add_modelled(outcome, device, &modelled, error);
    if (status != IFL_NO_MEMORY) {
        ifl_outcome_gpu gpu = {.device = device,
                               .why = ifl_arena_text(&outcome->arena, own.text, strlen(own.text))};
        return gpu.why ? keep(outcome, &gpu, error) : ifl_fail_memory(error, strlen(own.text));
    }
    if (error)
        *error = own;
    return status;
}

/* ---- looking into one ------------------------------------------------------------------------ */

const ifl_profile *ifl_outcome_profile(const ifl_outcome *outcome)
{
    return outcome->profile;
}

bool ifl_outcome_finding(const ifl_outcome *outcome, size_t index, ifl_finding *out)
{
    if (index >= outcome->findings.list.count)
        return false;
    *out = outcome->findings.list.at[index];
    return true;
}

const ifl_device *ifl_outcome_device(const ifl_outcome *outcome, size_t gpu)
{
    return gpu < outcome->gpus.count ? outcome->gpus.at[gpu].device : NULL;
}

const ifl_model *ifl_outcome_model(const ifl_outcome *outcome, size_t gpu, const char **why)
{
    const ifl_outcome_gpu *found = gpu < outcome->gpus.count ? &outcome->gpus.at[gpu] : NULL;
    if (why)
        *why = found ? found->why : NULL;
    return found && found->has_model ? &found->model : NULL;
}

bool ifl_outcome_advice(const ifl_outcome *outcome, size_t gpu, size_t index, ifl_advice *out)
{
    if (gpu >= outcome->gpus.count || index >= outcome->gpus.at[gpu].advice.list.count)
        return false;
    *out = outcome->gpus.at[gpu].advice.list.at[index];
    return true;
}
