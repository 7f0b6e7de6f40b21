/* SPDX-License-Identifier: Apache-2.0
 * Blocks that wait for what others of their grid store: a scan whose blocks look back at the sums of
 * those before them, a chain in which each goes on where the last one ended. Run one after the other,
 * each finds what it looks for; on a GPU all that fit are resident, and look again until it is there.
 * So they run side by side, in rounds that take as long as a load from the L2: in each a warp gets as
 * far as on a GPU. Its loads are on their way together until it waits for one of them, as the trace
 * for the caches has it (cache_trace.c). Kernels that look at a word before they change it keep pace in
 * their first waves only (ifl_pace_leave), and lanes that change one word queue at it (SERVED). */
#include "exec/race.h"
#include "exec/warp.h"

/* What a round holds. SERVED: the lanes on one word that the L2 serves in it, for an H200's load from the L2
 * takes 280 cycles (behind_probe), a lane's atomic 0.72 ns (adds_probe). */
enum {
    ROUND = 32, /* in requests of shared memory */
    OTHER = 2,  /* of other requests that nothing waits for yet */
    SERVED = 196,
};

/* So many looks that change nothing take about a minute; the blocks that are left run one after the
 * other. */
enum { MOST_LOOKS = 1 << 25 };

static void end_round(ifl_warp *warp)
{
    warp->pace.left = 0;
    warp->pace.only_looked = true;
}

void ifl_pace_look(ifl_warp *warp)
{
    ifl_grid *grid = warp->worker->grid;
    if (grid->has_lost_pace || grid->clusters == 1)
        return;
    grid->keeps_pace = true;
    grid->looks_only = false;
    end_round(warp);
}

/* Where words are only looked at first, the blocks behind the first waves find what those have left, as on
 * a GPU: they run one after the other again, which takes a sixth of the time. */
void ifl_pace_leave(ifl_grid *grid, uint64_t done)
{
    enum { WAVES = 4 };
    if (!grid->looks_only || done < WAVES * grid->launch->most_resident)
        return;
    grid->looks_only = grid->keeps_pace = false;
    grid->resident = 1;
}

void ifl_pace_count(ifl_grid *grid)
{
    grid->has_lost_pace = ++grid->looks > MOST_LOOKS;
    if (grid->has_lost_pace) {
        grid->keeps_pace = false;
        grid->resident = 1;
    }
}

void ifl_pace_sleep(ifl_warp *warp)
{
    end_round(warp);
}

/* What the warp has loaded comes only with the next round. */
static bool awaits(ifl_warp *warp)
{
    ifl_pace *pace = &warp->pace;
    const bool awaits = pace->has_loads;
    pace->has_loads = false;
    if (awaits)
        pace->left -= ROUND;
    return awaits;
}

/* Locks, and sums made of compare and swap: blocks swap a word that others have swapped. Who puts keys
 * into a table swaps each word once. */
static bool is_swapped_by_others(ifl_warp *warp, uint64_t address)
{
    ifl_swapped *at = &warp->worker->swapped[address / sizeof(uint32_t) % IFL_SWAPPED];
    const ifl_swapped now = {address, warp->block->index + 1};
    const bool is_of_others = at->address == address && at->block && at->block != now.block;
    *at = now;
    return is_of_others;
}

/* Lanes on one word are served one after the other, those of all warps in the order in which they came; on
 * other words of its sector together with the lane before. So many rounds pass for the warp until its
 * last lane has been. */
static uint32_t rounds_at_words(ifl_warp *warp, uint32_t mask)
{
    enum { SECTOR = 32 };
    ifl_worker *worker = warp->worker;
    const uint64_t now = worker->rounds * SERVED;
    uint64_t last = now, before = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint64_t address = warp->address[__builtin_ctz(m)], sector = address / SECTOR;
        ifl_queue *at = &worker->queues[sector % IFL_QUEUES];
        if (at->sector != sector || at->free < now)
            *at = (ifl_queue){sector, now};
        at->free += address == before || sector != before / SECTOR;
        last = at->free > last ? at->free : last;
        before = address;
    }
    return (uint32_t)((last - now) / SERVED);
}

/* Must it wait until those of other warps have been served? */
static bool queues(ifl_warp *warp, uint32_t mask)
{
    ifl_pace *pace = &warp->pace;
    pace->waits = pace->has_queued ? 0 : rounds_at_words(warp, mask);
    pace->has_queued = pace->waits > 0;
    if (pace->has_queued)
        pace->left = 0;
    return pace->has_queued;
}

/* A queue of work deals it out in turns already: each warp has one piece a round. */
bool ifl_pace_holds(ifl_warp *warp, uint32_t mask, const ifl_atomic *a)
{
    if (a->transfer.sink & 1)
        return warp->worker->grid->image->demands.looks_first && awaits(warp);
    return awaits(warp) || (!a->fetches_work && queues(warp, mask));
}

void ifl_pace_fetched(ifl_warp *warp, uint32_t swapped)
{
    if (warp->worker->grid->keeps_pace)
        end_round(warp);
    if (warp->worker->grid->keeps_pace && !warp->worker->grid->looks_only)
        return;
    for (uint32_t m = swapped; m; m &= m - 1)
        if (is_swapped_by_others(warp, warp->address[__builtin_ctz(m)]))
            ifl_pace_look(warp);
}

bool ifl_pace_begin(ifl_warp *warp)
{
    const bool waits = warp->pace.waits > 0;
    warp->pace.waits -= waits;
    warp->pace.left = waits ? 0 : ROUND;
    warp->pace.only_looked = false;
    return !waits;
}

/* Does the warp wait for loads before this request? */
static bool is_new_turn(const ifl_pace *pace, const ifl_site *of, uint32_t site)
{
    return pace->has_loads && (of->turn >> IFL_TURN_BITS != pace->turn >> IFL_TURN_BITS ||
                               site <= pace->site || of->turn > pace->turn);
}

bool ifl_pace_goes_on(ifl_warp *warp, uint32_t site)
{
    const ifl_site *of = &warp->worker->grid->image->sites.at[site];
    ifl_pace *pace = &warp->pace;
    const bool is_far = of->access.space != IFL_SPACE_SHARED,
               loads = is_far && of->access.kind == IFL_ACCESS_LOAD,
               waits = is_new_turn(pace, of, site);
    pace->left -= waits ? ROUND : is_far ? OTHER : 1;
    pace->has_loads = loads || (pace->has_loads && !waits);
    pace->turn = of->turn;
    pace->site = site;
    return pace->left > 0;
}

/* An H200: a block of chain_probe's chain_flag, which has two fences and a load more than one of
 * chain_value, takes 930 ns, that one 270. */
ifl_reason ifl_slow_fence(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                          uint32_t active)
{
    (void)frame, (void)active;
    if (mask)
        ifl_race_fence(warp);
    if (!mask || !code->count || !warp->worker->grid->keeps_pace)
        return IFL_REASON_NONE;
    warp->pace.left -= ROUND;
    return warp->pace.left > 0 ? IFL_REASON_NONE : IFL_REASON_YIELD;
}
