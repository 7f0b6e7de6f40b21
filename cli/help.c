/* SPDX-License-Identifier: Apache-2.0
 * inflight help, counters, opcodes; and what the tables of commands, options and topics look like
 * on a terminal. */
#include "commands.h"
#include "prove.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

static void print_paragraphs(const char *text, FILE *out)
{
    for (const char *line = text; *line; line += *line == '\n') {
        fputc('\n', out);
        ifl_cli_print_wrapped(line, 0, 0, out);
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
    ifl_cli_print_wrapped(text, indent, indent, out);
}

/* A command to copy: a line that is too long goes on behind a backslash, as the shell reads it. */
static void print_example(const char *text, FILE *out)
{
    enum { INDENT = 2, FURTHER = 6 };
    const int width = ifl_cli_prose_width();
    int column = fprintf(out, "%*s", INDENT, "");
    for (const char *word = text; *word;) {
        const int bytes = (int)strcspn(word, " ");
        const int room = word[bytes] ? width - 2 : width; /* " \\" */
        if (column > FURTHER && column + bytes > room)
            column = fprintf(out, "\\\n%*s", FURTHER, "") - 2;
        column += fprintf(out, "%.*s%s", bytes, word, word[bytes] ? " " : "");
        word += bytes + (word[bytes] == ' ');
    }
    fputc('\n', out);
}

static void print_usage(const ifl_cli_command *command, const char *usage, FILE *out)
{
    enum { FURTHER = 6 };
    const int name = fprintf(out, "  inflight %s%s", command->name, *usage ? " " : "");
    ifl_cli_print_wrapped(usage, name, FURTHER, out);
}

void ifl_cli_print_overview(FILE *out)
{
    ifl_cli_print_wrapped(
        "inflight: why a CUDA kernel does not reach the memory bandwidth, and what would help.", 0,
        0, out);
    fputs("\nCommands\n", out);
    for (size_t i = 0; ifl_cli_command_at(i); i++)
        print_entry(ifl_cli_command_at(i)->name, ifl_cli_command_at(i)->summary, 12, out);
    fputs("\nTopics\n", out);
    for (size_t i = 0; ifl_cli_topic_at(i); i++)
        print_entry(ifl_cli_topic_at(i)->name, ifl_cli_topic_at(i)->summary, 12, out);
    fputc('\n', out);
    ifl_cli_print_wrapped("'inflight help COMMAND' and 'inflight help TOPIC' explain more; "
                          "'inflight --version' prints the "
                          "version.",
                          0, 0, out);
    fputs("\nTo begin\n", out);
    for (size_t i = 0; ifl_cli_analyze.examples[i]; i++)
        print_example(ifl_cli_analyze.examples[i], out);
}

/* "-k, --kernel KERNEL"; without a letter as far in. */
static void name_option(const ifl_cli_meaning *is, char *text, size_t size)
{
    char letter[8] = "    ";
    if (is->letter)
        snprintf(letter, sizeof letter, "-%c, ", is->letter);
    snprintf(text, size, "%s--%s%s%s", letter, is->name, is->value ? " " : "",
             is->value ? is->value : "");
}

static void print_option(const ifl_cli_option *option, FILE *out)
{
    const ifl_cli_meaning *is = ifl_cli_meaning_of(option->id);
    char left[80], text[600];
    name_option(is, left, sizeof left);
    snprintf(text, sizeof text, "%s%s%s", is->text, option->here ? "; " : "",
             option->here ? option->here : "");
    print_entry(left, text, 24, out);
}

void ifl_cli_print_command(const ifl_cli_command *command, FILE *out)
{
    const int name = fprintf(out, "inflight %s: ", command->name);
    ifl_cli_print_wrapped(command->summary, name, 2, out);
    fputc('\n', out);
    for (size_t i = 0; command->usage[i]; i++)
        print_usage(command, command->usage[i], out);
    print_paragraphs(command->text, out);
    if (command->option_count)
        fputs("\nOptions\n", out);
    for (size_t i = 0; i < command->option_count; i++)
        print_option(&command->options[i], out);
    if (command->examples[0])
        fputs("\nExamples\n", out);
    for (size_t i = 0; command->examples[i]; i++)
        print_example(command->examples[i], out);
}

/* ---- options by command ---------------------------------------------------------------------- */

static void list_commands(ifl_cli_option_id id, char *text, size_t size)
{
    const char *name = ifl_cli_meaning_of(id)->name;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; ifl_cli_command_at(i) && used < size; i++)
        if (ifl_cli_option_find(ifl_cli_command_at(i), name, 0))
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     ifl_cli_command_at(i)->name);
}

void ifl_cli_print_option_topic(FILE *out)
{
    char left[80], commands[200];
    fputs("Options, and the commands that take them\n\n", out);
    for (ifl_cli_option_id id = 0; id < IFL_CLI_OPTION_COUNT; id++) {
        name_option(ifl_cli_meaning_of(id), left, sizeof left);
        list_commands(id, commands, sizeof commands);
        print_entry(left, commands, 28, out);
    }
    fputc('\n', out);
    ifl_cli_print_wrapped("An option means the same in every command that takes it; 'inflight help "
                          "COMMAND' says what it means. Values may stand behind a blank or behind "
                          "'='.",
                          0, 0, out);
}

