/* SPDX-License-Identifier: Apache-2.0
 * Blocks that differ go one after the other to the SM that has a place first. The SM that ends last
 * is followed, with the kept traces that are most like its blocks. */
#include "time/time_blocks.h"

#include "time/time_costs.h"

#include <math.h>
#include <stdlib.h>

enum {
    MOST_EVEN =
        16384, /* of larger grids whose blocks hardly differ all SMs end at nearly the same time */
    MOST_PLACED = 32768, /* of larger ones some stand for all */
    MOST_FOLLOWED = 128,
    MOST_ON_SM = 32
};

/* A block of the grid. */
typedef struct placed {
    uint32_t sm;
    double work; /* warp instructions */
} placed;

/* An SM on which blocks run side by side, all at the same pace. */
typedef struct busy_sm {
    double left[MOST_ON_SM];   /* of the work of each */
    uint32_t slot[MOST_ON_SM]; /* of its cluster */
    uint32_t count;
    double at, ends; /* until then `left` is right; when the first of them ends */
    double sum;      /* of all the work that it got */
} busy_sm;

/* Where a cluster runs; the next one comes when all of its blocks have ended. Without clusters the place
 * of a block. */
typedef struct cluster_slot {
    uint32_t first; /* of its blocks' SMs in slot_sms */
    uint32_t live;
} cluster_slot;

typedef struct candidate {
    const ifl_block_trace *trace;
    double work;
    uint32_t uses;
    bool is_of_sm; /* of the scope's: such blocks share what those of one SM do */
} candidate;

typedef struct finder {
    const ifl_time_plan *plan;
    const ifl_time_scope *scope;
    uint32_t per_sm;
    double degree;
    uint64_t stride; /* as many of the grid's blocks stand behind each that is placed */
    size_t count;    /* that are placed */
    uint32_t size;   /* blocks of a cluster */
    placed *blocks;
    busy_sm *sms;
    cluster_slot *slots;
    uint32_t *slot_sms;
    candidate *candidates;
    size_t candidate_count;
} finder;

/* ---- who runs where -------------------------------------------------------------------------- */

/* Some block does several times as much as the average. */
static bool some_do_far_more(const ifl_block_work *work, uint64_t blocks)
{
    double sum = 0, most = 0;
    for (uint32_t i = 0; i < work->slice_count; i++) {
        sum += (double)work->slices[i].sum;
        most = fmax(most, (double)work->slices[i].most);
    }
    return most * (double)blocks > ifl_sm_constant.far_more * sum;
}

bool ifl_time_blocks_differ(const ifl_time_plan *plan, size_t scope, uint32_t per_sm,
                            const ifl_block_work *work)
{
    return work->slice_count && plan->scopes[scope].blocks > 1 && per_sm <= MOST_ON_SM &&
           (plan->blocks <= MOST_EVEN || some_do_far_more(work, plan->blocks));
}

/* Cycles for each instruction of a block, in units of those that it takes alone: up to `degree` of
 * them do not slow each other. */
static double slowness(const finder *f, const busy_sm *sm)
{
    return fmax(1, sm->count / f->degree);
}

static void find_end(const finder *f, busy_sm *sm)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < sm->count; i++)
        least = fmin(least, sm->left[i]);
    sm->ends = sm->count ? sm->at + least * slowness(f, sm) : INFINITY;
}

static void go_on(const finder *f, busy_sm *sm, double now)
{
    const double done = (now - sm->at) / slowness(f, sm);
    for (uint32_t i = 0; i < sm->count; i++)
        sm->left[i] -= done;
    sm->at = now;
}

static void start_block(finder *f, size_t number, uint32_t slot, double now)
{
    const uint32_t on = f->slot_sms[f->slots[slot].first + number % f->size];
    busy_sm *sm = &f->sms[on];
    go_on(f, sm, now);
    f->slots[slot].live++;
    sm->slot[sm->count] = slot;
    sm->left[sm->count++] = f->blocks[number].work;
    sm->sum += f->blocks[number].work;
    f->blocks[number].sm = on;
    find_end(f, sm);
}

/* Takes out the block of the SM that ends next, and returns its slot. */
static uint32_t end_block(const finder *f, busy_sm *sm)
{
    uint32_t first = 0;
    go_on(f, sm, sm->ends);
    for (uint32_t i = 1; i < sm->count; i++)
        if (sm->left[i] < sm->left[first])
            first = i;
    const uint32_t slot = sm->slot[first];
    sm->left[first] = sm->left[--sm->count];
    sm->slot[first] = sm->slot[sm->count];
    f->slots[slot].live--;
    find_end(f, sm);
    return slot;
}

static double next_end(const finder *f)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < f->scope->placing.sms; i++)
        least = fmin(least, f->sms[i].ends);
    return least;
}

/* Places that the SM has free by then. */
static uint32_t free_by(const finder *f, const busy_sm *sm, double then)
{
    uint32_t free_places = 0;
    for (uint32_t i = 0; i < sm->count; i++)
        free_places += sm->at + sm->left[i] * slowness(f, sm) <= then;
    return free_places;
}

