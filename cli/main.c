/* SPDX-License-Identifier: Apache-2.0
 * The program: finds the command and hands over. */
#include "commands.h"
#include "interrupt.h"
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const ifl_cli_command *const commands[] = {
    &ifl_cli_analyze,  &ifl_cli_run,     &ifl_cli_compare,   &ifl_cli_check, &ifl_cli_prove,
    &ifl_cli_sass,     &ifl_cli_devices, &ifl_cli_occupancy, &ifl_cli_lab,   &ifl_cli_advice,
    &ifl_cli_counters, &ifl_cli_opcodes, &ifl_cli_help,
};

const ifl_cli_command *ifl_cli_command_at(size_t index)
{
    return index < sizeof commands / sizeof *commands ? commands[index] : NULL;
}

const ifl_cli_command *ifl_cli_command_find(const char *name)
{
    for (size_t i = 0; ifl_cli_command_at(i); i++)
        if (strcmp(ifl_cli_command_at(i)->name, name) == 0)
            return ifl_cli_command_at(i);
    return NULL;
}

static const char *command_name(const void *user, size_t index)
{
    const ifl_cli_command *command = ifl_cli_command_at(index);
    (void)user;
    return command ? command->name : NULL;
}

/* A stream that is closed would have its number given to the next file that is opened, and the
 * report would go into that file. Each gets a file on which its use fails. */
static void keep_streams(void)
{
    for (int number = 0; number <= 2; number++)
        if (fcntl(number, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY);
}

static int unknown_command(const char *word)
{
    ifl_error error = {0};
    const char *close = ifl_cli_closest(word, command_name, NULL);
    if (word[0] == '-')
        ifl_cli_error(&error, IFL_USAGE,
                      "there is no option '%s'\n'inflight help' lists the commands", word);
    else if (close)
        ifl_cli_error(&error, IFL_USAGE, "there is no command '%s'; did you mean '%s'?", word,
                      close);
    else
        ifl_cli_error(&error, IFL_USAGE,
                      "there is no command '%s'\n'inflight help' lists the commands", word);
    return ifl_cli_fail(&error);
}

static int print_version(int word_count, char **words)
{
    (void)word_count;
    (void)words;
    printf("inflight %s\n", ifl_version());
    return 0;
}

static int print_manual(int word_count, char **words)
{
    (void)word_count;
    (void)words;
    ifl_cli_print_manual(stdout);
    return 0;
}

static int print_words(int word_count, char **words)
{
    ifl_cli_print_words(word_count ? words[0] : NULL, word_count > 1 ? words[1] : NULL, stdout);
    return 0;
}

static int print_completion(int word_count, char **words)
{
    ifl_cli_print_completion(word_count, words, stdout);
    return 0;
}

static int print_option_page(int word_count, char **words)
{
    (void)word_count;
    (void)words;
    ifl_cli_print_option_page(stdout);
    return 0;
}

/* A child of `check --against`: FOLDER INPUTS OWN SECONDS COMMAND..., a command that reads the first
 * two and writes into the third. */
static int run_confined(int word_count, char **words)
{
    enum { WORDS = 4 };
    char program[4096];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (word_count <= WORDS || length <= 0)
        return ifl_status_exit_code(IFL_USAGE);
    program[length] = '\0';
    const ifl_cli_confinement to = {words[0], words[1], words[2], program, atoi(words[3])};
    if (!ifl_cli_confine(&to)) {
        fputs("inflight: error: the process could not be confined\n", stderr);
        return ifl_status_exit_code(IFL_INTERNAL);
    }
    const ifl_cli_command *command = ifl_cli_command_find(words[WORDS]);
    return command ? command->run(word_count - WORDS - 1, words + WORDS + 1)
                   : unknown_command(words[WORDS]);
}

/* Words in place of a command. --man and --option-page serve the build, --words and --complete the
 * shell's completion, --confined `check --against`. */
static const struct {
    const char *word;
    int (*run)(int word_count, char **words);
} flags[] = {
    {"--version", print_version},     {"-V", print_version},
    {"--man", print_manual},          {"--words", print_words},
    {"--complete", print_completion}, {"--option-page", print_option_page},
    {"--confined", run_confined},
};

static int run(int count, char **words)
{
    if (count < 1) {
        ifl_cli_print_overview(stderr);
        return ifl_status_exit_code(IFL_USAGE);
    }
    if (strcmp(words[0], "--help") == 0 || strcmp(words[0], "-h") == 0)
        return ifl_cli_help.run(count - 1, words + 1);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(words[0], flags[i].word) == 0)
            return flags[i].run(count - 1, words + 1);
    const ifl_cli_command *command = ifl_cli_command_find(words[0]);
    return command ? command->run(count - 1, words + 1) : unknown_command(words[0]);
}

/* Output that did not arrive is a failure, not silence. */
static int close_output(int exit_status)
{
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || exit_status)
        return exit_status;
    ifl_error error = {0};
    ifl_cli_error(&error, IFL_NO_FILE, "cannot write to standard output: %s",
                  errno ? strerror(errno) : "an earlier write failed");
    return ifl_cli_fail(&error);
}

int main(int argc, char **argv)
{
    keep_streams();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is then a write that fails */
    ifl_cli_end_cleanly();
    return close_output(run(argc - 1, argv + 1));
}
