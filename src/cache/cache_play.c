/* SPDX-License-Identifier: Apache-2.0
 * Two passes over steps: cache_play.h. */
#include "cache/cache_play.h"

#include <string.h>

static bool find_halves(ifl_cache_player *p)
{
    const ifl_trace_index *x = p->order->index;
    const ifl_grid_shape *shape = &p->order->shape;
    p->near = ifl_room_take(&p->near_room, x->block_count, sizeof *p->near);
    for (uint32_t b = 0; p->near && b < x->block_count; b++)
        p->near[b] =
            (uint8_t)ifl_place_half(shape->placing.sms, shape->l2_sm_groups, p->order->sm_of[b]);
    return p->near != NULL;
}

bool ifl_cache_player_begin(ifl_cache_player *p, const ifl_grid_order *order,
                            const ifl_cache_rules *rules)
{
    const ifl_trace_index *x = order->index;
    const bool has_victims = rules->local_is_written_back && x->has_local;
    p->order = order;
    p->rules = rules;
    p->near = NULL;
    p->only_reused = false;
    p->asked = ifl_room_take(&p->asked_room, x->touch_count, sizeof *p->asked);
    p->victims =
        has_victims ? ifl_room_take(&p->victim_room, x->touch_count, sizeof *p->victims) : NULL;
    p->brought = ifl_room_take(&p->brought_room, x->line_count, sizeof *p->brought);
    if (!p->asked || !p->brought || (has_victims && !p->victims))
        return false;
    return ifl_l2_joins_open(&p->joins, rules->joined_reads, x->line_count) &&
           (!rules->l2_halves || find_halves(p));
}

void ifl_cache_player_clear(ifl_cache_player *p)
{
    memset(&p->sums, 0, sizeof p->sums);
}

void ifl_cache_player_free(ifl_cache_player *p)
{
    ifl_room_free(&p->asked_room);
    ifl_room_free(&p->victim_room);
    ifl_room_free(&p->near_room);
    ifl_room_free(&p->brought_room);
    ifl_l2_joins_free(&p->joins);
    *p = (ifl_cache_player){0};
}

/* ---- the L1s --------------------------------------------------------------------------------- */

static void add(ifl_cache_player *p, ifl_cache_tally which, const ifl_touch *touch,
                uint32_t sectors)
{
    p->sums.of[which][touch->group] += sectors;
}

static uint32_t pieces_of(uint8_t sectors)
{
    return (uint32_t)((sectors & 0x3) != 0) + ((sectors & 0xc) != 0);
}

/* The mark of a touch that made a line of local memory go. */
static uint8_t note_victim(ifl_cache_player *p, const ifl_touch *touch, const ifl_l1_answer *answer)
{
    if (!answer->written_back)
        return 0;
    add(p, IFL_TALLY_LOCAL_WRITES, touch, ifl_sector_count(answer->written_back));
    p->victims[touch - p->order->index->touches] = answer->victim << 4 | answer->written_back;
    return IFL_ASKED_BACK;
}

static bool joins(const ifl_cache_player *p, const ifl_touch *touch)
{
    return touch->joins && p->rules->joins_loads;
}

static uint8_t add_load(ifl_cache_player *p, const ifl_touch *touch, uint8_t hits, uint8_t fetched)
{
    add(p, IFL_TALLY_L1_MISSES, touch, ifl_sector_count(touch->sectors & 0xf & ~hits));
    if (joins(p, touch))
        return 0;
    add(p, IFL_TALLY_FETCHED, touch, ifl_sector_count(fetched));
    add(p, IFL_TALLY_PIECES, touch, pieces_of(fetched));
    return fetched;
}

static ifl_l1_key key_of(const ifl_cache_player *p, const ifl_touch *touch)
{
    const ifl_trace_index *x = p->order->index;
    return (ifl_l1_key){.line = touch->line,
                        .number = touch->number,
                        .words = x->words ? x->words[touch - x->touches] : 0};
}

static uint8_t load_l1(ifl_cache_player *p, const ifl_touch *touch, uint64_t now)
{
    const ifl_l1_key key = key_of(p, touch);
    const ifl_l1_answer answer =
        ifl_l1_load(p->l1, &key, touch->sectors & 0xf, (ifl_path)touch->path, now);
    add(p, IFL_TALLY_GIVEN, touch, ifl_sector_count(answer.given));
    return note_victim(p, touch, &answer) | add_load(p, touch, answer.hits, answer.fetched);
}

