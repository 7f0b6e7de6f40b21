/* SPDX-License-Identifier: Apache-2.0
 * Repeats one whole session (read a launch, run it, report it, save it), and each time another
 * allocation fails. Each must end with IFL_NO_MEMORY and an error text, or with the same answer as
 * without failure; nothing may leak. Uses the public interface only.
 * usage: test_alloc EACH FILE.launch [gpu]
 *     EACH: of the allocations every EACHth; gpu: on a GPU too, that of tests/gpu/stub_cuda.c */
#include "failing.h"
#include "inflight.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of AddressSanitizer's runtime, where it is linked. */
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

static const char *const counter_names[] = {
    "ptx_instructions",
    "thread_instructions",
    "global_load_requests",
    "global_load_sectors",
    "global_store_sectors",
    "global_atomic_requests",
    "shared_load_wavefronts",
    "local_store_requests",
    "branches",
    "divergent_branches",
    "barriers",
};
enum {
    COUNTERS = sizeof counter_names / sizeof *counter_names,
    HASHED_BUFFERS = 3,
    RUNS_LIMIT = 20000
};

/* All of a session's result that can be compared. */
typedef struct answer {
    uint64_t counters[COUNTERS];
    uint64_t lines;
    uint64_t buffers[HASHED_BUFFERS];
    char printed[64];
} answer;

typedef struct session {
    const char *path;
    const char *saved; /* a file to write */
    bool with_gpu;
    FILE *sink;
    ifl_module *module, *gpu_module;
    ifl_launch *launch, *gpu_launch;
    ifl_gpu *gpu;
    ifl_profile *profile, *gpu_profile;
    ifl_error error;
    answer answer;
} session;

static void keep_printed(void *user, const char *text, size_t length)
{
    answer *to = user;
    size_t used = strlen(to->printed);
    if (length < sizeof to->printed - used)
        memcpy(to->printed + used, text, length);
}

static uint64_t hash_bytes(const unsigned char *data, size_t bytes)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ data[i]) * 1099511628211u;
    return hash;
}

static ifl_status collect(session *s)
{
    for (size_t i = 0; i < COUNTERS; i++)
        ifl_profile_counter(s->profile, counter_names[i], &s->answer.counters[i]);
    s->answer.lines = ifl_profile_line_count(s->profile);
    for (size_t i = 0; i < HASHED_BUFFERS; i++) {
        void *data;
        size_t bytes;
        if (ifl_launch_buffer(s->launch, i, &data, &bytes, NULL) != IFL_OK)
            break; /* the launch has no more */
        s->answer.buffers[i] = hash_bytes(data, bytes);
    }
    return IFL_OK;
}

static ifl_status run(session *s)
{
    ifl_run_options options = {.threads = 2, .print = keep_printed, .print_user = &s->answer};
    return ifl_launch_run(s->launch, &options, &s->profile, &s->error);
}

/* Timed, and compared with the engine's results. No L2 is flushed and nothing copied: a stub does
 * that with memory. */
static ifl_status run_on_gpu(session *s)
{
    const ifl_gpu_options options = {.time = true,
                                     .between = IFL_BETWEEN_WARM,
                                     .no_copy = true,
                                     .samples = 2,
                                     .threads = 2,
                                     .engine = s->profile};
    ifl_status status = ifl_launch_read(s->path, &s->gpu_module, &s->gpu_launch, &s->error);
    if (status == IFL_OK)
        status = ifl_gpu_open(0, &s->gpu, &s->error);
    if (status == IFL_OK)
        status = ifl_launch_run_on(s->gpu_launch, s->gpu, &options, &s->gpu_profile, &s->error);
    if (status == IFL_OK)
        status = ifl_launch_compare(s->gpu_launch, s->launch, s->gpu_profile, &s->error);
    return status;
}

static ifl_status write_all(session *s, const ifl_outcome *outcome)
{
    ifl_status status = ifl_report_write(&outcome, 1, IFL_REPORT_TEXT, NULL, s->sink, &s->error);
    if (status == IFL_OK)
        status = ifl_report_write(&outcome, 1, IFL_REPORT_JSON, NULL, s->sink, &s->error);
    if (status == IFL_OK)
        status = ifl_report_write((const ifl_outcome *[]){outcome, outcome}, 2, IFL_REPORT_HTML,
                                  NULL, s->sink, &s->error);
    if (status == IFL_OK)
        status = ifl_report_save(&outcome, 1, IFL_REPORT_JSON, NULL, s->saved, &s->error);
    return status;
}

static ifl_status report(session *s, const ifl_profile *profile)
{
    ifl_device *device = NULL;
    ifl_outcome *outcome = NULL;
    ifl_status status = ifl_device_open("h200", &device, &s->error);
    if (status == IFL_OK)
        status = ifl_outcome_new(profile, &outcome, &s->error);
    if (status == IFL_OK)
        status = ifl_outcome_add(outcome, device, &s->error);
    if (status == IFL_OK)
        status = write_all(s, outcome);
    ifl_outcome_free(outcome);
    ifl_device_close(device);
    return status;
}

