/* SPDX-License-Identifier: Apache-2.0
 * The engine: runs one launch of a program on the CPU, warp by warp, exactly, and tells observers what happened.
 * It knows programs and events; it knows nothing of files, profiles, devices or reports. */
#ifndef IFL_SIMT_SIMT_H
#define IFL_SIMT_SIMT_H

#include "event/event.h"
#include "simt/memory.h"

typedef struct ifl_simt_launch {
    const ifl_program *program;
    uint32_t function; /* a kernel of the program */
    const char *kernel_name; /* what messages call it; NULL: its name in the program */
    uint32_t grid[3];
    uint32_t block[3];
    uint64_t dynamic_shared_bytes;
    const uint8_t *params; /* the parameter block, functions[function].param_bytes long */
    ifl_memory *memory;    /* holds the buffers that the parameters point to */
    const uint64_t *variable_address; /* where ifl_simt_place put the program's variables; NULL: they are placed in the
                                         memory for this launch, as initialised */

    int threads;      /* worker threads, 0: one a core. A kernel whose result could depend on the order of its blocks
                         (atomics whose old value is used, floating-point atomics, device malloc, printf) runs on one */
    int resident;     /* blocks interleaved on one worker; 0: 1. Cooperative kernels: the whole grid */
    int quantum;      /* memory requests before the next warp runs; 0: until the warp waits or ends */
    bool check_reads; /* warn about reads of memory that nothing wrote */
    const volatile int *stop;
    void (*progress)(void *user, uint64_t blocks_done, uint64_t blocks);
    void *progress_user;
    void (*print)(void *user, const char *text, size_t length);
    void *print_user;
    const char *vector_width; /* NULL: the best there is */

    const ifl_observer *const *observers;
    size_t observer_count;
} ifl_simt_launch;

/* What a kernel did wrong, as far as CUDA's error codes tell such things apart. */
typedef enum ifl_fault_kind {
    IFL_FAULT_NONE,
    IFL_FAULT_ADDRESS,
    IFL_FAULT_MISALIGNED,
    IFL_FAULT_ASSERT,
    IFL_FAULT_TRAP,
    IFL_FAULT_OTHER,
    IFL_FAULT_NO_MEMORY /* ours: the machine has none left */
} ifl_fault_kind;

typedef struct ifl_simt_result {
    uint64_t blocks_done;
    ifl_fault_kind fault;
    bool complete;
    double seconds;
    void **states;        /* one merged state an observer, owned by the result */
    char **warnings;      /* owned by the result */
    size_t warning_count;
} ifl_simt_result;

/* Places the program's global and constant variables in the memory, initialised: for several launches that share
 * them. `address` has one entry a variable of the program; those of others stay as they are. */
ifl_status ifl_simt_place(const ifl_program *program, ifl_memory *memory, uint64_t *address, ifl_error *error);

/* IFL_OK; IFL_FINDING for a fault in the kernel (the error says which, where and by whom); IFL_INTERRUPTED;
 * IFL_UNSUPPORTED with the instruction's place. `result` holds what was observed in the first three cases; it must
 * be freed in every case. */
ifl_status ifl_simt_run(const ifl_simt_launch *launch, ifl_simt_result *result, ifl_error *error);
void ifl_simt_result_free(const ifl_simt_launch *launch, ifl_simt_result *result);

/* Writes the program as the engine runs it: one lowered instruction a line. */
ifl_status ifl_simt_print_code(const ifl_program *program, uint32_t function, FILE *out, ifl_error *error);
/* Is there a handler for every instruction that `function` can reach? IFL_UNSUPPORTED names the first without. */
ifl_status ifl_simt_check(const ifl_program *program, uint32_t function, ifl_error *error);

#endif
