/* SPDX-License-Identifier: Apache-2.0
 * See beside.h. */
#include "session/beside.h"

#include "session/compare_outputs.h"
#include "session/session_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the PTX --------------------------------------------------------------------------------- */

/* Machine code may have its parameters at other places. NULL without memory. */
static uint8_t *parameters_of(const ifl_session_launch *launch, const ifl_ready_kernel *ptx)
{
    const ifl_kernel *from = launch->kernel->kernel, *to = ptx->kernel;
    const uint64_t bytes = ptx->image.demands.param_bytes,
                   given = launch->kernel->image.demands.param_bytes;
    uint8_t *params = calloc(bytes + 1, 1);
    for (uint32_t i = 0; params && i < to->parameter_count; i++) {
        const ifl_parameter *a = &from->parameters[i], *b = &to->parameters[i];
        if (a->offset + b->bytes <= given && b->offset + b->bytes <= bytes)
            memcpy(params + b->offset, launch->params + a->offset, b->bytes);
    }
    return params;
}

static void exchange_nested(ifl_session *session, ifl_nested *nested)
{
    const ifl_nested other = session->nested;
    session->nested = *nested;
    *nested = other;
}

/* Those that other kernels have launched wait meanwhile. */
static ifl_status run_once(ifl_session *session, const ifl_session_launch *launch, ifl_beside *out,
                           bool *waits, ifl_error *error)
{
    const ifl_session_options *options = &session->options;
    const ifl_session_way way = {.threads = options->threads,
                                 .check_reads = options->check_reads,
                                 .may_wait = true,
                                 .stop = options->stop};
    ifl_nested none = {0};
    exchange_nested(session, &none);
    ifl_status status = ifl_session_begin(session, launch, &way, out->watch.observers,
                                          out->watch.count, &out->ran, error);
    if (status == IFL_OK) {
        *waits = ifl_engine_go_on(out->ran.run) != IFL_RUN_IS_OVER;
        const ifl_status end = ifl_session_finish(session, &out->ran, *waits ? NULL : error);
        status = *waits ? IFL_OK : end; /* one that waits is given up */
    }
    exchange_nested(session, &none);
    ifl_nested_free(&none);
    return status;
}

static ifl_status run_on_copy(ifl_session *session, const ifl_session_launch *launch,
                              ifl_beside *out, bool *waits, ifl_error *error)
{
    ifl_status status = ifl_memory_snapshot_take(session->memory, &out->memory, error);
    if (status == IFL_OK)
        status = ifl_watch_begin(&out->watch, IFL_WATCH_COUNTERS, session, NULL, 0, launch, error);
    if (status != IFL_OK)
        return status;
    status = run_once(session, launch, out, waits, error);
    const ifl_status put_back = ifl_memory_snapshot_put_back(session->memory, &out->memory,
                                                             status == IFL_OK ? error : NULL);
    return status == IFL_OK ? put_back : status;
}

static ifl_status run_ptx(ifl_session *session, const ifl_session_launch *launch, ifl_beside *out,
                          bool *waits, ifl_error *error)
{
    ifl_session_launch of = *launch;
    const ifl_status status = ifl_session_ready_beside(launch->kernel, &of.kernel, error);
    uint8_t *params = status == IFL_OK ? parameters_of(launch, of.kernel) : NULL;
    if (status != IFL_OK)
        return status;
    if (!params)
        return ifl_fail_memory(error, of.kernel->image.demands.param_bytes);
    of.params = params;
    const ifl_status ran = run_on_copy(session, &of, out, waits, error);
    free(params);
    return ran;
}

ifl_status ifl_beside_run(ifl_session *session, const ifl_session_launch *launch, ifl_beside *out,
                          ifl_error *error)
{
    ifl_error own = {0};
    bool waits = false;
    const char *why = !launch->kernel->object ? "there is no machine code of it that the GPU runs"
                      : ifl_provided_any_lasting(launch->kernel->image.demands.calls)
                          ? "it allocates memory or launches kernels, which can be done only once"
                          : NULL;
    if (why) {
        snprintf(out->why, sizeof out->why, "%s", why);
        return IFL_OK;
    }
    const ifl_status status = run_ptx(session, launch, out, &waits, &own);
    if (status == IFL_INTERRUPTED) {
        if (error)
            *error = own;
        return status;
    }
    out->has_run = status == IFL_OK && !waits;
    if (status != IFL_OK) {
        if (own.file[0] && own.line)
            snprintf(out->why, sizeof out->why, "its PTX stops at %.120s:%d: %.320s", own.file,
                     own.line, own.text);
        else
            snprintf(out->why, sizeof out->why, "%.500s", own.text);
    } else if (waits)
        snprintf(out->why, sizeof out->why,
                 "its PTX waits for memory that the host or another kernel changes");
    return IFL_OK;
}

void ifl_beside_free(ifl_beside *beside)
{
    ifl_session_end(&beside->ran);
    ifl_watch_end(&beside->watch);
    ifl_memory_snapshot_free(&beside->memory);
}

