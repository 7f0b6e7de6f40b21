/* SPDX-License-Identifier: Apache-2.0
 * The man page, from the tables of commands and topics. The build keeps it as inflight.1. */
#include "commands.h"

#include <stdlib.h>
#include <string.h>

/* roff takes a backslash, and a dot or quote at the start of a line, for its own; "-" is a hyphen
 * to it. */
static void put(const char *text, size_t bytes, bool fresh, FILE *out)
{
    for (size_t i = 0; i < bytes; i++) {
        if (fresh && i == 0 && (text[i] == '.' || text[i] == '\''))
            fputs("\\&", out);
        if (text[i] == '\\')
            fputs("\\e", out);
        else if (text[i] == '-')
            fputs("\\-", out);
        else
            fputc(text[i], out);
    }
}

static void put_text(const char *text, FILE *out)
{
    put(text, strlen(text), true, out);
}

static void print_paragraphs(const char *text, FILE *out)
{
    for (const char *line = text; *line; line += *line == '\n') {
        size_t bytes = strcspn(line, "\n");
        fputs(".PP\n", out);
        put(line, bytes, true, out);
        fputc('\n', out);
        line += bytes;
    }
}

static void print_option(const ifl_cli_option *option, FILE *out)
{
    const ifl_cli_meaning *is = ifl_cli_meaning_of(option->id);
    fputs(".TP\n", out);
    if (is->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", is->letter);
    fputs("\\fB\\-\\-", out);
    put(is->name, strlen(is->name), false, out);
    fputs("\\fR", out);
    if (is->value) {
        fputs(" \\fI", out);
        put(is->value, strlen(is->value), false, out);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    put_text(is->text, out);
    if (option->here) {
        fputs("; ", out);
        put(option->here, strlen(option->here), false, out);
    }
    fputc('\n', out);
}

static void print_command(const ifl_cli_command *command, FILE *out)
{
    fprintf(out, ".SS inflight %s\n", command->name);
    put_text(command->summary, out);
    fputc('\n', out);
    for (size_t i = 0; command->usage[i]; i++) {
        fprintf(out, ".HP 4\ninflight %s ", command->name);
        put(command->usage[i], strlen(command->usage[i]), false, out);
        fputc('\n', out);
    }
    print_paragraphs(command->text, out);
    for (size_t i = 0; i < command->option_count; i++)
        print_option(&command->options[i], out);
}

static void print_plain(const char *text, FILE *out)
{
    for (const char *line = text; *line; line += *line == '\n') {
        size_t bytes = strcspn(line, "\n");
        put(line, bytes, true, out);
        fputc('\n', out);
        line += bytes;
    }
}

/* A topic prints itself to a stream: here to memory, and from there into the page. */
static void print_topic(const ifl_cli_topic *topic, FILE *out)
{
    char text[8192] = "";
    FILE *memory = fmemopen(text, sizeof text - 1, "w");
    fputs(".SH ", out);
    for (const char *c = topic->name; *c; c++)
        fputc(*c == '-' ? ' ' : *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c, out);
    fputs("\n.nf\n", out);
    if (memory) {
        topic->print(memory);
        fclose(memory);
        print_plain(text, out);
    }
    fputs(".fi\n", out);
}

static void print_examples(FILE *out)
{
    fputs(".SH EXAMPLES\n", out);
    for (size_t i = 0; ifl_cli_analyze.examples[i]; i++) {
        fputs(".HP 4\n", out);
        print_plain(ifl_cli_analyze.examples[i], out);
    }
}

/* Of a terminal's 80 columns man leaves 71 to a section's text. Words stay whole, so that they can be
 * searched for. */
void ifl_cli_print_manual(FILE *out)
{
    if (setenv("COLUMNS", "71", 1) != 0)
        return;
    fprintf(out, ".TH INFLIGHT 1 \"\" \"inflight %s\" \"User Commands\"\n", ifl_version());
    fputs(".ad l\n.nh\n", out);
    fputs(".SH NAME\ninflight \\- why a CUDA kernel does not reach the memory bandwidth, and what "
          "would help\n"
          ".SH SYNOPSIS\n\\fBinflight\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... "
          "[\\fIWORD\\fR]...\n.br\n"
          "\\fBinflight \\-\\-version\\fR\n"
          ".SH DESCRIPTION\ninflight runs a CUDA kernel's machine code or PTX exactly, on the CPU, "
          "and reports for every "
          "memory instruction what it requests from the memory system: requests, sectors, lines, "
          "bank conflicts, address "
          "patterns, and bytes that move without being needed. For each GPU that is named it "
          "predicts the time, what "
          "limits the kernel, and the gain of remedies. No GPU is needed.\n"
          ".SH COMMANDS\n",
          out);
    for (size_t i = 0; ifl_cli_command_at(i); i++)
        print_command(ifl_cli_command_at(i), out);
    for (size_t i = 0; ifl_cli_topic_at(i); i++)
        print_topic(ifl_cli_topic_at(i), out);
    fputs(".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nWhere it is set and not empty, the report has "
          "no colours unless "
          "\\fB\\-\\-color\\fR asks for them.\n.TP\n\\fBCOLUMNS\\fR\nThe width of the report.\n"
          ".TP\n\\fBINFLIGHT_CUDA_COMPILER\\fR\nnvcc, nvrtc or clang: what compiles a .cu file.\n"
          ".TP\n\\fBINFLIGHT_PTXAS\\fR\nThe ptxas that assembles PTX; none: PTX runs as it is.\n"
          ".TP\n\\fBINFLIGHT_CUDART_STATIC\\fR\nFiles libcudart_static.a or libcudart.so, with "
          "\\fB:\\fR between them, by which "
          "\\fBinflight run\\fR recognizes stripped copies of CUDA runtimes.\n",
          out);
    print_examples(out);
}
