/* SPDX-License-Identifier: Apache-2.0
 * The vector widths that a library or program has, and which of them this processor can run. Compiled
 * once for each list of widths (widths() in cmake/library.cmake). */
#include "exec/bind.h"

#include <string.h>

const ifl_width *ifl_width_base(void);
const ifl_width *ifl_width_v3(void);
const ifl_width *ifl_width_v4(void);

#ifdef IFL_HAVE_WIDTH_BASE
static bool has_base(void)
{
    return true;
}
#endif

#if defined(IFL_HAVE_WIDTH_V3) || defined(IFL_HAVE_WIDTH_V4)
/* The x86-64 micro-architecture levels, x86-64 psABI: v3 is AVX2 with FMA, v4 AVX-512 F, BW, CD,
 * DQ, VL. */
static bool has_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
}
#endif

#ifdef IFL_HAVE_WIDTH_V4
static bool has_v4(void)
{
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
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
#ifdef IFL_HAVE_WIDTH_BASE
    {ifl_width_base, has_base},
#endif
};

const ifl_width *ifl_width_best(void)
{
    size_t i = 0;
    while (i + 1 < sizeof widths / sizeof *widths && !widths[i].has())
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
