/* SPDX-License-Identifier: Apache-2.0
 *
 * inflight: why a CUDA kernel does not reach the memory bandwidth, and what would help.
 *
 * The one public header. Handles are opaque; types are libc's. A session reads like the pipeline:
 *
 *     ifl_module_open  ->  ifl_launch_new  ->  ifl_launch_set ...  ->  ifl_launch_run
 *         ->  ifl_outcome_new  ->  ifl_outcome_add (a GPU) ...  ->  ifl_report_write
 *
 * Every function that can fail returns an ifl_status and, where it takes an ifl_error, fills it.
 * The library never prints (except to a FILE it is given), never exits, and holds no globals but
 * the names of the files that it is writing (ifl_outputs_drop). A handle must not be used by two
 * threads at once; different handles may be. */
#ifndef INFLIGHT_H
#define INFLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define IFL_API __attribute__((visibility("default")))
#else
#define IFL_API
#endif

/* ---- status and error ------------------------------------------------------------------------ */

typedef enum ifl_status {
    IFL_OK,
    IFL_FINDING,     /* the analysis found a fault or a budget overrun in the user's code */
    IFL_USAGE,       /* a wrong option or argument */
    IFL_BAD_INPUT,   /* a file or value that is not what it should be */
    IFL_UNSUPPORTED, /* understood, but not implemented; the error names it and its place */
    IFL_NO_GPU,
    IFL_INTERNAL, /* our own fault */
    IFL_NO_MEMORY,
    IFL_NO_FILE,     /* a file cannot be opened, read or written */
    IFL_INTERRUPTED, /* stopped by the caller; what was counted until then is valid */
    IFL_STATUS_COUNT
} ifl_status;

/* What went wrong and where. `line` and `column` count from 1 and are 0 when they do not apply.
 * `source` is the line of text at that place, for a caret; empty when there is none. `text` may
 * hold several lines. */
typedef struct ifl_error {
    ifl_status status;
    int line;
    int column;
    char file[256];
    char text[1024];
    char source[256];
} ifl_error;

IFL_API const char *ifl_status_text(ifl_status status);
/* The exit status of the program for a library status: 0 to 6, or 130 for IFL_INTERRUPTED. */
IFL_API int ifl_status_exit_code(ifl_status status);
IFL_API const char *ifl_version(void);

/* ---- modules: the kernels of a file ---------------------------------------------------------- */

typedef struct ifl_module ifl_module;

/* Opens PTX text, a cubin or executable that carries PTX, or a .cu file (compiled through nvcc,
 * NVRTC or clang, whichever is found first). `arch` is the target for .cu files and picks among
 * several PTX entries, for instance "sm_90"; NULL takes the newest PTX in the file, and sm_90 for a
 * .cu. */
IFL_API ifl_status ifl_module_open(const char *path, const char *arch, ifl_module **out,
                                   ifl_error *error);
IFL_API void ifl_module_close(ifl_module *module);
IFL_API size_t ifl_module_kernel_count(const ifl_module *module);
/* The mangled name; NULL past the end. */
IFL_API const char *ifl_module_kernel_name(const ifl_module *module, size_t index);
/* The demangled signature; owned by the module. */
IFL_API const char *ifl_module_kernel_signature(const ifl_module *module, size_t index);

/* The PTX type of one of the kernel's parameters, "u32", "f32", or its size, "24 bytes"; NULL past
 * the last. Pointers are u64. Owned by the module. */
IFL_API const char *ifl_module_kernel_parameter(const ifl_module *module, size_t kernel,
                                                size_t parameter);
/* Its type by the kernel's signature, as words of arguments name elements: "f32" of a float, "f32*" of
 * a pointer to floats, "" of a type that they do not have. NULL: there is no such parameter, or the
 * signature has no types. */
IFL_API const char *ifl_module_kernel_type(const ifl_module *module, size_t kernel,
                                           size_t parameter);

/* Writes one stage of the pipeline as text: "ptx" (the text read), "program" (decoded), "code" (as
 * the engine runs it). `kernel` may be NULL for all. */
IFL_API ifl_status ifl_module_dump(const ifl_module *module, const char *stage, const char *kernel,
                                   FILE *out, ifl_error *error);

/* ---- launches -------------------------------------------------------------------------------- */

typedef struct ifl_launch ifl_launch;

/* `kernel` is a mangled name, a demangled signature, a bare function name, or "regex:" and an
 * extended regular expression for that, which fits one kernel only; NULL takes the module's only
 * kernel. The module must outlive the launch. */
