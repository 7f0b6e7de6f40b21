/* SPDX-License-Identifier: Apache-2.0
 * Questions that several rules ask of a profile, and changes that several remedies make. */
#include "advice/situation.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

double ifl_situation_count(const ifl_counters *counters, ifl_counter which)
{
    return counters->known[which] ? (double)counters->value[which] : 0;
}

bool ifl_line_is(const ifl_profile_line *line, ifl_traffic_kind kind)
{
    return ifl_traffic_find(line->space, line->kind) == kind;
}

static ifl_traffic global_traffic(const ifl_counters *counters)
{
    ifl_traffic sum = {0};
    for (ifl_traffic_kind kind = 0; kind < IFL_TRAFFIC_COUNT; kind++) {
        const ifl_traffic one = ifl_traffic_get(counters, kind);
        if (ifl_traffic_info_get(kind)->space == IFL_SPACE_GLOBAL)
            ifl_traffic_add(&sum, &one);
    }
    return sum;
}

double ifl_line_sectors(const ifl_profile_line *line)
{
    return (double)global_traffic(&line->counters).sectors;
}

double ifl_line_ideal(const ifl_profile_line *line)
{
    return (double)global_traffic(&line->counters).sectors_ideal;
}

double ifl_line_requests(const ifl_profile_line *line)
{
    return (double)global_traffic(&line->counters).requests;
}

static double all_sectors(const ifl_situation *s)
{
    return (double)global_traffic(&s->profile->counters).sectors;
}

static bool is_one_of(const ifl_profile_line *line, uint32_t patterns)
{
    return line->space == IFL_SPACE_GLOBAL && patterns >> line->pattern.kind & 1;
}

const ifl_profile_line *ifl_situation_worst(const ifl_situation *s, uint32_t patterns,
                                            double *excess)
{
    const double least = 0.1;
    const ifl_profile_line *worst = NULL;
    double most = 0;
    *excess = 0;
    for (size_t i = 0; i < s->profile->lines.count; i++) {
        const ifl_profile_line *line = &s->profile->lines.at[i];
        const double over = ifl_line_sectors(line) - ifl_line_ideal(line);
        if (!is_one_of(line, patterns) || over <= 0)
            continue;
        *excess += over;
        if (over > most) {
            most = over;
            worst = line;
        }
    }
    return *excess > least * all_sectors(s) ? worst : NULL;
}

bool ifl_line_is_of_matrix(const ifl_profile_line *line)
{
    return line->traits & IFL_TRAIT_MATRIX;
}

bool ifl_line_is_copied(const ifl_profile_line *line)
{
    return (line->traits & IFL_TRAIT_COPY) || line->kind == IFL_ACCESS_COPY_LOAD;
}

double ifl_conflicts_of(const ifl_counters *counters)
{
    const ifl_traffic loads = ifl_traffic_get(counters, IFL_TRAFFIC_shared_load);
    const ifl_traffic stores = ifl_traffic_get(counters, IFL_TRAFFIC_shared_store);
    return ((double)loads.wavefronts - (double)loads.wavefronts_ideal) +
           ((double)stores.wavefronts - (double)stores.wavefronts_ideal);
}

const ifl_profile_line *ifl_situation_conflicting(const ifl_situation *s)
{
    const ifl_profile_line *worst = NULL;
    double most = 0;
    for (size_t i = 0; i < s->profile->lines.count; i++) {
        const double own = ifl_conflicts_of(&s->profile->lines.at[i].counters);
        if (own > most) {
            most = own;
            worst = &s->profile->lines.at[i];
        }
    }
    return worst;
}

int ifl_situation_blocks_with_shared(const ifl_situation *s, double times)
{
    const uint32_t *block = s->profile->block;
    const double bytes = times * (double)s->profile->shared_bytes;
    const ifl_occupancy_request request = {.threads = (int)(block[0] * block[1] * block[2]),
                                           .registers = s->model.registers,
                                           .shared_bytes = (int)bytes};
    ifl_occupancy with;
    ifl_error error;
    return bytes <= s->device->value[IFL_DEVICE_shared_bytes_per_block] &&
                   ifl_occupancy_compute(s->device, &request, &with, &error) == IFL_OK
               ? with.blocks_per_sm
               : 0;
}

