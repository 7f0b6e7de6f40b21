/* SPDX-License-Identifier: Apache-2.0
 * nvJitLink behind dlopen. The signatures are those of NVIDIA's nvJitLink documentation. */
#include "compile/nvjitlink.h"

#include "base/dynamic.h"
#include "base/shared.h"

#include <stdio.h>
#include <stdlib.h>

typedef void *linking;

typedef struct linker {
    int (*create)(linking *, uint32_t options, const char **option);
    int (*add)(linking, int type, const void *bytes, size_t size, const char *name);
    int (*complete)(linking);
    int (*cubin_size)(linking, size_t *);
    int (*cubin)(linking, void *);
    int (*log_size)(linking, size_t *);
    int (*log)(linking, char *);
    int (*destroy)(linking *);
} linker;

static const ifl_symbol symbols[] = {
    {"nvJitLinkCreate", offsetof(linker, create), true},
    {"nvJitLinkAddData", offsetof(linker, add), true},
    {"nvJitLinkComplete", offsetof(linker, complete), true},
    {"nvJitLinkGetLinkedCubinSize", offsetof(linker, cubin_size), true},
    {"nvJitLinkGetLinkedCubin", offsetof(linker, cubin), true},
    {"nvJitLinkGetErrorLogSize", offsetof(linker, log_size), true},
    {"nvJitLinkGetErrorLog", offsetof(linker, log), true},
    {"nvJitLinkDestroy", offsetof(linker, destroy), true},
};

static bool find(linker *out)
{
    static const char *const folders[] = {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"};
    static const char *const names[] = {"libnvJitLink.so", "libnvJitLink.so.13",
                                        "libnvJitLink.so.12"};
    void *library = ifl_dynamic_open(folders, sizeof folders / sizeof *folders, names,
                                     sizeof names / sizeof *names);
    return library && !ifl_dynamic_find(library, symbols, sizeof symbols / sizeof *symbols, out);
}

static ifl_status fail_with_log(const linker *by, linking l, const char *name, ifl_error *error)
{
    size_t bytes = 0;
    char *log = by->log_size(l, &bytes) == 0 ? calloc(1, bytes + 1) : NULL;
    if (log)
        by->log(l, log);
    const ifl_status status =
        ifl_fail(error, IFL_BAD_INPUT, "nvJitLink, %.200s: %.800s", name, log ? log : "");
    free(log);
    return status;
}

static ifl_status take_cubin(const linker *by, linking l, char **image, size_t *bytes,
                             ifl_error *error)
{
    *image = by->cubin_size(l, bytes) == 0 ? malloc(*bytes + 1) : NULL;
    if (!*image)
        return ifl_fail_memory(error, *bytes + 1);
    return by->cubin(l, *image) == 0 ? IFL_OK : fail_with_log(by, l, "the linked code", error);
}

static ifl_status link_all(const linker *by, linking l, const ifl_link_input *inputs, size_t count,
                           ifl_error *error)
{
    static const int types[] = {1, 2, 4, 5, 6, 3}; /* nvJitLinkInputType of CUjitInputType */
    for (size_t i = 0; i < count; i++) {
        const ifl_link_input *in = &inputs[i];
        const bool is_type = in->type >= 0 && (size_t)in->type < sizeof types / sizeof *types;
        if (!is_type || by->add(l, types[in->type], in->bytes, in->size, in->name) != 0)
            return fail_with_log(by, l, in->name, error);
    }
    return by->complete(l) == 0 ? IFL_OK : fail_with_log(by, l, "linking", error);
}

IFL_SHARED ifl_status ifl_nvjitlink(const char *arch, const ifl_link_input *inputs, size_t count,
                                    char **image, size_t *bytes, ifl_error *error)
{
    char option[32];
    const char *options[] = {option};
    linker by;
    linking l;
    snprintf(option, sizeof option, "-arch=sm_%s", arch);
    if (!find(&by))
        return ifl_fail(
            error, IFL_UNSUPPORTED,
            "linking device code needs nvJitLink (libnvJitLink.so), which is not found");
    if (by.create(&l, 1, options) != 0)
        return ifl_fail(error, IFL_UNSUPPORTED, "nvJitLink does not link for sm_%s", arch);
    ifl_status status = link_all(&by, l, inputs, count, error);
    if (status == IFL_OK)
        status = take_cubin(&by, l, image, bytes, error);
    by.destroy(&l);
    return status;
}