IFL_API ifl_status ifl_launch_new(const ifl_module *module, const char *kernel, ifl_launch **out,
                                  ifl_error *error);
IFL_API void ifl_launch_free(ifl_launch *launch);

/* Sets one property with the words of a launch file: "grid" and "block" ("131072", "32,8"),
 * "shared" (bytes of dynamic shared memory), "cluster" (blocks of one, as "grid"), "arg" (one
 * kernel parameter, in order: docs/launch.md). */
IFL_API ifl_status ifl_launch_set(ifl_launch *launch, const char *key, const char *value,
                                  ifl_error *error);

/* Reads a launch file: opens its module (returned in *module, to be closed by the caller after the
 * launch) and sets every property. */
IFL_API ifl_status ifl_launch_read(const char *path, ifl_module **module, ifl_launch **out,
                                   ifl_error *error);
/* The GPUs that "gpu" named, in order; NULL past the last. Owned by the launch. */
IFL_API const char *ifl_launch_gpu(const ifl_launch *launch, size_t index);
/* The most common data-centre GPU that runs the kernel's code, for a launch that names no GPU;
 * NULL: none is known. */
IFL_API const char *ifl_launch_default_gpu(const ifl_launch *launch);

typedef struct ifl_run_options {
    int threads;      /* 0: all cores */
    bool check_reads; /* warn about reads of shared or global memory that was never written */
    bool check_races; /* warn about accesses to shared memory that no barrier orders */
    int resident; /* blocks interleaved warp by warp on one core, at most 4224; 0: one at a time */
    /* memory requests a warp issues before the next one runs; 0: until it waits or ends */
    int quantum;
    const volatile int
        *stop; /* set to non-zero, from a signal handler too, to end the run early; may be NULL */
    void (*progress)(void *user, uint64_t blocks_done,
                     uint64_t blocks); /* from one thread; may be NULL */
    void *progress_user;
    void (*print)(void *user, const char *text,
                  size_t length); /* device printf; NULL drops the text */
    void *print_user;
    const char *
        /* NULL: the best that this CPU has; else "v2", "v3", "v4" (x86-64 levels), "base" */
        vector_width;
    /* Whose caches to follow the launch through: docs/caches.md. Borrowed for the run; NULL and 0
     * cost nothing. */
    const struct ifl_device *const *devices;
    size_t device_count;
    /* per thread, if the kernel's file has no machine code that states them; 0: not known */
    int registers;
    /* Predict a launch that follows others like it and writes back what they left in the L2, as
     * IFL_BETWEEN_ROTATE measures; else one that finds the caches empty, as under Nsight Compute. */
    bool repeated;
    /* Keep the kernel's machine code, where it runs, for the listing of a page (IFL_REPORT_HTML). */
    bool listing;
} ifl_run_options;

typedef struct ifl_profile ifl_profile;

/* Runs the launch on the engine. On IFL_INTERRUPTED, and on IFL_FINDING for a faulting kernel, *out
 * is a valid partial profile; on every other failure it is NULL. `options` may be NULL. */
IFL_API ifl_status ifl_launch_run(ifl_launch *launch, const ifl_run_options *options,
                                  ifl_profile **out, ifl_error *error);

/* The bytes of buffer argument `index` (from 0, counting all arguments) as they stand: filled
 * before a run, the kernel's results after it. Valid until the launch is freed. */
IFL_API ifl_status ifl_launch_buffer(ifl_launch *launch, size_t index, void **data, size_t *bytes,
                                     ifl_error *error);
/* What argument `index` is, also where it is no buffer. */
typedef struct ifl_launch_argument_info {
    bool is_buffer;
    const char *type; /* "f32": of the value, or of a buffer's elements; NULL: plain bytes */
    void *data;       /* a buffer's contents as they stand, or the value */
    size_t bytes;
    size_t same; /* the argument whose buffer this is; its own index otherwise */
} ifl_launch_argument_info;

IFL_API size_t ifl_launch_argument_count(const ifl_launch *launch);
IFL_API ifl_status ifl_launch_argument_at(ifl_launch *launch, size_t index,
                                          ifl_launch_argument_info *out, ifl_error *error);
/* The grid and the block as set; 0 where not. */
IFL_API void ifl_launch_shape(const ifl_launch *launch, uint32_t grid[3], uint32_t block[3]);
/* The files that the launch is made of, by index: the module, the launch file, the NumPy files of
 * its arguments. NULL past the last. */