/* The SM that has room first. Blocks that do the same end together here: of SMs where that is at one time the one with the most
 * room comes first, or the first such SM would get as many as it holds before the others got one. In longer grids that evens
 * out. */
static uint32_t next_to_end(const finder *f)
{
    const double rounding = 1e-9, first = next_end(f), then = first * (1 + rounding);
    const bool is_short = f->count <= 2 * (size_t)f->scope->placing.sms * f->per_sm;
    uint32_t found = 0, most = 0;
    for (uint32_t i = 0; i < f->scope->placing.sms; i++) {
        const busy_sm *sm = &f->sms[i];
        const uint32_t room =
            is_short && sm->ends <= then ? free_by(f, sm, then) : sm->ends <= first;
        if (room > most) {
            found = i;
            most = room;
        }
    }
    return found;
}

/* Of each stride another block, so that the first of a slice, which has the most, is not always or
 * never it. Clusters that are no row of blocks are taken as if they were. */
static void take_work(finder *f, const ifl_block_work *work)
{
    uint64_t before = 0;
    size_t number = 0;
    for (uint32_t s = 0; s < work->slice_count; s++) {
        const ifl_work_slice *slice = &work->slices[s];
        for (; number < f->count; number++) {
            const uint64_t block = number * f->stride + number % f->stride;
            if (block >= before + slice->blocks)
                break;
            f->blocks[number].work = ifl_work_slice_block(slice, block - before);
        }
        before += slice->blocks;
    }
}

/* Starts the cluster that has the block of that number first, and returns the number behind it. */
static size_t start_cluster(finder *f, size_t number, uint32_t slot, double now)
{
    for (uint32_t i = 0; i < f->size && number < f->count; i++)
        start_block(f, number++, slot, now);
    return number;
}

/* Returns the SM that ends last; of several, the one that got most. */
static uint32_t place_blocks(finder *f, size_t at_once)
{
    uint32_t last = 0;
    size_t next = 0;
    for (uint32_t slot = 0; next < f->count && next < at_once; slot++)
        next = start_cluster(f, next, slot, 0);
    while (next < f->count) {
        busy_sm *sm = &f->sms[next_to_end(f)];
        const uint32_t slot = end_block(f, sm);
        if (!f->slots[slot].live)
            next = start_cluster(f, next, slot, sm->at);
    }
    for (uint32_t i = 0; i < f->scope->placing.sms; i++) {
        while (f->sms[i].count)
            end_block(f, &f->sms[i]);
        const busy_sm *sm = &f->sms[i], *most = &f->sms[last];
        if (sm->at > most->at || (sm->at == most->at && sm->sum > most->sum))
            last = i;
    }
    return last;
}

/* ---- what stands for it ---------------------------------------------------------------------- */

static bool take_candidates(finder *f, const ifl_time_traces *traces)
{
    const size_t count = ifl_time_traces_all(traces, NULL, 0);
    const ifl_block_trace **all = malloc((count + 1) * sizeof *all);
    f->candidates = calloc(count + 1, sizeof *f->candidates);
    if (all && f->candidates) {
        ifl_time_traces_all(traces, all, count);
        for (size_t i = 0; i < count; i++) {
            const double work =
                (double)ifl_block_trace_instructions(all[i], f->plan->warps_per_block);
            f->candidates[f->candidate_count++] =
                (candidate){all[i], fmax(work, 1), 0,
                            ifl_place_sm(&f->scope->placing, all[i]->number) == f->scope->chosen};
        }
    }
    free(all);
    return f->candidates;
}

/* The trace of nearly as much work; of several, one that does not stand for many others yet, as its
 * lines would be found in the L1, and those of one SM first, of which each finds there what the others ask for (lab/histogram,
 * slices: six blocks that read the same numbers). */
static candidate *most_alike(finder *f, double work)
{
    candidate *found = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < f->candidate_count; i++) {
        candidate *c = &f->candidates[i];
        const double apart = fabs(log(fmax(work, 1) / c->work)) +
                             ifl_sm_constant.used_again * (c->uses + !c->is_of_sm);
        if (apart >= least)
            continue;
        found = c;
        least = apart;
    }
    return found;
}

/* How long an SM takes for such blocks at least, by all of them and by the longest. */
typedef struct extent {
    double sum, longest;
} extent;

static void add_block(extent *e, double work)
{
    e->sum += work;
    e->longest = fmax(e->longest, work);
}

static double time_of(const finder *f, const extent *e)
{
    return fmax(e->sum / f->degree, e->longest);
}

static int by_work(const void *a, const void *b)
{
    const placed *const *x = a, *const *y = b;
    return (*x)->work != (*y)->work ? ((*x)->work > (*y)->work) - ((*x)->work < (*y)->work)
                                    : (*x > *y) - (*x < *y);
}

