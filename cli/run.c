/* SPDX-License-Identifier: Apache-2.0
 * inflight run: becomes the program, with our libraries in place of CUDA's. The options reach them
 * through the environment; the libraries write the report. */
#include "commands.h"
#include "outputs.h"
#include "terminal.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* ---- options: each is a variable ------------------------------------------------------------- */

static ifl_status put(const char *name, const char *value, ifl_error *error)
{
    return setenv(name, value, 1) == 0
               ? IFL_OK
               : ifl_cli_error(error, IFL_NO_MEMORY, "no memory for %s", name);
}

#define TEXT_OPTION(function, name)                                                                \
    static ifl_status function(void *user, const char *value, ifl_error *error)                    \
    {                                                                                              \
        (void)user;                                                                                \
        return put(name, value ? value : "1", error);                                              \
    }
TEXT_OPTION(set_leaks, IFL_RUN_LEAKS)
TEXT_OPTION(set_fail, IFL_RUN_FAIL)
TEXT_OPTION(set_each, IFL_RUN_EACH)
TEXT_OPTION(set_every, IFL_RUN_EVERY)
TEXT_OPTION(set_races, IFL_RUN_RACES)
TEXT_OPTION(set_reads, IFL_RUN_READS)

/* Its session would tell at the program's first call of CUDA. */
static ifl_status set_kernel(void *user, const char *value, ifl_error *error)
{
    const ifl_status status = ifl_cli_check_kernel(value, error);
    (void)user;
    return status == IFL_OK ? put(IFL_RUN_KERNEL, value, error) : status;
}

#define NUMBER_OPTION(function, name, option, least, most)                                         \
    static ifl_status function(void *user, const char *value, ifl_error *error)                    \
    {                                                                                              \
        int number;                                                                                \
        ifl_status status = ifl_cli_number("--" option, value, least, most, &number, error);       \
        (void)user;                                                                                \
        return status == IFL_OK ? put(name, value, error) : status;                                \
    }
NUMBER_OPTION(set_launches, IFL_RUN_LAUNCHES, "launches", 0, INT_MAX)
NUMBER_OPTION(set_skip, IFL_RUN_SKIP, "launch-skip", 0, INT_MAX)
NUMBER_OPTION(set_count, IFL_RUN_COUNT, "launch-count", 0, INT_MAX)
NUMBER_OPTION(set_threads, IFL_RUN_THREADS, "threads", 1, 4096)

static ifl_status set_gpus(void *user, const char *value, ifl_error *error)
{
    enum { MOST_GPUS = 16 };
    int number;
    const ifl_status status = ifl_cli_number("--gpus", value, 1, MOST_GPUS, &number, error);
    (void)user;
    return status == IFL_OK ? put(IFL_RUN_GPUS, value, error) : status;
}

static ifl_status set_gpu(void *user, const char *value, ifl_error *error)
{
    ifl_device *device;
    (void)user;
    ifl_status status = ifl_device_open(value, &device, error);
    if (status != IFL_OK)
        return status;
    ifl_device_close(device);
    return put(IFL_RUN_GPU, value, error);
}

/* The program may go to another folder before it ends. */
static ifl_status put_path(const char *name, const char *value, ifl_error *error)
{
    char path[2 * PATH_BYTES], here[PATH_BYTES];
    if (value[0] == '/')
        return put(name, value, error);
    if (!getcwd(here, sizeof here) || strlen(value) >= PATH_BYTES)
        return ifl_cli_error(error, IFL_NO_FILE, "cannot find the path of '%.200s'", value);
    snprintf(path, sizeof path, "%s/%s", here, value);
    return put(name, path, error);
}

/* Standard output is the program's. */
static ifl_status put_report(const char *option, const char *name, const char *value,
                             ifl_error *error)
{
    return ifl_cli_is_dash(value)
               ? ifl_cli_error(error, IFL_USAGE,
                               "'%s -': standard output is the program's; name a file", option)
               : put_path(name, value, error);
}

static ifl_status set_json(void *user, const char *value, ifl_error *error)
{
    (void)user;
    return put_report("--json", IFL_RUN_JSON, value, error);
}

static ifl_status set_html(void *user, const char *value, ifl_error *error)
{
    (void)user;
    return put_report("--html", IFL_RUN_HTML, value, error);
}

static ifl_status set_no_analysis(void *user, const char *value, ifl_error *error)
{
    (void)user;
    (void)value;
    return put(IFL_RUN_ANALYSIS, "0", error);
}

static ifl_status set_code(void *user, const char *value, ifl_error *error)
{
    (void)user;
    if (strcmp(value, "ptx") != 0 && strcmp(value, "machine") != 0 && strcmp(value, "both") != 0)
        return ifl_cli_error(error, IFL_USAGE, "--code takes ptx, machine or both, not '%.40s'",
                             value);
    return put(IFL_RUN_CODE, value, error);
}

