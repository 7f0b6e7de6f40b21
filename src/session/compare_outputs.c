/* SPDX-License-Identifier: Apache-2.0
 * The buffers of a launch after two runs, on two backends or of two kinds of code, element by
 * element. How far they may differ is exactness.c's. */
#include "session/compare_outputs.h"
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

static const char *text_of(ifl_profile *profile, const ifl_element *element, const uint8_t *at)
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
    return ifl_profile_copy_text(profile, text);
}

static double tolerance_of(const ifl_exactness *exactness, const ifl_element *element)
{
    if (element->class != 'F')
        return 0;
    return element->bytes == 2   ? exactness->tolerance_16
           : element->bytes == 4 ? exactness->tolerance_32
                                 : exactness->tolerance_64;
}

/* ---- a buffer -------------------------------------------------------------------------------- */

static bool is_untouched(const ifl_output_pair *p, size_t at)
{
    const size_t width = p->element->bytes;
    return p->before && memcmp(p->before + at, p->own + at, width) == 0 &&
           memcmp(p->before + at, p->reference + at, width) == 0;
}

static double largest_value(const ifl_output_pair *p)
{
    double largest = 0;
    for (uint64_t i = 0; i < p->count; i++) {
        if (is_untouched(p, i * p->element->bytes))
            continue;
        const double value = fabs(value_of(p->element, p->reference + i * p->element->bytes));
        if (value > largest && isfinite(value))
            largest = value;
    }
    return largest;
}

/* Of two values that are not the same bits, relative to the larger or to `scale`; integers differ
 * wholly. */
static double difference(const ifl_output_pair *p, uint64_t i, double scale)
{
    const size_t at = i * p->element->bytes;
    if (p->element->class != 'F')
        return INFINITY;
    const double a = value_of(p->element, p->reference + at), b = value_of(p->element, p->own + at);
    if ((isnan(a) && isnan(b)) || a == b)
        return 0; /* the bits of a NaN, the sign of a zero */
    const double size = fmax(fmax(fabs(a), fabs(b)), scale);
    return isfinite(a) && isfinite(b) && size > 0 ? fabs(a - b) / size : INFINITY;
}

static void compare_elements(const ifl_output_pair *p, double scale, ifl_compared_output *out)
{
    const size_t width = p->element->bytes;
    double worst = -1;
    for (uint64_t i = 0; i < p->count; i++) {
        if (memcmp(p->own + i * width, p->reference + i * width, width) == 0)
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

ifl_compared_output ifl_output_judge(const ifl_output_pair *pair, const ifl_exactness *exactness)
{
    ifl_compared_output out = {.text = "",
                               .elements = pair->count,
                               .worst_reference = "",
                               .worst_own = "",
                               .tolerance = tolerance_of(exactness, pair->element)};
    if (memcmp(pair->own, pair->reference, pair->count * pair->element->bytes) != 0)
        compare_elements(pair, out.tolerance > 0 ? largest_value(pair) : 0, &out);
    if (out.verdict == IFL_OUTPUT_DIFFERENT && exactness->is_open)
        out.verdict = IFL_OUTPUT_OPEN;
    return out;
}

ifl_status ifl_output_add(ifl_profile *profile, const ifl_output_pair *pair,
                          ifl_compared_output output, ifl_error *error)
{
    const size_t at = output.worst_at * pair->element->bytes;
    if (output.different) {
        output.worst_reference = text_of(profile, pair->element, pair->reference + at);
        output.worst_own = text_of(profile, pair->element, pair->own + at);
    }
    return output.worst_reference && output.worst_own &&
                   ifl_vec_push(&profile->outputs.list, output)
               ? IFL_OK
               : ifl_fail_memory(error, sizeof output);
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
    const ifl_output_pair pair = {.element = gpu.element,
                                  .own = gpu.data,
                                  .reference = engine.data,
                                  .count = gpu.bytes / gpu.element->bytes};
    ifl_compared_output out = ifl_output_judge(&pair, &c->exactness);
    out.argument = (uint32_t)index;
    out.text = c->profile->arguments.at[index];
    return ifl_output_add(c->profile, &pair, out, c->error);
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
        const ifl_compared_output *out = &c->profile->outputs.list.at[i];
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