static uint8_t add_store(ifl_cache_player *p, const ifl_touch *touch)
{
    if (touch->path == IFL_PATH_LOCAL)
        add(p, IFL_TALLY_LOCAL_WRITES, touch, ifl_sector_count(touch->sectors));
    return touch->sectors & 0xf;
}

static uint8_t store_l1(ifl_cache_player *p, const ifl_touch *touch, uint64_t now)
{
    const ifl_l1_key key = key_of(p, touch);
    const uint8_t sectors = touch->sectors & 0xf, whole = touch->sectors >> 4;
    bool stays;
    const ifl_l1_answer answer =
        ifl_l1_store(p->l1, &key, sectors, whole, (ifl_path)touch->path, now, &stays);
    const uint8_t mark = note_victim(p, touch, &answer);
    return stays ? mark : mark | add_store(p, touch);
}

static uint8_t atomic_l1(ifl_cache_player *p, const ifl_touch *touch)
{
    const ifl_l1_key key = key_of(p, touch);
    ifl_l1_atomic(p->l1, &key);
    return touch->sectors & 0xf;
}

/* Steps jump about in memory: what those to come need is asked for early, by what that needs
 * itself. Returns a touch that comes soon; where none does, touch_count. */
static uint32_t look_ahead(const ifl_trace_index *x, const ifl_keyed *steps, uint32_t i,
                           uint32_t end)
{
    enum { REQUEST = 12, TOUCH = 8, LINE = 4 };
    if (i + REQUEST >= end)
        return x->touch_count;
    __builtin_prefetch(&x->requests[steps[i + REQUEST].index]);
    __builtin_prefetch(&x->touches[x->requests[steps[i + TOUCH].index].touch]);
    return x->requests[steps[i + LINE].index].touch;
}

static void touch_l1(ifl_cache_player *p, const ifl_touch *touch, uint64_t now)
{
    p->asked[touch - p->order->index->touches] =
        touch->kind == IFL_ACCESS_LOAD     ? load_l1(p, touch, now)
        : touch->kind == IFL_ACCESS_STORE  ? store_l1(p, touch, now)
        : touch->kind == IFL_ACCESS_ATOMIC ? atomic_l1(p, touch)
                                           : touch->sectors & 0xf; /* a prefetch passes it by */
}

static void step_l1(ifl_cache_player *p, const ifl_keyed *step)
{
    const ifl_trace_index *x = p->order->index;
    if (x->requests[step->index].forgets)
        ifl_l1_empty(p->l1);
    for (uint32_t t = x->requests[step->index].touch; t < x->requests[step->index + 1].touch; t++)
        if (!p->only_reused || x->touches[t].reused)
            touch_l1(p, &x->touches[t], step->key);
}

static void play_l1(ifl_cache_player *p, uint32_t first, uint32_t end)
{
    const ifl_trace_index *x = p->order->index;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t soon = look_ahead(x, p->order->by_sm, i, end);
        if (soon < x->touch_count)
            ifl_l1_expect(p->l1, x->touches[soon].number);
        step_l1(p, &p->order->by_sm[i]);
    }
}

void ifl_cache_play_l1s(ifl_cache_player *p)
{
    const ifl_grid_order *o = p->order;
    for (uint32_t sm = 0; sm < o->shape.placing.sms; sm++) {
        if (o->first_step[sm] == o->first_step[sm + 1])
            continue;
        ifl_l1_empty(p->l1);
        play_l1(p, o->first_step[sm], o->first_step[sm + 1]);
    }
}

void ifl_cache_play_missed(ifl_cache_player *p)
{
    const ifl_trace_index *x = p->order->index;
    for (uint32_t t = 0; t < x->touch_count; t++) {
        const ifl_touch *touch = &x->touches[t];
        const uint8_t sectors = touch->sectors & 0xf;
        if (touch->reused)
            continue;
        if (touch->kind == IFL_ACCESS_LOAD)
            p->asked[t] =
                add_load(p, touch, 0, ifl_l1_miss(p->rules, sectors, (ifl_path)touch->path));
        else
            p->asked[t] = touch->kind == IFL_ACCESS_STORE ? add_store(p, touch) : sectors;
    }
}

