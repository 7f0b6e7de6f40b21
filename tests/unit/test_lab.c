/* SPDX-License-Identifier: Apache-2.0
 * Reading a case of the lab: expressions, figures, sweeps, mistakes. The rules are
 * docs/lab-format.md's; the numbers are worked out by hand. */
#include "lab/lab_api.h"
#include "lab/lab_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define HEAD "title = t\ndocument = Thread Coarsening\nshows = s\n"

static char path[4096];

static ifl_status open_text(const char *text, ifl_lab **lab, ifl_error *error)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/inflight-lab-XXXXXX", folder ? folder : "/tmp");
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    assert_int_equal(write(handle, text, strlen(text)), strlen(text));
    close(handle);
    const ifl_status status = ifl_lab_open(path, lab, error);
    unlink(path);
    return status;
}

static ifl_lab *lab_of(const char *text)
{
    ifl_lab *lab;
    ifl_error error = {0};
    if (open_text(text, &lab, &error) != IFL_OK)
        fail_msg("%s", error.text);
    return lab;
}

static void assert_makes(const char *expression, double wanted)
{
    char text[600];
    double got;
    ifl_error error = {0};
    const ifl_lab_point point = {0};
    snprintf(text, sizeof text, HEAD "let.n = 12\nlet.m = n + 1\nlet.x = %s\nversion = v\n",
             expression);
    ifl_lab *lab = lab_of(text);
    if (ifl_lab_variable(lab, &point, "x", &got, &error) != IFL_OK)
        fail_msg("%s: %s", expression, error.text);
    if (got != wanted)
        fail_msg("%s is %.17g, wanted %.17g", expression, got, wanted);
    ifl_lab_close(lab);
}

static void expressions(void **state)
{
    (void)state;
    assert_makes("2^25", 33554432);
    assert_makes("2^3^2", 512);
    assert_makes("32Mi", 33554432);
    assert_makes("1.5e3 + 0.25", 1500.25);
    assert_makes("2 + 3 * 4 - 6 / 4", 12.5);
    assert_makes("-2 * (3 - 5)", 4);
    assert_makes("n % 5", 2);
    assert_makes("ceil(m / 4) + floor(m / 4) + round(0.5)", 8);
    assert_makes("min(m, 3) + max(m, 3)", 16);
    assert_makes("(n == 12) * 63 + 1", 64);
    assert_makes("(n < 12) + (n <= 12) + (n != 12) + (n >= 13)", 1);
}

static void assert_fails(const char *expression, const char *part)
{
    char text[2000];
    double got;
    ifl_error error = {0};
    const ifl_lab_point point = {0};
    snprintf(text, sizeof text, HEAD "let.x = %s\nversion = v\n", expression);
    ifl_lab *lab = lab_of(text);
    const ifl_status status = ifl_lab_variable(lab, &point, "x", &got, &error);
    if (status != IFL_BAD_INPUT || !strstr(error.text, part) || error.line != 4)
        fail_msg("%s: status %d, line %d, '%s'", expression, status, error.line, error.text);
    ifl_lab_close(lab);
}

static void mistakes_in_expressions(void **state)
{
    (void)state;
    char deep[1200];
    assert_fails("2 +", "expected a number");
    assert_fails("(2", "expected ')'");
    assert_fails("2 3", "unexpected text");
    assert_fails("y", "no variable 'y'");
    assert_fails("x + 1", "defined by itself");
    assert_fails("sqrt(4)", "no function 'sqrt'");
    assert_fails("min(1)", "of that many arguments");
    for (size_t i = 0; i < 1000; i += 5)
        memcpy(deep + i, "ceil(", 6);
    assert_fails(deep, "too many calls");
    memset(deep, '(', 1000);
    assert_fails(deep, "brackets are nested too deeply");
}

static void versions_go_first(void **state)
{
    (void)state;
    double value;
    char *text;
    ifl_lab *lab = lab_of(HEAD "let.n = 8\nreduced.n = 4\nword.type = f32\narg = {type}x{n}=zero\n"
                               "version = a\nversion = b\nlet.n = 16\nword.type = f64\n");
    const ifl_lab_point a = {.version = 0}, b = {.version = 1},
                        small = {.version = 1, .reduced = true};
    const ifl_lab_setting set = {"n", 2};
    const ifl_lab_point swept = {
        .version = 1, .reduced = true, .settings = &set, .setting_count = 1};
    assert_int_equal(ifl_lab_variable(lab, &a, "n", &value, NULL), IFL_OK);
    assert_true(value == 8);
    assert_int_equal(ifl_lab_variable(lab, &b, "n", &value, NULL), IFL_OK);
    assert_true(value == 16);
    assert_int_equal(ifl_lab_variable(lab, &small, "n", &value, NULL), IFL_OK);
    assert_true(value == 4);
    assert_int_equal(ifl_lab_variable(lab, &swept, "n", &value, NULL), IFL_OK);
    assert_true(value == 2);
    assert_int_equal(ifl_lab_expand(lab, &b, ifl_lab_find(lab, 1, "arg"), &text, NULL), IFL_OK);
    assert_string_equal(text, "f64x16=zero");
    free(text);
    assert_null(ifl_lab_find(lab, 1, "grid"));
    ifl_lab_close(lab);
}

