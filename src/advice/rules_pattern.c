/* SPDX-License-Identifier: Apache-2.0
 * Rules on addresses and bytes: document 004's four patterns, banks, local memory, and document
 * 002's caches. */
#include "advice/lanes.h"
#include "advice/local_memory.h"
#include "advice/situation.h"
#include "base/figure.h"
#include "device/shared_size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double of(const ifl_situation *s, ifl_counter which)
{
    return ifl_situation_count(&s->profile->counters, which);
}

static const char *say_sectors(const ifl_situation *s, const ifl_profile_line *line)
{
    const double requests = ifl_line_requests(line);
    return ifl_situation_say(s, "%s per request where %s would do",
                             ifl_figure_amount(ifl_line_sectors(line) / requests, "sector").text,
                             ifl_figure_real(ifl_line_ideal(line) / requests).text);
}

static bool spare_patterns(const ifl_situation *s, uint32_t patterns, ifl_remedy *to)
{
    double excess;
    to->line = ifl_situation_worst(s, patterns, &excess);
    if (!to->line)
        return false;
    ifl_remedy_spare(s, patterns, excess, to);
    to->change = (ifl_change){.known = true};
    ifl_situation_needed(s, patterns, &to->change);
    to->symptom = say_sectors(s, to->line);
    return true;
}

bool ifl_rule_alignment(const ifl_situation *s, ifl_remedy *to)
{
    return spare_patterns(s, IFL_PATTERN_BIT(IFL_PATTERN_OFFSET), to) &&
           !ifl_profile_has_aligned(s->profile, to->line);
}

bool ifl_rule_wider_rows(const ifl_situation *s, ifl_remedy *to)
{
    return spare_patterns(s, IFL_PATTERN_BIT(IFL_PATTERN_ROWS), to);
}

bool ifl_rule_grouped_indexes(const ifl_situation *s, ifl_remedy *to)
{
    if (!spare_patterns(s, IFL_PATTERN_BIT(IFL_PATTERN_IRREGULAR), to))
        return false;
    to->work.random *= 1 - to->share;
    return true;
}

static double stride_bytes(const ifl_profile_line *line)
{
    return (double)llabs(line->pattern.stride_words) * line->access_bytes;
}

static bool walks(const ifl_profile_line *line)
{
    return line->pattern.kind == IFL_PATTERN_CONTIGUOUS && line->space == IFL_SPACE_GLOBAL;
}

