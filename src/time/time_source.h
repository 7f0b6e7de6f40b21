/* SPDX-License-Identifier: Apache-2.0
 * Where a line that the L1 lacks comes from: the L2, the DRAM, the DRAM for another SM that has asked for it before, or memory
 * of the host. Knows
 * what the SM has asked for, and the shares that the caches' simulation found. */
#ifndef IFL_TIME_TIME_SOURCE_H
#define IFL_TIME_TIME_SOURCE_H

#include "time/time_memory.h"

typedef enum ifl_time_source {
    IFL_TIME_FROM_L2,
    IFL_TIME_FROM_DRAM,
    IFL_TIME_ON_ITS_WAY,
    IFL_TIME_FROM_HOST
} ifl_time_source;

/* Of one request: whether some of its lines come from the DRAM, once that is drawn. */
typedef struct ifl_time_choice {
    bool has_dram, is_drawn;
    bool of_host; /* all of them are the host's */
} ifl_time_choice;

/* A bit for each half of a line that may be asked for; the caller frees it. NULL without memory. */
uint8_t *ifl_time_sources_asked(void);
/* Notes that the SM asks for these sectors; false: it has asked for their halves of the line before. */
bool ifl_time_source_is_first(ifl_time_memory *m, uint64_t line, unsigned sectors);
/* The same, and where they come from. */
ifl_time_source ifl_time_source_of(ifl_time_memory *m, uint64_t line, unsigned sectors,
                                   ifl_time_choice *choice);

#endif
