/* SPDX-License-Identifier: Apache-2.0
 * NVRTC behind dlopen. The signatures are those of NVIDIA's NVRTC documentation; they have not
 * changed since CUDA 8. */
#include "compile/nvrtc.h"

#include "base/dynamic.h"
#include "compile/cuda_options.h"
#include "compile/cuda_source.h"

#include <stdlib.h>
#include <string.h>

typedef void *program;

struct ifl_nvrtc {
    void *library;
    int (*create)(program *, const char *source, const char *name, int headers,
                  const char *const *texts, const char *const *names);
    int (*compile)(program, int options, const char *const *option);
    int (*ptx_size)(program, size_t *);
    int (*ptx)(program, char *);
    int (*log_size)(program, size_t *);
    int (*log)(program, char *);
    int (*destroy)(program *);
    const char *(*error_string)(int);
};

static void *open_library(void)
{
    static const char *const folders[] = {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"};
    static const char *const names[] = {"libnvrtc.so",      "libnvrtc.so.13",   "libnvrtc.so.12",
                                        "libnvrtc.so.11.2", "libnvrtc.so.11.1", "libnvrtc.so.11.0"};
    return ifl_dynamic_open(folders, sizeof folders / sizeof *folders, names,
                            sizeof names / sizeof *names);
}

static const ifl_symbol symbols[] = {
    {"nvrtcCreateProgram", offsetof(ifl_nvrtc, create), true},
    {"nvrtcCompileProgram", offsetof(ifl_nvrtc, compile), true},
    {"nvrtcGetPTXSize", offsetof(ifl_nvrtc, ptx_size), true},
    {"nvrtcGetPTX", offsetof(ifl_nvrtc, ptx), true},
    {"nvrtcGetProgramLogSize", offsetof(ifl_nvrtc, log_size), true},
    {"nvrtcGetProgramLog", offsetof(ifl_nvrtc, log), true},
    {"nvrtcDestroyProgram", offsetof(ifl_nvrtc, destroy), true},
    {"nvrtcGetErrorString", offsetof(ifl_nvrtc, error_string), true},
};

ifl_nvrtc *ifl_nvrtc_open(void)
{
    ifl_nvrtc *nvrtc = calloc(1, sizeof *nvrtc);
    if (!nvrtc)
        return NULL;
    nvrtc->library = open_library();
    if (nvrtc->library &&
        !ifl_dynamic_find(nvrtc->library, symbols, sizeof symbols / sizeof *symbols, nvrtc))
        return nvrtc;
    ifl_nvrtc_close(nvrtc);
    return NULL;
}

void ifl_nvrtc_close(ifl_nvrtc *nvrtc)
{
    if (!nvrtc)
        return;
    ifl_dynamic_close(nvrtc->library);
    free(nvrtc);
}

typedef int (*size_getter)(program, size_t *);
typedef int (*text_getter)(program, char *);

static ifl_status get_text(const ifl_nvrtc *nvrtc, program p, size_getter get_size, text_getter get,
                           char **text, size_t *bytes, ifl_error *error)
{
    int code = get_size(p, bytes);
    *text = code == 0 ? calloc(1, *bytes + 1) : NULL;
    if (code == 0 && !*text)
        return ifl_fail_memory(error, *bytes + 1);
    if (code == 0)
        code = get(p, *text);
    if (code == 0)
        return IFL_OK;
    free(*text);
    *text = NULL;
    return ifl_fail(error, IFL_INTERNAL, "NVRTC: %s", nvrtc->error_string(code));
}

static ifl_status fail_with_log(const ifl_nvrtc *nvrtc, program p, const char *path, int code,
                                ifl_error *error)
{
    char *log = NULL;
    size_t bytes;
    ifl_status status = get_text(nvrtc, p, nvrtc->log_size, nvrtc->log, &log, &bytes, error);
    if (status == IFL_OK)
        status = ifl_fail_compile(error, "NVRTC", path, *log ? log : nvrtc->error_string(code));
    free(log);
    return status;
}

static ifl_status compile(const ifl_nvrtc *nvrtc, program p, const char *path, const char *arch,
                          char **ptx, size_t *bytes, ifl_error *error)
{
    char arch_option[64], include_option[IFL_PATH_BYTES + 2];
    const char *slash = strrchr(path, '/');
    snprintf(arch_option, sizeof arch_option, "--gpu-architecture=compute_%s", arch);
    snprintf(include_option, sizeof include_option, "-I%.*s", slash ? (int)(slash - path) : 1,
             slash ? path : ".");
    const char *options[5 + IFL_MOST_CUDA_OPTIONS] = {
        arch_option, "-lineinfo", include_option, "-I/usr/local/cuda/include", "-default-device"};
    ifl_cuda_options given;
    const ifl_status status = ifl_cuda_options_read(&given, error);
    if (status != IFL_OK)
        return status;
    for (size_t i = 0; i < given.count; i++)
        options[5 + i] = given.words[i];
    const int code = nvrtc->compile(p, (int)(5 + given.count), options);
    if (code != 0)
        return fail_with_log(nvrtc, p, path, code, error);
    return get_text(nvrtc, p, nvrtc->ptx_size, nvrtc->ptx, ptx, bytes, error);
}

ifl_status ifl_nvrtc_compile(const ifl_nvrtc *nvrtc, const char *path, const char *source,
                             const char *arch, char **ptx, size_t *bytes, ifl_error *error)
{
    program p;
    const int code = nvrtc->create(&p, source, path, 0, NULL, NULL);
    if (code != 0)
        return ifl_fail(error, IFL_INTERNAL, "NVRTC: %s", nvrtc->error_string(code));
    const ifl_status status = compile(nvrtc, p, path, arch, ptx, bytes, error);
    nvrtc->destroy(&p);
    return status;
}
