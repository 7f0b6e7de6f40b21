/* SPDX-License-Identifier: Apache-2.0
 * See launch_log.h. */
#include "standin/launch_log.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static struct {
    bool each;
    IFL_VEC(ifl_launch_group) groups;
    IFL_VEC(ifl_launch_note) notes;
} launches;

void ifl_launches_begin(bool each)
{
    launches.each = each;
}

static bool is_of(const ifl_launch_group *group, const ifl_session_launch *launch)
{
    return group->signature == launch->kernel->signature &&
           memcmp(group->grid, launch->grid, sizeof group->grid) == 0 &&
           memcmp(group->block, launch->block, sizeof group->block) == 0 &&
           strcmp(group->site, launch->site) == 0;
}

/* The newest first: programs repeat what they just did. */
static ifl_launch_group *group_of(const ifl_session_launch *launch)
{
    for (size_t i = launches.groups.count; i-- > 0;)
        if (is_of(&launches.groups.at[i], launch))
            return &launches.groups.at[i];
    ifl_launch_group group = {.signature = launch->kernel->signature, .site = strdup(launch->site)};
    memcpy(group.grid, launch->grid, sizeof group.grid);
    memcpy(group.block, launch->block, sizeof group.block);
    if (group.site && ifl_vec_push(&launches.groups, group))
        return &launches.groups.at[launches.groups.count - 1];
    free(group.site);
    return NULL;
}

void ifl_launches_add(const ifl_session_launch *launch, double us)
{
    ifl_launch_group *group = group_of(launch);
    if (!group)
        return;
    group->least_us = group->launches && group->least_us < us ? group->least_us : us;
    group->most_us = group->most_us > us ? group->most_us : us;
    group->total_us += us;
    group->launches++;
    const ifl_launch_note note = {(size_t)(group - launches.groups.at), us};
    if (launches.each && !ifl_vec_push(&launches.notes, note))
        launches.each = false;
}

const ifl_launch_group *ifl_launch_groups(size_t *count)
{
    *count = launches.groups.count;
    return launches.groups.at;
}

const ifl_launch_note *ifl_launch_notes(size_t *count)
{
    *count = launches.notes.count;
    return launches.notes.at;
}
