/* SPDX-License-Identifier: Apache-2.0
 * See race.h. Each warp counts how often it let others know of itself (a clock), and what it knows
 * of the others' counts: a vector clock. An access is ordered before another when the later warp
 * knows a count that is not below that of the access (FastTrack, Flanagan and Freund 2009). */
#include "exec/race.h"
#include "base/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARPS = IFL_RACE_WARPS, KEPT = 2, WIDEST = 32 };

typedef enum race_kind {
    READ_OF_WRITTEN,
    WRITE_OF_WRITTEN,
    WRITE_OF_READ,
    COPY_OF_WRITTEN,
    COPY_OF_READ,
    LANES_OF_STORE,
    OUTSIDE_MASK
} race_kind;

struct ifl_race_warning {
    bool is_set;
    uint8_t kind; /* race_kind */
    uint8_t space;
    uint64_t block, times, address;
    uint32_t warp, lane;
    uint32_t other; /* the other's warp, or lane; a member mask */
    uint32_t other_site;
};

typedef struct touch {
    uint32_t clock; /* 0: never */
    uint32_t site;
    uint8_t warp;
    bool is_atomic;
} touch;

/* Of accesses that nothing orders with each other (reads, and atomic operations) two: more could
 * only find more. */
typedef struct cell {
    touch write[KEPT], read[KEPT];
    touch look[KEPT]; /* reads of atomic operations */
    bool is_object;   /* of a barrier object that plain loads test: reading it orders */
} cell;

struct ifl_race_block {
    uint32_t knows[WARPS][WARPS];
    uint32_t at_barrier[IFL_BARRIERS + 1][WARPS]; /* the last is the cluster's */
    uint32_t met[WARPS];                          /* by mbarriers */
    uint32_t fenced[WARPS][WARPS];                /* what each knew at its last fence */
    uint32_t seen[WARPS][WARPS]; /* what words told that it has read, known behind a fence */
    uint32_t elsewhere[WARPS];   /* what atomic operations on other memory told */
    uint32_t (*told)[WARPS];     /* by word of shared memory, behind the cells */
    cell cells[];                /* a byte of shared memory each */
};

enum { WORD_BYTES = 4 };

static size_t block_bytes(const ifl_grid *grid)
{
    const size_t words = grid->shared_bytes / WORD_BYTES + 1;
    return sizeof(struct ifl_race_block) + grid->shared_bytes * sizeof(cell) +
           words * sizeof(uint32_t[WARPS]);
}

struct ifl_race_warning *ifl_race_warnings_new(size_t sites)
{
    return calloc(sites + 1, sizeof(struct ifl_race_warning));
}

bool ifl_races_make(ifl_block *block, const ifl_grid *grid)
{
    block->races = malloc(block_bytes(grid));
    return block->races != NULL;
}

void ifl_races_free(ifl_block *block)
{
    free(block->races);
}

void ifl_races_start(ifl_block *block, const ifl_grid *grid)
{
    if (!block->races)
        return;
    memset(block->races, 0, block_bytes(grid));
    block->races->told = (void *)&block->races->cells[grid->shared_bytes];
    for (unsigned w = 0; w < WARPS; w++)
        block->races->knows[w][w] = 1;
}

/* ---- order ----------------------------------------------------------------------------------- */

static void learn(uint32_t *to, const uint32_t *from)
{
    for (unsigned w = 0; w < WARPS; w++)
        to[w] = from[w] > to[w] ? from[w] : to[w];
}

void ifl_race_meet(ifl_warp *warp)
{
    struct ifl_race_block *races = warp->block->races;
    if (!races)
        return;
    learn(races->knows[warp->index], races->met);
    learn(races->met, races->knows[warp->index]);
    races->knows[warp->index][warp->index]++;
}

void ifl_race_fence(ifl_warp *warp)
{
    struct ifl_race_block *races = warp->block->races;
    if (!races)
        return;
    learn(races->knows[warp->index], races->seen[warp->index]);
    learn(races->fenced[warp->index], races->knows[warp->index]);
    races->knows[warp->index][warp->index]++;
}

static uint64_t end_word(uint64_t address, uint64_t bytes)
{
    return (address + bytes - 1) / WORD_BYTES + 1;
}

/* What a lane finds in the words that it reads. */
static void take(ifl_warp *warp, uint8_t space, uint64_t address, uint64_t bytes, bool is_acquired)
{
    struct ifl_race_block *races = warp->block->races;
    uint32_t *to = (is_acquired ? races->knows : races->seen)[warp->index];
    if (space != IFL_SPACE_SHARED) {
        learn(to, races->elsewhere);
        return;
    }
    for (uint64_t w = address / WORD_BYTES; w < end_word(address, bytes); w++)
        learn(to, races->told[w]);
    if (races->cells[address].is_object)
        ifl_race_meet(warp);
}

