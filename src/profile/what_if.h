/* SPDX-License-Identifier: Apache-2.0
 * What could be changed about a launch, and the question how long an SM would then take. Whoever
 * followed the SM's warps answers; who asks knows nothing of how. */
#ifndef IFL_PROFILE_WHAT_IF_H
#define IFL_PROFILE_WHAT_IF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: nothing changes. Numbers of which 0 and 1 mean the same say "times". */
typedef struct ifl_change {
    bool known;    /* false: what changes cannot be said in these terms */
    bool at_least; /* a compiler would make more of it, as loads that can then move ahead */
    /* ---- who does what ---- */
    uint32_t blocks_per_sm; /* at once; 0: as many as now */
    uint32_t join;          /* a thread does the work of so many, its loads side by side */
    uint32_t unroll;        /* likewise so many trips of a loop */
    bool joins_words;       /* what is joined so is a word: its requests and addresses are one */
    uint32_t cut;           /* so many threads share what one does, one after the other */
    uint32_t widen, narrow; /* the threads of a block */
    bool in_one_wave;       /* blocks go on with the next one's work instead of ending */
    /* ---- what they ask for ---- */
    bool no_local;         /* no accesses of local memory */
    bool no_conflicts;     /* of banks */
    bool half_words;       /* of global memory */
    bool no_staging;       /* no stores to shared memory: copies past the registers fill it */
    double loads;          /* share of the sectors loaded that is asked for; 0: all */
    bool single_precision; /* for arithmetic of doubles, without conversions */
    const double *sectors; /* by site: those that a request needs; 0: it stays as it is */
    const uint8_t
        *lone; /* by site: few lanes do what as many threads would; one stretch in 32 stays */
    size_t site_count; /* of these */
    /* ---- what serves them ---- */
    bool from_l2;       /* what comes from DRAM now */
    bool no_host;       /* what is the host's memory now is the GPU's, and not in its caches */
    double ahead_bytes; /* of an SM, that are on their way before they are asked for now */
    bool at_hand; /* what is far is asked for so early that nobody waits for more than the L1 */
} ifl_change;

typedef struct ifl_what_if ifl_what_if;
struct ifl_what_if {
    const char *device; /* the device's id, "h200" */
    void *state;
    int threads; /* that may answer side by side; 0: one a core */
    /* Of each change the time of an SM with it over that without; 0: not known. */
    void (*find)(void *state, int threads, const ifl_change *const *changes, size_t count,
                 double *ratios);
    void (*free)(void *state);
};

#endif
