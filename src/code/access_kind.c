/* SPDX-License-Identifier: Apache-2.0
 * The rows of access.def, and finding one. */
#include "code/access_kind.h"

#include <string.h>

static const char *const kind_texts[IFL_ACCESS_KINDS + 1] = {
#define KIND(name, text, plain) [IFL_ACCESS_##name] = text,
#include "code/access.def"
    [IFL_ACCESS_KINDS] = "",
};

static const uint8_t plain_kinds[IFL_ACCESS_KINDS + 1] = {
#define KIND(name, text, plain) [IFL_ACCESS_##name] = IFL_ACCESS_##plain,
#include "code/access.def"
    [IFL_ACCESS_KINDS] = IFL_ACCESS_KINDS,
};

enum { OFF_CHIP, ON_CHIP, COPIED, SAMPLED };

static const ifl_traffic_info infos[IFL_TRAFFIC_COUNT] = {
#define ACCESS(space, kind, prefix, words, chip, ...)                                              \
    [IFL_TRAFFIC_##                                                                                \
        prefix] = {IFL_SPACE_##space, IFL_ACCESS_##kind, words,                                    \
                   words "s",         chip == ON_CHIP,   chip == COPIED || chip == SAMPLED},
#include "code/access.def"
};

const char *ifl_access_kind_text(ifl_access_kind kind)
{
    return (unsigned)kind <= IFL_ACCESS_KINDS ? kind_texts[kind] : "";
}

ifl_access_kind ifl_access_plain_kind(ifl_access_kind kind)
{
    return (ifl_access_kind)plain_kinds[kind];
}

bool ifl_access_is_counted(ifl_access_kind kind)
{
    return kind != IFL_ACCESS_KINDS && kind != IFL_ACCESS_PREFETCH;
}

const ifl_traffic_info *ifl_traffic_info_get(ifl_traffic_kind traffic)
{
    return &infos[traffic];
}

ifl_traffic_kind ifl_traffic_find(ifl_space space, ifl_access_kind kind)
{
    unsigned t = 0;
    while (t < IFL_TRAFFIC_COUNT && (infos[t].space != space || infos[t].kind != kind))
        t++;
    return (ifl_traffic_kind)t;
}

ifl_traffic_kind ifl_traffic_named(const char *space, const char *kind)
{
    unsigned t = 0;
    while (t < IFL_TRAFFIC_COUNT && (strcmp(ifl_space_text(infos[t].space), space) != 0 ||
                                     strcmp(kind_texts[infos[t].kind], kind) != 0))
        t++;
    return (ifl_traffic_kind)t;
}
