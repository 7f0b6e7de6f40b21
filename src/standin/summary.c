/* SPDX-License-Identifier: Apache-2.0
 * See summary.h. */
#include "standin/summary.h"

#include "standin/state.h"

#include <stdlib.h>
#include <string.h>

static bool is_wanted(const ifl_host_entry *entry, const ifl_standin_options *options)
{
    return entry->profile && (!options->kernel || strstr(entry->signature, options->kernel));
}

static size_t collect(const ifl_host_entry *entries, size_t count, const ifl_standin_options *options,
                      const ifl_profile **profiles)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (is_wanted(&entries[i], options))
            profiles[found++] = entries[i].profile;
    return found;
}

int ifl_standin_summary(ifl_context *context, const ifl_standin_options *options)
{
    ifl_error error = {0};
    const ifl_host_entry *entries;
    size_t count;
    ifl_status status = ifl_context_entries(context, &entries, &count, &error);
    const ifl_profile **profiles = calloc(count + 1, sizeof *profiles);
    if (status == IFL_OK && profiles) {
        const size_t found = collect(entries, count, options, profiles);
        fflush(stdout);
        if (found)
            status = ifl_report_write(profiles, found, IFL_REPORT_TEXT, NULL, stderr, &error);
        if (status == IFL_OK && options->json)
            status = ifl_report_save(profiles, found, IFL_REPORT_JSON, NULL, options->json, &error);
    }
    free(profiles);
    if (status != IFL_OK)
        ifl_state_tell_error(&error);
    return 0;
}
