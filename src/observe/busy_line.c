/* SPDX-License-Identifier: Apache-2.0
 * How many atomics of lanes the busiest line of global memory gets: a line does them one after the other. Knows events
 * and the profile's counters. Lines are told apart up to a limit; where there are more, nothing is known. */
#include "observe/footprint.h"
#include "observe/observe.h"

#include <stdlib.h>

enum { MOST_LINES = 1024, SLOTS = 2 * MOST_LINES }; /* half full at most */

typedef struct busy {
    uint64_t line; /* + 1; 0: free */
    uint64_t lanes;
} busy;

typedef struct state {
    busy slot[SLOTS];
    uint32_t count;
    bool too_many;
} state;

static void *create(const ifl_program *program)
{
    (void)program;
    return calloc(1, sizeof(state));
}

static void add(state *s, uint64_t line, uint64_t lanes)
{
    uint64_t at = line * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    while (s->slot[at % SLOTS].line && s->slot[at % SLOTS].line != line + 1)
        at++;
    busy *found = &s->slot[at % SLOTS];
    if (!found->line) {
        if (s->count == MOST_LINES) {
            s->too_many = true;
            return;
        }
        s->count++;
        found->line = line + 1;
    }
    found->lanes += lanes;
}

static void access_event(void *self, const ifl_access *access)
{
    state *s = self;
    if (access->kind != IFL_ACCESS_ATOMIC || access->space != IFL_SPACE_GLOBAL)
        return;
    for (uint32_t mask = access->mask; mask && !s->too_many; mask &= mask - 1)
        add(s, access->address[__builtin_ctz(mask)] / IFL_LINE_BYTES, 1);
}

static void merge(void *self, const void *other)
{
    state *s = self;
    const state *o = other;
    s->too_many |= o->too_many;
    for (int i = 0; i < SLOTS && !s->too_many; i++)
        if (o->slot[i].line)
            add(s, o->slot[i].line - 1, o->slot[i].lanes);
}

static ifl_status report(const void *self, const ifl_program *program, const int32_t *line_of,
                         ifl_profile *profile, ifl_error *error)
{
    const state *s = self;
    uint64_t most = 0;
    (void)program, (void)line_of, (void)error;
    for (int i = 0; i < SLOTS; i++)
        most = s->slot[i].lanes > most ? s->slot[i].lanes : most;
    if (!s->too_many)
        ifl_counters_set(&profile->counters, IFL_COUNTER_global_atomic_busiest_line, most);
    return IFL_OK;
}

static const ifl_observer observer = {
    .name = "busy_line",
    .create = create,
    .access = access_event,
    .merge = merge,
    .destroy = free,
};

const ifl_observation ifl_observe_busy_line = {&observer, report};
