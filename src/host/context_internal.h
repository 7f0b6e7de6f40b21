/* SPDX-License-Identifier: Apache-2.0
 * What context.c and ledger.c share. */
#ifndef IFL_HOST_CONTEXT_INTERNAL_H
#define IFL_HOST_CONTEXT_INTERNAL_H

#include "host/context.h"
#include "sass/sass.h"

struct ifl_loaded {
    ifl_module *module;
    uint64_t **variable_address; /* by program, then by variable of it; 0: not in memory */
    ifl_machine *machine;        /* its machine code; NULL: none that can be read */
    ifl_host_kernel **kernels;   /* by kernel of the module; NULL: not asked for yet */
};

typedef struct ifl_ledger_arguments {
    uint64_t hash;
    uint64_t launches; /* with them */
} ifl_ledger_arguments;

/* One entry a kernel, place of launch, grid and block. */
typedef struct ifl_ledger_entry {
    const ifl_host_kernel *kernel;
    char *site;
    uint32_t grid[3], block[3];
    uint64_t dynamic_shared_bytes;
    ifl_ledger_arguments arguments[32]; /* the newest */
    size_t argument_count;              /* seen, ever */
    uint64_t launches;
    uint64_t observed, blocks_done; /* blocks of those */
    double seconds;   /* of those */
    double model_us;  /* of the last launch that the model was asked for; 0: not known */
    double worst_us;  /* of the launch that `worst` is of */
    bool is_partial;  /* one of them did not come to its end */
    void **states;    /* of the observers, added up; NULL: nothing was observed */
    ifl_profile *profile;
    ifl_profile *worst; /* of the costliest launch that the model was asked for alone, with what that needs */
} ifl_ledger_entry;

typedef struct ifl_ledger {
    IFL_VEC(ifl_ledger_entry) entries;
    IFL_VEC(ifl_host_entry) shown;
} ifl_ledger;

struct ifl_context {
    ifl_context_options options;
    ifl_device *device;
    ifl_memory *memory;
    IFL_VEC(ifl_loaded *) loaded;
    ifl_ledger ledger;
    double clock_us;
};

const uint64_t *ifl_loaded_addresses(const ifl_loaded *loaded, const ifl_program *program);
/* The machine code of a fat binary that suits the GPU best; NULL where there is none. */
ifl_machine *ifl_host_machine_read(const char *name, const void *image, size_t bytes, uint32_t sm);
void ifl_host_kernel_free(ifl_host_kernel *kernel);
void ifl_ledger_free(ifl_ledger *ledger);

#endif
