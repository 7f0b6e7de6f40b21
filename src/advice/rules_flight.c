/* SPDX-License-Identifier: Apache-2.0
 * Rules on waiting, occupancy, instructions and waves: documents 000, 001 and 003, and document
 * 004's threadblocks. */
#include "advice/lanes.h"
#include "advice/situation.h"
#include "base/figure.h"
#include "profile/registers.h"

#include <math.h>
#include <string.h>

static const double whole_word = 16; /* bytes: the widest word of a lane before sm_100 */

static double of(const ifl_situation *s, ifl_counter which)
{
    return ifl_situation_count(&s->profile->counters, which);
}

static bool is_side_by_side(const ifl_profile_line *line)
{
    return line->pattern.kind == IFL_PATTERN_COALESCED || line->pattern.kind == IFL_PATTERN_OFFSET;
}

/* ---- words and elements of a thread ---------------------------------------------------------- */

static double overhead_of(const ifl_situation *s, double requests)
{
    return ifl_overhead_share(&s->work, requests);
}

/* A thread does the work of `times`: what is overhead it does once. */
static void join_threads(double times, double overhead, ifl_remedy *to)
{
    to->work.blocks /= times;
    to->work.instructions *= 1 - overhead + overhead / times;
    to->work.cycles *= overhead + (1 - overhead) * times;
    to->work.shared_waits *= times;
}

/* Whole elements, for the schedule. */
static uint32_t whole(double times)
{
    return times >= 2 ? (uint32_t)(times + 0.01) : 1;
}

/* A loop makes fewer trips, with one wait for `times` as many bytes; where there is none there are
 * fewer threads. */
static void widen(double times, double overhead, ifl_remedy *to)
{
    const double less = 1 - overhead + overhead / times;
    to->change = (ifl_change){.known = times >= 2, .joins_words = true};
    if (to->work.waits < times) {
        to->change.join = whole(times);
        join_threads(times, overhead, to);
        return;
    }
    to->change.unroll = whole(times);
    to->work.instructions *= less;
    to->work.cycles *= less;
    to->work.waits /= times;
    to->work.spread /= times;
}

/* Requests of global memory whose lanes take neighbouring words of less than 16 bytes. */
typedef struct narrow_words {
    double requests, all, bytes; /* all: of the launch; bytes: of a lane, summed over requests */
    uint32_t least, most;        /* bytes of a lane */
    const ifl_profile_line *line;
} narrow_words;

static narrow_words find_narrow_words(const ifl_situation *s)
{
    narrow_words n = {0};
    double most = 0;
    for (size_t i = 0; i < s->profile->lines.count; i++) {
        const ifl_profile_line *line = &s->profile->lines.at[i];
        const double requests = ifl_line_requests(line);
        n.all += requests;
        if (line->space != IFL_SPACE_GLOBAL || line->kind == IFL_ACCESS_ATOMIC ||
            !is_side_by_side(line) || !line->access_bytes || line->access_bytes >= whole_word)
            continue;
        n.requests += requests;
        n.bytes += requests * line->access_bytes;
        n.least = n.least && n.least < line->access_bytes ? n.least : line->access_bytes;
        n.most = n.most > line->access_bytes ? n.most : line->access_bytes;
        if (requests > most)
            n.line = line;
        most = fmax(most, requests);
    }
    return n;
}

/* "4 bytes", "1 to 4 bytes" */
static const char *bytes_text(const ifl_situation *s, const narrow_words *n)
{
    const char *most = ifl_situation_say(s, "%s", ifl_figure_counted(n->most, "byte").text);
    return n->least == n->most || !most ? most : ifl_situation_say(s, "%u to %s", n->least, most);
}

/* The row names what floats become; NULL for it. */
static const char *wider_words(uint32_t bytes)
{
    enum { WORD = 4 };
    return bytes < WORD   ? "load and store 8 or 16 bytes per lane (as uint2, uint4): fewer "
                            "instructions, more bytes in "
                            "flight"
           : bytes > WORD ? "load and store 16 bytes per lane (double2): fewer instructions, more "
                            "bytes in flight"
                          : NULL;
}

