/* SPDX-License-Identifier: Apache-2.0
 * Checking and describing a launch. It does not know on what it will run. */
#include "run/launch_common.h"

#include "run/utf8.h"

#include <inttypes.h>
#include <string.h>

static uint64_t product(const uint32_t size[3])
{
    return (uint64_t)size[0] * size[1] * size[2];
}

static ifl_status check_threads(const ifl_launch *launch, ifl_error *error)
{
    const ifl_function *function = &launch->program->functions[launch->function];
    const uint32_t *required = function->required_threads, *most = function->max_threads;
    if (required[0] && memcmp(required, launch->block, sizeof launch->block) != 0)
        return ifl_launch_fail(
            launch, error,
            "kernel '%.200s' requires blocks of %u,%u,%u threads (.reqntid), not "
            "%u,%u,%u",
            function->name, required[0], required[1], required[2], launch->block[0],
            launch->block[1], launch->block[2]);
    /* PTX ISA, .maxntid: the limit is the product of the extents. */
    if (most[0] && product(launch->block) > product(most))
        return ifl_launch_fail(launch, error,
                               "kernel '%.200s' allows %" PRIu64
                               " threads a block (.maxntid), not %" PRIu64,
                               function->name, product(most), product(launch->block));
    return IFL_OK;
}

static ifl_status check_shared(const ifl_launch *launch, uint64_t static_bytes, ifl_error *error)
{
    const uint64_t dynamic = launch->dynamic_shared_bytes;
    if (static_bytes + dynamic <= IFL_MAX_SHARED_BYTES)
        return IFL_OK;
    return ifl_launch_fail(launch, error,
                           "a block needs %" PRIu64 " bytes of shared memory (%" PRIu64
                           " static, %" PRIu64 " dynamic); the most is %d",
                           static_bytes + dynamic, static_bytes, dynamic, IFL_MAX_SHARED_BYTES);
}

ifl_status ifl_launch_check(const ifl_launch *launch, uint64_t static_shared_bytes,
                            ifl_error *error)
{
    if (!launch->grid[0] || !launch->block[0])
        return ifl_launch_fail(launch, error, "the launch has no %s: give its size as X[,Y[,Z]]",
                               launch->grid[0] ? "block" : "grid");
    const ifl_status status = check_threads(launch, error);
    return status == IFL_OK ? check_shared(launch, static_shared_bytes, error) : status;
}

const char *ifl_profile_copy_text(ifl_profile *profile, const char *text)
{
    char *copy = ifl_arena_text(&profile->arena, text, strlen(text));
    if (copy)
        ifl_utf8_clean(copy);
    return copy;
}

ifl_status ifl_profile_warn(ifl_profile *profile, ifl_error *error, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    text[strcspn(text, "\n")] = '\0';
    const char *copy = ifl_profile_copy_text(profile, text);
    return copy && ifl_vec_push(&profile->warnings, copy) ? IFL_OK
                                                          : ifl_fail_memory(error, sizeof text);
}

static ifl_status describe_arguments(const ifl_launch *launch, ifl_profile *profile,
                                     ifl_error *error)
{
    for (size_t i = 0; i < launch->arguments.count; i++) {
        const char *text = ifl_profile_copy_text(profile, launch->arguments.at[i].text);
        if (!text || !ifl_vec_push(&profile->arguments, text))
            return ifl_fail_memory(error, sizeof text);
    }
    return IFL_OK;
}

ifl_status ifl_launch_describe(const ifl_launch *launch, uint64_t static_shared_bytes,
                               const char *backend, ifl_profile *profile, ifl_error *error)
{
    const char *name = launch->program->functions[launch->function].name;
    profile->kernel = ifl_profile_copy_text(profile, name);
    profile->signature =
        ifl_profile_copy_text(profile, launch->module->names.at[launch->kernel].signature);
    profile->file = ifl_profile_copy_text(profile, launch->module->path);
    profile->target = ifl_profile_copy_text(profile, launch->program->target);
    if (!profile->kernel || !profile->signature || !profile->file || !profile->target)
        return ifl_fail_memory(error, strlen(launch->module->path));
    memcpy(profile->grid, launch->grid, sizeof profile->grid);
    memcpy(profile->block, launch->block, sizeof profile->block);
    profile->shared_bytes = static_shared_bytes + launch->dynamic_shared_bytes;
    profile->backend = backend;
    return describe_arguments(launch, profile, error);
}