/* A '|' would end the cell. */
static void put_cell(const char *text, FILE *out)
{
    for (; *text; text++)
        fprintf(out, *text == '|' ? "\\%c" : "%c", *text);
}

static void put_here(ifl_cli_option_id id, FILE *out)
{
    const char *separator = "";
    for (size_t i = 0; ifl_cli_command_at(i); i++) {
        const ifl_cli_command *command = ifl_cli_command_at(i);
        const ifl_cli_option *option =
            ifl_cli_option_find(command, ifl_cli_meaning_of(id)->name, 0);
        if (!option)
            continue;
        fprintf(out, "%s`%s`%s", separator, command->name, option->here ? ": " : "");
        put_cell(option->here ? option->here : "", out);
        separator = option->here ? ".<br>" : ", ";
    }
}

void ifl_cli_print_option_page(FILE *out)
{
    fputs("# Options by command\n\n"
          "Made from `cli/option.def`, which help, the man page and completion come from too.\n\n"
          "An option means the same in every command that takes it; the last column says what is "
          "special in one.\n"
          "Values may stand behind a blank or behind `=`. In brackets: what holds without the "
          "option.\n\n"
          "| option | meaning | commands |\n|---|---|---|\n",
          out);
    for (ifl_cli_option_id id = 0; id < IFL_CLI_OPTION_COUNT; id++) {
        const ifl_cli_meaning *is = ifl_cli_meaning_of(id);
        char name[80];
        name_option(is, name, sizeof name);
        fprintf(out, "| `%s` | ", name + strspn(name, " "));
        put_cell(is->text, out);
        fputs(" | ", out);
        put_here(id, out);
        fputs(" |\n", out);
    }
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
                      "there is no help on '%s'\n'inflight help' lists the commands and topics",
                      word);
    return ifl_cli_fail(&error);
}

/* The words of one command line as one: `inflight help L2 hits`. */
static void join(int word_count, char **words, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < word_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", words[i]);
}

/* A word of a report, each line of its meaning wrapped; false where no report has it. */
static bool explain(const char *word)
{
    ifl_error ignored = {0};
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory)
        return false;
    const bool is_known = ifl_explain(word, memory, &ignored) == IFL_OK;
    const bool is_whole = fclose(memory) == 0;
    for (const char *line = text; is_known && is_whole && *line; line += strcspn(line, "\n") + 1)
        ifl_cli_print_wrapped(line, 0, 2, stdout);
    free(text);
    return is_known && is_whole;
}

/* A name is one word; the words of a report may be several: `inflight help L2 hits`. */
static int help_on_words(int word_count, char **words)
{
    ifl_error error = {0};
    char joined[200] = "";
    join(word_count, words, joined, sizeof joined);
    if (explain(joined))
        return 0;
    if (!ifl_cli_command_find(words[0]) && !ifl_cli_topic_find(words[0]))
        return no_help(joined);
    ifl_cli_error(&error, IFL_USAGE, "'%s' is one word too many: inflight help %s", words[1],
                  words[0]);
    return ifl_cli_fail(&error);
}

static int help_on(const char *word)
{
    const ifl_cli_command *command = ifl_cli_command_find(word);
    const ifl_cli_topic *topic = ifl_cli_topic_find(word);
    if (command)
        ifl_cli_print_command(command, stdout);
    else if (topic)
        topic->print(stdout);
    else if (!explain(word))
        return no_help(word);
    return 0;
}

static int run_help(int word_count, char **words)
{
    if (word_count > 1)
        return help_on_words(word_count, words);
    if (!word_count)
        ifl_cli_print_overview(stdout);
    else if (strcmp(words[0], "--help") == 0 || strcmp(words[0], "-h") == 0)
        ifl_cli_print_command(&ifl_cli_help, stdout);
    else
        return help_on(words[0]);
    return 0;
}

const ifl_cli_command ifl_cli_help = {
    .name = "help",
    .usage = {"[COMMAND | TOPIC | WORD]", NULL},
    .summary = "explain a command, a topic, or a word of a report",
    .text = "",
    .operands = ":topics",
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
    if (status == IFL_OK && !help)
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
    {IFL_CLI_OPTION_record, NULL, set_record},
};

static int run_advice(int word_count, char **words)
{
    bool record = false, help = false;
    ifl_error error = {0};
    int first = 0;
    if (ifl_cli_parse(&ifl_cli_advice, word_count, words, &record, &first, &help, &error) != IFL_OK)
        return ifl_cli_fail(&error);
    if (!record && !help)
        return print_page(&ifl_cli_advice, word_count, words);
    if (!help)
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
    .text = "The page is Markdown, the same as docs/advice.md.",
    .options = advice_options,
    .option_count = sizeof advice_options / sizeof *advice_options,
    .run = run_advice,
};

const ifl_cli_command ifl_cli_counters = {
    .name = "counters",
    .usage = {"", NULL},
    .summary = "list what is counted, with Nsight Compute's names",
    .text = "The page is Markdown, the same as docs/counters.md.",
    .run = run_counters,
};

const ifl_cli_command ifl_cli_opcodes = {
    .name = "opcodes",
    .usage = {"", NULL},
    .summary = "list the PTX instructions that the engine runs",
    .text = "The page is Markdown, the same as docs/opcodes.md.",
    .run = run_opcodes,
};
