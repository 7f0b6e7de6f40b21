/* SPDX-License-Identifier: Apache-2.0
 * Follows an SM once more, with what a change leaves of its traces, its sites and its rates. */
#include "time/time_kept.h"

#include "base/crew.h"
#include "time/time_change.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CONVERTS = 1, COMPARES = 2 };

typedef struct kept {
    ifl_trace_set blocks;
    ifl_site *own;    /* copies, with no texts */
    uint8_t *doubles; /* by site: what it does with numbers of double precision, CONVERTS ... */
    ifl_sites sites;
    ifl_sm_rates rates;
    uint32_t at_once;
    double sm_blocks, all_blocks, sms;
    bool blocks_differ;
    pthread_mutex_t lock; /* of what follows */
    bool is_begun;
    ifl_sm_outcome now;                  /* of these blocks without a change */
    double stored_sectors, stored_lines; /* by them */
} kept;

/* ---- keeping --------------------------------------------------------------------------------- */

void ifl_time_kept_free(void *state)
{
    kept *k = state;
    if (!k)
        return;
    ifl_trace_set_free(&k->blocks);
    free(k->own);
    free(k->doubles);
    pthread_mutex_destroy(&k->lock);
    free(k);
}

/* Conversions between floats and doubles have the unit of special functions. */
static uint8_t doubles_of(const ifl_site *site)
{
    return site->traits & IFL_TRAIT_CONVERTS   ? CONVERTS
           : site->traits & IFL_TRAIT_COMPARES ? COMPARES
                                               : 0;
}

static bool keep_sites(const ifl_sites *sites, kept *k)
{
    k->own = malloc((sites->count + 1) * sizeof *k->own);
    k->doubles = malloc(sites->count + 1);
    if (!k->own || !k->doubles)
        return false;
    for (size_t i = 0; i < sites->count; i++) {
        k->own[i] = sites->at[i];
        k->doubles[i] = doubles_of(&sites->at[i]);
        k->own[i].name = "";
        k->own[i].function = NULL;
    }
    k->sites = (ifl_sites){.at = k->own, .count = sites->count};
    return true;
}

void *ifl_time_keep(const ifl_time_sm *sm)
{
    const ifl_sm_case *of = &sm->of;
    kept *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    *k = (kept){.rates = *of->rates,
                .at_once = of->blocks_per_sm,
                .sm_blocks = sm->sm_blocks,
                .all_blocks = sm->blocks,
                .sms = sm->sms,
                .blocks_differ = sm->blocks_differ,
                .lock = PTHREAD_MUTEX_INITIALIZER};
    if (ifl_trace_set_copy(of->blocks, of->block_count, of->warps_per_block, of->blocks_per_sm,
                           IFL_KEPT_WORDS, &k->blocks) &&
        keep_sites(of->sites, k))
        return k;
    ifl_time_kept_free(k);
    return NULL;
}

/* ---- what a change leaves of the sites ------------------------------------------------------- */

typedef struct changed_sites {
    ifl_sites sites;
    ifl_site *at;
    uint8_t *marks;
} changed_sites;

/* The words of one lane are one request, with one address and one test; what it computes is as much
 * as before. */
static bool is_of_word(const ifl_site *site)
{
    return site->flop == IFL_FLOPS && site->pipe != IFL_PIPE_XU && site->pipe != IFL_PIPE_FP64 &&
           site->pipe != IFL_PIPE_FP16 && site->matrix.kind == IFL_MATRIX_KIND_NONE;
}

static bool is_local(const ifl_site *site)
{
    return site->access.kind != IFL_ACCESS_KINDS && site->access.space == IFL_SPACE_LOCAL;
}

static bool is_stored_in_shared(const ifl_site *site)
{
    return site->access.kind == IFL_ACCESS_STORE && site->access.space == IFL_SPACE_SHARED;
}

/* The compiler counts the cycles of single precision in the stalls, where those of double precision
 * stand now (or a scoreboard, on GPUs with few such units). A predicate takes as long from either. */
static void make_single(const ifl_arch *arch, ifl_site *site, bool compares)
{
    const uint8_t float_cycles = (uint8_t)arch->dependent_cycles;
    if (site->pipe != IFL_PIPE_FP64)
        return;
    const bool is_awaited = site->control.writes != IFL_NO_BOARD;
    if (is_awaited ? site->control.stall < float_cycles
                   : site->control.stall > float_cycles && !compares)
        site->control.stall = float_cycles;
    site->pipe = IFL_PIPE_FMA;
    site->control.delay = IFL_DELAY_FIXED;
    site->control.writes = site->control.reads = IFL_NO_BOARD;
}