IFL_API const char *ifl_launch_input(const ifl_launch *launch, size_t index);
/* Writes that buffer as a NumPy file. */
IFL_API ifl_status ifl_launch_save(ifl_launch *launch, size_t index, const char *path,
                                   ifl_error *error);

/* ---- the real GPU ---------------------------------------------------------------------------- */

typedef struct ifl_gpu ifl_gpu;

/* Opens a GPU by its number, as nvidia-smi and CUDA_VISIBLE_DEVICES number it, through the driver
 * (libcuda.so.1, found at run time). IFL_NO_GPU, with a text that says what to do, if there is none
 * or the driver is too old. */
IFL_API ifl_status ifl_gpu_open(int ordinal, ifl_gpu **out, ifl_error *error);
IFL_API void ifl_gpu_close(ifl_gpu *gpu);
IFL_API const char *ifl_gpu_name(const ifl_gpu *gpu); /* as the driver reports it */
IFL_API int ifl_gpu_sm(const ifl_gpu *gpu);           /* 90 */
IFL_API int ifl_gpu_cuda(const ifl_gpu *gpu); /* the CUDA version that the driver supports: 13000 */

/* What happens between timed runs: docs/gpu.md. */
typedef enum ifl_between {
    /* the runs take several sets of buffers in turn, together four times the L2 */
    IFL_BETWEEN_ROTATE,
    IFL_BETWEEN_FLUSH, /* before each run the L2 is read full of other data */
    IFL_BETWEEN_WARM   /* nothing: the caches hold what the run before left */
} ifl_between;

typedef struct ifl_gpu_options {
    bool time; /* take times after the run */
    ifl_between between;
    int samples;         /* 0: 30 */
    bool subtract_floor; /* subtract the cost of an empty kernel from the times */
    bool no_copy;        /* take no time of a copy of as many bytes */
    bool carveout_given;
    int carveout_percent;     /* of the L1, for shared memory */
    int threads;              /* that fill the buffers; 0: all cores */
    const volatile int *stop; /* as in ifl_run_options */
    const ifl_profile
        *engine; /* of the same launch on the engine, for the useful bytes; may be NULL */
} ifl_gpu_options;

/* Runs the launch once on the GPU, from the bytes that its buffers hold (filled as for the engine),
 * and brings its results back: ifl_launch_buffer then gives them. Takes times on further copies of
 * the buffers. The profile has no counters. IFL_FINDING for a kernel that faults. `options` may be
 * NULL. */
IFL_API ifl_status ifl_launch_run_on(ifl_launch *launch, ifl_gpu *gpu,
                                     const ifl_gpu_options *options, ifl_profile **out,
                                     ifl_error *error);

/* Compares the buffers of `launch` after its run with those of `reference`, the same launch after a
 * run on another backend or of its PTX, and notes in `profile` (of `launch`) what differs.
 * IFL_FINDING where a difference is larger than the kernel's instructions allow: none, unless they
 * approximate or add in any order. */
IFL_API ifl_status ifl_launch_compare(ifl_launch *launch, ifl_launch *reference,
                                      ifl_profile *profile, ifl_error *error);

/* Notes in `profile`, of a run of machine code, where it differs from a run of the same launch's
 * PTX: reports then show the source lines. */
IFL_API ifl_status ifl_profile_compare_code(ifl_profile *profile, const ifl_profile *ptx,
                                            ifl_error *error);

/* Runs `command`, a program's path and words ended by NULL that launches the profile's kernel once,
 * under Nsight Compute, and takes its counters into the profile. Where ncu is not installed, not
 * permitted or fails, a warning in the profile says so, and the status is IFL_OK. */
IFL_API ifl_status ifl_profile_count(ifl_profile *profile, const char *const *command,
                                     ifl_error *error);

/* A figure of the times taken, by its name in docs/gpu.md ("median_s", "copy_bytes_per_s"); false
 * where it is not known. */
IFL_API bool ifl_profile_timing(const ifl_profile *profile, const char *name, double *value);

/* ---- profiles -------------------------------------------------------------------------------- */

IFL_API void ifl_profile_free(ifl_profile *profile);
/* Blocks that ran to their end: all of the grid, or fewer where the run faulted or was
 * interrupted. */
IFL_API uint64_t ifl_profile_blocks_done(const ifl_profile *profile);
/* False when there is no such counter or its value is not known. Names are those of
 * docs/counters.md. */
