/* SPDX-License-Identifier: Apache-2.0
 * Which registers hold values that are still needed, and what a value leads to. Knows blocks and
 * what instructions touch. */
#include "code/flow.h"

#include <stdlib.h>
#include <string.h>

/* ---- values that are still needed ------------------------------------------------------------ */

typedef struct live_sets {
    uint64_t *used;    /* read in the block before it writes them: also the live set at its start */
    uint64_t *defined; /* written in the block whatever the guards */
    size_t words;
    uint32_t block;
    bool guarded;
} live_sets;

static void note_read(void *user, uint32_t reg, bool is_written)
{
    live_sets *sets = user;
    const uint64_t bit = UINT64_C(1) << (reg % 64);
    const size_t at = sets->block * sets->words + reg / 64;
    if (!is_written && !(sets->defined[at] & bit))
        sets->used[at] |= bit;
}

static void note_write(void *user, uint32_t reg, bool is_written)
{
    live_sets *sets = user;
    if (is_written && !sets->guarded)
        sets->defined[sets->block * sets->words + reg / 64] |= UINT64_C(1) << (reg % 64);
}

static void note_all_read(const live_sets *sets)
{
    for (size_t w = sets->block * sets->words, i = 0; i < sets->words; i++, w++)
        sets->used[w] |= ~sets->defined[w];
}

static void scan_block(const ifl_flow_touches *touches, const ifl_flow_block *block,
                       live_sets *sets)
{
    for (uint32_t i = block->first; i < block->last; i++) {
        if (touches->reads_all && touches->reads_all(touches->user, i))
            note_all_read(sets);
        sets->guarded = touches->is_guarded(touches->user, i);
        touches->visit(touches->user, i, note_read, sets);
        touches->visit(touches->user, i, note_write, sets);
    }
}

static bool flow_back(const ifl_flow *flow, live_sets *sets, uint32_t b)
{
    bool changed = false;
    const ifl_flow_block *block = &flow->blocks[b];
    uint64_t *used = sets->used + b * sets->words, *defined = sets->defined + b * sets->words;
    for (uint32_t i = 0; i < block->successor_count; i++) {
        const uint64_t *after = sets->used + block->successor[i] * sets->words;
        for (size_t w = 0; w < sets->words; w++) {
            const uint64_t now = used[w] | (after[w] & ~defined[w]);
            changed |= now != used[w];
            used[w] = now;
        }
    }
    return changed;
}

ifl_status ifl_flow_live(const ifl_flow *flow, const ifl_flow_touches *touches, ifl_arena *arena,
                         uint64_t **out, size_t *words, ifl_error *error)
{
    live_sets sets = {.words = touches->registers / 64 + 1};
    const size_t bytes = sets.words * flow->block_count * sizeof(uint64_t);
    *words = sets.words;
    *out = sets.used = ifl_arena_alloc(arena, bytes + 1);
    sets.defined = calloc(1, bytes + 1);
    const bool has_memory = sets.used && sets.defined;
    if (has_memory) {
        for (sets.block = 0; sets.block < flow->block_count; sets.block++)
            scan_block(touches, &flow->blocks[sets.block], &sets);
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t b = flow->block_count; b-- > 0;)
                changed |= flow_back(flow, &sets, b);
        }
    }
    free(sets.defined);
    return has_memory ? IFL_OK : ifl_fail_memory(error, bytes);
}

void ifl_flow_live_behind(const ifl_flow_block *block, const uint64_t *live, size_t words,
                          uint64_t *out)
{
    memset(out, 0, words * sizeof *out);
    for (uint32_t i = 0; i < block->successor_count; i++)
        for (size_t w = 0; w < words; w++)
            out[w] |= live[block->successor[i] * words + w];
}

/* ---- how much lives at once ------------------------------------------------------------------ */

typedef struct alive {
    const ifl_flow_touches *touches;
    uint32_t (*weigh)(const void *user, uint32_t reg);
    uint64_t *set;
    uint32_t count, most;
    bool writes, is_guarded;
} alive;

static uint32_t weight_of(const alive *a, uint32_t reg)
{
    return a->weigh ? a->weigh(a->touches->user, reg) : 1;
}

static void see_alive(void *user, uint32_t reg, bool is_written)
{
    alive *a = user;
    uint64_t *word = &a->set[reg / 64], bit = UINT64_C(1) << (reg % 64);
    const bool lived = *word & bit;
    if (is_written != a->writes || (is_written && a->is_guarded) || lived == !is_written)
        return;
    *word ^= bit;
    a->count = lived ? a->count - weight_of(a, reg) : a->count + weight_of(a, reg);
}

static void count_set(alive *a, size_t words)
{
    a->count = 0;
    for (size_t w = 0; w < words; w++)
        for (uint64_t left = a->set[w]; left; left &= left - 1)
            a->count += weight_of(a, (uint32_t)(w * 64 + (size_t)__builtin_ctzll(left)));
}

