/* SPDX-License-Identifier: Apache-2.0
 * The JSON report, schema "inflight/1": docs/json.md. The same launch gives the same bytes: nothing
 * of the time, the machine or the number of threads is in it. */
#include "report/writer.h"

#include "report/advice_part.h"
#include "report/code_part.h"
#include "report/gpu_part.h"
#include "report/machine_part.h"
#include "report/models_part.h"
#include "report/tree.h"

#include <string.h>

static json_t *size_of(ifl_tree *tree, const uint32_t size[3])
{
    json_t *array = json_array();
    for (int i = 0; i < 3; i++)
        ifl_tree_append(tree, array, json_integer(size[i]));
    return array;
}

static json_t *counters_of(ifl_tree *tree, const ifl_counters *counters)
{
    json_t *object = json_object();
    for (ifl_counter i = 0; i < IFL_COUNTER_COUNT; i++)
        if (counters->known[i])
            ifl_tree_put_count(tree, object, ifl_counter_get(i)->name, counters->value[i]);
    return object;
}

static json_t *pattern_of(ifl_tree *tree, const ifl_pattern *pattern)
{
    json_t *object = json_object();
    ifl_tree_put_text(tree, object, "kind", ifl_pattern_text(pattern->kind));
    ifl_tree_put_real(tree, object, "share", pattern->share);
    if (pattern->kind == IFL_PATTERN_STRIDED)
        ifl_tree_put(tree, object, "stride_words", json_integer(pattern->stride_words));
    if (pattern->kind == IFL_PATTERN_CONTIGUOUS && pattern->region_bytes)
        ifl_tree_put_count(tree, object, "region_bytes", pattern->region_bytes);
    return object;
}

static json_t *line_of(ifl_tree *tree, const ifl_profile_line *line)
{
    json_t *object = json_object();
    ifl_tree_put_text(tree, object, "file", line->file);
    ifl_tree_put_count(tree, object, "line", line->line);
    ifl_tree_put_count(tree, object, "column", line->column);
    ifl_tree_put_text(tree, object, "text", line->text);
    ifl_tree_put_text(tree, object, "op", line->op);
    ifl_tree_put_text(tree, object, "space", ifl_space_text(line->space));
    ifl_tree_put_text(tree, object, "kind", ifl_access_kind_text(line->kind));
    if (line->inlined_from && *line->inlined_from)
        ifl_tree_put_text(tree, object, "inlined_from", line->inlined_from);
    if (line->ptx_line)
        ifl_tree_put_count(tree, object, "ptx_line", line->ptx_line);
    ifl_tree_put_count(tree, object, "access_bytes", line->access_bytes);
    ifl_tree_put(tree, object, "counters", counters_of(tree, &line->counters));
    if (line->pattern.kind != IFL_PATTERN_NONE)
        ifl_tree_put(tree, object, "pattern", pattern_of(tree, &line->pattern));
    return object;
}

static json_t *lines_of(ifl_tree *tree, const ifl_profile *profile)
{
    json_t *array = json_array();
    for (size_t i = 0; i < profile->lines.count; i++)
        ifl_tree_append(tree, array, line_of(tree, &profile->lines.at[i]));
    return array;
}

static json_t *opcodes_of(ifl_tree *tree, const ifl_opcode_list *list)
{
    json_t *object = json_object();
    for (size_t i = 0; i < list->count; i++)
        ifl_tree_put_count(tree, object, list->at[i].name, list->at[i].count);
    return object;
}

static json_t *issued_of(ifl_tree *tree, const ifl_profile *profile)
{
    json_t *array = json_array();
    for (size_t i = 0; i < profile->issued.count; i++) {
        const ifl_issued_run *run = &profile->issued.at[i];
        json_t *object = json_object();
        if (strcmp(run->function, profile->kernel) != 0)
            ifl_tree_put_text(tree, object, "function", run->function);
        ifl_tree_put_count(tree, object, "first", run->first);
        ifl_tree_put_count(tree, object, "last", run->last);
        ifl_tree_put_count(tree, object, "warps", run->warps);
        ifl_tree_put_count(tree, object, "threads", run->threads);
        ifl_tree_put_count(tree, object, "threads_on", run->threads_on);
        ifl_tree_append(tree, array, object);
    }
    return array;
}

static json_t *texts_of(ifl_tree *tree, const char *const *texts, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        ifl_tree_append_text(tree, array, texts[i]);
    return array;
}

static json_t *finding_of(ifl_tree *tree, const ifl_finding *f)
{
    json_t *object = json_object(), *remedies = json_array();
    ifl_tree_put_text(tree, object, "rule", f->rule);
    for (size_t i = 0; f->remedies[i]; i++)
        ifl_tree_append_text(tree, remedies, f->remedies[i]);
    ifl_tree_put(tree, object, "remedies", remedies);
    ifl_tree_put_text(tree, object, "title", f->title);
    if (f->file) {
        ifl_tree_put_text(tree, object, "file", f->file);
        ifl_tree_put_count(tree, object, "line", f->line);
        ifl_tree_put_count(tree, object, "instructions", f->instructions);
    }
    ifl_tree_put_text(tree, object, "space", f->space);
    ifl_tree_put_text(tree, object, "kind", f->kind);
    ifl_tree_put_text(tree, object, "figures", *f->figures ? f->figures : NULL);
    ifl_tree_put_text(tree, object, "why", *f->why ? f->why : NULL);
    ifl_tree_put_text(tree, object, "helps", *f->helps ? f->helps : NULL);
    return object;
}