static bool is_limited_by(const ifl_situation *s, const char *limiter)
{
    return s->waits && s->model.occupancy.limiter &&
           strcmp(s->model.occupancy.limiter, limiter) == 0;
}

/* What threads load goes to shared memory, which limits the blocks of an SM: with more elements a thread it holds fewer
 * threads, and has as many bytes in flight. */
static bool tile_is_full(const ifl_situation *s)
{
    const double each = 0.5;
    return is_limited_by(s, "shared memory") && of(s, IFL_COUNTER_shared_store_requests) >=
                                                    each * of(s, IFL_COUNTER_global_load_requests);
}

/* Lanes that are a row apart have no neighbouring words to load together. */
static bool runs_by_rows(const ifl_situation *s)
{
    double excess;
    return ifl_situation_worst(s, IFL_PATTERN_BIT(IFL_PATTERN_STRIDED), &excess);
}

bool ifl_rule_wide_loads(const ifl_situation *s, ifl_remedy *to)
{
    const double least = 0.5, worth = 0.1;
    const narrow_words n = find_narrow_words(s);
    const double overhead = overhead_of(s, n.requests);
    if (!n.line || n.requests < least * n.all || overhead < worth || tile_is_full(s) ||
        runs_by_rows(s) ||
        !(s->waits || ifl_situation_spends(s, IFL_TERM_ISSUE, 0.6) ||
          ifl_situation_spends(s, IFL_TERM_L1, 0.6)))
        return false;
    to->line = n.line;
    widen(ifl_remedy_part(to, whole_word / (n.bytes / n.requests)), overhead, to);
    to->remedy = wider_words(n.line->access_bytes);
    const char *bytes = bytes_text(s, &n);
    to->symptom =
        bytes
            ? ifl_situation_say(s,
                                "in %.0f %% of the requests neighbouring lanes access neighbouring "
                                "words of %s",
                                100 * n.requests / n.all, bytes)
            : NULL;
    return true;
}

bool ifl_rule_coarsening(const ifl_situation *s, ifl_remedy *to)
{
    const double one_wait = 1.5, many_waves = 4, times = ifl_remedy_part(to, 4);
    const double little = 0.2;
    if (!s->waits || !s->work.waits_known || s->work.waits > one_wait || s->work.waits <= 0 ||
        s->model.waves.waves < many_waves || tile_is_full(s) ||
        ifl_lanes_lone_share(s->profile) > little)
        return false;
    const double instructions = to->work.instructions;
    const double requests = of(s, IFL_COUNTER_global_load_requests) +
                            of(s, IFL_COUNTER_global_store_requests) +
                            of(s, IFL_COUNTER_global_atomic_requests);
    join_threads(times, overhead_of(s, requests), to);
    to->work.instructions = instructions; /* each element keeps its own */
    to->work.spread += to->work.waits * log2(times);
    to->change = (ifl_change){.known = true, .join = whole(times)};
    to->symptom = ifl_situation_say(
        s, "a thread waits for loads %s and exits; the grid has %s waves of blocks",
        ifl_figure_times(s->work.waits).text, ifl_figure_real(s->model.waves.waves).text);
    return true;
}

/* Addresses that the data decide: a load whose address another load gave cannot go beside that
 * one. */
static bool has_chain(const ifl_situation *s)
{
    for (size_t i = 0; i < s->profile->lines.count; i++) {
        const ifl_profile_line *line = &s->profile->lines.at[i];
        if (ifl_line_is(line, IFL_TRAFFIC_global_load) &&
            line->pattern.kind == IFL_PATTERN_IRREGULAR)
            return true;
    }
    return false;
}

