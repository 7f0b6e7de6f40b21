/* SPDX-License-Identifier: Apache-2.0
 * The instruction mix: how often every instruction was issued, by opcode; branches and barriers
 * among them. Knows events, the program's names and the profile. */
#include "observe/observe.h"

#include <string.h>

typedef struct issues {
    uint64_t warps;
    uint64_t threads;
} issues;

typedef struct state {
    size_t count;
    issues issued[]; /* by instruction */
} state;

typedef enum class { OTHER, BRANCH, BARRIER } class;

/* Every branch counts, unconditional ones too, as in Nsight Compute; a barrier is one of the
 * whole block. */
static const uint8_t class_of[IFL_OP_COUNT] = {
    [IFL_OP_BRA] = BRANCH,
    [IFL_OP_BRX_IDX] = BRANCH,
    [IFL_OP_BAR_SYNC] = BARRIER,
    [IFL_OP_BAR_CTA_SYNC] = BARRIER,
    [IFL_OP_BARRIER_SYNC] = BARRIER,
    [IFL_OP_BARRIER_CTA_SYNC] = BARRIER,
    [IFL_OP_BAR_ARRIVE] = BARRIER,
    [IFL_OP_BAR_CTA_ARRIVE] = BARRIER,
    [IFL_OP_BARRIER_ARRIVE] = BARRIER,
    [IFL_OP_BARRIER_CTA_ARRIVE] = BARRIER,
    [IFL_OP_BAR_RED] = BARRIER,
    [IFL_OP_BAR_CTA_RED] = BARRIER,
    [IFL_OP_BARRIER_RED] = BARRIER,
    [IFL_OP_BARRIER_CTA_RED] = BARRIER,
};

static void *create(const ifl_program *program)
{
    size_t count = program->instruction_count;
    if (count > (SIZE_MAX - sizeof(state)) / sizeof(issues))
        return NULL;
    state *s = calloc(1, sizeof *s + count * sizeof *s->issued);
    if (s)
        s->count = count;
    return s;
}

static void issue_event(void *self, const ifl_issue *issue)
{
    state *s = self;
    if (issue->instruction < s->count) {
        s->issued[issue->instruction].warps += issue->warps;
        s->issued[issue->instruction].threads += issue->threads;
    }
}

static void merge(void *self, const void *other)
{
    state *s = self;
    const state *o = other;
    for (size_t i = 0; i < s->count && i < o->count; i++) {
        s->issued[i].warps += o->issued[i].warps;
        s->issued[i].threads += o->issued[i].threads;
    }
}

/* ---- reporting ------------------------------------------------------------------------------- */

static void report_sums(const state *s, const ifl_program *program, ifl_counters *counters)
{
    uint64_t warps = 0, threads = 0, of_class[] = {[OTHER] = 0, [BRANCH] = 0, [BARRIER] = 0};
    for (size_t i = 0; i < s->count; i++) {
        unsigned opcode = program->instructions[i].opcode;
        warps += s->issued[i].warps;
        threads += s->issued[i].threads;
        if (opcode < IFL_OP_COUNT)
            of_class[class_of[opcode]] += s->issued[i].warps;
    }
    ifl_counters_add(counters, IFL_COUNTER_ptx_instructions, warps);
    ifl_counters_add(counters, IFL_COUNTER_thread_instructions, threads);
    ifl_counters_add(counters, IFL_COUNTER_branches, of_class[BRANCH]);
    ifl_counters_add(counters, IFL_COUNTER_barriers, of_class[BARRIER]);
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

/* One entry an instruction that was issued. */
static bool list_issued(const state *s, const ifl_program *program, ifl_profile *profile)
{
    char name[160];
    for (size_t i = 0; i < s->count; i++) {
        if (!s->issued[i].warps)
            continue;
        ifl_instruction_name(&program->instructions[i], name, sizeof name);
        const char *kept = ifl_arena_text(&profile->arena, name, strlen(name));
        if (!kept ||
            !ifl_vec_push(&profile->ptx_opcodes, (ifl_opcode_count){kept, s->issued[i].warps}))
            return false;
    }
    return true;
}

/* Joins the entries of one name; descending by count, then by name. */
static void join_names(ifl_profile *profile)
{
    ifl_opcode_count *at = profile->ptx_opcodes.at;
    size_t count = profile->ptx_opcodes.count, kept = 0;
    if (!count)
        return;
    qsort(at, count, sizeof *at, by_name);
    for (size_t i = 1; i < count; i++) {
        if (by_name(&at[kept], &at[i]) == 0)
            at[kept].count += at[i].count;
        else
            at[++kept] = at[i];
    }
    profile->ptx_opcodes.count = kept + 1;
    qsort(at, kept + 1, sizeof *at, by_count);
}

static ifl_status report(const void *self, const ifl_program *program, const int32_t *line_of,
                         ifl_profile *profile, ifl_error *error)
{
    const state *s = self;
    (void)line_of;
    report_sums(s, program, &profile->counters);
    if (!list_issued(s, program, profile))
        return ifl_fail(error, IFL_NO_MEMORY, "no memory to list the opcodes");
    join_names(profile);
    return IFL_OK;
}

static const ifl_observer observer = {
    .name = "mix",
    .create = create,
    .issue = issue_event,
    .merge = merge,
    .destroy = free,
};

const ifl_observation ifl_observe_mix = {&observer, report};
