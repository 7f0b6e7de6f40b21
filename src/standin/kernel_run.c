/* SPDX-License-Identifier: Apache-2.0
 * See kernel_run.h. */
#include "standin/kernel_run.h"

#include "standin/graph_run.h"
#include "standin/launch_log.h"
#include "standin/signals.h"

#include <stdlib.h>
#include <string.h>

static ifl_cuda_error code_of_fault(ifl_fault_kind fault)
{
    static const ifl_cuda_error codes[] = {
        [IFL_FAULT_NONE] = ifl_cudaErrorUnknown,
        [IFL_FAULT_ADDRESS] = ifl_cudaErrorIllegalAddress,
        [IFL_FAULT_MISALIGNED] = ifl_cudaErrorMisalignedAddress,
        [IFL_FAULT_ASSERT] = ifl_cudaErrorAssert,
        [IFL_FAULT_TRAP] = ifl_cudaErrorLaunchFailure,
        [IFL_FAULT_OTHER] = ifl_cudaErrorLaunchFailure,
        [IFL_FAULT_NO_MEMORY] = ifl_cudaErrorMemoryAllocation,
    };
    return codes[fault];
}

/* What a launch that did not succeed is to the program. */
static ifl_cuda_error end_badly(ifl_status status, ifl_fault_kind fault, const char *site,
                                const ifl_error *error)
{
    ifl_state_tell_error(error);
    if (status == IFL_INTERRUPTED)
        exit(ifl_signals_exit_status());
    if (status == IFL_UNSUPPORTED) {
        ifl_state_tell("launched from %s", site);
        ifl_state_break_unsupported();
        return ifl_cudaErrorNotSupported;
    }
    if (status == IFL_BAD_INPUT) /* the grid of a cooperative kernel does not fit */
        return ifl_cudaErrorCooperativeLaunchTooLarge;
    ifl_state_tell("launched from %s", site);
    ifl_state_break_faulted(code_of_fault(fault));
    return ifl_cudaSuccess; /* launches are asynchronous: the next call tells */
}

/* What came of a grid that began, or went on, when the clock showed so much. */
static ifl_cuda_error take_grid(ifl_session *session, const ifl_session_launch *launch,
                                double begin_us, ifl_status status, ifl_fault_kind fault,
                                const ifl_error *error)
{
    if (status == IFL_OK || status == IFL_FINDING || status == IFL_INTERRUPTED)
        ifl_launches_add(launch, ifl_session_clock(session) - begin_us);
    return status == IFL_OK ? ifl_cudaSuccess : end_badly(status, fault, launch->site, error);
}

static ifl_cuda_error run_grid(ifl_session *session, const ifl_session_launch *launch,
                               ifl_kept **waits)
{
    ifl_error error = {0};
    ifl_fault_kind fault;
    const double begin_us = ifl_session_clock(session);
    const ifl_status status = ifl_session_keep(session, launch, waits, &fault, &error);
    return waits && *waits ? ifl_cudaSuccess
                           : take_grid(session, launch, begin_us, status, fault, &error);
}

/* The grids that a kernel launched which has ended, and those that they launch. */
static ifl_cuda_error run_others(ifl_session *session, ifl_kept **waits)
{
    ifl_cuda_error code = ifl_cudaSuccess;
    while (code == ifl_cudaSuccess && !(waits && *waits)) {
        ifl_session_launch launch;
        ifl_error error = {0};
        const ifl_status status = ifl_session_next(session, &launch, &error);
        if (status != IFL_OK)
            return end_badly(status, IFL_FAULT_OTHER, launch.site, &error);
        if (!launch.kernel)
            break;
        code = run_grid(session, &launch, waits);
    }
    return code;
}

ifl_cuda_error ifl_kernel_run(ifl_session *session, const ifl_op_kernel *k, ifl_kept **waits)
{
    ifl_session_launch launch = {.kernel = k->kernel,
                                 .dynamic_shared_bytes = k->shared_bytes,
                                 .shared_preference = k->shared_preference,
                                 .stack_bytes = ifl_state_limit(IFL_LIMIT_STACK),
                                 .params = k->params,
                                 .grapher = ifl_graph_run_grapher(),
                                 .current_graph = ifl_graph_run_current(),
                                 .site = k->site};
    memcpy(launch.grid, k->grid, sizeof launch.grid);
    memcpy(launch.block, k->block, sizeof launch.block);
    memcpy(launch.cluster, k->cluster, sizeof launch.cluster);
    ifl_session_choose_gpu(session, (uint32_t)k->gpu);
    ifl_state_kernel_begin();
    ifl_cuda_error code = run_grid(session, &launch, waits);
    if (code == ifl_cudaSuccess)
        code = run_others(session, waits);
    ifl_state_kernel_end();
    return code;
}

ifl_cuda_error ifl_kernel_go_on(ifl_session *session, int gpu, ifl_kept **waits, bool *is_idle)
{
    ifl_error error = {0};
    ifl_fault_kind fault;
    const ifl_session_launch launch = *ifl_kept_launch(*waits);
    ifl_session_choose_gpu(session, (uint32_t)gpu);
    ifl_state_kernel_begin();
    const double begin_us = ifl_session_clock(session);
    const ifl_status status = ifl_session_keep_on(session, waits, is_idle, &fault, &error);
    ifl_cuda_error code = ifl_cudaSuccess;
    if (!*waits) {
        code = take_grid(session, &launch, begin_us, status, fault, &error);
        if (code == ifl_cudaSuccess)
            code = run_others(session, waits);
    }
    ifl_state_kernel_end();
    return code;
}