static void figures(void **state)
{
    (void)state;
    static const struct {
        double value, low, high;
    } wanted[] = {{1.78, 1.775, 1.785},
                  {0.3615, 0.36145, 0.36155},
                  {100, 95, 105},
                  {80, 80, INFINITY},
                  {6, 6, 6}};
    const ifl_lab_point point = {0};
    ifl_lab_figure f;
    bool found;
    ifl_lab *lab = lab_of(HEAD "version = v\nexpect.a = 1.78\nexpect.k20x.b = 36.15%\n"
                               "expect.c = 100 within 5%\nexpect.d = >= 80\nexpect.e = {2 * 3}\n");
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(ifl_lab_figure_at(lab, &point, IFL_LAB_EXPECTED, i, &f, &found, NULL),
                         IFL_OK);
        assert_true(found);
        assert_true(fabs(f.value - wanted[i].value) < 1e-9);
        assert_true(fabs(f.low - wanted[i].low) < 1e-9);
        assert_true(isinf(wanted[i].high) ? isinf(f.high) : fabs(f.high - wanted[i].high) < 1e-9);
        assert_string_equal(f.gpu, i == 1 ? "k20x" : "");
    }
    assert_int_equal(ifl_lab_figure_at(lab, &point, IFL_LAB_EXPECTED, 5, &f, &found, NULL), IFL_OK);
    assert_false(found);
    ifl_lab_close(lab);
}

static void sweeps(void **state)
{
    (void)state;
    ifl_lab_sweep sweep;
    bool found;
    ifl_lab *lab = lab_of(HEAD "let.a = 1\nlet.b = 1\nsweep.both = a: 1 2, b: 2^3 4Ki 5\n"
                               "sweep.bad = c: 1\nversion = v\n");
    assert_int_equal(ifl_lab_sweep_at(lab, 0, 0, &sweep, &found, NULL), IFL_OK);
    assert_true(found);
    assert_string_equal(sweep.name, "both");
    assert_int_equal(sweep.axis_count, 2);
    assert_string_equal(sweep.axes[1].variable, "b");
    assert_int_equal(sweep.axes[1].count, 3);
    assert_true(sweep.axes[1].values[0] == 8 && sweep.axes[1].values[1] == 4096);
    assert_int_equal(ifl_lab_sweep_at(lab, 0, 1, &sweep, &found, NULL), IFL_BAD_INPUT);
    ifl_lab_close(lab);
}

static void a_peer_has_only_its_own_sweeps(void **state)
{
    (void)state;
    ifl_lab_sweep sweep;
    bool found;
    ifl_lab *lab = lab_of(HEAD "let.a = 1\nsweep.first = a: 1 2\nversion = v\n"
                               "version = library\nrole = peer\nsweep.second = a: 3\n");
    assert_int_equal(ifl_lab_sweep_at(lab, 0, 0, &sweep, &found, NULL), IFL_OK);
    assert_true(found);
    assert_string_equal(sweep.name, "first");
    assert_int_equal(ifl_lab_sweep_at(lab, 1, 0, &sweep, &found, NULL), IFL_OK);
    assert_true(found);
    assert_string_equal(sweep.name, "second");
    assert_int_equal(ifl_lab_sweep_at(lab, 1, 1, &sweep, &found, NULL), IFL_OK);
    assert_false(found);
    ifl_lab_close(lab);
}

static void assert_unreadable(const char *text, const char *part, int line)
{
    ifl_lab *lab;
    ifl_error error = {0};
    const ifl_status status = open_text(text, &lab, &error);
    if (status != IFL_BAD_INPUT || !strstr(error.text, part) || error.line != line || lab)
        fail_msg("status %d, line %d, '%s'", status, error.line, error.text);
}

static void mistakes_in_files(void **state)
{
    (void)state;
    assert_unreadable("title = t\n", "no 'shows = ' line", 0);
    assert_unreadable(HEAD, "no 'version = ' line", 0);
    assert_unreadable(HEAD "version = a\nversion = a\n", "already a version 'a'", 5);
    assert_unreadable(HEAD "version = a b\n", "one word", 4);
    assert_unreadable(HEAD "let. = 1\n", "no key 'let.'", 4);
    assert_unreadable(HEAD "title = u\n", "already in line 1", 4);
    assert_unreadable(HEAD "note =\n", "'note' has no value", 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions),
        cmocka_unit_test(mistakes_in_expressions),
        cmocka_unit_test(versions_go_first),
        cmocka_unit_test(figures),
        cmocka_unit_test(sweeps),
        cmocka_unit_test(a_peer_has_only_its_own_sweeps),
        cmocka_unit_test(mistakes_in_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
