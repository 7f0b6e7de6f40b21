/* SPDX-License-Identifier: Apache-2.0
 * What a file's kernels are and how one is run: the help for a command line that is not
 * complete. */
#include "analyze.h"
#include "terminal.h"

#include <string.h>

static const char safe_in_a_shell[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@%^";

static void print_word(const char *word, FILE *out)
{
    if (*word && strspn(word, safe_in_a_shell) == strlen(word)) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    while (*word) {
        const size_t plain = strcspn(word, "'");
        ifl_cli_put(word, plain, out);
        fputs(word[plain] ? "'\\''" : "", out);
        word += plain + (word[plain] != '\0');
    }
    fputc('\'', out);
}

/* "f32*", "i32" */
static void print_argument(const char *type, FILE *out)
{
    const char *star = strchr(type, '*');
    const bool is_real = strchr(type, 'f') != NULL;
    if (!*type)
        fputs(" ARG", out);
    else if (star)
        fprintf(out, " %.*sx1024=%s", (int)(star - type), type, is_real ? "random" : "zero");
    else
        fprintf(out, " %s:%s", type, is_real ? "1" : "1024");
}

/* PTX types of parameters; what is 8 bytes wide is a pointer more often than a number. */
static const struct {
    const char *type;
    const char *word;
} ptx_guesses[] = {
    {"u64", "f32x1024=zero"}, {"b64", "f32x1024=zero"}, {"f32", "f32:1"}, {"f64", "f64:1"},
    {"u32", "1024"},          {"s32", "1024"},          {"b32", "1024"},  {"u16", "1024"},
    {"s64", "1024"},          {"s16", "1024"},          {"u8", "1"},      {"s8", "1"},
};

static void print_ptx_argument(const char *type, FILE *out)
{
    const char *word = "ARG";
    for (size_t i = 0; i < sizeof ptx_guesses / sizeof *ptx_guesses; i++)
        if (strcmp(ptx_guesses[i].type, type) == 0)
            word = ptx_guesses[i].word;
    fprintf(out, " %s", word);
}

/* One word a parameter, by "name(type, type)" where the signature tells, else by the PTX. */
static void print_arguments(const ifl_module *module, size_t kernel, FILE *out)
{
    const char *ptx;
    for (size_t i = 0; (ptx = ifl_module_kernel_parameter(module, kernel, i)); i++) {
        const char *type = ifl_module_kernel_type(module, kernel, i);
        if (type)
            print_argument(type, out);
        else
            print_ptx_argument(ptx, out);
    }
}

/* The function's name where no other kernel has it, else the mangled name. */
static const char *short_name(const ifl_module *module, size_t kernel, char *to, size_t size)
{
    const char *signature = ifl_module_kernel_signature(module, kernel);
    size_t length = strcspn(signature, "(<");
    for (size_t i = 0; i < ifl_module_kernel_count(module); i++) {
        const char *other = ifl_module_kernel_signature(module, i);
        if (i != kernel && strcspn(other, "(<") == length && !strncmp(other, signature, length))
            return ifl_module_kernel_name(module, kernel);
    }
    if (!length || length >= size)
        return ifl_module_kernel_name(module, kernel);
    snprintf(to, size, "%.*s", (int)length, signature);
    return to;
}

static void print_command_line(const ifl_cli_request *request, const ifl_module *module,
                               size_t kernel, FILE *out)
{
    char name[256];
    fputs("  inflight analyze ", out);
    print_word(request->file, out);
    fputs(" -k ", out);
    print_word(short_name(module, kernel, name, sizeof name), out);
    fprintf(out, " -g %s -b %s", request->grid ? request->grid : "4",
            request->block ? request->block : "256");
    if (!request->argument_count)
        print_arguments(module, kernel, out);
    for (int i = 0; i < request->argument_count; i++) {
        fputc(' ', out);
        print_word(request->arguments[i], out);
    }
    fputc('\n', out);
}

/* C names have no types of their own: those of the PTX follow. */
static void print_kernel(const ifl_module *module, size_t kernel, FILE *out)
{
    const char *signature = ifl_module_kernel_signature(module, kernel), *type;
    fprintf(out, "  %s", signature);
    if (!strchr(signature, '(')) {
        fputc('(', out);
        for (size_t i = 0; (type = ifl_module_kernel_parameter(module, kernel, i)); i++)
            fprintf(out, "%s%s", i ? ", " : "", type);
        fputc(')', out);
    }
    fputc('\n', out);
}

/* The kernel that was named in full, or the number of kernels. */
static size_t chosen(const ifl_cli_request *request, const ifl_module *module, size_t count)
{
    size_t index = 0;
    if (!request->kernel)
        return count;
    while (index < count && strcmp(request->kernel, ifl_module_kernel_name(module, index)) != 0)
        index++;
    return index;
}

static void print_kernels(const ifl_cli_request *request, const ifl_module *module, size_t count)
{
    size_t only = chosen(request, module, count), shown = only < count ? only : 0;
    if (only == count) {
        ifl_cli_put(request->file, strlen(request->file), stdout);
        printf(" has %zu kernel%s:\n", count, count == 1 ? "" : "s");
        for (size_t i = 0; i < count; i++)
            print_kernel(module, i, stdout);
        fputc('\n', stdout);
    }
    printf("To analyze one, adapt grid, block and arguments ('inflight help arguments'):\n");
    print_command_line(request, module, shown, stdout);
    fputc('\n', stdout);
}

bool ifl_cli_can_run(const ifl_cli_request *request, const ifl_module *module)
{
    bool one = request->kernel || ifl_module_kernel_count(module) == 1;
    return one && request->grid && request->block;
}

static bool is_a_kernel(const ifl_module *module, const char *name, ifl_error *error)
{
    ifl_launch *launch = NULL;
    const bool found = ifl_launch_new(module, name, &launch, error) == IFL_OK;
    ifl_launch_free(launch);
    return found;
}

int ifl_cli_say_what_is_missing(const ifl_cli_request *request, const ifl_module *module)
{
    ifl_error error = {0};
    size_t count = ifl_module_kernel_count(module);
    if (!count) {
        ifl_cli_error(&error, IFL_BAD_INPUT, "'%s' holds no kernel", request->file);
        return ifl_cli_fail(&error);
    }
    if (request->kernel && !is_a_kernel(module, request->kernel, &error))
        return ifl_cli_fail(&error);
    print_kernels(request, module, count);
    if (!request->kernel && count > 1)
        ifl_cli_error(&error, IFL_USAGE, "the file has several kernels, and -k KERNEL is missing");
    else if (!request->grid)
        ifl_cli_error(&error, IFL_USAGE, "-g X[,Y[,Z]] is missing: the blocks of the grid");
    else
        ifl_cli_error(&error, IFL_USAGE, "-b X[,Y[,Z]] is missing: the threads of a block");
    return ifl_cli_fail(&error);
}
