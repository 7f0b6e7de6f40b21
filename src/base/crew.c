/* SPDX-License-Identifier: Apache-2.0
 * See crew.h. */
#include "base/crew.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

unsigned ifl_crew_cores(void)
{
    static _Atomic unsigned known; /* 0: not asked yet */
    if (!known) {
        const long cores = sysconf(_SC_NPROCESSORS_ONLN);
        known = cores > 0 ? (unsigned)cores : 1;
    }
    return known;
}

unsigned ifl_crew_size(int threads, uint64_t jobs)
{
    const uint64_t size = threads > 0 ? (uint64_t)threads : ifl_crew_cores();
    return (unsigned)(size < jobs ? size : jobs ? jobs : 1);
}

void ifl_crew_work(unsigned size, void *(*work)(void *user), void *user)
{
    pthread_t *helpers = size > 1 ? malloc((size - 1) * sizeof *helpers) : NULL;
    unsigned started = 0;
    while (helpers && started + 1 < size &&
           pthread_create(&helpers[started], NULL, work, user) == 0)
        started++;
    work(user);
    for (unsigned i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);
    free(helpers);
}
