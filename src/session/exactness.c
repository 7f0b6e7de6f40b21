/* SPDX-License-Identifier: Apache-2.0
 * Reads a kernel's instructions for those whose result PTX does not fix to the bit. */
#include "session/exactness.h"

#include <math.h>
#include <string.h>

/* A few operations carry an error on: sums and products of results. */
static const double carried = 16;
static const double order_error_32 = 0x1p-14, order_error_64 = 0x1p-43;

typedef struct scan {
    ifl_exactness *out;
    uint32_t open;      /* IFL_OPEN_*, of all sites */
    double approximate; /* the largest error */
    const ifl_site *example;
} scan;

static void look_at(scan *s, const ifl_site *site)
{
    s->open |= site->open;
    if (!(site->open & IFL_OPEN_APPROXIMATE))
        return;
    s->approximate = fmax(s->approximate, site->error);
    if (!s->example)
        s->example = site;
}

static bool contracts(const scan *s)
{
    return s->open & IFL_OPEN_PRODUCT && s->open & IFL_OPEN_SUM;
}

static void conclude(scan *s)
{
    ifl_exactness *out = s->out;
    double error = fmax(s->approximate, contracts(s) ? 0x1p-24 : 0);
    out->tolerance_32 = carried * error;
    out->tolerance_16 = error > 0 ? fmax(out->tolerance_32, 0x1p-7) : 0;
    out->tolerance_64 = s->approximate > 0 ? out->tolerance_32
                        : contracts(s)     ? carried * 0x1p-53
                                           : 0;
    if (s->open & IFL_OPEN_FLOAT_ATOMIC) {
        out->tolerance_32 = fmax(out->tolerance_32, order_error_32);
        out->tolerance_64 = fmax(out->tolerance_64, order_error_64);
        out->tolerance_16 = fmax(out->tolerance_16, 0x1p-4);
    }
    out->is_open = s->open & (IFL_OPEN_FETCHED | IFL_OPEN_TIMED | IFL_OPEN_WAITS);
}

static void put_rule(scan *s)
{
    ifl_exactness *out = s->out;
    const char *open = s->open & IFL_OPEN_TIMED ? "it reads clocks, or where it runs"
                       : s->open & IFL_OPEN_FETCHED
                           ? "the values that its atomics return depend on the order"
                       : s->open & IFL_OPEN_WAITS ? "its threads wait for each other through memory"
                                                  : NULL;
    if (open)
        snprintf(out->rule, sizeof out->rule, "the result may depend on the run: %s", open);
    else if (s->open & IFL_OPEN_FLOAT_ATOMIC)
        snprintf(out->rule, sizeof out->rule,
                 "floating-point atomics add in any order: %.1g of the largest value",
                 out->tolerance_32);
    else if (s->approximate > 0)
        snprintf(out->rule, sizeof out->rule,
                 "%s (line %u of the PTX) is approximate: to %.1g of the largest value",
                 s->example->name, s->example->line, out->tolerance_32);
    else if (contracts(s))
        snprintf(out->rule, sizeof out->rule,
                 "products and sums without .rn may be fused: to %.1g (f32) or %.1g (f64) of the "
                 "largest value",
                 out->tolerance_32, out->tolerance_64);
    else
        snprintf(out->rule, sizeof out->rule, "bit for bit");
}

void ifl_exactness_find(const ifl_sites *sites, ifl_exactness *out)
{
    *out = (ifl_exactness){0};
    scan s = {.out = out};
    for (size_t i = 0; i < sites->count; i++)
        look_at(&s, &sites->at[i]);
    conclude(&s);
    put_rule(&s);
}