/* ---- the L2 ---------------------------------------------------------------------------------- */

static void add_answer(ifl_cache_player *p, const ifl_touch *touch, const ifl_l2_answer *answer)
{
    add(p, IFL_TALLY_DRAM_READS, touch, answer->dram_reads);
    add(p, IFL_TALLY_DRAM_WRITES, touch, answer->dram_writes);
    add(p, IFL_TALLY_DRAM_PADDING, touch, answer->dram_padding);
}

/* Whoever asks for a line within a turn of the one for whom it comes from DRAM waits for it too. */
static void note_phase(ifl_cache_player *p, const ifl_l2_request *request,
                       const ifl_l2_answer *answer)
{
    const uint64_t end = p->order->end + 1, at = request->now < end ? request->now : end - 1;
    ifl_phase_lines *phase =
        &p->phases[(uint64_t)((double)at * IFL_CACHE_PHASES / (double)end) % IFL_CACHE_PHASES];
    uint64_t *brought = &p->brought[request->number];
    if (answer->from_dram)
        *brought = request->now + 1;
    phase->asked++;
    phase->far += answer->from_dram;
    phase->other += !answer->from_dram && answer->hits < ifl_sector_count(request->sectors);
    phase->late += *brought && request->now + 1 - *brought <= IFL_TURN_TIME;
}

static void load_l2(ifl_cache_player *p, const ifl_touch *touch, const ifl_l2_request *request,
                    uint32_t block)
{
    const ifl_l2_answer answer = ifl_l2_read(p->l2, request);
    if (p->rules->joined_reads && touch->reused) {
        const ifl_grid_order *o = p->order;
        const uint32_t gpc = ifl_place_gpc(o->shape.placing.sms, p->rules->gpcs, o->sm_of[block]);
        if (ifl_l2_joins_read(&p->joins, request->number, request->sectors, gpc, request->now))
            add(p, IFL_TALLY_JOINED, touch, ifl_sector_count(request->sectors));
    }
    add(p, IFL_TALLY_L2_MISSES, touch, ifl_sector_count(request->sectors) - answer.hits);
    if (!answer.hits)
        add(p, IFL_TALLY_LONE_MISSES, touch,
            2 * pieces_of(request->sectors) - ifl_sector_count(request->sectors));
    note_phase(p, request, &answer);
    if (answer.from_dram)
        p->asked[touch - p->order->index->touches] |= IFL_ASKED_DRAM;
    add_answer(p, touch, &answer);
}

static void prefetch_l2(ifl_cache_player *p, const ifl_touch *touch, const ifl_l2_request *request)
{
    const ifl_l2_answer answer = ifl_l2_read(p->l2, request);
    const uint32_t asked = ifl_sector_count(request->sectors);
    if (answer.from_dram)
        p->brought[request->number] = request->now + 1;
    add(p, IFL_TALLY_PREFETCHED, touch, asked);
    add(p, IFL_TALLY_PREFETCH_MISSES, touch, asked - answer.hits);
    add_answer(p, touch, &answer);
}

static void store_l2(ifl_cache_player *p, const ifl_touch *touch, const ifl_l2_request *request)
{
    const ifl_l2_answer answer = ifl_l2_write(p->l2, request);
    add_answer(p, touch, &answer);
}

/* What the touch threw out of the L1, written whole. */
static void store_victim(ifl_cache_player *p, const ifl_touch *touch, const ifl_l2_request *request)
{
    const uint32_t victim = p->victims[touch - p->order->index->touches];
    ifl_l2_request back = *request;
    back.number = victim >> 4;
    back.sectors = back.whole = victim & 0xf;
    back.bytes = 0;
    back.home = ifl_line_home(p->order->index->lines[back.number]) & 1;
    store_l2(p, touch, &back);
}

