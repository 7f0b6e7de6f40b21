/* SPDX-License-Identifier: Apache-2.0
 * A profile: the counters of one launch, for the whole kernel and for each memory instruction. The
 * engine and a real GPU fill the same structure; nothing that reads one knows which did. */
#ifndef IFL_PROFILE_PROFILE_H
#define IFL_PROFILE_PROFILE_H

#include "arch/arch.h"
#include "arch/matrix_rate.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"
#include "code/access_kind.h"
#include "code/trait.h"
#include "profile/block_work.h"
#include "profile/cache_facts.h"
#include "profile/code_difference.h"
#include "profile/machine_facts.h"
#include "profile/program_facts.h"
#include "profile/time_facts.h"
#include "profile/timing.h"
#include "profile/what_if.h"

typedef enum ifl_counter {
#define COUNTER(name, unit, level, ncu, doc) IFL_COUNTER_##name,
#include "profile/counter.def"
#undef COUNTER
    IFL_COUNTER_COUNT
} ifl_counter;

typedef enum ifl_counter_level { IFL_LEVEL_LAUNCH, IFL_LEVEL_LINE } ifl_counter_level;

typedef struct ifl_counter_info {
    const char *name;
    const char *unit; /* "count", "bytes", "sectors", ... */
    ifl_counter_level level;
    const char *ncu; /* Nsight Compute's name for it, "" where it has none */
    const char *doc;
} ifl_counter_info;

const ifl_counter_info *ifl_counter_get(ifl_counter counter);
/* IFL_COUNTER_COUNT when there is none of that name. */
ifl_counter ifl_counter_find(const char *name);

/* A value is meaningful only where known[] says so: what is not known is absent, never 0. */
typedef struct ifl_counters {
    uint64_t value[IFL_COUNTER_COUNT];
    bool known[IFL_COUNTER_COUNT];
} ifl_counters;

void ifl_counters_set(ifl_counters *counters, ifl_counter counter, uint64_t value);
void ifl_counters_add(ifl_counters *counters, ifl_counter counter,
                      uint64_t value); /* unknown counts as 0 before */

/* How the addresses of a memory instruction lie, from the addresses seen. */
typedef enum ifl_pattern_kind {
    IFL_PATTERN_NONE,       /* no request had an active lane */
    IFL_PATTERN_COALESCED,  /* consecutive lanes, consecutive words, no more sectors than needed */
    IFL_PATTERN_BROADCAST,  /* one word for all lanes */
    IFL_PATTERN_OFFSET,     /* consecutive, but not aligned: one sector too many */
    IFL_PATTERN_STRIDED,    /* a constant distance between lanes, more than one word */
    IFL_PATTERN_CONTIGUOUS, /* each thread walks through its own contiguous region */
    IFL_PATTERN_IRREGULAR,
    /* equal runs of consecutive words, more sectors than needed: rows of a 2D block */
    IFL_PATTERN_ROWS,
    IFL_PATTERN_COUNT
} ifl_pattern_kind;

typedef struct ifl_pattern {
    ifl_pattern_kind kind;
    double share; /* of the requests with active lanes that fit the kind, 0..1 */
    int64_t
        /* STRIDED: distance between neighbouring lanes in words of the access; else 0 */
        stride_words;
    uint64_t
        region_bytes; /* CONTIGUOUS: from one thread's region to the next; 0 where they are not evenly spaced */
} ifl_pattern;

const char *ifl_pattern_text(ifl_pattern_kind kind);

/* A memory instruction of the kernel. Texts live in the profile's arena. */
typedef struct ifl_profile_line {
    const char *file; /* source file, or the PTX file where there is no line information */
    uint32_t line;
    uint32_t column;
    const char *text; /* the source line, "" where the file is not at hand */
    const char *op;   /* "ld.global.nc.v4.f32" */
    ifl_space space;  /* that it went to; GENERIC where that was not seen */
    ifl_access_kind kind;
    const char *inlined_from; /* "helper() at util.cuh:12 in ..." when it was inlined, or "" */
    uint32_t ptx_line;        /* in the PTX text; 0 unknown */
    uint32_t access_bytes;    /* a lane */
    uint32_t site;            /* of the code that ran, where the engine ran it */
    uint16_t traits;          /* IFL_TRAIT_* */
    uint32_t base;            /* loads of one base, not 0, are `offset` bytes apart */
    int32_t offset;
    ifl_counters counters;
    ifl_pattern pattern;
} ifl_profile_line;

typedef struct ifl_opcode_count {
    const char *name; /* base opcode with its types: "add.s64", "ld.global.f32" */
    uint64_t count;   /* warp instructions */
    ifl_matrix_work matrix;
    uint16_t traits; /* IFL_TRAIT_* */
} ifl_opcode_count;
typedef IFL_VEC(ifl_opcode_count) ifl_opcode_list;

