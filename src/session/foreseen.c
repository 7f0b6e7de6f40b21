/* SPDX-License-Identifier: Apache-2.0
 * See foreseen.h. */
#include "session/foreseen.h"

#include "base/digest.h"
#include "count/observe.h"
#include "exec/memory.h"
#include "session/session_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- states ---------------------------------------------------------------------------------- */

void **ifl_states_copy(const ifl_sites *sites, void *const *states)
{
    void **copy = calloc(ifl_observation_count, sizeof *copy);
    for (size_t i = 0; copy && i < ifl_observation_count; i++) {
        const ifl_observer *observer = ifl_observations[i]->observer;
        copy[i] = ifl_observer_new(observer, sites, NULL);
        if (!copy[i] || !states[i]) {
            ifl_observations_free(copy);
            return NULL;
        }
        observer->merge(copy[i], states[i]);
    }
    return copy;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Of a row: a program that goes through many arguments comes back to few of them soon. */
enum { MOST = 16 };

/* With --code both the PTX runs beside each observed launch. */
static bool can_foresee(const ifl_session *session, const ifl_session_launch *launch)
{
    const ifl_demands *demands = &launch->kernel->image.demands;
    return demands->foreseeable && !demands->reads_clock && !demands->reads_graph &&
           !demands->polls && !demands->looks_first && !demands->cooperative &&
           !ifl_provided_any_outside(demands->calls) && session->options.code != IFL_CHOOSE_BOTH;
}

/* The host's memory counts apart, and an address can be another kind of memory's later. */
static uint64_t hash_arguments(const ifl_session *session, const ifl_session_launch *launch)
{
    const size_t bytes = launch->kernel->image.demands.param_bytes;
    uint64_t hash = ifl_hash_words(IFL_HASH_BASIS, &launch->stack_bytes, 1);
    hash = ifl_hash_bytes(hash, launch->params, bytes);
    for (size_t at = 0; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
        uint64_t word, flags;
        memcpy(&word, launch->params + at, sizeof word);
        const ifl_allocation *a = ifl_memory_find(session->memory, word);
        flags = a ? a->flags : 0;
        hash = ifl_hash_words(hash, &flags, 1);
    }
    return hash;
}

const ifl_foreseen *ifl_foreseen_find(const ifl_session *session, const ifl_foreseen_list *list,
                                      const ifl_session_launch *launch)
{
    if (!list->at.count || !can_foresee(session, launch))
        return NULL;
    const uint64_t arguments = hash_arguments(session, launch);
    for (size_t i = 0; i < list->at.count; i++)
        if (list->at.at[i].arguments == arguments)
            return &list->at.at[i];
    return NULL;
}

void ifl_foreseen_note(const ifl_session *session, ifl_foreseen_list *list,
                       const ifl_session_launch *launch, void *const *states)
{
    if (list->at.count == MOST || !can_foresee(session, launch) ||
        ifl_foreseen_find(session, list, launch))
        return;
    ifl_foreseen one = {.arguments = hash_arguments(session, launch),
                        .digest = ifl_observations_digest(states),
                        .states = ifl_states_copy(&launch->kernel->image.sites, states)};
    if (one.states && !ifl_vec_push(&list->at, one))
        ifl_observations_free(one.states);
}

void ifl_foreseen_free(ifl_foreseen_list *list)
{
    for (size_t i = 0; i < list->at.count; i++)
        ifl_observations_free(list->at.at[i].states);
    ifl_vec_free(&list->at);
}
