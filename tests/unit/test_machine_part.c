/* SPDX-License-Identifier: Apache-2.0
 * The part of a launch's report that its machine code makes, from facts that are put together by
 * hand. */
#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ifl_profile *make(void)
{
    ifl_profile *profile = ifl_profile_new();
    assert_non_null(profile);
    profile->kernel = profile->signature = "axpy";
    profile->file = "axpy.bin";
    profile->target = "sm_90";
    profile->backend = "engine";
    for (int i = 0; i < 3; i++)
        profile->grid[i] = profile->block[i] = 1;
    profile->complete = true;
    profile->blocks_done = 1;
    return profile;
}

static void learn(ifl_profile *profile)
{
    ifl_machine_facts *m = &profile->machine;
    m->known = true;
    m->file = "axpy.cubin";
    m->sm = 90;
    m->registers = 40;
    m->instructions = 100;
    m->useful = 60;
    m->bytes_in_flight = 1024;
    m->spill_store_bytes = 8;
    m->spill_load_bytes = 16;
    assert_true(ifl_vec_push(&m->opcodes, (ifl_machine_opcode){"LDG", 7, 7}));
    assert_true(ifl_vec_push(&m->opcodes, (ifl_machine_opcode){"IMAD", 3, 0}));
    assert_true(ifl_vec_push(&m->loops, (ifl_machine_loop){.file = "axpy.cu",
                                                           .first_line = 5,
                                                           .last_line = 9,
                                                           .depth = 1,
                                                           .is_innermost = true,
                                                           .instructions = 33,
                                                           .exposed_latencies = 8,
                                                           .register_reuses = 1}));
    for (int i = 0; i < 3; i++) /* a wait that is inlined three times */
        assert_true(ifl_vec_push(&m->loops, (ifl_machine_loop){.file = "wait.h",
                                                               .first_line = 20,
                                                               .last_line = 20,
                                                               .depth = 1,
                                                               .is_innermost = true,
                                                               .instructions = 4}));
}

static char *report(const ifl_profile *profile, ifl_report_format format)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    ifl_outcome *outcome;
    assert_int_equal(ifl_outcome_new(profile, &outcome, NULL), IFL_OK);
    assert_int_equal(
        ifl_report_write((const ifl_outcome *const *)&outcome, 1, format, NULL, out, NULL), IFL_OK);
    ifl_outcome_free(outcome);
    fclose(out);
    return text;
}

static void has(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("nowhere: %s\n%s", words, text);
}

static void text_says_what_there_is(void **state)
{
    (void)state;
    ifl_profile *profile = make();
    learn(profile);
    char *text = report(profile, IFL_REPORT_TEXT);
    has(text, "Machine code (sm_90, axpy.cubin)");
    has(text,
        "40 registers per thread; 100 instructions, of which 60 do work that the source asks for.");
    has(text, "1,024 bytes of loads in flight");
    has(text, "stores 8 bytes per thread and loads 16");
    has(text, "Loop at axpy.cu:5-9: an iteration has 33 instructions, waits for its own loads 8 "
              "times, and");
    has(text, "Loop at wait.h:20, 3 times in the code: an iteration has 4 instructions");
    assert_null(strstr(strstr(text, "wait.h:20") + 1, "wait.h:20"));
    free(text);
    ifl_profile_destroy(profile);
}

static void json_has_all(void **state)
{
    (void)state;
    ifl_profile *profile = make();
    learn(profile);
    char *text = report(profile, IFL_REPORT_JSON);
    has(text, "\"machine\": {");
    has(text, "\"registers\": 40");
    has(text, "\"spill_load_bytes\": 16");
    has(text, "\"spill_store_bytes\": 8");
    has(text, "\"static_shared_bytes\": 0");
    has(text, "\"exposed_latencies\": 8");
    free(text);
    ifl_profile_destroy(profile);
}

/* What is not known is absent. */
static void nothing_is_said_of_unknown_code(void **state)
{
    (void)state;
    ifl_profile *profile = make();
    for (ifl_report_format format = IFL_REPORT_TEXT; format <= IFL_REPORT_JSON; format++) {
        char *text = report(profile, format);
        assert_null(strstr(text, "achine"));
        free(text);
    }
    ifl_profile_destroy(profile);
}

/* What ran is not always what the file was compiled for. */
static void text_names_the_code_that_ran(void **state)
{
    (void)state;
    ifl_profile *profile = make();
    learn(profile);
    profile->target = "sm_80";
    profile->machine.ran = profile->machine.assembled = true;
    char *text = report(profile, IFL_REPORT_TEXT);
    has(text, "(PTX for sm_80, assembled for sm_90), 1 block run");
    free(text);
    profile->machine.assembled = false;
    text = report(profile, IFL_REPORT_TEXT);
    has(text, "(sm_90), 1 block run");
    free(text);
    ifl_profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_says_what_there_is),
        cmocka_unit_test(text_names_the_code_that_ran),
        cmocka_unit_test(json_has_all),
        cmocka_unit_test(nothing_is_said_of_unknown_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
