/* SPDX-License-Identifier: Apache-2.0
 * Reports of profiles made by hand: figures, ranking, words, JSON, and writing that fails. Expected
 * figures are arithmetic on the profile, never our own output. */
#include "base/figure.h"
#include "base/file.h"
#include "profile/place.h"
#include "profile/profile.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- profiles made by hand ------------------------------------------------------------------- */

static ifl_profile *profile_new(uint32_t grid, uint32_t block)
{
    ifl_profile *p = ifl_profile_new();
    assert_non_null(p);
    p->kernel = "_Z4copyPfPKfi";
    p->signature = "copy(float*, float const*, int)";
    p->file = "copy.ptx";
    p->target = "sm_90";
    p->backend = "engine";
    memcpy(p->grid, (uint32_t[3]){grid, 1, 1}, sizeof p->grid);
    memcpy(p->block, (uint32_t[3]){block, 1, 1}, sizeof p->block);
    p->complete = true;
    p->blocks_done = grid;
    return p;
}

typedef struct line_spec {
    const char *file, *text, *op, *space, *kind;
    uint32_t line, bytes;
    uint64_t requests, moved, ideal; /* sectors, or wavefronts of shared memory */
    ifl_pattern pattern;
} line_spec;

static void count(ifl_profile *p, ifl_profile_line *line, const line_spec *spec, const char *what,
                  uint64_t value)
{
    char name[80];
    snprintf(name, sizeof name, "%s_%s_%s", spec->space, spec->kind, what);
    ifl_counter counter = ifl_counter_find(name);
    assert_true(counter < IFL_COUNTER_COUNT);
    ifl_counters_add(&line->counters, counter, value);
    ifl_counters_add(&p->counters, counter, value);
}

static ifl_traffic_kind traffic_named(const char *space, const char *kind)
{
    for (unsigned t = 0; t < IFL_TRAFFIC_COUNT; t++) {
        const ifl_traffic_info *info = ifl_traffic_info_get((ifl_traffic_kind)t);
        if (strcmp(ifl_space_text(info->space), space) == 0 &&
            strcmp(ifl_access_kind_text(info->kind), kind) == 0)
            return (ifl_traffic_kind)t;
    }
    return IFL_TRAFFIC_COUNT;
}

static void add_line(ifl_profile *p, const line_spec *spec)
{
    const ifl_traffic_kind traffic = traffic_named(spec->space, spec->kind);
    assert_true(traffic < IFL_TRAFFIC_COUNT);
    ifl_profile_line line = {.file = spec->file,
                             .line = spec->line,
                             .column = 5,
                             .text = spec->text,
                             .op = spec->op,
                             .space = ifl_traffic_info_get(traffic)->space,
                             .kind = ifl_traffic_info_get(traffic)->kind,
                             .inlined_from = "",
                             .ptx_line = 30,
                             .access_bytes = spec->bytes,
                             .pattern = spec->pattern};
    bool shared = strcmp(spec->space, "shared") == 0;
    count(p, &line, spec, "requests", spec->requests);
    count(p, &line, spec, shared ? "wavefronts" : "sectors", spec->moved);
    count(p, &line, spec, shared ? "wavefronts_ideal" : "sectors_ideal", spec->ideal);
    count(p, &line, spec, "useful_bytes", spec->requests * 32 * spec->bytes);
    if (!shared) {
        count(p, &line, spec, "lines", spec->moved / 4 + (spec->moved % 4 != 0));
        count(p, &line, spec, "lines_ideal", spec->ideal / 4 + (spec->ideal % 4 != 0));
    }
    assert_true(ifl_vec_push(&p->lines, line));
}

static const ifl_pattern coalesced = {.kind = IFL_PATTERN_COALESCED, .share = 1.0};

/* a copy of 1024 floats by 32 warps: 4 sectors a request, all needed */
static ifl_profile *clean_profile(void)
{
    ifl_profile *p = profile_new(4, 256);
    add_line(p, &(line_spec){"src/copy.cu", "    y[i] = x[i];", "ld.global.f32", "global", "load",
                             7, 4, 32, 128, 128, coalesced});
    add_line(p, &(line_spec){"src/copy.cu", "    y[i] = x[i];", "st.global.f32", "global", "store",
                             7, 4, 32, 128, 128, coalesced});
    return p;
}