IFL_API bool ifl_profile_counter(const ifl_profile *profile, const char *name, uint64_t *value);
/* The same for one memory instruction; `line` runs from 0 to ifl_profile_line_count - 1. */
IFL_API size_t ifl_profile_line_count(const ifl_profile *profile);
IFL_API bool ifl_profile_line_counter(const ifl_profile *profile, size_t line, const char *name,
                                      uint64_t *value);
/* The address pattern's name for a line ("coalesced", "strided", ...), NULL when there is none. */
IFL_API const char *ifl_profile_line_pattern(const ifl_profile *profile, size_t line);
/* The instruction's line in the PTX text, from 1; 0 when it is not known. */
IFL_API uint32_t ifl_profile_line_ptx_line(const ifl_profile *profile, size_t line);

/* ---- GPUs ------------------------------------------------------------------------------------ */

/* The description of a GPU, each figure with its source: devices/ in the source tree. */
typedef struct ifl_device ifl_device;

/* By name ("h200", "RTX 4090": letters and digits count), from the user's folder
 * ($XDG_CONFIG_HOME/inflight/devices) first, then from those built in; or a file PATH.gpu. */
IFL_API ifl_status ifl_device_open(const char *name, ifl_device **out, ifl_error *error);
IFL_API void ifl_device_close(ifl_device *device);
/* The files built in ("h200.gpu"), NULL past the end. */
IFL_API const char *ifl_device_id(size_t index);

typedef struct ifl_occupancy_request {
    int threads;      /* of a block */
    int registers;    /* of a thread; 0: not known, no limit */
    int shared_bytes; /* of a block, static and dynamic */
    int barriers;     /* named barriers of a block, 0: not known */
    uint64_t blocks;  /* of the grid, for its waves on the page; 0: not asked for */
    /* bytes that the blocks of an SM share, where the program asked for less than it can have;
     * 0: all */
    int shared_limit;
    int cluster; /* blocks of a cluster; 0 or 1: the launch has none */
} ifl_occupancy_request;

typedef struct ifl_occupancy {
    int blocks_per_sm;
    int warps_per_sm;
    int max_warps_per_sm;
    double theoretical;  /* warps_per_sm / max_warps_per_sm */
    const char *limiter; /* "warps", "blocks", "registers", "shared memory", "barriers" */
    /* The cliffs: the most of a resource with which more blocks fit (-1: none does), and with which
     * as many fit as now (-1: none fits now). */
    int registers_for_more, registers_before_fewer;
    int shared_for_more, shared_before_fewer;
    uint64_t clusters; /* that the GPU holds at once; 0: the launch has none, or none fits */
} ifl_occupancy;

IFL_API ifl_status ifl_occupancy_compute(const ifl_device *device,
                                         const ifl_occupancy_request *request, ifl_occupancy *out,
                                         ifl_error *error);

/* Measures the GPU and writes its description, in the format of devices/: what the driver reports
 * and what was measured, each with its source; the tables behind the figures are in comments. Takes
 * about a minute. */
IFL_API ifl_status ifl_device_probe(ifl_gpu *gpu, FILE *out, ifl_error *error);

/* Pages as text: the table of GPUs (device NULL), one GPU in full with its sources, the fields that
 * a description can have, and occupancy on several GPUs side by side. `width` is the number of
 * columns; 0: not known, 100. */
IFL_API ifl_status ifl_devices_write(const ifl_device *device, int width, FILE *out,
                                     ifl_error *error);
/* The same as JSON (docs/json.md), for `count` GPUs, or for all built-in ones if that is 0. */
IFL_API ifl_status ifl_devices_json(const ifl_device *const *devices, size_t count, FILE *out,
                                    ifl_error *error);
IFL_API ifl_status ifl_occupancy_json(const ifl_device *const *devices, size_t count,
                                      const ifl_occupancy_request *request, FILE *out,
                                      ifl_error *error);
IFL_API ifl_status ifl_device_fields_write(int width, FILE *out, ifl_error *error);
IFL_API ifl_status ifl_occupancy_write(const ifl_device *const *devices, size_t count,
                                       const ifl_occupancy_request *request, int width, FILE *out,
                                       ifl_error *error);

/* ---- models: what a launch would do on a GPU ------------------------------------------------- */

