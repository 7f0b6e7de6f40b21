/* SPDX-License-Identifier: Apache-2.0
 * The traces of one worker, and how they are kept short. */
#include "time/time_trace.h"

#include "cache/request_lines.h"
#include "count/footprint.h"
#include "time/time_costs.h"
#include "time/time_window.h"

#include <math.h>
#include <string.h>

enum {
    SAMPLE_LEVELS = 6 /* IFL_TIME_SAMPLES < 1 << SAMPLE_LEVELS: at that level there are none */
};

/* ---- words ----------------------------------------------------------------------------------- */

enum {
    PASS_BITS = 8,
    SERIAL_AT = 8,
    SERIAL_BITS = 6,
    END_AT = 14,
    END_BITS = 2,
    LINES_AT = 16,
    LINE_BITS = 7,
    SERVED_AT = 24,
    SERVED_BITS = 3,
    HOST_AT = 27
};

static uint32_t at_most(uint32_t value, unsigned bits)
{
    const uint32_t most = (1u << bits) - 1;
    return value < most ? value : most;
}

uint32_t ifl_request_pack(ifl_request_cost cost)
{
    return at_most(cost.passes, PASS_BITS) | at_most(cost.serial, SERIAL_BITS) << SERIAL_AT |
           at_most(cost.ends, END_BITS) << END_AT | at_most(cost.lines, LINE_BITS) << LINES_AT |
           (uint32_t)cost.served << SERVED_AT | (uint32_t)cost.of_host << HOST_AT;
}

static uint32_t field(uint32_t word, unsigned at, unsigned bits)
{
    return word >> at & ((1u << bits) - 1);
}

ifl_request_cost ifl_request_unpack(uint32_t word)
{
    return (ifl_request_cost){.passes = field(word, 0, PASS_BITS),
                              .serial = field(word, SERIAL_AT, SERIAL_BITS),
                              .ends = field(word, END_AT, END_BITS),
                              .lines = field(word, LINES_AT, LINE_BITS),
                              .served = (ifl_request_class)field(word, SERVED_AT, SERVED_BITS),
                              .of_host = field(word, HOST_AT, 1)};
}

uint32_t ifl_line_pack(uint64_t line, uint32_t sectors)
{
    return (uint32_t)line << IFL_LINE_SECTORS | (sectors & ((1u << IFL_LINE_SECTORS) - 1));
}

