/* SPDX-License-Identifier: Apache-2.0
 * Choosing and running a CUDA compiler. It knows compilers and files, not PTX. */
#include "compile/cuda_source.h"

#include "base/file.h"
#include "compile/cuda_options.h"
#include "compile/nvrtc.h"
#include "compile/shell_name.h"
#include "compile/shim.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_SOURCE_BYTES = 1 << 26,
    MAX_PTX_BYTES = 1 << 28,
    MAX_LOG_BYTES = 1 << 20,
    SHOWN_LOG_BYTES = 700
};
enum { CLANG_NEWEST_SM = 80 }; /* what clang 14, Debian 12's, can make usable PTX for */

typedef struct task {
    const char *path;
    const char *arch;
    char **ptx;
    size_t *bytes;
    ifl_error *error;
} task;

/* What a compiler cannot be expected to take. */
static const char *hint_of(const char *compiler)
{
    static const struct {
        const char *compiler;
        const char *text;
    } hints[] = {
        {"NVRTC", "\nNVRTC takes device code only: keep host code and its headers inside "
                  "#ifndef __CUDACC_RTC__, or install nvcc"},
        {"clang", "\nclang gets a small stand-in for the CUDA headers, without mathematical "
                  "functions; nvcc of the CUDA toolkit has all"},
    };
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strcmp(hints[i].compiler, compiler) == 0)
            return hints[i].text;
    return "";
}

ifl_status ifl_fail_compile(ifl_error *error, const char *compiler, const char *path,
                            const char *log)
{
    size_t shown = strlen(log);
    while (shown && (log[shown - 1] == '\n' || log[shown - 1] == '\r'))
        shown--;
    const bool cut = shown > SHOWN_LOG_BYTES;
    if (cut)
        for (shown = SHOWN_LOG_BYTES; shown > 1 && log[shown] != '\n';)
            shown--;
    return ifl_fail(error, IFL_BAD_INPUT, "%s cannot compile '%.100s':\n%.*s%s%s", compiler, path,
                    (int)shown, log, cut ? "\n..." : "", hint_of(compiler));
}

/* ---- compilers that are programs ------------------------------------------------------------- */

static ifl_status fail_run(const task *t, const char *name, const char *log_path)
{
    char *log;
    size_t bytes;
    const ifl_status status = ifl_file_read(log_path, MAX_LOG_BYTES, &log, &bytes, t->error);
    if (status != IFL_OK)
        return status;
    ifl_fail_compile(t->error, name, t->path, bytes ? log : "it gives no reason");
    free(log);
    return IFL_BAD_INPUT;
}

/* How a compiler is called: the words after its own path, `source` among them. */
typedef struct call {
    const char *name;
    const char *const *words;
    const ifl_scratch *scratch;
    const ifl_shell_name *source;
    const char *output; /* the file that it writes its PTX to */
} call;

enum { MOST_WORDS = 128 };

/* The call's words with the user's options behind the first. */
static ifl_status add_options(const call *c, ifl_cuda_options *given, const char *words[MOST_WORDS],
                              ifl_error *error)
{
    size_t count = 1;
    const ifl_status status = ifl_cuda_options_read(given, error);
    words[0] = c->words[0];
    for (size_t i = 0; status == IFL_OK && i < given->count; i++)
        words[count++] = given->words[i];
    for (size_t i = 1; count < MOST_WORDS - 1 && c->words[i]; i++)
        words[count++] = c->words[i];
    words[count] = NULL;
    return status;
}

static ifl_status run_compiler(const task *t, const call *c)
{
    char log[IFL_PATH_BYTES];
    const char *words[MOST_WORDS];
    ifl_cuda_options given;
    int code = 0;
    ifl_status status = add_options(c, &given, words, t->error);
    if (status != IFL_OK)
        return status;
    if (!ifl_scratch_path(c->scratch, "log", log))
        return ifl_fail(t->error, IFL_NO_FILE, "the path in TMPDIR is too long");
    const char *folder = c->source->is_stand_in ? c->scratch->path : NULL;
    const ifl_process process = {.words = words,
                                 .log = log,
                                 .folder = folder,
                                 .temporary = c->scratch->path,
                                 .group = c->scratch->keeper};
    status = ifl_process_run(&process, &code, t->error);
    if (status != IFL_OK || code != 0)
        return status == IFL_OK ? fail_run(t, c->name, log) : status;
    status = ifl_file_read(c->output, MAX_PTX_BYTES, t->ptx, t->bytes, t->error);
    return status == IFL_OK ? ifl_shell_name_restore(c->source, t->ptx, t->bytes, t->error)
                            : status;
}

