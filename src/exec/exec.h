/* SPDX-License-Identifier: Apache-2.0
 * The engine: runs launches of lowered kernels on the CPU, warp by warp, exactly, and tells
 * observers what happened. It knows code and events; it knows nothing of files, profiles, devices
 * or reports. */
#ifndef IFL_EXEC_EXEC_H
#define IFL_EXEC_EXEC_H

#include "code/code.h"
#include "code/texture.h"
#include "exec/memory.h"

/* The handlers of one vector width, and what is kept between launches. */
typedef struct ifl_engine ifl_engine;

/* `vector_width`: NULL: the best that this processor has; else "base", "v3", "v4". IFL_UNSUPPORTED
 * where there is none of the name. */
ifl_status ifl_engine_new(const char *vector_width, ifl_engine **out, ifl_error *error);
void ifl_engine_free(ifl_engine *engine);

typedef struct ifl_bank {
    const uint8_t *data;
    size_t bytes;
} ifl_bank;

/* A grid that a kernel launches (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"). */
typedef struct ifl_nested_grid {
    uint64_t function; /* where its code begins */
    uint32_t grid[3], block[3];
    uint64_t dynamic_shared_bytes;
} ifl_nested_grid;

/* Statuses of the device runtime's own, which its library turns into CUDA's. */
typedef enum ifl_nested_status {
    IFL_NESTED_OK = 0,
    IFL_NESTED_BAD_VALUE = 1,
    IFL_NESTED_NO_MEMORY = 4,
    IFL_NESTED_BAD_SHAPE = 7
} ifl_nested_status;

/* Who takes the grids that a kernel launches: they run when it has ended. Called by one thread at a
 * time. */
typedef struct ifl_nester {
    void *user;
    /* Room for the parameters of a grid: its address in the device's memory. */
    ifl_nested_status (*parameters)(void *user, const ifl_nested_grid *grid, uint64_t *address);
    /* The grid whose parameters lie there now; `stream` as the kernel names it. */
    ifl_nested_status (*launch)(void *user, uint64_t parameters, uint64_t stream);
} ifl_nester;

/* What a kernel changes of a node of a graph: cudaGraphKernelNodeField, with what it is to be. */
typedef enum ifl_graph_field {
    IFL_GRAPH_GRID = 1,
    IFL_GRAPH_PARAM = 2,
    IFL_GRAPH_ENABLED = 3
} ifl_graph_field;
typedef struct ifl_graph_change {
    uint64_t node; /* as the kernel names it */
    ifl_graph_field field;
    uint32_t grid[3];
    bool is_enabled;
    uint64_t offset, bytes; /* in the parameters */
    const void *value;
} ifl_graph_change;

/* Who launches and changes graphs for kernels (CUDA C++ Programming Guide, "Device Graph Launch").
 * Called by one thread at a time; results are CUDA's error codes. */
typedef struct ifl_grapher {
    void *user;
    /* False: nothing that a kernel can launch lies there, which is a fault. */
    bool (*launch)(void *user, uint64_t graph, uint64_t stream, uint32_t *code);
    uint32_t (*change)(void *user, const ifl_graph_change *change);
} ifl_grapher;

/* Blocks that one worker holds at once: more than any GPU that is described (a GB200: 152 multiprocessors with 32). */
enum { IFL_MOST_RESIDENT = 160 * 32 };

/* Lanes of a warp that waited at two barriers of the block at once, one of which a warp must execute
 * as a whole (parted.h): the sites, and where first. Each worker has entries of its own. */
typedef struct ifl_parted_pair {
    uint32_t site, other, thread;
    uint64_t block, times;
} ifl_parted_pair;
enum { IFL_MOST_PARTED = 64 };
typedef struct ifl_parted {
    uint32_t count; /* that were wanted; there are no more than the room is for */
    ifl_parted_pair at[IFL_MOST_PARTED];
} ifl_parted;

