/* SPDX-License-Identifier: Apache-2.0
 * The net of pipes: a block is a pipe from its beginning to its end, a way between blocks a pipe
 * from the end of one to the beginning of another; all that leaves the kernel comes to one place,
 * from which its warps enter. At each place as much goes out as comes in. Taken as a graph of the
 * pipes of unknown flux alone, a pipe's flux follows where nothing else joins its two sides: then
 * it carries what the one side has too much. Knows blocks only. */
#include "sass/sass_flux.h"

#include "sass/sass_flow.h"

#include <stdlib.h>

typedef struct pipe {
    uint32_t from, to; /* places: block b begins at 2b and ends at 2b + 1; the last is outside */
    bool known;
    int64_t flux;
} pipe;

/* Pipe b is that of block b. */
struct ifl_sass_flux {
    const ifl_sass_kernel *kernel;
    pipe *pipes;
    uint32_t pipe_count, place_count;
    bool uniform;
    bool broken; /* what was known contradicts itself */
    /* of a walk over the places: */
    uint32_t *first, *ends;            /* pipes at place p: ends[first[p]..first[p + 1]] */
    uint32_t *order, *number, *lowest; /* number: 1 + index in order; 0: not visited */
    uint32_t *parent;                  /* pipe that led here; pipe_count: none */
    uint32_t *cursor;
    int64_t *excess; /* of a place and all behind it */
};

static void know(pipe *p, uint64_t flux, ifl_sass_flux *f)
{
    enum { HEADROOM_BITS = 16 }; /* sums of a kernel's pipes stay within 64 bits */
    p->known = true;
    p->flux = (int64_t)flux;
    f->broken |= flux >> (63 - HEADROOM_BITS) != 0;
}

/* ---- building -------------------------------------------------------------------------------- */

static void lay(ifl_sass_flux *f, uint32_t from, uint32_t to)
{
    f->pipes[f->pipe_count++] = (pipe){.from = from, .to = to};
}

static bool ends_thread(const ifl_sass_kernel *kernel, const ifl_sass_block *block)
{
    const ifl_sass_instruction *last = &kernel->instructions[block->last - 1];
    return last->sass_class == IFL_SASS_EXIT_CLASS ||
           (block->successor[0] == IFL_SASS_NO_BLOCK && block->successor[1] == IFL_SASS_NO_BLOCK);
}

/* Where code is called, more goes on than came in, and an indirect branch leads nobody knows where:
 * the net is then no net. */
static bool is_net(const ifl_sass_kernel *kernel)
{
    static const bool others[IFL_SASS_OPS] = {
        [IFL_SASS_OP_BRX] = true,  [IFL_SASS_OP_BRXU] = true,     [IFL_SASS_OP_RET] = true,
        [IFL_SASS_OP_CALL] = true, [IFL_SASS_OP_WARPSYNC] = true,
    };
    for (uint32_t b = 0; b < kernel->block_count; b++)
        if (kernel->reached[b] && others[kernel->instructions[kernel->blocks[b].last - 1].op])
            return false;
    return true;
}

static void lay_pipes(ifl_sass_flux *f)
{
    const ifl_sass_kernel *kernel = f->kernel;
    const uint32_t outside = f->place_count - 1;
    for (uint32_t b = 0; b < kernel->block_count; b++)
        lay(f, 2 * b, 2 * b + 1);
    for (uint32_t b = 0; b < kernel->block_count; b++) {
        const ifl_sass_block *block = &kernel->blocks[b];
        if (!kernel->reached[b])
            continue;
        for (int s = 0; s < 2; s++)
            if (block->successor[s] != IFL_SASS_NO_BLOCK)
                lay(f, 2 * b + 1, 2 * block->successor[s]);
        if (ends_thread(kernel, block))
            lay(f, 2 * b + 1, outside);
    }
    lay(f, outside, 0);
}

