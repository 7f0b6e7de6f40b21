/* SPDX-License-Identifier: Apache-2.0
 * Changes the words of traces: each step takes a set of blocks and makes another. */
#include "time/time_change.h"

#include "arch/units.h"
#include "time/time_costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sets ------------------------------------------------------------------------------------ */

static bool begin_set(ifl_trace_set *set, size_t count, uint32_t warps)
{
    *set =
        (ifl_trace_set){.at = calloc(count + 1, sizeof *set->at), .count = count, .warps = warps};
    for (size_t b = 0; set->at && b < count; b++)
        if (!(set->at[b].warps = calloc(warps + 1, sizeof *set->at[b].warps)))
            return false;
    return set->at;
}

void ifl_trace_set_free(ifl_trace_set *set)
{
    for (size_t b = 0; set->at && b < set->count; b++) {
        for (uint32_t w = 0; set->at[b].warps && w < set->warps; w++)
            ifl_vec_free(&set->at[b].warps[w].words);
        free(set->at[b].warps);
    }
    free(set->at);
    *set = (ifl_trace_set){0};
}

static bool append(ifl_warp_trace *to, const uint32_t *words, size_t count)
{
    if (!ifl_vec_reserve(&to->words, count))
        return false;
    if (count)
        memcpy(to->words.at + to->words.count, words, count * sizeof *words);
    to->words.count += count;
    return true;
}

static size_t words_of(const ifl_block_trace *block, uint32_t warps)
{
    size_t sum = 0;
    for (uint32_t w = 0; w < warps; w++)
        sum += block->warps[w].words.count;
    return sum;
}

/* A change would not know what to make of a gap. */
static bool append_followed(const ifl_warp_trace *from, size_t words, ifl_warp_trace *to)
{
    bool done = true, in_gap = false;
    for (size_t at = 0; done && at < words; at += ifl_trace_words(from->words.at + at)) {
        const uint32_t *word = from->words.at + at;
        if (*word & IFL_WORD_STRETCH)
            in_gap = !(word[1] & IFL_STRETCH_SITES);
        done = in_gap || append(to, word, ifl_trace_words(word));
    }
    return done;
}

bool ifl_trace_set_copy(const ifl_block_trace *const *blocks, size_t count, uint32_t warps,
                        size_t least, size_t most, ifl_trace_set *out)
{
    enum { WAVES = 32 }; /* as many say what more would */
    size_t taken = 0, words = 0;
    for (; taken < count && taken < WAVES * least; taken++) {
        words += words_of(blocks[taken], warps);
        if (words > most && taken >= least)
            break;
    }
    const size_t each = words > most && taken ? most / (taken * warps) : SIZE_MAX;
    bool done = begin_set(out, taken, warps);
    for (size_t b = 0; done && b < taken; b++)
        for (uint32_t w = 0; done && w < warps; w++) {
            const ifl_warp_trace *from = &blocks[b]->warps[w];
            uint64_t instructions;
            done = append_followed(from, ifl_warp_trace_within(from, each, &instructions),
                                   &out->at[b].warps[w]);
        }
    return done;
}

/* ---- stretches ------------------------------------------------------------------------------- */

/* A stretch and the requests behind it. */
typedef struct part {
    uint32_t first, sites; /* as in the words */
    const uint32_t *at, *end;
} part;

typedef IFL_VEC(part) part_list;

static bool is_stretch(const uint32_t *word)
{
    return *word & IFL_WORD_STRETCH;
}

static const uint32_t *behind(const uint32_t *request)
{
    return request + 2 + ifl_request_unpack(request[1]).lines;
}

static bool take_parts(const ifl_warp_trace *warp, part_list *to)
{
    const uint32_t *at = warp->words.at, *end = at + warp->words.count;
    while (at < end && !is_stretch(at))
        at = behind(at);
    while (at < end) {
        part p = {.first = at[0], .sites = at[1], .at = at + 2};
        for (at += 2; at < end && !is_stretch(at);)
            at = behind(at);
        p.end = at;
        if (!ifl_vec_push(to, p))
            return false;
    }
    return true;
}

static bool is_same(const part *a, const part *b)
{
    return a->first == b->first && a->sites == b->sites;
}

static bool put_part(const part *p, ifl_warp_trace *to)
{
    return append(to, (const uint32_t[]){p->first, p->sites}, 2) &&
           append(to, p->at, (size_t)(p->end - p->at));
}

