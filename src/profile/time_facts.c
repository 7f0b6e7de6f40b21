/* SPDX-License-Identifier: Apache-2.0
 * The table of stall reasons as functions. */
#include "profile/time_facts.h"

static const struct {
    const char *name, *text;
} stalls[IFL_STALLS] = {
#define STALL(name, what) {#name, what},
#include "profile/stall.def"
};

const char *ifl_stall_name(ifl_stall stall)
{
    return (unsigned)stall < IFL_STALLS ? stalls[stall].name : NULL;
}

const char *ifl_stall_text(ifl_stall stall)
{
    return (unsigned)stall < IFL_STALLS ? stalls[stall].text : NULL;
}
