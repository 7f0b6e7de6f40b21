/* SPDX-License-Identifier: Apache-2.0
 * The instruction mix: how often every instruction was issued, by name; branches and barriers
 * among them. Knows events, sites and the profile. */
#include "count/observe.h"

#include "base/digest.h"
#include "code/code.h"

#include <string.h>

typedef struct issues {
    uint64_t warps;
    uint64_t threads;
    uint64_t executing;
    uint64_t products; /* of matrices, that only its operands told */
    uint8_t kind;      /* ifl_matrix_kind, of those */
} issues;

typedef struct state {
    size_t count;
    issues issued[]; /* by site */
} state;

static bool begin(void *self, const ifl_sites *sites, const void *settings)
{
    (void)settings;
    ((state *)self)->count = sites->count;
    return true;
}

static void issue_event(void *self, const ifl_issue *issue)
{
    state *s = self;
    if (issue->site < s->count) {
        s->issued[issue->site].warps += issue->warps;
        s->issued[issue->site].threads += issue->threads;
        s->issued[issue->site].executing += issue->executing;
    }
}

static void product_event(void *self, const ifl_product_event *event)
{
    state *s = self;
    if (event->site < s->count) {
        s->issued[event->site].products += event->products;
        s->issued[event->site].kind = event->kind;
    }
}

static void merge(void *self, const void *other)
{
    state *s = self;
    const state *o = other;
    for (size_t i = 0; i < s->count && i < o->count; i++) {
        s->issued[i].warps += o->issued[i].warps;
        s->issued[i].threads += o->issued[i].threads;
        s->issued[i].executing += o->issued[i].executing;
        s->issued[i].products += o->issued[i].products;
        if (o->issued[i].kind)
            s->issued[i].kind = o->issued[i].kind;
    }
}

void ifl_mix_issued(const void *self, uint64_t *warps)
{
    const state *s = self;
    for (size_t i = 0; i < s->count; i++)
        warps[i] += s->issued[i].warps;
}

static uint64_t digest(const void *self)
{
    const state *s = self;
    uint64_t hash = IFL_HASH_BASIS;
    for (size_t i = 0; i < s->count; i++) {
        const issues *of = &s->issued[i];
        const uint64_t words[] = {of->warps, of->threads, of->executing};
        hash = ifl_hash_words(hash, words, sizeof words / sizeof *words);
    }
    return hash;
}

/* ---- reporting ------------------------------------------------------------------------------- */

static bool is_machine_code(const ifl_sites *sites)
{
    return sites->count && sites->at[0].function;
}

/* Of machine code: how often each pipeline was given something, the lanes that executed it, and
 * what they computed. */
static void report_machine(const state *s, const ifl_sites *sites, ifl_counters *counters)
{
    static const ifl_counter pipes[IFL_PIPES] = {
#define PIPE(name, counter, metric, what) [IFL_PIPE_##name] = IFL_COUNTER_##counter,
#include "code/pipeline.def"
    };
    static const ifl_counter flops[IFL_FLOPS] = {
#define FLOP(name, counter, metric, what) [IFL_FLOP_##name] = IFL_COUNTER_##counter,
#include "code/flop.def"
    };
    uint64_t of_pipe[IFL_PIPES + 1] = {0}, of_flop[IFL_FLOPS + 1] = {0}, executing = 0;
    for (size_t i = 0; i < s->count; i++) {
        of_pipe[sites->at[i].pipe] += s->issued[i].warps;
        of_flop[sites->at[i].flop] += s->issued[i].executing * sites->at[i].flops;
        executing += s->issued[i].executing;
    }
    for (int f = 0; f < IFL_FLOPS; f++)
        ifl_counters_add(counters, flops[f], of_flop[f]);
    for (int p = 0; p < IFL_PIPES; p++)
        ifl_counters_add(counters, pipes[p], of_pipe[p]);
    ifl_counters_add(counters, IFL_COUNTER_thread_instructions_on, executing);
}

/* Every branch counts, unconditional ones too, as in Nsight Compute; a barrier is one of the
 * whole block. */
static void report_sums(const state *s, const ifl_sites *sites, ifl_counters *counters)
{
    uint64_t warps = 0, threads = 0, branches = 0, barriers = 0;
    for (size_t i = 0; i < s->count; i++) {
        warps += s->issued[i].warps;
        threads += s->issued[i].threads;
        branches += sites->at[i].role == IFL_SITE_BRANCH ? s->issued[i].warps : 0;
        barriers += sites->at[i].role == IFL_SITE_BARRIER ? s->issued[i].warps : 0;
    }
    const bool is_machine = is_machine_code(sites);
    ifl_counters_add(counters, is_machine ? IFL_COUNTER_instructions : IFL_COUNTER_ptx_instructions,
                     warps);
    ifl_counters_add(counters, IFL_COUNTER_thread_instructions, threads);
    ifl_counters_add(counters, IFL_COUNTER_branches, branches);
    ifl_counters_add(counters, IFL_COUNTER_barriers, barriers);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const ifl_opcode_count *)a)->name, ((const ifl_opcode_count *)b)->name);
}

static int by_count(const void *a, const void *b)
{
    uint64_t x = ((const ifl_opcode_count *)a)->count, y = ((const ifl_opcode_count *)b)->count;
    return x != y ? (x < y ? 1 : -1) : by_name(a, b);
}

