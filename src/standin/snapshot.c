/* SPDX-License-Identifier: Apache-2.0
 * For a program that watches itself while it runs under `inflight run`: python/ asks before and
 * after the code that it watches, and takes the difference. */
#include "standin/snapshot.h"

#include "standin/state.h"
#include "standin/summary.h"

int ifl_standin_snapshot(const char *path)
{
    ifl_error error = {0};
    ifl_session *session = ifl_state_enter();
    if (!session)
        return ifl_status_exit_code(IFL_NO_GPU);
    const ifl_status status = ifl_standin_rows(session, path, &error);
    ifl_state_leave();
    if (status != IFL_OK)
        ifl_state_tell_error(&error);
    return ifl_status_exit_code(status);
}
