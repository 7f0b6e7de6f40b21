/* SPDX-License-Identifier: Apache-2.0
 * A session: a GPU to believe in, its memory, the modules that are loaded, their kernels lowered
 * once, and the engine that runs them. One thread at a time. `inflight analyze` has one for a
 * launch, a program under `inflight run` one for all. */
#ifndef IFL_SESSION_SESSION_H
#define IFL_SESSION_SESSION_H

#include "device/device.h"
#include "exec/exec.h"
#include "model/model.h"
#include "profile/profile.h"
#include "session/module.h"

typedef struct ifl_session ifl_session;
typedef struct ifl_loaded ifl_loaded;

/* Which code of a kernel runs. */
typedef enum ifl_code_choice {
    IFL_CHOOSE_AS_DRIVER, /* machine code that the GPU runs, else PTX, assembled where it can be */
    IFL_CHOOSE_PTX,
    IFL_CHOOSE_MACHINE,
    IFL_CHOOSE_BOTH /* as a driver, and of machine code that is observed the PTX too: beside.h */
} ifl_code_choice;

typedef struct ifl_session_options {
    const char *gpu; /* a name of devices/; NULL: "h200" */
    uint32_t sm;     /* whose machine code runs: 90; 0: that of the GPU */
    ifl_code_choice code;
    bool analysis;              /* observe the launches that are kept in the ledger */
    uint64_t observed_launches; /* with the same arguments from one place; 0: all */
    const char *
        /* as for ifl_kernel_find: the next two count its launches only; NULL: any */
        observed_kernel;
    uint64_t skipped_launches; /* before the first that is observed */
    uint64_t most_launches;    /* that are looked at after those; 0: all */
    int threads;               /* of the engine; 0: all cores */
    const volatile int *stop;
    void (*print)(void *user, const char *text, size_t length); /* what kernels print */
    void *print_user;
    bool every_launch; /* runs, also one that would only do again what was done before */
    bool check_reads,
        check_races; /* of ifl_run_options, for the launches that are kept in the ledger */
    void (*warn)(void *user, const char *kernel, const char *site,
                 const char *text); /* of those checks */
    void *warn_user;
} ifl_session_options;

/* What a GPU of this kind runs: compute capability 9.0 -> 90. */
uint32_t ifl_session_target(const ifl_device *device);
ifl_status ifl_session_new(const ifl_session_options *options, ifl_session **out, ifl_error *error);
void ifl_session_free(ifl_session *session);
const ifl_device *ifl_session_device(const ifl_session *session);
ifl_memory *ifl_session_memory(ifl_session *session);
/* The textures and surfaces that kernels may name. */
ifl_textures *ifl_session_textures(ifl_session *session);

/* ---- modules --------------------------------------------------------------------------------- */

/* PTX text, a fat binary or a cubin: its machine code or the newest PTX that runs on the session's
 * GPU. `name` is what messages call it. IFL_UNSUPPORTED where there is neither. The bytes are
 * not kept. */
ifl_status ifl_session_load(ifl_session *session, const char *name, const void *image, size_t bytes,
                            ifl_loaded **out, ifl_error *error);
/* A module that somebody else opened, and closes after the session; `machine` is the file with its
 * machine code, NULL: its own. */
ifl_status ifl_session_take(ifl_session *session, const ifl_module *module, const char *machine,
                            ifl_loaded **out, ifl_error *error);
/* Its variables are gone; what its launches did is remembered. */
void ifl_session_unload(ifl_session *session, ifl_loaded *loaded);
typedef struct ifl_placed_variable {
    uint64_t address, bytes;
    uint8_t *host;
    bool is_managed;
} ifl_placed_variable;

/* A variable of the module; false where there is none. */
bool ifl_session_variable(ifl_session *session, const ifl_loaded *loaded, const char *name,
                          ifl_placed_variable *out);

