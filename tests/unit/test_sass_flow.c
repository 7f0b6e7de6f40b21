/* SPDX-License-Identifier: Apache-2.0
 * Blocks, loops, waits and purposes over instructions that are put together by hand: what is
 * expected follows from the definitions in docs/sass.md and from documents 000 and 001 (bytes in
 * flight, exposed latencies, useful instructions). The decoder has no part in it. */
#include "sass/sass_flow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 64, NONE = 7, RZ = 255 };

typedef struct code {
    ifl_sass_instruction at[MOST];
    size_t count;
    ifl_arena arena;
    ifl_machine_kernel own;
    ifl_sass_kernel kernel;
} code;

static ifl_sass_instruction *add(code *c, ifl_sass_op op, ifl_sass_class sass_class)
{
    assert_true(c->count < MOST);
    ifl_sass_instruction *i = &c->at[c->count];
    *i = (ifl_sass_instruction){.offset = (uint32_t)(16 * c->count++),
                                .op = (uint16_t)op,
                                .sass_class = (uint8_t)sass_class,
                                .guard = NONE,
                                .write_barrier = NONE,
                                .read_barrier = NONE};
    return i;
}

static ifl_sass_instruction *operand(ifl_sass_instruction *i, ifl_sass_operand o)
{
    i->operand[i->operand_count++] = o;
    return i;
}

static ifl_sass_instruction *to(ifl_sass_instruction *i, uint8_t first, uint8_t count)
{
    return operand(
        i, (ifl_sass_operand){
               .kind = IFL_SASS_REGISTER, .index = first, .count = count, .is_destination = true});
}

static ifl_sass_instruction *from(ifl_sass_instruction *i, uint8_t first, uint8_t count)
{
    return operand(i,
                   (ifl_sass_operand){.kind = IFL_SASS_REGISTER, .index = first, .count = count});
}

static ifl_sass_instruction *at_address(ifl_sass_instruction *i, uint8_t base)
{
    return operand(i, (ifl_sass_operand){.kind = IFL_SASS_MEMORY, .base = base, .uniform = 255});
}

static ifl_sass_instruction *waits(ifl_sass_instruction *i, unsigned mask)
{
    i->wait_mask = (uint8_t)mask;
    return i;
}

static ifl_sass_instruction *when(ifl_sass_instruction *i, uint8_t predicate)
{
    i->guard = predicate;
    return i;
}

static ifl_sass_instruction *load(code *c, uint8_t reg, uint8_t base, uint8_t bytes,
                                  uint8_t scoreboard)
{
    ifl_sass_instruction *i = add(c, IFL_SASS_OP_LDG, IFL_SASS_LOAD_GLOBAL);
    i->memory_bytes = bytes;
    i->write_barrier = scoreboard;
    return at_address(to(i, reg, (uint8_t)(bytes < 4 ? 1 : bytes / 4)), base);
}

static ifl_sass_instruction *ffma(code *c, uint8_t d, uint8_t a, uint8_t b)
{
    return from(from(to(add(c, IFL_SASS_OP_FFMA, IFL_SASS_FLOAT), d, 1), a, 1), b, 1);
}

static ifl_sass_instruction *branch(code *c, size_t target)
{
    return operand(add(c, IFL_SASS_OP_BRA, IFL_SASS_BRANCH),
                   (ifl_sass_operand){.kind = IFL_SASS_TARGET, .value = (int64_t)(16 * target)});
}

static void analyze(code *c)
{
    ifl_error error = {0};
    c->kernel =
        (ifl_sass_kernel){.kernel = &c->own, .instructions = c->at, .instruction_count = c->count};
    assert_int_equal(ifl_sass_find_blocks(&c->kernel, &c->arena, &error), IFL_OK);
    assert_int_equal(ifl_sass_find_reached(&c->kernel, &c->arena, &error), IFL_OK);
    assert_int_equal(ifl_sass_find_loops(&c->kernel, &c->arena, &error), IFL_OK);
    assert_int_equal(ifl_sass_find_purposes(&c->kernel, &c->arena, &error), IFL_OK);
    assert_int_equal(ifl_sass_measure(&c->kernel, &c->arena, &error), IFL_OK);
    assert_int_equal(ifl_sass_measure_spills(&c->kernel, &c->arena, &error), IFL_OK);
}