static void list_ends(ifl_sass_flux *f)
{
    for (uint32_t p = 0; p <= f->place_count; p++)
        f->first[p] = 0;
    for (uint32_t p = 0; p < f->pipe_count; p++)
        f->first[f->pipes[p].from]++, f->first[f->pipes[p].to]++;
    for (uint32_t p = 1; p <= f->place_count; p++)
        f->first[p] += f->first[p - 1];
    for (uint32_t p = 0; p < f->pipe_count; p++) {
        f->ends[--f->first[f->pipes[p].from]] = p;
        f->ends[--f->first[f->pipes[p].to]] = p;
    }
}

static bool allocate(ifl_sass_flux *f, size_t blocks)
{
    const size_t places = 2 * blocks + 1, pipes = 4 * blocks + 1;
    f->place_count = (uint32_t)places;
    f->pipes = calloc(pipes, sizeof *f->pipes);
    f->first = calloc(places + 1, sizeof *f->first);
    f->ends = calloc(2 * pipes, sizeof *f->ends);
    f->order = calloc(places, sizeof *f->order);
    f->number = calloc(places, sizeof *f->number);
    f->lowest = calloc(places, sizeof *f->lowest);
    f->parent = calloc(places, sizeof *f->parent);
    f->cursor = calloc(places, sizeof *f->cursor);
    f->excess = calloc(places, sizeof *f->excess);
    return f->pipes && f->first && f->ends && f->order && f->number && f->lowest && f->parent &&
           f->cursor && f->excess;
}

ifl_sass_flux *ifl_sass_flux_new(const ifl_sass_kernel *kernel, uint64_t warps, bool uniform)
{
    ifl_sass_flux *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->kernel = kernel;
    if (!allocate(f, kernel->block_count)) {
        ifl_sass_flux_free(f);
        return NULL;
    }
    lay_pipes(f);
    know(&f->pipes[f->pipe_count - 1], warps, f);
    f->uniform = uniform && is_net(kernel);
    list_ends(f);
    return f;
}

void ifl_sass_flux_free(ifl_sass_flux *f)
{
    if (!f)
        return;
    void *const owned[] = {f->pipes,  f->first,  f->ends,   f->order, f->number,
                           f->lowest, f->parent, f->cursor, f->excess};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    free(f);
}

/* ---- what follows where a warp does not part ------------------------------------------------- */

static uint32_t other_end(const pipe *p, uint32_t place)
{
    return p->from == place ? p->to : p->from;
}

/* Goes on to a place not seen before along one more pipe of unknown flux; false: there is none. */
static bool go_on(ifl_sass_flux *f, uint32_t place, uint32_t *visited)
{
    while (f->cursor[place] < f->first[place + 1]) {
        const uint32_t p = f->ends[f->cursor[place]++];
        const uint32_t to = other_end(&f->pipes[p], place);
        if (f->pipes[p].known || p == f->parent[place] || to == place)
            continue;
        if (f->number[to]) {
            if (f->number[to] < f->lowest[place])
                f->lowest[place] = f->number[to];
            continue;
        }
        f->parent[to] = p;
        f->order[*visited] = to;
        f->number[to] = f->lowest[to] = ++*visited;
        return true;
    }
    return false;
}

/* Numbers the places that pipes of unknown flux join to `root`, depth first. `lowest` becomes the
 * lowest number that a place and those behind it have a pipe to, besides the one they came by. */
static void walk_from(ifl_sass_flux *f, uint32_t root, uint32_t *visited)
{
    uint32_t at = root;
    f->parent[root] = f->pipe_count;
    f->order[*visited] = root;
    f->number[root] = f->lowest[root] = ++*visited;
    for (;;) {
        const uint32_t before = *visited;
        if (go_on(f, at, visited)) {
            at = f->order[before];
            continue;
        }
        if (f->parent[at] == f->pipe_count)
            return;
        const uint32_t back = other_end(&f->pipes[f->parent[at]], at);
        if (f->lowest[at] < f->lowest[back])
            f->lowest[back] = f->lowest[at];
        at = back;
    }
}

