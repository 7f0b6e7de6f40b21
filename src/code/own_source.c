/* SPDX-License-Identifier: Apache-2.0
 * The line that people wrote: code that is inlined from a header of the CUDA toolkit is a part of the
 * line that calls it. Knows sources' names only. */
#include "code/site.h"

#include <string.h>

enum { MAX_INLINING = 16 };

/* Headers of the CUDA toolkit: what is inlined from them, an atomicAdd, is to people a part of
 * their own line. The names are those of CUDA 11 to 13; "#" stands for digits. */
static const char *const toolkit_headers[] = {
    "device_atomic_functions.h*",
    "device_functions.h*",
    "sm_#_*",
    "cuda_fp#.h*",
    "cuda_bf#.h*",
    "math_functions.h*",
    "vector_*.h*",
    "texture_*_functions.h*",
    "surface_*_functions.h*",
    "cuda_awbarrier*.h*",
    "cuda_pipeline*.h*",
    "crt/*",
};

static bool fits(const char *pattern, const char *name)
{
    for (; *pattern && *pattern != '*'; pattern++) {
        const size_t digits = strspn(name, "0123456789");
        if (*pattern == '#' ? !digits : *name != *pattern)
            return false;
        name += *pattern == '#' ? digits : 1;
    }
    if (!*pattern)
        return !*name;
    for (; *name; name++)
        if (fits(pattern + 1, name))
            return true;
    return fits(pattern + 1, name);
}

/* What is inlined from a header of the CUDA toolkit stands in the line that calls it. */
static bool is_of_toolkit(const char *path)
{
    const char *include =
        strchr(path, '/') ? NULL : path; /* a name alone, where folders were taken off */
    for (const char *at = path; (at = strstr(at, "/include/")); at++)
        include = at + strlen("/include/");
    for (size_t i = 0; include && i < sizeof toolkit_headers / sizeof *toolkit_headers; i++)
        if (fits(toolkit_headers[i], include))
            return true;
    return false;
}

const ifl_source *ifl_site_own_source(const ifl_sites *sites, const ifl_source *place)
{
    for (int depth = 0; depth < MAX_INLINING; depth++) {
        const char *file = place->file < sites->file_count ? sites->files[place->file] : "";
        if (!place->inlined_at || place->inlined_at >= sites->place_count || !is_of_toolkit(file))
            break;
        place = &sites->places[place->inlined_at];
    }
    return place;
}
