/* SPDX-License-Identifier: Apache-2.0
 * A GPU as a program on the host sees it, without one: memory that lives as long as the program wants, modules that
 * are loaded, kernels that are launched one after another on the engine. Knows nothing of CUDA's calls; those are in
 * src/standin. One thread at a time. */
#ifndef IFL_HOST_CONTEXT_H
#define IFL_HOST_CONTEXT_H

#include "device/device.h"
#include "run/module.h"
#include "simt/simt.h"

typedef struct ifl_context_options {
    const char *gpu; /* a name of devices/, "h200" */
    bool analysis;   /* observe the launches */
    uint64_t observed_launches; /* with the same arguments from one place; 0: all */
    int threads;     /* of the engine; 0: all cores */
    const volatile int *stop;
    void (*print)(void *user, const char *text, size_t length); /* what kernels print */
    void *print_user;
} ifl_context_options;

typedef struct ifl_context ifl_context;
typedef struct ifl_loaded ifl_loaded;

ifl_status ifl_context_new(const ifl_context_options *options, ifl_context **out, ifl_error *error);
void ifl_context_free(ifl_context *context);
const ifl_device *ifl_context_device(const ifl_context *context);
ifl_memory *ifl_context_memory(ifl_context *context);

/* ---- modules --------------------------------------------------------------------------------- */

/* PTX text, a fat binary or a cubin that carries PTX: the newest PTX that runs on the context's GPU. `name` is what
 * messages call it. IFL_UNSUPPORTED where there is no such PTX. The bytes are not kept. */
ifl_status ifl_context_load(ifl_context *context, const char *name, const void *image, size_t bytes,
                            ifl_loaded **out, ifl_error *error);
/* Its variables are gone; what its launches did is remembered. */
void ifl_context_unload(ifl_context *context, ifl_loaded *loaded);

/* A kernel of a module, checked and ready to be launched. */
typedef struct ifl_host_kernel {
    ifl_loaded *loaded;
    size_t index;              /* of the module's kernels */
    const ifl_program *program;
    const ifl_function *function;
    const char *signature;
    uint64_t static_shared_bytes;
    bool *reached;             /* by function of the program */
    uint32_t registers;        /* of the machine code beside the PTX; 0: there is none */
    uint32_t local_bytes, barriers, machine_sm;
} ifl_host_kernel;

/* By its mangled name. IFL_USAGE: there is none; IFL_UNSUPPORTED: the engine cannot run it, and the error says why. */
ifl_status ifl_context_kernel(ifl_loaded *loaded, const char *name, const ifl_host_kernel **out, ifl_error *error);
/* A variable of the module; false where there is none. */
bool ifl_context_variable(ifl_context *context, const ifl_loaded *loaded, const char *name, ifl_allocation **out);

/* ---- launches -------------------------------------------------------------------------------- */

typedef struct ifl_host_launch {
    const ifl_host_kernel *kernel;
    uint32_t grid[3];
    uint32_t block[3];
    uint64_t dynamic_shared_bytes;
    const uint8_t *params; /* function->param_bytes */
    const char *site;      /* where the program launched it, for the report; may be NULL */
} ifl_host_launch;

/* Runs it and remembers what was seen. On IFL_FINDING *fault says what kind of fault the error describes. */
ifl_status ifl_context_launch(ifl_context *context, const ifl_host_launch *launch, ifl_fault_kind *fault,
                              ifl_error *error);

/* ---- time ------------------------------------------------------------------------------------ */

typedef enum ifl_transfer {
    IFL_TRANSFER_LINK,   /* between host and GPU */
    IFL_TRANSFER_WITHIN, /* from the GPU to itself */
    IFL_TRANSFER_FILL,
    IFL_TRANSFER_HOST    /* from the host to itself: no time of the GPU */
} ifl_transfer;

/* Microseconds that the GPU has spent, by the model; this machine's clock where nothing is observed. */
double ifl_context_clock(const ifl_context *context);
/* Lets the clock go on by a copy or a fill of so many bytes. */
void ifl_context_transfer(ifl_context *context, ifl_transfer transfer, uint64_t bytes);

/* ---- what was seen --------------------------------------------------------------------------- */

/* All launches of one kernel from one place, with the same grid and block. */
typedef struct ifl_host_entry {
    const char *kernel, *signature, *site;
    uint64_t launches;
    uint64_t observed;    /* of them; their sums are in the profile */
    double seconds;       /* of the engine */
    double model_us;      /* of `worst` on the GPU, by the model; 0: not known */
    ifl_profile *profile; /* their sum, owned by the context; NULL when nothing was observed */
    ifl_profile *worst;   /* of the costliest launch followed, alone, as `inflight analyze` makes it; NULL like profile */
} ifl_host_entry;

/* Makes the entries, in the order of their first launches. They are valid until the context is freed; later launches
 * need another call. */
ifl_status ifl_context_entries(ifl_context *context, const ifl_host_entry **entries, size_t *count,
                               ifl_error *error);

#endif
