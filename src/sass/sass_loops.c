/* SPDX-License-Identifier: Apache-2.0
 * The natural loops of a kernel and how they nest: a way back to a block that every way from the
 * entry passes is a loop's. Knows blocks; nothing of instructions. */
#include "sass/sass_flow.h"

#include <stdlib.h>
#include <string.h>

/* Dominators by Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm": blocks by their
 * number in a reverse postorder, from 1; 0 is a block before all roots. */
typedef struct work {
    ifl_sass_kernel *kernel;
    uint32_t count;
    uint32_t *order; /* of the blocks reached, reverse postorder */
    uint32_t ordered;
    uint32_t *number;                /* of a block in order; 0: not reached */
    uint32_t *dominator;             /* numbers, by number */
    uint32_t *first_before, *before; /* of block b: before[first_before[b]..first_before[b + 1]] */
    bool *root;
    uint32_t *holder; /* the header of a loop that holds the block, or the block itself */
    int32_t *loop_of; /* whose header the block is, -1: none */
    uint32_t *stack;
} work;

/* ---- order ----------------------------------------------------------------------------------- */

static void list_before(work *w)
{
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t b = 0; b < w->count; b++)
            for (int s = 0; s < 2; s++) {
                const uint32_t to = w->kernel->blocks[b].successor[s];
                if (to == IFL_SASS_NO_BLOCK || !w->kernel->reached[b])
                    continue;
                if (pass == 0)
                    w->first_before[to + 2]++;
                else
                    w->before[w->first_before[to + 1]++] = b;
            }
        for (uint32_t b = 0; pass == 0 && b < w->count; b++)
            w->first_before[b + 2] += w->first_before[b + 1];
    }
}

/* Depth first; the stack holds blocks twice: once to enter, once to leave. */
static void visit(work *w, uint32_t root)
{
    enum { LEAVE = 1 };
    size_t depth = 0;
    w->root[root] = true;
    w->stack[depth++] = root << 1;
    while (depth) {
        const uint32_t top = w->stack[--depth], b = top >> 1;
        if (top & LEAVE) {
            w->order[w->count - ++w->ordered] = b;
            continue;
        }
        if (w->number[b])
            continue;
        w->number[b] = UINT32_MAX;
        w->stack[depth++] = top | LEAVE;
        for (int s = 1; s >= 0; s--) {
            const uint32_t to = w->kernel->blocks[b].successor[s];
            if (to != IFL_SASS_NO_BLOCK && !w->number[to])
                w->stack[depth++] = to << 1;
        }
    }
}

static void put_in_order(work *w)
{
    for (uint32_t b = w->count; b-- > 0;)
        if (b == 0 || (w->kernel->reached[b] && w->first_before[b] == w->first_before[b + 1]))
            visit(w, b);
    for (uint32_t b = 0; b < w->count; b++) /* circles that only an indirect branch enters */
        if (w->kernel->reached[b] && !w->number[b])
            visit(w, b);
    memmove(w->order, w->order + (w->count - w->ordered), w->ordered * sizeof *w->order);
    for (uint32_t i = 0; i < w->ordered; i++)
        w->number[w->order[i]] = i + 1;
}

/* ---- dominators ------------------------------------------------------------------------------ */

static uint32_t common(const work *w, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (a > b)
            a = w->dominator[a];
        while (b > a)
            b = w->dominator[b];
    }
    return a;
}

static uint32_t dominator_of(const work *w, uint32_t b)
{
    uint32_t found = w->root[b] ? 0 : UINT32_MAX;
    for (uint32_t p = w->first_before[b]; p < w->first_before[b + 1]; p++) {
        const uint32_t from = w->number[w->before[p]];
        if (from != 0 && w->dominator[from] != UINT32_MAX)
            found = found == UINT32_MAX ? from : common(w, found, from);
    }
    return found == UINT32_MAX ? 0 : found;
}

static void find_dominators(work *w)
{
    memset(w->dominator, 0xff, (w->count + 1) * sizeof *w->dominator);
    w->dominator[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < w->ordered; i++) {
            const uint32_t found = dominator_of(w, w->order[i]);
            changed |= w->dominator[i + 1] != found;
            w->dominator[i + 1] = found;
        }
    }
}

