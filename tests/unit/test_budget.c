/* SPDX-License-Identifier: Apache-2.0
 * Budgets: figures with ranges, patterns, what a file says, baselines, places and comments. */
#include "check/baseline.h"
#include "check/budget.h"
#include "check/name_pattern.h"
#include "check/place_key.h"
#include "check/source_place.h"
#include "check/subject.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- figures --------------------------------------------------------------------------------- */

static bool look_up(const void *user, const char *name, ifl_estimate *value)
{
    (void)user;
    if (strcmp(name, "ten") == 0)
        *value = (ifl_estimate){10, 10, 10};
    else if (strcmp(name, "about_four") == 0)
        *value = (ifl_estimate){3, 4, 5};
    else if (strcmp(name, "opcode:D*") == 0)
        *value = (ifl_estimate){7, 7, 7};
    else
        return false;
    return true;
}

static void holds(const char *text, double low, double mid, double high)
{
    ifl_arena arena = {0};
    const ifl_expression *expression;
    ifl_estimate value;
    assert_int_equal(ifl_expression_parse(&arena, text, strlen(text), &expression, NULL), IFL_OK);
    assert_true(ifl_expression_value(expression, look_up, NULL, &value));
    assert_float_equal(value.low, low, 1e-12);
    assert_float_equal(value.mid, mid, 1e-12);
    assert_float_equal(value.high, high, 1e-12);
    ifl_arena_free(&arena);
}

static void figures(void **state)
{
    (void)state;
    holds("ten", 10, 10, 10);
    holds("1 + 2 * 3", 7, 7, 7);
    holds("(1 + 2) * 3", 9, 9, 9);
    holds("10 - 4 - 3", 3, 3, 3);
    holds("2^10 / 1Ki", 1, 1, 1);
    holds("1.5e2", 150, 150, 150);
    holds("opcode:D* + 1", 8, 8, 8);
    /* Ends of ranges: the least difference takes the most away, the least ratio divides by most. */
    holds("ten - about_four", 5, 6, 7);
    holds("ten / about_four", 2, 2.5, 10.0 / 3);
    holds("about_four * about_four", 9, 16, 25);
}

static void wrong(const char *text, int column)
{
    ifl_arena arena = {0};
    const ifl_expression *expression;
    ifl_error error = {0};
    assert_int_equal(ifl_expression_parse(&arena, text, strlen(text), &expression, &error),
                     IFL_BAD_INPUT);
    assert_int_equal(error.column, column);
    ifl_arena_free(&arena);
}

static void wrong_figures(void **state)
{
    char deep[200];
    (void)state;
    wrong("", 1);
    wrong("ten +", 6);
    wrong("ten ten", 5);
    wrong("(ten", 5);
    wrong("ten)", 4);
    wrong("*ten", 1);
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    wrong(deep, 33);
}

static void unknown_values(void **state)
{
    ifl_arena arena = {0};
    const ifl_expression *expression;
    ifl_estimate value;
    (void)state;
    static const char *const texts[] = {"eleven", "ten + eleven", "ten / (ten - ten)", "ten / 0"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(
            ifl_expression_parse(&arena, texts[i], strlen(texts[i]), &expression, NULL), IFL_OK);
        assert_false(ifl_expression_value(expression, look_up, NULL, &value));
    }
    ifl_arena_free(&arena);
}

static void patterns(void **state)
{
    (void)state;
    assert_true(ifl_pattern_fits("*", ""));
    assert_true(ifl_pattern_fits("a*c", "abcbc"));
    assert_true(ifl_pattern_fits("?b*", "ab"));
    assert_true(ifl_pattern_fits("**x", "x"));
    assert_false(ifl_pattern_fits("a*c", "abcb"));
    assert_false(ifl_pattern_fits("", "a"));
    assert_false(ifl_pattern_fits("ab", "a"));
}

/* ---- files ----------------------------------------------------------------------------------- */

