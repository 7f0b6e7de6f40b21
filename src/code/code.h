/* SPDX-License-Identifier: Apache-2.0
 * The waist: what every kernel becomes before it runs, wherever it came from. Every operand is a
 * place in the frame of the function (registers, constants, parameters and special registers
 * alike), so that handlers never ask what kind an operand is. Code does not know on which vector
 * width it will run.
 *
 * A frame is one block of memory, addressed by byte offsets:
 *
 *     predicates: one 32-bit mask each (bit i: lane i); the first is always all ones, the second is a sink
 *     slots:      32 lanes side by side, 16, 32, 64 or 128 bits each, aligned to 64 bytes */
#ifndef IFL_CODE_CODE_H
#define IFL_CODE_CODE_H

#include "base/arena.h"
#include "code/event.h"

#include <stdio.h>

typedef struct ifl_code ifl_code;
typedef struct ifl_warp ifl_warp;

/* Runs `code` for the lanes `active` of the current fragment, registers at `frame`. Returns where
 * execution stopped; why is in the warp. */
typedef const ifl_code *ifl_handler(const ifl_code *code, ifl_warp *warp, char *frame,
                                    uint32_t active);

/* Why a warp came back to the scheduler, and what is at the code it returned. */
typedef enum ifl_reason {
    IFL_REASON_NONE,
    IFL_REASON_YIELD,   /* its slice is over: go on at the code */
    IFL_REASON_AGAIN,   /* it waits for other warps: go on at the code, which is run once more */
    IFL_REASON_JOIN,    /* at a reconvergence point: the code is the JOIN */
    IFL_REASON_DIVERGE, /* at a branch of which warp->taken lanes take the target */
    IFL_REASON_SWITCH,  /* at a branch through a list */
    IFL_REASON_CALL,
    IFL_REASON_RETURN,    /* lanes warp->taken leave the function */
    IFL_REASON_EXIT,      /* lanes warp->taken end */
    IFL_REASON_BARRIER,   /* at a barrier of the block */
    IFL_REASON_WARP_WAIT, /* at a warp-wide operation whose other lanes are not here yet */
    /* lanes warp->taken wait at barrier register code->count for others of theirs */
    IFL_REASON_SYNC,
    IFL_REASON_RECHECK, /* those who wait at a barrier register may wait no more */
    IFL_REASON_WAY,     /* the warp's other lanes go first, and wait for none of these */
    /* at the start of a region that lanes run together, wherever they come from */
    IFL_REASON_GATHER,
    IFL_REASON_SCATTER, /* at its end: each lane goes where it wanted to */
    IFL_REASON_JUMP,    /* lanes warp->taken go to the addresses in code->a */
    IFL_REASON_FAULT    /* warp->worker->fault says what */
} ifl_reason;

/* An operation that is not worth a handler a vector width. `mask`: lanes that execute it.
 * IFL_REASON_NONE goes on. */
typedef ifl_reason ifl_slow(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                            uint32_t active);

/* ---- operations ------------------------------------------------------------------------------ */

/* Where an operation's number counts: the common ones, or the rows of a table. */
typedef enum ifl_operation_table {
    IFL_TABLE_COMMON,
    IFL_TABLE_PTX,
    IFL_TABLE_SASS
} ifl_operation_table;

typedef enum ifl_operation {
#define HANDLER(name) IFL_CODE_##name,
#define SLOW(name) IFL_CODE_##name,
#include "code/operation.def"
    IFL_CODE_OPERATIONS
} ifl_operation;

enum { IFL_MAX_ELEMENTS = 8 };

/* How an address stands in the frame. */
typedef enum ifl_address_form {
    IFL_ADDRESS_64, /* 64 bits a lane */
    IFL_ADDRESS_32, /* 32 bits a lane; sums wrap at 32 bits */
    /* the lower words of 32 lanes, behind them the upper ones (two registers of machine code) */
    IFL_ADDRESS_PAIR,
    IFL_ADDRESS_EXTENDED /* 32 bits a lane, extended by zeros; sums have 64 bits */
} ifl_address_form;

/* How a memory instruction moves data. Data slots: where element e of a lane goes to or comes
 * from. */