/* The requests of all, each site's side by side. */
static bool put_requests(part *parts, size_t count, ifl_warp_trace *to)
{
    for (;;) {
        uint32_t site = UINT32_MAX;
        for (size_t i = 0; i < count; i++)
            if (parts[i].at < parts[i].end && *parts[i].at < site)
                site = *parts[i].at;
        if (site == UINT32_MAX)
            return true;
        for (size_t i = 0; i < count; i++)
            while (parts[i].at < parts[i].end && *parts[i].at == site) {
                const uint32_t *next = behind(parts[i].at);
                if (!append(to, parts[i].at, (size_t)(next - parts[i].at)))
                    return false;
                parts[i].at = next;
            }
    }
}

enum { MOST_JOINED = 64 };

/* `count` parts that are the same, as one. */
static bool put_joined(part *parts, size_t count, ifl_warp_trace *to)
{
    const uint32_t sites = parts[0].sites + ((uint32_t)(count - 1) << IFL_STRETCH_BITS);
    return append(to, (const uint32_t[]){parts[0].first, sites}, 2) &&
           put_requests(parts, count, to);
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* How often the `period` parts at `at` follow each other. */
static size_t repeats_of(const part_list *parts, size_t at, size_t period, size_t most)
{
    size_t times = 1;
    for (; times < most && at + (times + 1) * period <= parts->count; times++)
        for (size_t i = 0; i < period; i++)
            if (!is_same(&parts->at[at + i], &parts->at[at + times * period + i]))
                return times;
    return times;
}

static bool put_trips(const part_list *parts, size_t at, size_t period, size_t times,
                      ifl_warp_trace *to)
{
    part joined[MOST_JOINED];
    for (size_t i = 0; i < period; i++) {
        for (size_t t = 0; t < times; t++)
            joined[t] = parts->at[at + t * period + i];
        if (!put_joined(joined, times, to))
            return false;
    }
    return true;
}

/* The shortest way to go round comes first. */
static bool unroll(const ifl_warp_trace *from, uint32_t most, ifl_warp_trace *to)
{
    const size_t longest = (size_t)ifl_sm_constant.trip_stretches;
    part_list parts = {0};
    bool done = take_parts(from, &parts);
    for (size_t i = 0; done && i < parts.count;) {
        size_t period = 1, times = 1;
        for (; period <= longest; period++)
            if ((times = repeats_of(&parts, i, period, most)) > 1)
                break;
        period = times > 1 ? period : 1;
        done = put_trips(&parts, i, period, times, to);
        i += period * times;
    }
    ifl_vec_free(&parts);
    return done;
}

/* ---- threads that do more, and less ---------------------------------------------------------- */

static bool put_rest(const part_list *parts, size_t from, ifl_warp_trace *to)
{
    bool done = true;
    for (size_t i = from; done && i < parts->count; i++)
        done = put_part(&parts->at[i], to);
    return done;
}

/* One warp does what `count` do, side by side as long as they do the same, then one after the
 * other. */
static bool join(const ifl_warp_trace *const *warps, size_t count, ifl_warp_trace *to)
{
    part_list parts[MOST_JOINED] = {0};
    part joined[MOST_JOINED];
    size_t common = SIZE_MAX, at = 0;
    bool done = true;
    for (size_t i = 0; done && i < count; i++) {
        done = take_parts(warps[i], &parts[i]);
        common = parts[i].count < common ? parts[i].count : common;
    }
    for (; done && at < common; at++) {
        size_t same = 0;
        for (; same < count && is_same(&parts[same].at[at], &parts[0].at[at]); same++)
            joined[same] = parts[same].at[at];
        if (same < count)
            break;
        done = put_joined(joined, count, to);
    }
    for (size_t i = 0; done && i < count; i++)
        done = put_rest(&parts[i], at, to);
    for (size_t i = 0; i < count; i++)
        ifl_vec_free(&parts[i]);
    return done;
}

static bool join_blocks(const ifl_trace_set *from, uint32_t times, ifl_trace_set *to)
{
    const ifl_warp_trace *warps[MOST_JOINED];
    bool done = begin_set(to, from->count / times, from->warps);
    for (size_t b = 0; done && b < to->count; b++)
        for (uint32_t w = 0; done && w < from->warps; w++) {
            for (uint32_t i = 0; i < times; i++)
                warps[i] = &from->at[b * times + i].warps[w];
            done = join(warps, times, &to->at[b].warps[w]);
        }
    return done;
}

/* Each of `times` warps does a part of it, of about as many instructions. */
static bool cut(const ifl_warp_trace *from, uint32_t times, ifl_block_trace *to, uint32_t warp)
{
    part_list parts = {0};
    bool done = take_parts(from, &parts);
    uint64_t all = 0, before = 0;
    for (size_t i = 0; i < parts.count; i++)
        all += parts.at[i].sites & IFL_STRETCH_SITES;
    for (size_t i = 0; done && i < parts.count; i++) {
        const uint64_t piece = before < all ? before * times / all : times - 1;
        done = put_part(&parts.at[i], &to[piece].warps[warp]);
        before += parts.at[i].sites & IFL_STRETCH_SITES;
    }
    ifl_vec_free(&parts);
    return done;
}

static bool cut_blocks(const ifl_trace_set *from, uint32_t times, ifl_trace_set *to)
{
    bool done = begin_set(to, from->count * times, from->warps);
    for (size_t b = 0; done && b < from->count; b++)
        for (uint32_t w = 0; done && w < from->warps; w++)
            done = cut(&from->at[b].warps[w], times, &to->at[b * times], w);
    return done;
}

/* ---- lone lanes ------------------------------------------------------------------------------ */

static bool is_lone(const part *p, const ifl_change *c, const ifl_sites *sites)
{
    const uint32_t end = p->first + (p->sites & IFL_STRETCH_SITES);
    for (uint32_t i = p->first & ~IFL_WORD_STRETCH; i < (end & ~IFL_WORD_STRETCH); i++)
        if (i >= c->site_count || !c->lone[i] || sites->at[i].role == IFL_SITE_BARRIER)
            return false;
    return true;
}

/* 32 lanes do in one stretch what one lane does in as many. */
static bool thin(const ifl_warp_trace *from, const ifl_change *c, const ifl_sites *sites,
                 ifl_warp_trace *to)
{
    part_list parts = {0};
    bool done = take_parts(from, &parts);
    uint32_t lone = 0;
    for (size_t i = 0; done && i < parts.count; i++)
        if (!is_lone(&parts.at[i], c, sites) || lone++ % IFL_WARP_LANES == 0)
            done = put_part(&parts.at[i], to);
    ifl_vec_free(&parts);
    return done;
}

static bool thin_blocks(const ifl_trace_set *from, const ifl_change *c, const ifl_sites *sites,
                        ifl_trace_set *to)
{
    bool done = begin_set(to, from->count, from->warps);
    for (size_t b = 0; done && b < from->count; b++)
        for (uint32_t w = 0; done && w < from->warps; w++)
            done = thin(&from->at[b].warps[w], c, sites, &to->at[b].warps[w]);
    return done;
}

/* ---- blocks of other shapes ------------------------------------------------------------------ */

/* Blocks of `warps` warps, in which all warps follow each other as before. */
static bool regroup(const ifl_trace_set *from, uint32_t warps, ifl_trace_set *to)
{
    const size_t all = from->count * from->warps;
    bool done = begin_set(to, all / warps, warps);
    for (size_t i = 0; done && i < to->count * warps; i++) {
        const ifl_warp_trace *one = &from->at[i / from->warps].warps[i % from->warps];
        done = append(&to->at[i / warps].warps[i % warps], one->words.at, one->words.count);
    }
    return done;
}

static bool chain_blocks(const ifl_trace_set *from, uint32_t at_once, ifl_trace_set *to)
{
    bool done = begin_set(to, from->count < at_once ? from->count : at_once, from->warps);
    for (size_t b = 0; done && b < from->count; b++)
        for (uint32_t w = 0; done && w < from->warps; w++) {
            const ifl_warp_trace *one = &from->at[b].warps[w];
            done = append(&to->at[b % to->count].warps[w], one->words.at, one->words.count);
        }
    return done;
}

/* ---- what requests ask for ------------------------------------------------------------------- */

/* Which sectors of a line some request has taken: each is needed once. */
typedef struct taken_line {
    uint64_t line; /* + 1; 0: none */
    unsigned sectors;
} taken_line;

typedef struct editor {
    const ifl_change *change;
    const ifl_sites *sites;
    taken_line *lines;
    size_t mask; /* of places in `lines` */
    double stored, stored_lines;
} editor;

enum { ALL_SECTORS = (1u << IFL_LINE_SECTORS) - 1 };

static unsigned *taken_of(editor *e, uint32_t word)
{
    const uint64_t key = (uint64_t)(word >> IFL_LINE_SECTORS) + 1;
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & e->mask;
    while (e->lines[at].line && e->lines[at].line != key)
        at = (at + 1) & e->mask;
    e->lines[at].line = key;
    return &e->lines[at].sectors;
}

static uint32_t lowest(unsigned sectors, uint32_t count)
{
    unsigned taken = 0;
    for (unsigned s = 0; s < IFL_LINE_SECTORS && count; s++)
        if (sectors >> s & 1) {
            taken |= 1u << s;
            count--;
        }
    return taken;
}

static uint32_t count_of(uint32_t word)
{
    return (uint32_t)__builtin_popcount(word & ALL_SECTORS);
}

static uint32_t sectors_of(const uint32_t *lines, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += count_of(lines[i]);
    return sum;
}

/* As if what is needed lay together: sectors of the request's lines that no other one has taken,
 * line by line; where there are none left, those of its first lines. Returns how many lines. */
static uint32_t gather(editor *e, uint32_t *lines, uint32_t count, uint32_t needed)
{
    uint32_t made = 0, left = needed;
    for (uint32_t i = 0; i < count && left; i++) {
        unsigned *taken = taken_of(e, lines[i]);
        const unsigned own = lowest(~*taken & ALL_SECTORS, left);
        if (!own)
            continue;
        *taken |= own;
        left -= count_of(own);
        lines[made++] = (lines[i] & ~(uint32_t)ALL_SECTORS) | own;
    }
    for (; made < count && left; made++) {
        const unsigned own = lowest(ALL_SECTORS, left);
        left -= count_of(own);
        lines[made] = (lines[made] & ~(uint32_t)ALL_SECTORS) | own;
    }
    return made;
}

/* Of its lines the first, until there are as many sectors. */
static uint32_t keep_first(uint32_t *lines, uint32_t count, uint32_t needed)
{
    uint32_t made = 0, left = needed;
    for (; made < count && left; made++) {
        const unsigned own = lowest(lines[made] & ALL_SECTORS, left);
        left -= count_of(own);
        lines[made] = (lines[made] & ~(uint32_t)ALL_SECTORS) | own;
    }
    return made;
}

static void edit_global(editor *e, const ifl_site_access *access, uint32_t site,
                        ifl_request_cost *cost, uint32_t *lines)
{
    const ifl_change *c = e->change;
    const double asked = c->sectors && site < c->site_count ? c->sectors[site] : 0;
    const uint32_t now = sectors_of(lines, cost->lines),
                   needed = asked > 0 ? (uint32_t)ceil(asked - 0.01) : now;
    if (asked > 0 && needed < now) {
        cost->lines = gather(e, lines, cost->lines, needed);
        cost->passes = (needed + IFL_LINE_SECTORS - 1) / IFL_LINE_SECTORS;
        cost->ends = IFL_STORE_WHOLE;
    }
    if (c->half_words && access->space == IFL_SPACE_GLOBAL) {
        cost->lines = keep_first(lines, cost->lines, (sectors_of(lines, cost->lines) + 1) / 2);
        cost->passes = (cost->passes + 1) / 2;
    }
    if (c->loads > 0 && ifl_access_plain_kind(access->kind) == IFL_ACCESS_LOAD)
        cost->lines = keep_first(lines, cost->lines, (uint32_t)ceil(c->loads * now - 0.01));
    if (ifl_access_plain_kind(access->kind) != IFL_ACCESS_STORE ||
        (c->no_local && access->space == IFL_SPACE_LOCAL))
        return;
    e->stored += sectors_of(lines, cost->lines);
    e->stored_lines += cost->lines;
}

static void edit_shared(const ifl_site_access *access, ifl_request_cost *cost)
{
    const uint32_t least = access->bytes > IFL_WORD_BYTES ? access->bytes / IFL_WORD_BYTES : 1;
    if (access->kind != IFL_ACCESS_ATOMIC && cost->passes > least)
        cost->passes = least;
}

/* Of two results side by side one factor is loaded once: three loads in place of four. */
static bool shares_fragments(const ifl_change *c, const ifl_site_access *access)
{
    return c->loads > 0 && c->join > 1 && access->kind == IFL_ACCESS_LOAD;
}

static bool edit_request(editor *e, const uint32_t *request, ifl_warp_trace *to)
{
    ifl_request_cost cost = ifl_request_unpack(request[1]);
    const ifl_site *site = &e->sites->at[request[0]];
    const size_t at = to->words.count;
    if (!append(to, request, 2 + (size_t)cost.lines))
        return false;
    uint32_t *words = to->words.at + at;
    if (cost.served == IFL_REQUEST_GLOBAL)
        edit_global(e, &site->access, request[0], &cost, words + 2);
    else if (cost.served == IFL_REQUEST_SHARED && e->change->no_conflicts)
        edit_shared(&site->access, &cost);
    else if (cost.served == IFL_REQUEST_SHARED && shares_fragments(e->change, &site->access))
        cost.passes = (3 * cost.passes + 3) / 4;
    words[1] = ifl_request_pack(cost);
    to->words.count = at + 2 + cost.lines;
    return true;
}

static bool edit_warp(editor *e, const ifl_warp_trace *from, ifl_warp_trace *to)
{
    const uint32_t *at = from->words.at, *end = at + from->words.count;
    bool done = true;
    while (done && at < end) {
        done = is_stretch(at) ? append(to, at, 2) : edit_request(e, at, to);
        at = is_stretch(at) ? at + 2 : behind(at);
    }
    return done;
}

static bool begin_editor(editor *e, const ifl_trace_set *from)
{
    size_t words = 0, places = 1024;
    for (size_t b = 0; b < from->count; b++)
        words += words_of(&from->at[b], from->warps);
    while (places < 2 * words)
        places *= 2;
    e->mask = places - 1;
    e->lines = calloc(places, sizeof *e->lines);
    return e->lines;
}

static bool edit_blocks(const ifl_trace_set *from, const ifl_change *change, const ifl_sites *sites,
                        ifl_trace_set *to)
{
    editor e = {.change = change, .sites = sites};
    bool done = begin_set(to, from->count, from->warps) && begin_editor(&e, from);
    for (size_t b = 0; done && b < from->count; b++)
        for (uint32_t w = 0; done && w < from->warps; w++)
            done = edit_warp(&e, &from->at[b].warps[w], &to->at[b].warps[w]);
    to->stored = e.stored;
    to->stored_lines = e.stored_lines;
    free(e.lines);
    return done;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool has_objects(const ifl_trace_set *set)
{
    for (size_t b = 0; b < set->count; b++)
        for (uint32_t w = 0; w < set->warps; w++) {
            const ifl_warp_trace *warp = &set->at[b].warps[w];
            const uint32_t *at = warp->words.at, *end = at + warp->words.count;
            for (; at < end; at = is_stretch(at) ? at + 2 : behind(at))
                if (!is_stretch(at) && ifl_request_unpack(at[1]).served == IFL_REQUEST_OBJECT)
                    return true;
        }
    return false;
}

static bool has_barriers(const ifl_sites *sites)
{
    for (size_t i = 0; i < sites->count; i++)
        if (sites->at[i].role == IFL_SITE_BARRIER)
            return true;
    return false;
}

static bool unroll_blocks(const ifl_trace_set *from, uint32_t times, ifl_trace_set *to)
{
    bool done = begin_set(to, from->count, from->warps);
    for (size_t b = 0; done && b < from->count; b++)
        for (uint32_t w = 0; done && w < from->warps; w++)
            done = unroll(&from->at[b].warps[w], times, &to->at[b].warps[w]);
    return done;
}

/* The next step's set takes the place of this one's. */
static bool replace(ifl_trace_set *set, ifl_trace_set *by, bool done)
{
    by->stored = set->stored;
    by->stored_lines = set->stored_lines;
    ifl_trace_set_free(set);
    *set = *by;
    return done && set->count;
}

static bool reshapes(const ifl_change *c)
{
    return c->join > 1 || c->unroll > 1 || c->cut > 1 || c->widen > 1 || c->narrow > 1 ||
           c->in_one_wave || c->lone;
}

static bool is_possible(const ifl_trace_set *from, const ifl_change *c, const ifl_sites *sites)
{
    return !(reshapes(c) && has_objects(from)) && !(c->cut > 1 && has_barriers(sites)) &&
           (c->narrow <= 1 || from->warps % c->narrow == 0) && c->join <= MOST_JOINED &&
           c->unroll <= MOST_JOINED;
}

bool ifl_trace_set_change(const ifl_trace_set *from, const ifl_change *c, const ifl_sites *sites,
                          uint32_t at_once, ifl_trace_set *out)
{
    ifl_trace_set next = {0};
    *out = (ifl_trace_set){0};
    bool done = is_possible(from, c, sites) && edit_blocks(from, c, sites, out) && out->count;
    if (done && c->lone)
        done = replace(out, &next, thin_blocks(out, c, sites, &next));
    if (done && c->unroll > 1)
        done = replace(out, &next, unroll_blocks(out, c->unroll, &next));
    if (done && c->join > 1)
        done = replace(out, &next, join_blocks(out, c->join, &next));
    if (done && c->cut > 1)
        done = replace(out, &next, cut_blocks(out, c->cut, &next));
    if (done && c->widen > 1)
        done = replace(out, &next, regroup(out, out->warps * c->widen, &next));
    if (done && c->narrow > 1)
        done = replace(out, &next, regroup(out, out->warps / c->narrow, &next));
    if (done && c->in_one_wave)
        done = replace(out, &next, chain_blocks(out, at_once, &next));
    return done;
}
