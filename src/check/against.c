/* SPDX-License-Identifier: Apache-2.0
 * A candidate kernel against a reference: it runs in a process of its own that sees neither the
 * reference nor other trials, on inputs that nobody knows before; what it leaves is compared
 * here. */
#include "check/against_compare.h"

#include "base/figure.h"
#include "base/file.h"
#include "base/process.h"

#include <jansson.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DEFAULT_TRIALS = 3,
    DEFAULT_SECONDS = 300,
    MAX_FILE_BYTES = 1 << 30,
    MAX_TEXT_BYTES = 1024 /* of a reason: a compiler's first errors */
};

#define REPORT "report.json"
#define LOG "log"

/* What the candidate's process sees of ours: where programs are, how they speak, what they are told
 * of CUDA. Nothing else of the environment, which may hold secrets, is the candidate's business. */
static const char *const variables[] = {"PATH",      "HOME",      "LANG",       "LC_*",
                                        "CUDA_HOME", "CUDA_PATH", "INFLIGHT_*", "LD_LIBRARY_PATH",
                                        "ASAN_*",    "UBSAN_*",   "LSAN_*",     NULL};

typedef struct against {
    const ifl_against_options *options;
    ifl_arena arena;
    ifl_task task;
    ifl_launch_words candidate;
    const char *gpu;
    /* A folder of ours, where the candidate's process reads one and writes into the other. The
     * latter is made anew for each run: what an earlier one left in it is not followed. */
    ifl_scratch scratch;
    const char *inputs, *folder;
    json_t *reasons; /* why it is refused */
    json_t *report;  /* the candidate's launch of the last trial */
    int trials;      /* that were made */
} against;

/* Lines stay lines, without blanks at the end; nothing else controls a terminal. */
static void clean_lines(char *text)
{
    for (char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        const bool goes_on = *end;
        *end = '\0';
        ifl_text_clean(line);
        if (goes_on)
            *end++ = '\n';
    }
    for (size_t length = strlen(text); length && strchr(" \n", text[length - 1]); length--)
        text[length - 1] = '\0';
}

/* A reason, once a rule. */
static ifl_status refuse(against *a, const char *rule, ifl_error *error, const char *format, ...)
    IFL_PRINTF(4, 5);

static ifl_status refuse(against *a, const char *rule, ifl_error *error, const char *format, ...)
{
    size_t i;
    json_t *before;
    char text[MAX_TEXT_BYTES];
    va_list list;
    json_array_foreach(a->reasons, i,
                       before) if (strcmp(json_string_value(json_object_get(before, "rule")),
                                          rule) == 0) return IFL_OK;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    clean_lines(text);
    const int failed =
        json_array_append_new(a->reasons, json_pack("{s:s, s:s}", "rule", rule, "text", text));
    return failed ? ifl_fail_memory(error, sizeof text) : IFL_OK;
}

/* ---- the candidate's process ----------------------------------------------------------------- */

typedef IFL_VEC(const char *) word_list;

static bool add(word_list *words, const char *word)
{
    return word && ifl_vec_push(words, word);
}

static bool add_option(word_list *words, const char *option, const char *value)
{
    return !value || (add(words, option) && add(words, value));
}

/* "f32x1024=@FOLDER/in2.npy" in the place of a buffer's fill. */
static const char *argument_words(against *a, size_t i)
{
    const ifl_task_argument *argument = &a->task.arguments.at[i];
    const char *fill = strchr(argument->text, '=');
    if (!argument->is_buffer || !fill)
        return argument->text;
    return ifl_arena_printf(&a->arena, "%.*s=@%s/in%zu.npy", (int)(fill - argument->text),
                            argument->text, a->inputs, i);
}

