/* SPDX-License-Identifier: Apache-2.0
 * inflight help, counters, opcodes; and what the tables of commands, options and topics look like
 * on a terminal. */
#include "commands.h"
#include "prove.h"
#include "terminal.h"

#include <string.h>

enum { WIDTH = 88 };

/* Words wrapped to WIDTH; the first line begins at column `at` already, the others at `indent`. */
static void print_wrapped(const char *text, int at, int indent, FILE *out)
{
    int column = at;
    for (const char *word = text; *word;) {
        int bytes = (int)strcspn(word, " \n");
        if (column > indent && column + 1 + bytes > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", bytes, word);
        column += bytes;
        word += bytes;
        if (*word == '\n')
            break;
        word += *word == ' ';
    }
    fputc('\n', out);
}

static void print_paragraphs(const char *text, FILE *out)
{
    for (const char *line = text; *line; line += *line == '\n') {
        fputc('\n', out);
        print_wrapped(line, 0, 0, out);
        line += strcspn(line, "\n");
    }
}

static void print_entry(const char *left, const char *text, int width, FILE *out)
{
    int indent = width + 4;
    if ((int)strlen(left) > width)
        fprintf(out, "  %s\n%*s", left, indent, "");
    else
        fprintf(out, "  %-*s  ", width, left);
    print_wrapped(text, indent, indent, out);
}

void ifl_cli_print_overview(FILE *out)
{
    fputs("inflight: why a CUDA kernel does not reach the memory bandwidth, and what would help.\n\nCommands\n",
          out);
    for (size_t i = 0; ifl_cli_command_at(i); i++)
        print_entry(ifl_cli_command_at(i)->name, ifl_cli_command_at(i)->summary, 12, out);
    fputs("\nTopics\n", out);
    for (size_t i = 0; ifl_cli_topic_at(i); i++)
        print_entry(ifl_cli_topic_at(i)->name, ifl_cli_topic_at(i)->summary, 12, out);
    fputs("\n'inflight help COMMAND' and 'inflight help TOPIC' explain more; 'inflight --version' prints the "
          "version.\n"
          "\nTo begin\n",
          out);
    for (size_t i = 0; ifl_cli_analyze.examples[i]; i++)
        fprintf(out, "  %s\n", ifl_cli_analyze.examples[i]);
}

static void print_option(const ifl_cli_option *option, FILE *out)
{
    char left[80], letter[8] = "    ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, option->value ? " " : "",
             option->value ? option->value : "");
    print_entry(left, option->help, 24, out);
}

void ifl_cli_print_command(const ifl_cli_command *command, FILE *out)
{
    fprintf(out, "inflight %s: %s\n\n", command->name, command->summary);
    for (size_t i = 0; command->usage[i]; i++)
        fprintf(out, "  inflight %s%s%s\n", command->name, *command->usage[i] ? " " : "",
                command->usage[i]);
    print_paragraphs(command->text, out);
    if (command->option_count)
        fputs("\nOptions\n", out);
    for (size_t i = 0; i < command->option_count; i++)
        print_option(&command->options[i], out);
    if (command->examples[0])
        fputs("\nExamples\n", out);
    for (size_t i = 0; command->examples[i]; i++)
        fprintf(out, "  %s\n", command->examples[i]);
}

/* ---- help ------------------------------------------------------------------------------------ */

static const char *help_name(const void *user, size_t index)
{
    size_t commands = 0;
    (void)user;
    while (ifl_cli_command_at(commands))
        commands++;
    if (index < commands)
        return ifl_cli_command_at(index)->name;
    return ifl_cli_topic_at(index - commands) ? ifl_cli_topic_at(index - commands)->name : NULL;
}

static int no_help(const char *word)
{
    ifl_error error = {0};
    const char *close = ifl_cli_closest(word, help_name, NULL);
    if (close)
        ifl_cli_error(&error, IFL_USAGE, "there is no help on '%s'; did you mean '%s'?", word,
                      close);
    else
        ifl_cli_error(&error, IFL_USAGE,
                      "there is no help on '%s'\n'inflight help' lists the commands and topics", word);
    return ifl_cli_fail(&error);
}

static int run_help(int word_count, char **words)
{
    const ifl_cli_command *command = word_count ? ifl_cli_command_find(words[0]) : NULL;
    const ifl_cli_topic *topic = word_count ? ifl_cli_topic_find(words[0]) : NULL;
    if (!word_count)
        ifl_cli_print_overview(stdout);
    else if (command)
        ifl_cli_print_command(command, stdout);
    else if (topic)
        topic->print(stdout);
    else
        return no_help(words[0]);
    return 0;
}

const ifl_cli_command ifl_cli_help = {
    .name = "help",
    .usage = {"[COMMAND | TOPIC]", NULL},
    .summary = "explain a command or a topic",
    .text = "",
    .run = run_help,
};

/* ---- pages that the library makes from its tables -------------------------------------------- */

static int print_page(const ifl_cli_command *command, int word_count, char **words)
{
    ifl_error error = {0};
    int first = 0;
    bool help = false;
    bool unused = false;
    ifl_status status = ifl_cli_parse(command, word_count, words, &unused, &first, &help, &error);
    if (status == IFL_OK && !help && first < word_count)
        status = ifl_cli_error(&error, IFL_USAGE, "'%s' is one word too many: inflight %s",
                               words[first], command->name);
    if (status == IFL_OK && help)
        ifl_cli_print_command(command, stdout);
    else if (status == IFL_OK)
        status = ifl_document(command->name, stdout, &error);
    return status == IFL_OK ? 0 : ifl_cli_fail(&error);
}

static ifl_status set_record(void *user, const char *value, ifl_error *error)
{
    (void)value;
    (void)error;
    *(bool *)user = true;
    return IFL_OK;
}

static const ifl_cli_option advice_options[] = {
    {0, "record", NULL, "how often each remedy was proven, and how accurate the predictions were: 'inflight help "
                        "prove'", set_record},
};

static int run_advice(int word_count, char **words)
{
    bool record = false, help = false;
    ifl_error error = {0};
    int first = 0;
    if (ifl_cli_parse(&ifl_cli_advice, word_count, words, &record, &first, &help, &error) != IFL_OK)
        return ifl_cli_fail(&error);
    if (!record)
        return print_page(&ifl_cli_advice, word_count, words);
    ifl_cli_print_record(stdout);
    return 0;
}

static int run_counters(int word_count, char **words)
{
    return print_page(&ifl_cli_counters, word_count, words);
}

static int run_opcodes(int word_count, char **words)
{
    return print_page(&ifl_cli_opcodes, word_count, words);
}

const ifl_cli_command ifl_cli_advice = {
    .name = "advice",
    .usage = {"[--record]", NULL},
    .summary = "list the remedies that a report can advise, with their symptoms and costs",
    .text = "The page is Markdown: docs/advice.md.",
    .options = advice_options,
    .option_count = sizeof advice_options / sizeof *advice_options,
    .run = run_advice,
};

const ifl_cli_command ifl_cli_counters = {
    .name = "counters",
    .usage = {"", NULL},
    .summary = "list what is counted, with Nsight Compute's names",
    .text = "The page is Markdown: docs/counters.md.",
    .run = run_counters,
};

const ifl_cli_command ifl_cli_opcodes = {
    .name = "opcodes",
    .usage = {"", NULL},
    .summary = "list the PTX instructions that the engine runs",
    .text = "The page is Markdown: docs/opcodes.md.",
    .run = run_opcodes,
};