/* A warp's loads of each lane's own word, as elements have them: not those of one word for all. */
static double loads_of_elements(const ifl_situation *s)
{
    uint64_t requests = 0;
    for (size_t i = 0; i < s->profile->lines.count; i++) {
        const ifl_profile_line *line = &s->profile->lines.at[i];
        if (ifl_line_is(line, IFL_TRAFFIC_global_load) &&
            line->pattern.kind != IFL_PATTERN_BROADCAST)
            requests += ifl_line_requests(line);
    }
    return (double)requests / s->warps;
}

/* A few waits, each with a branch before it, and no loop long enough to be one. */
bool ifl_rule_hoisted_bounds(const ifl_situation *s, ifl_remedy *to)
{
    const double least = 1.5, most = 10, branches = of(s, IFL_COUNTER_branches) / s->warps;
    if (!s->waits || !s->work.waits_known || s->work.waits < least || s->work.waits > most ||
        branches < s->work.waits || loads_of_elements(s) < least || has_chain(s))
        return false;
    const double waits = s->work.waits, fewer = ifl_remedy_part(to, 1 / waits);
    to->work.waits *= fewer;
    to->work.spread += to->work.waits * log2(1 / fewer);
    to->symptom = ifl_situation_say(s, "a warp waits for loads %s and branches %s",
                                    ifl_figure_times(waits).text, ifl_figure_times(branches).text);
    return true;
}

static const ifl_profile_line *plain_load(const ifl_situation *s)
{
    for (size_t i = 0; i < s->profile->lines.count; i++) {
        const ifl_profile_line *line = &s->profile->lines.at[i];
        if (ifl_line_is(line, IFL_TRAFFIC_global_load) && !(line->traits & IFL_TRAIT_READ_ONLY) &&
            ifl_line_requests(line) > 0)
            return line;
    }
    return NULL;
}

/* What is stored once a warp, after all loads in the code, holds no load back. A GPU's counters name no sites. */
static bool loads_follow_stores(const ifl_situation *s)
{
    const double again = 1.5;
    uint32_t last_load = 0;
    const ifl_profile_line *lines = s->profile->lines.at;
    for (size_t i = 0; i < s->profile->lines.count; i++)
        if (ifl_line_is(&lines[i], IFL_TRAFFIC_global_load) && ifl_line_requests(&lines[i]) > 0 &&
            lines[i].site > last_load)
            last_load = lines[i].site;
    if (!last_load)
        return true;
    for (size_t i = 0; i < s->profile->lines.count; i++)
        if (ifl_line_is(&lines[i], IFL_TRAFFIC_global_store) &&
            (ifl_line_requests(&lines[i]) > again * s->warps ||
             (ifl_line_requests(&lines[i]) > 0 && lines[i].site < last_load)))
            return true;
    return false;
}

bool ifl_rule_restrict_pointers(const ifl_situation *s, ifl_remedy *to)
{
    const double least = 1.5, few = 1; /* a wait for up to two loads is a wait for one alone */
    const ifl_profile_line *line = plain_load(s);
    if (!line || !s->waits || !s->work.waits_known || s->work.waits < least ||
        s->work.spread > few * s->work.waits + 0.01 ||
        of(s, IFL_COUNTER_global_store_requests) < s->warps * least || !loads_follow_stores(s))
        return false;
    const double fewer = ifl_remedy_part(to, 0.5);
    to->line = line;
    to->work.waits *= fewer;
    to->work.spread += to->work.waits * log2(1 / fewer);
    to->symptom = ifl_situation_say(
        s,
        "a warp waits for loads %s, with %s between the waits; the loads are not marked "
        "read-only",
        ifl_figure_times(s->work.waits).text,
        ifl_figure_amount(of(s, IFL_COUNTER_global_store_requests) / s->warps, "store").text);
    return true;
}

/* ---- occupancy ------------------------------------------------------------------------------- */

static ifl_figure blocks_text(const ifl_situation *s)
{
    return ifl_figure_counted((uint64_t)s->model.occupancy.blocks_per_sm, "block");
}