/* What can limit a launch. The terms up to latency overlap; launch and tail are added. */
typedef enum ifl_term {
    IFL_TERM_DRAM,
    IFL_TERM_L2,
    IFL_TERM_L1, /* passes through the L1's data stage and tags: LSU wavefronts */
    IFL_TERM_SHARED,
    IFL_TERM_ATOMICS,
    IFL_TERM_ISSUE,      /* issue slots of the schedulers */
    IFL_TERM_ARITHMETIC, /* the busiest arithmetic pipe */
    IFL_TERM_TENSOR,     /* tensor cores: products of matrices */
    IFL_TERM_HOST,       /* the bus to memory of the host that is used in place; below 0: none is */
    IFL_TERM_LATENCY,    /* waiting: too few bytes in flight */
    IFL_TERM_LAUNCH,
    IFL_TERM_TAIL, /* the last, partial wave */
    IFL_TERM_COUNT
} ifl_term;

/* "DRAM", "L2", "L1/LSU", "shared memory", ...; NULL past the end. */
IFL_API const char *ifl_term_name(ifl_term term);

/* Thread Coarsening's four ways to have more bytes in flight. */
typedef enum ifl_lever {
    IFL_LEVER_LATENCY,   /* loads that come from the L2 instead of the DRAM */
    IFL_LEVER_OCCUPANCY, /* as many warps as the SM holds */
    IFL_LEVER_REQUESTS,  /* twice the independent loads before a wait */
    IFL_LEVER_BYTES,     /* twice the bytes of each request */
    IFL_LEVER_COUNT
} ifl_lever;

typedef struct ifl_waves {
    int blocks_per_sm;            /* that an SM holds by itself */
    uint64_t blocks, wave_blocks; /* of the grid; of a full wave */
    uint32_t cluster;             /* blocks of one; 1: there are none */
    uint64_t full_waves;
    double waves;           /* blocks / wave_blocks */
    double partial_wave;    /* 0..1: the last wave's share of a full one; 0: none is partial */
    double tail_efficiency; /* work done, over what full waves would have done in that time */
} ifl_waves;

/* Waves of `blocks` equal blocks (GPU Performance Analysis: 12 blocks on 8 SMs with one block each:
 * 75 %), in clusters of so many (0 or 1: none), which need SMs of one GPC each. No waves where no block
 * fits. */
IFL_API void ifl_waves_compute(const ifl_device *device, uint64_t blocks, int blocks_per_sm,
                               int cluster, ifl_waves *out);

/* A model's estimate and the range that it is good for. */
typedef struct ifl_estimate {
    double low, mid, high;
} ifl_estimate;

/* The model's estimates, by the formulas of docs/model.md. Unknown figures are -1. */
typedef struct ifl_model {
    ifl_occupancy occupancy;
    int registers;             /* of a thread; 0: not known */
    bool registers_estimated;  /* from the PTX program, not from machine code */
    double occupancy_achieved; /* warps resident on average over those that an SM could hold */
    ifl_waves waves;
    double bytes_in_flight_per_sm; /* bytes of loads outstanding for an SM when its warps wait */
    double bytes_needed_per_sm;    /* to come within 5 % of the DRAM's bandwidth */
    double latency_ns;             /* of an average load, unloaded, by where it is found */
    double waits_per_warp;         /* how often a warp waits for loads, one after the other */
    /* Where no machine code ran: inferred from the order of the PTX, and from its instructions. */
    bool waits_estimated, issue_estimated, arithmetic_estimated;
    double term_us[IFL_TERM_COUNT]; /* each alone */
    ifl_term limiter, runner_up;    /* the largest terms */
    ifl_estimate time_us;           /* as CUDA events measure it */
    double dram_bytes; /* read and written while the launch runs, without what stays in the L2 */
    double dram_bytes_per_s;
    double dram_utilization;          /* of the peak, 0..1 */
    double lever_us[IFL_LEVER_COUNT]; /* the time with that lever pulled */
    double sm_time_us;   /* time_us by the schedule of one SM, where machine code ran */
    double cycles;       /* of an SM, by it */
    double issue_active; /* share of the cycles in which a scheduler issues, by it */
    /* share of the time in which products of matrices keep the tensor cores busy; below 0: there are none, or what the
     * GPU can do is not known */
    double tensor_utilization;
} ifl_model;

/* What the profile's launch would do on `device`. IFL_UNSUPPORTED where a block does not fit the
 * GPU or the profile lacks the counters that a model needs; the error names them. A device opened
 * as "b200@1155" has an SM clock of 1155 MHz. */
IFL_API ifl_status ifl_profile_model(const ifl_profile *profile, const ifl_device *device,
                                     ifl_model *out, ifl_error *error);

/* A figure of the simulated caches of `device`, by its name in docs/json.md ("l1_load_hits"); false
 * if the run did not simulate that GPU. An estimate: the report has its bounds. */
