/* SPDX-License-Identifier: Apache-2.0
 * The words for what became of accesses in machine code. */
#include "profile/machine_facts.h"

static const char *const verdicts[] = {
    [IFL_MACHINE_SAME] = "same",   [IFL_MACHINE_MERGED] = "merged",
    [IFL_MACHINE_SPLIT] = "split", [IFL_MACHINE_REMOVED] = "removed",
    [IFL_MACHINE_FEWER] = "fewer", [IFL_MACHINE_MORE] = "more",
    [IFL_MACHINE_ADDED] = "added",
};

const char *ifl_machine_verdict_text(ifl_machine_verdict verdict)
{
    return (unsigned)verdict < IFL_MACHINE_VERDICTS ? verdicts[verdict] : "";
}

void ifl_machine_facts_free(ifl_machine_facts *facts)
{
    ifl_vec_free(&facts->opcodes);
    ifl_vec_free(&facts->loops);
    ifl_vec_free(&facts->accesses);
}