static bool change_sites(const kept *k, const ifl_change *c, changed_sites *to)
{
    const size_t bytes = k->sites.count * sizeof *to->at;
    *to = (changed_sites){.at = malloc(bytes + 1), .marks = calloc(k->sites.count + 1, 1)};
    if (!to->at || !to->marks)
        return false;
    memcpy(to->at, k->own, bytes);
    to->sites = (ifl_sites){.at = to->at, .count = k->sites.count};
    for (size_t i = 0; i < k->sites.count; i++) {
        if ((c->no_local && is_local(&to->at[i])) ||
            (c->single_precision && k->doubles[i] == CONVERTS))
            to->marks[i] |= IFL_SITE_GONE;
        if (c->no_staging && is_stored_in_shared(&to->at[i]))
            to->marks[i] |= IFL_SITE_GONE;
        if (c->joins_words && is_of_word(&to->at[i]))
            to->marks[i] |= IFL_SITE_ONCE;
        if (c->single_precision)
            make_single(&k->rates.arch, &to->at[i], k->doubles[i] == COMPARES);
    }
    return true;
}

/* ---- what it leaves of the rates ------------------------------------------------------------- */

static bool asks_for_less(const ifl_change *c)
{
    return c->no_local || c->sectors || c->loads > 0;
}

/* What comes from DRAM is as much as before, or all that is still asked for; the same of what goes
 * there. */
static void change_hits(const kept *k, const ifl_sm_outcome *with, double stored, ifl_sm_rates *r)
{
    enum { PIECES = 2 }; /* of a line that is whole */
    const double brought = k->rates.dram_sector_bytes / IFL_SECTOR_BYTES;
    const double missed = (1 - k->rates.l2_hit) * (double)k->now.l2_sectors * brought,
                 asked = fmax((double)with->l2_sectors, 1);
    r->l2_hit = 1 - fmin(missed, asked) / asked;
    if (stored > 0) {
        r->dram_store_share = fmin(1, k->rates.dram_store_share * k->stored_sectors / stored);
        ifl_sm_rates_store(r, PIECES, stored / IFL_LINE_SECTORS / k->stored_lines);
    }
}

static ifl_sm_rates change_rates(const kept *k, const ifl_change *c, double blocks,
                                 double sm_blocks)
{
    ifl_sm_rates r = k->rates;
    if (c->sectors)
        r.dram_bytes_of_all = r.dram_bytes_in_order;
    const double as_many = k->all_blocks / k->sm_blocks;
    ifl_sm_rates_share(&r, k->rates.sms * (blocks / sm_blocks) / as_many);
    if (asks_for_less(c)) { /* hits were those of what is no longer asked for */
        r.l1_hit = 0;
        r.dram_together = 1;
        r.dram_sector_bytes = IFL_SECTOR_BYTES;
    }
    if (c->from_l2)
        r.l2_hit = 1;
    if (c->no_host)
        r.host_latency = 0;
    r.ahead_bytes = c->ahead_bytes;
    if (c->at_hand)
        r.l2_latency = r.l2_far_latency = r.dram_latency = r.l1_latency;
    return r;
}

/* ---- once more ------------------------------------------------------------------------------- */

typedef struct again {
    const ifl_trace_set *blocks;
    size_t count; /* of them, the first */
    const ifl_sites *sites;
    const uint8_t *marks;
    const ifl_sm_rates *rates;
    uint32_t at_once;
} again;

static bool follow(const again *a, ifl_sm_outcome *out)
{
    const ifl_block_trace **blocks = malloc((a->blocks->count + 1) * sizeof *blocks);
    *out = (ifl_sm_outcome){0};
    for (size_t i = 0; blocks && i < a->count; i++)
        blocks[i] = &a->blocks->at[i];
    const ifl_sm_case of = {.sites = a->sites,
                            .marks = a->marks,
                            .rates = a->rates,
                            .blocks = blocks,
                            .block_count = a->count,
                            .warps_per_block = a->blocks->warps,
                            .blocks_per_sm = a->at_once};
    const bool done = blocks && ifl_sm_run(&of, out);
    free(blocks);
    return done;
}

/* The blocks as they are, with as much written of them as a change would count. */
static bool begin(kept *k)
{
    const ifl_change nothing = {0};
    ifl_trace_set same;
    const again a = {&k->blocks, k->blocks.count, &k->sites, NULL, &k->rates, k->at_once};
    const bool done = ifl_trace_set_change(&k->blocks, &nothing, &k->sites, k->at_once, &same) &&
                      follow(&a, &k->now);
    k->stored_sectors = same.stored;
    k->stored_lines = same.stored_lines;
    ifl_trace_set_free(&same);
    return done;
}

