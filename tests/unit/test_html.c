/* SPDX-License-Identifier: Apache-2.0
 * The HTML report of profiles made by hand: the structure of its charts, values, escaping,
 * well-formed markup that refers to nothing outside. Expected figures are arithmetic on the
 * profile. */
#include "outcome/outcome.h"
#include "profile/profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char hostile[] = "k<int>(\"&amp;\" ]]></title></script><script>alert(1)</script>)";

/* ---- profiles made by hand ------------------------------------------------------------------- */

static void count(ifl_profile *p, ifl_profile_line *line, const char *name, uint64_t value)
{
    const ifl_counter counter = ifl_counter_find(name);
    assert_true(counter < IFL_COUNTER_COUNT);
    ifl_counters_add(&line->counters, counter, value);
    ifl_counters_add(&p->counters, counter, value);
}

/* 32 lanes of 4 bytes a request: 128 bytes asked for; `sectors` of 32 bytes moved. */
static void add_load(ifl_profile *p, uint32_t number, const char *text, uint64_t requests,
                     uint64_t sectors)
{
    ifl_profile_line line = {.file = "src/k.cu",
                             .line = number,
                             .column = 1,
                             .text = text,
                             .op = "ld.global.f32",
                             .space = IFL_SPACE_GLOBAL,
                             .kind = IFL_ACCESS_LOAD,
                             .inlined_from = "",
                             .access_bytes = 4,
                             .pattern = {.kind = IFL_PATTERN_COALESCED, .share = 1}};
    count(p, &line, "global_load_requests", requests);
    count(p, &line, "global_load_sectors", sectors);
    count(p, &line, "global_load_sectors_ideal", 4 * requests);
    count(p, &line, "global_load_lines", sectors);
    count(p, &line, "global_load_lines_ideal", requests);
    count(p, &line, "global_load_useful_bytes", 128 * requests);
    assert_true(ifl_vec_push(&p->lines, line));
}

static ifl_profile *profile_new(const char *signature)
{
    ifl_profile *p = ifl_profile_new();
    assert_non_null(p);
    p->kernel = "k";
    p->signature = signature;
    p->file = "k.ptx";
    p->target = "sm_90";
    p->backend = "engine";
    memcpy(p->grid, (uint32_t[3]){1024, 1, 1}, sizeof p->grid);
    memcpy(p->block, (uint32_t[3]){256, 1, 1}, sizeof p->block);
    p->complete = true;
    p->blocks_done = 1024;
    return p;
}

static ifl_outcome *outcome_of(const ifl_profile *p)
{
    ifl_outcome *outcome;
    ifl_error error;
    assert_int_equal(ifl_outcome_new(p, &outcome, &error), IFL_OK);
    return outcome;
}

/* A model as ifl_outcome_add would leave it: 10 µs, of which DRAM alone takes 8; 2 * 10^6 bytes
 * from DRAM. */
static void add_model(ifl_outcome *outcome, const ifl_device *device)
{
    ifl_outcome_gpu gpu = {.device = device, .has_model = true};
    const ifl_occupancy_request request = {.threads = 256, .registers = 40};
    assert_int_equal(ifl_occupancy_compute(device, &request, &gpu.model.occupancy, NULL), IFL_OK);
    gpu.model.registers = 40;
    gpu.model.term_us[IFL_TERM_DRAM] = 8;
    gpu.model.term_us[IFL_TERM_ISSUE] = 2;
    gpu.model.time_us = (ifl_estimate){.low = 9, .mid = 10, .high = 12};
    gpu.model.dram_bytes = 2e6;
    gpu.model.waits_per_warp = gpu.model.bytes_in_flight_per_sm = -1;
    assert_true(ifl_vec_push(&outcome->gpus, gpu));
}

static char *html_of(const ifl_outcome *const *outcomes, size_t count)
{
    char *text;
    size_t bytes;
    ifl_error error;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(ifl_report_write(outcomes, count, IFL_REPORT_HTML, NULL, out, &error), IFL_OK);
    fclose(out);
    return text;
}

/* ---- looking at markup ----------------------------------------------------------------------- */

static size_t times(const char *text, const char *what)
{
    size_t found = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        found++;
    return found;
}

static void assert_has(const char *text, const char *what)
{
    if (!strstr(text, what))
        fail_msg("'%s' is not in:\n%s", what, text);
}