static uint32_t mean(uint64_t sum, uint64_t count)
{
    const uint64_t each = (sum + count / 2) / count;
    return each < UINT32_MAX ? (uint32_t)each : UINT32_MAX;
}

/* What each issue of it was given to do in the mean. */
static ifl_matrix_work work_of(const issues *i, const ifl_site *site)
{
    if (!i->products)
        return site->matrix;
    return (ifl_matrix_work){
        .kind = i->kind, .unit = IFL_MATRIX_UNIT_TENSOR, .products = mean(i->products, i->warps)};
}

/* One entry an instruction that was issued. */
static bool list_issued(const state *s, const ifl_sites *sites, ifl_opcode_list *list,
                        ifl_arena *arena)
{
    for (size_t i = 0; i < s->count; i++) {
        if (!s->issued[i].warps)
            continue;
        const char *name = sites->at[i].name;
        const char *kept = ifl_arena_text(arena, name, strlen(name));
        if (!kept || !ifl_vec_push(list, (ifl_opcode_count){kept, s->issued[i].warps,
                                                            work_of(&s->issued[i], &sites->at[i]),
                                                            sites->at[i].traits}))
            return false;
    }
    return true;
}

static bool is_told(const ifl_matrix_work *work)
{
    return work->kind && work->unit == IFL_MATRIX_UNIT_TENSOR;
}

/* Names tell the size of a product but those of tcgen05, whose mean it becomes. */
static void join(ifl_opcode_count *to, const ifl_opcode_count *from)
{
    const uint64_t count = to->count + from->count,
                   products = to->matrix.products * to->count +
                              (uint64_t)from->matrix.products * from->count;
    if (is_told(&from->matrix))
        to->matrix = from->matrix;
    if (is_told(&to->matrix))
        to->matrix.products = mean(products, count);
    to->count = count;
}

/* Joins the entries of one name; descending by count, then by name. */
static void join_names(ifl_opcode_list *list)
{
    ifl_opcode_count *at = list->at;
    size_t count = list->count, kept = 0;
    if (!count)
        return;
    qsort(at, count, sizeof *at, by_name);
    for (size_t i = 1; i < count; i++) {
        if (by_name(&at[kept], &at[i]) == 0)
            join(&at[kept], &at[i]);
        else
            at[++kept] = at[i];
    }
    list->count = kept + 1;
    qsort(at, kept + 1, sizeof *at, by_count);
}

static bool goes_on(const ifl_issued_run *run, const ifl_site *site, const issues *now)
{
    return site->address == run->last + IFL_CODE_BYTES &&
           strcmp(run->function, site->function) == 0 && now->warps == run->warps &&
           now->threads == run->threads && now->executing == run->threads_on;
}

/* In the order of the sites. */
static bool list_runs(const state *s, const ifl_sites *sites, ifl_profile *profile)
{
    for (size_t i = 0; i < s->count; i++) {
        const issues *now = &s->issued[i];
        const ifl_site *site = &sites->at[i];
        ifl_issued_run *last =
            profile->issued.count ? &profile->issued.at[profile->issued.count - 1] : NULL;
        if (!now->warps)
            continue;
        if (last && goes_on(last, site, now)) {
            last->last = site->address;
            continue;
        }
        const ifl_issued_run run = {
            ifl_arena_text(&profile->arena, site->function, strlen(site->function)),
            site->address,
            site->address,
            now->warps,
            now->threads,
            now->executing,
            (uint32_t)i};
        if (!run.function || !ifl_vec_push(&profile->issued, run))
            return false;
    }
    return true;
}

/* Of the four warps of a group each issues a product. An H200 counts as many wavefronts as the matrices have times 128 bytes,
 * with every swizzle and without one (tools/gpu/wgmma_shared_probe.cu). */
static uint64_t product_wavefronts(const state *s, const ifl_sites *sites)
{
    enum { GROUP_WARPS = 4 };
    uint64_t bytes = 0;
    for (size_t i = 0; i < s->count; i++)
        bytes += s->issued[i].warps * sites->at[i].matrix.shared_bytes;
    return bytes / GROUP_WARPS / IFL_LINE_BYTES;
}

static ifl_status report(const void *self, const ifl_sites *sites, const int32_t *line_of,
                         ifl_profile *profile, ifl_error *error)
{
    const state *s = self;
    (void)line_of;
    report_sums(s, sites, &profile->counters);
    ifl_counters_set(&profile->counters, IFL_COUNTER_shared_product_wavefronts,
                     product_wavefronts(s, sites));
    if (is_machine_code(sites))
        report_machine(s, sites, &profile->counters);
    ifl_opcode_list *list = is_machine_code(sites) ? &profile->opcodes : &profile->ptx_opcodes;
    if (!list_issued(s, sites, list, &profile->arena))
        return ifl_fail(error, IFL_NO_MEMORY, "no memory to list the opcodes");
    join_names(list);
    if (is_machine_code(sites) && !list_runs(s, sites, profile))
        return ifl_fail(error, IFL_NO_MEMORY, "no memory to list the instructions");
    return IFL_OK;
}

static const ifl_observer observer = {
    .name = "mix",
    .state_bytes = sizeof(state),
    .site_bytes = sizeof(issues),
    .begin = begin,
    .issue = issue_event,
    .product = product_event,
    .merge = merge,
};

const ifl_observation ifl_observe_mix = {&observer, report, digest};