static void leads_only_to(const code *c, uint32_t block, uint32_t to)
{
    assert_int_equal(c->kernel.flow.blocks[block].successor_count, 1);
    assert_int_equal(c->kernel.flow.blocks[block].successor[0], to);
}

static void drop(code *c)
{
    ifl_arena_free(&c->arena);
}

/* ---- the naive saxpy, as document 001 prints it
 * --------------------------------------------------- */

static void setp(code *c, uint8_t predicate, uint8_t a)
{
    ifl_sass_instruction *i = add(c, IFL_SASS_OP_ISETP, IFL_SASS_INTEGER);
    operand(i, (ifl_sass_operand){
                   .kind = IFL_SASS_PREDICATE, .index = predicate, .is_destination = true});
    from(i, a, 1);
}

static void wide(code *c, uint8_t d, uint8_t a, uint8_t b)
{
    from(from(to(add(c, IFL_SASS_OP_IMAD, IFL_SASS_INTEGER), d, 2), a, 1), b, 2);
}

static void saxpy(code *c)
{
    to(add(c, IFL_SASS_OP_LDC, IFL_SASS_LOAD_CONSTANT), 1, 1);
    to(add(c, IFL_SASS_OP_S2R, IFL_SASS_MOVE), 0, 1);
    to(add(c, IFL_SASS_OP_LDC, IFL_SASS_LOAD_CONSTANT), 7, 1);
    from(from(to(add(c, IFL_SASS_OP_IMAD, IFL_SASS_INTEGER), 7, 1), 7, 1), 0, 1);
    setp(c, 0, 7);
    when(add(c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS), 0);
    to(add(c, IFL_SASS_OP_LDC, IFL_SASS_LOAD_CONSTANT), 2, 2);
    to(add(c, IFL_SASS_OP_LDC, IFL_SASS_LOAD_CONSTANT), 4, 2);
    wide(c, 2, 7, 2);
    load(c, 2, 2, 4, 2);
    wide(c, 4, 7, 4);
    load(c, 7, 4, 4, 2);
    waits(ffma(c, 7, 2, 7), 1 << 2);
    ifl_sass_instruction *store = add(c, IFL_SASS_OP_STG, IFL_SASS_STORE_GLOBAL);
    store->memory_bytes = 4;
    from(at_address(store, 4), 7, 1);
    add(c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    branch(c, 15); /* to itself: how ptxas ends a kernel */
    add(c, IFL_SASS_OP_NOP, IFL_SASS_OTHER);
}

/* Document 001, 2.2: two loads of 128 bytes a warp before it needs either. */
static void saxpy_has_256_bytes_in_flight(void **state)
{
    code c = {0};
    (void)state;
    saxpy(&c);
    analyze(&c);
    assert_int_equal(c.kernel.bytes_in_flight, 256);
    assert_int_equal(c.kernel.exposed_latencies, 1);
    assert_int_equal(c.kernel.wait_bytes[12], 256);
    assert_int_equal(c.kernel.loop_count, 0);
    drop(&c);
}

static void saxpy_has_blocks(void **state)
{
    code c = {0};
    (void)state;
    saxpy(&c);
    analyze(&c);
    assert_int_equal(c.kernel.flow.block_count, 4);
    assert_int_equal(c.kernel.flow.blocks[0].last, 6); /* the guarded exit ends a block */
    leads_only_to(&c, 0, 1);
    assert_int_equal(c.kernel.flow.blocks[1].successor_count, 0);
    assert_true(c.kernel.reached[1]);
    assert_false(c.kernel.reached[2]);
    assert_int_equal(c.kernel.flow.block_of[5], 0);
    assert_int_equal(c.kernel.flow.block_of[6], 1);
    drop(&c);
}

/* Document 001, 2.1: the useful work is two LDG, one FFMA and one STG. */
static void saxpy_has_four_useful(void **state)
{
    static const uint8_t expected[] = {
        IFL_SASS_SET_UP,  IFL_SASS_SET_UP, IFL_SASS_SET_UP, IFL_SASS_ADDRESS, IFL_SASS_CONTROL,
        IFL_SASS_CONTROL, IFL_SASS_SET_UP, IFL_SASS_SET_UP, IFL_SASS_ADDRESS, IFL_SASS_USEFUL,
        IFL_SASS_ADDRESS, IFL_SASS_USEFUL, IFL_SASS_USEFUL, IFL_SASS_USEFUL,  IFL_SASS_CONTROL,
    };
    code c = {0};
    (void)state;
    saxpy(&c);
    analyze(&c);
    assert_memory_equal(c.kernel.purpose, expected, sizeof expected);
    drop(&c);
}

/* An index that is stored is data, whatever else it is for. */
static void stored_index_is_useful(void **state)
{
    code c = {0};
    (void)state;
    from(from(to(add(&c, IFL_SASS_OP_IMAD, IFL_SASS_INTEGER), 7, 1), 3, 1), 0, 1);
    wide(&c, 4, 7, 4);
    from(at_address(add(&c, IFL_SASS_OP_STG, IFL_SASS_STORE_GLOBAL), 4), 7, 1);
    add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    analyze(&c);
    assert_int_equal(c.kernel.purpose[0], IFL_SASS_USEFUL);
    assert_int_equal(c.kernel.purpose[1], IFL_SASS_ADDRESS);
    drop(&c);
}

/* ---- loops
 * ------------------------------------------------------------------------------------------ */

static void expect_loop(const code *c, size_t l, uint32_t latencies, uint32_t bytes,
                        uint32_t reuses)
{
    assert_true(l < c->kernel.loop_count);
    assert_int_equal(c->kernel.loops[l].exposed_latencies, latencies);
    assert_int_equal(c->kernel.loops[l].load_bytes_in_flight, bytes);
    assert_int_equal(c->kernel.loops[l].register_reuses, reuses);
}

/* Two loads of one scoreboard, one wait: one latency. */
static void a_wait_for_two_loads_is_one(void **state)
{
    code c = {0};
    (void)state;
    load(&c, 2, 10, 8, 0);
    load(&c, 4, 12, 8, 0);
    waits(ffma(&c, 20, 2, 4), 1);
    when(branch(&c, 0), 0);
    add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    analyze(&c);
    assert_int_equal(c.kernel.loop_count, 1);
    expect_loop(&c, 0, 1, 512, 0);
    assert_int_equal(c.kernel.loops[0].instructions, 4);
    assert_int_equal(c.kernel.loops[0].useful, 3);
    assert_int_equal(c.kernel.loops[0].width_count[IFL_SASS_LOAD_GLOBAL][3], 2);
    drop(&c);
}

/* Two scoreboards, both loads out before the first wait: two latencies, 512 and then 256 bytes. */
static void two_waits_are_two(void **state)
{
    code c = {0};
    (void)state;
    load(&c, 2, 10, 8, 0);
    load(&c, 4, 12, 8, 1);
    waits(ffma(&c, 20, 2, 20), 1 << 0);
    waits(ffma(&c, 20, 4, 20), 1 << 1);
    when(branch(&c, 0), 0);
    add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    analyze(&c);
    expect_loop(&c, 0, 2, 512, 0);
    assert_int_equal(c.kernel.wait_bytes[2], 512);
    assert_int_equal(c.kernel.wait_bytes[3], 256);
    drop(&c);
}

/* The register that the first load filled is loaded again: document 000's musical chairs. */
static void a_landing_place_used_again_is_a_reuse(void **state)
{
    code c = {0};
    (void)state;
    load(&c, 2, 10, 8, 0);
    waits(ffma(&c, 20, 2, 20), 1);
    load(&c, 2, 12, 8, 0);
    waits(ffma(&c, 20, 2, 20), 1);
    load(&c, 3, 14, 4, 0); /* R3 is the upper half of the pair */
    waits(ffma(&c, 20, 3, 20), 1);
    when(branch(&c, 0), 0);
    add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    analyze(&c);
    expect_loop(&c, 0, 3, 256, 2);
    drop(&c);
}

/* Issued in one trip, waited for in the next: once a trip, with the load that the trip has issued
 * since in flight. */
static void a_load_for_the_next_trip_counts_once(void **state)
{
    code c = {0};
    (void)state;
    waits(ffma(&c, 20, 2, 20), 1);
    load(&c, 2, 10, 16, 0);
    when(branch(&c, 0), 0);
    add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    analyze(&c);
    expect_loop(&c, 0, 1, 512, 0);
    drop(&c);
}

/* Waits for shared memory, stores' operands or special registers are no memory latencies. */
static void other_waits_do_not_count(void **state)
{
    code c = {0};
    (void)state;
    ifl_sass_instruction *shared = add(&c, IFL_SASS_OP_LDS, IFL_SASS_LOAD_SHARED);
    shared->write_barrier = 0;
    shared->memory_bytes = 4;
    at_address(to(shared, 2, 1), 10);
    waits(ffma(&c, 20, 2, 20), 1);
    ifl_sass_instruction *store = add(&c, IFL_SASS_OP_STG, IFL_SASS_STORE_GLOBAL);
    store->read_barrier = 1;
    from(at_address(store, 4), 20, 1);
    waits(ffma(&c, 20, 2, 20), 1 << 1);
    when(branch(&c, 0), 0);
    add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    analyze(&c);
    expect_loop(&c, 0, 0, 0, 0);
    drop(&c);
}

/* cp.async, commit, wait_group 1: 16 bytes a lane in each group, two groups in flight where the
 * warp waits. */
static void groups_of_copies_stay_in_flight(void **state)
{
    code c = {0};
    (void)state;
    ifl_sass_instruction *copy = add(&c, IFL_SASS_OP_LDGSTS, IFL_SASS_COPY_ASYNC);
    copy->memory_bytes = 16;
    add(&c, IFL_SASS_OP_LDGDEPBAR, IFL_SASS_OTHER);
    ifl_sass_instruction *wait = add(&c, IFL_SASS_OP_DEPBAR, IFL_SASS_OTHER);
    operand(wait, (ifl_sass_operand){.kind = IFL_SASS_SCOREBOARD, .index = 0});
    operand(wait, (ifl_sass_operand){.kind = IFL_SASS_IMMEDIATE, .value = 1});
    when(branch(&c, 0), 0);
    add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    analyze(&c);
    expect_loop(&c, 0, 1, 1024, 0);
    drop(&c);
}

/* 0: before; 1: outer header; 2: inner (branches to itself); 3: outer end; 4: exit */
static void loops_nest(void **state)
{
    code c = {0};
    (void)state;
    add(&c, IFL_SASS_OP_MOV, IFL_SASS_MOVE);
    add(&c, IFL_SASS_OP_MOV, IFL_SASS_MOVE);
    load(&c, 2, 10, 4, 0);
    waits(ffma(&c, 20, 2, 20), 1);
    when(branch(&c, 2), 0);
    load(&c, 2, 10, 4, 0);
    when(branch(&c, 1), 1);
    add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    analyze(&c);
    assert_int_equal(c.kernel.loop_count, 2);
    assert_int_equal(c.kernel.loops[0].at.depth, 1);
    assert_int_equal(c.kernel.loops[0].at.outer, -1);
    assert_false(c.kernel.loops[0].at.is_innermost);
    assert_int_equal(c.kernel.loops[1].at.outer, 0);
    assert_int_equal(c.kernel.loops[1].at.depth, 2);
    assert_true(c.kernel.loops[1].at.is_innermost);
    assert_int_equal(c.kernel.flow.blocks[c.kernel.flow.block_of[3]].loop, 1);
    assert_int_equal(c.kernel.flow.blocks[c.kernel.flow.block_of[5]].loop, 0);
    assert_int_equal(c.kernel.flow.blocks[c.kernel.flow.block_of[7]].loop, -1);
    assert_int_equal(c.kernel.loops[0].instructions, 3); /* without the inner loop's */
    expect_loop(&c, 1, 1, 128, 0);
    drop(&c);
}

/* ptxas may put the test at the top and the body before it in the code. */
static void a_header_may_come_last(void **state)
{
    code c = {0};
    (void)state;
    branch(&c, 3);
    waits(ffma(&c, 20, 2, 20), 1); /* the body, after the header's load */
    add(&c, IFL_SASS_OP_MOV, IFL_SASS_MOVE);
    load(&c, 2, 10, 4, 0); /* the header */
    when(branch(&c, 1), 0);
    add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    analyze(&c);
    assert_int_equal(c.kernel.loop_count, 1);
    assert_int_equal(c.kernel.flow.blocks[c.kernel.loops[0].at.header].first, 3);
    expect_loop(&c, 0, 1, 128, 0);
    drop(&c);
}

/* A circle with two ways in is no natural loop; the analysis ends all the same. */
static void two_entries_are_no_loop(void **state)
{
    code c = {0};
    (void)state;
    when(branch(&c, 2), 0);
    add(&c, IFL_SASS_OP_MOV, IFL_SASS_MOVE);
    add(&c, IFL_SASS_OP_MOV, IFL_SASS_MOVE);
    when(branch(&c, 1), 1);
    add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    analyze(&c);
    assert_int_equal(c.kernel.loop_count, 0);
    drop(&c);
}

/* ---- other ways
 * ------------------------------------------------------------------------------------- */

static ifl_sass_instruction *with_barrier(ifl_sass_instruction *i, size_t target)
{
    operand(i, (ifl_sass_operand){.kind = IFL_SASS_BARRIER_REGISTER, .index = 0});
    if (target)
        operand(i, (ifl_sass_operand){.kind = IFL_SASS_TARGET, .value = (int64_t)(16 * target)});
    return i;
}

static void lanes_meet_where_bssy_says(void **state)
{
    code c = {0};
    (void)state;
    with_barrier(add(&c, IFL_SASS_OP_BSSY, IFL_SASS_BRANCH), 5);
    when(branch(&c, 4), 0);
    add(&c, IFL_SASS_OP_MOV, IFL_SASS_MOVE);
    with_barrier(add(&c, IFL_SASS_OP_BSYNC, IFL_SASS_BRANCH), 0);
    with_barrier(add(&c, IFL_SASS_OP_BSYNC, IFL_SASS_BRANCH), 0);
    add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    analyze(&c);
    leads_only_to(&c, c.kernel.flow.block_of[3], c.kernel.flow.block_of[5]);
    leads_only_to(&c, c.kernel.flow.block_of[4], c.kernel.flow.block_of[5]);
    drop(&c);
}

static void calls_return_and_indirect_branches_reach(void **state)
{
    code c = {0};
    (void)state;
    operand(add(&c, IFL_SASS_OP_CALL, IFL_SASS_BRANCH),
            (ifl_sass_operand){.kind = IFL_SASS_TARGET, .value = 16 * 5});
    add(&c, IFL_SASS_OP_BRX, IFL_SASS_BRANCH);
    add(&c, IFL_SASS_OP_MOV, IFL_SASS_MOVE); /* only the BRX leads here */
    add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    branch(&c, 4);
    add(&c, IFL_SASS_OP_MOV, IFL_SASS_MOVE);
    add(&c, IFL_SASS_OP_RET, IFL_SASS_BRANCH);
    analyze(&c);
    assert_true(c.kernel.reached[c.kernel.flow.block_of[1]]);
    assert_true(c.kernel.reached[c.kernel.flow.block_of[2]]);
    assert_false(c.kernel.reached[c.kernel.flow.block_of[4]]);
    assert_true(c.kernel.reached[c.kernel.flow.block_of[5]]);
    assert_int_equal(c.kernel.flow.blocks[c.kernel.flow.block_of[6]].successor_count, 0);
    drop(&c);
}

/* A target outside of the code, or not at an instruction, leads nowhere. */
static void wild_targets_lead_nowhere(void **state)
{
    static const int64_t targets[] = {-16, 8, 16 * 99, INT64_MAX, INT64_MIN};
    (void)state;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        code c = {0};
        operand(when(add(&c, IFL_SASS_OP_BRA, IFL_SASS_BRANCH), 0),
                (ifl_sass_operand){.kind = IFL_SASS_TARGET, .value = targets[i]});
        add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
        analyze(&c);
        leads_only_to(&c, 0, 1);
        drop(&c);
    }
}

