/* SPDX-License-Identifier: Apache-2.0
 * Carrying out a launch: the kernel, then the grids that it launched. */
#ifndef IFL_STANDIN_KERNEL_RUN_H
#define IFL_STANDIN_KERNEL_RUN_H

#include "standin/op.h"

/* `waits` may be NULL, as for ifl_session_keep; the launch's parameters stay where they are while it
 * waits. */
ifl_cuda_error ifl_kernel_run(ifl_session *session, const ifl_op_kernel *k, ifl_kept **waits);
/* One that waits; *is_idle: nothing has changed for it. */
ifl_cuda_error ifl_kernel_go_on(ifl_session *session, int gpu, ifl_kept **waits, bool *is_idle);

#endif
