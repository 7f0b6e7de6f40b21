/* SPDX-License-Identifier: Apache-2.0
 * Lowered code: what a program's function becomes before it runs. Every operand is a place in the frame of the
 * function (registers, constants and special registers alike), so that handlers never ask what kind an operand is.
 *
 * A frame is one block of memory, addressed by byte offsets:
 *
 *     predicates: one 32-bit mask each (bit i: lane i); the first is always all ones, the second is a sink
 *     slots:      32 lanes side by side, 16, 32, 64 or 128 bits each, aligned to 64 bytes
 *
 * A handler runs one lowered instruction and passes on to the next: see DISPATCH below. */
#ifndef IFL_SIMT_CODE_H
#define IFL_SIMT_CODE_H

#include "event/event.h"
#include "simt/memory.h"

typedef struct ifl_code ifl_code;
typedef struct ifl_warp ifl_warp;

/* Runs `code` for the lanes `active` of the current fragment, registers at `frame`. Returns where execution stopped;
 * why is in warp->reason. */
typedef const ifl_code *ifl_handler(const ifl_code *code, ifl_warp *warp, char *frame, uint32_t active);

/* Why a warp came back to the scheduler, and what is at the code it returned. */
typedef enum ifl_reason {
    IFL_REASON_NONE,
    IFL_REASON_YIELD,     /* its slice is over: go on at the code */
    IFL_REASON_JOIN,      /* at a reconvergence point: the code is the JOIN */
    IFL_REASON_DIVERGE,   /* at a branch of which warp->taken lanes take the target */
    IFL_REASON_SWITCH,    /* at a branch through a list */
    IFL_REASON_CALL,
    IFL_REASON_RETURN,    /* lanes warp->taken leave the function */
    IFL_REASON_EXIT,      /* lanes warp->taken end */
    IFL_REASON_BARRIER,   /* at a barrier of the block */
    IFL_REASON_WARP_WAIT, /* at a warp-wide operation whose other lanes are not here yet */
    IFL_REASON_FAULT      /* warp->worker->fault says what */
} ifl_reason;

/* An operation that is not worth a handler a vector width. `mask`: lanes that execute it. IFL_REASON_NONE goes on. */
typedef ifl_reason ifl_slow(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask, uint32_t active);

enum { IFL_MAX_ELEMENTS = 8 };

/* How a memory instruction moves data. Data slots: where element e of a lane goes to or comes from. */
typedef struct ifl_transfer {
    uint8_t space;          /* ifl_space */
    uint8_t kind;           /* ifl_access_kind */
    uint8_t element_bytes;  /* in memory: 1, 2, 4, 8, 16 */
    uint8_t elements;       /* 1, 2, 4, 8 */
    uint8_t bytes;          /* of a lane's access: element_bytes * elements */
    uint8_t slot_bytes;     /* of a register lane: 2, 4, 8, 16 */
    bool is_signed;         /* a narrower load is sign-extended */
    bool narrow_address;    /* the address register has 32 bits */
    bool observes;          /* a volatile, relaxed or acquire load: others may be waited for */
    bool frame_parameter;   /* PARAM of the frame, not of the kernel */
    uint32_t sink;          /* bit e: element e is not wanted */
    uint32_t address;       /* slot, or 0 when there is only the offset */
    int64_t offset;
    uint32_t data[IFL_MAX_ELEMENTS];
} ifl_transfer;

typedef struct ifl_target_list {
    size_t count;
    const ifl_code **target;
} ifl_target_list;