static int blocks_with(const ifl_situation *s, ifl_occupancy_request request, ifl_occupancy *out)
{
    ifl_error error;
    return ifl_occupancy_compute(s->device, &request, out, &error) == IFL_OK ? out->blocks_per_sm
                                                                             : 0;
}

static ifl_occupancy_request request_of(const ifl_situation *s)
{
    const uint32_t *block = s->profile->block;
    return (ifl_occupancy_request){.threads = (int)(block[0] * block[1] * block[2]),
                                   .registers = s->model.registers,
                                   .shared_bytes = (int)s->profile->shared_bytes};
}

static void more_blocks(const ifl_situation *s, int blocks, ifl_remedy *to)
{
    to->blocks_per_sm += to->share * (blocks - s->model.occupancy.blocks_per_sm);
    to->change = (ifl_change){.known = true, .blocks_per_sm = (uint32_t)blocks};
}

bool ifl_rule_launch_bounds(const ifl_situation *s, ifl_remedy *to)
{
    const double within_reach = 0.75; /* of the registers that the kernel has now */
    const int enough = s->model.occupancy.registers_for_more;
    ifl_occupancy_request request = request_of(s);
    ifl_occupancy with;
    if (!is_limited_by(s, "registers") || enough < within_reach * s->model.registers)
        return false;
    request.registers = enough;
    more_blocks(s, blocks_with(s, request, &with), to);
    to->symptom = ifl_situation_say(
        s, "%d registers per thread leave room for %s per SM; %d would leave room for %d",
        s->model.registers, blocks_text(s).text, enough, with.blocks_per_sm);
    return true;
}

/* Half of it, or what the next step takes if that is less. */
bool ifl_rule_less_shared(const ifl_situation *s, ifl_remedy *to)
{
    const int next = s->model.occupancy.shared_for_more, half = (int)(s->profile->shared_bytes / 2);
    ifl_occupancy_request request = request_of(s);
    ifl_occupancy with, most;
    if (!is_limited_by(s, "shared memory") || next < 0)
        return false;
    request.shared_bytes = next;
    blocks_with(s, request, &with);
    request.shared_bytes = next < half ? next : half;
    more_blocks(s, blocks_with(s, request, &most), to);
    to->symptom = ifl_situation_say(
        s, "%s of shared memory per block leave room for %s per SM; %s would leave room for %d",
        ifl_figure_counted(s->profile->shared_bytes, "byte").text, blocks_text(s).text,
        ifl_figure_count((uint64_t)next).text, with.blocks_per_sm);
    if (most.blocks_per_sm > with.blocks_per_sm)
        to->symptom =
            ifl_situation_say(s, "%s, half as much for %d", to->symptom, most.blocks_per_sm);
    return to->symptom;
}

/* The block sizes that are tried, and what each would do. */
typedef struct block_choice {
    int threads, warps_per_sm;
    double seconds;
    ifl_work work;
    double blocks_per_sm;
} block_choice;

/* The same threads in blocks of another size. Shared memory is taken to grow with the block, and to
 * stay as it is: the one of the two counts that leaves room for fewer warps. */
static bool try_block(const ifl_situation *s, int threads, block_choice *out)
{
    const ifl_occupancy_request now = request_of(s);
    const double times = (double)threads / now.threads;
    ifl_occupancy_request grown = now, kept = now;
    ifl_occupancy with, literal;
    grown.threads = kept.threads = threads;
    grown.shared_bytes = (int)(now.shared_bytes * times);
    if (blocks_with(s, grown, &with) <= 0 || blocks_with(s, kept, &literal) <= 0)
        return false;
    const ifl_occupancy *fewer = literal.warps_per_sm < with.warps_per_sm ? &literal : &with;
    *out = (block_choice){.threads = threads,
                          .warps_per_sm = fewer->warps_per_sm,
                          .work = s->work,
                          .blocks_per_sm = fewer->blocks_per_sm};
    ifl_timing timing;
    out->work.each = NULL;
    out->work.blocks /= times;
    out->work.warps_per_block = ceil(threads / 32.0);
    ifl_timing_find(&s->rates, &out->work, out->blocks_per_sm, &timing);
    out->seconds = timing.total;
    return true;
}

