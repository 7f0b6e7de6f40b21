/* SPDX-License-Identifier: Apache-2.0
 * Words for the shell's completion: inflight --words [COMMAND | topics | gpus | cases | kernels
 * FILE], one a line. What cannot be found has none, and nothing is said. */
#include "commands.h"
#include "lab_find.h"

#include <stdlib.h>
#include <string.h>

static void print_commands(const char *file, FILE *out)
{
    (void)file;
    for (size_t i = 0; ifl_cli_command_at(i); i++)
        fprintf(out, "%s\n", ifl_cli_command_at(i)->name);
}

static void print_topics(const char *file, FILE *out)
{
    print_commands(file, out);
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
    for (size_t i = 0; i < command->option_count; i++) {
        const ifl_cli_meaning *is = ifl_cli_meaning_of(command->options[i].id);
        fprintf(out, "--%s%s\n", is->name, is->value ? "=" : "");
    }
    fputs("--help\n", out);
}

static const struct {
    const char *name;
    void (*print)(const char *file, FILE *out);
} lists[] = {{"topics", print_topics},
             {"gpus", print_gpus},
             {"cases", print_cases},
             {"kernels", print_kernels},
             {"versions", ifl_cli_lab_print_versions},
             {"sweeps", ifl_cli_lab_print_sweeps},
             {"metrics", ifl_cli_lab_print_metrics},
             {"commands", print_commands}};

void ifl_cli_print_words(const char *name, const char *file, FILE *out)
{
    const ifl_cli_command *command = name ? ifl_cli_command_find(name) : NULL;
    if (command)
        print_options(command, out);
    for (size_t i = 0; name && i < sizeof lists / sizeof *lists; i++)
        if (strcmp(lists[i].name, name) == 0)
            lists[i].print(file, out);
    if (!name)
        print_commands(NULL, out);
}

/* ---- the word at the cursor ------------------------------------------------------------------- */

/* A command line up to the cursor. */
typedef struct line {
    const ifl_cli_command *command;
    char **words; /* behind the command's name, without the last */
    int count;
    const char *current;           /* the last word, as far as it is written */
    const ifl_cli_option *waiting; /* the option whose value it is; NULL: none's */
    const char *first;             /* the first operand; NULL: none yet */
    bool is_ended;                 /* no option can follow */
} line;

/* Those lines of `text` that begin as the word does, each behind `before`. */
static void print_fitting(const char *text, const char *before, const char *current, FILE *out)
{
    while (*text) {
        const size_t bytes = strcspn(text, " \n");
        if (bytes >= strlen(current) && strncmp(text, current, strlen(current)) == 0)
            fprintf(out, "%s%.*s\n", before, (int)bytes, text);
        text += bytes + (text[bytes] != '\0');
    }
}

static void print_list(const char *name, const line *l, const char *before, const char *current,
                       FILE *out)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory)
        return;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strcmp(lists[i].name, name) == 0)
            lists[i].print(l->first, memory);
    if (fclose(memory) == 0)
        print_fitting(text, before, current, out);
    free(text);
}

static void print_values(const char *words, const line *l, const char *before, const char *current,
                         FILE *out)
{
    if (strcmp(words, ":files") == 0 || strcmp(words, ":folders") == 0)
        fprintf(out, "%s\n", words);
    else if (words[0] == ':')
        print_list(words + 1, l, before, current, out);
    else
        print_fitting(words, before, current, out);
}

static const char *words_of(const line *l, const ifl_cli_option *option)
{
    const bool is_narrower = l->command->narrower.words && l->command->narrower.id == option->id;
    return is_narrower ? l->command->narrower.words : ifl_cli_meaning_of(option->id)->words;
}

/* --code=ma: the words begin behind the '='. */
static void print_joined(const line *l, FILE *out)
{
    char name[80], before[80];
    const char *equals = strchr(l->current, '=');
    const int bytes = (int)(equals - l->current);
    snprintf(name, sizeof name, "%.*s", bytes - 2, l->current + 2);
    snprintf(before, sizeof before, "%.*s=", bytes, l->current);
    const ifl_cli_option *option = ifl_cli_option_find(l->command, name, 0);
    if (option)
        print_values(words_of(l, option), l, before, equals + 1, out);
}

static void print_option_names(const line *l, FILE *out)
{
    char name[80];
    for (size_t i = 0; i < l->command->option_count; i++) {
        const ifl_cli_meaning *is = ifl_cli_meaning_of(l->command->options[i].id);
        snprintf(name, sizeof name, "--%s%s", is->name, is->value ? "=" : "");
        print_fitting(name, "", l->current, out);
    }
    print_fitting("--help", "", l->current, out);
}

/* What a word before the cursor is: an option, whose value may be the next, or an operand. */
static void read_word(line *l, const char *word)
{
    const ifl_cli_option *option = NULL;
    if (l->waiting) {
        l->waiting = NULL;
        return;
    }
    if (!l->is_ended && strcmp(word, "--") == 0) {
        l->is_ended = true;
        return;
    }
    if (l->is_ended || word[0] != '-' || !word[1]) {
        l->first = l->first ? l->first : word;
        l->is_ended |= l->command->ends_at_operand;
        return;
    }
    if (word[1] == '-')
        option = strchr(word, '=') ? NULL : ifl_cli_option_find(l->command, word + 2, 0);
    else if (!word[2])
        option = ifl_cli_option_find(l->command, NULL, word[1]);
    l->waiting = option && ifl_cli_meaning_of(option->id)->value ? option : NULL;
}

static void print_next(const line *l, FILE *out)
{
    const char *operands = l->command->operands ? l->command->operands : ":files";
    if (l->waiting)
        print_values(words_of(l, l->waiting), l, "", l->current, out);
    else if (!l->is_ended && strncmp(l->current, "--", 2) == 0 && strchr(l->current, '='))
        print_joined(l, out);
    else if (!l->is_ended && l->current[0] == '-')
        print_option_names(l, out);
    else
        print_values(operands, l, "", l->current, out);
}

void ifl_cli_print_completion(int word_count, char **words, FILE *out)
{
    line l = {.current = word_count ? words[word_count - 1] : ""};
    if (word_count <= 1) {
        print_list("commands", &l, "", l.current, out);
        print_fitting("--help --version", "", l.current, out);
        return;
    }
    l.command = ifl_cli_command_find(words[0]);
    for (int i = 1; l.command && i + 1 < word_count; i++)
        read_word(&l, words[i]);
    if (l.command)
        print_next(&l, out);
}