static const ifl_cli_option options[] = {
    {IFL_CLI_OPTION_gpu, "the program finds it (h200)", set_gpu},
    {IFL_CLI_OPTION_gpus, NULL, set_gpus},
    {IFL_CLI_OPTION_code,
     "with both, the PTX of each observed launch runs before its machine code, and the report says "
     "where they differ (machine code if there is some for the GPU, else PTX)",
     set_code},
    {IFL_CLI_OPTION_json, "not - here: standard output is the program's", set_json},
    {IFL_CLI_OPTION_html, "not - here: standard output is the program's", set_html},
    {IFL_CLI_OPTION_kernel, "only launches of it are reported", set_kernel},
    {IFL_CLI_OPTION_launches, NULL, set_launches},
    {IFL_CLI_OPTION_launch_skip, NULL, set_skip},
    {IFL_CLI_OPTION_launch_count, NULL, set_count},
    {IFL_CLI_OPTION_no_analysis, NULL, set_no_analysis},
    {IFL_CLI_OPTION_every_launch, NULL, set_every},
    {IFL_CLI_OPTION_each, NULL, set_each},
    {IFL_CLI_OPTION_leaks, NULL, set_leaks},
    {IFL_CLI_OPTION_check_races, NULL, set_races},
    {IFL_CLI_OPTION_check_reads, NULL, set_reads},
    {IFL_CLI_OPTION_fail, NULL, set_fail},
    {IFL_CLI_OPTION_threads, NULL, set_threads},
};

/* ---- becoming the program -------------------------------------------------------------------- */

static bool is_folder_of_libraries(const char *folder)
{
    char path[PATH_BYTES + 64];
    snprintf(path, sizeof path, "%s/libcudart.so.13", folder);
    return access(path, R_OK) == 0;
}

/* Beside the program where it was built, in lib/inflight where it was installed. */
static ifl_status find_libraries(char *folder, ifl_error *error)
{
    static const char *const places[] = {"standin", "../" INFLIGHT_LIBDIR "/inflight"};
    char own[PATH_BYTES];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(own, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        snprintf(folder, PATH_BYTES + 32, "%s/%s", own, places[i]);
        if (is_folder_of_libraries(folder))
            return IFL_OK;
    }
    return ifl_cli_error(error, IFL_NO_FILE,
                         "cannot find the libraries that replace CUDA's: neither %s/standin nor "
                         "%s/../" INFLIGHT_LIBDIR "/inflight holds libcudart.so.13",
                         own, own);
}

const char *ifl_cli_standin_library(char *path, size_t room)
{
    char folder[PATH_BYTES + 32];
    ifl_error ignored = {0};
    if (find_libraries(folder, &ignored) != IFL_OK)
        return NULL;
    snprintf(path, room, "%s/libinflight_standin.so", folder);
    return path;
}

/* Before what a list of paths has. */
static ifl_status put_first(const char *name, const char *path, ifl_error *error)
{
    char list[4 * PATH_BYTES];
    const char *old = getenv(name);
    snprintf(list, sizeof list, "%s%s%.*s", path, old && *old ? ":" : "", 2 * PATH_BYTES,
             old ? old : "");
    return put(name, list, error);
}

/* The dynamic linker asks the first about every object (src/audit/audit.c); the second is for
 * programs that look for the files themselves. */
static ifl_status put_libraries_first(ifl_error *error)
{
    char folder[PATH_BYTES + 32], audit[PATH_BYTES + 64];
    ifl_status status = find_libraries(folder, error);
    if (status != IFL_OK)
        return status;
    snprintf(audit, sizeof audit, "%s/libinflight_audit.so", folder);
    status = put_first("LD_AUDIT", audit, error);
    return status == IFL_OK ? put_first("LD_LIBRARY_PATH", folder, error) : status;
}

/* Where the user says nothing else: JAX takes three quarters of a GPU's memory when it starts, which
 * this machine need not have, and complains of each smaller amount that it tries then. */
static ifl_status put_defaults(ifl_error *error)
{
    return setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false", 0) == 0
               ? IFL_OK
               : ifl_cli_error(error, IFL_NO_MEMORY, "no memory for a variable");
}

/* As execvp finds it: a word without a slash is looked for along PATH. False where it is not
 * found. */