/* A kernel of a loaded module: ready to be launched once it is lowered. */
typedef struct ifl_ready_kernel {
    ifl_loaded *loaded;
    const ifl_module *module;
    const ifl_kernel *kernel;
    const char *signature;
    ifl_image image; /* its demands only, as far as they are declared, until it is lowered */
    bool is_lowered;
    const struct ifl_placed_object
        *object; /* whose machine code it is; NULL: the image is lowered from PTX */
    const struct ifl_object_text *text;
    ifl_kernel
        /* `kernel` is this one where machine code has its parameters at other places than PTX */
        as_machine;
    uint32_t registers; /* of the machine code beside the PTX; 0: there is none */
    uint32_t local_bytes, barriers, machine_sm;
    uint32_t ptx_sm;                 /* of the PTX that what runs was made of */
    size_t index;                    /* among the module's kernels */
    struct ifl_ready_kernel *beside; /* its PTX; NULL: nobody asked yet, or it cannot be run */
    struct ifl_analysed *analysed;   /* of machine_code.h; NULL: nobody asked yet */
} ifl_ready_kernel;

/* By its mangled name; machine code is not lowered, as programs ask for the attributes of hundreds of
 * kernels of which they launch few. IFL_USAGE: there is none; IFL_UNSUPPORTED: what ifl_ready_lower says
 * of PTX. */
ifl_status ifl_session_look_up(ifl_session *session, ifl_loaded *loaded, const char *name,
                               ifl_ready_kernel **out, ifl_error *error);
/* IFL_UNSUPPORTED: the engine cannot run it, and the error says why. */
ifl_status ifl_ready_lower(ifl_ready_kernel *kernel, ifl_error *error);
/* Both. */
ifl_status ifl_session_find(ifl_session *session, ifl_loaded *loaded, const char *name,
                            ifl_ready_kernel **out, ifl_error *error);
/* The names that it finds, by index; NULL past the last. */
const char *ifl_session_kernel_name(const ifl_loaded *loaded, size_t index);
/* By its index among the module's kernels. */
ifl_status ifl_session_ready(ifl_session *session, ifl_loaded *loaded, size_t index,
                             ifl_ready_kernel **out, ifl_error *error);
/* The PTX of a kernel whose machine code is ready, with the same variables. */
ifl_status ifl_session_ready_beside(ifl_ready_kernel *kernel, ifl_ready_kernel **out,
                                    ifl_error *error);
/* Gives the variables of the kernel's program their initial values once more. */
void ifl_session_reset(const ifl_session *session, const ifl_ready_kernel *kernel);

/* ---- launches -------------------------------------------------------------------------------- */

typedef struct ifl_session_launch {
    ifl_ready_kernel *kernel;
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t cluster[3]; /* blocks of a cluster; 0: as the kernel says, else none */
    uint64_t dynamic_shared_bytes;
    int shared_preference;      /* device/shared_size.h; 0: none */
    uint64_t stack_bytes;       /* of a thread, at least; 0: CUDA's default */
    const uint8_t *params;      /* kernel->param_bytes */
    const ifl_grapher *grapher; /* of ifl_exec_launch, with the next */
    uint64_t current_graph;
    const char *site; /* where the program launched it, for the report; may be NULL */
} ifl_session_launch;

/* How the engine is to run a launch, where that is not the session's own way. */
typedef struct ifl_session_way {
    const ifl_device *device;       /* to believe in; NULL: the session's */
    int threads, resident, quantum; /* of ifl_run_options */
    bool check_reads, check_races, only_followed;
    bool may_wait; /* of ifl_exec_launch */
    const char *vector_width;
    const volatile int *stop;
    void (*progress)(void *user, uint64_t blocks_done, uint64_t blocks);
    void *progress_user;
    void (*print)(void *user, const char *text, size_t length);
    void *print_user;
} ifl_session_way;

/* Runs it under `observers`; what came of it is in `result`, which ifl_session_end frees. Statuses
 * of ifl_engine_begin and ifl_engine_end. */
typedef struct ifl_session_result {
    ifl_exec_launch ran;
    ifl_exec_run *run; /* while it does */
    ifl_parted parted;
    ifl_exec_result result;
} ifl_session_result;
ifl_status ifl_session_run(ifl_session *session, const ifl_session_launch *launch,
                           const ifl_session_way *way, const ifl_observer *const *observers,
                           size_t count, ifl_session_result *out, ifl_error *error);