/* Instructions of machine code that follow each other and were issued alike. */
typedef struct ifl_issued_run {
    const char *function; /* by its mangled name */
    uint32_t first, last; /* addresses in it */
    uint64_t warps, threads,
        threads_on; /* each of them was issued so often; with a true predicate */
    uint32_t site;  /* of the first; those of the others follow */
} ifl_issued_run;

/* The same launch's PTX, run beside the machine code. */
typedef struct ifl_ptx_beside {
    bool known;
    bool has_lines; /* both have line information */
    ifl_counters counters;
    ifl_code_difference_list differences; /* by file and line */
} ifl_ptx_beside;

struct ifl_profile {
    ifl_arena arena;
    const char *kernel;    /* as the module names it */
    const char *signature; /* demangled */
    const char *file;      /* that the kernel came from */
    const char *target;    /* "sm_90" */
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t cluster[3];   /* blocks of a cluster; 0: the launch has none */
    uint64_t shared_bytes; /* static and dynamic */
    /* how much of an SM shared memory is to have: device/shared_size.h; 0: none */
    int shared_preference;
    const char *backend; /* "engine", "gpu" */
    bool reads_clock;    /* the code has an instruction that does */
    bool repeated;       /* it follows others like it: ifl_run_options */
    bool complete;       /* false: stopped early; counters are of what ran */
    const char *fault;   /* what stopped it, where it was its own fault; else NULL */
    uint64_t blocks_done;
    double seconds; /* wall time of the run itself, 0 unknown */
    uint64_t
        launches;  /* that a program made and that are summed here; 0: one, described by a file */
    uint64_t made; /* by the program from there, those that nothing observed too */
    uint64_t nth;  /* where launches is 1: which of those made it is, from 1 on; 0: not known */
    const char *site; /* where the program made them; NULL: not known */
    ifl_counters counters;
    IFL_VEC(ifl_profile_line) lines; /* in program order */
    ifl_opcode_list ptx_opcodes;     /* descending */
    ifl_opcode_list opcodes;         /* likewise, of machine code that ran */
    IFL_VEC(ifl_issued_run)
    issued; /* of machine code that ran: by function and address; none of what was never issued */
    IFL_VEC(const char *) warnings;
    IFL_VEC(const char *) arguments; /* one description a parameter: "f32×33554432 x = random" */
    ifl_program_facts program;       /* by the order of the PTX: estimates */
    ifl_block_work work;             /* of each block, in warp instructions */
    ifl_machine_facts machine; /* of the kernel's machine code, where the file holds that too */
    IFL_VEC(ifl_cache_facts) caches;  /* one a device that the run was asked for; none otherwise */
    IFL_VEC(ifl_time_facts) sm_times; /* likewise, where machine code ran */
    IFL_VEC(ifl_what_if) what_ifs;    /* likewise */
    ifl_gpu_facts gpu;                /* where a real GPU ran it */
    ifl_times timing;                 /* its times, where they were taken */
    ifl_ptx_beside ptx;               /* where both were asked for, of the machine code's */
    ifl_outputs outputs; /* its results beside the engine's, or beside those of its PTX */
};

/* Is a load from global memory beside an aligned one of as much, by its source line or by its
 * address in the code? Then it is a neighbour's, and no move of the data aligns both. */
bool ifl_profile_has_aligned(const ifl_profile *profile, const ifl_profile_line *line);

/* Was the code that ran compiled for a debugger (-G), without optimizations? */
bool ifl_profile_is_debug(const ifl_profile *profile);

/* What the caches of a device, "h200", had of the launch; NULL: they were not followed. And what
 * one of its SMs did. */
const ifl_cache_facts *ifl_profile_caches(const ifl_profile *profile, const char *device);
/* Bytes that the launch leaves in the L2 and whose time it takes all the same, since it writes back as
 * many of the launch before: 0 unless it is `repeated`. */
/* Of the slice of the L2 that does most atomics; where that is not known, of the 512 bytes that get
 * most: passes, of atomic_part_cycles each. 0: not known. */
double ifl_profile_atomic_passes(const ifl_profile *profile);
double ifl_profile_left_bytes(const ifl_profile *profile, const ifl_cache_facts *facts);
const ifl_time_facts *ifl_profile_sm_time(const ifl_profile *profile, const char *device);
/* Of the SM clock, what the launch runs at: less than 1 where tensor cores work. */
double ifl_profile_clock(const ifl_profile *profile, const ifl_arch *arch);

/* Of each change the time of one of its SMs with it over that without; 0: not known. Several are found
 * side by side. */
void ifl_profile_what_ifs(const ifl_profile *profile, const char *device,
                          const ifl_change *const *changes, size_t count, double *ratios);

/* An empty profile, NULL without memory. */
ifl_profile *ifl_profile_new(void);
/* Frees everything in it too. */
void ifl_profile_destroy(ifl_profile *profile);

/* Writes docs/counters.md. */
void ifl_counters_document(FILE *out);

#endif