static bool find_program(const char *word, char *path, size_t room)
{
    const char *folders = getenv("PATH");
    if (strchr(word, '/') || !folders) {
        snprintf(path, room, "%s", word);
        return true;
    }
    while (*folders) {
        const size_t length = strcspn(folders, ":");
        snprintf(path, room, "%.*s/%s", (int)length, length ? folders : ".", word);
        if (access(path, X_OK) == 0)
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

static bool is_set_to(const char *name, const char *value)
{
    const char *is = getenv(name);
    return is && strcmp(is, value) == 0;
}

static ifl_status check_options(ifl_error *error)
{
    return is_set_to(IFL_RUN_CODE, "both") && is_set_to(IFL_RUN_ANALYSIS, "0")
               ? ifl_cli_error(error, IFL_USAGE,
                               "--code both compares what is observed; leave out --no-analysis")
               : IFL_OK;
}

/* Before the program runs: that its reports can be written, and not over it. */
static ifl_status check_outputs(const char *program, ifl_error *error)
{
    const ifl_cli_output outputs[] = {{"--json", getenv(IFL_RUN_JSON)},
                                      {"--html", getenv(IFL_RUN_HTML)}};
    const size_t count = sizeof outputs / sizeof *outputs;
    const ifl_status status = ifl_cli_outputs_check(outputs, count, error);
    return status == IFL_OK ? ifl_cli_outputs_spare(outputs, count, program, error) : status;
}

static ifl_status check_program(const char *word, ifl_error *error)
{
    char path[2 * PATH_BYTES];
    const bool is_found = find_program(word, path, sizeof path);
    const ifl_status status = check_outputs(is_found ? path : NULL, error);
    return status == IFL_OK && is_found ? ifl_program_check(path, false, error) : status;
}

/* What cannot be started, with what was meant where that is plain. */
static ifl_status fail_start(const char *word, int problem, ifl_error *error)
{
    const char *ending = strrchr(word, '.');
    if (ending && (strcmp(ending, ".cu") == 0 || strcmp(ending, ".ptx") == 0 ||
                   strcmp(ending, ".launch") == 0))
        return ifl_cli_error(error, IFL_NO_FILE,
                             "cannot start '%.200s': it is not a program\n'inflight analyze FILE' "
                             "runs a kernel of such a file",
                             word);
    if (!strchr(word, '/') && access(word, F_OK) == 0)
        return ifl_cli_error(error, IFL_NO_FILE,
                             "'%.200s' is not in a folder of PATH; did you mean './%.200s'?", word,
                             word);
    return ifl_cli_error(error, IFL_NO_FILE, "cannot start '%.200s': %s", word, strerror(problem));
}

static ifl_status become(char **words, ifl_error *error)
{
    char number[32];
    ifl_status status = put_libraries_first(error);
    if (status == IFL_OK)
        status = put_defaults(error);
    if (status != IFL_OK)
        return status;
    snprintf(number, sizeof number, "%ld", (long)getpid()); /* which execvp keeps */
    status = put(IFL_RUN_PROCESS, number, error);
    if (status != IFL_OK)
        return status;
    signal(SIGPIPE, SIG_DFL); /* what is ignored stays so across execvp */
    signal(SIGXFSZ, SIG_DFL);
    execvp(words[0], words);
    return fail_start(words[0], errno, error);
}

static int run(int word_count, char **words)
{
    ifl_error error = {0};
    bool help = false;
    int first = 0;
    ifl_status status = ifl_cli_parse(&ifl_cli_run, word_count, words, NULL, &first, &help, &error);
    if (status == IFL_OK && !help && first == word_count)
        status =
            ifl_cli_error(&error, IFL_USAGE,
                          "no program is given: inflight run [OPTION]... -- PROGRAM [ARGUMENT]...\n"
                          "'inflight help run' says more");
    if (status == IFL_OK && !help)
        status = check_options(&error);
    if (status == IFL_OK && !help)
        status = check_program(words[first], &error);
    if (status == IFL_OK && !help)
        status = become(words + first, &error);
    return status == IFL_OK ? 0 : ifl_cli_fail(&error);
}

const ifl_cli_command ifl_cli_run = {
    .name = "run",
    .usage = {"[OPTION]... [--] PROGRAM [ARGUMENT]...", NULL},
    .summary = "run an unmodified CUDA program without a GPU and analyze its kernels",
    .text = "inflight runs the program's machine code for the GPU of --gpu or, if there is none, "
            "its PTX (nvcc "
            "-arch=sm_90 keeps both); -lineinfo lets the report name source lines. The program "
            "keeps its output and its exit status; the report goes to standard error when it "
            "ends.\n"
            "Kernels run one after the other on the CPU, and every access is checked: an invalid "
            "one is reported "
            "with its source line, and the program gets CUDA's error.",
    .examples = {"inflight run -- ./app 1000", "inflight run --gpu b200 --json app.json -- ./app"},
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .ends_at_operand = true,
    .run = run,
};