/* Only where the threads of one block are a multiple of those of the other. */
static ifl_change regrouped(int from, int to, double blocks_per_sm)
{
    return (ifl_change){.known = to % from == 0 || from % to == 0,
                        .widen = (uint32_t)(to > from ? to / from : 1),
                        .narrow = (uint32_t)(from > to ? from / to : 1),
                        .blocks_per_sm = (uint32_t)blocks_per_sm};
}

static ifl_figure threads_text(int threads)
{
    return ifl_figure_counted((uint64_t)threads, "thread");
}

/* What the other size gives: more warps, or blocks that start less often. */
static const char *sizes_text(const ifl_situation *s, int now, const block_choice *best)
{
    const int warps = s->model.occupancy.warps_per_sm;
    const double starts = s->work.blocks / s->device->value[IFL_DEVICE_sms];
    if (best->warps_per_sm == warps && best->threads > now)
        return ifl_situation_say(
            s, "an SM starts %s of %s one after the other; with %s it would start %s",
            ifl_figure_amount(starts, "block").text, threads_text(now).text,
            threads_text(best->threads).text, ifl_figure_real(starts * now / best->threads).text);
    return ifl_situation_say(s, "blocks of %s: %d warps per SM; blocks of %s: %d",
                             threads_text(now).text, warps, threads_text(best->threads).text,
                             best->warps_per_sm);
}

/* Larger blocks pay for their start once for more threads, and let an SM that may hold few blocks
 * hold more warps. */
bool ifl_rule_block_size(const ifl_situation *s, ifl_remedy *to)
{
    static const int sizes[] = {64, 96, 128, 192, 256, 384, 512, 768, 1024};
    const double as_good = 1.02, enough_waves = 1;
    const int now = request_of(s).threads;
    block_choice best = {0}, other;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && s->waits; i++)
        if (sizes[i] != now && try_block(s, sizes[i], &other) &&
            (!best.threads || other.seconds * as_good < best.seconds))
            best = other;
    if (!best.threads || s->model.waves.waves < enough_waves)
        return false;
    const double times = ifl_remedy_part(to, (double)best.threads / now);
    to->work.each = NULL;
    to->work.blocks /= times;
    to->work.warps_per_block *= times;
    to->blocks_per_sm += to->share * (best.blocks_per_sm - to->blocks_per_sm);
    to->change = regrouped(now, best.threads, best.blocks_per_sm);
    to->symptom = sizes_text(s, now, &best);
    to->remedy = ifl_situation_say(s, "blocks of %s instead of %s", threads_text(best.threads).text,
                                   ifl_figure_count((uint64_t)now).text);
    return true;
}

/* ---- waves ----------------------------------------------------------------------------------- */

bool ifl_rule_persistent_grid(const ifl_situation *s, ifl_remedy *to)
{
    const double many_waves = 8, short_block = 2.5, waves = s->model.waves.waves;
    if (!s->waits || !s->work.waits_known || waves < many_waves || s->work.waits > short_block)
        return false;
    const double times = ifl_remedy_part(to, waves);
    to->work.blocks /= times;
    to->work.waits *= times;
    to->work.spread *= times;
    to->work.cycles *= times;
    to->work.shared_waits *= times;
    to->change = (ifl_change){.known = true, .in_one_wave = true};
    to->symptom =
        s->work.waits > 0
            ? ifl_situation_say(s, "%s waves of blocks, each of which waits for loads %s and exits",
                                ifl_figure_real(waves).text, ifl_figure_times(s->work.waits).text)
            : ifl_situation_say(s, "%s waves of blocks, which exit soon",
                                ifl_figure_real(waves).text);
    return true;
}

/* The longest time of an SM over what it would be if the blocks were spread evenly. */
static double unevenness(const ifl_situation *s)
{
    const double blocks = s->work.blocks, sms = s->rates.sms;
    if (s->model.waves.waves >= 1)
        return 1 / s->model.waves.tail_efficiency;
    return blocks > sms ? ceil(blocks / sms) * sms / blocks : 1;
}