static void write_file(char path[32], const char *text)
{
    strcpy(path, "/tmp/ifl-budget.XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
}

static void reads_a_budget(void **state)
{
    char path[32];
    ifl_budget b;
    ifl_error error;
    (void)state;
    write_file(
        path,
        "run = run -- ./app 'two words'\nrun = t.launch\nrun = t.cubin\ngpu = h200\nbaseline = "
        "t.baseline\n"
        "limit = warning: time_us  /  ten <= baseline + 20% on b*\n"
        "kernel = copy*\nlimit = registers < 2^5 at \"a b\"\nlimit = occupancy_theoretical >= 50 "
        "%\n"
        "finding = note: strided new\nallow = bank_* in copy at t.cu:7 because it is small\n");
    assert_int_equal(ifl_budget_read(path, &b, &error), IFL_OK);
    assert_int_equal(b.runs.count, 3);
    assert_string_equal(b.runs.at[0].words[3], "two words");
    assert_string_equal(b.runs.at[1].words[0], "analyze");
    assert_string_equal(b.runs.at[2].words[0], "sass");
    assert_int_equal(b.limits.count, 3);
    const ifl_limit *l = b.limits.at;
    assert_int_equal(l[0].severity, IFL_SEVERITY_WARNING);
    assert_string_equal(l[0].expression_text, "time_us / ten");
    assert_true(l[0].is_relative);
    assert_float_equal(l[0].factor, 1.2, 1e-12);
    assert_string_equal(l[0].gpu, "b*");
    assert_string_equal(l[0].kernel, "*");
    assert_int_equal(l[1].comparison, IFL_BELOW);
    assert_float_equal(l[1].offset, 32, 0);
    assert_string_equal(l[1].at, "a b");
    assert_string_equal(l[1].kernel, "copy*");
    assert_float_equal(l[2].offset, 0.5, 1e-12);
    assert_true(b.watches.at[0].only_new);
    assert_string_equal(b.allowances.at[0].rule, "bank_*");
    assert_string_equal(b.allowances.at[0].at, "t.cu:7");
    assert_string_equal(b.allowances.at[0].why, "it is small");
    ifl_budget_free(&b);
    unlink(path);
}

static void keeps_a_baseline(void **state)
{
    char path[32];
    ifl_baseline b = {0}, again;
    ifl_error error;
    (void)state;
    const double third = 1.0 / 3;
    assert_true(ifl_baseline_add(&b, (ifl_fact_name){"r", "k2", "", "h200", "time_us"},
                                 (ifl_estimate){1.5, 2, 2.5}));
    assert_true(ifl_baseline_add(&b, (ifl_fact_name){"r", "k1", "a\tb", "", "ratio"},
                                 (ifl_estimate){third, third, third}));
    assert_true(ifl_baseline_add(&b, (ifl_fact_name){"r", "k1", "", "", "sectors"},
                                 (ifl_estimate){1e14, 1e14, 1e14}));
    write_file(path, "");
    FILE *file = fopen(path, "w");
    assert_int_equal(ifl_baseline_write(&b, file, &error), IFL_OK);
    fclose(file);
    assert_int_equal(ifl_baseline_read(path, &again, &error), IFL_OK);
    assert_int_equal(again.facts.count, 3);
    assert_string_equal(again.facts.at[0].name.metric, "sectors"); /* sorted */
    assert_float_equal(again.facts.at[0].value.mid, 1e14, 0);
    const ifl_fact *ratio =
        ifl_baseline_find(&again, (ifl_fact_name){"r", "k1", "a b", "", "ratio"});
    assert_non_null(ratio);
    assert_float_equal(ratio->value.mid, third, 1e-10 * third); /* what limits forgive is 1e-9 */
    const ifl_fact *time =
        ifl_baseline_find(&again, (ifl_fact_name){"r", "k2", "", "h200", "time_us"});
    assert_non_null(time);
    assert_float_equal(time->value.low, 1.5, 0);
    assert_float_equal(time->value.high, 2.5, 0);
    assert_null(ifl_baseline_find(&again, (ifl_fact_name){"r", "k3", "", "", "sectors"}));
    ifl_baseline_free(&b);
    ifl_baseline_free(&again);
    unlink(path);
}

static void refuses_a_baseline(void **state)
{
    char path[32];
    ifl_baseline b;
    ifl_error error;
    (void)state;
    write_file(path, "# head\nr\tk\t-\t-\tsectors\t5\nr\tk\t-\t-\tsectors\tfive\n");
    assert_int_equal(ifl_baseline_read(path, &b, &error), IFL_BAD_INPUT);
    assert_int_equal(error.line, 3);
    unlink(path);
}

/* ---- places ---------------------------------------------------------------------------------- */

static void places(void **state)
{
    (void)state;
    assert_true(ifl_place_is("t.cu:7", "src/t.cu", 7, ""));
    assert_false(ifl_place_is("t.cu:7", "src/t.cu", 70, ""));
    assert_false(ifl_place_is("t.cu:7", "src/at.cu", 7, ""));
    assert_true(ifl_place_is("src/t.cu", "my/src/t.cu", 1, ""));
    assert_true(ifl_place_is("tile[x]", "t.cu", 1, "  out = tile[x];"));
    assert_false(ifl_place_is("tile[y]", "t.cu", 1, "  out = tile[x];"));
}

static bool allows(const char *text, int line, const char *rule, const char **why)
{
    char path[32];
    static ifl_budget budget;
    write_file(path, text);
    const ifl_source_place place = {path, line, ""};
    const bool is_allowed = ifl_source_allows(&budget, &place, rule, why);
    unlink(path);
    return is_allowed;
}

static void comments(void **state)
{
    const char *why = NULL;
    (void)state;
    assert_true(allows("a;\nb; // inflight: allow strided - the next one wants columns\n", 2,
                       "strided", &why));
    assert_string_equal(why, "the next one wants columns");
    assert_true(allows("// inflight: allow bank_*, strided\nb;\n", 2, "strided", &why));
    assert_true(
        allows("  // see (1) // inflight: allow x\nb; // of all // inflight: allow y because\n", 2,
               "y", &why));
    assert_false(allows("a; // inflight: allow strided\nb;\n", 2, "strided",
                        &why)); /* that is the other line's */
    assert_false(allows("b; // inflight: allow strided\n", 1, "sectors", &why));
    assert_false(allows("b; // inflight: allowed strided\n", 1, "strided", &why));
}

static ifl_subject subject_of(ifl_arena *arena, const char *lines)
{
    ifl_subject s = {.launch = json_pack("{s:o}", "lines", json_loads(lines, 0, NULL))};
    s.line_count = json_array_size(json_object_get(s.launch, "lines"));
    assert_true(ifl_place_keys(arena, &s));
    return s;
}

/* The same instruction has the same key where its line, its blanks or its file changed. */
static void keys_survive_moves(void **state)
{
    ifl_arena arena = {0};
    (void)state;
    ifl_subject a =
        subject_of(&arena, "[{\"file\":\"a/t.cu\",\"line\":7,\"text\":\"x = y;\",\"op\":\"ld\"},"
                           "{\"file\":\"a/t.cu\",\"line\":7,\"text\":\"x = y;\",\"op\":\"ld\"},"
                           "{\"file\":\"a/t.cu\",\"line\":7,\"text\":\"x = y;\",\"op\":\"st\"}]");
    ifl_subject b = subject_of(
        &arena, "[{\"file\":\"b/u.cu\",\"line\":90,\"text\":\"  x  = y;\",\"op\":\"ld\"}]");
    assert_string_equal(a.places[0], b.places[0]);
    assert_string_not_equal(a.places[0], a.places[1]);
    assert_string_not_equal(a.places[0], a.places[2]);
    json_decref(a.launch);
    json_decref(b.launch);
    ifl_arena_free(&arena);
}

/* A launch of PTX, its machine code beside it: what was executed is not known, what the compiler
 * made is. Alone, the code has as many instructions as stand in it. */
static void counts_only_what_ran(void **state)
{
    ifl_subject subject = {.launch = json_pack("{s:{s:i}, s:{s:i, s:i, s:b}}", "counters",
                                               "ptx_instructions", 640, "machine", "instructions",
                                               16, "registers", 10, "ran", 0)};
    const ifl_view view = {&subject, NULL, IFL_ALL_LINES, IFL_NO_MODEL};
    ifl_estimate value;
    (void)state;
    assert_false(ifl_view_lookup(&view, "instructions", &value));
    assert_true(ifl_view_lookup(&view, "ptx_instructions", &value));
    assert_float_equal(value.mid, 640, 0);
    assert_true(ifl_view_lookup(&view, "registers", &value));
    assert_float_equal(value.mid, 10, 0);
    json_object_del(subject.launch, "counters");
    assert_true(ifl_view_lookup(&view, "instructions", &value));
    assert_float_equal(value.mid, 16, 0);
    json_decref(subject.launch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures),
        cmocka_unit_test(wrong_figures),
        cmocka_unit_test(unknown_values),
        cmocka_unit_test(patterns),
        cmocka_unit_test(reads_a_budget),
        cmocka_unit_test(keeps_a_baseline),
        cmocka_unit_test(refuses_a_baseline),
        cmocka_unit_test(places),
        cmocka_unit_test(comments),
        cmocka_unit_test(keys_survive_moves),
        cmocka_unit_test(counts_only_what_ran),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