static bool add_arguments(against *a, word_list *words)
{
    bool is_added = true;
    for (size_t i = 0; i < a->task.arguments.count && is_added; i++)
        if (a->task.arguments.at[i].is_buffer)
            is_added =
                add(words, "--save") &&
                add(words, ifl_arena_printf(&a->arena, "%zu=%s/out%zu.npy", i, a->folder, i));
    is_added = is_added && add(words, "--") &&
               add(words, ifl_launch_words_path(&a->arena, &a->candidate, a->candidate.file));
    for (size_t i = 0; i < a->task.arguments.count && is_added; i++)
        is_added = add(words, argument_words(a, i));
    return is_added && ifl_vec_push(words, NULL);
}

/* Of processor time for a run. */
static int seconds_of(const against *a)
{
    return a->options->seconds ? a->options->seconds : DEFAULT_SECONDS;
}

/* `shaken`: blocks and warps in another order, as hardware may have it. */
static bool make_words(against *a, bool shaken, word_list *words)
{
    const ifl_launch_words *c = &a->candidate;
    const char *machine = c->machine ? ifl_launch_words_path(&a->arena, c, c->machine) : NULL;
    bool is_made =
        add(words, a->options->program) && add(words, "--confined") && add(words, c->folder) &&
        add(words, a->inputs) && add(words, a->folder) &&
        add(words, ifl_arena_printf(&a->arena, "%d", seconds_of(a))) && add(words, "analyze") &&
        add(words, "--check-reads") && add_option(words, "--gpu", a->gpu) &&
        add_option(words, "--json", ifl_arena_printf(&a->arena, "%s/" REPORT, a->folder)) &&
        add_option(words, "--kernel", c->kernel) && add_option(words, "--grid", c->grid) &&
        add_option(words, "--block", c->block) && add_option(words, "--cluster", c->cluster) &&
        add_option(words, "--shared", c->shared) && add_option(words, "--machine", machine) &&
        add_option(words, "--code", c->code);
    if (shaken)
        is_made = is_made && add_option(words, "--resident", "7") &&
                  add_option(words, "--quantum", "1") && add_option(words, "--threads", "1");
    return is_made && add_arguments(a, words);
}

static ifl_status make_folder(const against *a, ifl_error *error)
{
    ifl_folder_clear(a->folder);
    rmdir(a->folder);
    return mkdir(a->folder, S_IRWXU) == 0 ? IFL_OK
                                          : ifl_fail_file(error, "make the folder", a->folder);
}

/* A file that the candidate's process has written, of malloc. */
static ifl_status read_left(const against *a, const char *name, char **text, size_t *bytes,
                            ifl_error *error)
{
    char path[IFL_PATH_BYTES + 64];
    snprintf(path, sizeof path, "%s/%s", a->folder, name);
    return ifl_file_read_plain(path, MAX_FILE_BYTES, text, bytes, error);
}

/* What it says goes to a file that it cannot reach by its name. */
static ifl_status run_words(against *a, const word_list *words, int *exit_status, ifl_error *error)
{
    char log[IFL_PATH_BYTES];
    const ifl_process process = {.words = words->at,
                                 .log = log,
                                 .temporary = a->folder,
                                 .group = a->scratch.keeper,
                                 .errors_only = true,
                                 .kept = variables,
                                 .stop = a->options->stop,
                                 .most_s = 2 * seconds_of(a)}; /* or it waits for something */
    if (!ifl_scratch_path(&a->scratch, LOG, log))
        return ifl_fail(error, IFL_NO_FILE, "the path in TMPDIR is too long");
    return ifl_process_run(&process, exit_status, error);
}

static ifl_status run_candidate(against *a, bool shaken, int *exit_status, ifl_error *error)
{
    word_list words = {0};
    ifl_status status =
        make_words(a, shaken, &words) ? make_folder(a, error) : ifl_fail_memory(error, 1);
    if (status == IFL_OK)
        status = run_words(a, &words, exit_status, error);
    ifl_vec_free(&words);
    if (status == IFL_OK && a->options->stop && *a->options->stop)
        status = ifl_fail(error, IFL_INTERRUPTED, "stopped");
    return status;
}

