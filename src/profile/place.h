/* SPDX-License-Identifier: Apache-2.0
 * The memory instructions of a profile, gathered by source line and ranked by what they waste
 * beyond the ideal. Knows profiles; knows nothing of how they are shown. */
#ifndef IFL_PROFILE_PLACE_H
#define IFL_PROFILE_PLACE_H

#include "base/arena.h"
#include "profile/traffic.h"

/* One kind of access by one instruction of a source line, or by several that are alike (an unrolled
 * loop). */
typedef struct ifl_place_row {
    const ifl_profile_line *line; /* the first of them */
    size_t order;                 /* its index in the profile */
    ifl_traffic_kind kind;
    ifl_traffic traffic; /* of all of them */
    uint64_t excess;     /* ifl_traffic_excess */
    unsigned instructions;
} ifl_place_row;

/* Rows of one source line stand together, by excess; the source lines stand by the excess of all
 * their rows. Ties stand in program order. */
typedef struct ifl_places {
    IFL_VEC(ifl_place_row) rows;
    size_t idle; /* memory instructions that made no request */
} ifl_places;

/* The rows whose kind is on chip (shared memory), or those whose kind is not. */
ifl_status ifl_places_gather(const ifl_profile *profile, bool on_chip, ifl_places *out,
                             ifl_error *error);
void ifl_places_free(ifl_places *places);
/* "saxpy.cu:14", the file without its folders. */
const char *ifl_place_name(ifl_arena *arena, const char *file, uint32_t line);
bool ifl_place_same_line(const ifl_profile_line *a, const ifl_profile_line *b);

#endif
