/* SPDX-License-Identifier: Apache-2.0
 * Source lines of the program's own code, from the debugging information in its files. */
#ifndef IFL_STANDIN_DWARF_LINE_H
#define IFL_STANDIN_DWARF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes "app.cu:42", without folders; of code that was inlined from CUDA's own headers, the line
 * that it was inlined into. False where the file that holds the address does not say. */
bool ifl_dwarf_line(uintptr_t address, char *to, size_t size);

#endif