typedef struct ifl_transfer {
    uint8_t space;         /* ifl_space */
    uint8_t kind;          /* ifl_access_kind */
    uint8_t element_bytes; /* in memory: 1, 2, 4, 8, 16 */
    uint8_t elements;      /* 1, 2, 4, 8 */
    uint8_t bytes;         /* of a lane's access: element_bytes * elements */
    uint8_t slot_bytes;    /* of a register lane: 2, 4, 8, 16 */
    bool is_signed;        /* a narrower load is sign-extended */
    uint8_t form;          /* ifl_address_form, of `address` */
    uint8_t uniform_form;  /* likewise: PAIR or 32 */
    uint8_t scale;         /* `address` is shifted left by so much */
    bool observes;         /* a volatile, relaxed or acquire load: others may be waited for */
    bool is_atomic;        /* a load or store that is an atomic operation, or a part of one */
    bool acquires;         /* by its own order, without a fence of the program's */
    bool releases;         /* likewise */
    bool is_around;        /* the word around what is meant: its end may lie past an allocation's */
    uint32_t sink;         /* bit e: element e is not wanted */
    uint32_t address;      /* slot, or 0 when there is only the offset */
    uint32_t uniform;      /* a second slot that is added, or 0 */
    int64_t offset;
    uint32_t data[IFL_MAX_ELEMENTS];
} ifl_transfer;

typedef struct ifl_target_list {
    size_t count;
    const ifl_code **target;
} ifl_target_list;

struct ifl_code {
    ifl_handler *run;       /* of the vector width at hand: exec/bind.c */
    ifl_slow *slow;         /* likewise, of an operation that is compiled once */
    uint16_t operation;     /* ifl_operation, or a row of `table` */
    uint8_t table;          /* ifl_operation_table */
    uint32_t guard;         /* predicate */
    uint32_t guard_flip;    /* 0, or all ones for @!p */
    uint32_t d, a, b, c, e; /* slots or predicates, as the handler reads them */
    uint32_t flip;          /* 0 or all ones: of the predicate operand c */
    uint32_t site;          /* into the image's sites */
    uint32_t count;         /* block: index of its counter; else as the handler reads it */
    uint64_t value;         /* as the handler reads it */
    const void *m;          /* the modifiers that a row reads, of the row's own kind */
    union {
        const ifl_code *target;         /* branches */
        const ifl_transfer *transfer;   /* memory */
        const ifl_target_list *targets; /* switches */
        const void *extra;
    };
    const ifl_code *join; /* branches: where their lanes meet again, or NULL: only when they end */
};

/* What a predicate tells of an atomic operation: nothing; that it is done, as it is only where the
 * memory of the address can do it; that cas stored its value. */
enum { IFL_ATOMIC_TELLS_NOTHING, IFL_ATOMIC_TELLS_DONE, IFL_ATOMIC_TELLS_STORED };

/* Whether one lane makes the request for the active lanes, all of which have one address. */
typedef enum ifl_atomic_joins {
    IFL_ATOMIC_JOINS_NEVER,
    IFL_ATOMIC_JOINS_FULL, /* where the 32 lanes are active */
    IFL_ATOMIC_JOINS_ALL
} ifl_atomic_joins;

/* Atomics and reductions: code->extra. */
typedef struct ifl_atomic {
    ifl_transfer transfer; /* first: the address; data[] are the results (sink: not wanted) */
    uint8_t operation;     /* IFL_OPERATION_* */
    uint8_t type;          /* ifl_type of an element */
    uint32_t b[IFL_MAX_ELEMENTS]; /* slots, element_bytes wide (at least 2) */
    uint32_t c;                   /* cas: the new value */
    bool is_planes;     /* values of more than 32 bits are words of 32 lanes each, side by side */
    bool tells_success; /* the result is 1 where cas stored its value, else 0 */
    uint8_t tells;      /* IFL_ATOMIC_TELLS_* */
    uint32_t told;      /* a predicate */
    bool fetches_work;  /* its old value decides a loop: a queue of pieces, a lock */
    uint8_t joins;      /* ifl_atomic_joins */
    /* a load of what several GPUs have at the address, combined; halves are added as f32 */
    bool combines, adds_wide;
} ifl_atomic;

/* The lanes of an atomic's request, of those that execute it. */
static inline uint32_t ifl_atomic_lanes(const ifl_atomic *a, uint32_t mask)
{
    const bool is_one = a->joins == IFL_ATOMIC_JOINS_ALL ||
                        (a->joins == IFL_ATOMIC_JOINS_FULL && mask == UINT32_MAX);
    return is_one ? mask & -mask : mask;
}

