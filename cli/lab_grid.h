/* SPDX-License-Identifier: Apache-2.0
 * A table of texts in aligned columns, split into several tables if the terminal is too narrow. It
 * knows nothing of what the texts mean. */
#ifndef IFL_CLI_LAB_GRID_H
#define IFL_CLI_LAB_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct ifl_cli_grid {
    size_t rows, columns;
    char **cells; /* rows * columns; NULL: empty */
    bool failed;  /* no memory for some cell */
} ifl_cli_grid;

/* The first column is left-aligned and repeated in every part, the others are right-aligned. */
ifl_cli_grid ifl_cli_grid_new(size_t rows, size_t columns);
void ifl_cli_grid_set(ifl_cli_grid *grid, size_t row, size_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* `head` rows are repeated in every part; columns without any text below the head are left out.
 * `width` 0: unlimited. */
void ifl_cli_grid_print(const ifl_cli_grid *grid, size_t head, int width, FILE *out);
/* The same as a table of Markdown; the head rows become one, joined by a blank. */
void ifl_cli_grid_print_markdown(const ifl_cli_grid *grid, size_t head, FILE *out);
void ifl_cli_grid_free(ifl_cli_grid *grid);

/* "19,922,944", "3.14": `decimals` places, thousands apart. */
const char *ifl_cli_grid_number(double value, int decimals, char *to, size_t size);

#endif