/* The L2 takes 64 bytes at a time, whole or not (model/work.c): of the pieces that all requests ask
 * it for, the share that those of the patterns ask for in vain. */
static double spared_pieces(const ifl_situation *s, uint32_t patterns)
{
    enum { PIECE_SECTORS = 2 };
    double all = 0, excess = 0;
    for (size_t i = 0; i < s->profile->lines.count; i++) {
        const ifl_profile_line *line = &s->profile->lines.at[i];
        const ifl_traffic t = global_traffic(&line->counters);
        const double pieces = fmax((double)t.lines, (double)t.sectors / PIECE_SECTORS),
                     ideal = fmin(pieces, (double)t.sectors_ideal / PIECE_SECTORS);
        all += pieces;
        excess += is_one_of(line, patterns) ? pieces - ideal : 0;
    }
    return all > 0 ? excess / all : 0;
}

/* What is never asked for misses as the rest does: the bytes at each level shrink alike. Loads that
 * hit the L1 for want of order would not be asked for a second time, so that DRAM and L2 are spared
 * no more than what they moved beyond the useful bytes. */
void ifl_situation_needed(const ifl_situation *s, uint32_t patterns, ifl_change *change)
{
    const ifl_profile_line *lines = s->profile->lines.at;
    size_t count = 0;
    for (size_t i = 0; i < s->profile->lines.count; i++)
        count = lines[i].site >= count ? lines[i].site + 1 : count;
    double *sectors = ifl_arena_alloc(s->arena, (count + 1) * sizeof *sectors);
    for (size_t i = 0; sectors && i < s->profile->lines.count; i++) {
        const double requests = ifl_line_requests(&lines[i]);
        if (is_one_of(&lines[i], patterns) && requests > 0)
            sectors[lines[i].site] = ifl_line_ideal(&lines[i]) / requests;
    }
    change->known &= sectors != NULL;
    change->sectors = sectors;
    change->site_count = count;
}

void ifl_remedy_spare(const ifl_situation *s, uint32_t patterns, double excess, ifl_remedy *to)
{
    const double all = all_sectors(s), part = all > 0 ? to->share * excess / all : 0;
    const double pieces = to->share * spared_pieces(s, patterns);
    const double useful =
        ifl_situation_count(&s->profile->counters, IFL_COUNTER_global_load_useful_bytes) +
        ifl_situation_count(&s->profile->counters, IFL_COUNTER_global_store_useful_bytes);
    const double least = s->work.dram_bytes < useful ? s->work.dram_bytes : useful;
    const double spared = s->work.dram_bytes * (1 - part);
    to->work.load_bytes *= 1 - part;
    to->work.l2_bytes = s->work.l2_bytes * (1 - fmax(part, pieces));
    to->work.l1_passes *= 1 - part;
    to->work.missed_lines *= 1 - part;
    to->work.dram_bytes = spared > least ? spared : least;
}

double ifl_remedy_part(const ifl_remedy *to, double factor)
{
    return 1 + to->share * (factor - 1);
}

double ifl_situation_issued(const ifl_situation *s)
{
    const ifl_counters *c = &s->profile->counters;
    return ifl_situation_count(c, c->known[IFL_COUNTER_ptx_instructions]
                                      ? IFL_COUNTER_ptx_instructions
                                      : IFL_COUNTER_instructions);
}

double ifl_opcodes_count(const ifl_opcode_list *list, unsigned trait)
{
    double sum = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i].traits & trait)
            sum += (double)list->at[i].count;
    return sum;
}

bool ifl_situation_spends(const ifl_situation *s, ifl_term term, double least)
{
    const double work_us = s->model.time_us.mid - s->model.term_us[IFL_TERM_LAUNCH];
    return s->model.term_us[term] > least * work_us;
}

void ifl_remedy_waits(double times, ifl_remedy *to)
{
    const double part = ifl_remedy_part(to, times);
    to->work.waits *= part;
    to->work.spread *= part;
}

void ifl_remedy_share_out(double among, ifl_remedy *to)
{
    const double times = ifl_remedy_part(to, among > 1 ? among : 1);
    to->work.blocks *= times;
    to->work.waits /= times;
    to->work.spread /= times;
    to->work.cycles /= times;
    to->work.shared_waits /= times;
}

const char *ifl_situation_say(const ifl_situation *s, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return ifl_arena_text(s->arena, text, strlen(text));
}
