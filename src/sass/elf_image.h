/* SPDX-License-Identifier: Apache-2.0
 * An ELF file in memory: its sections and symbols. No offset or size in it is trusted; what the
 * sections mean is for others. */
#ifndef IFL_SASS_ELF_IMAGE_H
#define IFL_SASS_ELF_IMAGE_H

#include "base/arena.h"
#include "base/error.h"

enum { IFL_ELF_CUDA_MACHINE = 190 };

typedef struct ifl_elf_section {
    const char *name;
    const uint8_t *bytes; /* NULL where the file holds none */
    uint64_t size;
    uint64_t offset;
    uint64_t flags;
    uint32_t type, link, info;
} ifl_elf_section;

typedef struct ifl_elf_symbol {
    const char *name;
    uint64_t value, size;
    uint32_t section; /* 0: none */
    uint8_t type;     /* STT_* */
    uint8_t other;
} ifl_elf_symbol;

typedef struct ifl_elf_image {
    const char *file; /* for messages */
    const uint8_t *bytes;
    size_t size;
    uint32_t machine, flags;
    uint16_t type; /* ET_* */
    uint8_t os_abi;
    const ifl_elf_section *sections; /* the first is empty */
    size_t section_count;
    const ifl_elf_section *symbols, *symbol_names, *symbol_sections; /* NULL when there are none */
    size_t symbol_count;
} ifl_elf_image;

bool ifl_elf_is_elf(const uint8_t *bytes, size_t size);
/* `bytes` must outlive the image; the list of sections is taken from `arena`. A section that lies
 * outside of the file is IFL_BAD_INPUT that says which, and where its header is. */
ifl_status ifl_elf_open(const char *file, const uint8_t *bytes, size_t size, ifl_arena *arena,
                        ifl_elf_image *out, ifl_error *error);
/* False when there is no such symbol; a name that is none is "". */
bool ifl_elf_symbol_at(const ifl_elf_image *image, size_t index, ifl_elf_symbol *out);
/* The first section of that name with bytes, or NULL. */
const ifl_elf_section *ifl_elf_find(const ifl_elf_image *image, const char *name);
/* The rest of a section's name after `prefix`, or NULL when it does not start with it. */
const char *ifl_elf_name_after(const ifl_elf_section *section, const char *prefix);
/* A little-endian number of 1 to 8 bytes. */
uint64_t ifl_elf_read(const uint8_t *at, size_t bytes);

#endif
