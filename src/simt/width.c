/* SPDX-License-Identifier: Apache-2.0
 * The vector widths of this build, and which of them this processor can run. */
#include "simt/code.h"

#include <string.h>

const ifl_width *ifl_width_base(void);
const ifl_width *ifl_width_v3(void);
const ifl_width *ifl_width_v4(void);

static bool has_base(void)
{
    return true;
}

#ifdef IFL_HAVE_WIDTH_V3
/* The x86-64 micro-architecture levels, x86-64 psABI: v3 is AVX2 with FMA, v4 AVX-512 F, BW, CD, DQ, VL. */
static bool has_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}

static bool has_v4(void)
{
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

/* Best first. */
static const struct {
    const ifl_width *(*get)(void);
    bool (*has)(void);
} widths[] = {
#ifdef IFL_HAVE_WIDTH_V4
    {ifl_width_v4, has_v4},
#endif
#ifdef IFL_HAVE_WIDTH_V3
    {ifl_width_v3, has_v3},
#endif
    {ifl_width_base, has_base},
};

const ifl_width *ifl_width_best(void)
{
    size_t i = 0;
    while (!widths[i].has())
        i++;
    return widths[i].get();
}

const ifl_width *ifl_width_find(const char *name)
{
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (widths[i].has() && strcmp(widths[i].get()->name, name) == 0)
            return widths[i].get();
    return NULL;
}