IFL_API bool ifl_profile_cache(const ifl_profile *profile, const ifl_device *device,
                               const char *name, double *value);

/* ---- outcomes: what a launch shows, and what it would do on GPUs ----------------------------- */

/* A profile with what stands out in it, and for each GPU that was added a model and advice. All of
 * it is computed once, when the outcome is made and a GPU is added; reports are written from
 * outcomes. The profile and the devices are borrowed and must outlive the outcome. Texts live as
 * long as the outcome. */
typedef struct ifl_outcome ifl_outcome;

IFL_API ifl_status ifl_outcome_new(const ifl_profile *profile, ifl_outcome **out, ifl_error *error);
IFL_API void ifl_outcome_free(ifl_outcome *outcome);
/* Models the launch on `device` and finds what would help there. The status is IFL_OK even if there
 * is no model of the launch on it: ifl_outcome_model says why. GPUs count from 0, in the order in
 * which they were added. */
IFL_API ifl_status ifl_outcome_add(ifl_outcome *outcome, const ifl_device *device,
                                   ifl_error *error);

IFL_API const ifl_profile *ifl_outcome_profile(const ifl_outcome *outcome);
IFL_API const ifl_device *ifl_outcome_device(const ifl_outcome *outcome,
                                             size_t gpu); /* NULL past the last */
/* NULL where there is none, or no such GPU; *why (which may be NULL) then is the reason, or NULL
 * past the last GPU. */
IFL_API const ifl_model *ifl_outcome_model(const ifl_outcome *outcome, size_t gpu,
                                           const char **why);

/* What stands out in the requests, on any GPU. */
typedef struct ifl_finding {
    const char *rule;            /* a cause of docs/advice.md: "strided" */
    const char *const *remedies; /* the rules of docs/advice.md that treat it; NULL ends them */
    const char *title; /* "t.cu:14, global store: 32.0 sectors per request where 8.00 would do" */
    const char *file;  /* where; NULL: the whole kernel */
    uint32_t line;
    const char *space, *kind; /* of the accesses, "global" and "store"; NULL if there are several */
    unsigned instructions;    /* identical ones there; 0: the whole kernel */
    const char *source;       /* the source line; "" where it is not at hand */
    const char *figures, *why, *helps; /* sentences; "" where there is nothing to say */
} ifl_finding;

/* The most costly first within each kind: bytes, bank conflicts, atomics, local memory, idle lanes.
 * False past the last. */
IFL_API bool ifl_outcome_finding(const ifl_outcome *outcome, size_t index, ifl_finding *out);

/* A remedy and its predicted gain on a GPU. */
typedef struct ifl_advice {
    const char *rule;    /* of docs/advice.md: "wide_loads" */
    const char *remedy;  /* what to do */
    const char *symptom; /* what was observed, with figures */
    const char *cost;    /* what it costs */
    const char *
        /* the source documents that say so, by title (docs/sources.md); "": common practice */
        document;
    const char *file; /* where; NULL: the whole kernel */
    uint32_t line;
    /* Time now over time with the remedy, by the model: from half of its effect to all of it, as far
     * as the predicted time may be off on either side. */
    double gain_low, gain_high;
    double gain;       /* with all of its effect, as predicted */
    bool gain_is_open; /* a compiler may make more of the remedy than the model knows */
} ifl_advice;

/* The most gain first; only those that give at least 1.05. False past the last. */
IFL_API bool ifl_outcome_advice(const ifl_outcome *outcome, size_t gpu, size_t index,
                                ifl_advice *out);

/* ---- reports --------------------------------------------------------------------------------- */

/* HTML is one self-contained page; comparisons and reports on machine code have none. */
typedef enum ifl_report_format {
    IFL_REPORT_TEXT,
    IFL_REPORT_JSON,
    IFL_REPORT_HTML
} ifl_report_format;

/* One launch of a program, as its report lists them. */
typedef struct ifl_report_launch {
    const char *signature, *site; /* the kernel; where the program launched it */
    uint32_t grid[3], block[3];
    double time_us; /* predicted */
} ifl_report_launch;

typedef struct ifl_report_options {
    bool color;
    int max_lines;    /* rows of the line table; 0: 20 */
    int width;        /* columns of the terminal; 0: not known, 100 */
    bool default_gpu; /* the GPU was not asked for: ifl_launch_default_gpu */
    const ifl_report_launch
        *each; /* all launches of a program, in order: of JSON alone; NULL: none */
    size_t each_count;
    const char *const *warnings; /* of a program as a whole: of JSON alone */
    size_t warning_count;
} ifl_report_options;