static void nothing_is_analysed_too(void **state)
{
    code c = {0};
    (void)state;
    analyze(&c);
    assert_int_equal(c.kernel.flow.block_count, 0);
    drop(&c);
}

static void spill(code *c, int64_t place, uint8_t reg)
{
    ifl_sass_instruction *i = add(c, IFL_SASS_OP_STL, IFL_SASS_STORE_LOCAL);
    i->memory_bytes = 4;
    from(at_address(i, 1), reg, 1)->operand[0].value = place;
}

static void fill(code *c, int64_t place, uint8_t reg)
{
    ifl_sass_instruction *i = add(c, IFL_SASS_OP_LDL, IFL_SASS_LOAD_LOCAL);
    i->memory_bytes = 4;
    at_address(to(i, reg, 1), 1)->operand[1].value = place;
}

/* Places 0 and 4 hold values at the same time, 8 and 12 after them; one that is never loaded again holds none. */
static void spilled_values_are_counted_where_they_live(void **state)
{
    code c = {.own = {.frame_bytes = 32}};
    (void)state;
    spill(&c, 0, 6);
    spill(&c, 4, 7);
    spill(&c, 16, 8);
    fill(&c, 0, 6);
    fill(&c, 4, 7);
    spill(&c, 8, 6);
    fill(&c, 8, 6);
    spill(&c, 12, 7);
    fill(&c, 12, 7);
    add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    analyze(&c);
    assert_int_equal(c.kernel.spill_store_bytes, 20);
    assert_int_equal(c.kernel.spilled_at_once_bytes, 8);
    drop(&c);
}