size_t ifl_trace_words(const uint32_t *at)
{
    return *at & IFL_WORD_STRETCH ? 2 : 2 + ifl_request_unpack(at[1]).lines;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

struct ifl_time_traces {
    const ifl_time_plan *plan;
    IFL_VEC(ifl_block_trace) blocks;
    ifl_block_trace *last; /* the block of the last event, NULL: it is not kept */
    uint64_t last_number;
    uint64_t words;
    uint32_t
        /* every level halves the samples, then the blocks of an SM, then the words of a warp */
        level;
    uint32_t window_level; /* every one halves the windows that are kept */
    uint64_t kept;         /* instructions */
    bool has_no_gaps;      /* nothing of gaps is kept */
    bool has_windows;      /* not all that warps do need be followed */
    uint32_t whole;        /* instructions of a warp behind a barrier that windows do not part */
    uint32_t *barriers;    /* in the code before each site, and before its end */
    size_t sites;
    bool lost;
    ifl_lookup lookup;
    ifl_alike known; /* measures */
    ifl_request_lines lines;
};

ifl_time_scope ifl_time_scope_of(const ifl_placing *placing, uint32_t least)
{
    ifl_time_scope scope = {.placing = *placing, .least = least};
    scope.chosen = ifl_place_busiest(placing, &scope.blocks);
    return scope;
}

/* The first blocks of an SM are kept; at each level behind those of the samples, half as many. */
static uint64_t most_blocks(const ifl_time_scope *scope, uint32_t level)
{
    const uint32_t halved = level > SAMPLE_LEVELS ? level - SAMPLE_LEVELS : 0;
    const uint64_t all = scope->blocks, left = halved < 64 ? all >> halved : 0;
    return left > scope->least ? left : all < scope->least ? all : scope->least;
}

static uint32_t block_levels(const ifl_time_plan *plan)
{
    uint32_t level = SAMPLE_LEVELS;
    for (size_t i = 0; i < plan->scope_count; i++)
        while (most_blocks(&plan->scopes[i], level) > plan->scopes[i].least &&
               level < SAMPLE_LEVELS + 63)
            level++;
    return level;
}

/* Somewhere in one of equal parts of the grid, as neighbours and columns are alike. */
static uint64_t sample_within(uint64_t blocks, uint32_t part, uint32_t parts)
{
    const uint64_t each = blocks / parts, rest = blocks % parts;
    const uint64_t first = each * part + rest * part / parts,
                   next = each * (part + 1) + rest * (part + 1) / parts;
    const uint32_t mixed =
        (part + 1) * UINT32_C(0x9e3779b1); /* Fibonacci hashing (Knuth, TAOCP 6.4) */
    return next > first ? first + (uint64_t)((double)(next - first) * mixed * 0x1p-32) : UINT64_MAX;
}

/* Where blocks differ, those of an SM need not have any of the longest: some of the whole grid are
 * kept too. What blocks do that others do not is often done at the grid's edges. */
void ifl_time_plan_samples(ifl_time_plan *plan, const uint32_t grid[3])
{
    enum { LOW, MIDDLE, HIGH };
    static const uint8_t edges[][3] = {
        {LOW, LOW, LOW},        {MIDDLE, LOW, MIDDLE},  {LOW, MIDDLE, MIDDLE},
        {MIDDLE, MIDDLE, LOW},  {LOW, LOW, MIDDLE},     {HIGH, HIGH, HIGH},
        {MIDDLE, HIGH, MIDDLE}, {HIGH, MIDDLE, MIDDLE}, {MIDDLE, MIDDLE, HIGH},
        {HIGH, HIGH, MIDDLE},
    };
    const uint32_t edge_count = sizeof edges / sizeof *edges, parts = IFL_TIME_SAMPLES - edge_count;
    for (uint32_t i = 0; i < edge_count; i++) {
        const uint64_t x = (grid[0] - 1ull) * edges[i][0] / HIGH,
                       y = (grid[1] - 1ull) * edges[i][1] / HIGH,
                       z = (grid[2] - 1ull) * edges[i][2] / HIGH;
        plan->samples[i] = x + grid[0] * (y + grid[1] * z);
    }
    for (uint32_t part = 0; part < parts; part++)
        plan->samples[edge_count + part] = sample_within(plan->blocks, part, parts);
}

/* At each level half of them. */
static bool is_sample(const ifl_time_plan *plan, uint64_t block, uint32_t level)
{
    const uint32_t step = UINT32_C(1) << (level < SAMPLE_LEVELS ? level : SAMPLE_LEVELS - 1);
    for (uint32_t part = 0; level < SAMPLE_LEVELS && part < IFL_TIME_SAMPLES; part += step)
        if (plan->samples[part] == block)
            return true;
    return false;
}

/* Where each block has an SM of its own the launch ends with the longest one: all are kept, at each
 * level half of them, and the longest of those is followed. It is often the first, whose threads do
 * what is done once. */
static bool has_own(const ifl_time_plan *plan, const ifl_time_scope *scope)
{
    return plan->blocks <= scope->placing.sms && scope->blocks <= 1;
}

static bool is_of(const ifl_time_plan *plan, const ifl_time_scope *scope, uint64_t block,
                  uint32_t level)
{
    const uint64_t step = UINT64_C(1) << (level < SAMPLE_LEVELS ? level : 63);
    return (has_own(plan, scope) && block % step == 0) ||
           (ifl_place_sm(&scope->placing, block) == scope->chosen &&
            ifl_place_turn(&scope->placing, block) / scope->placing.sms <
                most_blocks(scope, level));
}

static bool is_kept(const ifl_time_plan *plan, uint64_t block, uint32_t level)
{
    for (size_t i = 0; i < plan->scope_count; i++)
        if (is_of(plan, &plan->scopes[i], block, level))
            return true;
    return is_sample(plan, block, level);
}

static uint64_t words_at_most(const ifl_time_plan *plan)
{
    return plan->most_words ? plan->most_words : IFL_TIME_WORDS;
}

/* Of a warp, once no more blocks can be left out. */
static uint64_t warp_words_at_most(const ifl_time_plan *plan, uint32_t level)
{
    const uint32_t past = level - block_levels(plan);
    return level > block_levels(plan) ? words_at_most(plan) >> (past < 63 ? past : 63) : UINT64_MAX;
}

static void free_warp(ifl_warp_trace *warp)
{
    ifl_vec_free(&warp->words);
    ifl_vec_free(&warp->windows);
    free(warp->filter);
}

static void free_block(ifl_block_trace *block, uint32_t warps)
{
    for (uint32_t w = 0; block->warps && w < warps; w++)
        free_warp(&block->warps[w]);
    free(block->warps);
    ifl_vec_free(&block->objects);
    ifl_vec_free(&block->meetings);
}

static void end(void *self)
{
    ifl_time_traces *t = self;
    for (size_t i = 0; i < t->blocks.count; i++)
        free_block(&t->blocks.at[i], t->plan->warps_per_block);
    ifl_vec_free(&t->blocks);
    ifl_alike_free(&t->known);
    ifl_request_lines_free(&t->lines);
    free(t->barriers);
}

/* Counts of arrivals have no gaps. */
static bool has_counted(const ifl_sites *sites)
{
    for (size_t i = 0; i < sites->count; i++)
        if (sites->at[i].is_counted)
            return true;
    return false;
}

static bool find_barriers(ifl_time_traces *t, const ifl_sites *sites)
{
    t->sites = sites->count;
    t->barriers = calloc(t->sites + 1, sizeof *t->barriers);
    for (size_t i = 0; t->barriers && i < sites->count; i++)
        t->barriers[i + 1] = t->barriers[i] + (sites->at[i].control.step == IFL_STEP_BARRIER);
    return t->barriers;
}

static bool begin(void *self, const ifl_sites *sites, const void *settings)
{
    ifl_time_traces *t = self;
    t->plan = settings;
    t->has_windows = t->plan->window && !has_counted(sites);
    t->last_number = UINT64_MAX;
    ifl_request_lines_init(&t->lines);
    if (!find_barriers(t, sites))
        return false;
    t->whole = t->plan->window * (t->barriers[sites->count] ? IFL_TIME_PHASE : 1);
    return true;
}

/* ---- keeping it short ------------------------------------------------------------------------ */

size_t ifl_warp_trace_within(const ifl_warp_trace *warp, size_t most, uint64_t *kept)
{
    size_t at = 0, counted = 0;
    bool in_gap = false;
    *kept = 0;
    while (at < warp->words.count) {
        const uint32_t *word = &warp->words.at[at];
        const bool is_stretch = *word & IFL_WORD_STRETCH;
        in_gap = is_stretch ? !word[1] : in_gap;
        counted += in_gap ? 0 : ifl_trace_words(word);
        if (counted > most)
            break;
        *kept += is_stretch ? word[1] : 0;
        at += ifl_trace_words(word);
    }
    return at;
}

static void cut_warp(ifl_warp_trace *warp, uint64_t most)
{
    uint64_t kept;
    warp->words.count = ifl_warp_trace_within(warp, most, &kept);
    warp->kept = kept;
    warp->is_out = warp->is_cut = true;
}

static uint64_t count_words(const ifl_block_trace *block, uint32_t warps)
{
    uint64_t words = 0;
    for (uint32_t w = 0; w < warps; w++)
        words += block->warps[w].words.count;
    return words;
}

/* ---- windows --------------------------------------------------------------------------------- */

static uint64_t count_kept(const ifl_block_trace *block, uint32_t warps)
{
    uint64_t kept = 0;
    for (uint32_t w = 0; w < warps; w++)
        kept += block->warps[w].kept;
    return kept;
}

static void thin_blocks(ifl_time_traces *t)
{
    const uint32_t warps = t->plan->warps_per_block;
    t->words = t->kept = 0;
    for (size_t i = 0; i < t->blocks.count; i++) {
        for (uint32_t w = 0; w < warps; w++)
            t->lost |=
                !ifl_window_thin(&t->blocks.at[i].warps[w], t->window_level, !t->has_no_gaps);
        t->words += count_words(&t->blocks.at[i], warps);
        t->kept += count_kept(&t->blocks.at[i], warps);
    }
}

static bool has_spare_windows(const ifl_time_traces *t)
{
    return t->kept > (uint64_t)IFL_TIME_WINDOW * IFL_TIME_WINDOWS * t->blocks.count &&
           t->window_level < t->plan->most_window_level && t->has_windows;
}

/* Half the room is for them. */
static bool has_spare_gaps(const ifl_time_traces *t)
{
    return t->words > words_at_most(t->plan) / 2 && t->window_level && !t->has_no_gaps;
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* What the level leaves out goes. */
static void apply_level(ifl_time_traces *t)
{
    const uint64_t most = warp_words_at_most(t->plan, t->level);
    size_t kept = 0;
    t->words = t->kept = 0;
    for (size_t i = 0; i < t->blocks.count; i++) {
        ifl_block_trace *block = &t->blocks.at[i];
        if (!is_kept(t->plan, block->number, t->level)) {
            free_block(block, t->plan->warps_per_block);
            continue;
        }
        for (uint32_t w = 0; w < t->plan->warps_per_block; w++)
            if (block->warps[w].words.count > most)
                cut_warp(&block->warps[w], most);
        t->words += count_words(block, t->plan->warps_per_block);
        t->kept += count_kept(block, t->plan->warps_per_block);
        t->blocks.at[kept++] = *block;
    }
    t->blocks.count = kept;
    t->last = NULL;
    t->last_number = UINT64_MAX;
}

static void shorten(ifl_time_traces *t)
{
    enum { MORE_LEVELS = 40 };
    const uint32_t most_level = block_levels(t->plan) + MORE_LEVELS;
    while (has_spare_windows(t) && !t->lost) {
        t->window_level++;
        thin_blocks(t);
    }
    if (has_spare_gaps(t)) {
        t->has_no_gaps = true;
        thin_blocks(t);
    }
    while (t->words > words_at_most(t->plan) && t->level < most_level) {
        t->level++;
        apply_level(t);
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

static bool add_block(ifl_time_traces *t, uint64_t number)
{
    ifl_warp_trace *warps = calloc(t->plan->warps_per_block, sizeof *warps);
    if (warps && ifl_vec_push(&t->blocks, (ifl_block_trace){.number = number, .warps = warps}))
        return true;
    free(warps);
    t->lost = true;
    return false;
}

static bool follows(void *self, uint64_t block)
{
    ifl_time_traces *t = self;
    t->last_number = UINT64_MAX;
    return is_kept(t->plan, block, t->level) && add_block(t, block);
}

static ifl_warp_trace *warp_of(ifl_time_traces *t, uint64_t block, uint32_t warp)
{
    if (block != t->last_number) {
        t->last_number = block;
        t->last = NULL;
        for (size_t i = is_kept(t->plan, block, t->level) ? t->blocks.count : 0;
             i-- > 0 && !t->last;)
            if (t->blocks.at[i].number == block)
                t->last = &t->blocks.at[i];
    }
    return t->last && warp < t->plan->warps_per_block ? &t->last->warps[warp] : NULL;
}

static bool has_room(const ifl_time_traces *t, const ifl_warp_trace *warp)
{
    return !warp->is_out && warp->words.count < warp_words_at_most(t->plan, t->level);
}

/* NULL: no more of the warp is kept. */
static uint32_t *add_words(ifl_time_traces *t, ifl_warp_trace *warp, size_t count)
{
    if (!ifl_vec_reserve(&warp->words, count)) {
        t->lost = true;
        return NULL;
    }
    uint32_t *to = warp->words.at + warp->words.count;
    warp->words.count += count;
    t->words += count;
    return to;
}

static bool meets(const ifl_time_traces *t, const ifl_stretch *stretch)
{
    return stretch->last <= t->sites && t->barriers[stretch->last] > t->barriers[stretch->first];
}

static void stretch_event(void *self, const ifl_stretch *stretch)
{
    ifl_time_traces *t = self;
    ifl_warp_trace *warp = warp_of(t, stretch->block, stretch->warp);
    if (!warp)
        return;
    t->lost |= !ifl_window_go_on(t->last, warp, meets(t, stretch));
    warp->is_out = warp->is_cut ||
                   (t->plan->window &&
                    !ifl_window_enter(warp, t->plan->window, t->whole, t->window_level, &t->lost));
    warp->is_cut |= !warp->is_out && !has_room(t, warp);
    warp->is_out |= warp->is_cut;
    uint32_t *word = warp->is_out ? NULL : add_words(t, warp, 2);
    warp->instructions += stretch->last - stretch->first;
    t->last->instructions += stretch->last - stretch->first;
    if (word) {
        word[0] = IFL_WORD_STRETCH | stretch->first;
        word[1] = stretch->last - stretch->first;
        warp->kept += word[1];
        t->kept += word[1];
    }
    if (!warp->is_cut &&
        (t->words > words_at_most(t->plan) || has_spare_windows(t) || has_spare_gaps(t)))
        shorten(t);
}

static void add_lines(uint32_t *word, const ifl_request_lines *lines)
{
    for (uint32_t l = 0; l < lines->count; l++)
        word[l] = ifl_line_pack(lines->at[l].line, lines->at[l].sectors);
}

/* The lines that the warp asks for where it is not followed. */
static void add_to_gap(ifl_time_traces *t, ifl_warp_trace *warp, const ifl_access *access)
{
    uint32_t word[2 + IFL_REQUEST_LINES];
    const size_t before = warp->words.count;
    if (warp->is_cut || t->has_no_gaps || access->space == IFL_SPACE_SHARED)
        return;
    ifl_request_lines_find(&t->lines, access);
    word[0] = access->site;
    word[1] = ifl_request_pack((ifl_request_cost){.lines = t->lines.count});
    add_lines(word + 2, &t->lines);
    t->lost |= !ifl_gap_add(warp, word);
    t->words += warp->words.count - before;
}

static void add_request(ifl_time_traces *t, ifl_warp_trace *warp, uint32_t site,
                        ifl_request_cost cost)
{
    uint32_t *word = has_room(t, warp) ? add_words(t, warp, 2 + (size_t)cost.lines) : NULL;
    if (!word)
        return;
    word[0] = site;
    word[1] = ifl_request_pack(cost);
    if (cost.lines)
        add_lines(word + 2, &t->lines);
}

static ifl_store_ends ends_of(const ifl_access *access, const ifl_footprint *footprint)
{
    const uint32_t bytes = footprint->useful_bytes;
    uint64_t first = UINT64_MAX, end = 0;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        const uint64_t at = access->address[__builtin_ctz(left)];
        first = at < first ? at : first;
        end = at + access->bytes > end ? at + access->bytes : end;
    }
    if (end - first == bytes && bytes >= IFL_SECTOR_BYTES)
        return (ifl_store_ends)((first % IFL_SECTOR_BYTES != 0) + (end % IFL_SECTOR_BYTES != 0));
    return bytes < footprint->sectors * IFL_SECTOR_BYTES ? IFL_STORE_IN_PARTS : IFL_STORE_WHOLE;
}

static void access_event(void *self, const ifl_access *access)
{
    ifl_time_traces *t = self;
    ifl_warp_trace *warp = warp_of(t, access->block, access->warp);
    if (!warp || !access->mask)
        return;
    if (warp->is_out) {
        add_to_gap(t, warp, access);
        return;
    }
    const bool is_shared = access->space == IFL_SPACE_SHARED;
    const ifl_measure m = ifl_footprint_find(&t->known, &t->lookup, access);
    const ifl_footprint footprint = m.footprint;
    ifl_request_cost cost = {.passes = footprint.wavefronts,
                             .served = is_shared ? IFL_REQUEST_SHARED : IFL_REQUEST_GLOBAL,
                             .of_host = access->of_host};
    const ifl_access_kind kind = ifl_access_plain_kind(access->kind);
    if (access->kind == IFL_ACCESS_ATOMIC) {
        cost.serial = m.serial;
        cost.passes = footprint.merged;
    }
    if (access->cycles)
        cost.passes = access->cycles;
    if (!is_shared) {
        ifl_request_lines_find(&t->lines, access);
        cost.lines = t->lines.count;
        cost.ends = kind == IFL_ACCESS_STORE ? ends_of(access, &footprint) : 0;
    }
    add_request(t, warp, access->site, cost);
}

/* A load's lines; of atomics, those that several lanes add to: no more than there are lanes beyond
 * the first of each. */
static ifl_remote_lines remote_lines(const ifl_access *access, const ifl_footprint *footprint)
{
    const uint32_t lanes = (uint32_t)__builtin_popcount(access->mask),
                   beyond = lanes - footprint->lines;
    uint32_t lines = footprint->lines;
    if (ifl_access_plain_kind(access->kind) == IFL_ACCESS_ATOMIC)
        lines = lanes < lines ? 0 : beyond < lines ? beyond : lines;
    const double each = (double)lines / footprint->sectors;
    return each >= 3.0 / 4   ? IFL_REMOTE_EACH
           : each >= 3.0 / 8 ? IFL_REMOTE_HALF
           : each >= 1.0 / 8 ? IFL_REMOTE_FOURTH
                             : IFL_REMOTE_FEW;
}

/* Its sectors pass between the SMs. */
static void remote_event(void *self, const ifl_access *access)
{
    ifl_time_traces *t = self;
    ifl_warp_trace *warp = warp_of(t, access->block, access->warp);
    ifl_footprint footprint;
    if (!warp || !access->mask)
        return;
    ifl_footprint_measure(&t->lookup, access, &footprint);
    add_request(t, warp, access->site,
                (ifl_request_cost){.passes = footprint.sectors,
                                   .serial = (footprint.asked_bytes - footprint.useful_bytes) /
                                             access->bytes,
                                   .ends = remote_lines(access, &footprint),
                                   .served = IFL_REQUEST_REMOTE});
}

static void indexed_event(void *self, const ifl_indexed *indexed)
{
    ifl_time_traces *t = self;
    ifl_warp_trace *warp = warp_of(t, indexed->block, indexed->warp);
    const uint32_t count = indexed->line_count;
    uint32_t *word = warp && has_room(t, warp) ? add_words(t, warp, 2 + (size_t)count) : NULL;
    if (!word)
        return;
    word[0] = indexed->site;
    word[1] = ifl_request_pack((ifl_request_cost){
        .passes = indexed->addresses, .lines = count, .served = IFL_REQUEST_CONSTANT});
    for (uint32_t i = 0; i < count; i++)
        word[2 + i] = indexed->lines[i];
}

static void parting_event(void *self, const ifl_parting *parting)
{
    ifl_time_traces *t = self;
    ifl_warp_trace *warp = warp_of(t, parting->block, parting->warp);
    if (warp)
        add_request(t, warp, parting->site,
                    (ifl_request_cost){.passes = parting->more, .served = IFL_REQUEST_PARTING});
}

static void nested_event(void *self, const ifl_nested_launch_event *launch)
{
    ifl_time_traces *t = self;
    ifl_warp_trace *warp = warp_of(t, launch->block, launch->warp);
    if (warp)
        add_request(t, warp, launch->site,
                    (ifl_request_cost){.passes = 1, .served = IFL_REQUEST_NESTED});
}

static ifl_object_count *object_of(ifl_block_trace *block, uint32_t object)
{
    for (size_t i = 0; i < block->objects.count; i++)
        if (block->objects.at[i].object == object)
            return &block->objects.at[i];
    return ifl_vec_push(&block->objects, (ifl_object_count){.object = object})
               ? &block->objects.at[block->objects.count - 1]
               : NULL;
}

static void object_event(void *self, const ifl_object_event *event)
{
    ifl_time_traces *t = self;
    ifl_warp_trace *warp = warp_of(t, event->block, event->warp);
    ifl_object_count *count = warp ? object_of(t->last, event->object) : NULL;
    if (!count)
        return;
    const bool is_of_some = event->object & IFL_OBJECT_OF_SOME;
    count->arrivals += event->count;
    count->copies += event->step == IFL_OBJECT_COPY;
    uint32_t *word = has_room(t, warp) ? add_words(t, warp, 2 + IFL_OBJECT_WORDS) : NULL;
    if (!word)
        return;
    const bool waits = event->step == IFL_OBJECT_WAIT;
    word[0] = event->site;
    word[1] = ifl_request_pack((ifl_request_cost){
        .passes = event->step, .lines = IFL_OBJECT_WORDS, .served = IFL_REQUEST_OBJECT});
    word[2] = event->object;
    word[3] = waits ? count->arrivals : event->count;
    word[4] = is_of_some ? event->expected : waits ? count->copies : 0;
}

/* ---- merging --------------------------------------------------------------------------------- */

static bool take_warp(ifl_warp_trace *to, const ifl_warp_trace *from)
{
    to->instructions = from->instructions;
    to->kept = from->kept;
    to->window = from->window;
    to->is_cut = from->is_cut;
    if (!ifl_vec_reserve(&to->words, from->words.count) ||
        !ifl_vec_reserve(&to->windows, from->windows.count))
        return false;
    if (from->words.count)
        memcpy(to->words.at, from->words.at, from->words.count * sizeof *to->words.at);
    if (from->windows.count)
        memcpy(to->windows.at, from->windows.at, from->windows.count * sizeof *to->windows.at);
    to->words.count = from->words.count;
    to->windows.count = from->windows.count;
    return true;
}

/* What a worker left out, all of them together would have left out: the traces are as if one had
 * made them. */
static void merge(void *self, const void *other)
{
    ifl_time_traces *t = self;
    const ifl_time_traces *o = other;
    t->lost |= o->lost;
    for (size_t i = 0; i < o->blocks.count && !t->lost; i++) {
        if (!add_block(t, o->blocks.at[i].number))
            return;
        const ifl_block_trace *to = &t->blocks.at[t->blocks.count - 1];
        for (uint32_t w = 0; w < t->plan->warps_per_block; w++)
            t->lost |= !take_warp(&to->warps[w], &o->blocks.at[i].warps[w]);
    }
    t->level = t->level > o->level ? t->level : o->level;
    t->window_level = t->window_level > o->window_level ? t->window_level : o->window_level;
    t->has_no_gaps |= o->has_no_gaps;
    if (t->window_level)
        thin_blocks(t);
    apply_level(t);
    shorten(t);
}

/* ---- reading --------------------------------------------------------------------------------- */

bool ifl_time_traces_are_whole(const ifl_time_traces *traces)
{
    return !traces->lost;
}

static int by_number(const void *a, const void *b)
{
    const ifl_block_trace *const *x = a, *const *y = b;
    return ((*x)->number > (*y)->number) - ((*x)->number < (*y)->number);
}

uint64_t ifl_block_trace_instructions(const ifl_block_trace *block, uint32_t warps)
{
    uint64_t sum = 0;
    for (uint32_t w = 0; w < warps; w++)
        sum += block->warps[w].instructions;
    return sum;
}

static uint64_t far_requests(const ifl_warp_trace *warp)
{
    uint64_t count = 0;
    for (size_t i = 0; i < warp->words.count; i += ifl_trace_words(&warp->words.at[i])) {
        const uint32_t *at = &warp->words.at[i];
        count +=
            !(*at & IFL_WORD_STRETCH) && ifl_request_unpack(at[1]).served == IFL_REQUEST_GLOBAL;
    }
    return count;
}

/* How long a block takes at least, in cycles: its schedulers issue one instruction each, and a warp
 * that waits for each result goes on after a few, and for what comes from memory the longer the more
 * there is. Of blocks that take nearly as long, the fuller one takes longer: warps get in each
 * other's way. */
static double length_of(const ifl_block_trace *block, uint32_t warps)
{
    const ifl_sm_constants *c = &ifl_sm_constant;
    double least = (double)ifl_block_trace_instructions(block, warps) / IFL_SM_SUBCORES,
           together = 0;
    for (uint32_t w = 0; w < warps; w++) {
        const ifl_warp_trace *warp = &block->warps[w];
        const double own = (double)warp->instructions * c->own_cycles +
                           (double)far_requests(warp) * c->request_cycles;
        least = fmax(least, own);
        together += own;
    }
    return least + c->fullness * together / warps;
}

/* Of several that take as long, the last one. */
static size_t longest_of(const ifl_time_traces *traces, const ifl_block_trace **to, size_t most)
{
    const ifl_block_trace *found = NULL;
    double longest = 0;
    for (size_t i = 0; i < traces->blocks.count; i++) {
        const ifl_block_trace *block = &traces->blocks.at[i];
        const double own = length_of(block, traces->plan->warps_per_block);
        const bool is_behind = found && block->number < found->number;
        if (own < longest || (own == longest && is_behind))
            continue;
        found = block;
        longest = own;
    }
    if (found && most)
        to[0] = found;
    return found != NULL;
}

size_t ifl_time_traces_of(const ifl_time_traces *traces, size_t scope, const ifl_block_trace **to,
                          size_t most)
{
    const ifl_time_scope *of = &traces->plan->scopes[scope];
    size_t count = 0;
    if (has_own(traces->plan, of))
        return longest_of(traces, to, most);
    for (size_t i = 0; i < traces->blocks.count; i++) {
        const ifl_block_trace *block = &traces->blocks.at[i];
        if (!is_of(traces->plan, of, block->number, traces->level))
            continue;
        if (count < most)
            to[count] = block;
        count++;
    }
    if (to)
        qsort(to, count < most ? count : most, sizeof *to, by_number);
    return count;
}

size_t ifl_time_traces_all(const ifl_time_traces *traces, const ifl_block_trace **to, size_t most)
{
    for (size_t i = 0; i < traces->blocks.count && i < most; i++)
        to[i] = &traces->blocks.at[i];
    if (to)
        qsort(to, traces->blocks.count < most ? traces->blocks.count : most, sizeof *to, by_number);
    return traces->blocks.count;
}

const ifl_observer ifl_time_observer = {
    .name = "time",
    .state_bytes = sizeof(ifl_time_traces),
    .begin = begin,
    .end = end,
    .access = access_event,
    .remote = remote_event,
    .follows = follows,
    .stretch = stretch_event,
    .indexed = indexed_event,
    .parting = parting_event,
    .nested = nested_event,
    .object = object_event,
    .merge = merge,
};
