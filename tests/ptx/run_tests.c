/* SPDX-License-Identifier: Apache-2.0
 * Runs .ptx files and checks the expectations written in them, under every vector width that this
 * CPU has and under one, two and five threads. Knows the public header only.
 *
 *     run_tests FILE.ptx ...        exit status 0: all as expected, 1: not
 *     run_tests --machine FILE.cubin FILE.ptx      the same launches of the machine code; what is
 *                                   expected of lines is not asked, nor of kernels that it lacks
 *     run_tests --once FILE.cubin FILE.ptx         the same with one width and two threads only */
#include "expect.h"
#include "inflight.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct printed {
    char *text; /* NUL-terminated, NULL: nothing yet */
    size_t length, room;
} printed;

/* One launch under one configuration. */
typedef struct trial {
    const ifl_expect_file *file;
    const char *code; /* the file that is run */
    const ifl_expect_launch *launch;
    const char *width;
    int threads;
    ifl_status status;
    ifl_error error;
    ifl_launch *handle;   /* NULL when it came to nothing */
    ifl_profile *profile; /* NULL when it came to nothing */
    printed printed;
    int failures;
} trial;

static const int thread_counts[] = {1, 2, 5};

static void fail(trial *t, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void fail(trial *t, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s:%d: ", t->file->path, line);
    vprintf(format, arguments);
    printf(" [%s, %d threads]\n", t->width, t->threads);
    va_end(arguments);
    t->failures++;
}

/* ---- the expectations -------------------------------------------------------------------- */

static const struct {
    const char *word;
    ifl_status status;
} status_words[] = {
    {"ok", IFL_OK},
    {"finding", IFL_FINDING},
    {"usage", IFL_USAGE},
    {"bad input", IFL_BAD_INPUT},
    {"unsupported", IFL_UNSUPPORTED},
    {"no memory", IFL_NO_MEMORY},
};

static const char *word_of_status(ifl_status status)
{
    for (size_t i = 0; i < sizeof status_words / sizeof *status_words; i++)
        if (status_words[i].status == status)
            return status_words[i].word;
    return ifl_status_text(status);
}

static void check_count(trial *t, const ifl_expectation *e, const uint64_t *known)
{
    if (!known)
        fail(t, e->line, "%s is not known, wanted %" PRIu64, e->name, e->count);
    else if (*known != e->count)
        fail(t, e->line, "%s is %" PRIu64 ", wanted %" PRIu64, e->name, *known, e->count);
}

static void check_counter(trial *t, const ifl_expectation *e)
{
    uint64_t got = 0;
    if (!t->profile)
        fail(t, e->line, "there is no profile");
    else
        check_count(t, e, ifl_profile_counter(t->profile, e->name, &got) ? &got : NULL);
}

/* The index of the profile's line for a line of the PTX text; the count of lines when there is
 * none. */
static size_t find_line(const ifl_profile *profile, uint32_t ptx_line)
{
    size_t count = profile ? ifl_profile_line_count(profile) : 0;
    for (size_t i = 0; i < count; i++)
        if (ifl_profile_line_ptx_line(profile, i) == ptx_line)
            return i;
    return SIZE_MAX;
}

static void check_line_counter(trial *t, const ifl_expectation *e)
{
    uint64_t got = 0;
    size_t index = find_line(t->profile, e->ptx_line);
    if (index == SIZE_MAX)
        fail(t, e->line, "the profile has no memory instruction on line %" PRIu32, e->ptx_line);
    else
        check_count(t, e, ifl_profile_line_counter(t->profile, index, e->name, &got) ? &got : NULL);
}

static void check_line_pattern(trial *t, const ifl_expectation *e)
{
    size_t index = find_line(t->profile, e->ptx_line);
    const char *got = index == SIZE_MAX ? NULL : ifl_profile_line_pattern(t->profile, index);
    if (strcmp(got ? got : "none", e->name) != 0)
        fail(t, e->line, "the pattern of line %" PRIu32 " is %s, wanted %s", e->ptx_line,
             got ? got : "none", e->name);
}

static void check_element(trial *t, const ifl_expectation *e, const ifl_expect_element *element,
                          size_t i, const unsigned char *data)
{
    char got[64];
    const unsigned char *at = data + (e->element + i) * element->bytes;
    if (ifl_expect_element_matches(element, e->values[i], at))
        return;
    ifl_expect_element_print(element, at, got, sizeof got);
    fail(t, e->line, "arg%zu[%zu] is %s, wanted %s", e->argument, e->element + i, got,
         e->values[i]);
}

static void check_buffer(trial *t, const ifl_expectation *e)
{
    void *data = NULL;
    size_t bytes = 0;
    ifl_error error = {0};
    const ifl_expect_element *element =
        ifl_expect_element_find(ifl_expect_argument(t->launch, e->argument));
    if (!t->handle || ifl_launch_buffer(t->handle, e->argument, &data, &bytes, &error) != IFL_OK)
        fail(t, e->line, "there is no buffer %zu: %s", e->argument, error.text);
    else if ((e->element + e->value_count) * element->bytes > bytes)
        fail(t, e->line, "buffer %zu has %zu bytes only", e->argument, bytes);
    else
        for (size_t i = 0; i < e->value_count; i++)
            check_element(t, e, element, i, data);
}

/* check_status has said what there is to say about the status itself. */
static void check_error(trial *t, const ifl_expectation *e)
{
    if (!strstr(t->error.text, e->name))
        fail(t, e->line, "the error is \"%s\", wanted \"%s\" in it", t->error.text, e->name);
}

static void check_print(trial *t, const ifl_expectation *e)
{
    const char *got = t->printed.text ? t->printed.text : "";
    if (!strstr(got, e->name))
        fail(t, e->line, "printed \"%s\", wanted \"%s\" in it", got, e->name);
}

static void check_nothing(trial *t, const ifl_expectation *e)
{
    (void)t;
    (void)e;
}

static void (*const checks[])(trial *, const ifl_expectation *) = {
    [IFL_EXPECT_COUNTER] = check_counter,
    [IFL_EXPECT_LINE_COUNTER] = check_line_counter,
    [IFL_EXPECT_LINE_PATTERN] = check_line_pattern,
    [IFL_EXPECT_BUFFER] = check_buffer,
    [IFL_EXPECT_STATUS] = check_nothing, /* check_all does it, first */
    [IFL_EXPECT_ERROR] = check_error,
    [IFL_EXPECT_PRINT] = check_print,
};

static bool is_of_line(ifl_expect_kind kind)
{
    return kind == IFL_EXPECT_LINE_COUNTER || kind == IFL_EXPECT_LINE_PATTERN;
}

static void check_all(trial *t)
{
    const char *wanted = ifl_expect_status(t->launch);
    if (strcmp(word_of_status(t->status), wanted) != 0) {
        fail(t, t->launch->line, "status %s, wanted %s: %s:%d:%d: %s", word_of_status(t->status),
             wanted, t->error.file, t->error.line, t->error.column, t->error.text);
        return;
    }
    for (size_t i = 0; i < t->launch->expectation_count; i++)
        if (t->code == t->file->path || !is_of_line(t->launch->expectations[i].kind))
            checks[t->launch->expectations[i].kind](t, &t->launch->expectations[i]);
}

/* ---- the runs ---------------------------------------------------------------------------- */

static void keep_text(void *user, const char *text, size_t length)
{
    printed *p = user;
    const size_t wanted = p->length + length + 1;
    if (wanted > p->room) {
        char *more = realloc(p->text, 2 * wanted);
        if (!more)
            return;
        p->text = more;
        p->room = 2 * wanted;
    }
    memcpy(p->text + p->length, text, length);
    p->length += length;
    p->text[p->length] = 0;
}

static bool set(trial *t, const char *key, const char *value)
{
    if (value && t->status == IFL_OK)
        t->status = ifl_launch_set(t->handle, key, value, &t->error);
    return t->status == IFL_OK;
}

/* A GPU that runs FILE.sm_NN.cubin; NULL: the usual one does. */
static const char *gpu_of(const char *code)
{
    static const struct {
        const char *part, *gpu;
    } table[] = {{".sm_75.", "t4"},       {".sm_80.", "a100-80"}, {".sm_86.", "rtx-3090"},
                 {".sm_89.", "rtx-4090"}, {".sm_100.", "b200"},   {".sm_103.", "b300"},
                 {".sm_120.", "rtx-5090"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strstr(code, table[i].part))
            return table[i].gpu;
    return NULL;
}

static void run_launch(trial *t, const ifl_module *module)
{
    ifl_run_options options = {.threads = t->threads,
                               .vector_width = t->width,
                               .print = keep_text,
                               .print_user = &t->printed};
    t->status = ifl_launch_new(module, t->launch->kernel, &t->handle, &t->error);
    set(t, "grid", t->launch->grid ? t->launch->grid : "1");
    set(t, "block", t->launch->block ? t->launch->block : "32");
    set(t, "shared", t->launch->shared);
    set(t, "gpu", gpu_of(t->code));
    for (size_t i = 0; i < t->launch->arg_count; i++)
        set(t, "arg", t->launch->args[i]);
    if (t->status == IFL_OK)
        t->status = ifl_launch_run(t->handle, &options, &t->profile, &t->error);
}

static bool has_kernel(const ifl_module *module, const char *name)
{
    for (size_t i = 0; i < ifl_module_kernel_count(module); i++)
        if (strcmp(ifl_module_kernel_name(module, i), name) == 0)
            return true;
    return false;
}

static int try_launch(trial t, const ifl_module *module)
{
    if (module && t.code != t.file->path && !has_kernel(module, t.launch->kernel))
        return 0;
    if (module)
        run_launch(&t, module);
    check_all(&t);
    if (t.profile)
        ifl_profile_free(t.profile);
    if (t.handle)
        ifl_launch_free(t.handle);
    free(t.printed.text);
    return t.failures;
}

/* Every launch of a file under one configuration; a file that does not open fails each of them in
 * the same way. */
static int try_file(const ifl_expect_file *file, const char *code, const char *width, int threads)
{
    ifl_module *module = NULL;
    int failures = 0;
    trial t = {.file = file, .code = code, .width = width, .threads = threads};
    t.status = ifl_module_open(code, NULL, &module, &t.error);
    for (size_t i = 0; i < file->launch_count; i++) {
        t.launch = &file->launches[i];
        failures += try_launch(t, t.status == IFL_OK ? module : NULL);
    }
    if (module)
        ifl_module_close(module);
    return failures;
}

static bool have_base(void)
{
    return true;
}

#if defined IFL_HAVE_WIDTH_V3 || defined IFL_HAVE_WIDTH_V4
static bool have_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
}
#endif

#ifdef IFL_HAVE_WIDTH_V4
static bool have_v4(void)
{
    return have_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

static const struct {
    const char *name;
    bool (*here)(void);
} widths[] = {
    {"base", have_base},
#ifdef IFL_HAVE_WIDTH_V3
    {"v3", have_v3},
#endif
#ifdef IFL_HAVE_WIDTH_V4
    {"v4", have_v4},
#endif
};

static bool is_tried(size_t width, int threads, bool once)
{
    return widths[width].here() && (!once || (width == 0 && threads == 2));
}

/* `code` NULL: the file itself is run. */
static int test_file(const char *path, const char *code, bool once)
{
    ifl_expect_file file;
    int failures = 0;
    if (!ifl_expect_read(path, &file)) {
        printf("%s\n", file.message);
        ifl_expect_free(&file);
        return 1;
    }
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (size_t i = 0; i < sizeof thread_counts / sizeof *thread_counts; i++)
            if (is_tried(w, thread_counts[i], once))
                failures +=
                    try_file(&file, code ? code : file.path, widths[w].name, thread_counts[i]);
    printf("%s: %zu launches, %d failures\n", code ? code : path, file.launch_count, failures);
    ifl_expect_free(&file);
    return failures;
}

int main(int count, char **paths)
{
    int failures = 0;
    const bool once = count == 4 && strcmp(paths[1], "--once") == 0;
    const bool is_machine = once || (count == 4 && strcmp(paths[1], "--machine") == 0);
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        if (!widths[w].here())
            printf("skipped: vector width %s, which this CPU does not have\n", widths[w].name);
    if (is_machine)
        failures = test_file(paths[3], paths[2], once);
    for (int i = 1; i < count && !is_machine; i++)
        failures += test_file(paths[i], NULL, false);
    if (count < 2)
        fprintf(stderr, "usage: run_tests [--machine|--once FILE.cubin] FILE.ptx ...\n");
    return count < 2 ? 2 : failures != 0;
}
