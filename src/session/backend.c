/* SPDX-License-Identifier: Apache-2.0
 * See backend.h. Knows no backend. */
#include "session/backend.h"

static ifl_status run_all(const ifl_backend *backend, ifl_backend_state *run)
{
    ifl_status status = ifl_launch_ready(run->launch, run->error);
    if (status != IFL_OK)
        return status;
    run->profile = ifl_profile_new();
    if (!run->profile)
        return ifl_fail_memory(run->error, sizeof *run->profile);
    status = ifl_launch_describe(run->launch, backend->name, run->profile, run->error);
    if (status == IFL_OK)
        status = backend->begin(run);
    if (status == IFL_OK)
        status = ifl_launch_prepare(run->launch, run->threads, run->stop, run->error);
    return status == IFL_OK ? backend->execute(run) : status;
}

ifl_status ifl_backend_run(const ifl_backend *backend, ifl_backend_state *run, ifl_profile **out)
{
    const ifl_status status = run_all(backend, run);
    const bool is_part = status == IFL_FINDING || status == IFL_INTERRUPTED;
    const bool has_profile = status == IFL_OK || (is_part && backend->keeps_part);
    backend->end(run);
    *out = has_profile ? run->profile : NULL;
    if (!has_profile)
        ifl_profile_free(run->profile);
    return status;
}
