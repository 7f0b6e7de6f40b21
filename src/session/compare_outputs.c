/* SPDX-License-Identifier: Apache-2.0
 * The buffers of a launch after two runs, on two backends or of two kinds of code, element by
 * element. How far they may differ is exactness.c's. */
#include "session/exactness.h"
#include "session/launch.h"
#include "session/watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct comparison {
    ifl_launch *launch, *reference;
    ifl_exactness exactness;
    ifl_profile *profile;
    ifl_error *error;
} comparison;

/* ---- elements -------------------------------------------------------------------------------- */

static double value_f16(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double magnitude = exponent == 31  ? (fraction ? NAN : INFINITY)
                             : exponent == 0 ? ldexp(fraction, -24)
                                             : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

/* Of a floating-point element. */
static double value_of(const ifl_element *element, const uint8_t *at)
{
    uint16_t half;
    uint32_t word;
    float single;
    double wide;
    switch (element->type) {
    case IFL_ELEMENT_F16:
        memcpy(&half, at, sizeof half);
        return value_f16(half);
    case IFL_ELEMENT_BF16:
        memcpy(&half, at, sizeof half);
        word = (uint32_t)half << 16;
        memcpy(&single, &word, sizeof single);
        return single;
    case IFL_ELEMENT_F32:
        memcpy(&single, at, sizeof single);
        return single;
    default:
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
}

static const char *text_of(comparison *c, const ifl_element *element, const uint8_t *at)
{
    char text[64];
    uint64_t bits = 0;
    memcpy(&bits, at, element->bytes);
    if (element->class == 'F')
        snprintf(text, sizeof text, "%.9g (0x%0*" PRIx64 ")", value_of(element, at),
                 2 * element->bytes, bits);
    else if (element->class == 'I' && element->bytes < 8)
        snprintf(text, sizeof text, "%" PRId64,
                 (int64_t)(bits << (64 - 8 * element->bytes)) >> (64 - 8 * element->bytes));
    else
        snprintf(text, sizeof text, element->class == 'I' ? "%" PRId64 : "%" PRIu64, bits);
    return ifl_profile_copy_text(c->profile, text);
}

static double tolerance_of(const comparison *c, const ifl_element *element)
{
    if (element->class != 'F')
        return 0;
    return element->bytes == 2   ? c->exactness.tolerance_16
           : element->bytes == 4 ? c->exactness.tolerance_32
                                 : c->exactness.tolerance_64;
}

/* ---- a buffer -------------------------------------------------------------------------------- */

typedef struct pair {
    const ifl_element *element;
    const uint8_t *gpu, *engine;
    uint64_t count;
} pair;

static double largest_value(const pair *p)
{
    double largest = 0;
    for (uint64_t i = 0; i < p->count; i++) {
        const double value = fabs(value_of(p->element, p->engine + i * p->element->bytes));
        if (value > largest && isfinite(value))
            largest = value;
    }
    return largest;
}

/* Of two values that are not the same bits, relative to the larger or to `scale`; integers differ
 * wholly. */
static double difference(const pair *p, uint64_t i, double scale)
{
    const size_t at = i * p->element->bytes;
    if (p->element->class != 'F')
        return INFINITY;
    const double a = value_of(p->element, p->engine + at), b = value_of(p->element, p->gpu + at);
    if ((isnan(a) && isnan(b)) || a == b)
        return 0; /* the bits of a NaN, the sign of a zero */
    const double size = fmax(fmax(fabs(a), fabs(b)), scale);
    return isfinite(a) && isfinite(b) && size > 0 ? fabs(a - b) / size : INFINITY;
}

static void compare_elements(const pair *p, double scale, ifl_output *out)
{
    const size_t width = p->element->bytes;
    double worst = -1;
    for (uint64_t i = 0; i < p->count; i++) {
        if (memcmp(p->gpu + i * width, p->engine + i * width, width) == 0)
            continue;
        const double d = difference(p, i, scale);
        out->different++;
        if (d > worst) {
            worst = d;
            out->worst_at = i;
        }
    }
    out->largest = worst > 0 && isfinite(worst) ? worst : 0;
    out->verdict = !out->different                                 ? IFL_OUTPUT_EQUAL
                   : worst <= out->tolerance && out->tolerance > 0 ? IFL_OUTPUT_WITHIN
                                                                   : IFL_OUTPUT_DIFFERENT;
}

static ifl_status compare_pair(comparison *c, size_t index, const pair *p)
{
    ifl_output out = {.argument = (uint32_t)index,
                      .text = c->profile->arguments.at[index],
                      .elements = p->count,
                      .worst_reference = "",
                      .worst_own = "",
                      .tolerance = tolerance_of(c, p->element)};
    const bool scaled = out.tolerance > 0;
    const bool same = memcmp(p->gpu, p->engine, p->count * p->element->bytes) == 0;
    if (!same)
        compare_elements(p, scaled ? largest_value(p) : 0, &out);
    if (out.verdict == IFL_OUTPUT_DIFFERENT && c->exactness.is_open)
        out.verdict = IFL_OUTPUT_OPEN;
    if (out.different) {
        const size_t at = out.worst_at * p->element->bytes;
        out.worst_reference = text_of(c, p->element, p->engine + at);
        out.worst_own = text_of(c, p->element, p->gpu + at);
    }
    if (!out.worst_reference || !out.worst_own || !ifl_vec_push(&c->profile->outputs.list, out))
        return ifl_fail_memory(c->error, sizeof out);
    return IFL_OK;
}

static ifl_status compare_argument(comparison *c, size_t index)
{
    ifl_argument_view gpu, engine;
    ifl_status status = ifl_launch_argument(c->launch, index, &gpu, c->error);
    if (status == IFL_OK)
        status = ifl_launch_argument(c->reference, index, &engine, c->error);
    if (status != IFL_OK || !gpu.is_buffer || gpu.same != index)
        return status;
    if (!engine.is_buffer || gpu.bytes != engine.bytes || gpu.element != engine.element)
        return ifl_fail(c->error, IFL_USAGE,
                        "argument %zu of the two launches is not the same buffer", index);
    const pair p = {gpu.element, gpu.data, engine.data, gpu.bytes / gpu.element->bytes};
    return compare_pair(c, index, &p);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Of the reference: where that is PTX, the compiler may have fused its products and sums in the
 * machine code. */
static ifl_status find_exactness(comparison *c)
{
    const ifl_status status = ifl_launch_ready(c->reference, c->error);
    if (status == IFL_OK)
        ifl_exactness_find(&c->reference->ready->image.sites, &c->exactness);
    return status;
}

static ifl_status conclude(comparison *c)
{
    const ifl_output_sides sides = ifl_outputs_sides(&c->profile->outputs);
    for (size_t i = 0; i < c->profile->outputs.list.count; i++) {
        const ifl_output *out = &c->profile->outputs.list.at[i];
        if (out->verdict == IFL_OUTPUT_DIFFERENT)
            return ifl_fail(
                c->error, IFL_FINDING,
                "argument %" PRIu32 ": %" PRIu64 " of %" PRIu64
                " elements differ between %s and %s by more than is allowed (%s); element "
                "%" PRIu64 ": %s %s, %s %s",
                out->argument, out->different, out->elements, sides.own, sides.reference,
                c->exactness.rule, out->worst_at, sides.reference, out->worst_reference, sides.own,
                out->worst_own);
    }
    return IFL_OK;
}

ifl_status ifl_launch_compare(ifl_launch *launch, ifl_launch *reference, ifl_profile *profile,
                              ifl_error *error)
{
    comparison c = {.launch = launch, .reference = reference, .profile = profile, .error = error};
    if (launch->arguments.count != reference->arguments.count ||
        profile->arguments.count != launch->arguments.count)
        return ifl_fail(error, IFL_USAGE, "the launches have different arguments");
    ifl_status status = find_exactness(&c);
    ifl_vec_free(&profile->outputs.list);
    profile->outputs.of_code = !profile->gpu.known;
    profile->outputs.rule =
        status == IFL_OK ? ifl_profile_copy_text(profile, c.exactness.rule) : NULL;
    if (status == IFL_OK && !profile->outputs.rule)
        status = ifl_fail_memory(error, sizeof c.exactness.rule);
    for (size_t i = 0; i < launch->arguments.count && status == IFL_OK; i++)
        status = compare_argument(&c, i);
    return status == IFL_OK ? conclude(&c) : status;
}
