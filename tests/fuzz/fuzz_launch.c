/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes launch files: the lines, then every property and argument against a kernel with a
 * parameter of each kind. The arguments are laid out in memory when they are small. Files that
 * they name are not opened: the folder that their names are relative to does not exist. */
#include "run/launch.h"
#include "run/launch_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_BUFFER_BYTES = 1 << 16, PARAMS = 7 };

static ifl_variable variables[PARAMS] = {
    {.type = IFL_TYPE_U32, .bytes = 4, .offset = 0},
    {.type = IFL_TYPE_F32, .bytes = 4, .offset = 4},
    {.type = IFL_TYPE_U64, .bytes = 8, .offset = 8},
    {.type = IFL_TYPE_U64, .bytes = 8, .offset = 16},
    {.type = IFL_TYPE_B8, .bytes = 12, .offset = 24},
    {.type = IFL_TYPE_F64, .bytes = 8, .offset = 40},
    {.type = IFL_TYPE_S16, .bytes = 2, .offset = 48},
};
static const uint32_t params[PARAMS] = {0, 1, 2, 3, 4, 5, 6};
static ifl_function function = {
    .name = "k", .is_kernel = true, .params = params, .param_count = PARAMS, .param_bytes = 56};
static ifl_program program = {
    .functions = &function, .function_count = 1, .variables = variables, .variable_count = PARAMS};

/* A module as ifl_module_open would make it. */
static ifl_kernel kernel = {.program = &program, .function = 0};
static ifl_kernel_name name = {"k", "k(...)"};
static const ifl_module module = {
    .path = "k.ptx", .kernels = {&kernel, 1, 1}, .names = {&name, 1, 1}};

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
    if (ifl_launch_new(&module, NULL, &launch, &error) != IFL_OK)
        return;
    launch->directory = "/nonexistent";
    const ifl_status status = ifl_launch_file_apply(file, launch, &error);
    if (status == IFL_INTERNAL || status == IFL_FINDING)
        abort();
    /* The other arguments are given, so that what was read gets laid out. */
    static const char *const rest[PARAMS] = {
        "1", "1", "null", "null", "bytes:000000000000000000000000", "1", "1"};
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
