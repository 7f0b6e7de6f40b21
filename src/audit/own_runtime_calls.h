/* SPDX-License-Identifier: Apache-2.0
 * The copy of the CUDA runtime that nvcc links into a program or a library by default
 * (libcudart_static.a): where its calls are, by their names among the object's symbols or, where it
 * was stripped, by the layout of the archive (runtime_layout.h), and of which version they are. */
#ifndef IFL_AUDIT_OWN_RUNTIME_CALLS_H
#define IFL_AUDIT_OWN_RUNTIME_CALLS_H

#include "audit/object_file.h"

typedef struct ifl_own_call {
    const char *name;
    uint64_t address; /* in the object */
} ifl_own_call;

typedef struct ifl_own_runtime {
    int version; /* as cudaRuntimeGetVersion has it: 13020 */
    ifl_own_call *calls;
    size_t count;
} ifl_own_runtime;

typedef enum ifl_own_state {
    IFL_OWN_NONE, /* the object has no runtime that can be seen */
    /* it has, but which version it is cannot be told, or its names are not those of the version */
    IFL_OWN_UNKNOWN,
    IFL_OWN_FOUND
} ifl_own_state;

/* The name of a call that ours may answer, as it is kept for good, or NULL. */
const char *ifl_own_runtime_call(const char *name);

/* Finds all of them, or none. On IFL_OWN_FOUND `out->calls` is for free(). `room` is what each call
 * must have from its first byte to the next function, in bytes. `path` is the object's. */
ifl_own_state ifl_own_runtime_find(const ifl_object_file *file, const char *path, size_t room,
                                   ifl_own_runtime *out);

#endif