/* ---- what they left -------------------------------------------------------------------------- */

/* What lies in a program's memory is not known: where the kernel's instructions allow floats to
 * differ, those that make it right. */
static ifl_compared_output judge(ifl_output_pair *pair, uint64_t bytes,
                                 const ifl_exactness *exactness)
{
    static const ifl_element_type floats[] = {IFL_ELEMENT_F32, IFL_ELEMENT_F64, IFL_ELEMENT_F16,
                                              IFL_ELEMENT_BF16};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        pair->element = ifl_element_get(floats[i]);
        pair->count = bytes / pair->element->bytes;
        const ifl_compared_output as_floats = ifl_output_judge(pair, exactness);
        if (as_floats.verdict == IFL_OUTPUT_WITHIN && bytes % pair->element->bytes == 0)
            return as_floats;
    }
    pair->element = ifl_element_get(bytes % 4 ? IFL_ELEMENT_U8 : IFL_ELEMENT_U32);
    pair->count = bytes / pair->element->bytes;
    return ifl_output_judge(pair, exactness);
}

static ifl_status compare_part(const ifl_snapshot_part *part, const ifl_exactness *exactness,
                               ifl_profile *results, ifl_error *error)
{
    ifl_output_pair pair = {.own = part->of->host,
                            .reference = part->left ? part->left : part->before,
                            .before = part->before};
    ifl_compared_output out = judge(&pair, part->of->bytes, exactness);
    out.argument = IFL_NO_ARGUMENT;
    out.text = ifl_profile_copy_text(results, part->of->label);
    return out.text ? ifl_output_add(results, &pair, out, error)
                    : ifl_fail_memory(error, sizeof part->of->label);
}

ifl_status ifl_beside_compare(const ifl_session *session, const ifl_session_launch *launch,
                              const ifl_beside *beside, ifl_profile **out, ifl_error *error)
{
    ifl_exactness exactness;
    ifl_profile *results = ifl_profile_new();
    *out = NULL;
    if (!results)
        return ifl_fail_memory(error, sizeof *results);
    ifl_exactness_find(&launch->kernel->beside->image.sites, &exactness);
    results->outputs.of_code = true;
    results->outputs.rule = ifl_profile_copy_text(results, exactness.rule);
    ifl_status status = results->outputs.rule ? IFL_OK : ifl_fail_memory(error, 1);
    const uint64_t number = ifl_memory_launch(session->memory);
    for (size_t i = 0; i < beside->memory.parts.count && status == IFL_OK; i++) {
        const ifl_snapshot_part *part = &beside->memory.parts.at[i];
        if (part->left || part->of->changed_by == number)
            status = compare_part(part, &exactness, results, error);
    }
    if (status == IFL_OK)
        *out = results;
    else
        ifl_profile_destroy(results);
    return status;
}

/* ---- outputs --------------------------------------------------------------------------------- */

static const ifl_compared_output *worst_of(const ifl_outputs *outputs)
{
    const ifl_compared_output *worst = NULL;
    for (size_t i = 0; i < outputs->list.count; i++)
        if (!worst || outputs->list.at[i].verdict > worst->verdict)
            worst = &outputs->list.at[i];
    return worst;
}

ifl_output_verdict ifl_outputs_worst(const ifl_outputs *outputs)
{
    const ifl_compared_output *worst = worst_of(outputs);
    return worst ? worst->verdict : IFL_OUTPUT_EQUAL;
}

void ifl_outputs_tell(const ifl_outputs *outputs, char *to, size_t room)
{
    const ifl_compared_output *o = worst_of(outputs);
    const ifl_output_sides sides = ifl_outputs_sides(outputs);
    snprintf(to, room,
             "%s and %s leave different results (%s): %s: %" PRIu64 " of %" PRIu64
             " elements differ; element %" PRIu64 ": %s %s, %s %s",
             sides.own, sides.reference, outputs->rule, o->text, o->different, o->elements,
             o->worst_at, sides.reference, o->worst_reference, sides.own, o->worst_own);
}

ifl_status ifl_outputs_copy(const ifl_outputs *from, ifl_profile *to, ifl_error *error)
{
    bool whole = true;
    to->outputs.of_code = from->of_code;
    to->outputs.rule = ifl_profile_copy_text(to, from->rule);
    for (size_t i = 0; i < from->list.count && whole; i++) {
        ifl_compared_output out = from->list.at[i];
        out.text = ifl_profile_copy_text(to, out.text);
        out.worst_reference = ifl_profile_copy_text(to, out.worst_reference);
        out.worst_own = ifl_profile_copy_text(to, out.worst_own);
        whole = out.text && out.worst_reference && out.worst_own &&
                ifl_vec_push(&to->outputs.list, out);
    }
    return whole && to->outputs.rule ? IFL_OK : ifl_fail_memory(error, sizeof *from->list.at);
}
