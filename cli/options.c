/* SPDX-License-Identifier: Apache-2.0
 * Reading a command's options by its table. */
#include "commands.h"
#include "terminal.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 40, HELP = 1000, FIRST_LONG = 2000 };

typedef struct tables {
    struct option longs[MOST_OPTIONS + 2];
    char shorts[3 * MOST_OPTIONS + 5];
} tables;

static const ifl_cli_meaning meanings[] = {
#define OPTION(id, letter, name, value, words, meaning) {letter, name, value, words, meaning},
#include "option.def"
};

const ifl_cli_meaning *ifl_cli_meaning_of(ifl_cli_option_id id)
{
    return &meanings[id];
}

const ifl_cli_option *ifl_cli_option_find(const ifl_cli_command *command, const char *name,
                                          char letter)
{
    for (size_t i = 0; i < command->option_count; i++) {
        const ifl_cli_meaning *is = ifl_cli_meaning_of(command->options[i].id);
        if (name ? strcmp(is->name, name) == 0 : letter && is->letter == letter)
            return &command->options[i];
    }
    return NULL;
}

/* The leading ':' makes getopt tell a missing value from an unknown option. */
static void make_tables(const ifl_cli_command *command, tables *t)
{
    char *letter = t->shorts;
    *t = (tables){0};
    if (command->ends_at_operand)
        *letter++ = '+';
    *letter++ = ':';
    *letter++ = 'h';
    for (size_t i = 0; i < command->option_count && i < MOST_OPTIONS; i++) {
        const ifl_cli_meaning *option = ifl_cli_meaning_of(command->options[i].id);
        t->longs[i] = (struct option){option->name, option->value ? required_argument : no_argument,
                                      NULL, FIRST_LONG + (int)i};
        if (!option->letter)
            continue;
        *letter++ = option->letter;
        if (option->value)
            *letter++ = ':';
    }
    t->longs[command->option_count] = (struct option){"help", no_argument, NULL, HELP};
}

static const ifl_cli_option *option_of(const ifl_cli_command *command, int code)
{
    if (code >= FIRST_LONG)
        return &command->options[code - FIRST_LONG];
    return ifl_cli_option_find(command, NULL, (char)code);
}

static const char *option_name(const void *user, size_t index)
{
    const ifl_cli_command *command = user;
    return index < command->option_count ? ifl_cli_meaning_of(command->options[index].id)->name
                                         : NULL;
}

/* The long options that `name` abbreviates, ", " between them. */
static size_t list_abbreviated(const ifl_cli_command *command, const char *name, char *text,
                               size_t size)
{
    size_t count = 0, used = 0;
    for (size_t i = 0; i < command->option_count && used < size; i++) {
        const char *whole = option_name(command, i);
        if (strncmp(whole, name, strlen(name)) == 0)
            used +=
                (size_t)snprintf(text + used, size - used, "%s--%s", count++ ? ", " : "", whole);
    }
    return count;
}