/* A value that is spilled before a loop and loaded in it lives through every trip, beside those of the trip. A store that
 * a predicate guards may leave what lay there. */
static void spilled_values_live_through_loops(void **state)
{
    code c = {.own = {.frame_bytes = 16}};
    (void)state;
    spill(&c, 0, 6);
    const size_t top = c.count;
    spill(&c, 4, 7);
    fill(&c, 4, 7);
    fill(&c, 0, 6);
    spill(&c, 8, 7);
    when(&c.at[c.count - 1], 0);
    fill(&c, 8, 7);
    when(branch(&c, top), 0);
    add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    analyze(&c);
    assert_int_equal(c.kernel.spilled_at_once_bytes, 12); /* 0, 4 and, guarded, 8 */
    drop(&c);
}

/* [R1+n] is the stack at a fixed place; an indexed array has another base. */
static void spills_are_told_from_arrays(void **state)
{
    code c = {0};
    (void)state;
    ifl_sass_instruction *store = add(&c, IFL_SASS_OP_STL, IFL_SASS_STORE_LOCAL);
    store->memory_bytes = 8;
    from(at_address(store, 1), 6, 2);
    ifl_sass_instruction *array = add(&c, IFL_SASS_OP_LDL, IFL_SASS_LOAD_LOCAL);
    array->memory_bytes = 4;
    at_address(to(array, 8, 1), 3);
    ifl_sass_instruction *spill = add(&c, IFL_SASS_OP_LDL, IFL_SASS_LOAD_LOCAL);
    spill->memory_bytes = 16;
    at_address(to(spill, 8, 4), 1);
    when(branch(&c, 0), 0);
    add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    analyze(&c);
    assert_int_equal(c.kernel.spill_store_bytes, 8);
    assert_int_equal(c.kernel.spill_load_bytes, 16);
    assert_int_equal(c.kernel.loops[0].spill_loads, 1);
    assert_int_equal(c.kernel.loops[0].spill_stores, 1);
    drop(&c);
}

