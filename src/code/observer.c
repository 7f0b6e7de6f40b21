/* SPDX-License-Identifier: Apache-2.0
 * The states of observers. */
#include "code/event.h"

#include <stdlib.h>

void *ifl_observer_new(const ifl_observer *observer, const ifl_sites *sites, const void *settings)
{
    if (observer->site_bytes &&
        sites->count > (SIZE_MAX - observer->state_bytes) / observer->site_bytes)
        return NULL;
    void *state = calloc(1, observer->state_bytes + sites->count * observer->site_bytes);
    if (!state || !observer->begin || observer->begin(state, sites, settings))
        return state;
    ifl_observer_free(observer, state);
    return NULL;
}

void ifl_observer_free(const ifl_observer *observer, void *state)
{
    if (state && observer->end)
        observer->end(state);
    free(state);
}
