/* SPDX-License-Identifier: Apache-2.0
 * Words for the shell's completion: inflight --words [COMMAND | topics | gpus | cases | kernels
 * FILE], one a line. What cannot be found has none, and nothing is said. */
#include "commands.h"
#include "lab_find.h"

#include <string.h>

static void print_topics(const char *file, FILE *out)
{
    (void)file;
    for (size_t i = 0; ifl_cli_command_at(i); i++)
        fprintf(out, "%s\n", ifl_cli_command_at(i)->name);
    for (size_t i = 0; ifl_cli_topic_at(i); i++)
        fprintf(out, "%s\n", ifl_cli_topic_at(i)->name);
}

static void print_gpus(const char *file, FILE *out)
{
    (void)file;
    for (size_t i = 0; ifl_device_id(i); i++)
        fprintf(out, "%.*s\n", (int)(strlen(ifl_device_id(i)) - strlen(".gpu")), ifl_device_id(i));
}

static void print_cases(const char *file, FILE *out)
{
    ifl_cli_cases cases;
    ifl_error ignored = {0};
    (void)file;
    if (ifl_cli_cases_find(&cases, &ignored) != IFL_OK)
        return;
    for (size_t i = 0; i < cases.count; i++)
        fprintf(out, "%s\n", cases.names[i]);
    ifl_cli_cases_free(&cases);
}

/* Machine code without PTX has no module. */
static void print_kernels(const char *file, FILE *out)
{
    ifl_machine *machine;
    ifl_module *module;
    ifl_error ignored = {0};
    if (!file)
        return;
    if (ifl_machine_open(file, NULL, &machine, &ignored) == IFL_OK) {
        for (size_t i = 0; i < ifl_machine_kernel_count(machine); i++)
            fprintf(out, "%s\n", ifl_machine_kernel_name(machine, i));
        ifl_machine_close(machine);
    } else if (ifl_module_open(file, NULL, &module, &ignored) == IFL_OK) {
        for (size_t i = 0; i < ifl_module_kernel_count(module); i++)
            fprintf(out, "%s\n", ifl_module_kernel_name(module, i));
        ifl_module_close(module);
    }
}

static void print_options(const ifl_cli_command *command, FILE *out)
{
    for (size_t i = 0; i < command->option_count; i++)
        fprintf(out, "--%s%s\n", command->options[i].name, command->options[i].value ? "=" : "");
    fputs("--help\n", out);
}

static const struct {
    const char *name;
    void (*print)(const char *file, FILE *out);
} lists[] = {{"topics", print_topics},
             {"gpus", print_gpus},
             {"cases", print_cases},
             {"kernels", print_kernels}};

void ifl_cli_print_words(const char *name, const char *file, FILE *out)
{
    const ifl_cli_command *command = name ? ifl_cli_command_find(name) : NULL;
    if (command)
        print_options(command, out);
    for (size_t i = 0; name && i < sizeof lists / sizeof *lists; i++)
        if (strcmp(lists[i].name, name) == 0)
            lists[i].print(file, out);
    for (size_t i = 0; !name && ifl_cli_command_at(i); i++)
        fprintf(out, "%s\n", ifl_cli_command_at(i)->name);
}