static void tell(ifl_warp *warp, uint8_t space, uint64_t address, uint64_t bytes,
                 const uint32_t *what)
{
    struct ifl_race_block *races = warp->block->races;
    if (space != IFL_SPACE_SHARED) {
        learn(races->elsewhere, what);
        return;
    }
    for (uint64_t w = address / WORD_BYTES; w < end_word(address, bytes); w++)
        learn(races->told[w], what);
}

/* A program that takes the result of an atomic operation goes on by it, as in a lock: it acquires and
 * releases, with a fence or without. The release of a lock takes none; it tells what its fence has
 * put before it (PTX ISA 9.0, "Release and Acquire Patterns"). */
void ifl_race_update(ifl_warp *warp, const ifl_transfer *t, uint32_t mask, const uint64_t *address,
                     const uint8_t *space)
{
    struct ifl_race_block *races = warp->block->races;
    const bool is_taken = !(t->sink & 1);
    if (!races || !mask)
        return;
    if (t->releases)
        ifl_race_fence(warp);
    const uint32_t *what = (is_taken ? races->knows : races->fenced)[warp->index];
    for (uint32_t m = is_taken ? mask : 0; m; m &= m - 1)
        take(warp, space[__builtin_ctz(m)], address[__builtin_ctz(m)], t->bytes, true);
    for (uint32_t m = mask; m; m &= m - 1)
        tell(warp, space[__builtin_ctz(m)], address[__builtin_ctz(m)], t->bytes, what);
    races->knows[warp->index][warp->index] += is_taken;
}

void ifl_race_arrive(ifl_warp *warp, unsigned barrier)
{
    struct ifl_race_block *races = warp->block->races;
    if (!races)
        return;
    learn(races->at_barrier[barrier], races->knows[warp->index]);
    races->knows[warp->index][warp->index]++;
}

void ifl_race_leave(ifl_warp *warp, unsigned barrier)
{
    struct ifl_race_block *races = warp->block->races;
    if (races)
        learn(races->knows[warp->index], races->at_barrier[barrier]);
}

void ifl_race_close(ifl_block *block, unsigned barrier)
{
    if (block->races)
        memset(block->races->at_barrier[barrier], 0, sizeof block->races->at_barrier[barrier]);
}

static bool is_unordered(const ifl_warp *warp, const touch *earlier)
{
    return earlier->clock && earlier->warp != warp->index &&
           warp->block->races->knows[warp->index][earlier->warp] < earlier->clock;
}

void ifl_race_issue(ifl_warp *warp, ifl_race_order *issue)
{
    struct ifl_race_block *races = warp->block->races;
    if (!races)
        return;
    memcpy(issue->knows, races->knows[warp->index], sizeof issue->knows);
    races->knows[warp->index][warp->index]++; /* what the warp does from now on is told apart */
}

static touch touch_of(const ifl_warp *warp, const ifl_code *code, bool is_atomic)
{
    return (touch){warp->block->races->knows[warp->index][warp->index], code->site,
                   (uint8_t)warp->index, is_atomic};
}

/* ---- warnings -------------------------------------------------------------------------------- */

static void warn(ifl_warp *warp, const ifl_code *code, struct ifl_race_warning found)
{
    struct ifl_race_warning *kept = &warp->worker->races[code->site];
    found.is_set = true;
    found.block = warp->block->index;
    found.warp = warp->index;
    found.times = ++kept->times;
    if (!kept->is_set || found.block < kept->block ||
        (found.block == kept->block && found.warp < kept->warp))
        *kept = found;
}

static void warn_of(ifl_warp *warp, const ifl_code *code, race_kind kind, uint32_t lane,
                    uint64_t address, const touch *other)
{
    warn(warp, code,
         (struct ifl_race_warning){.kind = (uint8_t)kind,
                                   .space = IFL_SPACE_SHARED,
                                   .address = address,
                                   .lane = lane,
                                   .other = other->warp,
                                   .other_site = other->site});
}

static const struct ifl_race_warning *first_of(const ifl_worker *workers, unsigned count,
                                               uint32_t site, uint64_t *times)
{
    const struct ifl_race_warning *first = NULL;
    for (unsigned w = 0; w < count; w++) {
        const struct ifl_race_warning *one = &workers[w].races[site];
        *times += one->times;
        if (one->is_set && (!first || one->block < first->block ||
                            (one->block == first->block && one->warp < first->warp)))
            first = one;
    }
    return first;
}