/* Named barriers 0 to 15 of a block; behind them the cluster's. */
enum { IFL_BARRIERS = 16, IFL_CLUSTER_BARRIER = 16, IFL_GRID_BARRIER = 17 };

/* Barriers of the block: code->extra. */
typedef struct ifl_barrier_op {
    bool
        /* the cluster's: of the rest only `waits`, and whoever waits has arrived before */
        is_cluster;
    uint32_t id;       /* slot, 32 bits */
    uint32_t count;    /* slot, or 0: all threads; that of `id`: its upper half, 0 as well */
    bool waits;        /* false: arrive */
    bool is_aligned;   /* the lanes of a warp must execute it together; false: it is not known */
    uint8_t operation; /* IFL_OPERATION_* of a reduction, 0 none */
    uint32_t predicate, flip;
    bool to_predicate; /* the result is a predicate, else a 32-bit slot */
    uint32_t result;
} ifl_barrier_op;

/* What the lanes of a warp do together. */
typedef enum ifl_exchange_kind {
    IFL_EXCHANGE_MEET, /* only waits */
    IFL_EXCHANGE_SHUFFLE_UP,
    IFL_EXCHANGE_SHUFFLE_DOWN,
    IFL_EXCHANGE_SHUFFLE_BUTTERFLY,
    IFL_EXCHANGE_SHUFFLE_INDEX,
    IFL_EXCHANGE_VOTE_ALL,
    IFL_EXCHANGE_VOTE_ANY,
    IFL_EXCHANGE_VOTE_UNIFORM,
    IFL_EXCHANGE_VOTE_BALLOT,
    IFL_EXCHANGE_MATCH_ANY,
    IFL_EXCHANGE_MATCH_ALL,
    IFL_EXCHANGE_REDUCE,
    IFL_EXCHANGE_ACTIVE_MASK,
    IFL_EXCHANGE_ELECT,
    IFL_EXCHANGES
} ifl_exchange_kind;

/* code->extra. Slots are 32 bits wide unless said otherwise. */
typedef struct ifl_exchange {
    uint8_t kind;             /* ifl_exchange_kind */
    uint8_t operation;        /* of a reduction: IFL_OPERATION_* */
    uint8_t type;             /* of a reduction's values */
    uint8_t bytes;            /* of the operands' lanes: 4 or 8 */
    bool absolute, keeps_nan; /* of a reduction of floats */
    bool is_uniform;  /* d and p get the result in all lanes of the fragment, whichever execute */
    bool is_planes;   /* 8 bytes are two slots of words */
    bool is_checked;  /* a lane that its own member mask leaves out stops the kernel */
    uint32_t members; /* slot of the member mask, 0: the lanes that are there */
    uint32_t d, a, b, c; /* slots, or predicates where the operation has those */
    uint32_t flip;       /* of predicate a */
    uint32_t p;          /* second, predicate destination */
} ifl_exchange;

/* Calls: code->extra. */
typedef struct ifl_call_value {
    uint32_t from; /* in the caller's params, or a slot */
    uint32_t to;   /* in the callee's params, or a slot */
    uint32_t bytes;
    uint8_t slot_bytes; /* 0: both in params; else the caller's side is a slot of this width */
} ifl_call_value;

/* Functions that every kernel is given from outside. */
typedef enum ifl_provided {
    IFL_PROVIDED_NONE,
#define PROVIDED(name, text) IFL_PROVIDED_##name,
#include "code/provided.def"
    IFL_PROVIDED_COUNT
} ifl_provided;

/* IFL_PROVIDED_NONE where there is none of the name. */
ifl_provided ifl_provided_find(const char *name);
/* Those that only libraries of machine code call are not. */
bool ifl_provided_is_for_ptx(ifl_provided function);
/* Of a set of them, a bit each. */
uint32_t ifl_provided_bit(ifl_provided function);
/* Do these more than to change memory that the kernel is given: print, allocate, launch? An
 * assertion shows only when it ends the launch. */
bool ifl_provided_any_outside(uint32_t functions);
/* Do they what is not undone by putting memory back: allocate, free, launch? */
bool ifl_provided_any_lasting(uint32_t functions);
/* Where machine code that calls it jumps to; what lies at an address, IFL_PROVIDED_NONE: none of
 * them. */