/* One report over `count` launches, with the GPUs that were added to each. `options` may be
 * NULL. */
IFL_API ifl_status ifl_report_write(const ifl_outcome *const *outcomes, size_t count,
                                    ifl_report_format format, const ifl_report_options *options,
                                    FILE *out, ifl_error *error);
/* The same into a file: written beside it and renamed, so that a failed write loses nothing. */
IFL_API ifl_status ifl_report_save(const ifl_outcome *const *outcomes, size_t count,
                                   ifl_report_format format, const ifl_report_options *options,
                                   const char *path, ifl_error *error);

/* ---- reports side by side -------------------------------------------------------------------- */

typedef struct ifl_compare_options {
    double threshold; /* relative difference that still counts as equal: 0.01 is one per cent */
    bool all;         /* show what is equal, or in one report only, too */
    bool color;
    int width; /* columns of the terminal; 0: not known, 100 */
} ifl_compare_options;

/* Compares two JSON reports counter by counter, for launches and memory instructions, or, where
 * `path_b` is NULL, the first launch of one report with its last (engine and GPU, as `analyze --on
 * gpu --json` writes them). IFL_FINDING, after all is written: between engine and GPU, where
 * something differs by more than the threshold or has no counterpart; between two reports of one
 * backend, before and after a change, where the launch takes longer by more than the threshold
 * (measured, else predicted, else by counters of what takes time). `options` may be NULL. */
IFL_API ifl_status ifl_compare_write(const char *path_a, const char *path_b,
                                     ifl_report_format format, const ifl_compare_options *options,
                                     FILE *out, ifl_error *error);

/* ---- programs that inflight run starts ------------------------------------------------------- */

/* IFL_UNSUPPORTED, and what to do about it, where the file is a program or a library that has
 * kernels and its own copy of the CUDA runtime (nvcc's default), which `inflight run` cannot lead
 * to its own: the functions have no names, or `is_asking`: it runs, was not led, and asks the
 * driver for what such a copy needs. IFL_OK otherwise, also for what is no program: starting it
 * tells. */
IFL_API ifl_status ifl_program_check(const char *path, bool is_asking, ifl_error *error);

/* ---- machine code: what the compiler made of a kernel ---------------------------------------- */

typedef struct ifl_machine ifl_machine;

/* Opens the machine code of a cubin, or of all cubins that an executable, object, shared library or
 * fatbin holds. `arch`, for instance "sm_90", takes that target only; NULL takes all. Of a file
 * with more than 64 MiB of machine code the kernels are listed, and read when one is asked for by
 * name. */
IFL_API ifl_status ifl_machine_open(const char *path, const char *arch, ifl_machine **out,
                                    ifl_error *error);
IFL_API void ifl_machine_close(ifl_machine *machine);
/* Kernels and device functions that have code of their own; the same kernel once for each
 * target. */
IFL_API size_t ifl_machine_kernel_count(const ifl_machine *machine);
IFL_API const char *ifl_machine_kernel_name(const ifl_machine *machine,
                                            size_t index); /* mangled; NULL past the end */

typedef struct ifl_machine_options {
    const char *kernel; /* named as for ifl_launch_new; NULL: all */
    bool listing;       /* the instructions too */
    const char
        *profile; /* a JSON report of a launch of the kernel, for executed counts; NULL: none */
    const char
        *code; /* whose counts of that report: "machine", NULL the same; "both": also where its PTX
                * differs, of a launch that ran both */
    bool color;
    int width; /* columns of the terminal; 0: not known, 100 */
} ifl_machine_options;

/* Registers, loads, loops and waits of the kernels. `options` may be NULL. */
IFL_API ifl_status ifl_machine_write(const ifl_machine *machine, ifl_report_format format,
                                     const ifl_machine_options *options, FILE *out,
                                     ifl_error *error);
/* The same into a file: written beside it and renamed. */
IFL_API ifl_status ifl_machine_save(const ifl_machine *machine, ifl_report_format format,
                                    const ifl_machine_options *options, const char *path,
                                    ifl_error *error);

/* ---- programs without a GPU ------------------------------------------------------------------ */

/* `inflight run` puts libcudart.so and libcuda.so of ours before the program's; they take these
 * from the environment. Numbers are decimal, switches are 1 or 0. */