static ifl_status unknown_option(const ifl_cli_command *command, const char *word, ifl_error *error)
{
    char name[64], all[256];
    if (optopt) { /* 0 for a long one */
        if (isdigit((unsigned char)optopt) || optopt == '.')
            return ifl_cli_error(error, IFL_USAGE,
                                 "there is no option '-%c'\nput a negative number after '--', or "
                                 "give its type: i32:-1",
                                 optopt);
        return ifl_cli_error(error, IFL_USAGE,
                             "there is no option '-%c'\n'inflight help %s' lists the options",
                             optopt, command->name);
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    if (*name && list_abbreviated(command, name, all, sizeof all) > 1)
        return ifl_cli_error(error, IFL_USAGE, "'--%s' can be any of %s", name, all);
    const char *close = ifl_cli_closest(name, option_name, command);
    if (close)
        return ifl_cli_error(error, IFL_USAGE, "there is no option '--%s'; did you mean '--%s'?",
                             name, close);
    return ifl_cli_error(error, IFL_USAGE,
                         "there is no option '--%s'\n'inflight help %s' lists the options", name,
                         command->name);
}

/* "-gpu" would be -g with the value "pu". */
static ifl_status check_dashes(const ifl_cli_command *command, const char *word, ifl_error *error)
{
    const size_t length = word[0] == '-' && word[1] != '-' ? strcspn(word + 1, "=") : 0;
    for (size_t i = 0; i < command->option_count && length > 1; i++) {
        const char *name = option_name(command, i);
        if (strlen(name) == length && strncmp(name, word + 1, length) == 0)
            return ifl_cli_error(error, IFL_USAGE, "there is no option '-%s'; did you mean '--%s'?",
                                 name, name);
    }
    return IFL_OK;
}

static ifl_status missing_value(const ifl_cli_command *command, int code, ifl_error *error)
{
    const ifl_cli_option *option = option_of(command, code);
    if (!option)
        return ifl_cli_error(error, IFL_USAGE, "an option has no value");
    const ifl_cli_meaning *is = ifl_cli_meaning_of(option->id);
    return ifl_cli_error(error, IFL_USAGE, "--%s needs a value: --%s %s", is->name, is->name,
                         is->value);
}

static ifl_status bad_option(const ifl_cli_command *command, int code, const char *word,
                             ifl_error *error)
{
    if (code == ':')
        return missing_value(command, optopt, error);
    if (optopt >= HELP)
        return ifl_cli_error(error, IFL_USAGE, "%.*s takes no value", (int)strcspn(word, "="),
                             word);
    return unknown_option(command, word, error);
}

ifl_status ifl_cli_parse(const ifl_cli_command *command, int word_count, char **words,
                         void *request, int *first, bool *help, ifl_error *error)
{
    tables t;
    ifl_status status = IFL_OK;
    make_tables(command, &t);
    opterr = 0;
    optind = 0; /* glibc: begin anew */
    *help = false;
    /* getopt skips the word before the first: the command's name stands there. */
    while (status == IFL_OK && !*help) {
        int code = getopt_long(word_count + 1, words - 1, t.shorts, t.longs, NULL);
        if (code == -1)
            break;
        status = check_dashes(command, words[optind - 2], error);
        if (status != IFL_OK)
            break;
        if (code == 'h' || code == HELP)
            ifl_cli_print_command(command, stdout), *help = true;
        else if (code == '?' || code == ':')
            status = bad_option(command, code, words[optind - 2], error);
        else
            status = option_of(command, code)->set(request, optarg, error);
    }
    *first = optind - 1;
    return status;
}

/* "base, v3 or v4" of "base v3 v4". */
static void list_words(const char *words, char *to, size_t room)
{
    size_t used = 0;
    for (const char *at = words; *at && used < room;) {
        const size_t bytes = strcspn(at, " ");
        const char *next = at[bytes] ? at + bytes + 1 : at + bytes;
        const char *before = at == words ? "" : strchr(at, ' ') ? ", " : " or ";
        used += (size_t)snprintf(to + used, room - used, "%s%.*s", before, (int)bytes, at);
        at = next;
    }
}

ifl_status ifl_cli_check_word(ifl_cli_option_id id, const char *value, ifl_error *error)
{
    const ifl_cli_meaning *is = ifl_cli_meaning_of(id);
    char words[200];
    for (const char *at = is->words; *at;) {
        const size_t bytes = strcspn(at, " ");
        if (strlen(value) == bytes && strncmp(at, value, bytes) == 0)
            return IFL_OK;
        at += bytes + (at[bytes] != '\0');
    }
    list_words(is->words, words, sizeof words);
    return ifl_cli_error(error, IFL_USAGE, "--%s takes %s, not '%.40s'", is->name, words, value);
}

ifl_status ifl_cli_check_kernel(const char *wanted, ifl_error *error)
{
    static const char mark[] = "regex:";
    const char *text = wanted + strlen(mark);
    regex_t regex;
    char why[100];
    if (strncmp(wanted, mark, strlen(mark)) != 0)
        return IFL_OK;
    const int problem = regcomp(&regex, text, REG_EXTENDED | REG_NOSUB);
    if (problem) {
        regerror(problem, &regex, why, sizeof why);
        return ifl_cli_error(error, IFL_USAGE, "'%.100s' is not a regular expression: %s", text,
                             why);
    }
    regfree(&regex);
    return IFL_OK;
}

ifl_status ifl_cli_number(const char *what, const char *text, long least, long most, int *out,
                          ifl_error *error)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < least || value > most)
        return ifl_cli_error(error, IFL_USAGE, "%s takes a whole number from %ld to %ld, not '%s'",
                             what, least, most, text);
    *out = (int)value;
    return IFL_OK;
}