void ifl_session_end(ifl_session_result *result);
/* The same in pieces, as ifl_engine_begin; `out` stays where it is. */
ifl_status ifl_session_begin(ifl_session *session, const ifl_session_launch *launch,
                             const ifl_session_way *way, const ifl_observer *const *observers,
                             size_t count, ifl_session_result *out, ifl_error *error);
ifl_status ifl_session_finish(ifl_session *session, ifl_session_result *out, ifl_error *error);

/* The next grid that kernels launched which ran before: those of the last kernel first.
 * `launch->kernel` is NULL where there is none. What it points to stays until the next call.
 * Statuses of ifl_session_find. */
ifl_status ifl_session_next(ifl_session *session, ifl_session_launch *launch, ifl_error *error);

/* Runs it the session's way and remembers in the ledger what was seen. On IFL_FINDING *fault says
 * what kind of fault the error describes. `waits` may be NULL: then it runs to its end. Else it is
 * set where the launch waits for memory that others have to change, and is to go on later; what
 * `launch` points to stays until then, but for the site. */
typedef struct ifl_kept ifl_kept;
ifl_status ifl_session_keep(ifl_session *session, const ifl_session_launch *launch,
                            ifl_kept **waits, ifl_fault_kind *fault, ifl_error *error);
/* It goes on, by itself or to its end, which makes *waits NULL; *is_idle: nothing has changed for
 * it. Statuses and *fault as before. */
ifl_status ifl_session_keep_on(ifl_session *session, ifl_kept **waits, bool *is_idle,
                               ifl_fault_kind *fault, ifl_error *error);
const ifl_session_launch *ifl_kept_launch(const ifl_kept *kept);
/* It will not go on. */
void ifl_session_drop(ifl_session *session, ifl_kept *kept);

/* Blocks of the kernel that an SM of a GPU holds at once; IFL_USAGE: none of this size fits. */
ifl_status ifl_ready_blocks_per_sm(const ifl_ready_kernel *kernel, const ifl_device *device,
                                   uint64_t threads, uint64_t dynamic_shared_bytes,
                                   uint32_t *blocks, ifl_error *error);

/* ---- time ------------------------------------------------------------------------------------ */

typedef enum ifl_copy_route {
    IFL_COPY_LINK,   /* between host and GPU, and between two GPUs */
    IFL_COPY_WITHIN, /* from the GPU to itself */
    IFL_COPY_FILL,
    IFL_COPY_HOST /* from the host to itself: no time of the GPU */
} ifl_copy_route;

/* Microseconds that the GPU has spent, by the model; this machine's clock where nothing is
 * observed. */
double ifl_session_clock(const ifl_session *session);
/* Work goes to the GPU with this number from now on: each has its clock, and begins nothing before
 * the host asks for it. */
enum { IFL_MOST_GPUS = 16 };
void ifl_session_choose_gpu(ifl_session *session, uint32_t gpu);
/* The host waits for the GPU that work goes to; or that GPU for a time on another one's clock. */
void ifl_session_host_waits(ifl_session *session);
void ifl_session_gpu_waits(ifl_session *session, double until_us);
/* Lets the clock go on by a copy or a fill of so many bytes. */
void ifl_session_copied(ifl_session *session, ifl_copy_route route, uint64_t bytes);

/* ---- what was seen --------------------------------------------------------------------------- */

/* All launches of one kernel from one place, with the same grid and block. */
typedef struct ifl_ledger_entry {
    const char *kernel, *signature, *site;
    uint64_t launches;
    uint64_t observed; /* of them; their sums are in the profile */
    uint64_t
        repeated;   /* of them, which did not run: they would only have done what was done before */
    double seconds; /* of the engine */
    double model_us;      /* of `worst` on the GPU, by the model; 0: not known */
    ifl_profile *profile; /* their sum, owned by the session; NULL when nothing was observed */
    ifl_profile *
        /* of the costliest launch followed, alone, as `inflight analyze` makes it; NULL like
         * profile */
        worst;
    const ifl_modelled
        *modelled; /* `worst` on the session's GPU; NULL: the model has no time for it */
} ifl_ledger_entry;

/* Makes the entries, in the order of their first launches. They are valid until the session is
 * freed; later launches need another call. */
ifl_status ifl_session_entries(ifl_session *session, const ifl_ledger_entry **entries,
                               size_t *count, ifl_error *error);

#endif