#define IFL_RUN_GPU "INFLIGHT_RUN_GPU"   /* a GPU's name; else "h200" */
#define IFL_RUN_GPUS "INFLIGHT_RUN_GPUS" /* how many GPUs of that kind the program finds; else 1 */
#define IFL_RUN_JSON "INFLIGHT_RUN_JSON" /* the report goes there as JSON too */
#define IFL_RUN_HTML "INFLIGHT_RUN_HTML" /* the report goes there as an HTML page too */
#define IFL_RUN_KERNEL "INFLIGHT_RUN_KERNEL"     /* reported alone: named as for ifl_launch_new */
#define IFL_RUN_LAUNCHES "INFLIGHT_RUN_LAUNCHES" /* observed with the same arguments; 0: all */
#define IFL_RUN_SKIP "INFLIGHT_RUN_SKIP"       /* launches (of that kernel) not observed at first */
#define IFL_RUN_COUNT "INFLIGHT_RUN_COUNT"     /* and so many then; 0: all */
#define IFL_RUN_THREADS "INFLIGHT_RUN_THREADS" /* of the engine; 0: all cores */
#define IFL_RUN_PROCESS "INFLIGHT_RUN_PROCESS" /* the first one's number; others are children */
#define IFL_RUN_ANALYSIS "INFLIGHT_RUN_ANALYSIS" /* 0: nothing is observed, for speed */
#define IFL_RUN_LEAKS "INFLIGHT_RUN_LEAKS"       /* 1: report at the end what was never freed */
#define IFL_RUN_RACES "INFLIGHT_RUN_RACES" /* 1: warn as check_races of ifl_run_options does */
#define IFL_RUN_READS "INFLIGHT_RUN_READS" /* 1: warn as check_reads does */
#define IFL_RUN_CODE                                                                               \
    "INFLIGHT_RUN_CODE" /* "ptx" or "machine": only this kind of code runs; or "both" */
#define IFL_RUN_EACH "INFLIGHT_RUN_EACH" /* 1: the report has each launch too, in order */
#define IFL_RUN_EVERY                                                                              \
    "INFLIGHT_RUN_EVERY" /* 1: launches that would only repeat an earlier one run again */
#define IFL_RUN_FAIL "INFLIGHT_RUN_FAIL" /* 1: a finding turns exit status 0 into 1 */

/* ---- reference pages --------------------------------------------------------------------- */

/* Writes a page that is made from the library's own tables, as Markdown: "counters" (what is
 * counted), "opcodes" (the PTX that the engine runs), "times" (of a launch on a GPU), "advice" (the
 * rules), "facts" (of GPUs and of the model). */
IFL_API ifl_status ifl_document(const char *topic, FILE *out, ifl_error *error);

/* Writes what a word of a report means: a column, a term, a counter, a stall reason, a finding, a
 * remedy. IFL_USAGE: no report has it. */
IFL_API ifl_status ifl_explain(const char *word, FILE *out, ifl_error *error);

/* ---- texts that are shown -------------------------------------------------------------------- */

/* Replaces every byte that is not part of a UTF-8 character, and every control character but the
 * tab (C0, DEL, C1), with '?': for texts from outside that go to a terminal. The library's own
 * texts are clean, its errors' may not be. */
IFL_API void ifl_text_clean(char *text);

/* ---- files that are written ------------------------------------------------------------------ */

/* A file that takes its place when it is complete, as those do that ifl_report_save,
 * ifl_machine_save and ifl_launch_save write: what was there stays until then, with its owner and
 * rights. A symbolic link stays, and what it leads to is written. Pipes and devices are written
 * directly. */
typedef struct ifl_output ifl_output;

/* *stream is where to write; it is the output's. */
IFL_API ifl_status ifl_output_create(const char *path, ifl_output **out, FILE **stream,
                                     ifl_error *error);
/* Lets it take its place; the output is gone then, also where that fails. */
IFL_API ifl_status ifl_output_finish(ifl_output *output, ifl_error *error);
/* Removes what was written; NULL does nothing. */
IFL_API void ifl_output_abandon(ifl_output *output);
/* Whether a file could be written there now; nothing is changed. */
IFL_API ifl_status ifl_output_check(const char *path, ifl_error *error);
/* Whether both paths lead to one regular file, or would make one. */
IFL_API bool ifl_output_is_same(const char *a, const char *b);
/* Removes what is being written now and is not complete: for a handler of a signal that ends the
 * program. */
IFL_API void ifl_outputs_drop(void);

#ifdef __cplusplus
}
#endif
#endif