typedef struct ifl_exec_launch {
    ifl_image *image;
    const char *kernel_name; /* what messages call it; NULL: its name in the file */
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t cluster[3]; /* blocks of a cluster; 0: as the kernel says, else of one block */
    uint64_t dynamic_shared_bytes;
    ifl_bank banks[IFL_BANKS]; /* constant banks; 0: the parameters */
    ifl_memory *memory;        /* holds the buffers that the parameters point to */
    uint64_t
        stack_bytes; /* of a thread, at least, of code that has a stack; 0: CUDA's default, 1024 */
    const ifl_textures *textures; /* that the kernel may name; NULL: none */
    uint32_t sms;                 /* of the GPU that the kernel may believe in */
    uint64_t
        /* blocks that this GPU holds at once: grid-wide synchronisation needs all of the grid, and
         * so many fetch from a queue of work; 0 unless the kernel is cooperative or ordered */
        most_resident;

    int threads; /* worker threads, 0: one a core. A kernel whose result could depend on the order of its blocks
                         (atomics whose old value is used, floating-point atomics, device malloc, printf) runs on one */
    /* blocks interleaved on one worker; 0: 1. Cooperative kernels: the whole grid. Always whole
     * clusters */
    int resident;
    int quantum; /* memory requests before the next warp runs; 0: until the warp waits or ends */
    bool
        /* only the blocks that some observer follows: results are then not the kernel's */
        only_followed;
    bool check_reads; /* warn about reads of memory that nothing wrote */
    bool check_races; /* warn about accesses to shared memory that no barrier orders */
    bool may_wait;    /* ifl_engine_go_on comes back where the kernel waits for others */
    const volatile int *stop;
    void (*progress)(void *user, uint64_t blocks_done, uint64_t blocks);
    void *progress_user;
    void (*print)(void *user, const char *text, size_t length);
    void *print_user;

    const ifl_nester *nester;   /* NULL: the kernel can launch none */
    const ifl_grapher *grapher; /* the same of graphs */
    uint64_t current_graph;     /* that it is a node of, and may launch; 0: none */
    ifl_parted *parted;         /* takes what is found; NULL: nobody asks */

    const ifl_observer *const *observers;
    size_t observer_count;
} ifl_exec_launch;

/* What a kernel did wrong, as far as CUDA's error codes tell such things apart. */
typedef enum ifl_fault_kind {
    IFL_FAULT_NONE,
    IFL_FAULT_ADDRESS,
    IFL_FAULT_MISALIGNED,
    IFL_FAULT_ASSERT,
    IFL_FAULT_TRAP,
    IFL_FAULT_OTHER,
    IFL_FAULT_UNSUPPORTED, /* ours: an instruction that there is no code for */
    IFL_FAULT_NO_MEMORY    /* ours: the machine has none left */
} ifl_fault_kind;

typedef struct ifl_exec_result {
    uint64_t blocks_done;
    uint64_t remote_requests; /* to shared memory of other blocks of a cluster */
    uint64_t prints;          /* of lanes: what printf does is in no counter */
    uint64_t heap_calls;      /* of lanes, of malloc and free: likewise */
    bool uses_host; /* memory of the host, in place: no counter tells it from the GPU's own */
    ifl_fault_kind fault;
    bool complete;
    double seconds;
    void **states;   /* one merged state an observer, owned by the result */
    char **warnings; /* owned by the result */
    size_t warning_count;
} ifl_exec_result;

/* A launch runs in pieces: it begins, goes on until it is over, and ends; others may run in between. It
 * stays the caller's and where it is, until the end. It begins with IFL_OK, or IFL_BAD_INPUT for a grid
 * that must be resident as a whole and cannot be, and ends with IFL_OK, IFL_INTERRUPTED, or IFL_FINDING
 * for a fault in the kernel (the error says which, where and by whom). `result` then holds what was
 * observed; it must be freed in every case. */
typedef struct ifl_exec_run ifl_exec_run;
/* A grid is made of whole clusters of so many blocks. */
bool ifl_cluster_divides(const uint32_t *size, const uint32_t *grid);
ifl_status ifl_engine_begin(ifl_engine *engine, const ifl_exec_launch *launch, ifl_exec_run **out,
                            ifl_error *error);
typedef enum ifl_exec_pause {
    IFL_RUN_IS_OVER,    /* or was stopped, or faulted */
    IFL_RUN_WAITS,      /* all that is left of it only looks at memory: others must change that */
    IFL_RUN_STILL_WAITS /* as when it last went on */
} ifl_exec_pause;
/* Only a launch that may wait ever does: one whose blocks run in order, on one worker. */
ifl_exec_pause ifl_engine_go_on(ifl_exec_run *run);
ifl_status ifl_engine_end(ifl_exec_run *run, ifl_exec_result *result, ifl_error *error);
/* Adds a warning for each pair of sites to the result of a launch that has ended. */
void ifl_parted_warn(const ifl_sites *sites, ifl_parted *parted, ifl_exec_result *result);
void ifl_exec_result_free(const ifl_exec_launch *launch, ifl_exec_result *result);

#endif