static bool is_same_place(const ifl_profile_line *a, const ifl_profile_line *b)
{
    return a->line && a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* What walks: instructions, and source lines that have any. */
typedef struct walkers {
    int instructions, places;
} walkers;

static walkers find_walkers(const ifl_situation *s)
{
    const ifl_profile_line *lines = s->profile->lines.at;
    walkers found = {0};
    for (size_t i = 0; i < s->profile->lines.count; i++) {
        bool seen = !walks(&lines[i]);
        found.instructions += !seen;
        for (size_t j = 0; j < i && !seen; j++)
            seen = walks(&lines[j]) && is_same_place(&lines[i], &lines[j]);
        found.places += !seen;
    }
    return found;
}

enum {
    MEMBERS = 3,
    SMALL_STRIDE = 128,     /* bytes: a structure; beyond it a row */
    LARGEST_STRUCTURE = 256 /* bytes from one thread to the next; document 004 has 160 */
};

/* The members of a structure are read by as many instructions. An unrolled loop walks with several
 * too, but its regions are larger than structures. */
static bool walks_structures(const ifl_situation *s)
{
    double excess;
    const ifl_profile_line *line =
        ifl_situation_worst(s, IFL_PATTERN_BIT(IFL_PATTERN_CONTIGUOUS), &excess);
    return line && find_walkers(s).instructions >= MEMBERS && line->pattern.region_bytes &&
           line->pattern.region_bytes <= LARGEST_STRUCTURE;
}

bool ifl_rule_structure_of_arrays(const ifl_situation *s, ifl_remedy *to)
{
    double excess;
    if (walks_structures(s))
        return spare_patterns(s, IFL_PATTERN_BIT(IFL_PATTERN_CONTIGUOUS), to);
    const ifl_profile_line *line =
        ifl_situation_worst(s, IFL_PATTERN_BIT(IFL_PATTERN_STRIDED), &excess);
    return line && stride_bytes(line) < SMALL_STRIDE &&
           spare_patterns(s, IFL_PATTERN_BIT(IFL_PATTERN_STRIDED), to);
}

/* Rows of a block of which each shares one word, next to those of the other rows, are adjacent too,
 * but threads of different y are. */
static bool is_in_order(const ifl_profile_line *line)
{
    const uint32_t in_order = IFL_PATTERN_BIT(IFL_PATTERN_COALESCED) |
                              IFL_PATTERN_BIT(IFL_PATTERN_OFFSET) |
                              IFL_PATTERN_BIT(IFL_PATTERN_ROWS);
    const double half_of_lanes = 0.5, sectors_per_byte = 1; /* of 32 lanes */
    return in_order >> line->pattern.kind & 1 &&
           ifl_line_ideal(line) >=
               half_of_lanes * sectors_per_byte * line->access_bytes * ifl_line_requests(line);
}

/* No access has neighbouring lanes on neighbouring words. A transposition has one side in order. */
static bool has_nothing_in_order(const ifl_situation *s)
{
    double across = 0;
    for (size_t i = 0; i < s->profile->lines.count; i++) {
        const ifl_profile_line *line = &s->profile->lines.at[i];
        if (line->space != IFL_SPACE_GLOBAL || !(ifl_line_requests(line) > 0))
            continue;
        if (is_in_order(line))
            return false;
        across += line->pattern.kind == IFL_PATTERN_STRIDED && stride_bytes(line) >= SMALL_STRIDE;
    }
    return across > 0;
}

/* Of a block of two dimensions, what is adjacent in memory belongs to threads of different y. */
static bool runs_across(const ifl_situation *s)
{
    return s->profile->block[1] > 1 && has_nothing_in_order(s);
}

/* Of a block of one dimension, it belongs to other blocks or other trips of a loop, if DRAM brings
 * little that nobody asks for. */
static bool blocks_run_across(const ifl_situation *s)
{
    const double little = 1.5;
    const double useful =
        of(s, IFL_COUNTER_global_load_useful_bytes) + of(s, IFL_COUNTER_global_store_useful_bytes);
    return s->profile->block[1] == 1 && s->work.dram_bytes <= little * useful &&
           has_nothing_in_order(s);
}

/* Few source lines that walk may be a loop over a small region as well as members: then both rules
 * speak up. */
bool ifl_rule_threads_per_region(const ifl_situation *s, ifl_remedy *to)
{
    const bool may_be_loop =
        (!walks_structures(s) || find_walkers(s).places < MEMBERS) && !runs_across(s);
    if (!may_be_loop || !spare_patterns(s, IFL_PATTERN_BIT(IFL_PATTERN_CONTIGUOUS), to))
        return false;
    if (s->work.waits_known) { /* as many threads a region as it takes to fill the GPU */
        const double among = fmin(fmin(32, s->work.waits), 1 / s->model.waves.waves);
        ifl_remedy_share_out(among, to);
        to->change.cut = among >= 2 ? (uint32_t)among : 1;
    }
    return true;
}

bool ifl_rule_exchange_indexes(const ifl_situation *s, ifl_remedy *to)
{
    const uint32_t strided = IFL_PATTERN_BIT(IFL_PATTERN_STRIDED);
    if (runs_across(s))
        return spare_patterns(s, strided | IFL_PATTERN_BIT(IFL_PATTERN_CONTIGUOUS), to);
    to->remedy = "let neighbouring threads access neighbouring words: exchange what threadIdx.x "
                 "indexes with what blockIdx.x or a loop indexes";
    return blocks_run_across(s) && spare_patterns(s, strided, to);
}

/* Half of the effect is the order alone. With all of it a thread has several elements of a tile, as far as a wave is left. */
static void join_rows(const ifl_situation *s, ifl_remedy *to)
{
    enum { ELEMENTS = 4 }; /* a tile of 32 x 32 is turned over by 256 threads */
    if (s->model.waves.waves < ELEMENTS || !s->work.waits_known)
        return;
    to->change.join = ELEMENTS;
    if (to->share < 1)
        return;
    to->work.blocks /= ELEMENTS;
    to->work.spread += to->work.waits * log2(ELEMENTS);
}

/* A tile in memory order is whole lines: that moves more than lone sectors do, where no thread wants
 * the others. */
static bool wants_whole_lines(const ifl_situation *s)
{
    const double most = 0.5;
    const ifl_cache_facts *f = ifl_profile_caches(s->profile, s->device->id);
    return !f || f->thin_unused < most;
}

bool ifl_rule_stage_through_shared(const ifl_situation *s, ifl_remedy *to)
{
    double excess;
    if (runs_across(s) || blocks_run_across(s) || !wants_whole_lines(s))
        return false;
    const ifl_profile_line *line =
        ifl_situation_worst(s, IFL_PATTERN_BIT(IFL_PATTERN_STRIDED), &excess);
    if (!line || stride_bytes(line) < SMALL_STRIDE ||
        !spare_patterns(s, IFL_PATTERN_BIT(IFL_PATTERN_STRIDED), to))
        return false;
    to->work.shared_passes += 2 * to->share * ifl_line_requests(line);
    join_rows(s, to);
    return true;
}

/* Regions anywhere are scattered too: short runs at places that the data decide. */
static const ifl_profile_line *scattered_line(const ifl_situation *s, double *excess)
{
    const ifl_profile_line *line =
        ifl_situation_worst(s, IFL_PATTERN_BIT(IFL_PATTERN_IRREGULAR), excess);
    if (line)
        return line;
    line = ifl_situation_worst(s, IFL_PATTERN_BIT(IFL_PATTERN_CONTIGUOUS), excess);
    return line && !line->pattern.region_bytes ? line : NULL;
}

bool ifl_rule_non_caching_loads(const ifl_situation *s, ifl_remedy *to)
{
    const double sector = 32, line_bytes = 128, few = 0.5;
    double scattered, strided;
    const ifl_profile_line *worst = scattered_line(s, &scattered);
    const ifl_profile_line *other =
        ifl_situation_worst(s, IFL_PATTERN_BIT(IFL_PATTERN_STRIDED), &strided);
    to->line = worst ? worst : other;
    if (!to->line || s->rates.load_sector_bytes <= sector)
        return false;
    const double sectors = of(s, IFL_COUNTER_global_load_sectors),
                 lines = of(s, IFL_COUNTER_global_load_lines);
    const double less = lines > 0 ? sectors * sector / (lines * line_bytes) : 1;
    if (less > few)
        return false;
    const double part = 1 + to->share * (less - 1);
    to->work.load_bytes *= part;
    to->work.l2_bytes *= part;
    to->work.dram_bytes *= part;
    to->symptom =
        ifl_situation_say(s, "loads use %.0f %% of the lines that they fetch", 100 * less);
    return true;
}

/* ---- shared memory --------------------------------------------------------------------------- */

/* Do the conflicts come from several strides, as those of a tree do, in one instruction or from one to the next? */
static bool strides_differ(const ifl_situation *s, const ifl_profile_line *line)
{
    enum { BANKS = 32 };
    const double alike = 1.1;
    const ifl_traffic t =
        ifl_traffic_get(&line->counters, ifl_traffic_find(line->space, line->kind));
    const long long words = llabs(line->pattern.stride_words) % BANKS;
    const double meet = words ? (double)(words & -words) : BANKS;
    for (size_t i = 0; i < s->profile->lines.count; i++) {
        const ifl_profile_line *other = &s->profile->lines.at[i];
        if (other->pattern.kind == IFL_PATTERN_STRIDED && ifl_conflicts_of(&other->counters) > 0 &&
            other->pattern.stride_words != line->pattern.stride_words)
            return true;
    }
    return (double)t.wavefronts > alike * meet * (double)t.wavefronts_ideal;
}

/* What parts the banks of this line's lanes; NULL: the row's. Rows of a block lie one behind the other; one even stride
 * becomes an odd one; several are parted by a gap after every 32 elements. */
static const char *padding_of(const ifl_situation *s, const ifl_profile_line *line)
{
    const long long stride = line->pattern.stride_words;
    if (ifl_banks_are_of_rows(s->profile, line))
        return ifl_situation_say(
            s,
            "a block whose x size is a multiple of 32, or rows of the shared array "
            "that are %u words longer than a multiple of 32",
            s->profile->block[0]);
    if (line->pattern.kind != IFL_PATTERN_STRIDED || stride % 2)
        return NULL;
    if (strides_differ(s, line))
        return "let neighbouring threads access neighbouring elements (a sum: halve the stride "
               "from step to "
               "step), or pad the shared array by one element after every 32: element i + i / 32 "
               "for i";
    return ifl_situation_say(s,
                             "pad the rows of the shared array by one element of %s: %lld "
                             "elements between lanes instead of %lld",
                             ifl_figure_counted(line->access_bytes, "byte").text, stride + 1,
                             stride);
}

bool ifl_remedy_without_conflicts(const ifl_situation *s, bool of_matrices, ifl_remedy *to)
{
    const double least = 0.2;
    const double conflicts = ifl_conflicts_of(&s->profile->counters);
    to->line = ifl_situation_conflicting(s);
    if (!to->line || ifl_line_is_of_matrix(to->line) != of_matrices ||
        conflicts < least * s->work.shared_passes)
        return false;
    to->work.shared_passes -= to->share * conflicts;
    to->change = (ifl_change){.known = true, .no_conflicts = true};
    to->symptom = ifl_situation_say(
        s, "%.0f %% of the passes through shared memory are due to bank conflicts%s",
        100 * conflicts / s->work.shared_passes, of_matrices ? " of matrices' rows" : "");
    return true;
}

bool ifl_rule_pad_shared(const ifl_situation *s, ifl_remedy *to)
{
    if (!ifl_remedy_without_conflicts(s, false, to) || ifl_banks_are_random(to->line))
        return false;
    to->remedy = padding_of(s, to->line);
    return true;
}

/* ---- caches and local memory ----------------------------------------------------------------- */

static const ifl_profile_line *reused_line(const ifl_situation *s)
{
    double excess;
    const ifl_profile_line *line =
        ifl_situation_worst(s, IFL_PATTERN_BIT(IFL_PATTERN_IRREGULAR), &excess);
    return line ? line : ifl_situation_worst(s, IFL_PATTERN_BIT(IFL_PATTERN_CONTIGUOUS), &excess);
}

/* The share of the loads' sectors that the L1 had with half as many blocks, as the caches'
 * simulation found it. */
static double hits_of_half(const ifl_situation *s)
{
    const ifl_cache_facts *f = ifl_profile_caches(s->profile, s->device->id);
    return f && f->l1_load_sectors.value > 0 ? f->half_l1_load_hits / f->l1_load_sectors.value : 0;
}

bool ifl_rule_smaller_cache_share(const ifl_situation *s, ifl_remedy *to)
{
    const double far = 0.05;
    const double better = hits_of_half(s);
    to->line = reused_line(s);
    if (!to->line || better - s->work.l1_hit < far)
        return false;
    const double hit = s->work.l1_hit + to->share * (better - s->work.l1_hit);
    const double fewer = (1 - hit) / (1 - s->work.l1_hit);
    /* Of what no longer misses the L1, the L2 had as much as of the rest. */
    const double found = s->work.l2_hit / (1 - s->work.l1_hit);
    const double spared = (hit - s->work.l1_hit) * s->work.load_bytes * (1 - found);
    to->work.dram_bytes -= spared < to->work.dram_bytes ? spared : to->work.dram_bytes;
    to->work.l1_hit = hit;
    to->work.l2_hit *= fewer;
    to->work.l2_bytes *= fewer;
    to->work.missed_lines *= fewer;
    to->work.waits_in_l1 = 1 - (1 - s->work.waits_in_l1) * fewer;
    to->work.waits_in_l2 *= fewer;
    to->blocks_per_sm *= 1 - to->share / 2;
    to->change = (ifl_change){
        .known = true, .blocks_per_sm = (uint32_t)fmax(s->model.occupancy.blocks_per_sm / 2, 1)};
    to->symptom = ifl_situation_say(
        s, "%.0f %% of the loads' sectors hit the L1; with half the blocks on an SM %.0f %% would",
        100 * s->work.l1_hit, 100 * better);
    return true;
}

static bool spills(const ifl_situation *s)
{
    return ifl_local_use_of(s->profile) == IFL_LOCAL_SPILLS;
}

/* Local memory that is not used moves nothing; from DRAM still comes what is asked of global memory
 * for the first time. */
static void spare_local(const ifl_situation *s, double part, ifl_remedy *to)
{
    const double useful =
        of(s, IFL_COUNTER_global_load_useful_bytes) + of(s, IFL_COUNTER_global_store_useful_bytes);
    const double spared = to->work.dram_bytes * (1 - part);
    const double least = s->profile->caches.count ? fmin(to->work.dram_bytes, useful) : 0;
    to->work.l1_passes *= 1 - part;
    to->work.l2_bytes *= 1 - part;
    to->work.load_bytes *= 1 - part;
    to->work.missed_lines *= 1 - part;
    to->work.dram_bytes = fmax(spared, least);
}

/* Of all sectors off chip. */
static double local_share(const ifl_situation *s)
{
    const double local =
        of(s, IFL_COUNTER_local_load_sectors) + of(s, IFL_COUNTER_local_store_sectors);
    const double global =
        of(s, IFL_COUNTER_global_load_sectors) + of(s, IFL_COUNTER_global_store_sectors);
    return local + global > 0 ? local / (local + global) : 0;
}

static const char *say_spills(const ifl_situation *s)
{
    const ifl_machine_facts *m = &s->profile->machine;
    return ifl_situation_say(
        s,
        "%u registers per thread; the code stores %s per thread to local memory and "
        "reads %s back",
        m->registers, ifl_figure_counted(m->spill_store_bytes, "byte").text,
        ifl_figure_count(m->spill_load_bytes).text);
}

/* The occupancy with so many registers a thread; false where no block fits. */
static bool holds_with(const ifl_situation *s, int registers, ifl_occupancy *with)
{
    const uint32_t *block = s->profile->block;
    ifl_error error;
    const ifl_occupancy_request request = {
        .threads = (int)(block[0] * block[1] * block[2]),
        .registers = registers,
        .shared_bytes = (int)s->profile->shared_bytes,
        .shared_limit = (int)ifl_shared_limit(s->device, s->profile->shared_preference,
                                              s->profile->shared_bytes)};
    return registers <= (int)s->device->value[IFL_DEVICE_max_registers_per_thread] &&
           ifl_occupancy_compute(s->device, &request, with, &error) == IFL_OK &&
           with->blocks_per_sm;
}

/* Registers with which nothing spills, and the occupancy with them; false where a thread may not
 * have so many. ptxas spills below that only where it is told to stay there. */
static bool fits_registers(const ifl_situation *s, int *registers, ifl_occupancy *with)
{
    enum { WORD = 4 };
    const ifl_machine_facts *m = &s->profile->machine;
    const uint32_t lacking = m->spilled_at_once_bytes ? m->spilled_at_once_bytes : m->stack_bytes;
    *registers = (int)(m->registers + lacking / WORD);
    return holds_with(s, *registers, with);
}

/* Where that is more than a thread may have: the most that it may, if that is a good deal more than
 * it has. */
static bool has_spare_registers(const ifl_situation *s, int *registers, ifl_occupancy *with)
{
    enum { UNIT = 8 };
    const double more = 1.25;
    const int now = (int)s->profile->machine.registers;
    *registers = (int)s->device->value[IFL_DEVICE_max_registers_per_thread];
    while (*registers > now && !holds_with(s, *registers, with))
        *registers -= *registers % UNIT ? *registers % UNIT : UNIT;
    return *registers >= more * now;
}

/* The compiler has fewer registers than half of those that a thread may have: a bound holds it there. */
static bool is_held_down(const ifl_situation *s)
{
    return 2 * s->profile->machine.registers <
           s->device->value[IFL_DEVICE_max_registers_per_thread];
}

/* A second pass is more work than a looser bound: it is for kernels that have most registers already, or would have few
 * warps left with all. What spills is in machine code alone, which tells how often where that is
 * certain; on a GPU it is counted as local memory. */
bool ifl_rule_register_passes(const ifl_situation *s, ifl_remedy *to)
{
    const double many_warps = 0.25;
    ifl_occupancy with;
    int registers;
    if (!spills(s) || is_held_down(s) ||
        (fits_registers(s, &registers, &with) && with.theoretical >= many_warps))
        return false;
    spare_local(s, to->share * local_share(s), to);
    /* Of two passes the second loads what the first stored: as much again as the kernel stores. */
    const double sector = 32, stored = sector * of(s, IFL_COUNTER_global_store_sectors);
    to->work.l2_bytes += 2 * to->share * stored;
    to->work.dram_bytes += 2 * to->share * stored;
    to->symptom = say_spills(s);
    return true;
}

bool ifl_rule_more_registers(const ifl_situation *s, ifl_remedy *to)
{
    ifl_occupancy with;
    int registers;
    if (!spills(s))
        return false;
    const bool are_all = fits_registers(s, &registers, &with);
    if (!are_all && !has_spare_registers(s, &registers, &with))
        return false;
    spare_local(s, to->share * local_share(s), to);
    to->blocks_per_sm += to->share * (with.blocks_per_sm - s->model.occupancy.blocks_per_sm);
    to->change = (ifl_change){.known = true,
                              .at_least = true,
                              .no_local = true,
                              .blocks_per_sm = (uint32_t)with.blocks_per_sm};
    to->symptom = say_spills(s);
    to->remedy = ifl_situation_say(
        s,
        "ask for %d block%s per SM in __launch_bounds__, or raise -maxrregcount: with %s %d "
        "registers per thread %s",
        with.blocks_per_sm, with.blocks_per_sm == 1 ? "" : "s", are_all ? "at most" : "up to",
        registers, are_all ? "nothing spills" : "fewer values spill");
    return true;
}

static const ifl_profile_line *local_line(const ifl_situation *s)
{
    for (size_t i = 0; i < s->profile->lines.count; i++)
        if (ifl_line_is(&s->profile->lines.at[i], IFL_TRAFFIC_local_load))
            return &s->profile->lines.at[i];
    return NULL;
}

bool ifl_rule_local_arrays(const ifl_situation *s, ifl_remedy *to)
{
    const double least = 0.05, share = local_share(s);
    if (share < least || ifl_local_use_of(s->profile) != IFL_LOCAL_ARRAYS)
        return false;
    spare_local(s, to->share * share, to);
    to->work.instructions -= to->share * (of(s, IFL_COUNTER_local_load_requests) +
                                          of(s, IFL_COUNTER_local_store_requests));
    /* The waits for local loads are gone with them: as many of all as they are among the loads. */
    const double local = of(s, IFL_COUNTER_local_load_requests),
                 global = of(s, IFL_COUNTER_global_load_requests);
    if (local > 0)
        ifl_remedy_waits(global / (local + global), to);
    to->change = (ifl_change){.known = true, .no_local = true, .at_least = true};
    to->line = local_line(s);
    to->symptom =
        ifl_situation_say(s, "%.0f %% of the sectors belong to local memory", 100 * share);
    return true;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Machine code does not say what 8 bytes are: where it computes with doubles, and makes none of
 * floats, they are taken to be some. */
static bool is_of_doubles(const ifl_situation *s, const ifl_profile_line *line)
{
    enum { DOUBLE = 8 };
    if (!s->profile->machine.ran)
        return line->traits & IFL_TRAIT_DOUBLE;
    return line->access_bytes >= DOUBLE && s->work.fp64 > 0 &&
           !(ifl_opcodes_count(&s->profile->opcodes, IFL_TRAIT_WIDENS) > 0);
}

bool ifl_rule_narrower_types(const ifl_situation *s, ifl_remedy *to)
{
    const double busy = 0.8, most = 0.8;
    double wide = 0, all = 0;
    for (size_t i = 0; i < s->profile->lines.count; i++) {
        const ifl_profile_line *line = &s->profile->lines.at[i];
        const double sectors = ifl_line_sectors(line);
        all += sectors;
        wide += is_of_doubles(s, line) ? sectors : 0;
        if (is_of_doubles(s, line) && (!to->line || sectors > ifl_line_sectors(to->line)))
            to->line = line;
    }
    if (s->busy < busy || wide < most * all || all <= 0)
        return false;
    const double part = 1 - to->share / 2;
    to->work.dram_bytes *= part;
    to->work.l2_bytes *= part;
    to->work.load_bytes *= part;
    to->change = (ifl_change){.known = true, .half_words = true};
    to->symptom =
        ifl_situation_say(s, "%.0f %% of the achievable bandwidth, %.0f %% of it for doubles",
                          100 * s->busy, 100 * wide / all);
    return true;
}