struct ifl_code {
    ifl_handler *run;
    ifl_slow *slow;
    uint32_t guard;      /* predicate */
    uint32_t guard_flip; /* 0, or all ones for @!p */
    uint32_t d, a, b, c, e; /* slots or predicates, as the handler reads them */
    uint32_t flip;          /* 0 or all ones: of the predicate operand c */
    uint32_t instruction;   /* into the program */
    uint32_t count;         /* BLOCK: index of its counter; else as the handler reads it */
    uint64_t value;         /* as the handler reads it */
    const ifl_modifiers *m;
    union {
        const ifl_code *target;         /* branches */
        const ifl_transfer *transfer;   /* memory */
        const ifl_target_list *targets; /* brx.idx */
        const void *extra;
    };
    const ifl_code *join; /* branches: where their lanes meet again, or NULL: only when they end */
};

/* A row of opcode.def as one vector width knows it. */
typedef struct ifl_row {
    uint16_t opcode;
    uint8_t type, from; /* ifl_type; `from` is NONE where the row does not care */
    uint8_t sources;
    bool is_test;       /* gives a predicate */
    uint8_t width[5];   /* bits of d, a, b, c, e */
    uint32_t order;     /* in opcode.def: the first that fits is taken */
    bool (*when)(const ifl_modifiers *m);
    ifl_handler *handler;
} ifl_row;

/* The handlers beside the rows, each made for every vector width: HANDLER(name, what it does). */
#define IFL_HANDLERS(HANDLER)                                                                                          \
    HANDLER(block)        /* a basic block begins: counts it */                                                        \
    HANDLER(join)         /* lanes may meet here */                                                                    \
    HANDLER(branch)       /* to target */                                                                              \
    HANDLER(slow)         /* calls code->slow */                                                                       \
    HANDLER(nothing)      /* fences, hints */                                                                          \
    HANDLER(stop)         /* gives code->count as the reason */                                                        \
    HANDLER(move16)                                                                                                    \
    HANDLER(move32)                                                                                                    \
    HANDLER(move64)                                                                                                    \
    HANDLER(move128)                                                                                                   \
    HANDLER(select16)     /* d = c ? a : b */                                                                          \
    HANDLER(select32)                                                                                                  \
    HANDLER(select64)                                                                                                  \
    HANDLER(resize)       /* d = a >> value, other width; count: from << 8 | to << 1 | signed, in bits / 16 */          \
    HANDLER(insert)       /* d |= a << value, d wider */                                                               \
    HANDLER(predicate)    /* d = f(a, b, c): predicates, value: truth table of (a, b) */                               \
    HANDLER(add_offset)   /* d = a + value, 64 bits */                                                                 \
    HANDLER(load_global)                                                                                               \
    HANDLER(load_shared)                                                                                               \
    HANDLER(store_global)                                                                                              \
    HANDLER(store_shared)

typedef struct ifl_width {
    const char *name;
    const ifl_row *const *(*rows)(size_t *count); /* in no particular order */
#define HANDLER(name) ifl_handler *name;
    IFL_HANDLERS(HANDLER)
#undef HANDLER
} ifl_width;

/* The widths this build has and this processor can run, best first; by name; NULL when there is none of the name. */
const ifl_width *ifl_width_best(void);
const ifl_width *ifl_width_find(const char *name);

/* A value that every lane of a slot holds from the start. */
typedef struct ifl_constant {
    uint32_t slot;
    uint32_t bits; /* 16, 32, 64, 128 */
    uint64_t value;
} ifl_constant;

typedef struct ifl_special_slot {
    uint32_t slot;
    uint16_t special;
} ifl_special_slot;

typedef struct ifl_routine ifl_routine;

/* A lowered function. */
struct ifl_routine {
    const ifl_function *function;
    uint32_t index;         /* of the function in the program */
    ifl_code *code;
    size_t code_count;
    uint64_t frame_bytes;   /* predicates and slots */
    uint64_t param_bytes;   /* PARAM variables, a thread */
    uint64_t local_bytes;   /* a thread */
    ifl_constant *constants;
    size_t constant_count;
    ifl_special_slot *specials;  /* those that change by block first */
    size_t special_count;
    size_t block_special_count;
    uint32_t *undefined;    /* pairs (slot, bytes) that may be read before they are written: zeroed at entry */
    size_t undefined_count;
};

