/* SPDX-License-Identifier: Apache-2.0
 * A site: all that anyone who watches a kernel may know of one of its instructions. Sites say
 * nothing of where the instruction came from: PTX and machine code both fill them. */
#ifndef IFL_CODE_SITE_H
#define IFL_CODE_SITE_H

#include "arch/matrix_rate.h"
#include "base/error.h"
#include "code/access_kind.h"
#include "code/trait.h"

#include <stddef.h>

typedef enum ifl_site_role {
    IFL_SITE_PLAIN,
    IFL_SITE_BRANCH, /* may lead elsewhere than to the next instruction */
    IFL_SITE_BARRIER /* of the block */
} ifl_site_role;

/* The way that an instruction's requests take through the L1. */
typedef enum ifl_path {
    IFL_PATH_PLAIN,
    IFL_PATH_ASKED,       /* .ca */
    IFL_PATH_READ_ONLY,   /* .nc */
    IFL_PATH_NO_ALLOCATE, /* L1::no_allocate: hits, but a miss leaves nothing */
    IFL_PATH_PAST,        /* .cg: leaves nothing in the L1 */
    IFL_PATH_BYPASS,      /* .cv, volatile, ordered beyond the block */
    IFL_PATH_LOCAL,       /* a thread's own memory */
    IFL_PATHS
} ifl_path;

/* Which pipeline executes an instruction; IFL_PIPES: none, or PTX, which does not tell. */
typedef enum ifl_pipe {
#define PIPE(name, counter, metric, what) IFL_PIPE_##name,
#include "code/pipeline.def"
    IFL_PIPES
} ifl_pipe;

/* Whose floating-point operations an instruction's are; IFL_FLOPS: it has none. */
typedef enum ifl_flop {
#define FLOP(name, counter, metric, what) IFL_FLOP_##name,
#include "code/flop.def"
    IFL_FLOPS
} ifl_flop;

/* What tells when the result of an instruction is there. */
typedef enum ifl_delay {
    IFL_DELAY_FIXED,    /* the cycles of its pipe, which the compiler has counted in the stalls */
    IFL_DELAY_UNIT,     /* its unit sets a scoreboard */
    IFL_DELAY_SPECIAL,  /* likewise, a special register's */
    IFL_DELAY_L1,       /* likewise, after an access through the L1 */
    IFL_DELAY_SHARED,   /* ... of shared memory */
    IFL_DELAY_CONSTANT, /* ... of the constant caches */
    IFL_DELAY_TEXTURE,
    IFL_DELAY_GROUP, /* an asynchronous copy: a group of copies tells */
    IFL_DELAYS
} ifl_delay;

/* What an instruction does to the order in which its warp goes on, beside its control word. */
typedef enum ifl_control_step {
    IFL_STEP_PLAIN,
    IFL_STEP_BARRIER,      /* waits for the other warps of the block */
    IFL_STEP_ARRIVE,       /* tells them and goes on */
    IFL_STEP_FENCE_BLOCK,  /* waits until its accesses are seen by the block */
    IFL_STEP_FENCE,        /* ... by the GPU */
    IFL_STEP_FENCE_SYSTEM, /* ... and by the host and other GPUs */
    IFL_STEP_DRAIN,        /* waits until at most `left` are outstanding on scoreboard `board` */
    IFL_STEP_GROUP,  /* the copies since the last one become one more outstanding on scoreboard 0 */
    IFL_STEP_FORGET, /* the L1 has nothing any more */
    IFL_STEP_JOIN,   /* lanes that have parted meet here, or some end here */
    IFL_STEP_INDIRECT /* goes on where a register says */
} ifl_control_step;

/* The control word of machine code; PTX has none. */
typedef struct ifl_control {
    bool known;
    bool is_half;        /* takes a pipe of two halves for one of them only: integer products */
    bool is_twice;       /* takes both for twice as long: upper halves of integer products */
    bool is_in_turn;     /* a special register that an SM gives to one warp after the other */
    bool defers;         /* a barrier behind which a warp goes on until it comes to what blocks */
    uint8_t stall;       /* cycles to the next instruction of the warp */
    uint8_t writes;      /* scoreboard that is set until the result is there; IFL_NO_BOARD: none */
    uint8_t reads;       /* likewise, until the sources have been read */
    uint8_t waits;       /* scoreboards that must be clear before it is issued, a bit each */
    uint8_t delay;       /* ifl_delay */
    uint8_t step;        /* ifl_control_step */
    uint8_t board, left; /* of IFL_STEP_DRAIN */
    uint8_t sources[2];  /* registers that it reads, of even and of odd numbers: two banks */
    uint8_t kept[2];     /* of them, those that the instruction before it keeps at hand */
    uint16_t
        constant; /* operand in a constant bank, or what an LDC loads: 1 + (bank << 10 | line of 64 bytes); 0: none */
} ifl_control;