static void touch_l2(ifl_cache_player *p, const ifl_touch *touch, const ifl_keyed *step)
{
    const uint8_t asked = p->asked[touch - p->order->index->touches];
    const bool is_local = touch->path == IFL_PATH_LOCAL;
    const ifl_l2_request request = {
        .number = touch->number,
        .sectors = asked & IFL_ASKED_SECTORS,
        .whole = touch->sectors >> 4,
        .bytes = touch->bytes,
        .brings_line = touch->kind == IFL_ACCESS_LOAD && touch->bytes,
        .home = touch->home,
        .near = p->near ? p->near[step->owner] : 0,
        .now = step->key,
        .ends = is_local ? ifl_grid_order_block_end(p->order, step->owner) : UINT64_MAX};
    if (asked & IFL_ASKED_BACK)
        store_victim(p, touch, &request);
    if (!request.sectors)
        return;
    if (touch->kind == IFL_ACCESS_LOAD)
        load_l2(p, touch, &request, step->owner);
    else if (touch->kind == IFL_ACCESS_STORE)
        store_l2(p, touch, &request);
    else if (touch->kind == IFL_ACCESS_PREFETCH)
        prefetch_l2(p, touch, &request);
    else {
        const ifl_l2_answer answer = ifl_l2_atomic(p->l2, &request);
        add(p, IFL_TALLY_ATOMIC_HITS, touch, answer.hits);
        add(p, IFL_TALLY_ATOMIC_MISSES, touch, ifl_sector_count(request.sectors) - answer.hits);
        add_answer(p, touch, &answer);
    }
}

void ifl_cache_play_l2(ifl_cache_player *p)
{
    const ifl_trace_index *x = p->order->index;
    memset(p->phases, 0, sizeof p->phases);
    memset(p->brought, 0, x->line_count * sizeof *p->brought);
    for (uint32_t i = 0; i < p->order->step_count; i++) {
        const ifl_keyed *step = &p->order->all[i];
        const ifl_trace_request *request = &x->requests[step->index];
        const uint32_t soon = look_ahead(x, p->order->all, i, p->order->step_count);
        if (soon < x->touch_count && p->asked[soon])
            ifl_l2_expect(p->l2, x->touches[soon].number);
        for (uint32_t t = request->touch; t < request[1].touch; t++)
            if (p->asked[t])
                touch_l2(p, &x->touches[t], step);
    }
    ifl_l2_count_dirty(p->l2, p->order->end, p->sums.of[IFL_TALLY_DIRTY]);
}

/* ---- phases ---------------------------------------------------------------------------------- */

static double share_of(double part, double whole, double otherwise)
{
    return whole > 0 ? part / whole : otherwise;
}

ifl_cache_phases ifl_cache_play_phases(const ifl_cache_player *p)
{
    ifl_cache_phases to = {.known = p->order->end > 0};
    double asked = 0, far = 0, late = 0, other = 0;
    for (int i = 0; i < IFL_CACHE_PHASES; i++) {
        asked += p->phases[i].asked;
        far += p->phases[i].far;
        late += p->phases[i].late;
        other += p->phases[i].other;
    }
    to.far_mean = share_of(far, asked, 0);
    to.late_mean = share_of(late, asked, 0);
    to.other_mean = share_of(other, asked, 0);
    for (int i = 0; i < IFL_CACHE_PHASES; i++) {
        to.far[i] = share_of(p->phases[i].far, p->phases[i].asked, to.far_mean);
        to.late[i] = share_of(p->phases[i].late, p->phases[i].asked, to.late_mean);
        to.other[i] = share_of(p->phases[i].other, p->phases[i].asked, to.other_mean);
    }
    return to;
}

/* ---- turns ----------------------------------------------------------------------------------- */

static void count_load(ifl_turn_lines *turn, uint8_t asked)
{
    if (!(asked & IFL_ASKED_SECTORS))
        turn->l1++;
    else if (asked & IFL_ASKED_DRAM)
        turn->dram++;
    else
        turn->l2++;
}

/* Loads that join another's wait for nothing of their own. */
ifl_turns ifl_cache_play_turns(const ifl_cache_player *p)
{
    const ifl_trace_index *x = p->order->index;
    ifl_turns sums = {0};
    ifl_turn_lines turn = {0};
    for (uint32_t r = 0; r < x->request_count; r++) {
        for (uint32_t t = x->requests[r].touch; t < x->requests[r + 1].touch; t++)
            if (x->touches[t].kind == IFL_ACCESS_LOAD && !joins(p, &x->touches[t]))
                count_load(&turn, p->asked[t]);
        if (!x->requests[r].ends_turn)
            continue;
        ifl_turns_add(&sums, &turn);
        turn = (ifl_turn_lines){0};
    }
    return sums;
}