/* From the end of the block to its start. */
static void pass_back(const ifl_flow_block *block, alive *a)
{
    const ifl_flow_touches *t = a->touches;
    a->most = a->count > a->most ? a->count : a->most;
    for (uint32_t i = block->last; i-- > block->first;) {
        a->is_guarded = t->is_guarded(t->user, i);
        a->writes = true;
        t->visit(t->user, i, see_alive, a);
        a->writes = false;
        t->visit(t->user, i, see_alive, a);
        a->most = a->count > a->most ? a->count : a->most;
    }
}

ifl_status ifl_flow_most_alive(const ifl_flow *flow, const ifl_flow_touches *touches,
                               uint32_t (*weigh)(const void *user, uint32_t reg), uint32_t *most,
                               ifl_error *error)
{
    ifl_arena arena = {0};
    uint64_t *live;
    size_t words;
    alive a = {.touches = touches, .weigh = weigh};
    ifl_status status = ifl_flow_live(flow, touches, &arena, &live, &words, error);
    if (status == IFL_OK && !(a.set = ifl_arena_alloc(&arena, words * sizeof *a.set)))
        status = ifl_fail_memory(error, words * sizeof *a.set);
    for (uint32_t b = 0; status == IFL_OK && b < flow->block_count; b++) {
        ifl_flow_live_behind(&flow->blocks[b], live, words, a.set);
        count_set(&a, words);
        pass_back(&flow->blocks[b], &a);
    }
    ifl_arena_free(&arena);
    *most = a.most;
    return status;
}

/* ---- what a value leads to ------------------------------------------------------------------- */

typedef struct carried {
    const ifl_flow *flow;
    const ifl_flow_touches *touches;
    bool (*shares)(const void *user, uint32_t instruction);
    size_t words;
    uint64_t *at_start; /* by block: registers that may hold something of the value */
    uint64_t *now;
    bool *is_reached; /* by block */
    uint32_t *waiting;
    uint32_t waiting_count;
    bool *is_waiting;
    bool reads; /* the instruction at hand reads some of it */
    bool may_not_write;
    bool decides;
} carried;

static bool allocate_carried(carried *c)
{
    const size_t blocks = c->flow->block_count;
    c->at_start = calloc(blocks * c->words + 1, sizeof *c->at_start);
    c->now = calloc(c->words, sizeof *c->now);
    c->is_reached = calloc(blocks + 1, sizeof *c->is_reached);
    c->waiting = calloc(blocks + 1, sizeof *c->waiting);
    c->is_waiting = calloc(blocks + 1, sizeof *c->is_waiting);
    return c->at_start && c->now && c->is_reached && c->waiting && c->is_waiting;
}

static void free_carried(carried *c)
{
    free(c->at_start);
    free(c->now);
    free(c->is_reached);
    free(c->waiting);
    free(c->is_waiting);
}

static void carry_read(void *user, uint32_t reg, bool is_written)
{
    carried *c = user;
    c->reads |= !is_written && (c->now[reg / 64] >> reg % 64 & 1);
}

static void carry_write(void *user, uint32_t reg, bool is_written)
{
    carried *c = user;
    const uint64_t bit = UINT64_C(1) << reg % 64;
    if (is_written && c->reads)
        c->now[reg / 64] |= bit;
    else if (is_written && !c->may_not_write)
        c->now[reg / 64] &= ~bit;
}

static void carry_through(carried *c, uint32_t block, uint32_t first, uint32_t from)
{
    const ifl_flow_block *at = &c->flow->blocks[block];
    const ifl_flow_touches *t = c->touches;
    for (uint32_t i = first; i < at->last; i++) {
        c->reads = i == from;
        t->visit(t->user, i, carry_read, c);
        c->may_not_write = t->is_guarded(t->user, i);
        c->decides |=
            c->reads && i != from &&
            (c->shares(t->user, i) || (i + 1 == at->last && at->successor_count + at->leaves > 1));
        t->visit(t->user, i, carry_write, c);
    }
}

static void carry_on(carried *c, uint32_t block)
{
    const ifl_flow_block *at = &c->flow->blocks[block];
    for (uint32_t s = 0; s < at->successor_count; s++) {
        const uint32_t to = at->successor[s];
        uint64_t *start = c->at_start + to * c->words;
        bool is_new = !c->is_reached[to];
        for (size_t w = 0; w < c->words; w++) {
            is_new |= (c->now[w] & ~start[w]) != 0;
            start[w] |= c->now[w];
        }
        c->is_reached[to] = true;
        if (is_new && !c->is_waiting[to]) {
            c->is_waiting[to] = true;
            c->waiting[c->waiting_count++] = to;
        }
    }
}

/* Whether one of the instructions that the value's lanes come to is alike, and decides a loop. */
static ifl_status decides_behind(const carried *c, uint32_t from,
                                 bool (*alike)(const void *user, uint32_t instruction), bool *out,
                                 ifl_error *error)
{
    ifl_status status = IFL_OK;
    *out = false;
    for (uint32_t b = 0; b < c->flow->block_count; b++) {
        const ifl_flow_block *block = &c->flow->blocks[b];
        const uint32_t last = c->is_reached[b] ? block->last : block->first;
        for (uint32_t i = block->first; i < last && status == IFL_OK && !*out; i++)
            if (i != from && alike(c->touches->user, i))
                status = ifl_flow_decides(c->flow, c->touches, i, c->shares, NULL, out, error);
    }
    return status;
}

