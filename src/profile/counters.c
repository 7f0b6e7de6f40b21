/* SPDX-License-Identifier: Apache-2.0
 * docs/counters.md, from the counter table. */
#include "profile/profile.h"

static const char introduction[] =
    "# Counters\n"
    "\n"
    "A *request* is one memory instruction of one warp. A *sector* is 32 bytes, a *line* is 128. "
    "A\n"
    "*wavefront* is one pass of a request through the L1 or shared memory data stage. *Ideal* is "
    "what the\n"
    "active lanes' bytes would need if they stood side by side, and never more than the actual "
    "count; the\n"
    "rest is excess. *Useful bytes* are the distinct bytes that the lanes of a request ask for: a "
    "word that\n"
    "all lanes read counts once.\n"
    "\n"
    "Counters of level \"line\" exist for every memory instruction and, summed, for the launch. A "
    "request\n"
    "whose lanes are all switched off counts as a request of no sectors. What is not known is "
    "absent, never\n"
    "0. The last name is Nsight Compute's for the same thing, where it has one.\n"
    "\n"
    "| counter | unit | level | what it counts | Nsight Compute |\n"
    "|---|---|---|---|---|\n";

static const char *const level_texts[] = {[IFL_LEVEL_LAUNCH] = "launch", [IFL_LEVEL_LINE] = "line"};

void ifl_counters_document(FILE *out)
{
    fputs(introduction, out);
    for (int i = 0; i < IFL_COUNTER_COUNT; i++) {
        const ifl_counter_info *info = ifl_counter_get((ifl_counter)i);
        const char *mark = *info->ncu ? "`" : "";
        fprintf(out, "| `%s` | %s | %s | %s | %s%s%s |\n", info->name, info->unit,
                level_texts[info->level], info->doc, mark, info->ncu, mark);
    }
}