/* `times` as many blocks: each with a part of the waits that a block has one after the other, or of
 * its threads. */
typedef struct smaller_blocks {
    int times, threads;
    double seconds, blocks_per_sm;
} smaller_blocks;

static bool try_less_work(const ifl_situation *s, int times, smaller_blocks *out)
{
    ifl_remedy to = {
        .share = 1, .work = s->work, .blocks_per_sm = s->model.occupancy.blocks_per_sm};
    ifl_timing timing;
    if (!s->work.waits_known || s->work.waits < times)
        return false;
    to.work.each = NULL;
    ifl_remedy_share_out(times, &to);
    ifl_timing_find(&s->rates, &to.work, to.blocks_per_sm, &timing);
    *out = (smaller_blocks){times, request_of(s).threads, timing.total, to.blocks_per_sm};
    return true;
}

static bool try_fewer_threads(const ifl_situation *s, int times, smaller_blocks *out)
{
    block_choice choice;
    const int now = request_of(s).threads;
    if (now % (32 * times) || !try_block(s, now / times, &choice))
        return false;
    *out = (smaller_blocks){times, choice.threads, choice.seconds, choice.blocks_per_sm};
    return true;
}

/* The fewest blocks of those that are about as good; .times is 0 where none can be had. */
static smaller_blocks best_smaller(const ifl_situation *s)
{
    const double as_good = 1.02;
    smaller_blocks best = {0}, other;
    for (int times = 2; times <= 8; times *= 2)
        if ((try_less_work(s, times, &other) || try_fewer_threads(s, times, &other)) &&
            (!best.times || other.seconds * as_good < best.seconds))
            best = other;
    return best;
}

static const char *uneven_text(const ifl_situation *s)
{
    const ifl_waves *w = &s->model.waves;
    const double each = floor(s->work.blocks / s->rates.sms);
    if (w->waves >= 1)
        return ifl_situation_say(s,
                                 "waves of blocks: %s, which use %.0f %% of the places for blocks",
                                 ifl_figure_real(w->waves).text, 100 * w->tail_efficiency);
    return ifl_situation_say(s, "%s on %.0f SMs: some SMs have %.0f, the others %.0f",
                             ifl_figure_counted((uint64_t)s->work.blocks, "block").text,
                             s->rates.sms, each + 1, each);
}

/* Smaller blocks end more evenly. What an SM holds is taken as in block_size: also with a shared
 * array that stays as large as it is. */
bool ifl_rule_tail(const ifl_situation *s, ifl_remedy *to)
{
    const double uneven = 1.1;
    const int now = request_of(s).threads;
    const smaller_blocks best = unevenness(s) > uneven ? best_smaller(s) : (smaller_blocks){0};
    if (!best.times)
        return false;
    const double times = ifl_remedy_part(to, best.times);
    const ifl_figure blocks = ifl_figure_counted((uint64_t)(s->work.blocks * best.times), "block");
    to->work.each = NULL;
    if (best.threads == now) {
        ifl_remedy_share_out(best.times, to);
        to->change = (ifl_change){.known = true, .cut = (uint32_t)best.times};
        to->remedy = ifl_situation_say(s, "%s, each with %s of the work of one now", blocks.text,
                                       best.times == 2   ? "half"
                                       : best.times == 4 ? "a quarter"
                                                         : "an eighth");
    } else {
        to->work.blocks *= times;
        to->work.warps_per_block /= times;
        to->change = regrouped(now, best.threads, best.blocks_per_sm);
        to->remedy =
            ifl_situation_say(s, "blocks of %s instead of %s: %s", threads_text(best.threads).text,
                              ifl_figure_count((uint64_t)now).text, blocks.text);
    }
    to->blocks_per_sm += to->share * (best.blocks_per_sm - to->blocks_per_sm);
    to->symptom = uneven_text(s);
    return true;
}