uint64_t ifl_provided_address(ifl_provided function);
ifl_provided ifl_provided_at(uint64_t address);

typedef struct ifl_call_op {
    int32_t function; /* of the unit (ifl_image.routine_of); -1: indirect */
    uint8_t provided; /* ifl_provided: called instead */
    uint32_t target;  /* slot of the function's address, 64 bits */
    ifl_call_value *arguments;
    uint32_t argument_count;
    ifl_call_value *results;
    uint32_t result_count;
} ifl_call_op;

/* Asynchronous copies by lanes (cp.async): code->extra. */
typedef struct ifl_copy_op {
    ifl_transfer to;   /* .kind STORE, space SHARED */
    ifl_transfer from; /* .kind LOAD */
    uint32_t size;     /* slot of the bytes to copy (32 bits), 0: all */
    uint32_t ignore;   /* predicate: source ignored */
    uint32_t ignore_flip;
    bool has_ignore;
    bool keeps_line; /* in the L1 */
    bool
        /* the lower bits of the address to copy from: so many of the last bytes become zeros
         * (.ZFILL) */
        fills;
} ifl_copy_op;

/* code->value of a carry operation; code->count: bits of the type, plus 1 when signed; e: the
 * carry. */
enum {
    IFL_CARRY_SUBTRACTS = 1,
    IFL_CARRY_MULTIPLIES = 2,
    IFL_CARRY_TAKES_HIGH = 4,
    IFL_CARRY_COMES_IN = 8,
    IFL_CARRY_GOES_OUT = 16
};

/* ---- a lowered kernel ------------------------------------------------------------------------ */

/* A value that every lane of a slot holds from the start. */
typedef struct ifl_constant {
    uint32_t slot;
    uint32_t bits; /* 16, 32, 64, 128 */
    uint64_t value;
} ifl_constant;

/* A value that every lane of a slot holds during one launch: `bytes` (1, 2, 4, 8) at an offset of a
 * constant bank. */
typedef struct ifl_bank_slot {
    uint32_t slot;
    uint32_t bits;   /* of the slot */
    uint32_t offset; /* in the bank */
    uint8_t bytes;
    uint8_t bank;
    bool is_signed;
} ifl_bank_slot;

/* Bank 0 holds the parameters. Those of machine code: 2 a kernel's own constants, 3 variables, 4
 * addresses. */
enum { IFL_BANKS = 5 };

/* A special register plus a number, 32 or 64 bits a lane. */
typedef struct ifl_special_slot {
    uint32_t slot;
    uint16_t special;
    uint8_t bits; /* 0: the register's */
    uint64_t add;
} ifl_special_slot;

/* Where a parameter or result of a function stands in its frame. */
typedef struct ifl_parameter_place {
    uint64_t offset, bytes;
} ifl_parameter_place;

/* Machine code at addresses. */
typedef struct ifl_code_range {
    uint64_t address, bytes; /* IFL_CODE_BYTES an instruction */
    const uint32_t *
        /* by instruction: its operation in the routine; UINT32_MAX: not the first of its block */
        code_of;
} ifl_code_range;

/* A lowered function. */
/* What constant bank 0 holds before the launch's values, which begin at `base`: words of which each
 * lies in a slot. */
typedef struct ifl_bank_header {
    uint32_t base, count;
    struct {
        uint32_t offset, slot;
    } words[];
} ifl_bank_header;

typedef struct ifl_routine {
    const char *name;
    uint64_t address;       /* what a pointer to it holds */
    uint32_t registers;     /* slot of R0 of machine code */
    ifl_code_range *ranges; /* of code that jumps may lead into, ascending */
    size_t range_count;
    uint32_t first_site, site_count;
    ifl_code *code;
    size_t code_count;
    uint64_t frame_bytes; /* predicates and slots */
    uint64_t param_bytes; /* parameters of calls, a thread */
    uint64_t local_bytes; /* a thread */
    bool has_stack;       /* the launch may give its local memory more */
    bool takes_stack;     /* by operations: PTX's alloca */
    ifl_constant *constants;
    size_t constant_count;
    ifl_bank_slot *banks;
    size_t bank_count;
    ifl_special_slot *specials; /* those that change by block first */
    size_t special_count;
    size_t block_special_count;
    uint32_t *
        /* pairs (slot, bytes) that may be read before they are written: zeroed at entry */
        undefined;
    size_t undefined_count;
    ifl_parameter_place *parameters, *results;
    uint32_t parameter_count, result_count;
} ifl_routine;

