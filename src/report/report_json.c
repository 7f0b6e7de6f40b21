/* SPDX-License-Identifier: Apache-2.0
 * The JSON report, schema "inflight/1": docs/json.md. The same launch gives the same bytes: nothing
 * of the time, the machine or the number of threads is in it. */
#include "report/writer.h"

#include "report/figure.h"
#include "report/gpu_part.h"
#include "report/advice_part.h"
#include "report/machine_part.h"
#include "report/models_part.h"

#include <jansson.h>
#include <math.h>

/* Any failure to allocate shows as a false `whole` at the end. */
typedef struct builder {
    ifl_arena arena;
    bool whole;
} builder;

static void put(builder *b, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        b->whole = false;
}

static void append(builder *b, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        b->whole = false;
}

static json_t *text_of(builder *b, const char *text)
{
    char *clean = ifl_clean_utf8(&b->arena, text);
    return clean ? json_string(clean) : NULL;
}

/* What is not known is absent. */
static void put_text(builder *b, json_t *object, const char *key, const char *text)
{
    if (text)
        put(b, object, key, text_of(b, text));
}

/* JSON integers are signed here; a count past 2^63 is written as a real, exact to 53 bits. */
static json_t *count_of(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

static json_t *size_of(builder *b, const uint32_t size[3])
{
    json_t *array = json_array();
    for (int i = 0; i < 3; i++)
        append(b, array, json_integer(size[i]));
    return array;
}

static json_t *counters_of(builder *b, const ifl_counters *counters)
{
    json_t *object = json_object();
    for (ifl_counter i = 0; i < IFL_COUNTER_COUNT; i++)
        if (counters->known[i])
            put(b, object, ifl_counter_get(i)->name, count_of(counters->value[i]));
    return object;
}

static json_t *pattern_of(builder *b, const ifl_pattern *pattern)
{
    json_t *object = json_object();
    put_text(b, object, "kind", ifl_pattern_text(pattern->kind));
    if (isfinite(pattern->share))
        put(b, object, "share", json_real(pattern->share));
    if (pattern->kind == IFL_PATTERN_STRIDED)
        put(b, object, "stride_words", json_integer(pattern->stride_words));
    if (pattern->kind == IFL_PATTERN_CONTIGUOUS)
        put(b, object, "region_bytes", count_of(pattern->region_bytes));
    return object;
}

static json_t *line_of(builder *b, const ifl_profile_line *line)
{
    json_t *object = json_object();
    put_text(b, object, "file", line->file);
    put(b, object, "line", json_integer(line->line));
    put(b, object, "column", json_integer(line->column));
    put_text(b, object, "text", line->text);
    put_text(b, object, "op", line->op);
    put_text(b, object, "space", line->space);
    put_text(b, object, "kind", line->kind);
    if (line->inlined_from && *line->inlined_from)
        put_text(b, object, "inlined_from", line->inlined_from);
    if (line->ptx_line)
        put(b, object, "ptx_line", json_integer(line->ptx_line));
    put(b, object, "access_bytes", json_integer(line->access_bytes));
    put(b, object, "counters", counters_of(b, &line->counters));
    if (line->pattern.kind != IFL_PATTERN_NONE)
        put(b, object, "pattern", pattern_of(b, &line->pattern));
    return object;
}

static json_t *lines_of(builder *b, const ifl_profile *profile)
{
    json_t *array = json_array();
    for (size_t i = 0; i < profile->lines.count; i++)
        append(b, array, line_of(b, &profile->lines.at[i]));
    return array;
}

static json_t *opcodes_of(builder *b, const ifl_profile *profile)
{
    json_t *object = json_object();
    for (size_t i = 0; i < profile->ptx_opcodes.count; i++)
        put(b, object, profile->ptx_opcodes.at[i].name, count_of(profile->ptx_opcodes.at[i].count));
    return object;
}

static json_t *texts_of(builder *b, const char *const *texts, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        append(b, array, text_of(b, texts[i]));
    return array;
}

static json_t *launch_of(builder *b, const ifl_profile *profile, const ifl_report_options *options)
{
    json_t *object = json_object();
    put_text(b, object, "kernel", profile->kernel);
    put_text(b, object, "signature", profile->signature);
    put_text(b, object, "file", profile->file);
    put_text(b, object, "target", profile->target);
    put(b, object, "grid", size_of(b, profile->grid));
    put(b, object, "block", size_of(b, profile->block));
    put(b, object, "shared_bytes", count_of(profile->shared_bytes));
    put_text(b, object, "backend", profile->backend);
    put(b, object, "complete", json_boolean(profile->complete));
    put(b, object, "blocks_done", count_of(profile->blocks_done));
    if (profile->launches)
        put(b, object, "launches", count_of(profile->launches));
    if (profile->site)
        put_text(b, object, "site", profile->site);
    put(b, object, "arguments", texts_of(b, profile->arguments.at, profile->arguments.count));
    put(b, object, "warnings", texts_of(b, profile->warnings.at, profile->warnings.count));
    if (profile->gpu.known)
        put(b, object, "device", ifl_gpu_part_gpu_json(profile));
    if (profile->timing.between)
        put(b, object, "timing", ifl_gpu_part_timing_json(profile));
    if (profile->outputs.rule)
        put(b, object, "outputs", ifl_gpu_part_outputs_json(profile));
    put(b, object, "counters", counters_of(b, &profile->counters));
    put(b, object, "lines", lines_of(b, profile));
    put(b, object, "ptx_opcodes", opcodes_of(b, profile));
    if (profile->machine.known)
        put(b, object, "machine", ifl_machine_part_json(&profile->machine, &b->arena));
    if (options->device_count && !profile->gpu.known)
        put(b, object, "models",
            ifl_models_part_json(profile, options->devices, options->device_count));
    if (options->device_count)
        put(b, object, "advice",
            ifl_advice_part_json(profile, options->devices, options->device_count));
    return object;
}

static json_t *report_of(builder *b, const ifl_report_input *input)
{
    json_t *root = json_object(), *launches = json_array();
    put(b, root, "schema", json_string("inflight/1"));
    for (size_t i = 0; i < input->count; i++)
        append(b, launches, launch_of(b, input->profiles[i], &input->options));
    put(b, root, "launches", launches);
    return root;
}

ifl_status ifl_report_write_json(const ifl_report_input *input, FILE *out, ifl_error *error)
{
    builder b = {.whole = true};
    json_t *root = report_of(&b, input);
    ifl_status status = root && b.whole ? IFL_OK : ifl_fail_memory(error, sizeof *input);
    /* A failing stream stays marked as one, and the caller looks; else jansson ran out of
     * memory. */
    if (status == IFL_OK && json_dumpf(root, out, JSON_INDENT(1)) != 0 && !ferror(out))
        status = ifl_fail_memory(error, sizeof *input);
    fputc('\n', out);
    json_decref(root);
    ifl_arena_free(&b.arena);
    return status;
}