bool ifl_race_describe(const ifl_worker *workers, unsigned count, uint32_t site, char *to,
                       size_t size)
{
    static const char *const what[] = {
        [READ_OF_WRITTEN] =
            "reads shared memory that warp %u writes at %s, with no barrier between",
        [WRITE_OF_WRITTEN] =
            "writes shared memory that warp %u writes at %s, with no barrier between",
        [WRITE_OF_READ] = "writes shared memory that warp %u reads at %s, with no barrier between",
        [COPY_OF_WRITTEN] =
            "writes shared memory that warp %u writes at %s while the copy is under way",
        [COPY_OF_READ] =
            "writes shared memory that warp %u reads at %s while the copy is under way",
        [LANES_OF_STORE] = "writes different values to one address, another one in lane %u",
        [OUTSIDE_MASK] =
            "has the member mask 0x%08x, which does not include the lane (undefined in CUDA)",
    };
    const ifl_sites *sites = &workers[0].grid->image->sites;
    uint64_t times = 0;
    const struct ifl_race_warning *first = first_of(workers, count, site, &times);
    char place[192], other[192], text[320], where[64] = "";
    if (!first)
        return false;
    ifl_site_where(sites, site, place, sizeof place);
    ifl_site_where(sites, first->other_site, other, sizeof other);
    snprintf(text, sizeof text, what[first->kind], first->other, other);
    if (first->kind != OUTSIDE_MASK)
        snprintf(where, sizeof where, ", byte %llu of %s memory",
                 (unsigned long long)first->address, ifl_space_text(first->space));
    snprintf(to, size, "%s: %s %s, %s; first block %llu, thread %u%s", place, sites->at[site].name,
             text, ifl_figure_counted(times, "time").text, (unsigned long long)first->block,
             first->warp * IFL_WARP_LANES + first->lane, where);
    return true;
}

void ifl_race_outside(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint32_t members)
{
    if (warp->worker->races)
        warn(warp, code,
             (struct ifl_race_warning){.kind = OUTSIDE_MASK, .lane = lane, .other = members});
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* What is ordered before the new one need not be kept. */
static void keep(const ifl_warp *warp, touch *kept, touch latest)
{
    if (is_unordered(warp, &kept[0])) {
        kept[1] = latest;
        return;
    }
    kept[0] = latest;
    if (!is_unordered(warp, &kept[1]))
        kept[1].clock = 0;
}

/* One of `kept` that nothing orders before the warp; atomic operations are let be by those. NULL:
 * none. */
static const touch *unordered_of(const ifl_warp *warp, const touch *kept, bool is_atomic)
{
    for (unsigned n = 0; n < KEPT; n++)
        if (is_unordered(warp, &kept[n]) && !(is_atomic && kept[n].is_atomic))
            return &kept[n];
    return NULL;
}

static void note_read(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t address,
                      uint64_t bytes, bool is_atomic)
{
    struct ifl_race_block *races = warp->block->races;
    if (!races)
        return;
    if (races->cells[address].is_object) {
        ifl_race_meet(warp);
        return;
    }
    const touch reader = touch_of(warp, code, is_atomic);
    const touch *race = NULL;
    for (cell *c = &races->cells[address], *end = c + bytes; c < end; c++) {
        const touch *found = unordered_of(warp, c->write, is_atomic);
        race = found ? found : race;
        keep(warp, is_atomic ? c->look : c->read, reader);
    }
    if (race)
        warn_of(warp, code, READ_OF_WRITTEN, lane, address, race);
}

void ifl_race_read(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t address,
                   uint64_t bytes)
{
    note_read(warp, code, lane, address, bytes, false);
}

void ifl_race_load(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t address)
{
    const ifl_transfer *t = code->transfer;
    note_read(warp, code, lane, address, t->bytes, t->is_atomic);
    if (warp->block->races && t->is_atomic)
        take(warp, IFL_SPACE_SHARED, address, t->bytes, t->acquires);
}

static void note_write(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t address,
                       uint64_t bytes, bool is_atomic)
{
    const touch writer = touch_of(warp, code, is_atomic);
    touch written = {0}, read = {0};
    for (cell *c = &warp->block->races->cells[address], *end = c + bytes; c < end; c++) {
        const touch *write = unordered_of(warp, c->write, is_atomic),
                    *plain = unordered_of(warp, c->read, is_atomic),
                    *reader = plain ? plain : unordered_of(warp, c->look, is_atomic);
        written = write ? *write : written;
        read = reader ? *reader : read;
        keep(warp, c->write, writer);
        c->is_object &= is_atomic;
    }
    if (written.clock)
        warn_of(warp, code, WRITE_OF_WRITTEN, lane, address, &written);
    else if (read.clock)
        warn_of(warp, code, WRITE_OF_READ, lane, address, &read);
}

static void value_of(const ifl_transfer *t, const char *frame, uint32_t lane, uint8_t *to)
{
    for (unsigned e = 0; e < t->elements; e++)
        memcpy(to + (size_t)e * t->element_bytes, frame + t->data[e] + (size_t)lane * t->slot_bytes,
               t->element_bytes);
}

/* The lane of `lanes` that writes something else to the address of `lane`; 32: none. */
static uint32_t disagreeing(const ifl_transfer *t, const char *frame, uint32_t lanes, uint32_t lane,
                            const uint64_t *address, const uint8_t *space)
{
    uint8_t own[WIDEST], other[WIDEST];
    value_of(t, frame, lane, own);
    for (uint32_t m = lanes; m; m &= m - 1) {
        const uint32_t at = (uint32_t)__builtin_ctz(m);
        value_of(t, frame, at, other);
        if (address[at] == address[lane] && space[at] == space[lane] &&
            memcmp(own, other, t->bytes) != 0)
            return at;
    }
    return IFL_WARP_LANES;
}

/* Writing what stands there already changes nothing for anybody: flags that many set. */
static bool changes(const ifl_transfer *t, const char *frame, uint32_t lane, const uint8_t *host)
{
    uint8_t value[WIDEST];
    value_of(t, frame, lane, value);
    return memcmp(value, host, t->bytes) != 0;
}

static void tell_store(ifl_warp *warp, const ifl_transfer *t, uint32_t mask,
                       const uint64_t *address, const uint8_t *space)
{
    if (t->releases)
        ifl_race_fence(warp);
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        if (space[lane] == IFL_SPACE_SHARED)
            tell(warp, IFL_SPACE_SHARED, address[lane], t->bytes,
                 warp->block->races->fenced[warp->index]);
    }
}