/* A basic block's sites: [first, last). */
typedef struct ifl_block_range {
    uint32_t first, last;
} ifl_block_range;

/* What a kernel asks of a launch. */
typedef struct ifl_demands {
    uint64_t param_bytes;
    uint32_t max_threads[3]; /* 0: not given */
    uint32_t required_threads[3];
    uint32_t
        min_blocks; /* an SM, with which the compiler was to have registers enough; 0: not given */
    bool
        ordered; /* the result can depend on the order of blocks: run them in order on one worker */
    bool polls;  /* some loop goes on, or not, by what a load finds that may wait for others */
    bool
        looks_first; /* it loads words and changes them by an atomic that can leave them as they are */
    /* Nothing that it loads decides which instructions its lanes execute, nor where they access
     * memory: that follows from its grid and its arguments. False: it is not known. */
    bool foreseeable;
    bool reads_clock;
    bool reads_graph;         /* asks which graph it is a node of */
    uint32_t calls;           /* functions that CUDA gives every kernel: ifl_provided_bit */
    bool cooperative;         /* uses grid-wide synchronisation */
    uint64_t declared_shared; /* bytes of static shared memory that it and its functions declare */
    uint64_t
        /* bytes of shared memory up to the end of the last variable that the kernel names */
        static_shared;
    uint64_t dynamic_shared;      /* where the unsized array begins, when the kernel names it */
    bool takes_parameter_address; /* of its parameters as a block of memory */
    uint32_t parameter_misalign;  /* that block begins so many bytes behind a multiple of 256 */
    bool syncs;                   /* its lanes meet at barrier registers, not at post-dominators */
    bool reserves_shared;    /* uses the shared memory that the system reserves in every block */
    bool takes_in_pairs;     /* machine code that takes tensor memory for two blocks */
    uint64_t reserved_first; /* bytes with which its shared memory begins that are the system's */
    bool has_ranks;      /* its addresses of shared memory hold the block's rank in the cluster */
    uint32_t cluster[3]; /* blocks of a cluster that it must be launched with; 0: not given */
    bool needs_cluster;  /* in clusters of a size that the launch gives */
    uint32_t max_cluster_blocks; /* 0: not given */
} ifl_demands;

typedef struct ifl_image ifl_image;

/* A kernel with everything it can call. */
struct ifl_image {
    ifl_arena arena;
    const char *name; /* the kernel's, as its file has it */
    ifl_sites sites;
    ifl_routine *routines; /* [0] is the kernel */
    size_t routine_count;
    int32_t *routine_of; /* by function of the unit, -1: not lowered */
    size_t function_count;
    ifl_block_range *blocks;
    size_t block_count;
    bool *tallied; /* by site: lanes that execute it are counted apart; NULL: of none */
    ifl_demands demands;
    const void *bound; /* whose handlers the codes point to: exec/bind.c */
    uint64_t number;   /* no other image of this process has it; 0: not bound yet */
};

/* Device addresses: the windows through which generic addresses reach shared and local memory, and
 * where the addresses of functions lie. Global allocations are below all of them. */
#define IFL_SHARED_WINDOW (UINT64_C(1) << 48)
#define IFL_LOCAL_WINDOW (UINT64_C(2) << 48)
#define IFL_CODE_WINDOW (UINT64_C(3) << 47) /* CALL.ABS of sm_75 holds 49 bits */
#define IFL_WINDOW_BYTES (UINT64_C(1) << 40)
/* Addresses of shared memory have 32 bits: the offset in a block's, and from this bit on the rank
 * of the block in its cluster. So machine code makes them (S2R SR_CgaCtaId, mapa is a PRMT). */
enum { IFL_RANK_SHIFT = 24, IFL_MOST_CLUSTER_BLOCKS = 16 };
/* Of an instruction of machine code, whose addresses a kernel may take. */
enum { IFL_CODE_BYTES = 16 };

void ifl_image_free(ifl_image *image);
/* Writes the code, one operation a line. */
void ifl_image_print(const ifl_image *image, FILE *out);

#endif