/* The naive transpose of doubles: a store request touches 32 sectors where 8 would do. */
static ifl_profile *transpose_profile(void)
{
    ifl_profile *p = profile_new(4, 256);
    add_line(p, &(line_spec){"t.cu", "out[x * n + y] = in[y * n + x];", "ld.global.f64", "global",
                             "load", 14, 8, 1000, 8000, 8000, coalesced});
    add_line(p, &(line_spec){"t.cu",
                             "out[x * n + y] = in[y * n + x];",
                             "st.global.f64",
                             "global",
                             "store",
                             14,
                             8,
                             1000,
                             32000,
                             8000,
                             {.kind = IFL_PATTERN_STRIDED, .share = 1.0, .stride_words = 8192}});
    return p;
}

static ifl_outcome *outcome_of(const ifl_profile *p)
{
    ifl_outcome *outcome;
    assert_int_equal(ifl_outcome_new(p, &outcome, NULL), IFL_OK);
    return outcome;
}

static char *text_of(const ifl_profile *p, ifl_report_format format,
                     const ifl_report_options *options)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    ifl_error error = {0};
    const ifl_outcome *outcome = outcome_of(p);
    assert_int_equal(ifl_report_write(&outcome, 1, format, options, out, &error), IFL_OK);
    ifl_outcome_free((ifl_outcome *)outcome);
    fclose(out);
    return text;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in:\n%s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("\"%s\" in:\n%s", part, text);
}

/* ---- figures --------------------------------------------------------------------------------- */

