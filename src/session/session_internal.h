/* SPDX-License-Identifier: Apache-2.0
 * What session.c, ledger.c and clock.c share. */
#ifndef IFL_SESSION_SESSION_INTERNAL_H
#define IFL_SESSION_SESSION_INTERNAL_H

#include "cache/cache_run.h"
#include "model/model.h"
#include "session/beside.h"
#include "session/foreseen.h"
#include "session/nested.h"
#include "session/placed_objects.h"
#include "session/repeat.h"
#include "session/session.h"

struct ifl_loaded {
    const ifl_module *module;
    ifl_module *owned;           /* the same where the session opened it */
    uint64_t **variable_address; /* by program, then by variable of it; 0: not in memory */
    ifl_machine *machine;        /* machine code that tells of the PTX that runs, or NULL */
    ifl_assembled assembled;     /* where the module itself has none that was */
    ifl_objects objects;         /* machine code that runs; none: the PTX does */
    bool needs_machine;          /* it was asked for: PTX is not run in its place */
    ifl_ready_kernel **kernels;  /* by kernel of the module; NULL: not asked for yet */
};

typedef struct ifl_repeats {
    uint64_t hash;     /* of the arguments */
    uint64_t launches; /* with them */
} ifl_repeats;

/* Launches of a row whose arguments differ in pointers alone. */
typedef struct ifl_launch_kind {
    uint64_t hash; /* of the other arguments */
    uint64_t launches;
    double model_us;  /* of the last one that the model was asked for; 0: not known */
    double rough_us;  /* what the formula gives for the counters of that one alone; 0: not known */
    uint64_t digest;  /* of what the observers of that one saw */
    uint64_t work;    /* of that one: warp instructions and sectors */
    bool is_unsteady; /* they do not do the same each time */
} ifl_launch_kind;

/* The kinds of a row that come first have the model in any case. More have it until their launches
 * that were followed for it, of all rows together, did so much work: 0.1 to 0.3 s here,
 * and counted in work so that no report depends on the machine. */
enum { IFL_LAUNCH_KINDS = 8, IFL_MOST_KINDS = 256, IFL_FURTHER_WORK = 1 << 20 };

/* One row a kernel, place of launch, grid and block. */
typedef struct ifl_ledger_row {
    ifl_ready_kernel *kernel;
    char *site;
    uint32_t grid[3], block[3], cluster[3];
    uint64_t dynamic_shared_bytes;
    int shared_preference;
    ifl_repeats arguments[32];      /* the newest */
    size_t argument_count;          /* seen, ever */
    IFL_VEC(ifl_launch_kind) kinds; /* the first is for all that have none of their own */
    uint64_t launches;
    uint64_t outside;               /* of those, before or after what is observed */
    uint64_t observed, blocks_done; /* blocks of those */
    double seconds;                 /* of those */
    double model_us;                /* predicted, of the last launch; 0: not known */
    double worst_us;                /* of the launch that `worst` is of */
    bool is_modelled;               /* `worst` has a model, and this is it */
    ifl_modelled modelled;
    bool is_partial;  /* one of them did not come to its end */
    uint8_t left_out; /* IFL_LEFT_OUT_* */
    void **states;    /* of the observers, added up; NULL: nothing was observed */
    ifl_profile *profile;
    ifl_profile *
        /* of the costliest launch that the model was asked for alone, with what that needs */
        worst;
    ifl_beside_sum beside; /* its PTX, with --code both */
    ifl_repeat_list repeats;
    ifl_foreseen_list foreseen;
    uint64_t repeated; /* launches that did not run because of them */
} ifl_ledger_row;

typedef struct ifl_ledger {
    IFL_VEC(ifl_ledger_row) rows;
    IFL_VEC(ifl_ledger_entry) shown;
    uint64_t fitting; /* launches of the kernel that is observed */
    uint64_t further; /* work of kinds behind the first ones */
} ifl_ledger;

struct ifl_session {
    ifl_session_options options;
    ifl_device *device;
    ifl_memory *memory;
    ifl_textures textures;
    ifl_engine *engine;
    char *vector_width; /* of the engine; NULL: the best */
    IFL_VEC(ifl_loaded *) loaded;
    ifl_ledger ledger;
    ifl_nested nested;
    double clock_us; /* of the GPU that work goes to */
    uint32_t gpu;
    double clocks_us[IFL_MOST_GPUS]; /* of the others */
    double host_us;                  /* until when the host has waited for some GPU */
    double skipped_us;               /* that launches took which were not run again */
    ifl_cache_workspace workspace;   /* of the launches whose caches are followed */
};

void ifl_ledger_free(ifl_ledger *ledger);

#endif
