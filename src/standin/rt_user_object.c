/* SPDX-License-Identifier: Apache-2.0
 * Objects that graphs keep alive, as a program asks for them. */
#include "standin/served.h"
#include "standin/user_object.h"

#include <limits.h>

static ifl_cuda_error create(ifl_user_object **out, void *user, void (*destroy)(void *),
                             unsigned count, unsigned flags)
{
    enum { NOBODY_WAITS = 1 }; /* cudaUserObjectNoDestructorSync, which must be given */
    if (!out || !destroy || !count || count > INT_MAX || flags != NOBODY_WAITS)
        return ifl_cudaErrorInvalidValue;
    *out = ifl_user_object_new(user, destroy, count);
    return *out ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation;
}

IFL_SERVED ifl_cuda_error cudaUserObjectCreate(ifl_user_object **out, void *user,
                                               void (*destroy)(void *), unsigned count,
                                               unsigned flags)
{
    SERVE(create(out, user, destroy, count, flags));
}

static ifl_cuda_error change(ifl_user_object *object, unsigned count,
                             void (*how)(ifl_user_object *, uint64_t))
{
    if (!object || !count || count > INT_MAX)
        return ifl_cudaErrorInvalidValue;
    how(object, count);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaUserObjectRetain(const void *object, unsigned count)
{
    SERVE(change(ifl_user_object_of(object), count, ifl_user_object_retain));
}

IFL_SERVED ifl_cuda_error cudaUserObjectRelease(const void *object, unsigned count)
{
    SERVE(change(ifl_user_object_of(object), count, ifl_user_object_release));
}

static ifl_cuda_error retain_in(ifl_graph *graph, ifl_user_object *object, unsigned count,
                                unsigned flags)
{
    enum { MOVE = 1 };
    if (!graph || !object || !count || count > INT_MAX || flags > MOVE)
        return ifl_cudaErrorInvalidValue;
    if (!ifl_graph_hold(graph, object, count))
        return ifl_cudaErrorMemoryAllocation;
    if (flags == MOVE)
        ifl_user_object_release(object, count);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGraphRetainUserObject(const void *graph, const void *object,
                                                    unsigned count, unsigned flags)
{
    SERVE(retain_in(ifl_graph_of(graph), ifl_user_object_of(object), count, flags));
}

static ifl_cuda_error release_in(ifl_graph *graph, ifl_user_object *object, unsigned count)
{
    return graph && object && count && ifl_graph_let_go(graph, object, count)
               ? ifl_cudaSuccess
               : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cudaGraphReleaseUserObject(const void *graph, const void *object,
                                                     unsigned count)
{
    SERVE(release_in(ifl_graph_of(graph), ifl_user_object_of(object), count));
}
