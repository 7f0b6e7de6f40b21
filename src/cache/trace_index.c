/* SPDX-License-Identifier: Apache-2.0
 * Records come in the order in which workers made them, a warp's in runs: the runs are sorted,
 * not the records. */
#include "cache/trace_index.h"

#include "cache/keyed.h"
#include "cache/line.h"

#include <string.h>

/* ---- runs ------------------------------------------------------------------------------------ */

static uint32_t end_of_run(const ifl_trace *trace, uint32_t first)
{
    const ifl_trace_record *at = trace->records.at;
    uint32_t end = first + 1;
    while (end < trace->records.count && at[end].warp == at[first].warp)
        end++;
    return end;
}

/* By warp, index: the first record. */
static ifl_keyed *find_runs(ifl_trace_index *x, const ifl_trace *trace, uint32_t *count)
{
    const uint32_t records = (uint32_t)trace->records.count;
    ifl_keyed *runs = ifl_room_take(&x->spare[0], records, sizeof *runs);
    *count = 0;
    for (uint32_t first = 0; runs && first < records; first = end_of_run(trace, first))
        runs[(*count)++] = (ifl_keyed){.key = trace->records.at[first].warp, .index = first};
    return runs && ifl_keyed_sort(runs, *count, &x->spare[1]) ? runs : NULL;
}

/* ---- warps and requests ---------------------------------------------------------------------- */

/* The request before ended its turn where the next one's is another. */
static void add_request(ifl_trace_index *x, const ifl_trace_record *r)
{
    const bool is_barrier = r->kind == IFL_TRACE_BARRIER;
    const uint32_t first = x->warps[x->warp_count - 1].request;
    ifl_trace_request *before = &x->requests[x->request_count - 1];
    if (x->request_count > first)
        before->ends_turn =
            is_barrier || (before->position ^ r->position) >> IFL_TRACE_SEQUENCE_BITS;
    x->requests[x->request_count++] = (ifl_trace_request){.touch = x->touch_count,
                                                          .ends_turn = true,
                                                          .is_barrier = is_barrier,
                                                          .forgets = r->kind == IFL_TRACE_FORGET,
                                                          .reuses = r->kind == IFL_TRACE_FORGET,
                                                          .position = r->position};
}

/* ---- touches --------------------------------------------------------------------------------- */

static bool goes_past(const ifl_touch *touch)
{
    return touch->kind == IFL_ACCESS_LOAD &&
           (touch->path == IFL_PATH_PAST || touch->path == IFL_PATH_NO_ALLOCATE);
}

/* The warp's request before this one, where it is the one before of the same turn; NULL
 * otherwise. */
static const ifl_trace_request *request_before(const ifl_trace_index *x)
{
    const ifl_trace_request *last = &x->requests[x->request_count - 1];
    const bool is_first = x->request_count - 1 == x->warps[x->warp_count - 1].request;
    return !is_first && !last[-1].ends_turn && last[-1].position + 1 == last->position ? last - 1
                                                                                       : NULL;
}

static bool joins_before(const ifl_trace_index *x, const ifl_touch *touch)
{
    const ifl_trace_request *before = request_before(x);
    for (uint32_t t = before ? before->touch : 0; before && t < before[1].touch; t++) {
        const ifl_touch *other = &x->touches[t];
        if (other->line == touch->line)
            return goes_past(other) && !(touch->sectors & ~other->sectors) && !other->joins;
    }
    return false;
}

static void add_touch(ifl_trace_index *x, const ifl_trace_record *r)
{
    const uint32_t sectors = (uint32_t)__builtin_popcount(r->sectors & 0xf);
    ifl_touch *touch = &x->touches[x->touch_count];
    *touch = (ifl_touch){.line = r->line,
                         .sectors = r->sectors,
                         .bytes = r->bytes,
                         .kind = r->kind & 3,
                         .path = r->path & 7,
                         .group = (uint8_t)ifl_line_group(r->line, x->share)};
    touch->joins = goes_past(touch) && joins_before(x, touch);
    if (x->words)
        x->words[x->touch_count] = r->words;
    x->touch_count++;
    x->has_local |= r->path == IFL_PATH_LOCAL;
    x->sectors += sectors;
    x->load_sectors += r->kind == IFL_ACCESS_LOAD ? sectors : 0;
}

