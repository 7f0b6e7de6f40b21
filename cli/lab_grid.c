/* SPDX-License-Identifier: Apache-2.0
 * Tables in aligned columns. */
#include "lab_grid.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, GAP = 2 };

ifl_cli_grid ifl_cli_grid_new(size_t rows, size_t columns)
{
    ifl_cli_grid grid = {rows, columns, calloc(rows * columns + 1, sizeof(char *)), false};
    grid.failed = !grid.cells;
    return grid;
}

void ifl_cli_grid_set(ifl_cli_grid *grid, size_t row, size_t column, const char *format, ...)
{
    char text[200];
    va_list list;
    if (grid->failed || row >= grid->rows || column >= grid->columns)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    char **cell = &grid->cells[row * grid->columns + column];
    free(*cell);
    *cell = strdup(text);
    grid->failed |= !*cell;
}

void ifl_cli_grid_free(ifl_cli_grid *grid)
{
    for (size_t i = 0; grid->cells && i < grid->rows * grid->columns; i++)
        free(grid->cells[i]);
    free(grid->cells);
    *grid = (ifl_cli_grid){0};
}

static const char *cell(const ifl_cli_grid *grid, size_t row, size_t column)
{
    const char *text = grid->cells[row * grid->columns + column];
    return text ? text : "";
}

static int column_width(const ifl_cli_grid *grid, size_t head, size_t column)
{
    size_t width = 0;
    bool used = column == 0;
    for (size_t row = 0; row < grid->rows; row++) {
        const size_t length = strlen(cell(grid, row, column));
        used |= row >= head && length;
        width = length > width ? length : width;
    }
    return used ? (int)width : 0;
}

static void print_row(const ifl_cli_grid *grid, size_t row, const int *widths, size_t from,
                      size_t to, FILE *out)
{
    int missing = 0; /* blanks that only a later text makes needed */
    fprintf(out, "%*s%s", INDENT, "", cell(grid, row, 0));
    missing = widths[0] - (int)strlen(cell(grid, row, 0));
    for (size_t column = from; column < to; column++) {
        const char *text = cell(grid, row, column);
        if (!widths[column])
            continue;
        missing += GAP + widths[column] - (int)strlen(text);
        if (!*text) {
            continue;
        }
        fprintf(out, "%*s%s", missing, "", text);
        missing = 0;
    }
    fputc('\n', out);
}

/* The first column past those that fit beside the first one. */
static size_t last_that_fits(const ifl_cli_grid *grid, const int *widths, size_t from, int width)
{
    int used = INDENT + widths[0];
    size_t to = from;
    for (; to < grid->columns; to++) {
        const int more = widths[to] ? GAP + widths[to] : 0;
        if (width && used + more > width && to > from)
            break;
        used += more;
    }
    return to;
}

void ifl_cli_grid_print(const ifl_cli_grid *grid, size_t head, int width, FILE *out)
{
    int *widths = grid->failed ? NULL : calloc(grid->columns + 1, sizeof *widths);
    if (!widths)
        return;
    for (size_t column = 0; column < grid->columns; column++)
        widths[column] = column_width(grid, head, column);
    for (size_t from = 1, to; from < grid->columns; from = to) {
        to = last_that_fits(grid, widths, from, width);
        if (from > 1)
            fputc('\n', out);
        for (size_t row = 0; row < grid->rows; row++)
            print_row(grid, row, widths, from, to, out);
    }
    free(widths);
}

static void print_head_cell(const ifl_cli_grid *grid, size_t head, size_t column, FILE *out)
{
    fputs(" ", out);
    for (size_t row = 0; row < head; row++)
        fprintf(out, "%s%s", cell(grid, row, column), *cell(grid, row, column) ? " " : "");
    fputs("|", out);
}

void ifl_cli_grid_print_markdown(const ifl_cli_grid *grid, size_t head, FILE *out)
{
    if (grid->failed)
        return;
    fputs("|", out);
    for (size_t column = 0; column < grid->columns; column++)
        if (column_width(grid, head, column))
            print_head_cell(grid, head, column, out);
    fputs("\n|", out);
    for (size_t column = 0; column < grid->columns; column++)
        if (column_width(grid, head, column))
            fputs(column ? "---:|" : "---|", out);
    for (size_t row = head; row < grid->rows; row++) {
        fputs("\n|", out);
        for (size_t column = 0; column < grid->columns; column++)
            if (column_width(grid, head, column))
                fprintf(out, " %s%s|", cell(grid, row, column),
                        *cell(grid, row, column) ? " " : "");
    }
    fputc('\n', out);
}

const char *ifl_cli_grid_number(double value, int decimals, char *to, size_t size)
{
    char plain[64];
    size_t used = 0;
    snprintf(plain, sizeof plain, "%.*f", decimals, value);
    const char *digits = plain + (plain[0] == '-');
    const size_t whole = strcspn(digits, ".");
    if (plain[0] == '-' && used + 1 < size)
        to[used++] = '-';
    for (size_t i = 0; digits[i] && used + 2 < size; i++) {
        if (i && i < whole && (whole - i) % 3 == 0 && digits[i] >= '0' && digits[i] <= '9')
            to[used++] = ',';
        to[used++] = digits[i];
    }
    to[used] = '\0';
    return to;
}
