/* SPDX-License-Identifier: Apache-2.0
 * Outcomes: findings, models and advice are found once, from the same rows, and reports only print
 * them. */
#include "outcome/outcome.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GRID = 4096, BLOCK = 256, WARPS = GRID * BLOCK / 32 };

static void count(ifl_profile *p, ifl_profile_line *line, ifl_counter which, uint64_t value)
{
    ifl_counters_add(&line->counters, which, value);
    ifl_counters_add(&p->counters, which, value);
}

static void add_line(ifl_profile *p, ifl_traffic_kind kind, uint32_t number, ifl_pattern pattern,
                     uint64_t sectors)
{
    const ifl_traffic_info *info = ifl_traffic_info_get(kind);
    const ifl_traffic_counters of = ifl_traffic_counters_of(kind);
    ifl_profile_line line = {.file = "src/t.cu",
                             .line = number,
                             .text = "out[x] = in[y];",
                             .op = "ld.global.f64",
                             .space = info->space,
                             .kind = info->kind,
                             .inlined_from = "",
                             .access_bytes = 8,
                             .pattern = pattern};
    count(p, &line, of.requests, WARPS);
    count(p, &line, of.sectors, WARPS * sectors);
    count(p, &line, of.sectors_ideal, WARPS * 8);
    count(p, &line, of.lines, WARPS * sectors);
    count(p, &line, of.useful_bytes, WARPS * 256);
    assert_true(ifl_vec_push(&p->lines, line));
}

/* The naive transpose of doubles (document 004): a store of 32 sectors where 8 would do. */
static ifl_profile *transpose(void)
{
    const ifl_pattern along = {.kind = IFL_PATTERN_COALESCED, .share = 1};
    const ifl_pattern across = {.kind = IFL_PATTERN_STRIDED, .share = 1, .stride_words = 8192};
    ifl_profile *p = ifl_profile_new();
    assert_non_null(p);
    p->kernel = p->signature = "transpose";
    p->file = "t.ptx";
    p->target = "sm_90";
    p->backend = "engine";
    p->grid[0] = GRID;
    p->block[0] = BLOCK;
    p->grid[1] = p->grid[2] = p->block[1] = p->block[2] = 1;
    p->complete = true;
    p->blocks_done = GRID;
    p->program = (ifl_program_facts){.known = true, .registers = 32, .load_waits = WARPS};
    ifl_counters_set(&p->counters, IFL_COUNTER_ptx_instructions, 20 * (uint64_t)WARPS);
    add_line(p, IFL_TRAFFIC_global_load, 14, along, 8);
    add_line(p, IFL_TRAFFIC_global_store, 15, across, 32);
    return p;
}

static ifl_outcome *outcome_on(const ifl_profile *profile, const ifl_device *device)
{
    ifl_outcome *outcome;
    assert_int_equal(ifl_outcome_new(profile, &outcome, NULL), IFL_OK);
    if (device)
        assert_int_equal(ifl_outcome_add(outcome, device, NULL), IFL_OK);
    return outcome;
}

static ifl_device *open_device(const char *name)
{
    ifl_device *device;
    assert_int_equal(ifl_device_open(name, &device, NULL), IFL_OK);
    return device;
}

/* remedy.def: a stride is treated by another layout or index, or by a turn in shared memory. */
static void a_finding_names_its_place_and_its_remedies(void **unused)
{
    ifl_profile *profile = transpose();
    ifl_outcome *outcome = outcome_on(profile, NULL);
    ifl_finding f;
    (void)unused;
    assert_true(ifl_outcome_finding(outcome, 0, &f));
    assert_string_equal(f.rule, "strided");
    assert_string_equal(f.remedies[0], "structure_of_arrays");
    assert_string_equal(f.remedies[1], "exchange_indexes");
    assert_string_equal(f.remedies[2], "stage_through_shared");
    assert_null(f.remedies[3]);
    assert_string_equal(f.file, "src/t.cu");
    assert_int_equal(f.line, 15);
    assert_string_equal(f.space, "global");
    assert_string_equal(f.kind, "store");
    assert_int_equal(f.instructions, 1);
    assert_string_equal(f.title,
                        "t.cu:15, global store: 32.0 sectors per request where 8.00 would do");
    assert_false(ifl_outcome_finding(outcome, 1, &f));
    assert_null(ifl_outcome_device(outcome, 0));
    assert_null(ifl_outcome_model(outcome, 0, NULL));
    ifl_outcome_free(outcome);
    ifl_profile_destroy(profile);
}

/* What stands out as strided, the advice for a large stride treats, in the same place. */
static void advice_treats_what_stands_out(void **unused)
{
    ifl_profile *profile = transpose();
    ifl_device *device = open_device("h200");
    ifl_outcome *outcome = outcome_on(profile, device);
    ifl_advice a;
    bool found = false;
    (void)unused;
    assert_ptr_equal(ifl_outcome_device(outcome, 0), device);
    assert_non_null(ifl_outcome_model(outcome, 0, NULL));
    for (size_t i = 0; ifl_outcome_advice(outcome, 0, i, &a); i++)
        if (strcmp(a.rule, "stage_through_shared") == 0) {
            found = true;
            assert_string_equal(a.file, "src/t.cu");
            assert_int_equal(a.line, 15);
            assert_true(a.gain_high > 1);
        }
    assert_true(found);
    assert_false(ifl_outcome_advice(outcome, 1, 0, &a));
    ifl_outcome_free(outcome);
    ifl_device_close(device);
    ifl_profile_destroy(profile);
}

/* An SM of 9.0 has 227 KiB of shared memory for a block (CUDA C++ Programming Guide). */
static void a_launch_that_does_not_fit_has_a_reason(void **unused)
{
    ifl_profile *profile = transpose();
    ifl_device *device = open_device("h200");
    const char *why = NULL;
    ifl_advice a;
    (void)unused;
    profile->shared_bytes = 300 * 1024;
    ifl_outcome *outcome = outcome_on(profile, device);
    assert_null(ifl_outcome_model(outcome, 0, &why));
    assert_non_null(strstr(why, "does not fit"));
    assert_false(ifl_outcome_advice(outcome, 0, 0, &a));
    assert_null(ifl_outcome_model(outcome, 1, &why));
    assert_null(why);
    ifl_outcome_free(outcome);
    ifl_device_close(device);
    ifl_profile_destroy(profile);
}

static char *written(const ifl_outcome *outcome, ifl_report_format format)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(ifl_report_write(&outcome, 1, format, NULL, out, NULL), IFL_OK);
    fclose(out);
    return text;
}

/* What only the model reads of a profile may change once it was read. */
static void reports_ask_the_model_nothing(void **unused)
{
    ifl_profile *profile = transpose();
    ifl_device *device = open_device("h200");
    ifl_outcome *outcome = outcome_on(profile, device);
    (void)unused;
    for (ifl_report_format format = IFL_REPORT_TEXT; format <= IFL_REPORT_HTML; format++) {
        char *before = written(outcome, format);
        const double waits = profile->program.load_waits;
        profile->program.load_waits = 100 * waits;
        char *after = written(outcome, format);
        assert_string_equal(before, after);
        profile->program.load_waits = waits;
        free(before);
        free(after);
    }
    ifl_outcome_free(outcome);
    ifl_device_close(device);
    ifl_profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finding_names_its_place_and_its_remedies),
        cmocka_unit_test(advice_treats_what_stands_out),
        cmocka_unit_test(a_launch_that_does_not_fit_has_a_reason),
        cmocka_unit_test(reports_ask_the_model_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