/* The chart with that title, up to its end; to be freed. */
static char *chart_of(const char *text, const char *title)
{
    char head[200];
    snprintf(head, sizeof head, "<figcaption>%s</figcaption>", title);
    const char *start = strstr(text, head), *end = start ? strstr(start, "</figure>") : NULL;
    if (!end)
        fail_msg("no chart '%s'", title);
    char *chart = strndup(start, (size_t)(end - start));
    assert_non_null(chart);
    return chart;
}

/* Every element is closed, in order, and every attribute is quoted: elements outside of style,
 * script and comments. */
static void assert_well_formed(const char *text)
{
    char open[64][24];
    size_t depth = 0;
    for (const char *at = strchr(text, '<'); at; at = strchr(at, '<')) {
        if (at[1] == '!') {
            at++;
            continue;
        }
        const char *end = at;
        while (*end && *end != '>') {
            assert_true(end == at || *end != '<');
            end = *end == '"' ? strchr(end + 1, '"') + 1 : end + 1;
        }
        assert_int_equal(*end, '>');
        const size_t length = strcspn(at + 1, " />\n");
        if (at[1] == '/') {
            const size_t name = strcspn(at + 2, ">");
            assert_true(depth > 0);
            depth--;
            if (strlen(open[depth]) != name || memcmp(open[depth], at + 2, name) != 0)
                fail_msg("<%s> is closed by %.40s", open[depth], at);
        } else if (end[-1] != '/') {
            assert_true(depth < 64 && length < 24);
            snprintf(open[depth++], 24, "%.*s", (int)length, at + 1);
        }
        at = strncmp(at, "<script>", 8) == 0  ? strstr(at, "</script>")
             : strncmp(at, "<style>", 7) == 0 ? strstr(at, "</style>")
                                              : end;
    }
    assert_int_equal(depth, 0);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_lines_are_bars(void **state)
{
    (void)state;
    ifl_profile *p = profile_new("k(float*)");
    add_load(p, 3, "a = x[i];", 1000, 4000);       /* 128,000 bytes asked for and moved */
    add_load(p, 7, "b = y[32 * i];", 1000, 32000); /* 128,000 and 1,024,000 */
    add_load(p, 7, "b = y[32 * i];", 500, 2000);   /* the same line: 64,000 and 64,000 more */
    ifl_outcome *outcome = outcome_of(p);
    char *text = html_of((const ifl_outcome *[]){outcome}, 1);
    char *chart = chart_of(text, "Bytes asked for and moved, by source line");
    assert_int_equal(times(chart, "class=\"label\""), 2);
    assert_int_equal(times(chart, "data-value="), 4);
    assert_has(chart, "class=\"first\" data-value=\"128000\"");
    assert_has(chart, "class=\"second\" data-value=\"128000\"");
    assert_has(chart, "class=\"first\" data-value=\"192000\"");
    assert_has(chart, "class=\"second\" data-value=\"1088000\"");
    /* What moves most comes first, and fills the width that is there for bars: 480 less 84 for the
     * figure. */
    assert_true(strstr(chart, "k.cu:7") < strstr(chart, "k.cu:3"));
    assert_has(chart, "width=\"396.0\" height=\"11\" class=\"second\" data-value=\"1088000\"");
    assert_has(chart, "role=\"img\"");
    assert_has(chart, "aria-label=\"Bytes asked for and moved, by source line. Global and local "
                      "memory, 2 source lines");
    free(chart);
    free(text);
    ifl_outcome_free(outcome);
    ifl_profile_free(p);
}

static void test_more_lines_than_bars(void **state)
{
    (void)state;
    ifl_profile *p = profile_new("k(float*)");
    for (uint32_t i = 1; i <= 15; i++)
        add_load(p, i, "x", i, 4 * i);
    ifl_outcome *outcome = outcome_of(p);
    char *text = html_of((const ifl_outcome *[]){outcome}, 1);
    char *chart = chart_of(text, "Bytes asked for and moved, by source line");
    assert_int_equal(times(chart, "class=\"label\""), 12);
    assert_has(text, "<p class=\"dim\">and 3 more</p>");
    free(chart);
    free(text);
    ifl_outcome_free(outcome);
    ifl_profile_free(p);
}

static void test_unknown_figures_have_no_chart(void **state)
{
    (void)state;
    ifl_profile *p = profile_new("k()");
    ifl_outcome *outcome = outcome_of(p);
    ifl_device *h200;
    assert_int_equal(ifl_device_open("h200", &h200, NULL), IFL_OK);
    char *text = html_of((const ifl_outcome *[]){outcome}, 1);
    assert_int_equal(times(text, "<svg"), 0); /* neither accesses nor a GPU */
    free(text);
    add_model(outcome, h200);
    outcome->gpus.at[0].model.registers = 0;
    text = html_of((const ifl_outcome *[]){outcome}, 1);
    assert_null(strstr(text, "roofline")); /* machine instructions are not known */
    assert_null(strstr(text, "occupancy by registers"));
    assert_null(strstr(text, "occupancy by shared memory")); /* there is none */
    assert_int_equal(times(text, "<svg"), 2);                /* limiters, block size */
    free(text);
    ifl_outcome_free(outcome);
    ifl_device_close(h200);
    ifl_profile_free(p);
}

static void test_gpus(void **state)
{
    (void)state;
    ifl_profile *p = profile_new("k()");
    ifl_outcome *outcome = outcome_of(p);
    ifl_device *devices[2];
    assert_int_equal(ifl_device_open("h200", &devices[0], NULL), IFL_OK);
    assert_int_equal(ifl_device_open("b200", &devices[1], NULL), IFL_OK);
    add_model(outcome, devices[0]);
    add_model(outcome, devices[1]);
    ifl_counters_add(&p->counters, IFL_COUNTER_instructions, 100000);
    ifl_counters_add(&p->counters, IFL_COUNTER_flops_f32, 500000000);
    char *text = html_of((const ifl_outcome *[]){outcome}, 1);
    char *chart = chart_of(text, "Predicted time by GPU, with its range");
    assert_int_equal(times(chart, "data-value=\"10\""), 2);
    assert_int_equal(times(chart, "class=\"range\""), 2);
    free(chart);
    chart = chart_of(text, "b200: time of each limiter alone");
    assert_int_equal(times(chart, "data-value="), 2);
    assert_has(chart, "data-value=\"8\"");
    free(chart);
    /* 100,000 instructions, 2 * 10^6 bytes, 10 µs: 0.05 a byte, 10 * 10^9 a second. An H200's DRAM
     * moves 4.8 * 10^12 bytes a second: 0.05 * 4,800 * 10^9 instructions could be issued, of which
     * 10 are 4 %. */
    chart = chart_of(text, "h200: roofline of instructions");
    const char *x = strstr(chart, "data-x=\""), *y = strstr(chart, "data-y=\"");
    assert_non_null(x);
    assert_non_null(y);
    assert_float_equal(strtod(x + 8, NULL), 0.05, 1e-12);
    assert_float_equal(strtod(y + 8, NULL), 10, 1e-9);
    assert_has(chart, "4 % of the roof");
    free(chart);
    /* 5 * 10^8 operations: 250 a byte, 5 * 10^13 a second. Of single precision an H200 can do
     * 132 SMs * 128 lanes * 2 * 1.98 * 10^9 = 6.69 * 10^13 a second: 75 %. */
    chart = chart_of(text, "h200: roofline of floating-point operations");
    x = strstr(chart, "data-x=\""), y = strstr(chart, "data-y=\"");
    assert_non_null(x);
    assert_non_null(y);
    assert_float_equal(strtod(x + 8, NULL), 250, 1e-9);
    assert_float_equal(strtod(y + 8, NULL), 50000, 1e-6);
    assert_has(chart, "75 % of the roof");
    assert_has(chart, "the peak of single precision");
    free(chart);
    /* 40 registers a thread on an SM of 65,536: 6 blocks of 8 warps (256 registers are the unit of
     * a warp). */
    chart = chart_of(text, "h200: occupancy by registers");
    assert_has(chart, "data-x=\"40\" data-y=\"48\"");
    free(chart);
    assert_well_formed(text);
    free(text);
    ifl_outcome_free(outcome);
    ifl_device_close(devices[0]);
    ifl_device_close(devices[1]);
    ifl_profile_free(p);
}

/* Where both precisions are computed in, the slower pipe is the roof: 10^8 operations of double
 * precision and as many of single take an H200, which has half as many lanes for double, 10^8 / (132 *
 * 64 * 2 * 1.98 * 10^9) s = 2.99 us: 30 % of 10 us. */
static void test_mixed_operations(void **state)
{
    (void)state;
    ifl_profile *p = profile_new("k()");
    ifl_outcome *outcome = outcome_of(p);
    ifl_device *h200;
    assert_int_equal(ifl_device_open("h200", &h200, NULL), IFL_OK);
    add_model(outcome, h200);
    ifl_counters_add(&p->counters, IFL_COUNTER_flops_f32, 100000000);
    ifl_counters_add(&p->counters, IFL_COUNTER_flops_f64, 100000000);
    ifl_counters_add(&p->counters, IFL_COUNTER_flops_matrix, 4096);
    char *text = html_of((const ifl_outcome *[]){outcome}, 1);
    char *chart = chart_of(text, "h200: roofline of floating-point operations");
    assert_has(chart, "30 % of the roof");
    assert_has(chart, "the peaks of this mix of operations");
    free(chart);
    assert_well_formed(text);
    free(text);
    ifl_outcome_free(outcome);
    ifl_device_close(h200);
    ifl_profile_free(p);
}

/* Of a launch of 10 us that computes so much in one way. */
static void check_way(const char *gpu, ifl_counter counter, uint64_t done, const char *opcode,
                      ifl_matrix_work matrix, const char *expected)
{
    ifl_profile *p = profile_new("k()");
    ifl_outcome *outcome = outcome_of(p);
    ifl_device *device;
    char title[100];
    assert_int_equal(ifl_device_open(gpu, &device, NULL), IFL_OK);
    add_model(outcome, device);
    ifl_counters_add(&p->counters, IFL_COUNTER_flops_f32, 1000);
    ifl_counters_add(&p->counters, counter, done);
    assert_true(ifl_vec_push(&p->opcodes,
                             ((ifl_opcode_count){.name = opcode, .count = 1, .matrix = matrix})));
    char *text = html_of((const ifl_outcome *[]){outcome}, 1);
    snprintf(title, sizeof title, "%s: roofline of floating-point operations", gpu);
    char *chart = chart_of(text, title);
    assert_has(chart, expected);
    free(chart);
    free(text);
    ifl_outcome_free(outcome);
    ifl_device_close(device);
    ifl_profile_free(p);
}

/* An H200 does 132 SMs * 256 halves * 2 * 1.98 * 10^9 = 1.34 * 10^14 operations a second outside of
 * its tensor cores, and 132 * 4,096 * 1.98 * 10^9 = 1.07 * 10^15 on them (NVIDIA's tables say 1,000
 * and 120 * 10^12 at lower clocks), of tf32 half as many; what no peak is known of is named. */
static void test_halves_and_products(void **state)
{
    (void)state;
    const ifl_matrix_work none = {0},
                          halves = {.kind = IFL_MATRIX_KIND_HALVES,
                                    .unit = IFL_MATRIX_UNIT_GROUP,
                                    .products = 32768},
                          tf32 = {.kind = IFL_MATRIX_KIND_TF32,
                                  .unit = IFL_MATRIX_UNIT_GROUP,
                                  .products = 16384};
    check_way("h200", IFL_COUNTER_flops_f16, 500000000, "HFMA2", none, "37 % of the roof");
    check_way("h200", IFL_COUNTER_flops_matrix, UINT64_C(6000000000), "HGMMA.64x128x16.F32", halves,
              "56 % of the roof");
    check_way("h200", IFL_COUNTER_flops_matrix, UINT64_C(3000000000), "HGMMA.64x128x8.F32.TF32",
              tf32, "56 % of the roof");
    check_way("rtx-3090", IFL_COUNTER_flops_matrix, UINT64_C(6000000000), "HMMA.16816.F32", halves,
              "Without products of matrices, whose peak is not known");
}

static void test_kernels(void **state)
{
    (void)state;
    ifl_profile *p[3] = {profile_new("a()"), profile_new("b()"), profile_new("c()")};
    ifl_outcome *outcomes[3];
    ifl_device *h200;
    assert_int_equal(ifl_device_open("h200", &h200, NULL), IFL_OK);
    for (int i = 0; i < 3; i++)
        outcomes[i] = outcome_of(p[i]);
    outcomes[0]->program_us = 30; /* of a program's launches */
    add_model(outcomes[1], h200); /* 10 µs; the third has no time */
    char *text = html_of((const ifl_outcome *const *)outcomes, 3);
    char *chart = chart_of(text, "Predicted time by kernel");
    assert_int_equal(times(chart, "data-value="), 2);
    assert_true(strstr(chart, "data-value=\"30\"") < strstr(chart, "data-value=\"10\""));
    free(chart);
    for (int i = 1; i <= 3; i++) {
        char target[40], link[40];
        snprintf(target, sizeof target, "id=\"launch-%d\"", i);
        snprintf(link, sizeof link, "href=\"#launch-%d\"", i);
        assert_int_equal(times(text, target), 1);
        assert_int_equal(times(text, link), 1);
    }
    assert_well_formed(text);
    free(text);
    for (int i = 0; i < 3; i++) {
        ifl_outcome_free(outcomes[i]);
        ifl_profile_free(p[i]);
    }
    ifl_device_close(h200);
}

/* Names of 60 letters that differ at their ends: the bars' labels differ, and what says how many have
 * no bar belongs to the chart. */
static void test_many_kernels(void **state)
{
    enum { COUNT = 25, BARS = 20 };
    static char names[COUNT][100];
    ifl_profile *p[COUNT];
    ifl_outcome *outcomes[COUNT];
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i],
                 "a_kernel_with_a_name_that_is_longer_than_a_label_can_be<int, %d>(int*)", 100 + i);
        p[i] = profile_new(names[i]);
        outcomes[i] = outcome_of(p[i]);
        outcomes[i]->program_us = 1000 - i;
    }
    char *text = html_of((const ifl_outcome *const *)outcomes, COUNT);
    char *chart = chart_of(text, "Predicted time by kernel");
    assert_has(chart, "and 5 more");
    for (int i = 0; i < BARS; i++) {
        char end[40];
        snprintf(end, sizeof end, "&lt;int, %d&gt;</text>", 100 + i);
        assert_int_equal(times(chart, end), 1);
    }
    assert_has(chart, "a_kernel_with_a_name_that_…");
    assert_has(chart, ">1.00 ms<");
    assert_has(chart, ">999 µs<");
    free(chart);
    assert_has(text, "<title>25 launches - inflight</title>");
    assert_int_equal(times(text, "href=\"#launches\""), COUNT);
    assert_well_formed(text);
    free(text);
    for (int i = 0; i < COUNT; i++) {
        ifl_outcome_free(outcomes[i]);
        ifl_profile_free(p[i]);
    }
}

