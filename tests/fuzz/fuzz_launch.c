/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes launch files: the lines, then every property and argument against a kernel with a
 * parameter of each kind. The arguments are laid out in memory when they are small. Files that
 * they name are not opened: the folder that their names are relative to does not exist. */
#include "session/launch.h"
#include "session/launch_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_BUFFER_BYTES = 1 << 16, PARAMS = 8 };

static const char text_of_module[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u32 a, .param .f32 b, .param .u64 c, .param .u64 d,\n"
    "    .param .align 4 .b8 e[12], .param .f64 f, .param .s16 g,\n"
    "    .param .align 8 .b8 h[24])\n{\nret;\n}\n";

static const ifl_module *module_of_all(void)
{
    static ifl_module *module; /* for as long as the fuzzer runs */
    if (!module && ifl_module_open_bytes("k.ptx", text_of_module, sizeof text_of_module - 1, 90,
                                         false, &module, NULL) != IFL_OK)
        abort();
    return module;
}

static bool is_small(const ifl_launch *launch)
{
    for (size_t i = 0; i < launch->arguments.count; i++) {
        const ifl_argument *argument = &launch->arguments.at[i];
        if (argument->kind == IFL_ARGUMENT_BUFFER &&
            argument->count > MAX_BUFFER_BYTES / argument->element->bytes)
            return false;
    }
    return true;
}

static void apply(const ifl_launch_file *file)
{
    ifl_launch *launch;
    ifl_error error;
    if (ifl_launch_new(module_of_all(), NULL, &launch, &error) != IFL_OK)
        return;
    launch->directory = "/nonexistent";
    const ifl_status status = ifl_launch_file_apply(file, launch, &error);
    if (status == IFL_INTERNAL || status == IFL_FINDING)
        abort();
    /* The other arguments are given, so that what was read gets laid out. */
    static const char *const rest[PARAMS] = {"1",
                                             "1",
                                             "null",
                                             "null",
                                             "bytes:000000000000000000000000",
                                             "1",
                                             "1",
                                             "struct:null,f32x4=iota,i32:1"};
    for (size_t i = launch->arguments.count; i < PARAMS; i++)
        if (ifl_launch_set(launch, "arg", rest[i], &error) != IFL_OK)
            break;
    if (is_small(launch))
        ifl_launch_prepare(launch, 1, NULL, &error);
    ifl_launch_free(launch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ifl_launch_file *file;
    ifl_error error;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (ifl_launch_file_parse("fuzz.launch", text, size, &file, &error) == IFL_OK) {
        apply(file);
        ifl_launch_file_free(file);
    }
    free(text);
    return 0;
}
