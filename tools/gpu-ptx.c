/* SPDX-License-Identifier: Apache-2.0
 * Runs the launches of test files on a real GPU and prints every expectation about a buffer that
 * the hardware contradicts. Counters, errors and launches that must fail are left out: they are the
 * engine's. Knows the public header and tests/ptx/expect.h.
 *
 *     gpu-ptx FILE.ptx|FILE.launch ...   exit status 0: no contradiction, 1: some, 5: no GPU
 *     gpu-ptx --list FILE ...            what it would launch, in that order, one line each: the file, the launch's
 *                                        index in the file, the kernel; needs no GPU */
#include "expect.h"
#include "inflight.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_PER_FILE = 60, NO_GPU = 5 };

/* Shared with the children. */
typedef struct tally {
    int file, launches, elements, skipped, contradictions, failures;
    size_t next; /* launch of the file at hand */
} tally;

typedef struct session {
    ifl_gpu *gpu;
    ifl_module *module;
    const ifl_expect_file *file;
    tally *tally;
} session;

static void say(const session *s, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(const session *s, int line, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    printf("%s:%d: ", s->file->path, line);
    vprintf(format, list);
    printf("\n");
    va_end(list);
}

/* ---- a launch ---------------------------------------------------------------------------- */

static ifl_status set(ifl_launch *launch, ifl_status status, const char *key, const char *value,
                      ifl_error *error)
{
    return status == IFL_OK && value ? ifl_launch_set(launch, key, value, error) : status;
}

static ifl_status make(const session *s, const ifl_expect_launch *l, ifl_launch **launch,
                       ifl_error *error)
{
    ifl_status status = ifl_launch_new(s->module, l->kernel, launch, error);
    status = set(*launch, status, "grid", l->grid ? l->grid : "1", error);
    status = set(*launch, status, "block", l->block ? l->block : "32", error);
    status = set(*launch, status, "shared", l->shared, error);
    for (size_t i = 0; i < l->arg_count; i++)
        status = set(*launch, status, "arg", l->args[i], error);
    return status;
}

/* "f32x100=zero" -> the element's type. */
static const ifl_expect_element *element_of(const ifl_expect_launch *l, size_t argument)
{
    const char *word = argument < l->arg_count ? l->args[argument] : "";
    if (strncmp(word, "same:", 5) == 0)
        return element_of(l, strtoul(word + 5, NULL, 10));
    return ifl_expect_element_find(word);
}

static void compare(session *s, const ifl_expectation *e, const ifl_expect_element *element,
                    const char *data)
{
    for (size_t i = 0; i < e->value_count; i++) {
        char got[64];
        const char *at = data + (e->element + i) * element->bytes;
        s->tally->elements++;
        if (ifl_expect_element_matches(element, e->values[i], at))
            continue;
        ifl_expect_element_print(element, at, got, sizeof got);
        say(s, e->line, "arg%zu[%zu] expected %s hardware %s", e->argument, e->element + i,
            e->values[i], got);
        s->tally->contradictions++;
    }
}

static void compare_all(session *s, const ifl_expect_launch *l, ifl_launch *launch)
{
    for (size_t i = 0; i < l->expectation_count; i++) {
        const ifl_expectation *e = &l->expectations[i];
        const ifl_expect_element *element = element_of(l, e->argument);
        void *data = NULL;
        size_t bytes = 0;
        ifl_error error;
        if (e->kind != IFL_EXPECT_BUFFER)
            continue;
        if (element && ifl_launch_buffer(launch, e->argument, &data, &bytes, &error) == IFL_OK &&
            (e->element + e->value_count) * element->bytes <= bytes)
            compare(s, e, element, data);
        else
            say(s, e->line, "cannot be compared"), s->tally->failures++;
    }
}

/* False when the process's context may be lost. */
static bool run_launch(session *s, const ifl_expect_launch *l)
{
    ifl_launch *launch = NULL;
    ifl_profile *profile = NULL;
    ifl_error error = {0};
    ifl_status status = make(s, l, &launch, &error);
    if (status == IFL_OK)
        status = ifl_launch_run_on(launch, s->gpu, NULL, &profile, &error);
    if (status == IFL_OK) {
        s->tally->launches++;
        compare_all(s, l, launch);
    } else if (status == IFL_UNSUPPORTED) {
        say(s, l->line, "skipped: %s", error.text);
        s->tally->skipped++;
    } else {
        say(s, l->line, "%s", error.text);
        s->tally->failures++;
    }
    ifl_profile_free(profile);
    ifl_launch_free(launch);
    return status == IFL_OK || status == IFL_UNSUPPORTED;
}

/* ---- a file ------------------------------------------------------------------------------ */

/* What a kernel prints goes past this program; tests/ptx/runtime.ptx prints terabytes. Members of
 * structures have numbers that the words of a launch do not. */
static bool is_compared(const ifl_expect_launch *l)
{
    bool has_buffer = false;
    for (size_t i = 0; i < l->arg_count; i++)
        if (strncmp(l->args[i], "struct:", 7) == 0)
            return false;
    for (size_t i = 0; i < l->expectation_count; i++)
        has_buffer |= l->expectations[i].kind == IFL_EXPECT_BUFFER;
    return has_buffer && strcmp(ifl_expect_status(l), "ok") == 0;
}

/* As below: false when the process's context may be lost. */
static bool run_launches(session *s)
{
    while (s->tally->next < s->file->launch_count) {
        const ifl_expect_launch *l = &s->file->launches[s->tally->next++];
        if (!is_compared(l))
            s->tally->skipped++;
        else if (!run_launch(s, l))
            return false;
    }
    return true;
}

static bool run_ptx(session *s, const char *path)
{
    ifl_expect_file file;
    ifl_error error = {0};
    bool is_well = true;
    s->file = &file;
    if (!ifl_expect_read(path, &file)) {
        printf("%s\n", file.message);
        s->tally->failures++;
    } else if (ifl_module_open(path, NULL, &s->module, &error) != IFL_OK) {
        say(s, error.line, "%s", error.text);
        s->tally->skipped++;
    } else {
        is_well = run_launches(s);
        ifl_module_close(s->module);
    }
    ifl_expect_free(&file);
    return is_well;
}

static bool run_launch_file(session *s, const char *path)
{
    ifl_module *module = NULL;
    ifl_launch *launch = NULL;
    ifl_profile *profile = NULL;
    ifl_error error = {0};
    ifl_status status = IFL_OK;
    if (s->tally->next++) /* its one launch ended the process before */
        return true;
    status = ifl_launch_read(path, &module, &launch, &error);
    if (status == IFL_OK)
        status = ifl_launch_run_on(launch, s->gpu, NULL, &profile, &error);
    s->tally->launches += status == IFL_OK;
    s->tally->failures += status != IFL_OK;
    if (status != IFL_OK)
        printf("%s: %s\n", path, error.text);
    ifl_profile_free(profile);
    ifl_launch_free(launch);
    ifl_module_close(module);
    return status == IFL_OK;
}

static bool is_launch_file(const char *path)
{
    const char *end = strrchr(path, '.');
    return end && strcmp(end, ".launch") == 0;
}

/* Files from the tally's on, until a kernel faults; true when all are done. */
static bool run_files(session *s, char *const *paths, int count)
{
    while (s->tally->file < count) {
        const char *path = paths[s->tally->file];
        alarm(SECONDS_PER_FILE);
        if (!(is_launch_file(path) ? run_launch_file(s, path) : run_ptx(s, path)))
            return false;
        s->tally->file++;
        s->tally->next = 0;
    }
    return true;
}

static bool run_child(char *const *paths, int count, tally *t)
{
    session s = {.tally = t};
    ifl_error error = {0};
    const bool is_open = ifl_gpu_open(0, &s.gpu, &error) == IFL_OK;
    if (!is_open) {
        printf("%s\n", error.text);
        t->failures++;
    }
    const bool is_done = !is_open || run_files(&s, paths, count);
    if (is_done)
        ifl_gpu_close(s.gpu);
    fflush(stdout);
    return is_done;
}

/* A kernel that faults takes its process's context with it: what is left goes on in another
 * process. */
static void run_all(char *const *paths, int count, tally *t)
{
    int status = 0;
    do {
        const int file = t->file;
        const size_t next = t->next;
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0)
            _exit(run_child(paths, count, t) ? 0 : 1);
        if (child < 0 || waitpid(child, &status, 0) != child)
            break;
        if (WIFSIGNALED(status)) {
            printf("%s: launch %zu ended by signal %d\n", paths[t->file], t->next,
                   WTERMSIG(status));
            t->failures++;
        }
        if (status != 0 && t->file == file && t->next == next) /* not even its first launch */
            t->file++, t->next = 0;
    } while (status != 0);
}