/* ---- loops of loads -------------------------------------------------------------------------- */

bool ifl_rule_more_loads_in_flight(const ifl_situation *s, ifl_remedy *to)
{
    const double loop = 4, few = 1.5; /* fewer than three loads a wait */
    if (!s->waits || !s->work.waits_known || s->work.waits < loop ||
        s->work.spread >= few * s->work.waits)
        return false;
    const double fewer = ifl_remedy_part(to, 0.25);
    to->work.waits *= fewer;
    to->work.spread = to->work.spread * fewer + to->work.waits * log2(1 / fewer);
    to->change = (ifl_change){.known = true, .unroll = 4};
    to->symptom = ifl_situation_say(
        s, "a warp waits for loads %s, each time for %s", ifl_figure_times(s->work.waits).text,
        ifl_figure_amount(exp2(s->work.spread / s->work.waits), "load").text);
    return true;
}

/* Where `depth` loads of a thread can wait: what costs no occupancy. */
static const char *place_for(const ifl_situation *s, double depth, double bytes)
{
    const ifl_occupancy *o = &s->model.occupancy;
    const uint32_t *block = s->profile->block;
    const double threads = (double)block[0] * block[1] * block[2];
    if (s->model.registers + depth * bytes / 4 <= o->registers_before_fewer)
        return "registers";
    if ((double)s->profile->shared_bytes + depth * bytes * threads <= o->shared_before_fewer)
        return "shared memory";
    return "the L2 (prefetch.global.L2)";
}

/* Document 003's conditions: bandwidth to spare, warps that wait for memory, a loop of loads that
 * do not need each other. */