ifl_status ifl_flow_decides(const ifl_flow *flow, const ifl_flow_touches *touches, uint32_t from,
                            bool (*shares)(const void *user, uint32_t instruction),
                            bool (*alike)(const void *user, uint32_t instruction), bool *out,
                            ifl_error *error)
{
    ifl_status status = IFL_OK;
    carried c = {
        .flow = flow, .touches = touches, .shares = shares, .words = touches->registers / 64 + 1};
    const bool has_memory = allocate_carried(&c);
    if (has_memory) {
        const uint32_t home = flow->block_of[from];
        carry_through(&c, home, from, from);
        carry_on(&c, home);
        while (c.waiting_count) {
            const uint32_t block = c.waiting[--c.waiting_count];
            c.is_waiting[block] = false;
            memcpy(c.now, c.at_start + block * c.words, c.words * sizeof *c.now);
            carry_through(&c, block, flow->blocks[block].first, from);
            carry_on(&c, block);
        }
        *out = c.decides && c.is_reached[home];
        if (c.decides && !*out && alike)
            status = decides_behind(&c, from, alike, out, error);
    }
    free_carried(&c);
    return has_memory ? status : ifl_fail_memory(error, flow->block_count * c.words);
}

/* ---- where values that begin at several instructions get to ----------------------------------- */

/* What a block's guarded instructions have written anew, `under` one guard: others under the same
 * guard do not find there what was there before. */
typedef struct renewed {
    carried *c;
    uint64_t *held; /* for the instruction at hand; all after it: */
    uint64_t *fresh;
    uint32_t under, guard;
} renewed;

static void renew_read(void *user, uint32_t reg, bool is_written)
{
    renewed *r = user;
    r->c->reads |= !is_written && (r->held[reg / 64] >> reg % 64 & 1);
}

static void forget_fresh(renewed *r)
{
    memset(r->fresh, 0, r->c->words * sizeof *r->fresh);
    r->under = 0;
}

static void renew_write(void *user, uint32_t reg, bool is_written)
{
    renewed *r = user;
    const uint64_t bit = UINT64_C(1) << reg % 64;
    if (!is_written)
        return;
    if (r->under && (r->under - 1) / 2 == reg)
        forget_fresh(r);
    r->fresh[reg / 64] &= ~bit;
    if (r->c->reads || !r->guard)
        return;
    if (r->under != r->guard)
        forget_fresh(r);
    r->under = r->guard;
    r->fresh[reg / 64] |= bit;
}

static void spread_through(renewed *r, uint32_t block, const ifl_flow_question *question)
{
    carried *c = r->c;
    const ifl_flow_block *at = &c->flow->blocks[block];
    const ifl_flow_touches *t = c->touches;
    forget_fresh(r);
    for (uint32_t i = at->first; i < at->last; i++) {
        c->reads = false;
        r->guard = question->guard(t->user, i);
        const bool is_same = r->guard && r->guard == r->under;
        for (size_t w = 0; w < r->c->words; w++)
            r->held[w] = r->c->now[w] & ~(is_same ? r->fresh[w] : 0);
        t->visit(t->user, i, renew_read, r);
        c->decides |= c->reads && question->matters(t->user, i, r->held);
        c->reads |= question->begins(t->user, i);
        c->may_not_write = t->is_guarded(t->user, i);
        t->visit(t->user, i, carry_write, c);
        t->visit(t->user, i, renew_write, r);
    }
}

/* Blocks from last to first, so that the first one is taken first. */
static void wait_for_all(carried *c)
{
    for (uint32_t b = c->flow->block_count; b-- > 0;) {
        c->is_reached[b] = c->is_waiting[b] = true;
        c->waiting[c->waiting_count++] = b;
    }
}

ifl_status ifl_flow_reaches(const ifl_flow *flow, const ifl_flow_touches *touches,
                            const ifl_flow_question *question, bool *out, ifl_error *error)
{
    carried c = {.flow = flow, .touches = touches, .words = touches->registers / 64 + 1};
    renewed r = {.c = &c,
                 .held = calloc(c.words, sizeof *r.held),
                 .fresh = calloc(c.words, sizeof *r.fresh)};
    const bool has_memory = allocate_carried(&c) && r.held && r.fresh;
    if (has_memory)
        wait_for_all(&c);
    while (has_memory && c.waiting_count && !c.decides) {
        const uint32_t block = c.waiting[--c.waiting_count];
        c.is_waiting[block] = false;
        memcpy(c.now, c.at_start + block * c.words, c.words * sizeof *c.now);
        spread_through(&r, block, question);
        carry_on(&c, block);
    }
    *out = c.decides;
    free(r.held);
    free(r.fresh);
    free_carried(&c);
    return has_memory ? IFL_OK : ifl_fail_memory(error, flow->block_count * c.words);
}
