/* SPDX-License-Identifier: Apache-2.0
 * The table of times as functions, and the words for results compared. */
#include "profile/timing.h"

#include <math.h>
#include <string.h>

static const ifl_times_info infos[IFL_TIMING_COUNT] = {
#define TIMING(name, unit, doc) {#name, unit, doc},
#include "profile/timing.def"
};

static const char *const verdicts[IFL_OUTPUT_VERDICTS] = {
    [IFL_OUTPUT_EQUAL] = "equal",
    [IFL_OUTPUT_WITHIN] = "within the stated error",
    [IFL_OUTPUT_OPEN] = "open",
    [IFL_OUTPUT_DIFFERENT] = "different",
};

const ifl_times_info *ifl_times_get(ifl_times_field field)
{
    return (unsigned)field < IFL_TIMING_COUNT ? &infos[field] : NULL;
}

ifl_times_field ifl_times_find(const char *name)
{
    int field = 0;
    while (field < IFL_TIMING_COUNT && strcmp(infos[field].name, name) != 0)
        field++;
    return (ifl_times_field)field;
}

void ifl_times_set(ifl_times *timing, ifl_times_field field, double value)
{
    if (!isfinite(value))
        return;
    timing->value[field] = value;
    timing->known[field] = true;
}

const char *ifl_output_verdict_text(ifl_output_verdict verdict)
{
    return (unsigned)verdict < IFL_OUTPUT_VERDICTS ? verdicts[verdict] : "unknown";
}

void ifl_times_document(FILE *out)
{
    fputs("# Times\n"
          "\n"
          "The figures of a launch on a real GPU, as `timing` in JSON has them and "
          "`ifl_profile_timing` gives\n"
          "them. A run is one launch of the kernel; a sample is what one pair of events encloses. "
          "What is not\n"
          "known is absent. [The real GPU](gpu.md) says how each is taken.\n"
          "\n"
          "| figure | unit | what it is |\n"
          "|---|---|---|\n",
          out);
    for (int i = 0; i < IFL_TIMING_COUNT; i++)
        fprintf(out, "| `%s` | %s | %s |\n", infos[i].name, infos[i].unit, infos[i].doc);
}

ifl_output_sides ifl_outputs_sides(const ifl_outputs *outputs)
{
    return outputs->of_code ? (ifl_output_sides){"PTX", "machine code", "ptx", "machine"}
                            : (ifl_output_sides){"engine", "GPU", "engine", "gpu"};
}