/* In a child too: a process that has used the driver must not fork. */
static bool find_gpu(void)
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        ifl_gpu *gpu;
        ifl_error error = {0};
        const bool found = ifl_gpu_open(0, &gpu, &error) == IFL_OK;
        if (found)
            printf("%s, sm_%d\n", ifl_gpu_name(gpu), ifl_gpu_sm(gpu));
        else
            printf("%s\n", error.text);
        fflush(stdout);
        _exit(found ? 0 : NO_GPU);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

/* The kernel that a launch file names. */
static void kernel_of(const char *path, char name[128])
{
    char line[512];
    FILE *file = fopen(path, "r");
    strcpy(name, "?");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "kernel = %127s", name) == 1)
            break;
    if (file)
        fclose(file);
}

static int list(int count, char **paths)
{
    int bad = 0;
    for (int i = 0; i < count; i++) {
        ifl_expect_file file;
        char kernel[128];
        if (is_launch_file(paths[i])) {
            kernel_of(paths[i], kernel);
            printf("%s 0 %s\n", paths[i], kernel);
            continue;
        }
        if (!ifl_expect_read(paths[i], &file))
            fprintf(stderr, "%s\n", file.message), bad++;
        for (size_t l = 0; l < file.launch_count; l++)
            if (strcmp(ifl_expect_status(&file.launches[l]), "ok") == 0)
                printf("%s %zu %s\n", paths[i], l, file.launches[l].kernel);
        ifl_expect_free(&file);
    }
    return bad != 0;
}

int main(int count, char **paths)
{
    if (count > 2 && strcmp(paths[1], "--list") == 0)
        return list(count - 2, paths + 2);
    tally *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (count < 2 || t == MAP_FAILED) {
        fprintf(stderr, "usage: gpu-ptx [--list] FILE ...\n");
        return 2;
    }
    if (!find_gpu())
        return NO_GPU;
    run_all(paths + 1, count - 1, t);
    printf(
        "%d files, %d launches, %d elements compared: %d contradictions, %d failures, %d skipped\n",
        t->file, t->launches, t->elements, t->contradictions, t->failures, t->skipped);
    return t->contradictions || t->failures;
}
