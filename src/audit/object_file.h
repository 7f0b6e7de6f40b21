/* SPDX-License-Identifier: Apache-2.0
 * The file of an object that the dynamic linker loads, mapped: its table of symbols, and where its code lies. Every offset
 * in it is checked. Nothing here knows of CUDA. */
#ifndef IFL_AUDIT_OBJECT_FILE_H
#define IFL_AUDIT_OBJECT_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ifl_object_file {
    const uint8_t *bytes;
    size_t size;
    const Elf64_Phdr *segments;
    size_t segment_count;
    const Elf64_Sym *symbols; /* of .symtab; NULL: the file has none */
    size_t symbol_count;
    const char *names;
    size_t name_bytes;
} ifl_object_file;

/* False where there is no such file, or it is no 64-bit object of this machine. */
bool ifl_object_open(const char *path, ifl_object_file *out);
void ifl_object_close(ifl_object_file *file);

/* The symbol's name where it is a function that the object defines, else NULL. */
const char *ifl_object_function(const ifl_object_file *file, size_t index);
/* `bytes` bytes of code at an address of the object, as they stand in the file; NULL where it has no such code. */
const uint8_t *ifl_object_code(const ifl_object_file *file, uint64_t address, size_t bytes);

#endif