/* A basic block's instructions: program indexes [first, last). */
typedef struct ifl_block_range {
    uint32_t first, last;
} ifl_block_range;

/* A kernel with everything it can call. */
typedef struct ifl_image {
    ifl_arena arena;
    const ifl_program *program;
    const ifl_width *width;
    ifl_routine *routines;     /* [0] is the kernel */
    size_t routine_count;
    int32_t *routine_of;       /* by function of the program, -1: not lowered */
    ifl_block_range *blocks;
    size_t block_count;
    bool ordered;              /* the result can depend on the order of blocks: run them in order on one worker */
    bool cooperative;          /* uses grid-wide synchronisation */
    uint64_t static_shared;    /* bytes of shared memory up to the end of the last variable that the kernel names */
    uint64_t dynamic_shared;   /* where the unsized array begins, when the kernel names it */
    bool reserves_shared;      /* uses the shared memory that the system reserves in every block */
    const uint64_t *variable;  /* device address of each variable of the program; 0 for those without */
} ifl_image;

/* Device addresses: the windows through which generic addresses reach shared and local memory, and where the
 * addresses of functions lie. Global allocations are below all of them. */
#define IFL_SHARED_WINDOW (UINT64_C(1) << 48)
#define IFL_LOCAL_WINDOW (UINT64_C(2) << 48)
#define IFL_CODE_WINDOW (UINT64_C(3) << 48)
#define IFL_WINDOW_BYTES (UINT64_C(1) << 40)

typedef struct ifl_lowering {
    const ifl_program *program;
    uint32_t function;
    const ifl_width *width;
    const uint64_t *variable_address; /* by variable of the program */
    const uint8_t *params;            /* the kernel's parameter block, or NULL: their values are unknown (printing) */
    uint64_t param_address;           /* device address of the block */
} ifl_lowering;

ifl_status ifl_lower(const ifl_lowering *lowering, ifl_image *image, ifl_error *error);
void ifl_image_free(ifl_image *image);
/* The opcode whose handler a code is, for printing: "block", "row", ... */
void ifl_image_print(const ifl_image *image, FILE *out);

/* ---- flow.c: the shape of a function --------------------------------------------------------------------------- */

typedef struct ifl_flow_block {
    uint32_t first, last;  /* instructions, [first, last) */
    uint32_t successor[2]; /* blocks; UINT32_MAX: none */
    uint32_t *more;        /* further successors of a switch */
    uint32_t more_count;
    uint32_t join;         /* immediate post-dominator, UINT32_MAX: only the end of the function */
    bool ends;             /* leaves the function */
} ifl_flow_block;

typedef struct ifl_flow {
    ifl_flow_block *blocks;
    uint32_t block_count;
    uint32_t *block_of;  /* by instruction, counted from the function's first */
} ifl_flow;

/* Finds blocks and their immediate post-dominators. Everything is taken from the arena. */
ifl_status ifl_flow_build(const ifl_program *program, const ifl_function *function, ifl_arena *arena, ifl_flow *out,
                          ifl_error *error);
/* The registers whose values are needed when a block begins: `words` words of bits a block. */
ifl_status ifl_flow_live(const ifl_program *program, const ifl_function *function, const ifl_flow *flow,
                         ifl_arena *arena, uint64_t **out, size_t *words, ifl_error *error);
/* Registers that some path reads before it writes them: one bool a register. */
ifl_status ifl_flow_undefined(const ifl_program *program, const ifl_function *function, const ifl_flow *flow,
                              ifl_arena *arena, bool **out, ifl_error *error);

/* ---- operands of an instruction, by what it does to them (flow.c) --------------------------------------------- */

/* Calls `see` for each register an instruction reads or writes; `is_written` tells which. */
void ifl_instruction_registers(const ifl_program *program, const ifl_instruction *instruction,
                               void (*see)(void *user, uint32_t reg, bool is_written), void *user);

#endif