/* 10^-6 instructions a byte: powers of ten that are short on the axes. */
static void test_far_from_the_roof(void **state)
{
    (void)state;
    ifl_profile *p = profile_new("k()");
    ifl_outcome *outcome = outcome_of(p);
    ifl_device *h200;
    assert_int_equal(ifl_device_open("h200", &h200, NULL), IFL_OK);
    add_model(outcome, h200);
    ifl_counters_add(&p->counters, IFL_COUNTER_instructions, 2);
    char *text = html_of((const ifl_outcome *[]){outcome}, 1);
    char *chart = chart_of(text, "h200: roofline of instructions");
    assert_has(chart, "4 % of the roof"); /* 200 GB/s of 4,800 */
    assert_has(chart, ">10⁻⁶<");
    assert_has(chart, ">10⁴<");
    assert_null(strstr(chart, ">1e"));
    assert_has(chart, "issues &lt;0.01 warp instructions per byte");
    free(chart);
    assert_has(text, "limited by DRAM, which alone takes 8.00\u00a0µs");
    free(text);
    ifl_outcome_free(outcome);
    ifl_device_close(h200);
    ifl_profile_free(p);
}

/* A launch of which no block ended has counts, and no prediction. */
static void test_nothing_ran(void **state)
{
    (void)state;
    ifl_profile *p = profile_new("k()");
    ifl_outcome *outcome = outcome_of(p);
    ifl_device *h200;
    assert_int_equal(ifl_device_open("h200", &h200, NULL), IFL_OK);
    add_model(outcome, h200);
    p->complete = false;
    p->blocks_done = 0;
    p->fault = "k.cu:4: illegal address: a < b";
    char *text = html_of((const ifl_outcome *[]){outcome}, 1);
    assert_has(text, "STOPPED EARLY after 0 of 1,024 blocks");
    assert_has(text, ">k.cu:4: illegal address: a &lt; b</p>");
    assert_null(strstr(text, "limited by"));
    assert_null(strstr(text, "What would help"));
    assert_null(strstr(text, "class=\"good\""));
    free(text);
    ifl_outcome_free(outcome);
    ifl_device_close(h200);
    ifl_profile_free(p);
}

