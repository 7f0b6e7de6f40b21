/* SPDX-License-Identifier: Apache-2.0
 * What a program registers before it begins: fat binaries, and the host's stand-ins for kernels and
 * variables. They are read when first used, since most programs use few of theirs. */
#ifndef IFL_STANDIN_BINARY_H
#define IFL_STANDIN_BINARY_H

#include "base/vec.h"
#include "standin/handle.h"
#include "standin/state.h"

/* Each GPU has its own copy of a binary's variables, and so its own module. What stands beside the
 * lists is that of the GPU for which it was read or resolved last: the one that the calling thread
 * has chosen. */
typedef struct ifl_binary {
    const ifl_fatbin_wrapper *wrapper; /* NULL: loaded by the program from bytes */
    ifl_loaded *loaded;                /* NULL: not read yet */
    ifl_loaded *on[IFL_MOST_GPUS];
    ifl_cuda_error failed; /* why it cannot be read */
    ifl_error why;         /* the same in words; no text: none, or they have been told */
    struct ifl_function_record *functions; /* the last one first */
    bool has_variables;
} ifl_binary;

typedef struct ifl_function_record {
    ifl_binary *binary;               /* NULL: it was forgotten, and is only still in the list */
    struct ifl_function_record *next; /* of its binary */
    const void *host;         /* the address that the program launches by; NULL: found by name */
    char *name;               /* mangled */
    ifl_ready_kernel *kernel; /* NULL: not read yet */
    ifl_ready_kernel *on[IFL_MOST_GPUS];
    int max_dynamic_shared, carveout, cache_config;
    int cluster[3]; /* that the program asked for (cudaFuncSetAttribute); 0: nothing */
    int non_portable, cluster_policy;
    bool is_told;      /* that it cannot run has been told */
    uint64_t room_for; /* threads of a block for which an SM is known to have the registers */
    struct ifl_old_launch *old_launch; /* drv_launch.c, of malloc; NULL: none is made so */
} ifl_function_record;

typedef struct ifl_variable_record {
    ifl_binary *binary;
    const void *host;
    void **managed; /* __managed__: where the program keeps the address; NULL: not managed */
    char *name;
    size_t bytes;
} ifl_variable_record;

/* NULL without memory. */
ifl_binary *ifl_binary_register(const ifl_fatbin_wrapper *wrapper, ifl_handle_kind kind);
void ifl_binary_forget(ifl_binary *binary);
/* All of them, in a process that was forked. */
void ifl_binaries_forget(void);
/* Reads it where that has not been done. */
ifl_cuda_error ifl_binary_read(ifl_session *session, ifl_binary *binary);

/* Of a fat binary that was registered; false without memory, and where there is no such binary. */
bool ifl_function_register(const void *binary, const void *host, const char *name);
bool ifl_variable_register(const void *binary, const void *host, void **managed, const char *name,
                           size_t bytes);

/* By the record itself, which is the handle that programs hold; NULL: it is none. */
ifl_function_record *ifl_function_of(const void *handle);
/* By the host's address or by the handle, or NULL. */
ifl_function_record *ifl_function_find(const void *host);
/* Reads its module, and finds the kernel in it. That there is no code for the GPU is told where one
 * wants to run it: NCCL asks for the attributes of kernels that only other GPUs have. */
ifl_cuda_error ifl_function_resolve(ifl_session *session, ifl_function_record *function);
/* The same, and lowers the kernel: it is to be launched. */
ifl_cuda_error ifl_function_ready(ifl_session *session, ifl_function_record *function);
/* By the host's address: where the variable is on the GPU. */
ifl_cuda_error ifl_variable_resolve(ifl_session *session, const void *host,
                                    ifl_placed_variable *out);
/* Managed variables of all binaries are read: their pointers must be right before anybody looks at
 * them. */
ifl_cuda_error ifl_binary_read_managed(ifl_session *session, ifl_binary *binary);

/* ---- what a program loads itself ------------------------------------------------------------- */

/* As ifl_session_load; *out is a binary of its own, on the chosen GPU or on all. */
ifl_cuda_error ifl_binary_load(ifl_session *session, const char *name, const void *image,
                               size_t bytes, bool on_all, ifl_binary **out, ifl_error *error);
void ifl_binary_unload(ifl_session *session, ifl_binary *binary);
bool ifl_binary_variable(ifl_session *session, ifl_binary *binary, const char *name,
                         ifl_placed_variable *out);
/* The names of the kernels of one that is read, by index; NULL past the last. */
const char *ifl_binary_kernel_name(const ifl_binary *binary, size_t index);
/* By its mangled name, made where it was not asked for before. */
ifl_cuda_error ifl_function_named(ifl_session *session, ifl_binary *binary, const char *name,
                                  ifl_function_record **out);

#endif