/* Whoever asks first finds out, while others go on with their changes. */
static bool is_begun(kept *k)
{
    pthread_mutex_lock(&k->lock);
    if (!k->is_begun)
        k->is_begun = begin(k);
    const bool done = k->is_begun;
    pthread_mutex_unlock(&k->lock);
    return done;
}

static double times(uint32_t count)
{
    return count > 1 ? count : 1;
}

/* Blocks of the SM that gets the most, and of all SMs. */
static double blocks_of_sm(const kept *k, const ifl_change *c, uint32_t at_once, double *all)
{
    const double factor = times(c->cut) * times(c->narrow) / (times(c->join) * times(c->widen));
    *all = k->all_blocks * factor;
    if (c->in_one_wave)
        return fmin(at_once, k->sm_blocks);
    return fmax(k->blocks_differ ? k->sm_blocks * factor : ceil(*all / k->sms), 1);
}

static double cycles_with(kept *k, const ifl_change *c, const ifl_trace_set *blocks,
                          const changed_sites *sites)
{
    enum { MOST_WARPS = 64 };
    double all;
    uint32_t at_once = c->blocks_per_sm ? c->blocks_per_sm : k->at_once;
    if (at_once * blocks->warps > MOST_WARPS)
        at_once = MOST_WARPS / blocks->warps;
    const double of_sm = blocks_of_sm(k, c, at_once, &all);
    ifl_sm_rates rates = change_rates(k, c, fmax(all, of_sm), of_sm);
    const size_t count = (size_t)fmin((double)blocks->count, ceil(of_sm));
    const again a = {blocks, count, &sites->sites, sites->marks, &rates, at_once};
    ifl_sm_outcome o;
    if (!at_once || !follow(&a, &o))
        return 0;
    if (asks_for_less(c)) {
        if (!is_begun(k))
            return 0;
        change_hits(k, &o, blocks->stored, &rates);
        if (!follow(&a, &o))
            return 0;
    }
    return c->in_one_wave ? o.cycles * k->sm_blocks / (double)k->blocks.count
                          : ifl_sm_cycles(&o, count, of_sm, 1);
}

/* As many blocks at once as there are, and nothing else. */
static bool changes_nothing(const kept *k, const ifl_change *c)
{
    return (!c->blocks_per_sm || c->blocks_per_sm == k->at_once) && times(c->join) == 1 &&
           times(c->unroll) == 1 && times(c->cut) == 1 && times(c->widen) == 1 &&
           times(c->narrow) == 1 && !c->in_one_wave && !c->no_local && !c->no_conflicts &&
           !c->half_words && !c->no_staging && !(c->loads > 0) && !c->single_precision &&
           !c->sectors && !c->lone && !c->from_l2 && !c->no_host && !c->at_hand;
}

static double ratio_of(kept *k, const ifl_change *c)
{
    if (!c->known)
        return 0;
    if (changes_nothing(k, c))
        return 1;
    ifl_trace_set blocks = {0};
    changed_sites sites = {0};
    double ratio = 0;
    if (ifl_trace_set_change(&k->blocks, c, &k->sites, k->at_once, &blocks) &&
        change_sites(k, c, &sites)) {
        const double with = cycles_with(k, c, &blocks, &sites);
        if (is_begun(k)) {
            const double now = ifl_sm_cycles(&k->now, k->blocks.count, k->sm_blocks, 1);
            ratio = now > 0 ? with / now : 0;
        }
    }
    ifl_trace_set_free(&blocks);
    free(sites.at);
    free(sites.marks);
    return ratio;
}

/* ---- several side by side -------------------------------------------------------------------- */

typedef struct questions {
    kept *of;
    const ifl_change *const *changes;
    size_t count, next;
    double *ratios;
} questions;

static void *answer(void *user)
{
    questions *q = user;
    for (size_t i; (i = __atomic_fetch_add(&q->next, 1, __ATOMIC_RELAXED)) < q->count;)
        q->ratios[i] = ratio_of(q->of, q->changes[i]);
    return NULL;
}

void ifl_time_kept_find(void *state, int threads, const ifl_change *const *changes, size_t count,
                        double *ratios)
{
    questions q = {.of = state, .changes = changes, .count = count, .ratios = ratios};
    ifl_crew_work(ifl_crew_size(threads, count), answer, &q);
}
