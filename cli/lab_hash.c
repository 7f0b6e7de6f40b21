/* SPDX-License-Identifier: Apache-2.0
 * Which launch a row is, as one number: the words of its launches, and the PTX of their kernels.
 * What was measured counts only while both are the same. */
#include "lab.h"
#include "terminal.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a */
static void add_byte(uint64_t *hash, char byte)
{
    *hash = (*hash ^ (unsigned char)byte) * UINT64_C(0x100000001b3);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* ---- a kernel's PTX -------------------------------------------------------------------------- */

/* nvcc numbers labels by the kernel's place in its file, "$L__BB12_3": that place is no part. */
static void add_code_line(uint64_t *hash, const char *line)
{
    static const char label[] = "$L__BB";
    for (const char *at = line; *at; at++) {
        add_byte(hash, *at);
        if (*at == label[0] && begins(at, label))
            for (at += strlen(label) - 1; isdigit((unsigned char)at[1]);)
                at++;
    }
}

/* Comments and where in the .cu a line comes from. */
static bool is_code(const char *line)
{
    line += strspn(line, " \t");
    return *line && !begins(line, "//") && !begins(line, ".loc") && !begins(line, ".file");
}

static int braces(const char *line)
{
    int depth = 0;
    for (; *line && !(line[0] == '/' && line[1] == '/'); line++)
        depth += *line == '{' ? 1 : *line == '}' ? -1 : 0;
    return depth;
}

static bool is_entry_of(const char *line, const char *kernel)
{
    const char *name = strstr(line, ".entry ");
    if (!name)
        return false;
    name += strlen(".entry ");
    return begins(name, kernel) && name[strlen(kernel)] == '(';
}

/* The lines of the kernel, and those outside of every kernel: its target, variables, functions. */
static void add_lines(uint64_t *hash, FILE *file, const char *kernel)
{
    char *line = NULL;
    size_t size = 0;
    int depth = 0;
    bool other = false;
    while (getline(&line, &size, file) >= 0) {
        const int before = depth;
        depth += braces(line);
        if (before == 0 && (strstr(line, ".entry ") || begins(line, "\t.section")))
            other = !is_entry_of(line, kernel);
        if (!other && is_code(line))
            add_code_line(hash, line);
        if (before > 0 && depth == 0)
            other = false;
    }
    free(line);
}

static ifl_status add_code(uint64_t *hash, const char *path, const char *kernel, ifl_error *error)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return ifl_cli_error(error, IFL_NO_FILE, "cannot read '%.300s': %s", path, strerror(errno));
    add_lines(hash, file, kernel);
    fclose(file);
    return IFL_OK;
}

/* ---- a launch -------------------------------------------------------------------------------- */

/* Takes the text apart. The file's place is no word of the launch, nor is the comment above. */
static ifl_status add_launch(uint64_t *hash, char *text, ifl_error *error)
{
    const char *file = NULL, *kernel = NULL;
    char *state = NULL;
    for (char *line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
        if (begins(line, "file = "))
            file = line + strlen("file = ");
        if (begins(line, "kernel = "))
            kernel = line + strlen("kernel = ");
        if (line[0] != '#' && !begins(line, "file "))
            for (const char *at = line; *at; at++)
                add_byte(hash, *at);
    }
    return file && kernel ? add_code(hash, file, kernel, error) : IFL_OK;
}

static ifl_status add_kernel(const ifl_cli_sheet *sheet, const ifl_lab_point *point, size_t kernel,
                             uint64_t *hash, ifl_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return ifl_cli_error(error, IFL_NO_MEMORY, "out of memory");
    ifl_status status = ifl_lab_launch_write(sheet->lab, point, kernel, NULL, stream, error);
    if (fclose(stream) != 0 && status == IFL_OK)
        status = ifl_cli_error(error, IFL_NO_MEMORY, "out of memory");
    if (status == IFL_OK)
        status = add_launch(hash, text, error);
    free(text);
    return status;
}

ifl_status ifl_cli_lab_hash(const ifl_cli_sheet *sheet, size_t row, uint64_t *hash,
                            ifl_error *error)
{
    const ifl_lab_point point = ifl_cli_sheet_point(sheet, row);
    size_t kernels = 0;
    ifl_status status = ifl_lab_kernel_count(sheet->lab, &point, &kernels, error);
    *hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < kernels && status == IFL_OK; i++)
        status = add_kernel(sheet, &point, i, hash, error);
    return status;
}