/* The group board counts the groups of products of a warp group (gsb0). */
enum { IFL_BOARDS = 6, IFL_GROUP_BOARD = IFL_BOARDS, IFL_NO_BOARD = 7 };

/* What an instruction leaves open between two machines that both run it right. */
enum {
    IFL_OPEN_APPROXIMATE = 1 << 0, /* to `error` */
    IFL_OPEN_PRODUCT = 1 << 1,     /* a product that may be fused with a sum */
    IFL_OPEN_SUM = 1 << 2,
    IFL_OPEN_FLOAT_ATOMIC = 1 << 3, /* adds in any order */
    IFL_OPEN_FETCHED = 1 << 4,      /* an atomic's old value */
    IFL_OPEN_TIMED = 1 << 5,        /* a clock, or where the thread runs */
    IFL_OPEN_WAITS = 1 << 6         /* memory that others may change meanwhile */
};

/* What an access asks of memory. `kind` IFL_ACCESS_KINDS: the instruction is none that is counted
 * by line. */
typedef struct ifl_site_access {
    uint8_t kind;      /* ifl_access_kind; of a copy, that of its global side */
    uint8_t space;     /* ifl_space */
    uint8_t path;      /* ifl_path */
    bool is_float;     /* an atomic's operand is a floating-point number */
    bool is_fetched;   /* machine code: an atomic's old value is asked for */
    bool is_copied;    /* the same: goes on to shared memory, past the registers */
    bool passes_twice; /* brings two words a lane: compare-and-swap */
    bool
        /* lanes on one word take one pass: a count of them, or a swap that one of them wins */
        passes_merge;
    bool brings_line; /* the DRAM gives the whole line for what the L2 lacks of it: L2::128B */
    uint32_t bytes;   /* a lane; 0: not known before the run */
    /* Accesses of the same base, other than 0, are this many bytes apart in every lane: the code
     * has the address once, and offsets to it. */
    uint32_t base;
    int32_t offset;
} ifl_site_access;

typedef struct ifl_site {
    const char *name;     /* with all modifiers: "ld.global.f32" */
    uint32_t place;       /* into ifl_sites.places; 0 is "unknown" */
    uint32_t line;        /* in the text that was read, from 1; 0 where there is none */
    uint32_t address;     /* of machine code: in that of its function */
    const char *function; /* NULL: not of machine code */
    uint32_t column;
    uint8_t role;    /* ifl_site_role */
    uint8_t pipe;    /* ifl_pipe */
    uint8_t flop;    /* ifl_flop */
    uint8_t open;    /* IFL_OPEN_* */
    uint16_t traits; /* IFL_TRAIT_*, by its name */
    bool is_counted; /* a step of a barrier object, or a barrier that may be for some warps alone:
                      * what it waits for are arrivals since the block began (ifl_object_event) */
    uint32_t flops;  /* operations of a lane that executes it */
    ifl_matrix_work matrix;
    float error; /* relative, of an approximation */
    uint32_t
        turn; /* an estimate: memory instructions that agree in this are on their way together */
    ifl_site_access access;
    ifl_control control;
} ifl_site;

enum { IFL_TURN_BITS = 8 }; /* of ifl_site.turn: how many waits of its basic block come before it */

/* A source position; places[0] is unknown (line 0). Inlined code names the place of the call it
 * stands in. */
typedef struct ifl_source {
    uint32_t file; /* into files */
    uint32_t line;
    uint32_t column;
    uint32_t inlined_at;  /* into places; 0: not inlined */
    const char *function; /* the inlined function's name, or NULL */
} ifl_source;

/* The sites of a kernel with all that it can call, and what they refer to. */
typedef struct ifl_sites {
    ifl_site *at;
    size_t count;
    const ifl_source *places;
    size_t place_count;
    const char *const *files; /* files[0] is "" */
    size_t file_count;
    const char *file; /* that was read */
    const char *text; /* its text, NUL-terminated; NULL where it is none */
} ifl_sites;

typedef struct ifl_line_start {
    const char *text;
    uint32_t line;
} ifl_line_start;

/* Where a line of the text that was read begins, NULL if it has none. The search starts at `near`, the line of the last
 * call, if that is not behind it. */
const char *ifl_sites_line(const ifl_sites *sites, uint32_t line, ifl_line_start *near);
/* Where a site stands in the text that was read, for ifl_fail_at. */
ifl_place ifl_site_place(const ifl_sites *sites, size_t site);
/* Its place in the source; NULL where that is not known. */
const ifl_source *ifl_site_source(const ifl_sites *sites, size_t site);
/* The place that people wrote: from inside the toolkit's headers out to the call. */
const ifl_source *ifl_site_own_source(const ifl_sites *sites, const ifl_source *place);
/* Where it is, as messages name it: "k.cu:7", "k.ptx:31", "machine code +0x1f0" of the kernel. */
void ifl_site_where(const ifl_sites *sites, size_t site, char *to, size_t size);

#endif