static json_t *findings_of(ifl_tree *tree, const ifl_findings *findings)
{
    json_t *array = json_array();
    for (size_t i = 0; i < findings->list.count; i++)
        ifl_tree_append(tree, array, finding_of(tree, &findings->list.at[i]));
    return array;
}

static json_t *launch_of(ifl_tree *tree, const ifl_outcome *outcome)
{
    const ifl_profile *profile = outcome->profile;
    const ifl_outcome *one = outcome->costliest ? outcome->costliest : outcome;
    json_t *object = json_object();
    ifl_tree_put_text(tree, object, "kernel", profile->kernel);
    ifl_tree_put_text(tree, object, "signature", profile->signature);
    ifl_tree_put_text(tree, object, "file", profile->file);
    ifl_tree_put_text(tree, object, "target", profile->target);
    ifl_tree_put(tree, object, "grid", size_of(tree, profile->grid));
    ifl_tree_put(tree, object, "block", size_of(tree, profile->block));
    if (profile->cluster[0])
        ifl_tree_put(tree, object, "cluster", size_of(tree, profile->cluster));
    ifl_tree_put_count(tree, object, "shared_bytes", profile->shared_bytes);
    ifl_tree_put_text(tree, object, "backend", profile->backend);
    ifl_tree_put_flag(tree, object, "complete", profile->complete);
    if (profile->reads_clock)
        ifl_tree_put_flag(tree, object, "reads_clock", true);
    ifl_tree_put_count(tree, object, "blocks_done", profile->blocks_done);
    if (profile->launches)
        ifl_tree_put_count(tree, object, "launches", profile->launches);
    if (profile->made)
        ifl_tree_put_count(tree, object, "made", profile->made);
    if (one->profile->nth)
        ifl_tree_put_count(tree, object, "nth", one->profile->nth);
    if (outcome->program_us > 0)
        ifl_tree_put_real(tree, object, "total_us", outcome->program_us);
    if (profile->site)
        ifl_tree_put_text(tree, object, "site", profile->site);
    ifl_tree_put(tree, object, "arguments",
                 texts_of(tree, profile->arguments.at, profile->arguments.count));
    ifl_tree_put(tree, object, "warnings",
                 texts_of(tree, profile->warnings.at, profile->warnings.count));
    if (profile->gpu.known)
        ifl_tree_put(tree, object, "device", ifl_gpu_part_gpu_json(tree, profile));
    if (profile->timing.between)
        ifl_tree_put(tree, object, "timing", ifl_gpu_part_timing_json(tree, profile));
    if (profile->outputs.rule)
        ifl_tree_put(tree, object, "outputs", ifl_gpu_part_outputs_json(tree, profile));
    ifl_tree_put(tree, object, "counters", counters_of(tree, &profile->counters));
    ifl_tree_put(tree, object, "lines", lines_of(tree, profile));
    ifl_tree_put(tree, object, "ptx_opcodes", opcodes_of(tree, &profile->ptx_opcodes));
    if (profile->opcodes.count)
        ifl_tree_put(tree, object, "opcodes", opcodes_of(tree, &profile->opcodes));
    if (profile->issued.count)
        ifl_tree_put(tree, object, "issued", issued_of(tree, profile));
    if (one->profile->machine.known)
        ifl_tree_put(tree, object, "machine", ifl_machine_part_json(tree, &one->profile->machine));
    if (profile->ptx.known)
        ifl_tree_put(tree, object, "ptx", ifl_code_part_json(tree, &profile->ptx));
    if (!profile->gpu.known)
        ifl_tree_put(tree, object, "findings", findings_of(tree, &outcome->findings));
    if (one->gpus.count && !profile->gpu.known)
        ifl_tree_put(tree, object, "models", ifl_models_part_json(tree, one));
    if (one->gpus.count)
        ifl_tree_put(tree, object, "advice", ifl_advice_part_json(tree, one));
    return object;
}

static json_t *each_of(ifl_tree *tree, const ifl_report_options *options)
{
    json_t *array = json_array();
    for (size_t i = 0; i < options->each_count; i++) {
        const ifl_report_launch *launch = &options->each[i];
        json_t *object = json_object();
        ifl_tree_put_text(tree, object, "signature", launch->signature);
        ifl_tree_put(tree, object, "grid", size_of(tree, launch->grid));
        ifl_tree_put(tree, object, "block", size_of(tree, launch->block));
        ifl_tree_put_text(tree, object, "site", launch->site);
        ifl_tree_put_real(tree, object, "time_us", launch->time_us);
        ifl_tree_append(tree, array, object);
    }
    return array;
}

static json_t *report_of(ifl_tree *tree, const ifl_report_input *input)
{
    json_t *root = json_object(), *launches = json_array();
    ifl_tree_put(tree, root, "schema", json_string("inflight/1"));
    for (size_t i = 0; i < input->count; i++)
        ifl_tree_append(tree, launches, launch_of(tree, input->outcomes[i]));
    ifl_tree_put(tree, root, "launches", launches);
    if (input->options.each)
        ifl_tree_put(tree, root, "each", each_of(tree, &input->options));
    if (input->options.warning_count)
        ifl_tree_put(tree, root, "warnings",
                     texts_of(tree, input->options.warnings, input->options.warning_count));
    return root;
}

ifl_status ifl_report_write_json(const ifl_report_input *input, FILE *out, ifl_error *error)
{
    ifl_tree tree = {0};
    return ifl_tree_finish(&tree, report_of(&tree, input), IFL_OK, out, error);
}
