/* SPDX-License-Identifier: Apache-2.0
 * What the files drv_*.c share: the way a call of the CUDA driver is served, and the calls of the
 * runtime that serve it. Addresses of the GPU are uintptr_t; error codes are the runtime's, and
 * have the driver's numbers. */
#ifndef IFL_STANDIN_DRIVER_SERVED_H
#define IFL_STANDIN_DRIVER_SERVED_H

#include "standin/binary.h"
#include "standin/green.h"
#include "standin/launch_call.h"
#include "standin/served.h"
#include "standin/shared_memory.h"

#include <string.h>

/* The driver's codes that the runtime has under another number, or not at all. */
enum {
    IFL_CUDA_NOT_INITIALIZED = 3,
    IFL_CUDA_INVALID_DEVICE = 101,
    IFL_CUDA_INVALID_IMAGE = 200,
    IFL_CUDA_INVALID_CONTEXT = 201,
    IFL_CUDA_FILE_NOT_FOUND = 301,
    IFL_CUDA_INVALID_HANDLE = 400,
    IFL_CUDA_NOT_FOUND = 500
};

/* What a call needs before it may be served. */
typedef enum ifl_driver_need {
    IFL_NEEDS_NOTHING,
    IFL_NEEDS_INIT,
    IFL_NEEDS_CONTEXT
} ifl_driver_need;

/* Begins a call that the program made at `from`: cudaSuccess, or why it cannot be served. */
ifl_cuda_error ifl_driver_begin(ifl_driver_need need, const void *from);
/* Ends the call of that name; the code as the driver says it. */
ifl_cuda_error ifl_driver_end(const char *call, ifl_cuda_error code);

#define DRIVE_WITH(need, ...)                                                                      \
    do {                                                                                           \
        ifl_cuda_error driver_code = ifl_driver_begin(need, __builtin_return_address(0));          \
        if (driver_code == ifl_cudaSuccess)                                                        \
            driver_code = (ifl_cuda_error)(__VA_ARGS__);                                           \
        return ifl_driver_end(__func__, driver_code);                                              \
    } while (0)

/* A call that needs a current session; DRIVE_EARLY needs cuInit only. */
#define DRIVE(...) DRIVE_WITH(IFL_NEEDS_CONTEXT, __VA_ARGS__)
#define DRIVE_EARLY(...) DRIVE_WITH(IFL_NEEDS_INIT, __VA_ARGS__)

/* The runtime's calls that driver_pass.def names, with the types that pass between the two. */
#define RUNTIME(name, ...) extern ifl_cuda_error name(__VA_ARGS__);
#include "standin/driver_runtime.def"
#undef RUNTIME
extern const char *cudaGetErrorString(int code);

/* Every name of the driver, with what serves it. */
typedef struct ifl_driver_entry {
    const char *name;
    int since; /* the version from which cuGetProcAddress gives it; 0: never */
    void (*call)(void);
} ifl_driver_entry;
extern const ifl_driver_entry ifl_driver_entries[];
extern const size_t ifl_driver_entry_count;

/* The session that is current on this thread, and whether one that a program holds is alive. */
void *ifl_driver_current(void);
bool ifl_driver_is_context(const void *handle);

/* The primary context of a GPU with the SMs of a green one: made once, gone with it. NULL without
 * memory. */
void *ifl_driver_green_context(ifl_green *green);
void ifl_driver_green_end(ifl_green *green);
/* The green context that a context stands for; NULL: it is none of these. */
ifl_green *ifl_driver_green_of(const void *context);
/* The next number of a context; a primary one has one more user, or one less. */
uint64_t ifl_driver_next_id(void);
void ifl_driver_use_primary(int gpu, bool begins);
void *ifl_driver_primary(int gpu);
int ifl_driver_gpu_of(const void *context);

#endif