static ifl_status go_through(session *s)
{
    ifl_status status = ifl_launch_read(s->path, &s->module, &s->launch, &s->error);
    if (status == IFL_OK)
        status = run(s);
    if (status == IFL_OK)
        status = collect(s);
    if (status == IFL_OK)
        status = report(s, s->profile);
    if (status == IFL_OK && s->with_gpu)
        status = run_on_gpu(s);
    if (status == IFL_OK && s->with_gpu)
        status = report(s, s->gpu_profile);
    if (status == IFL_OK)
        status = ifl_module_dump(s->module, "program", NULL, s->sink, &s->error);
    if (status == IFL_OK)
        status = ifl_launch_save(s->launch, 0, s->saved, &s->error);
    return status;
}

static void close_session(session *s)
{
    ifl_profile_free(s->profile);
    ifl_profile_free(s->gpu_profile);
    ifl_launch_free(s->launch);
    ifl_launch_free(s->gpu_launch);
    ifl_module_close(s->module);
    ifl_module_close(s->gpu_module);
    ifl_gpu_close(s->gpu);
    s->profile = s->gpu_profile = NULL;
    s->launch = s->gpu_launch = NULL;
    s->module = s->gpu_module = NULL;
    s->gpu = NULL;
}

static bool has_leaked(void)
{
    return __lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check();
}

/* What is wrong with a session's end, or NULL. */
static const char *judge(const session *s, ifl_status status, uint64_t failures,
                         const answer *expected)
{
    if (failing_mapped_bytes() != 0)
        return "memory stays mapped";
    if (has_leaked())
        return "memory leaks";
    if (status == IFL_OK)
        return memcmp(&s->answer, expected, sizeof *expected) == 0
                   ? NULL
                   : "another answer than without failure";
    if (failures == 0)
        return "fails though every allocation succeeded";
    if (status != IFL_NO_MEMORY)
        return "another status than IFL_NO_MEMORY";
    return s->error.text[0] ? NULL : "no error text";
}

/* One session in which allocation number `first` fails. False when it ends wrongly; *failures says
 * how many failed. */
static bool try_at(session *s, uint64_t first, failing_mode mode, const answer *expected,
                   uint64_t *failures)
{
    memset(&s->answer, 0, sizeof s->answer);
    memset(&s->error, 0, sizeof s->error);
    failing_start(first, mode);
    ifl_status status = go_through(s);
    close_session(s);
    *failures = failing_stop();
    const char *fault = judge(s, status, *failures, expected);
    if (fault)
        fprintf(stderr, "allocation %llu fails%s: %s (status: %s; error: %s)\n",
                (unsigned long long)first, mode == FAILING_FOREVER ? " and all after it" : "",
                fault, ifl_status_text(status), s->error.text);
    return !fault;
}

/* From allocation number `first` on every `each`th. */
static int try_all(session *s, failing_mode mode, uint64_t first, uint64_t each,
                   const answer *expected)
{
    int faults = 0;
    uint64_t failures = 1;
    for (; failures > 0 && faults < 10 && first < RUNS_LIMIT; first += each)
        faults += !try_at(s, first, mode, expected, &failures);
    printf("%llu places to fail, %d faults\n", (unsigned long long)(first - each), faults);
    /* fewer places would mean that nothing was wrapped */
    return faults + (first < 10 || first >= RUNS_LIMIT);
}

/* Twice without failure: the first also pays for what libraries keep for ever; both must agree. */
static bool find_answer(session *s, answer *expected)
{
    for (int round = 0; round < 2; round++) {
        memset(&s->answer, 0, sizeof s->answer);
        ifl_status status = go_through(s);
        close_session(s);
        if (status != IFL_OK) {
            fprintf(stderr, "%s: %s: %s\n", s->path, ifl_status_text(status), s->error.text);
            return false;
        }
        if (round == 0)
            *expected = s->answer;
    }
    return memcmp(&s->answer, expected, sizeof *expected) == 0;
}

int main(int argc, char **argv)
{
    char saved[] = "alloc_saved_XXXXXX"; /* in the build folder, where CTest runs this */
    int file = mkstemp(saved);
    session s = {.path = argc >= 3 ? argv[2] : "",
                 .saved = saved,
                 .with_gpu = argc == 4,
                 .sink = fopen("/dev/null", "w")};
    answer expected;
    int faults = 1;
    if (file < 0 || !s.sink)
        perror("test_alloc");
    else if (find_answer(&s, &expected)) {
        json_set_alloc_funcs(failing_malloc, free);
        const uint64_t each = strtoull(argv[1], NULL, 10);
        faults = try_all(&s, FAILING_ONCE, 1, each, &expected) +
                 try_all(&s, FAILING_FOREVER, 1 + each / 2, each, &expected);
    }
    if (s.sink)
        fclose(s.sink);
    if (file >= 0) {
        close(file);
        unlink(saved);
    }
    return faults ? EXIT_FAILURE : EXIT_SUCCESS;
}
