/* SPDX-License-Identifier: Apache-2.0
 * The file of an object that the dynamic linker loads, mapped: its table of symbols, and where its
 * code lies. Every offset in it is checked. Nothing here knows of CUDA. */
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
    const Elf64_Shdr *sections; /* NULL: the file has none */
    size_t section_count;
    const char *section_names; /* ends with 0; NULL: they have none */
    size_t section_name_bytes;
} ifl_object_file;

/* The start of one function, and how long its record of exception handling lies after the table of
 * them. */
typedef struct ifl_function_start {
    int32_t start; /* bytes from the table's address */
    int32_t record;
} ifl_function_start;

/* False where there is no such file, or it is no 64-bit object of this machine. */
bool ifl_object_open(const char *path, ifl_object_file *out);
/* The same for bytes that stay the caller's. */
bool ifl_object_read(const uint8_t *bytes, size_t size, ifl_object_file *out);
void ifl_object_close(ifl_object_file *file);

/* The symbol's name where it is a function that the object defines, else NULL. */
const char *ifl_object_function(const ifl_object_file *file, size_t index);
/* `bytes` bytes of code at an address of the object, as they stand in the file; NULL where it has
 * no such code. */
const uint8_t *ifl_object_code(const ifl_object_file *file, uint64_t address, size_t bytes);

/* The first section of that name, or NULL. */
const Elf64_Shdr *ifl_object_section(const ifl_object_file *file, const char *name);
/* The starts of all functions that have a record in .eh_frame_hdr, ascending (Linux Standard Base
 * 5.0, Core, 10.6.2); their distances count from `*address`. NULL where there is no such table, or
 * it is not in the form that linkers write. */
const ifl_function_start *ifl_object_starts(const ifl_object_file *file, size_t *count,
                                            uint64_t *address);

#endif
