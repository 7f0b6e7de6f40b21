/* SPDX-License-Identifier: Apache-2.0
 * Memory of the GPU that several processes have: a file without a name, which the others open by
 * way of the process that made it, as long as that lives and has not freed it. Under the lock of
 * state.h. */
#ifndef IFL_STANDIN_SHARED_MEMORY_H
#define IFL_STANDIN_SHARED_MEMORY_H

#include "session/session.h"
#include "standin/abi.h"

/* What a program passes from process to process, as large as CUDA's: of an allocation, of an event,
 * of an address in a pool. */
typedef struct ifl_shared_handle {
    uint8_t bytes[64];
} ifl_shared_handle;

/* Of the allocation that holds the address, whose base it opens; of the address itself; of an
 * event. */
ifl_cuda_error ifl_shared_export(ifl_session *session, ifl_shared_handle *out, const void *at);
ifl_cuda_error ifl_shared_export_place(ifl_session *session, ifl_shared_handle *out,
                                       const void *at);
void ifl_shared_export_event(ifl_shared_handle *out);
bool ifl_shared_is_event(const ifl_shared_handle *handle);

/* The address of the other's bytes here; the same for the same allocation, however often it is
 * opened. */
ifl_cuda_error ifl_shared_import(ifl_session *session, void **out, const ifl_shared_handle *handle);
/* cudaErrorInvalidValue: nothing was opened there. */
ifl_cuda_error ifl_shared_close(ifl_session *session, void *at);

#endif
