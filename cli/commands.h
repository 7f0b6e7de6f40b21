/* SPDX-License-Identifier: Apache-2.0
 * The commands of the program as a table: running, help, the man page and completion all come from
 * it. The program knows the library by its public header only. */
#ifndef IFL_CLI_COMMANDS_H
#define IFL_CLI_COMMANDS_H

#include <inflight.h>

/* Takes an option's value (NULL where it has none) into the command's own request. */
typedef ifl_status ifl_cli_set(void *request, const char *value, ifl_error *error);

typedef enum ifl_cli_option_id {
#define OPTION(id, letter, name, value, words, meaning) IFL_CLI_OPTION_##id,
#include "option.def"
    IFL_CLI_OPTION_COUNT
} ifl_cli_option_id;

/* A row of option.def. */
typedef struct ifl_cli_meaning {
    char letter;       /* 0: no short form */
    const char *name;  /* without the dashes */
    const char *value; /* what stands behind it in help, NULL: takes none */
    const char *words; /* what completion offers for it */
    const char *text;
} ifl_cli_meaning;

/* An option as a command takes it. */
typedef struct ifl_cli_option {
    ifl_cli_option_id id;
    const char *here; /* what is special in the command; NULL: nothing */
    ifl_cli_set *set;
} ifl_cli_option;

typedef struct ifl_cli_command {
    const char *name;
    const char *usage[4]; /* what follows the name, one form a line; NULL ends them */
    const char *summary;  /* a line */
    const char *text;     /* paragraphs, each on a line of its own */
    const char *examples[4];
    const ifl_cli_option *options;
    size_t option_count;
    const char
        *operands; /* what completion offers for them, as option.def's `words`; NULL: files */
    /* An option that takes fewer words here than elsewhere, and these; words NULL: none does. */
    struct {
        ifl_cli_option_id id;
        const char *words;
    } narrower;
    bool ends_at_operand; /* options after the first operand are not ours */
    /* `words` are the arguments after the command's name; returns the exit status of the
     * program. */
    int (*run)(int word_count, char **words);
} ifl_cli_command;

typedef struct ifl_cli_topic {
    const char *name;
    const char *summary;
    void (*print)(FILE *out);
} ifl_cli_topic;

const ifl_cli_meaning *ifl_cli_meaning_of(ifl_cli_option_id id);
/* The command's option of that name, without dashes, or of that letter; NULL: it takes none. */
const ifl_cli_option *ifl_cli_option_find(const ifl_cli_command *command, const char *name,
                                          char letter);
/* NULL past the end. */
const ifl_cli_command *ifl_cli_command_at(size_t index);
const ifl_cli_topic *ifl_cli_topic_at(size_t index);
/* NULL where there is none of that name. */
const ifl_cli_command *ifl_cli_command_find(const char *name);
const ifl_cli_topic *ifl_cli_topic_find(const char *name);

extern const ifl_cli_command ifl_cli_analyze;
extern const ifl_cli_command ifl_cli_run;
extern const ifl_cli_command ifl_cli_compare;
extern const ifl_cli_command ifl_cli_check;
extern const ifl_cli_command ifl_cli_prove;
extern const ifl_cli_command ifl_cli_sass;
extern const ifl_cli_command ifl_cli_lab;
extern const ifl_cli_command ifl_cli_devices;
extern const ifl_cli_command ifl_cli_occupancy;
extern const ifl_cli_command ifl_cli_advice;
extern const ifl_cli_command ifl_cli_counters;
extern const ifl_cli_command ifl_cli_opcodes;
extern const ifl_cli_command ifl_cli_help;

/* Gives every option to its `set`. What is left are the operands, from words[*first] on (options
 * may stand between operands; "--" ends them). "--help" prints the command's page, sets *help and
 * ends the reading. */
ifl_status ifl_cli_parse(const ifl_cli_command *command, int word_count, char **words,
                         void *request, int *first, bool *help, ifl_error *error);
ifl_status ifl_cli_number(const char *what, const char *text, long least, long most, int *out,
                          ifl_error *error);
/* IFL_USAGE where it is none of the option's words (option.def). */
ifl_status ifl_cli_check_word(ifl_cli_option_id id, const char *value, ifl_error *error);
/* IFL_USAGE where it is "regex:" before what is no regular expression. */
ifl_status ifl_cli_check_kernel(const char *wanted, ifl_error *error);

/* See ifl_confine (check/check_api.h). */
typedef struct ifl_cli_confinement {
    const char *folder, *inputs, *own, *program;
    int seconds;
} ifl_cli_confinement;
bool ifl_cli_confine(const ifl_cli_confinement *to);
/* The library that `run` puts before a program's own; NULL where it is not found. */
const char *ifl_cli_standin_library(char *path, size_t room);

void ifl_cli_print_overview(FILE *out);
void ifl_cli_print_command(const ifl_cli_command *command, FILE *out);
void ifl_cli_print_manual(FILE *out);
/* Each option with the commands that take it: a topic of help, and as Markdown docs/options.md. */
void ifl_cli_print_option_topic(FILE *out);
void ifl_cli_print_option_page(FILE *out);
/* Words for the shell's completion: the commands; or the options of one; or a list by its name, of
 * a file where it is one of that. */
void ifl_cli_print_words(const char *name, const char *file, FILE *out);
/* What the last of the words behind "inflight" can become, one a line; ":files" or ":folders" where
 * the shell knows better. */
void ifl_cli_print_completion(int word_count, char **words, FILE *out);

#endif