/* ---- what a pass through a block costs ------------------------------------------------------- */

static const ifl_sass_turn *turns(code *c)
{
    ifl_error error = {0};
    analyze(c);
    assert_int_equal(ifl_sass_find_turns(&c->kernel, &c->arena, &error), IFL_OK);
    return c->kernel.turns;
}

/* Loads issued together are on their way together, whatever their scoreboards: two waits, but only
 * the first is long. */
static void loads_issued_together_are_one_wait(void **state)
{
    (void)state;
    code c = {.count = 0};
    load(&c, 4, 2, 4, 0)->stall = 2;
    load(&c, 5, 2, 4, 1);
    waits(ffma(&c, 6, 4, 4), 1 << 0)->stall = 4;
    waits(ffma(&c, 7, 5, 5), 1 << 1);
    load(&c, 8, 6, 4, 0);
    waits(ffma(&c, 9, 8, 8), 1 << 0);
    add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    const ifl_sass_turn *t = turns(&c);
    assert_true(t[0].load_waits == 2); /* the two, then the one whose address they gave */
    assert_true(t[0].load_spread == 1);
    assert_true(t[0].cycles == 2 + 1 + 4 + 1 + 1 + 1 + 1);
    drop(&c);
}

/* Document 003's rolling prefetch in asynchronous copies, three groups ahead: of four trips one
 * waits. */