static ifl_status run_nvcc(const task *t, const char *program, const ifl_scratch *scratch,
                           const ifl_shell_name *source, const char *output)
{
    char arch[32];
    snprintf(arch, sizeof arch, "-arch=sm_%s", t->arch);
    const char *const words[] = {program, "-ptx", "-lineinfo",  arch,
                                 "-o",    output, source->path, NULL};
    return run_compiler(t, &(call){"nvcc", words, scratch, source, output});
}

/* The headers that .cu files name and that the shim stands in for. */
static ifl_status write_headers(const ifl_scratch *scratch, ifl_error *error)
{
    static const char *const empty[] = {"cuda_runtime.h", "cuda.h", "device_launch_parameters.h",
                                        "cuda_runtime_api.h", "vector_types.h"};
    ifl_status status = ifl_scratch_write(scratch, "inflight_shim.h", ifl_cuda_shim, error);
    if (status == IFL_OK)
        status = ifl_scratch_write(scratch, "inflight_host.h", ifl_cuda_host_shim, error);
    for (size_t i = 0; i < sizeof empty / sizeof *empty && status == IFL_OK; i++)
        status = ifl_scratch_write(scratch, empty[i], "#pragma once\n", error);
    return status;
}

static ifl_status run_clang(const task *t, const char *program, const ifl_scratch *scratch,
                            const ifl_shell_name *source, const char *output)
{
    char arch[48], shim[IFL_PATH_BYTES], host[IFL_PATH_BYTES];
    const int sm = atoi(t->arch);
    snprintf(arch, sizeof arch, "--cuda-gpu-arch=sm_%d",
             sm < CLANG_NEWEST_SM ? sm : CLANG_NEWEST_SM);
    if (!ifl_scratch_path(scratch, "inflight_shim.h", shim) ||
        !ifl_scratch_path(scratch, "inflight_host.h", host))
        return ifl_fail(t->error, IFL_NO_FILE, "the path in TMPDIR is too long");
    const ifl_status status = write_headers(scratch, t->error);
    if (status != IFL_OK)
        return status;
    const char *const words[] = {program,
                                 "--cuda-path=/nonexistent",
                                 "-x",
                                 "cuda",
                                 "--cuda-device-only",
                                 "-nocudainc",
                                 "-nocudalib",
                                 arch,
                                 "-Xclang",
                                 "-target-feature",
                                 "-Xclang",
                                 "+ptx72",
                                 "-std=c++17",
                                 "-O3",
                                 "-gline-tables-only",
                                 "-fno-color-diagnostics",
                                 "-S",
                                 "-I",
                                 scratch->path,
                                 "-include",
                                 shim,
                                 "-include",
                                 host,
                                 "-o",
                                 output,
                                 source->path,
                                 NULL};
    return run_compiler(t, &(call){"clang", words, scratch, source, output});
}

typedef ifl_status (*runner)(const task *t, const char *program, const ifl_scratch *scratch,
                             const ifl_shell_name *source, const char *output);

static ifl_status run_in(const task *t, const char *program, runner run, const ifl_scratch *scratch)
{
    char output[IFL_PATH_BYTES];
    ifl_shell_name source;
    if (!ifl_scratch_path(scratch, "out.ptx", output))
        return ifl_fail(t->error, IFL_NO_FILE, "the path in TMPDIR is too long");
    const ifl_status status = ifl_shell_name_make(t->path, scratch, &source, t->error);
    return status == IFL_OK ? run(t, program, scratch, &source, output) : status;
}

