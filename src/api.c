/* SPDX-License-Identifier: Apache-2.0
 * The public functions that belong to no stage: looking into a profile. Those of modules and
 * launches stand in src/session, those of reports in src/report, version and status words in
 * src/base. */
#include "device/device.h"
#include "profile/profile.h"

#include <stddef.h>
#include <string.h>

void ifl_profile_free(ifl_profile *profile)
{
    ifl_profile_destroy(profile);
}

uint64_t ifl_profile_blocks_done(const ifl_profile *profile)
{
    return profile->blocks_done;
}

static bool read_counter(const ifl_counters *counters, const char *name, uint64_t *value)
{
    const ifl_counter counter = ifl_counter_find(name);
    if (counter == IFL_COUNTER_COUNT || !counters->known[counter])
        return false;
    *value = counters->value[counter];
    return true;
}

bool ifl_profile_counter(const ifl_profile *profile, const char *name, uint64_t *value)
{
    return read_counter(&profile->counters, name, value);
}

size_t ifl_profile_line_count(const ifl_profile *profile)
{
    return profile->lines.count;
}

bool ifl_profile_line_counter(const ifl_profile *profile, size_t line, const char *name,
                              uint64_t *value)
{
    return line < profile->lines.count &&
           read_counter(&profile->lines.at[line].counters, name, value);
}

const char *ifl_profile_line_pattern(const ifl_profile *profile, size_t line)
{
    if (line >= profile->lines.count || profile->lines.at[line].pattern.kind == IFL_PATTERN_NONE)
        return NULL;
    return ifl_pattern_text(profile->lines.at[line].pattern.kind);
}

uint32_t ifl_profile_line_ptx_line(const ifl_profile *profile, size_t line)
{
    return line < profile->lines.count ? profile->lines.at[line].ptx_line : 0;
}

bool ifl_profile_timing(const ifl_profile *profile, const char *name, double *value)
{
    const ifl_times_field field = ifl_times_find(name);
    if (field == IFL_TIMING_COUNT || !profile->timing.known[field])
        return false;
    *value = profile->timing.value[field];
    return true;
}

static const ifl_cache_estimate *find_estimate(const ifl_cache_facts *facts, const char *name)
{
    static const struct {
        const char *name;
        size_t at;
    } all[] = {
#define ROW(name, unit, doc) {#name, offsetof(ifl_cache_facts, name)},
        IFL_CACHE_ESTIMATES(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return (const ifl_cache_estimate *)((const char *)facts + all[i].at);
    return NULL;
}

bool ifl_profile_cache(const ifl_profile *profile, const ifl_device *device, const char *name,
                       double *value)
{
    const ifl_cache_facts *facts = ifl_profile_caches(profile, device->id);
    const ifl_cache_estimate *estimate = facts ? find_estimate(facts, name) : NULL;
    if (estimate)
        *value = estimate->value;
    return estimate;
}