static int by_number(const void *a, const void *b)
{
    const placed *const *x = a, *const *y = b;
    return (*x > *y) - (*x < *y);
}

/* Leaves at most MOST_FOLLOWED in the order of the grid, with about as much work on average: each has
 * a part of the others, ordered by work, for which it stands. The longest is one of them: the SM may
 * end with it. */
static size_t thin(const placed **at, size_t count)
{
    if (count <= MOST_FOLLOWED)
        return count;
    qsort(at, count, sizeof *at, by_work);
    for (size_t i = 0; i + 1 < MOST_FOLLOWED; i++)
        at[i] = at[(2 * i + 1) * count / (2 * MOST_FOLLOWED)];
    at[MOST_FOLLOWED - 1] = at[count - 1];
    qsort(at, MOST_FOLLOWED, sizeof *at, by_number);
    return MOST_FOLLOWED;
}

/* How many SMs with the work of this one the launch's would fill: no more than there are. */
static double sms_alike(const finder *f, uint32_t sm)
{
    double all = 0, own = 0;
    for (size_t b = 0; b < f->count; b++) {
        all += f->blocks[b].work;
        own += f->blocks[b].sm == sm ? f->blocks[b].work : 0;
    }
    return own > 0 ? fmin(all / own, f->scope->placing.sms) : 0;
}

static bool take_sm(finder *f, uint32_t sm, ifl_time_blocks *out)
{
    extent own = {0}, stand_ins = {0};
    size_t count = 0;
    const placed **of_sm = malloc((f->count + 1) * sizeof *of_sm);
    for (size_t b = 0; of_sm && b < f->count; b++)
        if (f->blocks[b].sm == sm)
            of_sm[count++] = &f->blocks[b];
    out->of_sm = (double)(count * f->stride);
    out->sms = sms_alike(f, sm);
    count = of_sm ? thin(of_sm, count) : 0;
    out->at = malloc((count + 1) * sizeof *out->at);
    for (size_t i = 0; out->at && i < count; i++) {
        candidate *c = most_alike(f, of_sm[i]->work);
        out->at[out->count++] = c->trace;
        c->uses++;
        add_block(&own, of_sm[i]->work);
        add_block(&stand_ins, c->work);
    }
    free(of_sm);
    out->longer = stand_ins.sum > 0 ? time_of(f, &own) / time_of(f, &stand_ins) : 0;
    return of_sm && out->at;
}

static bool make_slots(finder *f, size_t at_once)
{
    f->slots = calloc(at_once / f->size + 1, sizeof *f->slots);
    f->slot_sms = calloc(at_once + 1, sizeof *f->slot_sms);
    if (!f->slots || !f->slot_sms)
        return false;
    for (size_t i = 0; i < at_once && i < f->count; i++) {
        f->slots[i / f->size].first = (uint32_t)(i / f->size * f->size);
        f->slot_sms[i] = ifl_place_sm(&f->scope->placing, ifl_place_nth(&f->scope->placing, i));
    }
    return true;
}

bool ifl_time_blocks_last(const ifl_time_traces *traces, const ifl_time_plan *plan, size_t scope,
                          uint32_t per_sm, double degree, const ifl_block_work *work,
                          ifl_time_blocks *out)
{
    finder f = {.plan = plan,
                .scope = &plan->scopes[scope],
                .per_sm = per_sm,
                .degree = fmin(fmax(degree, 1), per_sm),
                .size = ifl_cluster_size(plan->scopes[scope].placing.cluster),
                .stride = (plan->blocks + MOST_PLACED - 1) / MOST_PLACED};
    f.count = plan->blocks / f.stride;
    const size_t at_once = ifl_place_held(f.scope->placing.sms, per_sm, f.size);
    *out = (ifl_time_blocks){0};
    f.blocks = calloc(f.count, sizeof *f.blocks);
    f.sms = calloc(f.scope->placing.sms, sizeof *f.sms);
    bool done = f.blocks && f.sms && make_slots(&f, at_once) && take_candidates(&f, traces);
    if (done && f.candidate_count) {
        take_work(&f, work);
        done = take_sm(&f, place_blocks(&f, at_once), out);
    }
    free(f.blocks);
    free(f.sms);
    free(f.slots);
    free(f.slot_sms);
    free(f.candidates);
    return done;
}

/* ---- those of the scope's own SM ------------------------------------------------------------- */

bool ifl_time_blocks_own(const ifl_time_traces *traces, size_t scope, ifl_time_blocks *out)
{
    *out = (ifl_time_blocks){.count = ifl_time_traces_of(traces, scope, NULL, 0)};
    out->at = malloc((out->count + 1) * sizeof *out->at);
    if (out->at)
        ifl_time_traces_of(traces, scope, out->at, out->count);
    return out->at;
}

void ifl_time_blocks_free(ifl_time_blocks *blocks)
{
    free(blocks->at);
    *blocks = (ifl_time_blocks){0};
}