static void test_hostile_names(void **state)
{
    (void)state;
    ifl_profile *p[2] = {profile_new(hostile), profile_new(hostile)};
    ifl_outcome *outcomes[2];
    for (int i = 0; i < 2; i++) {
        p[i]->site = "<img src=x onerror=\"alert(2)\"> & \x01 \xff";
        p[i]->made = p[i]->launches = 1;
        add_load(p[i], 3, "x[\"<b>\"] & y; // --> </svg>", 10, 40);
        p[i]->lines.at[0].file = "a\"b<i>.cu";
        outcomes[i] = outcome_of(p[i]);
        outcomes[i]->program_us = 1;
    }
    char *text = html_of((const ifl_outcome *const *)outcomes, 2);
    assert_well_formed(text);
    assert_null(strstr(text, "<script>alert"));
    assert_null(strstr(text, "<img"));
    assert_null(strstr(text, "<b>\""));
    assert_null(strstr(text, "<i>.cu"));
    assert_null(strchr(text, 1));
    assert_null(strchr(text, '\xff'));
    assert_int_equal(times(text, "<script>"), 1);
    assert_has(text, "&lt;img src=x onerror=&quot;alert(2)&quot;&gt; &amp;");
    assert_has(text, "a&quot;b&lt;i&gt;.cu:3");
    free(text);
    for (int i = 0; i < 2; i++) {
        ifl_outcome_free(outcomes[i]);
        ifl_profile_free(p[i]);
    }
}