static void add_record(ifl_trace_index *x, const ifl_trace_record *r)
{
    const bool is_new_warp = !x->warp_count || x->warps[x->warp_count - 1].number != r->warp;
    if (is_new_warp) {
        const uint64_t block = r->warp / x->warps_per_block;
        if (!x->block_count || x->blocks[x->block_count - 1].number != block)
            x->blocks[x->block_count++] = (ifl_trace_block){.number = block, .warp = x->warp_count};
        x->warps[x->warp_count++] =
            (ifl_trace_warp){.number = r->warp, .request = x->request_count};
    }
    if (is_new_warp || r->kind >= IFL_TRACE_BARRIER ||
        x->requests[x->request_count - 1].position != r->position)
        add_request(x, r);
    if (r->kind < IFL_TRACE_BARRIER)
        add_touch(x, r);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* What is known of a line while its touches are looked at, in the order of the warps. */
typedef struct line_use {
    uint32_t warp; /* of its first touch */
    bool is_read;  /* by its first touch */
    bool is_reused;
    bool is_thin;    /* some request takes one sector of it */
    uint8_t sectors; /* that requests take, a bit each */
} line_use;

/* A hash table from lines to numbers, at most half full. Lines jump about in it: their slots are
 * asked for early. */
typedef struct line_table {
    uint32_t *slot; /* 1 + number */
    uint32_t mask;
    line_use *use; /* by number */
} line_table;

static bool open_table(ifl_trace_index *x, line_table *table)
{
    uint32_t slots = 2;
    while (slots < 2 * x->touch_count)
        slots *= 2;
    table->mask = slots - 1;
    table->slot = ifl_room_take_zeroed(&x->spare[0], slots, sizeof *table->slot);
    table->use = ifl_room_take(&x->spare[1], x->touch_count, sizeof *table->use);
    x->lines = ifl_room_take(&x->line_room, x->touch_count, sizeof *x->lines);
    return table->slot && table->use && x->lines;
}

static uint32_t slot_of(const line_table *table, uint64_t line)
{
    return (uint32_t)ifl_line_hash(line) & table->mask;
}

/* The line's number; *is_new: it had none. */
static uint32_t number_of(ifl_trace_index *x, line_table *table, uint64_t line, bool *is_new)
{
    uint32_t at = slot_of(table, line);
    while (table->slot[at] && x->lines[table->slot[at] - 1] != line)
        at = (at + 1) & table->mask;
    *is_new = !table->slot[at];
    if (*is_new) {
        x->lines[x->line_count++] = line;
        table->slot[at] = x->line_count;
    }
    return table->slot[at] - 1;
}

/* Of a turn with very many requests the last ones can come later than the first ones of the
 * next, where time is counted in rounds. */
static bool is_late(const ifl_trace_request *request)
{
    const uint32_t sequence = request->position & ((1u << IFL_TRACE_SEQUENCE_BITS) - 1);
    return sequence * IFL_REQUEST_TIME > IFL_TURN_TIME;
}

enum { SECTORS = 4, ALL_SECTORS = (1 << SECTORS) - 1 };

static void number_touch(ifl_trace_index *x, line_table *table, const ifl_trace_request *request,
                         ifl_touch *touch, uint32_t warp)
{
    enum { EARLY = 8 };
    const bool reads = touch->kind != IFL_ACCESS_STORE;
    if (touch + EARLY < x->touches + x->touch_count)
        __builtin_prefetch(&table->slot[slot_of(table, touch[EARLY].line)]);
    bool is_new;
    touch->number = number_of(x, table, touch->line, &is_new);
    touch->home = ifl_line_home(touch->line) & 1;
    line_use *use = &table->use[touch->number];
    if (is_new)
        *use = (line_use){.warp = warp, .is_read = reads, .is_reused = reads && is_late(request)};
    else
        use->is_reused |= reads || (use->is_read && use->warp != warp);
    x->has_reuse |= use->is_reused;
    const unsigned taken = touch->sectors & ALL_SECTORS;
    use->sectors |= taken;
    use->is_thin |= !(taken & (taken - 1)) && touch->path != IFL_PATH_LOCAL;
}

/* Without numbers one line that is reused says enough. */
static void number_lines(ifl_trace_index *x, line_table *table, bool is_numbered)
{
    for (uint32_t w = 0; w < x->warp_count; w++) {
        const uint32_t last = x->warps[w + 1].request;
        for (uint32_t r = x->warps[w].request; r < last; r++)
            for (uint32_t t = x->requests[r].touch; t < x->requests[r + 1].touch; t++)
                number_touch(x, table, &x->requests[r], &x->touches[t], w);
        if (x->has_reuse && !is_numbered)
            return;
    }
}

static void mark_reused(ifl_trace_index *x, const line_table *table)
{
    for (uint32_t r = 0; r < x->request_count; r++) {
        ifl_trace_request *request = &x->requests[r];
        for (uint32_t t = request->touch; t < request[1].touch; t++) {
            x->touches[t].reused = table->use[x->touches[t].number].is_reused;
            request->reuses |= x->touches[t].reused;
        }
    }
}

static double thin_unused(const ifl_trace_index *x, const line_table *table)
{
    uint32_t thin = 0, taken = 0;
    for (uint32_t n = 0; n < x->line_count; n++) {
        thin += table->use[n].is_thin;
        taken += table->use[n].is_thin ? (uint32_t)__builtin_popcount(table->use[n].sectors) : 0;
    }
    return thin && !x->is_cut ? 1 - (double)taken / ((double)thin * SECTORS) : 0;
}

static bool find_lines(ifl_trace_index *x, bool is_numbered)
{
    line_table table;
    if (!open_table(x, &table))
        return false;
    number_lines(x, &table, is_numbered);
    if (is_numbered && x->has_reuse)
        mark_reused(x, &table);
    x->thin_unused = is_numbered ? thin_unused(x, &table) : 0;
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool stores_parts(const ifl_trace *trace)
{
    for (size_t i = 0; i < trace->records.count; i++) {
        const ifl_trace_record *r = &trace->records.at[i];
        if (r->kind == IFL_ACCESS_STORE && r->words && (r->sectors & 0xf) != r->sectors >> 4)
            return true;
    }
    return false;
}

static bool allocate_words(ifl_trace_index *x, const ifl_trace *trace)
{
    x->words = NULL;
    if (!stores_parts(trace))
        return true;
    x->words = ifl_room_take(&x->word_room, trace->records.count, sizeof *x->words);
    return x->words;
}

static bool allocate(ifl_trace_index *x, size_t records, size_t runs)
{
    x->touches = ifl_room_take(&x->touch_room, records, sizeof *x->touches);
    x->requests = ifl_room_take(&x->request_room, records + 1, sizeof *x->requests);
    x->warps = ifl_room_take(&x->warp_room, runs + 1, sizeof *x->warps);
    x->blocks = ifl_room_take(&x->block_room, runs + 1, sizeof *x->blocks);
    return x->touches && x->requests && x->warps && x->blocks;
}

static void begin(ifl_trace_index *x, const ifl_trace *trace, uint32_t warps_per_block)
{
    x->touch_count = x->request_count = x->warp_count = x->block_count = x->line_count = 0;
    x->warps_per_block = warps_per_block;
    x->level = trace->level;
    x->share = trace->share;
    x->is_cut = ifl_trace_is_cut(trace);
    x->has_local = x->has_reuse = false;
    x->load_sectors = x->sectors = 0;
}

static void end(ifl_trace_index *x)
{
    x->requests[x->request_count] = (ifl_trace_request){.touch = x->touch_count};
    x->warps[x->warp_count] = (ifl_trace_warp){.request = x->request_count};
    x->blocks[x->block_count] = (ifl_trace_block){.warp = x->warp_count};
}

bool ifl_trace_index_build(ifl_trace_index *x, const ifl_trace *trace, uint32_t warps_per_block,
                           bool is_numbered)
{
    uint32_t run_count;
    const ifl_keyed *runs = find_runs(x, trace, &run_count);
    begin(x, trace, warps_per_block);
    if (!runs || !allocate(x, trace->records.count, run_count) || !allocate_words(x, trace))
        return false;
    for (uint32_t r = 0; r < run_count; r++) {
        const uint32_t last = end_of_run(trace, runs[r].index);
        for (uint32_t i = runs[r].index; i < last; i++)
            add_record(x, &trace->records.at[i]);
    }
    end(x);
    return find_lines(x, is_numbered);
}

void ifl_trace_index_free(ifl_trace_index *x)
{
    ifl_room *rooms[] = {&x->word_room,  &x->touch_room, &x->request_room, &x->warp_room,
                         &x->block_room, &x->line_room,  &x->spare[0],     &x->spare[1]};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        ifl_room_free(rooms[i]);
    *x = (ifl_trace_index){0};
}
