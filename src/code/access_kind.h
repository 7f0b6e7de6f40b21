/* SPDX-License-Identifier: Apache-2.0
 * Accesses by (space, kind): the rows of access.def as values, with their words. */
#ifndef IFL_CODE_ACCESS_KIND_H
#define IFL_CODE_ACCESS_KIND_H

#include "code/value.h"

typedef enum ifl_access_kind {
#define KIND(name, ...) IFL_ACCESS_##name,
#include "code/access.def"
    IFL_ACCESS_KINDS
} ifl_access_kind;

/* "load", "store", "atomic"; "" for IFL_ACCESS_KINDS. */
const char *ifl_access_kind_text(ifl_access_kind kind);
/* LOAD, STORE or ATOMIC: what the caches see a copy as. */
ifl_access_kind ifl_access_plain_kind(ifl_access_kind kind);
/* It has counters. */
bool ifl_access_is_counted(ifl_access_kind kind);
static inline bool ifl_access_is_copy(unsigned kind)
{
    return kind == IFL_ACCESS_COPY_LOAD || kind == IFL_ACCESS_COPY_STORE ||
           kind == IFL_ACCESS_COPY_REDUCTION;
}

static inline bool ifl_access_is_sampled(unsigned kind)
{
    return kind >= IFL_ACCESS_TEXTURE_LOAD && kind <= IFL_ACCESS_SURFACE_REDUCTION;
}

/* Accesses of one kind to one space: IFL_TRAFFIC_global_load. */
typedef enum ifl_traffic_kind {
#define ACCESS(space, kind, prefix, ...) IFL_TRAFFIC_##prefix,
#include "code/access.def"
    IFL_TRAFFIC_COUNT
} ifl_traffic_kind;

typedef struct ifl_traffic_info {
    ifl_space space;
    ifl_access_kind kind;
    const char *one;  /* "global load" */
    const char *many; /* "global loads" */
    bool on_chip;     /* counted in wavefronts, not in sectors */
    bool is_past_lsu; /* by the TMA, or through the texture unit */
} ifl_traffic_info;

const ifl_traffic_info *ifl_traffic_info_get(ifl_traffic_kind traffic);
/* IFL_TRAFFIC_COUNT where access.def has no such row, as for a generic address that was not seen
 * yet. */
ifl_traffic_kind ifl_traffic_find(ifl_space space, ifl_access_kind kind);
/* The same by their texts. */
ifl_traffic_kind ifl_traffic_named(const char *space, const char *kind);

#endif
