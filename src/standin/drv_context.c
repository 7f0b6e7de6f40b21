/* SPDX-License-Identifier: Apache-2.0
 * The driver's contexts. There is one memory and one engine; a session is a handle that must be
 * current on the thread that calls. The primary one of the chosen GPU is current on threads that
 * have called the runtime. */
#include "standin/chosen_gpu.h"
#include "standin/context_value.h"
#include "standin/driver_served.h"
#include "standin/handle.h"

#include <stdlib.h>

typedef struct handle {
    unsigned flags;
    uint64_t id;
    int gpu;
    unsigned attached; /* cuCtxAttach; one less than its users */
    ifl_green *green;  /* cuCtxFromGreenCtx; NULL: all of a GPU */
} handle;

enum { MOST_PUSHED = 64, API_VERSION = 3020 };

static struct {
    bool is_ready; /* cuInit */
    handle primary[IFL_MOST_GPUS];
    unsigned primary_users[IFL_MOST_GPUS];
    uint64_t last_id;
} contexts = {.last_id = IFL_MOST_GPUS};

static _Thread_local handle *pushed[MOST_PUSHED];
static _Thread_local unsigned depth;

/* ---- what calls need ------------------------------------------------------------------------- */

static handle *primary_of(int gpu)
{
    handle *primary = &contexts.primary[gpu];
    primary->id = (uint64_t)gpu + 1;
    primary->gpu = gpu;
    return primary;
}

static bool is_primary(const void *of)
{
    for (int gpu = 0; gpu < ifl_gpu_count(); gpu++)
        if (of == &contexts.primary[gpu])
            return true;
    return false;
}

/* cudaSetDevice makes the primary one of its GPU current. */
void *ifl_driver_current(void)
{
    const int chosen = ifl_gpu_chosen();
    if (depth && (!ifl_driver_is_context(pushed[depth - 1]) || pushed[depth - 1]->gpu == chosen))
        return pushed[depth - 1];
    return depth || ifl_state_runtime_called() ? primary_of(chosen) : NULL;
}

bool ifl_driver_is_context(const void *of)
{
    return is_primary(of) || ifl_handle_find(IFL_HANDLE_CONTEXT, of) != NULL;
}

/* Work goes to the GPU of the context on top from now on, and to its SMs. */
static void choose_gpu_of_top(void)
{
    const bool is_there = depth && ifl_driver_is_context(pushed[depth - 1]);
    ifl_green_choose(is_there ? pushed[depth - 1]->green : NULL);
    if (is_there)
        ifl_gpu_choose(pushed[depth - 1]->gpu);
}

