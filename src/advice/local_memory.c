/* SPDX-License-Identifier: Apache-2.0
 * See local_memory.h. A spill is at a fixed place of the stack. An array has accesses whose place
 * depends on an index, and often others at fixed places, where it is filled. */
#include "advice/local_memory.h"

/* Bytes of a lane, over the instructions of this kind, not over what ran. */
static uint64_t bytes_of(const ifl_profile *profile, ifl_access_kind kind)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < profile->lines.count; i++) {
        const ifl_profile_line *line = &profile->lines.at[i];
        bytes += line->space == IFL_SPACE_LOCAL && line->kind == kind ? line->access_bytes : 0;
    }
    return bytes;
}

/* PTX has no spills: what it asks of local memory are arrays. */
static bool has_arrays(const ifl_profile *profile)
{
    const ifl_machine_facts *m = &profile->machine;
    const uint64_t loads = bytes_of(profile, IFL_ACCESS_LOAD),
                   stores = bytes_of(profile, IFL_ACCESS_STORE);
    if (m->ran)
        return loads > m->spill_load_bytes || stores > m->spill_store_bytes;
    return loads + stores &&
           !(m->known && !m->stack_bytes); /* without a stack ptxas kept them in registers */
}

/* A GPU's counters do not tell spills from arrays; machine code beside them does. */
static bool has_local_traffic(const ifl_profile *profile)
{
    const ifl_machine_facts *m = &profile->machine;
    const uint64_t *value = profile->counters.value;
    return value[IFL_COUNTER_local_load_sectors] + value[IFL_COUNTER_local_store_sectors] &&
           !(m->known && !m->stack_bytes);
}

ifl_local_use ifl_local_use_of(const ifl_profile *profile)
{
    const ifl_machine_facts *m = &profile->machine;
    if (has_arrays(profile))
        return IFL_LOCAL_ARRAYS;
    if (m->known && m->spill_load_bytes + m->spill_store_bytes)
        return IFL_LOCAL_SPILLS;
    return has_local_traffic(profile) ? IFL_LOCAL_ARRAYS : IFL_LOCAL_NONE;
}