static ifl_status in_scratch(const task *t, const char *program, runner run)
{
    ifl_scratch scratch;
    ifl_status status = ifl_scratch_make(&scratch, t->error);
    if (status != IFL_OK)
        return status;
    status = run_in(t, program, run, &scratch);
    ifl_scratch_remove(&scratch);
    return status;
}

static ifl_status try_nvcc(const task *t, bool *found)
{
    char program[IFL_PATH_BYTES];
    *found = ifl_program_find("nvcc", "/usr/local/cuda/bin", program);
    return *found ? in_scratch(t, program, run_nvcc) : IFL_OK;
}

static ifl_status try_clang(const task *t, bool *found)
{
    static const char *const names[] = {"clang",    "clang-21", "clang-20", "clang-19", "clang-18",
                                        "clang-17", "clang-16", "clang-15", "clang-14", "clang-13"};
    char program[IFL_PATH_BYTES];
    *found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !*found; i++)
        *found = ifl_program_find(names[i], NULL, program);
    return *found ? in_scratch(t, program, run_clang) : IFL_OK;
}

/* ---- NVRTC ----------------------------------------------------------------------------------- */

static ifl_status compile_text(const task *t, const ifl_nvrtc *nvrtc)
{
    char *source;
    size_t bytes;
    ifl_status status = ifl_file_read(t->path, MAX_SOURCE_BYTES, &source, &bytes, t->error);
    if (status != IFL_OK)
        return status;
    status = ifl_nvrtc_compile(nvrtc, t->path, source, t->arch, t->ptx, t->bytes, t->error);
    free(source);
    return status;
}

static ifl_status try_nvrtc(const task *t, bool *found)
{
    ifl_nvrtc *nvrtc = ifl_nvrtc_open();
    *found = nvrtc != NULL;
    const ifl_status status = nvrtc ? compile_text(t, nvrtc) : IFL_OK;
    ifl_nvrtc_close(nvrtc);
    return status;
}

/* ---- the choice ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    ifl_status (*compile)(const task *t, bool *found);
} compilers[] = {{"nvcc", try_nvcc}, {"nvrtc", try_nvrtc}, {"clang", try_clang}};

enum { COMPILERS = sizeof compilers / sizeof *compilers };

static ifl_status check_wanted(const char *wanted, ifl_error *error)
{
    for (size_t i = 0; i < COMPILERS; i++)
        if (!wanted || strcmp(wanted, compilers[i].name) == 0)
            return IFL_OK;
    return ifl_fail(error, IFL_USAGE,
                    "INFLIGHT_CUDA_COMPILER is '%.100s'; it can be nvcc, nvrtc or clang", wanted);
}

ifl_status ifl_cuda_compile(const char *path, const char *arch, char **ptx, size_t *bytes,
                            ifl_error *error)
{
    char name[IFL_PATH_BYTES];
    /* A compiler would take a leading '-' for an option. */
    const int printed = snprintf(name, sizeof name, "%s%s", path[0] == '-' ? "./" : "", path);
    const task t = {name, arch, ptx, bytes, error};
    const char *wanted = getenv("INFLIGHT_CUDA_COMPILER");
    wanted = wanted && *wanted ? wanted : NULL;
    ifl_status status = check_wanted(wanted, error);
    bool found = false;
    *ptx = NULL;
    if (printed < 0 || (size_t)printed >= sizeof name)
        return ifl_fail(error, IFL_NO_FILE, "the path of the .cu file is too long");
    for (size_t i = 0; i < COMPILERS && status == IFL_OK && !found; i++)
        if (!wanted || strcmp(wanted, compilers[i].name) == 0)
            status = compilers[i].compile(&t, &found);
    if (status != IFL_OK || found)
        return status;
    if (wanted)
        return ifl_fail(error, IFL_UNSUPPORTED,
                        "INFLIGHT_CUDA_COMPILER asks for %s, which is not found", wanted);
    return ifl_fail(
        error, IFL_UNSUPPORTED,
        "no CUDA compiler for '%.100s': install clang (apt-get install clang) or the CUDA toolkit",
        path);
}