ifl_cuda_error ifl_driver_begin(ifl_driver_need need, const void *from)
{
    ifl_state_driver_begin(from);
    const bool is_ready = contexts.is_ready || ifl_state_is_runtime_used();
    if (need >= IFL_NEEDS_INIT && !is_ready)
        return (ifl_cuda_error)IFL_CUDA_NOT_INITIALIZED;
    if (need >= IFL_NEEDS_INIT && ifl_state_is_forked())
        return ifl_state_absence();
    if (need >= IFL_NEEDS_CONTEXT && !ifl_driver_is_context(ifl_driver_current()))
        return (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT;
    return ifl_cudaSuccess;
}

static ifl_cuda_error init(unsigned flags)
{
    if (flags)
        return ifl_cudaErrorInvalidValue;
    if (!ifl_state_enter())
        return ifl_state_absence();
    contexts.is_ready = true;
    ifl_state_leave();
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuInit(unsigned flags)
{
    DRIVE_WITH(IFL_NEEDS_NOTHING, init(flags));
}

/* ---- current --------------------------------------------------------------------------------- */

static ifl_cuda_error push(handle *session)
{
    if (!ifl_driver_is_context(session))
        return (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT;
    if (depth == MOST_PUSHED)
        return ifl_cudaErrorMemoryAllocation;
    pushed[depth++] = session;
    choose_gpu_of_top();
    return ifl_cudaSuccess;
}

static ifl_cuda_error pop(void **out)
{
    if (!depth)
        return (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT;
    depth--;
    if (out)
        *out = pushed[depth];
    choose_gpu_of_top();
    return ifl_cudaSuccess;
}

/* Takes the top's place; NULL takes the top away. */
static ifl_cuda_error set_current(handle *session)
{
    if (session && !ifl_driver_is_context(session))
        return (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT;
    if (depth)
        depth--;
    if (session)
        return push(session);
    ifl_green_choose(NULL);
    return ifl_cudaSuccess;
}

static ifl_cuda_error get_current(void **out)
{
    if (!out)
        return ifl_cudaErrorInvalidValue;
    *out = ifl_driver_current();
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuCtxPushCurrent_v2(void *session)
{
    DRIVE_EARLY(push(session));
}

IFL_SERVED ifl_cuda_error cuCtxPopCurrent_v2(void **out)
{
    DRIVE_EARLY(pop(out));
}

IFL_SERVED ifl_cuda_error cuCtxSetCurrent(void *session)
{
    DRIVE_EARLY(set_current(session));
}

IFL_SERVED ifl_cuda_error cuCtxGetCurrent(void **out)
{
    DRIVE_EARLY(get_current(out));
}

/* ---- made and destroyed ---------------------------------------------------------------------- */

static ifl_cuda_error create(void **out, unsigned flags, int device)
{
    if (!out || !ifl_gpu_exists(device))
        return out ? (ifl_cuda_error)IFL_CUDA_INVALID_DEVICE : ifl_cudaErrorInvalidValue;
    *out = NULL;
    handle *session = calloc(1, sizeof *session);
    if (!session || depth == MOST_PUSHED || !ifl_handle_add(IFL_HANDLE_CONTEXT, session)) {
        free(session);
        return ifl_cudaErrorMemoryAllocation;
    }
    *session = (handle){.flags = flags, .id = ++contexts.last_id, .gpu = device};
    *out = session;
    return push(session);
}

IFL_SERVED ifl_cuda_error cuCtxCreate_v2(void **out, unsigned flags, int device)
{
    DRIVE_EARLY(create(out, flags, device));
}

IFL_SERVED ifl_cuda_error cuCtxCreate_v3(void **out, void *affinity, int affinities, unsigned flags,
                                         int device)
{
    (void)affinity, (void)affinities;
    DRIVE_EARLY(create(out, flags, device));
}

IFL_SERVED ifl_cuda_error cuCtxCreate_v4(void **out, void *params, unsigned flags, int device)
{
    (void)params;
    DRIVE_EARLY(create(out, flags, device));
}

static bool is_any_used(void)
{
    size_t at = 0;
    bool is_used = ifl_handle_next(IFL_HANDLE_CONTEXT, &at) != NULL || ifl_state_is_runtime_used();
    for (int gpu = 0; gpu < IFL_MOST_GPUS; gpu++)
        is_used |= contexts.primary_users[gpu] > 0;
    return is_used;
}

/* Takes it off the table, and off the top. */
static void forget(handle *session)
{
    ifl_context_values_end(session);
    ifl_handle_remove(session);
    if (depth && pushed[depth - 1] == session) {
        depth--;
        ifl_green_choose(NULL);
    }
    free(session);
}

/* A fault breaks the session that the kernel ran in. With the last one that a program holds it is
 * gone. */
static ifl_cuda_error destroy(handle *session)
{
    if (!session || session->green)
        return (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT;
    forget(session);
    if (!is_any_used())
        ifl_state_break(ifl_cudaSuccess);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuCtxDestroy_v2(void *session)
{
    DRIVE_EARLY(destroy(ifl_handle_find(IFL_HANDLE_CONTEXT, session)));
}

/* ---- what green ones need -------------------------------------------------------------------- */

void *ifl_driver_green_context(ifl_green *green)
{
    handle *session = green->context ? green->context : calloc(1, sizeof *session);
    if (green->context)
        return session;
    if (!session || !ifl_handle_add(IFL_HANDLE_CONTEXT, session)) {
        free(session);
        return NULL;
    }
    *session = (handle){.id = primary_of(green->gpu)->id, .gpu = green->gpu, .green = green};
    return green->context = session;
}

void ifl_driver_green_end(ifl_green *green)
{
    if (green->context)
        forget(green->context);
}

ifl_green *ifl_driver_green_of(const void *context)
{
    const handle *session = ifl_handle_find(IFL_HANDLE_CONTEXT, context);
    return session ? session->green : NULL;
}

uint64_t ifl_driver_next_id(void)
{
    return ++contexts.last_id;
}

void ifl_driver_use_primary(int gpu, bool begins)
{
    if (begins || contexts.primary_users[gpu])
        contexts.primary_users[gpu] += begins ? 1u : ~0u;
}

void *ifl_driver_primary(int gpu)
{
    return primary_of(gpu);
}

int ifl_driver_gpu_of(const void *context)
{
    return ((const handle *)context)->gpu;
}

/* Deprecated, and used by PyCUDA. A primary context has users of its own (cuDevicePrimaryCtx...). */
static ifl_cuda_error attach(void **out, unsigned flags)
{
    handle *session = ifl_handle_find(IFL_HANDLE_CONTEXT, ifl_driver_current());
    if (!session || !out || flags)
        return !session ? (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT : ifl_cudaErrorInvalidValue;
    session->attached++;
    *out = session;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuCtxAttach(void **out, unsigned flags)
{
    DRIVE(attach(out, flags));
}

static ifl_cuda_error detach(void *of)
{
    handle *session = ifl_handle_find(IFL_HANDLE_CONTEXT, of);
    if (!session || of != ifl_driver_current())
        return (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT;
    if (!session->attached)
        return destroy(session);
    session->attached--;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuCtxDetach(void *session)
{
    DRIVE(detach(session));
}

/* ---- the primary one ------------------------------------------------------------------------- */

static ifl_cuda_error check_device(int device)
{
    return ifl_gpu_exists(device) ? ifl_cudaSuccess : (ifl_cuda_error)IFL_CUDA_INVALID_DEVICE;
}

static ifl_cuda_error retain(void **out, int device)
{
    if (!ifl_gpu_exists(device) || !out)
        return out ? check_device(device) : ifl_cudaErrorInvalidValue;
    contexts.primary_users[device]++;
    *out = primary_of(device);
    return ifl_cudaSuccess;
}

static ifl_cuda_error release(int device)
{
    if (!ifl_gpu_exists(device))
        return check_device(device);
    if (!contexts.primary_users[device])
        return (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT;
    contexts.primary_users[device]--;
    return ifl_cudaSuccess;
}

static ifl_cuda_error reset(int device)
{
    if (!ifl_gpu_exists(device))
        return check_device(device);
    ifl_context_values_end(primary_of(device));
    ifl_state_break(ifl_cudaSuccess);
    return ifl_cudaSuccess;
}

static ifl_cuda_error set_flags(unsigned flags, int device)
{
    if (ifl_gpu_exists(device))
        contexts.primary[device].flags = flags;
    return check_device(device);
}

static ifl_cuda_error primary_state(int device, unsigned *flags, int *active)
{
    if (!ifl_gpu_exists(device) || !flags || !active)
        return ifl_gpu_exists(device) ? ifl_cudaErrorInvalidValue : check_device(device);
    *flags = contexts.primary[device].flags;
    *active = contexts.primary_users[device] > 0 ||
              (ifl_state_is_runtime_used() && device == ifl_gpu_chosen());
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuDevicePrimaryCtxRetain(void **out, int device)
{
    DRIVE_EARLY(retain(out, device));
}

IFL_SERVED ifl_cuda_error cuDevicePrimaryCtxRelease_v2(int device)
{
    DRIVE_EARLY(release(device));
}
ALSO(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2);

IFL_SERVED ifl_cuda_error cuDevicePrimaryCtxReset_v2(int device)
{
    DRIVE_EARLY(reset(device));
}
ALSO(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2);

IFL_SERVED ifl_cuda_error cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
    DRIVE_EARLY(set_flags(flags, device));
}
ALSO(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2);

IFL_SERVED ifl_cuda_error cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    DRIVE_EARLY(primary_state(device, flags, active));
}

/* ---- asking ---------------------------------------------------------------------------------- */

static ifl_cuda_error number(void *session, const void *out)
{
    if (!out)
        return ifl_cudaErrorInvalidValue;
    return ifl_driver_is_context(session) ? ifl_cudaSuccess
                                          : (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT;
}

#define TELL(session, out, value)                                                                  \
    (number(session, out) == ifl_cudaSuccess ? (*(out) = (value), ifl_cudaSuccess)                 \
                                             : number(session, out))

IFL_SERVED ifl_cuda_error cuCtxGetDevice(int *device)
{
    DRIVE(TELL(ifl_driver_current(), device, ((handle *)ifl_driver_current())->gpu));
}

/* Of any context; NULL is the current one. */
IFL_SERVED ifl_cuda_error cuCtxGetDevice_v2(int *device, void *session)
{
    DRIVE_EARLY(TELL(session ? session : ifl_driver_current(), device,
                     ((handle *)(session ? session : ifl_driver_current()))->gpu));
}

IFL_SERVED ifl_cuda_error cuCtxGetFlags(unsigned *flags)
{
    DRIVE(TELL(ifl_driver_current(), flags, ((handle *)ifl_driver_current())->flags));
}

/* CU_CTX_FLAGS_MASK. What they say of waiting is no matter here. */
static ifl_cuda_error change_flags(unsigned flags)
{
    enum { MASK = 0xff };
    if (flags & ~(unsigned)MASK)
        return ifl_cudaErrorInvalidValue;
    ((handle *)ifl_driver_current())->flags = flags;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuCtxSetFlags(unsigned flags)
{
    DRIVE(change_flags(flags));
}

/* Of any context; all that is given to a GPU is waited for. */
static ifl_cuda_error wait_for(const handle *session)
{
    const int chosen = ifl_gpu_chosen();
    if (!ifl_driver_is_context(session))
        return (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT;
    ifl_gpu_choose(session->gpu);
    const ifl_cuda_error code = cudaDeviceSynchronize();
    ifl_gpu_choose(chosen);
    return code;
}

IFL_SERVED ifl_cuda_error cuCtxSynchronize_v2(void *session)
{
    DRIVE_EARLY(wait_for(session ? session : ifl_driver_current()));
}

IFL_SERVED ifl_cuda_error cuCtxGetApiVersion(void *session, unsigned *version)
{
    DRIVE(TELL(session ? session : ifl_driver_current(), version, API_VERSION));
}

IFL_SERVED ifl_cuda_error cuCtxGetId(void *session, unsigned long long *id)
{
    handle *of = session ? session : ifl_driver_current();
    DRIVE(TELL(of, id, of->id));
}

/* ---- peers ----------------------------------------------------------------------------------- */

static ifl_cuda_error enable_peer(const handle *peer, unsigned flags)
{
    if (!ifl_driver_is_context(peer) || peer->gpu == ifl_gpu_chosen())
        return (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT;
    return flags ? ifl_cudaErrorInvalidValue : ifl_gpu_enable_peer(peer->gpu);
}

IFL_SERVED ifl_cuda_error cuCtxEnablePeerAccess(void *peer, unsigned flags)
{
    DRIVE(enable_peer(peer, flags));
}

IFL_SERVED ifl_cuda_error cuCtxDisablePeerAccess(void *peer)
{
    DRIVE(ifl_driver_is_context(peer) ? ifl_gpu_disable_peer(((const handle *)peer)->gpu)
                                      : (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT);
}