static void test_stands_alone(void **state)
{
    (void)state;
    static const char *const outside[] = {"http:", "https:", "//cdn",   "src=",  "@import",
                                          "url(",  "<link",  "<iframe", "fetch("};
    ifl_profile *p = profile_new("k(float*)");
    add_load(p, 3, "a = x[i];", 1000, 4000);
    ifl_outcome *outcome = outcome_of(p);
    char *text = html_of((const ifl_outcome *[]){outcome}, 1);
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        if (strstr(text, outside[i]))
            fail_msg("the page has '%s'", outside[i]);
    assert_has(text, "prefers-color-scheme: dark");
    free(text);
    ifl_outcome_free(outcome);
    ifl_profile_free(p);
}

/* ---- colours: WCAG 2.1, 1.4.3 (text) and 1.4.11 (graphics), with its definition of relative luminance -------------- */

static double channel(unsigned byte)
{
    const double c = byte / 255.0;
    return c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* Of the variable's value after `text`: "#1c1e21". */
static double luminance(const char *text, const char *variable)
{
    char key[20];
    unsigned rgb;
    snprintf(key, sizeof key, "--%s: #", variable);
    const char *at = strstr(text, key);
    assert_non_null(at);
    assert_int_equal(sscanf(at + strlen(key), "%6x", &rgb), 1);
    assert_int_equal(strspn(at + strlen(key), "0123456789abcdef"), 6);
    return 0.2126 * channel(rgb >> 16) + 0.7152 * channel(rgb >> 8 & 255) +
           0.0722 * channel(rgb & 255);
}

static void assert_contrast(const char *text, const char *ink, const char *paper, double least)
{
    const double a = luminance(text, ink), b = luminance(text, paper);
    const double contrast = (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
    if (contrast < least)
        fail_msg("%s on %s: %.2f, not %.1f", ink, paper, contrast, least);
}

static void test_contrast(void **state)
{
    (void)state;
    static const char *const inks[] = {"ink", "dim", "good", "warn", "bad"};
    ifl_profile *p = profile_new("k()");
    ifl_outcome *outcome = outcome_of(p);
    char *text = html_of((const ifl_outcome *[]){outcome}, 1);
    const char *const dark = strstr(text, "prefers-color-scheme: dark");
    assert_non_null(dark);
    for (int scheme = 0; scheme < 2; scheme++) {
        const char *from = scheme ? dark : text;
        for (size_t i = 0; i < sizeof inks / sizeof *inks; i++) {
            assert_contrast(from, inks[i], "paper", 4.5);
            assert_contrast(from, inks[i], "bar", 4.5);
        }
        assert_contrast(from, "first", "paper", 4.5); /* links too */
        assert_contrast(from, "second", "paper", 3);
    }
    free(text);
    ifl_outcome_free(outcome);
    ifl_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_are_bars),
        cmocka_unit_test(test_more_lines_than_bars),
        cmocka_unit_test(test_unknown_figures_have_no_chart),
        cmocka_unit_test(test_gpus),
        cmocka_unit_test(test_mixed_operations),
        cmocka_unit_test(test_halves_and_products),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_many_kernels),
        cmocka_unit_test(test_far_from_the_roof),
        cmocka_unit_test(test_nothing_ran),
        cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_stands_alone),
        cmocka_unit_test(test_contrast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