static void start_walk(ifl_sass_flux *f)
{
    for (uint32_t place = 0; place < f->place_count; place++) {
        f->number[place] = 0;
        f->excess[place] = 0;
        f->cursor[place] = f->first[place];
    }
    for (uint32_t p = 0; p < f->pipe_count; p++)
        if (f->pipes[p].known) {
            f->excess[f->pipes[p].from] -= f->pipes[p].flux;
            f->excess[f->pipes[p].to] += f->pipes[p].flux;
        }
}

/* The pipe by which a place was come to is the only one between what lies behind and the rest where
 * nothing behind leads further back. True where that tells of it. */
static bool settle_place(ifl_sass_flux *f, uint32_t place)
{
    const uint32_t p = f->parent[place];
    if (p == f->pipe_count) { /* all of these places: as much in as out */
        f->broken |= f->excess[place] != 0;
        return false;
    }
    pipe *way = &f->pipes[p];
    f->excess[other_end(way, place)] += f->excess[place];
    if (f->lowest[place] < f->number[place])
        return false;
    const int64_t flux = way->from == place ? f->excess[place] : -f->excess[place];
    f->broken |= flux < 0;
    if (!f->broken)
        know(way, (uint64_t)flux, f);
    return true;
}

/* Where nothing comes in, nothing goes along any of the pipes. */
static bool settle_dry(ifl_sass_flux *f)
{
    bool found = false;
    for (uint32_t b = 0; b < f->kernel->block_count; b++) {
        const pipe *block = &f->pipes[b];
        for (uint32_t e = f->first[block->from]; e < f->first[block->to + 1]; e++) {
            pipe *way = &f->pipes[f->ends[e]];
            if (!block->known || block->flux || way->known)
                continue;
            know(way, 0, f);
            found = true;
        }
    }
    return found;
}

static bool settle_net(ifl_sass_flux *f)
{
    uint32_t visited = 0;
    bool found = false;
    start_walk(f);
    for (uint32_t place = 0; place < f->place_count; place++)
        if (!f->number[place])
            walk_from(f, place, &visited);
    for (uint32_t i = visited; i-- > 0;)
        found |= settle_place(f, f->order[i]);
    return settle_dry(f) || found;
}

/* ---- what follows where it may --------------------------------------------------------------- */

/* A block that only leads to another, to which nothing else leads, runs as often as that one. */
static bool settle_chain(ifl_sass_flux *f)
{
    bool found = false;
    for (uint32_t w = (uint32_t)f->kernel->block_count; w + 1 < f->pipe_count; w++) {
        const pipe *way = &f->pipes[w];
        const bool alone = f->first[way->from + 1] - f->first[way->from] == 2 &&
                           f->first[way->to + 1] - f->first[way->to] == 2;
        if (!alone || way->to == f->place_count - 1)
            continue;
        pipe *a = &f->pipes[way->from / 2], *b = &f->pipes[way->to / 2];
        if (a->known == b->known)
            continue;
        found = true;
        if (a->known)
            know(b, (uint64_t)a->flux, f);
        else
            know(a, (uint64_t)b->flux, f);
    }
    return found;
}

/* Each warp enters the first block once, if nothing leads back to it. */
static void settle_entry(ifl_sass_flux *f)
{
    if (f->kernel->block_count && f->first[1] - f->first[0] == 2)
        know(&f->pipes[0], (uint64_t)f->pipes[f->pipe_count - 1].flux, f);
}

void ifl_sass_flux_settle(ifl_sass_flux *f)
{
    if (!f->uniform)
        settle_entry(f);
    while (!f->broken && (f->uniform ? settle_net(f) : settle_chain(f)))
        continue;
}

/* ---- asking ---------------------------------------------------------------------------------- */

void ifl_sass_flux_know(ifl_sass_flux *f, uint32_t block, uint64_t count)
{
    know(&f->pipes[block], count, f);
}

bool ifl_sass_flux_block(const ifl_sass_flux *f, uint32_t block, uint64_t *count)
{
    if (f->broken || !f->pipes[block].known)
        return false;
    if (count)
        *count = (uint64_t)f->pipes[block].flux;
    return true;
}