void ifl_race_stores(ifl_warp *warp, const ifl_code *code, const char *frame, uint32_t mask,
                     const uint64_t *address, const uint8_t *space, uint8_t *const *host)
{
    const ifl_transfer *t = code->transfer;
    if (!warp->worker->races || t->bytes > WIDEST)
        return;
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        const uint32_t other =
            space[lane] == IFL_SPACE_LOCAL
                ? IFL_WARP_LANES
                : disagreeing(t, frame, mask & ((m & -m) - 1), lane, address, space);
        if (other < IFL_WARP_LANES)
            warn(warp, code,
                 (struct ifl_race_warning){.kind = LANES_OF_STORE,
                                           .space = space[lane],
                                           .address = address[lane],
                                           .lane = lane,
                                           .other = other,
                                           .other_site = code->site});
        if (space[lane] == IFL_SPACE_SHARED && changes(t, frame, lane, host[lane]))
            note_write(warp, code, lane, address[lane], t->bytes, t->is_atomic);
    }
    if (t->is_atomic)
        tell_store(warp, t, mask, address, space);
}

static const touch *during(const ifl_race_order *issue, const touch *kept)
{
    /* An own access counts: the copy was under way. */
    for (unsigned n = 0; n < KEPT; n++)
        if (kept[n].clock && issue->knows[kept[n].warp] < kept[n].clock)
            return &kept[n];
    return NULL;
}

void ifl_race_copy(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t address,
                   uint64_t bytes, const ifl_race_order *issue)
{
    if (!warp->block->races)
        return;
    const touch writer = touch_of(warp, code, false);
    touch written = {0}, read = {0};
    for (cell *c = &warp->block->races->cells[address], *end = c + bytes; c < end; c++) {
        const touch *write = during(issue, c->write), *plain = during(issue, c->read),
                    *reader = plain ? plain : during(issue, c->look);
        written = write ? *write : written;
        read = reader ? *reader : read;
        keep(warp, c->write, writer);
        c->is_object = false;
    }
    if (written.clock)
        warn_of(warp, code, COPY_OF_WRITTEN, lane, address, &written);
    else if (read.clock)
        warn_of(warp, code, COPY_OF_READ, lane, address, &read);
}

void ifl_race_atomic(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t address,
                     uint64_t bytes)
{
    if (warp->block->races)
        note_write(warp, code, lane, address, bytes, true);
}

void ifl_race_write(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t address,
                    uint64_t bytes)
{
    if (warp->block->races)
        note_write(warp, code, lane, address, bytes, false);
}

void ifl_race_object(ifl_warp *warp, uint64_t address, uint64_t bytes)
{
    struct ifl_race_block *races = warp->block->races;
    for (uint64_t i = 0; races && i < bytes; i++)
        races->cells[address + i] = (cell){.is_object = true};
    ifl_race_meet(warp);
}