/* ---- what it left ---------------------------------------------------------------------------- */

/* The contents of a NumPy file are its last bytes. NULL where they are not there. */
static char *read_contents(const against *a, size_t i, char **file, ifl_error *error)
{
    char name[32];
    size_t bytes;
    snprintf(name, sizeof name, "out%zu.npy", i);
    if (read_left(a, name, file, &bytes, error) != IFL_OK)
        return NULL;
    if (bytes >= a->task.arguments.at[i].bytes)
        return *file + bytes - a->task.arguments.at[i].bytes;
    free(*file);
    return NULL;
}

static ifl_status judge_difference(against *a, size_t i, const ifl_difference *d, bool shaken,
                                   ifl_error *error)
{
    const ifl_task_argument *argument = &a->task.arguments.at[i];
    if (!argument->is_output)
        return refuse(a, "input_changed", error,
                      "argument %zu is an input, but %zu of its %zu elements were "
                      "changed",
                      i, d->different, d->elements);
    if (d->untouched == d->different)
        return refuse(a, "output_unwritten", error,
                      "argument %zu: %zu of %zu elements were not written", i, d->different,
                      d->elements);
    return refuse(a, shaken ? "order_dependent" : "wrong_result", error,
                  "argument %zu, element %zu is %.9g, the reference has %.9g; %zu of %zu elements "
                  "differ by more than %.3g of "
                  "the value and the mean%s",
                  i, d->element, d->found, d->expected, d->different, d->elements, d->tolerance,
                  shaken ? "; this happens only if blocks and warps run in another order" : "");
}

static ifl_status compare_results(against *a, bool shaken, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < a->task.arguments.count && status == IFL_OK; i++) {
        const ifl_task_argument *argument = &a->task.arguments.at[i];
        ifl_difference difference;
        char *file;
        if (!argument->is_buffer)
            continue;
        const char *found = read_contents(a, i, &file, error);
        if (!found)
            return ifl_fail(error, IFL_BAD_INPUT, "the candidate wrote no output for argument %zu",
                            i);
        ifl_against_compare(argument, found,
                            ifl_tolerance_of(argument->type, a->options->tolerance), &difference);
        free(file);
        if (difference.is_found)
            status = judge_difference(a, i, &difference, shaken, error);
    }
    return status;
}

/* ---- how it ended ---------------------------------------------------------------------------- */

static ifl_status read_output(const against *a, char **text, ifl_error *error)
{
    char path[IFL_PATH_BYTES];
    size_t bytes;
    if (!ifl_scratch_path(&a->scratch, LOG, path))
        return ifl_fail(error, IFL_NO_FILE, "the path in TMPDIR is too long");
    return ifl_file_read(path, MAX_FILE_BYTES, text, &bytes, error);
}

/* A candidate that cannot be compiled, read or run is refused like one that faults. */
static ifl_status judge_end(against *a, int exit_status, ifl_error *error)
{
    char *text;
    ifl_status status = read_output(a, &text, error);
    if (status != IFL_OK)
        return status;
    if (exit_status == 128 + SIGXCPU || exit_status == 128 + SIGKILL) {
        free(text);
        return refuse(a, "too_long", error,
                      "it took more than %d s of processor time, or %d s in all", seconds_of(a),
                      2 * seconds_of(a));
    }
    const char *found = strstr(text, "error: "), *from = found ? found + strlen("error: ") : text;
    status = refuse(a, exit_status == 1 ? "fault" : "does_not_run", error, "%s", from);
    free(text);
    return status;
}

