/* SPDX-License-Identifier: Apache-2.0
 * The shape of a function, of PTX or machine code: basic blocks, where diverged lanes meet again
 * (immediate post-dominators), loops, and which registers hold values that are still needed. Knows
 * nothing of instructions but where they lead and what they touch. */
#ifndef IFL_CODE_FLOW_H
#define IFL_CODE_FLOW_H

#include "base/arena.h"
#include "base/error.h"

enum { IFL_NO_BLOCK = UINT32_MAX };

/* Where one instruction leads: to the next one, to others of the function, out of it. */
typedef struct ifl_flow_step {
    const uint32_t *targets; /* instructions, counted from the function's first */
    uint32_t target_count;
    bool falls;  /* may go on to the next one */
    bool leaves; /* may leave the function */
    bool ends;   /* no other instruction of its block comes after it */
} ifl_flow_step;

typedef struct ifl_flow_block {
    uint32_t first, last; /* instructions, [first, last) */
    const uint32_t *successor;
    uint32_t successor_count;
    uint32_t join; /* immediate post-dominator, IFL_NO_BLOCK: only the end of the function, or not
                      asked for */
    int32_t loop;  /* innermost loop it belongs to, -1: none, or not asked for */
    bool leaves;   /* the function */
} ifl_flow_block;

typedef struct ifl_flow {
    ifl_flow_block *blocks;
    uint32_t block_count;
    uint32_t *block_of; /* by instruction */
} ifl_flow;

/* Finds blocks and what follows them: the targets of a block's last instruction in their order, then
 * the block behind. `steps` has one entry an instruction; all targets lie below `count`. Everything
 * is taken from the arena. */
ifl_status ifl_flow_build(const ifl_flow_step *steps, uint32_t count, ifl_arena *arena,
                          ifl_flow *out, ifl_error *error);

/* Fills `join` of each block. */
ifl_status ifl_flow_find_joins(ifl_flow *flow, ifl_error *error);

/* The blocks that lead to block b: block[first[b]..first[b + 1]). */
typedef struct ifl_flow_before {
    uint32_t *first, *block;
} ifl_flow_before;
ifl_status ifl_flow_find_before(const ifl_flow *flow, ifl_arena *arena, ifl_flow_before *out,
                                ifl_error *error);

typedef struct ifl_flow_loop {
    uint32_t header; /* block */
    int32_t outer;   /* the loop around it, -1: none */
    uint32_t depth;  /* 1: outermost */
    bool is_innermost;
} ifl_flow_loop;

/* Loops in the order of their headers, and `loop` of each block. `reached`, by block: by some way
 * from the entry; what is not reached lies in no loop. */
ifl_status ifl_flow_find_loops(ifl_flow *flow, const bool *reached, ifl_arena *arena,
                               ifl_flow_loop **loops, uint32_t *count, ifl_error *error);

/* Tells `see` of each register that an instruction reads or writes. */
typedef void ifl_flow_see(void *to, uint32_t reg, bool is_written);
typedef struct ifl_flow_touches {
    void (*visit)(const void *user, uint32_t instruction, ifl_flow_see *see, void *to);
    bool (*is_guarded)(const void *user, uint32_t instruction); /* its writes may not happen */
    const void *user;
    uint32_t registers;
    bool (*reads_all)(const void *user, uint32_t instruction); /* NULL: none reads every register */
} ifl_flow_touches;

/* The registers whose values are needed when a block begins: `words` words of bits a block. */
ifl_status ifl_flow_live(const ifl_flow *flow, const ifl_flow_touches *touches, ifl_arena *arena,
                         uint64_t **out, size_t *words, ifl_error *error);

/* The same where a block ends: `live` are those of all blocks. */
void ifl_flow_live_behind(const ifl_flow_block *block, const uint64_t *live, size_t words,
                          uint64_t *out);

/* The most that live at one place of the code, each register counted as `weigh` says (NULL: 1). */
ifl_status ifl_flow_most_alive(const ifl_flow *flow, const ifl_flow_touches *touches,
                               uint32_t (*weigh)(const void *user, uint32_t reg), uint32_t *most,
                               ifl_error *error);

/* Whether what an instruction of a loop writes may decide where lanes go next, or reach an
 * instruction that `shares` what it reads with other lanes. One that stands before a loop counts as
 * one of it if another there, which is `alike` (NULL: none is), does so: compilers take the first
 * trip of a loop out of it. */
ifl_status ifl_flow_decides(const ifl_flow *flow, const ifl_flow_touches *touches, uint32_t from,
                            bool (*shares)(const void *user, uint32_t instruction),
                            bool (*alike)(const void *user, uint32_t instruction), bool *out,
                            ifl_error *error);

/* What is asked of values that begin at some instructions. */
typedef struct ifl_flow_question {
    bool (*begins)(const void *user, uint32_t instruction); /* what it writes is such a value */
    /* Whether it is one that they must not reach. `held`: the registers that may hold one, a bit
     * each; it reads one of them. */
    bool (*matters)(const void *user, uint32_t instruction, const uint64_t *held);
    /* The register and sense of what it depends on whether it does anything; 0: it always does. */
    uint32_t (*guard)(const void *user, uint32_t instruction);
} ifl_flow_question;
static inline uint32_t ifl_flow_guard(uint32_t reg, bool is_negated)
{
    return 1 + (2 * reg | is_negated);
}

/* Whether a value may get from where it begins, computed further or not, to where it matters. */
ifl_status ifl_flow_reaches(const ifl_flow *flow, const ifl_flow_touches *touches,
                            const ifl_flow_question *question, bool *out, ifl_error *error);

#endif