static bool dominates(const work *w, uint32_t a, uint32_t b)
{
    uint32_t at = w->number[b];
    while (at > w->number[a])
        at = w->dominator[at];
    return at == w->number[a];
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Does a way lead back from `from` to `header`, which it could not have come without? */
static bool leads_back(const work *w, uint32_t from, uint32_t header)
{
    return w->number[from] && dominates(w, header, from);
}

static bool is_header(const work *w, uint32_t b)
{
    for (uint32_t p = w->first_before[b]; w->number[b] && p < w->first_before[b + 1]; p++)
        if (leads_back(w, w->before[p], b))
            return true;
    return false;
}

/* The header of the outermost loop found so far that holds the block; itself where none does. */
static uint32_t outermost(work *w, uint32_t b)
{
    while (w->holder[b] != b)
        b = w->holder[b] = w->holder[w->holder[b]];
    return b;
}

static void push_before(work *w, uint32_t b, uint32_t header, bool only_back, size_t *depth)
{
    for (uint32_t p = w->first_before[b]; p < w->first_before[b + 1]; p++) {
        uint32_t from = w->before[p];
        if (!w->number[from] || (only_back && !leads_back(w, from, header)))
            continue;
        from = outermost(w, from);
        if (from != header && w->number[from] > w->number[header]) /* else a second entry */
            w->stack[(*depth)++] = from;
    }
}

/* Takes into a loop all from which a way leads back to its header: blocks, and loops found before,
 * which lie inside. */
static void fill_loop(work *w, int32_t l)
{
    ifl_sass_kernel *kernel = w->kernel;
    const uint32_t header = kernel->loops[l].header;
    size_t depth = 0;
    kernel->blocks[header].loop = l;
    push_before(w, header, header, true, &depth);
    while (depth) {
        const uint32_t b = w->stack[--depth];
        if (outermost(w, b) == header)
            continue;
        w->holder[b] = header;
        if (w->loop_of[b] >= 0)
            kernel->loops[w->loop_of[b]].outer = l;
        else
            kernel->blocks[b].loop = l;
        push_before(w, b, header, false, &depth);
    }
}

static void find_depths(work *w)
{
    for (uint32_t i = 0; i < w->ordered; i++) {
        const int32_t l = w->loop_of[w->order[i]];
        if (l < 0)
            continue;
        ifl_sass_loop *loop = &w->kernel->loops[l];
        loop->depth = 1;
        if (loop->outer < 0)
            continue;
        loop->depth += w->kernel->loops[loop->outer].depth;
        w->kernel->loops[loop->outer].is_innermost = false;
    }
}

static ifl_status make_loops(work *w, ifl_arena *arena, ifl_error *error)
{
    ifl_sass_kernel *kernel = w->kernel;
    int32_t count = 0;
    for (uint32_t b = 0; b < w->count; b++) {
        w->holder[b] = b;
        w->loop_of[b] = is_header(w, b) ? count++ : -1;
    }
    kernel->loops = ifl_arena_alloc(arena, (size_t)count * sizeof *kernel->loops);
    if (!kernel->loops)
        return ifl_fail_memory(error, (size_t)count * sizeof *kernel->loops);
    kernel->loop_count = (size_t)count;
    for (uint32_t b = 0; b < w->count; b++)
        if (w->loop_of[b] >= 0)
            kernel->loops[w->loop_of[b]] =
                (ifl_sass_loop){.header = b, .outer = -1, .is_innermost = true};
    return IFL_OK;
}

/* Loops stand in the order of their headers; they are filled from the inside. */
static ifl_status find(work *w, ifl_arena *arena, ifl_error *error)
{
    list_before(w);
    put_in_order(w);
    find_dominators(w);
    const ifl_status status = make_loops(w, arena, error);
    if (status != IFL_OK)
        return status;
    for (uint32_t i = w->ordered; i-- > 0;)
        if (w->loop_of[w->order[i]] >= 0)
            fill_loop(w, w->loop_of[w->order[i]]);
    find_depths(w);
    return IFL_OK;
}

ifl_status ifl_sass_find_loops(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error)
{
    const size_t count = kernel->block_count;
    if (!count)
        return IFL_OK;
    /* A block is entered once for each way to it and left once: three a block at most. */
    work w = {
        .kernel = kernel,
        .count = (uint32_t)count,
        .order = calloc(count, sizeof *w.order),
        .number = calloc(count, sizeof *w.number),
        .dominator = calloc(count + 1, sizeof *w.dominator),
        .first_before = calloc(count + 2, sizeof *w.first_before),
        .before = calloc(2 * count, sizeof *w.before),
        .root = calloc(count, sizeof *w.root),
        .holder = calloc(count, sizeof *w.holder),
        .loop_of = calloc(count, sizeof *w.loop_of),
        .stack = calloc(3 * count + 1, sizeof *w.stack),
    };
    void *const owned[] = {w.order, w.number, w.dominator, w.first_before, w.before,
                           w.root,  w.holder, w.loop_of,   w.stack};
    bool whole = true;
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        whole &= owned[i] != NULL;
    const ifl_status status = whole ? find(&w, arena, error) : ifl_fail_memory(error, 16 * count);
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    return status;
}