static ifl_status read_report(against *a, ifl_error *error)
{
    char *text;
    size_t bytes;
    const ifl_status status = read_left(a, REPORT, &text, &bytes, error);
    if (status != IFL_OK)
        return status;
    json_t *report = json_loadb(text, bytes, 0, NULL);
    free(text);
    json_decref(a->report);
    a->report = json_incref(json_array_get(json_object_get(report, "launches"), 0));
    json_decref(report);
    return a->report ? IFL_OK
                     : ifl_fail(error, IFL_BAD_INPUT, "the candidate's run left no report");
}

/* What the report warns of, by words of the warning: an access that only happens to give what is
 * expected, and work that is in none of its figures. */
static ifl_status judge_warnings(against *a, ifl_error *error)
{
    static const struct {
        const char *words, *rule;
    } rows[] = {{"reads memory that was never written", "unwritten_read"},
                {"not counted here: inflight run shows", "uncounted_grids"}};
    size_t i;
    json_t *warning;
    ifl_status status = IFL_OK;
    json_array_foreach(json_object_get(a->report, "warnings"), i, warning)
    {
        const char *text = json_string_value(warning);
        for (size_t r = 0; r < sizeof rows / sizeof *rows && status == IFL_OK; r++)
            if (strstr(text, rows[r].words))
                status = refuse(a, rows[r].rule, error, "%.400s", text);
    }
    return status;
}

/* A kernel that reads a clock may do otherwise when it is timed. The code that ran says so,
 * whatever it was made from. Nor may the figures be those of code that did not run. */
static ifl_status judge_report(against *a, ifl_error *error)
{
    const json_t *machine = json_object_get(a->report, "machine");
    if (machine && !json_is_true(json_object_get(machine, "ran")))
        return refuse(a, "other_code", error,
                      "the PTX ran, but the report has the registers and instructions of machine "
                      "code that did not: leave out 'code = ptx', or 'machine'");
    if (json_is_true(json_object_get(a->report, "reads_clock")))
        return refuse(a, "clock", error, "the kernel reads a clock");
    return judge_warnings(a, error);
}

/* One run of one trial; *goes_on is false where there is nothing to compare. */
static ifl_status try_once(against *a, bool shaken, bool *goes_on, ifl_error *error)
{
    int exit_status = 0;
    ifl_status status = run_candidate(a, shaken, &exit_status, error);
    *goes_on = status == IFL_OK && exit_status == 0;
    if (status != IFL_OK)
        return status;
    if (exit_status)
        return judge_end(a, exit_status, error);
    status = compare_results(a, shaken, error);
    if (status == IFL_OK && !shaken)
        status = read_report(a, error);
    return status == IFL_OK && !shaken ? judge_report(a, error) : status;
}

static ifl_status make_trial(against *a, int trial, bool *goes_on, ifl_error *error)
{
    ifl_status status = ifl_task_prepare(&a->task, trial, a->inputs, error);
    if (status == IFL_OK)
        status = try_once(a, false, goes_on, error);
    if (status == IFL_OK && *goes_on && !json_array_size(a->reasons))
        status = try_once(a, true, goes_on, error);
    a->trials++;
    return status;
}

/* ---- times ----------------------------------------------------------------------------------- */

static double figure(const json_t *devices, const char *name)
{
    const json_t *device = json_array_get(json_object_get(devices, "devices"), 0);
    return json_number_value(
        json_object_get(json_object_get(json_object_get(device, "figures"), name), "value"));
}

static json_t *describe_gpu(const char *gpu)
{
    ifl_device *device;
    char *text = NULL;
    size_t bytes = 0;
    ifl_error ignored;
    if (ifl_device_open(gpu, &device, &ignored) != IFL_OK)
        return NULL;
    const ifl_device *const one = device;
    FILE *out = open_memstream(&text, &bytes);
    if (out) {
        ifl_devices_json(&one, 1, out, &ignored);
        fclose(out);
    }
    ifl_device_close(device);
    json_t *described = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    return described;
}

