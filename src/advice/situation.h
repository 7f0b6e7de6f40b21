/* SPDX-License-Identifier: Apache-2.0
 * The input of the rules, and the changes that they make to the input of the model. */
#ifndef IFL_ADVICE_SITUATION_H
#define IFL_ADVICE_SITUATION_H

#include "base/arena.h"
#include "model/model.h"
#include "profile/traffic.h"

/* A launch on a device, as it is. */
typedef struct ifl_situation {
    const ifl_profile *profile;
    const ifl_device *device;
    const ifl_modelled *modelled;
    ifl_model model; /* that, and the two below, of it */
    ifl_rates rates;
    ifl_work work;
    ifl_arena *arena;
    double warps;
    bool waits;  /* waiting is the largest of the terms, or near it, and the DRAM is not busy */
    double busy; /* the DRAM's bandwidth used, over what can be reached */
} ifl_situation;

/* A remedy: `share` of its effect (0..1) is asked for, and put into the work and the blocks an
 * SM. */
typedef struct ifl_remedy {
    double share;
    ifl_work work;
    double blocks_per_sm;
    ifl_change change; /* all of the effect, for the schedule */
    const ifl_profile_line *line;
    const char *symptom; /* from the arena */
    const char *remedy;  /* NULL: the row's */
} ifl_remedy;

/* Does the symptom show? Then `to` has what the remedy changes. */
typedef bool ifl_rule_function(const ifl_situation *s, ifl_remedy *to);
#define REMEDY(name, ...) ifl_rule_function ifl_rule_##name;
#include "advice/remedy.def"

/* A counter of the launch or of a line, 0 where it is not known. */
double ifl_situation_count(const ifl_counters *counters, ifl_counter which);
bool ifl_line_is(const ifl_profile_line *line, ifl_traffic_kind kind);
/* Sectors of a line's requests to global memory, all kinds; what they would be at best. */
double ifl_line_sectors(const ifl_profile_line *line);
double ifl_line_ideal(const ifl_profile_line *line);
double ifl_line_requests(const ifl_profile_line *line);
/* A set of patterns: a bit each. */
#define IFL_PATTERN_BIT(kind) (1u << (kind))
/* Is it a load or store of matrices of a tile (ldmatrix, stmatrix)? */
bool ifl_line_is_of_matrix(const ifl_profile_line *line);
/* Does it bring what it loads past the registers (cp.async, bulk and tensor copies)? */
bool ifl_line_is_copied(const ifl_profile_line *line);
/* Passes through shared memory beyond those that would do; the line that has most of them, or NULL. */
double ifl_conflicts_of(const ifl_counters *counters);
const ifl_profile_line *ifl_situation_conflicting(const ifl_situation *s);
/* The line of these patterns that moves most in vain; NULL where all of them together waste less
 * than a tenth of what the launch moves. *excess: sectors, of all of them. */
const ifl_profile_line *ifl_situation_worst(const ifl_situation *s, uint32_t patterns,
                                            double *excess);
/* What each request of these patterns' lines needs, by site. */
void ifl_situation_needed(const ifl_situation *s, uint32_t patterns, ifl_change *change);
/* The work without `excess` sectors of the launch's, which the requests of these patterns ask for in
 * vain, as if they had never been asked for. */
void ifl_remedy_spare(const ifl_situation *s, uint32_t patterns, double excess, ifl_remedy *to);
/* Instructions that `thread_instructions` counts the lanes of: PTX's, or those of machine code that
 * ran. */
double ifl_situation_issued(const ifl_situation *s);
/* Warp instructions that have the trait (IFL_TRAIT_*). */
double ifl_opcodes_count(const ifl_opcode_list *list, unsigned trait);
/* Does this term alone take more than a share of the launch's time, its start not counted? */
bool ifl_situation_spends(const ifl_situation *s, ifl_term term, double least);
/* A share of `factor`: 1 for nothing of the effect, `factor` for all. */
double ifl_remedy_part(const ifl_remedy *to, double factor);
/* The passes that conflicts of banks take, of matrices' rows or of all else, are gone; false where they are few. */
bool ifl_remedy_without_conflicts(const ifl_situation *s, bool of_matrices, ifl_remedy *to);
/* The waits of a warp become `times` as many. */
void ifl_remedy_waits(double times, ifl_remedy *to);
/* Blocks an SM holds with so many times as much shared memory; 0: none. */
int ifl_situation_blocks_with_shared(const ifl_situation *s, double times);
/* What a thread does is shared out `among` as many threads. */
void ifl_remedy_share_out(double among, ifl_remedy *to);
const char *ifl_situation_say(const ifl_situation *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
