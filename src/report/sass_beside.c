/* SPDX-License-Identifier: Apache-2.0
 * Where the PTX of a launch differed from its machine code, from the JSON report of the launch: back
 * into what the reports of launches print. */
#include "report/report_sass.h"

#include <jansson.h>
#include <string.h>

static void read_counters(const json_t *from, ifl_counters *to)
{
    for (ifl_counter i = 0; i < IFL_COUNTER_COUNT; i++)
        to->known[i] = ifl_sass_counts_count(from, ifl_counter_get(i)->name, &to->value[i]);
}

static ifl_code_side side_of(const json_t *object)
{
    ifl_code_side side = {0};
    ifl_sass_counts_count(object, "instructions", &side.instructions);
    ifl_sass_counts_count(object, "requests", &side.requests);
    if (!ifl_sass_counts_count(object, "sectors", &side.moved))
        ifl_sass_counts_count(object, "wavefronts", &side.moved);
    ifl_sass_counts_count(object, "useful_bytes", &side.bytes);
    return side;
}

/* One whose words this version does not know is left out. */
static bool read_difference(const json_t *object, ifl_profile *to)
{
    uint64_t line;
    ifl_code_difference d = {
        .traffic = ifl_traffic_named(ifl_sass_counts_text(object, "space"),
                                     ifl_sass_counts_text(object, "kind")),
        .change = ifl_code_change_named(ifl_sass_counts_text(object, "change")),
        .ptx = side_of(json_object_get(object, "ptx")),
        .machine = side_of(json_object_get(object, "machine")),
    };
    if (d.traffic == IFL_TRAFFIC_COUNT || d.change == IFL_CHANGES)
        return true;
    const char *file = ifl_sass_counts_text(object, "file");
    if (ifl_sass_counts_count(object, "line", &line)) {
        d.line = (uint32_t)line;
        d.file = ifl_arena_text(&to->arena, file, strlen(file));
        if (!d.file)
            return false;
    }
    return ifl_vec_push(&to->ptx.differences, d);
}

static ifl_status read_launch(const char *path, const json_t *launch, ifl_profile *to,
                              ifl_error *error)
{
    const json_t *ptx = json_object_get(launch, "ptx"),
                 *differences = json_object_get(ptx, "differences");
    if (!ptx)
        return ifl_fail(error, IFL_BAD_INPUT,
                        "'%.300s' is of a launch whose PTX did not run beside the machine code "
                        "(analyze or run with --code both)",
                        path);
    bool whole = true;
    to->ptx.known = true;
    to->ptx.has_lines = json_is_true(json_object_get(ptx, "by_line"));
    read_counters(json_object_get(launch, "counters"), &to->counters);
    read_counters(json_object_get(ptx, "counters"), &to->ptx.counters);
    for (size_t i = 0; i < json_array_size(differences) && whole; i++)
        whole = read_difference(json_array_get(differences, i), to);
    return whole ? IFL_OK : ifl_fail_memory(error, sizeof(ifl_code_difference));
}

ifl_status ifl_sass_beside_read(const char *path, const char *kernel, ifl_profile **out,
                                ifl_error *error)
{
    json_t *root;
    const json_t *launch;
    *out = NULL;
    ifl_status status = ifl_sass_counts_launch(path, kernel, &root, &launch, error);
    if (status != IFL_OK)
        return status;
    ifl_profile *profile = ifl_profile_new();
    status = profile ? read_launch(path, launch, profile, error)
                     : ifl_fail_memory(error, sizeof *profile);
    json_decref(root);
    if (status == IFL_OK)
        *out = profile;
    else if (profile)
        ifl_profile_destroy(profile);
    return status;
}