static double low_of(const json_t *model, const char *name)
{
    return json_number_value(
        json_object_get(json_object_get(json_object_get(model, "caches"), name), "low"));
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double us_at(double amount, double rate)
{
    return rate > 0 && amount > 0 ? 1e6 * amount / rate : 0;
}

/* The least time that the GPU's figures allow: what must cross to DRAM beyond what the L2 holds, at
 * its peak; what the SMs ask the L2 for, at a quarter more than the best that was measured or is
 * published; four instructions a cycle of every SM. */
static double floor_us(const against *a, const json_t *gpu)
{
    enum { SECTOR_BYTES = 32, ISSUED_A_CYCLE = 4 };
    const double l2_margin = 1.25, sm_cycles = figure(gpu, "sms") * figure(gpu, "clock_hz");
    const json_t *model = json_array_get(json_object_get(a->report, "models"), 0);
    const double moved = low_of(model, "dram_read_bytes") + low_of(model, "dram_write_bytes") +
                         low_of(model, "dirty_bytes");
    const double asked =
        SECTOR_BYTES * (low_of(model, "l2_read_sectors") + low_of(model, "l2_write_sectors"));
    const double issued =
        json_number_value(json_object_get(json_object_get(a->report, "counters"), "instructions"));
    const double l2_rate =
        larger(figure(gpu, "l2_bytes_per_s"), figure(gpu, "l2_bytes_per_cycle_per_sm") * sm_cycles);
    const double dram = us_at(moved - figure(gpu, "l2_bytes"), figure(gpu, "dram_bytes_per_s"));
    return larger(
        dram, larger(us_at(asked, l2_margin * l2_rate), us_at(issued, ISSUED_A_CYCLE * sm_cycles)));
}

static ifl_status judge_time(against *a, double floor, ifl_error *error)
{
    if (a->options->claimed_us <= 0 || a->options->claimed_us >= floor)
        return IFL_OK;
    return refuse(a, "impossible_time", error,
                  "the claimed time is %.4g us; its bytes and instructions take at "
                  "least %.4g us on %s",
                  a->options->claimed_us, floor, a->gpu);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static json_t *pick(const json_t *from, const char *const *names)
{
    json_t *picked = json_object();
    for (; picked && *names; names++)
        if (json_object_get(from, *names))
            json_object_set(picked, *names, json_object_get(from, *names));
    return picked;
}

static json_t *make_verdict(const against *a, double floor)
{
    static const char *const counters[] = {"instructions",
                                           "global_load_sectors",
                                           "global_load_sectors_ideal",
                                           "global_store_sectors",
                                           "global_store_sectors_ideal",
                                           "shared_load_wavefronts",
                                           "shared_load_wavefronts_ideal",
                                           NULL};
    static const char *const times[] = {
        "gpu", "time_us", "time_us_low", "time_us_high", "limiter", "occupancy_theoretical", NULL};
    const char *files, *network;
    ifl_confinement(&files, &network);
    json_t *verdict = json_pack(
        "{s:s, s:b, s:O, s:i, s:I, s:{s:s, s:s}}", "schema", "inflight-against/1", "passed",
        json_array_size(a->reasons) == 0, "reasons", a->reasons, "trials", a->trials, "seed",
        (json_int_t)a->task.seed, "confined", "files", files, "network", network);
    if (verdict && a->report) {
        json_t *model = pick(json_array_get(json_object_get(a->report, "models"), 0), times);
        if (model)
            json_object_set_new(model, "floor_us", json_real(floor));
        json_object_set_new(verdict, "counters",
                            pick(json_object_get(a->report, "counters"), counters));
        json_object_set_new(verdict, "model", model);
    }
    if (verdict && a->options->claimed_us > 0)
        json_object_set_new(verdict, "claimed_us", json_real(a->options->claimed_us));
    return verdict;
}

static ifl_status write_verdict(against *a, FILE *out, bool *passed, ifl_error *error)
{
    json_t *gpu = a->report ? describe_gpu(a->gpu) : NULL;
    const double floor = gpu ? floor_us(a, gpu) : 0;
    ifl_status status = a->report ? judge_time(a, floor, error) : IFL_OK;
    json_t *verdict = status == IFL_OK ? make_verdict(a, floor) : NULL;
    *passed = json_array_size(a->reasons) == 0;
    if (status == IFL_OK &&
        (!verdict || json_dumpf(verdict, out, JSON_INDENT(1)) != 0 || fputc('\n', out) == EOF))
        status = ifl_fail(error, IFL_NO_FILE, "the verdict cannot be written");
    json_decref(verdict);
    json_decref(gpu);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Of 53 bits, which every reader of JSON keeps. */
static uint64_t choose_seed(const ifl_against_options *options)
{
    uint64_t seed = options->seed;
    if (!seed && getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        seed = (uint64_t)getpid() * 0x9e3779b97f4a7c15;
    return seed & ((UINT64_C(1) << 53) - 1);
}

/* A name that is wrong is not the candidate's fault. */
static ifl_status check_gpu(const char *gpu, ifl_error *error)
{
    ifl_device *device;
    const ifl_status status = ifl_device_open(gpu, &device, error);
    if (status == IFL_OK)
        ifl_device_close(device);
    return status;
}

static ifl_status make_folders(against *a, ifl_error *error)
{
    const ifl_status status = ifl_scratch_make(&a->scratch, error);
    if (status != IFL_OK)
        return status;
    a->inputs = ifl_arena_printf(&a->arena, "%s/inputs", a->scratch.path);
    a->folder = ifl_arena_printf(&a->arena, "%s/run", a->scratch.path);
    if (!a->inputs || !a->folder)
        return ifl_fail_memory(error, IFL_PATH_BYTES);
    return mkdir(a->inputs, S_IRWXU) == 0 ? IFL_OK
                                          : ifl_fail_file(error, "make the folder", a->inputs);
}

/* The candidate's launch file is the candidate's too: one that cannot be read is refused. One that
 * is not there is the caller's mistake. */
static ifl_status read_candidate(against *a, ifl_error *error)
{
    const ifl_status status = ifl_launch_words_read(&a->arena, a->options->candidate,
                                                    ifl_file_read_plain, &a->candidate, error);
    if (status != IFL_BAD_INPUT)
        return status;
    char text[sizeof error->text];
    snprintf(text, sizeof text, "%s", error->text);
    return refuse(a, "does_not_run", error, "%s", text);
}

static ifl_status begin(against *a, ifl_error *error)
{
    a->reasons = json_array();
    ifl_status status = a->reasons ? check_gpu(a->gpu, error) : ifl_fail_memory(error, 1);
    if (status == IFL_OK)
        status = make_folders(a, error);
    if (status == IFL_OK)
        status = ifl_task_read(a->options->reference, choose_seed(a->options), a->options->stop,
                               &a->task, error);
    return status == IFL_OK ? read_candidate(a, error) : status;
}

static void end(against *a)
{
    if (a->scratch.path[0])
        ifl_scratch_remove(&a->scratch);
    json_decref(a->reasons);
    json_decref(a->report);
    ifl_vec_free(&a->candidate.arguments);
    ifl_task_free(&a->task);
    ifl_arena_free(&a->arena);
}

ifl_status ifl_against(const ifl_against_options *options, FILE *out, bool *passed,
                       ifl_error *error)
{
    against a = {.options = options, .gpu = options->gpu ? options->gpu : "h200"};
    const int trials = options->trials ? options->trials : DEFAULT_TRIALS;
    ifl_status status = begin(&a, error);
    bool goes_on = json_array_size(a.reasons) == 0;
    for (int trial = 0; trial < trials && goes_on && status == IFL_OK; trial++)
        status = make_trial(&a, trial, &goes_on, error);
    if (status == IFL_OK)
        status = write_verdict(&a, out, passed, error);
    end(&a);
    return status;
}