bool ifl_rule_prefetch(const ifl_situation *s, ifl_remedy *to)
{
    const double loop = 8, to_spare = 0.6, deepest = 8;
    const ifl_profile_line *busiest = NULL;
    for (size_t i = 0; i < s->profile->lines.count; i++) {
        const ifl_profile_line *line = &s->profile->lines.at[i];
        if (ifl_line_is(line, IFL_TRAFFIC_global_load) && !ifl_line_is_copied(line) &&
            line->pattern.kind != IFL_PATTERN_IRREGULAR &&
            (!busiest || ifl_line_requests(line) > ifl_line_requests(busiest)))
            busiest = line;
    }
    if (!busiest || !s->waits || s->busy > to_spare || !s->work.waits_known || s->work.waits < loop)
        return false;
    const double trips = ifl_line_requests(busiest) / s->warps;
    if (trips < loop / 2)
        return false;
    double depth = ceil(s->model.bytes_needed_per_sm / fmax(s->model.bytes_in_flight_per_sm, 1));
    depth = fmax(2, fmin(depth, fmin(deepest, floor(trips / 2))));
    ifl_remedy_waits(1 / depth, to);
    to->change = (ifl_change){.known = true, .at_hand = true};
    to->line = busiest;
    to->symptom =
        ifl_situation_say(s, "%.0f %% of the bandwidth is used; a warp waits for loads %s",
                          100 * s->busy, ifl_figure_times(s->work.waits).text);
    to->remedy = ifl_situation_say(s, "prefetch the loop's loads %.0f iterations ahead, into %s",
                                   depth, place_for(s, depth, busiest->access_bytes));
    return true;
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* Conversions between float and double: those of the machine code that ran, else of the PTX. */
typedef struct conversions {
    double widened, narrowed;
} conversions;

static conversions find_conversions(const ifl_situation *s)
{
    const ifl_opcode_list *list =
        s->profile->machine.ran ? &s->profile->opcodes : &s->profile->ptx_opcodes;
    return (conversions){ifl_opcodes_count(list, IFL_TRAIT_WIDENS),
                         ifl_opcodes_count(list, IFL_TRAIT_NARROWS)};
}

/* Machine code does not say what 8 bytes are: doubles that a kernel loads or stores need no
 * conversion. */
static bool may_hold_doubles(const ifl_situation *s, const ifl_profile_line *line)
{
    enum { DOUBLE = 8 };
    return s->profile->machine.ran ? line->access_bytes == DOUBLE && line->space == IFL_SPACE_GLOBAL
                                   : (line->traits & IFL_TRAIT_DOUBLE);
}

/* Moves that bring a double's constants: it has two words, which only registers can hold, where an
 * instruction on floats has its constant within it. At most two for an instruction on doubles. */
static double moved_constants(const ifl_situation *s)
{
    enum { WORDS = 2 };
    const double moves = ifl_opcodes_count(&s->profile->opcodes, IFL_TRAIT_MOVES);
    return s->profile->machine.ran ? fmin(moves, WORDS * s->work.fp64) : 0;
}

/* Many floats become one: somebody may want the sum as a double, unless that takes the time. */
static bool is_sum_of_floats(const ifl_situation *s, const conversions *c)
{
    const double each = 8, worth = 0.5;
    return c->narrowed * each < c->widened && !ifl_situation_spends(s, IFL_TERM_ARITHMETIC, worth);
}

/* Numbers are widened for arithmetic that no double was ever loaded for. */
bool ifl_rule_accidental_double(const ifl_situation *s, ifl_remedy *to)
{
    const conversions c = find_conversions(s);
    for (size_t i = 0; i < s->profile->lines.count; i++)
        if (may_hold_doubles(s, &s->profile->lines.at[i]))
            return false;
    if (c.widened <= 0 || s->work.fp64 <= 0 || is_sum_of_floats(s, &c))
        return false;
    to->work.fp32 += to->share * to->work.fp64;
    to->work.fp64 *= 1 - to->share;
    to->work.convert *= 1 - to->share;
    to->work.instructions -= to->share * (c.widened + c.narrowed + moved_constants(s));
    /* of a warp's instructions that wait for each other, as many */
    to->work.cycles *= to->work.instructions / s->work.instructions;
    if (s->profile->machine.ran) /* where conversions are among the special functions */
        to->work.special -= to->share * fmin(c.widened + c.narrowed, to->work.special);
    to->change = (ifl_change){.known = true, .at_least = true, .single_precision = true};
    to->symptom = ifl_situation_say(s, "%s from float to double per warp, and no double in memory",
                                    ifl_figure_amount(c.widened / s->warps, "conversion").text);
    return true;
}

/* A lone thread's side of a branch has no other that it could be grouped with. */
static bool is_lone_work(const ifl_situation *s)
{
    const double most_of_it = 0.5, issued = ifl_situation_issued(s);
    const double idle = 1 - of(s, IFL_COUNTER_thread_instructions) / (32 * issued);
    return ifl_lanes_lone_share(s->profile) > most_of_it * idle;
}

bool ifl_rule_divergence(const ifl_situation *s, ifl_remedy *to)
{
    const double often = 0.1, full = 0.75, least = 0.4;
    const double branches = of(s, IFL_COUNTER_branches),
                 split = of(s, IFL_COUNTER_divergent_branches);
    const double issued = ifl_situation_issued(s);
    const double lanes = issued > 0 ? of(s, IFL_COUNTER_thread_instructions) / issued / 32 : 1;
    if (branches <= 0 || split < often * s->warps || lanes > full || is_lone_work(s) ||
        !(ifl_situation_spends(s, IFL_TERM_ISSUE, least) ||
          ifl_situation_spends(s, IFL_TERM_ARITHMETIC, least)))
        return false;
    const double fewer = ifl_remedy_part(to, lanes);
    to->work.instructions *= fewer;
    to->work.fp32 *= fewer;
    to->work.fp64 *= fewer;
    to->work.int32 *= fewer;
    to->work.special *= fewer;
    to->work.convert *= fewer;
    to->work.cycles *= fewer;
    to->symptom =
        ifl_situation_say(s, "%s per warp; %.1f of 32 lanes are active on average",
                          ifl_figure_amount(split / s->warps, "divergent branch").text, 32 * lanes);
    return true;
}