static void test_figures(void **state)
{
    (void)state;
    assert_string_equal(ifl_figure_count(0).text, "0");
    assert_string_equal(ifl_figure_count(999).text, "999");
    assert_string_equal(ifl_figure_count(2097152).text, "2,097,152");
    assert_string_equal(ifl_figure_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
    assert_string_equal(ifl_figure_bytes(999).text, "999 B");
    assert_string_equal(ifl_figure_bytes(1000).text, "1.00 kB");
    assert_string_equal(ifl_figure_bytes(268435456).text, "268.4 MB");
    assert_string_equal(ifl_figure_bytes(999999).text, "1.00 MB");
    assert_string_equal(ifl_figure_bytes(1073741824).text, "1.07 GB");
    assert_string_equal(ifl_figure_bytes(UINT64_MAX).text, "18.4 EB");
    assert_string_equal(ifl_figure_ratio(8, 1).text, "8.00");
    assert_string_equal(ifl_figure_ratio(32000, 1000).text, "32.0");
    assert_string_equal(ifl_figure_ratio(178, 100).text, "1.78");
    assert_string_equal(ifl_figure_mean(19, 1).text, "19");
    assert_string_equal(ifl_figure_mean(1, 4).text, "0.25");
    assert_string_equal(ifl_figure_mean(1897, 100).text, "18.97");
    assert_string_equal(ifl_figure_mean(123456, 1).text, "123,456");
    assert_string_equal(ifl_figure_mean(1, 1000).text, "<0.01");
    assert_string_equal(ifl_figure_ratio(1, 0).text, "0.00");
}

static void test_reals_have_no_exponent(void **state)
{
    (void)state;
    assert_string_equal(ifl_figure_real(0).text, "0");
    assert_string_equal(ifl_figure_real(0.001).text, "<0.01");
    assert_string_equal(ifl_figure_real(3.8765).text, "3.88");
    assert_string_equal(ifl_figure_real(17).text, "17");
    assert_string_equal(ifl_figure_real(8192).text, "8,192");
}

/* As Nsight Compute prints durations: the unit follows the value. */
static void test_times_have_the_unit_that_fits(void **state)
{
    static const struct {
        double us;
        int digits;
        const char *text;
    } rows[] = {
        {0, 3, "0 ns"},         {1e-4, 3, "<1 ns"},     {0.008, 3, "8.00 ns"},
        {0.68, 3, "680 ns"},    {0.9994, 3, "999 ns"},  {0.9996, 3, "1.00 µs"},
        {5.898, 3, "5.90 µs"},  {9.996, 3, "10.0 µs"},  {911.5, 3, "912 µs"},
        {999.6, 3, "1.00 ms"},  {999.6, 4, "999.6 µs"}, {13734, 3, "13.7 ms"},
        {1709049, 3, "1.71 s"}, {12, 4, "12.00 µs"},    {2, 4, "2.000 µs"},
        {3.6e9, 3, "3,600 s"},  {-1, 3, "?"},           {1.0 / 0.0, 3, "?"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(ifl_figure_time(rows[i].us, rows[i].digits).text, rows[i].text);
    assert_string_equal(ifl_figure_time_range(249, 359, 299).text, "249–359 µs");
    assert_string_equal(ifl_figure_time_range(814, 1021, 912).text, "814–1,021 µs");
    assert_string_equal(ifl_figure_time_range(943, 1180, 1050).text, "0.94–1.18 ms");
}

static void test_times_are_words_where_they_are_few(void **state)
{
    (void)state;
    assert_string_equal(ifl_figure_times(0).text, "never");
    assert_string_equal(ifl_figure_times(1).text, "once");
    assert_string_equal(ifl_figure_times(0.984).text, "about once");
    assert_string_equal(ifl_figure_times(1.94).text, "1.94 times");
    assert_string_equal(ifl_figure_times(8192).text, "8,192 times");
}

static void test_a_small_share_is_not_nothing(void **state)
{
    (void)state;
    assert_string_equal(ifl_figure_share(0).text, "0 %");
    assert_string_equal(ifl_figure_share(0.0038).text, "<1 %");
    assert_string_equal(ifl_figure_share(0.25).text, "25 %");
}

static void test_percent_is_exact_only_when_it_is(void **state)
{
    (void)state;
    assert_string_equal(ifl_figure_percent(5, 5).text, "100 %");
    assert_string_equal(ifl_figure_percent(0, 5).text, "0 %");
    assert_string_equal(ifl_figure_percent(999999, 1000000).text, ">99.9 %");
    assert_string_equal(ifl_figure_percent(1, 1000000).text, "<0.1 %");
    assert_string_equal(ifl_figure_percent(1, 32).text, "3.1 %");
    assert_string_equal(ifl_figure_percent(1, 8).text, "12.5 %");
    assert_string_equal(ifl_figure_percent(999, 1001).text, "99.8 %");
    assert_string_equal(ifl_figure_percent(1, 4).text, "25 %");
    assert_string_equal(ifl_figure_percent(1, 0).text, "-");
}

static void test_sizes(void **state)
{
    (void)state;
    assert_string_equal(ifl_figure_size((uint32_t[]){131072, 1, 1}).text, "131,072");
    assert_string_equal(ifl_figure_size((uint32_t[]){32, 8, 1}).text, "32×8");
    assert_string_equal(ifl_figure_size((uint32_t[]){1, 1, 4}).text, "1×1×4");
}

/* RFC 3629: overlong forms, surrogates, values past U+10FFFF and cut sequences are not UTF-8. */
static void test_foreign_text(void **state)
{
    (void)state;
    ifl_arena arena = {0};
    assert_string_equal(ifl_clean_utf8(&arena, "a\xe9z"), "a\xef\xbf\xbdz");
    assert_string_equal(ifl_clean_utf8(&arena, "\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");
    assert_int_equal(ifl_utf8_length("\xed\xa0\x80"), 0);
    assert_int_equal(ifl_utf8_length("\xf4\x90\x80\x80"), 0);
    assert_int_equal(ifl_utf8_length("\xe2\x80"), 0);
    assert_int_equal(ifl_utf8_length("…"), 3);
    assert_string_equal(ifl_clean_line(&arena, "\t x\x1b[31m=\t1; \r"), "x [31m= 1;");
    assert_string_equal(ifl_clean_line(&arena, "\xc2\x9b"
                                               "31m"),
                        "31m");
    assert_int_equal(ifl_utf8_width("f32×4"), 5);
    assert_int_equal(ifl_utf8_cut("f32×4", 4), 5);
    ifl_arena_free(&arena);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void test_clean_kernel(void **state)
{
    (void)state;
    ifl_profile *p = clean_profile();
    char *text = text_of(p, IFL_REPORT_TEXT, NULL);
    assert_has(text, "copy(float*, float const*, int)\n");
    assert_has(text, "grid 4 · block 256 · no shared memory");
    assert_has(text, "32 warps, 1,024 threads");
    assert_has(text,
               "Global and local memory: 8.19 kB moved, all of it needed."); /* 2 · 128 · 32 B */
    assert_has(text, "Nothing: every request moves only what it asks for.");
    assert_has(text, "copy.cu:7  y[i] = x[i];");
    assert_has_not(text, "src/copy.cu");
    assert_has_not(text, "Shared memory");
    assert_has_not(text, "STOPPED");
    assert_has_not(text, "\033");
    free(text);
    ifl_profile_free(p);
}

static void test_strided_store(void **state)
{
    (void)state;
    ifl_profile *p = transpose_profile();
    char *text = text_of(p, IFL_REPORT_TEXT, NULL);
    /* (8000 + 32000) · 32 B moved; (32000 - 8000) · 32 B of them for nothing, 60 % of all and 75 %
     * of the stores */
    assert_has(text, "1.28 MB moved, of which 768.0 kB (60 %) is not needed.");
    assert_has(text, "1. t.cu:14, global store: 32.0 sectors per request where 8.00 would do\n");
    assert_has(text, "768.0 kB of the 1.02 MB moved is not needed (75 %).");
    assert_has(text, "8,192 words of 8");
    assert_has(text, "strided, 8,192 words\n");
    assert_has_not(text, "2. ");
    char *table = strstr(text, "by bytes moved without need");
    assert_non_null(table);
    assert_true(strstr(table, "st.global.f64") < strstr(table, "ld.global.f64"));
    free(text);
    ifl_profile_free(p);
}

static void test_bank_conflicts(void **state)
{
    (void)state;
    ifl_profile *p = clean_profile();
    p->shared_bytes = 8448;
    add_line(p, &(line_spec){"t.cu",
                             "tile[x][y]",
                             "ld.shared.f32",
                             "shared",
                             "load",
                             20,
                             4,
                             100,
                             1600,
                             100,
                             {.kind = IFL_PATTERN_STRIDED, .share = 0.8, .stride_words = -32}});
    char *text = text_of(p, IFL_REPORT_TEXT, NULL);
    assert_has(text, "8,448 bytes of shared memory");
    assert_has(
        text,
        "Shared memory: 1,500 of 1,600 wavefronts (93.8 %) are replays because of bank conflicts.");
    assert_has(text, "t.cu:20, shared load: 16.0 wavefronts per request where 1.00 would do\n");
    assert_has(text, "Bank conflicts: 15.0 replays per request, 1,500 in all.");
    assert_has(text, "strided, -32 words (80 %)");
    free(text);
    ifl_profile_free(p);
}

static void test_other_findings(void **state)
{
    (void)state;
    ifl_profile *p = profile_new(1, 32);
    add_line(p, &(line_spec){"a.cu",
                             "atomicAdd(&sum, 1);",
                             "red.global.add.u32",
                             "global",
                             "atomic",
                             3,
                             4,
                             10,
                             10,
                             10,
                             {.kind = IFL_PATTERN_BROADCAST, .share = 1.0}});
    ifl_counters_set(&p->lines.at[0].counters, IFL_COUNTER_global_atomic_serial, 320);
    ifl_counters_set(&p->counters, IFL_COUNTER_global_atomic_serial, 320);
    add_line(
        p, &(line_spec){"a.cu", "", "ld.local.f32", "local", "load", 4, 4, 10, 40, 40, coalesced});
    ifl_counters_set(&p->counters, IFL_COUNTER_ptx_instructions, 100);
    ifl_counters_set(&p->counters, IFL_COUNTER_thread_instructions, 1600);
    ifl_counters_set(&p->counters, IFL_COUNTER_branches, 20);
    ifl_counters_set(&p->counters, IFL_COUNTER_divergent_branches, 5);
    char *text = text_of(p, IFL_REPORT_TEXT, NULL);
    assert_has(text, "32.0 lanes of a request update the same word");
    assert_has(text, "local memory: 10 requests moved 1.28 kB\n");
    free(text);
    p->machine.known = true; /* and has no stack: the array became registers */
    p->machine.file = "a.cubin";
    text = text_of(p, IFL_REPORT_TEXT, NULL);
    assert_has_not(text, "local memory: 10 requests");
    p->machine.stack_bytes = 128;
    free(text);
    text = text_of(p, IFL_REPORT_TEXT, NULL);
    assert_has(text, "local memory: 10 requests");
    assert_has(text, "On average 16.0 of 32 lanes are active in an instruction. 5 of 20 branches "
                     "split a warp (25 %).");
    free(text);
    ifl_profile_free(p);
}

/* A stencil's neighbour reaches into a sector more; alone, the same access wants another
 * alignment. */
static void test_neighbours_cannot_be_aligned(void **state)
{
    (void)state;
    const ifl_pattern offset = {.kind = IFL_PATTERN_OFFSET, .share = 1.0};
    ifl_profile *p = profile_new(1, 32);
    add_line(p, &(line_spec){"s.cu", "y[i] = x[i] + x[i + 1];", "ld.global.f32", "global", "load",
                             9, 4, 10, 50, 40, offset});
    char *text = text_of(p, IFL_REPORT_TEXT, NULL);
    assert_has(text, "Usually helps: padding rows");
    free(text);
    add_line(p, &(line_spec){"s.cu", "y[i] = x[i] + x[i + 1];", "ld.global.f32", "global", "load",
                             9, 4, 10, 40, 40, coalesced});
    text = text_of(p, IFL_REPORT_TEXT, NULL);
    assert_has(text, "Usually helps: nothing, if the L1 has the sector");
    assert_has_not(text, "padding rows");
    free(text);
    ifl_profile_free(p);
}

/* A warp's first lane alone for a moment is no finding: 31.5 of 32 lanes work. */
static void test_busy_lanes_are_no_finding(void **state)
{
    (void)state;
    ifl_profile *p = clean_profile();
    ifl_counters_set(&p->counters, IFL_COUNTER_ptx_instructions, 100);
    ifl_counters_set(&p->counters, IFL_COUNTER_thread_instructions, 3150);
    ifl_counters_set(&p->counters, IFL_COUNTER_branches, 18);
    ifl_counters_set(&p->counters, IFL_COUNTER_divergent_branches, 3);
    char *text = text_of(p, IFL_REPORT_TEXT, NULL);
    assert_has_not(text, "idle lanes");
    free(text);
    ifl_profile_free(p);
}

static void test_alike_instructions_stand_as_one(void **state)
{
    (void)state;
    ifl_profile *p = profile_new(1, 32);
    for (int i = 0; i < 4; i++)
        add_line(p, &(line_spec){"u.cu", "s += x[i];", "ld.global.f32", "global", "load", 9, 4, 10,
                                 40, 40, coalesced});
    char *text = text_of(p, IFL_REPORT_TEXT, NULL);
    assert_has(text, "ld.global.f32 ×4        40 ");
    free(text);
    ifl_profile_free(p);
}

static void test_rank(void **state)
{
    (void)state;
    static const uint32_t wanted[] = {30, 10, 10, 20, 40};
    ifl_profile *p = profile_new(1, 32);
    uint64_t moved[][3] = {{10, 4, 14}, {20, 4, 9}, {10, 4, 6}, {30, 4, 40}, {40, 4, 4}};
    for (size_t i = 0; i < 5; i++)
        add_line(p, &(line_spec){"r.cu", "", i % 2 ? "ld.global.f32" : "ld.global.u32", "global",
                                 "load", (uint32_t)moved[i][0], 4, 1, moved[i][2], moved[i][1],
                                 coalesced});
    ifl_places places;
    ifl_error error;
    assert_int_equal(ifl_places_gather(p, false, &places, &error), IFL_OK);
    /* lines 10: (10 + 2) sectors too many, 20: 5, 30: 36, 40: none; rows 0 and 2 are alike and
     * stand as one */
    assert_int_equal(places.rows.count, 4);
    assert_int_equal(places.rows.at[0].line->line, wanted[0]);
    assert_int_equal(places.rows.at[1].line->line, wanted[1]);
    assert_int_equal(places.rows.at[1].excess, 12 * 32);
    assert_int_equal(places.rows.at[1].instructions, 2);
    assert_int_equal(places.rows.at[2].line->line, wanted[3]);
    assert_int_equal(places.rows.at[3].line->line, wanted[4]);
    ifl_places_free(&places);
    ifl_profile_free(p);
}

static void test_partial_run(void **state)
{
    (void)state;
    ifl_profile *p = clean_profile();
    p->complete = false;
    p->blocks_done = 1;
    p->grid[0] = 131072;
    assert_true(ifl_vec_push(&p->warnings, "read of memory that nothing wrote"));
    char *text = text_of(p, IFL_REPORT_TEXT, NULL);
    assert_has(text, "STOPPED EARLY after 1 of 131,072 blocks");
    assert_has(text, "Warnings\n  read of memory that nothing wrote\n");
    free(text);
    ifl_profile_free(p);
}

static void test_empty_profile(void **state)
{
    (void)state;
    ifl_profile *p = profile_new(1, 1);
    p->signature = p->file = p->target = NULL;
    char *text = text_of(p, IFL_REPORT_TEXT, NULL);
    assert_has(text, "No requests to global or local memory.");
    free(text);
    free(text_of(p, IFL_REPORT_JSON, NULL));
    ifl_profile_free(p);
}

static void test_width_and_color(void **state)
{
    (void)state;
    ifl_profile *p = transpose_profile();
    p->lines.at[0].text =
        "a very long source line indeed, a very long source line indeed, a very long source line "
        "indeed, a very long source line indeed";
    ifl_report_options options = {.width = 110, .max_lines = 1};
    char *text = text_of(p, IFL_REPORT_TEXT, &options);
    assert_has(text, "  and 1 more\n");
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (ifl_utf8_width(line) > 110)
            fail_msg("wider than 110: %s", line);
    free(text);
    options = (ifl_report_options){.color = true};
    text = text_of(p, IFL_REPORT_TEXT, &options);
    assert_has(text, "\033[31m25 %\033[0m");
    free(text);
    ifl_profile_free(p);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *launch_of(const ifl_profile *p, json_t **root)
{
    char *text = text_of(p, IFL_REPORT_JSON, NULL);
    json_error_t error;
    *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!*root)
        fail_msg("%s in:\n%s", error.text, text);
    free(text);
    assert_string_equal(json_string_value(json_object_get(*root, "schema")), "inflight/1");
    return json_array_get(json_object_get(*root, "launches"), 0);
}

static void test_json(void **state)
{
    (void)state;
    ifl_profile *p = transpose_profile();
    json_t *root, *launch = launch_of(p, &root);
    assert_string_equal(json_string_value(json_object_get(launch, "kernel")), "_Z4copyPfPKfi");
    assert_int_equal(json_array_size(json_object_get(launch, "grid")), 3);
    assert_true(json_is_true(json_object_get(launch, "complete")));
    json_t *counters = json_object_get(launch, "counters");
    assert_int_equal(json_integer_value(json_object_get(counters, "global_store_sectors")), 32000);
    assert_null(json_object_get(counters, "dram_read_bytes"));
    json_t *line = json_array_get(json_object_get(launch, "lines"), 1);
    assert_int_equal(json_integer_value(json_object_get(line, "line")), 14);
    assert_string_equal(json_string_value(json_object_get(line, "op")), "st.global.f64");
    json_t *pattern = json_object_get(line, "pattern");
    assert_string_equal(json_string_value(json_object_get(pattern, "kind")), "strided");
    assert_int_equal(json_integer_value(json_object_get(pattern, "stride_words")), 8192);
    assert_null(json_object_get(pattern, "region_bytes"));
    json_decref(root);
    ifl_profile_free(p);
}

static void test_json_of_odd_values(void **state)
{
    (void)state;
    ifl_profile *p = transpose_profile();
    p->lines.at[0].text = "caf\xe9 \"quoted\" \x01";
    p->lines.at[0].pattern.share = 0.0 / 0.0;
    ifl_counters_set(&p->counters, IFL_COUNTER_branches, UINT64_MAX);
    json_t *root, *launch = launch_of(p, &root);
    json_t *line = json_array_get(json_object_get(launch, "lines"), 0);
    assert_string_equal(json_string_value(json_object_get(line, "text")),
                        "caf\xef\xbf\xbd \"quoted\" \x01");
    assert_null(json_object_get(json_object_get(line, "pattern"), "share"));
    json_t *branches = json_object_get(json_object_get(launch, "counters"), "branches");
    assert_true(json_is_real(branches) && json_real_value(branches) > 1.8e19);
    json_decref(root);
    ifl_profile_free(p);
}

/* ---- HTML ------------------------------------------------------------------------------------ */

static void test_html_escapes_foreign_text(void **state)
{
    (void)state;
    ifl_profile *p = clean_profile();
    p->signature = "void k<int>(A&, \"B\")";
    char *text = text_of(p, IFL_REPORT_HTML, NULL);
    assert_has(text, "<h1>void k&lt;int&gt;(A&amp;, &quot;B&quot;)</h1>");
    assert_null(strstr(text, "k<int>"));
    assert_has(text, "share\" style=\"--share:100%\">100 %</td>");
    free(text);
    ifl_profile_free(p);
}

/* ---- writing that fails ---------------------------------------------------------------------- */

static void test_full_disk(void **state)
{
    (void)state;
    const ifl_profile *p = clean_profile();
    const ifl_outcome *outcome = outcome_of(p);
    ifl_error error = {0};
    for (ifl_report_format format = IFL_REPORT_TEXT; format <= IFL_REPORT_HTML; format++) {
        FILE *full = fopen("/dev/full", "w");
        assert_non_null(full);
        assert_int_equal(ifl_report_write(&outcome, 1, format, NULL, full, &error), IFL_NO_FILE);
        assert_has(error.text, "No space left on device");
        fclose(full);
        assert_int_equal(ifl_report_save(&outcome, 1, format, NULL, "/dev/full", &error),
                         IFL_NO_FILE);
        struct stat about;
        assert_true(stat("/dev/full", &about) == 0 && S_ISCHR(about.st_mode));
    }
    ifl_outcome_free((ifl_outcome *)outcome);
    ifl_profile_free((ifl_profile *)p);
}

static void test_save(void **state)
{
    (void)state;
    const ifl_profile *p = clean_profile();
    const ifl_outcome *outcome = outcome_of(p);
    ifl_error error = {0};
    char folder[] = "/tmp/inflight-report-XXXXXX", path[64], *text = NULL;
    size_t bytes = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/r.json", folder);
    assert_int_equal(ifl_report_save(&outcome, 1, IFL_REPORT_JSON, NULL, path, &error), IFL_OK);
    assert_int_equal(ifl_report_save(&outcome, 1, IFL_REPORT_TEXT, NULL, path, &error), IFL_OK);
    assert_int_equal(ifl_file_read(path, 1 << 20, &text, &bytes, &error), IFL_OK);
    assert_has(text, "What stands out in the requests");
    free(text);
    assert_int_equal(ifl_report_save(&outcome, 1, 7, NULL, path, &error), IFL_USAGE);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left in it */
    assert_int_equal(ifl_report_save(&outcome, 1, IFL_REPORT_JSON, NULL, path, &error),
                     IFL_NO_FILE);
    ifl_outcome_free((ifl_outcome *)outcome);
    ifl_profile_free((ifl_profile *)p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_reals_have_no_exponent),
        cmocka_unit_test(test_times_have_the_unit_that_fits),
        cmocka_unit_test(test_times_are_words_where_they_are_few),
        cmocka_unit_test(test_a_small_share_is_not_nothing),
        cmocka_unit_test(test_percent_is_exact_only_when_it_is),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_foreign_text),
        cmocka_unit_test(test_clean_kernel),
        cmocka_unit_test(test_strided_store),
        cmocka_unit_test(test_bank_conflicts),
        cmocka_unit_test(test_other_findings),
        cmocka_unit_test(test_neighbours_cannot_be_aligned),
        cmocka_unit_test(test_busy_lanes_are_no_finding),
        cmocka_unit_test(test_alike_instructions_stand_as_one),
        cmocka_unit_test(test_rank),
        cmocka_unit_test(test_partial_run),
        cmocka_unit_test(test_empty_profile),
        cmocka_unit_test(test_width_and_color),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_of_odd_values),
        cmocka_unit_test(test_html_escapes_foreign_text),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_save),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