static void groups_ahead_share_a_wait(void **state)
{
    (void)state;
    code c = {.count = 0};
    add(&c, IFL_SASS_OP_NOP, IFL_SASS_OTHER);
    add(&c, IFL_SASS_OP_LDGSTS, IFL_SASS_COPY_ASYNC)->memory_bytes = 4;
    add(&c, IFL_SASS_OP_LDGDEPBAR, IFL_SASS_OTHER);
    operand(operand(add(&c, IFL_SASS_OP_DEPBAR, IFL_SASS_OTHER),
                    (ifl_sass_operand){.kind = IFL_SASS_SCOREBOARD, .index = 0}),
            (ifl_sass_operand){.kind = IFL_SASS_IMMEDIATE, .value = 3});
    when(branch(&c, 1), 0);
    add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    const ifl_sass_turn *t = turns(&c);
    assert_true(t[1].load_waits == 0.25);
    drop(&c);
}

/* What is near is waited for apart from global memory, and local memory is told from shared. */
static void waits_for_local_memory_are_told(void **state)
{
    (void)state;
    code c = {.count = 0};
    ifl_sass_instruction *shared = add(&c, IFL_SASS_OP_LDS, IFL_SASS_LOAD_SHARED);
    at_address(to(shared, 4, 1), 2);
    shared->write_barrier = 0;
    waits(ffma(&c, 5, 4, 4), 1 << 0);
    ifl_sass_instruction *spill = add(&c, IFL_SASS_OP_LDL, IFL_SASS_LOAD_LOCAL);
    at_address(to(spill, 6, 1), 1);
    spill->write_barrier = 0;
    waits(ffma(&c, 7, 6, 6), 1 << 0);
    add(&c, IFL_SASS_OP_EXIT, IFL_SASS_EXIT_CLASS);
    const ifl_sass_turn *t = turns(&c);
    assert_true(t[0].load_waits == 0 && t[0].shared_waits == 2);
    drop(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saxpy_has_256_bytes_in_flight),
        cmocka_unit_test(saxpy_has_blocks),
        cmocka_unit_test(saxpy_has_four_useful),
        cmocka_unit_test(stored_index_is_useful),
        cmocka_unit_test(a_wait_for_two_loads_is_one),
        cmocka_unit_test(two_waits_are_two),
        cmocka_unit_test(a_landing_place_used_again_is_a_reuse),
        cmocka_unit_test(a_load_for_the_next_trip_counts_once),
        cmocka_unit_test(other_waits_do_not_count),
        cmocka_unit_test(groups_of_copies_stay_in_flight),
        cmocka_unit_test(loops_nest),
        cmocka_unit_test(a_header_may_come_last),
        cmocka_unit_test(two_entries_are_no_loop),
        cmocka_unit_test(lanes_meet_where_bssy_says),
        cmocka_unit_test(calls_return_and_indirect_branches_reach),
        cmocka_unit_test(wild_targets_lead_nowhere),
        cmocka_unit_test(nothing_is_analysed_too),
        cmocka_unit_test(spills_are_told_from_arrays),
        cmocka_unit_test(spilled_values_are_counted_where_they_live),
        cmocka_unit_test(spilled_values_live_through_loops),
        cmocka_unit_test(loads_issued_together_are_one_wait),
        cmocka_unit_test(groups_ahead_share_a_wait),
        cmocka_unit_test(waits_for_local_memory_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
