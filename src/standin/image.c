/* SPDX-License-Identifier: Apache-2.0
 * See image.h. The program vouches for what lies there, as it does to a driver. */
#include "standin/image.h"

#include "standin/abi.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { FATBIN_MAGIC = 0xba55ed50 };

/* FACTS: the container's size stands behind its magic number, version and header size. */
static size_t fatbin_bytes(const void *fatbin)
{
    struct {
        uint32_t magic;
        uint16_t version, header;
        uint64_t bytes;
    } head;
    memcpy(&head, fatbin, sizeof head);
    return head.header + (size_t)head.bytes;
}

/* The end of what lies last: the section table, or a section's bytes. */
static size_t elf_bytes(const uint8_t *image)
{
    Elf64_Ehdr head;
    Elf64_Shdr section;
    memcpy(&head, image, sizeof head);
    size_t end = head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
    const size_t programs = head.e_phoff + (size_t)head.e_phnum * head.e_phentsize;
    end = programs > end ? programs : end;
    for (unsigned i = 0; i < head.e_shnum && head.e_shentsize >= sizeof section; i++) {
        memcpy(&section, image + head.e_shoff + (size_t)i * head.e_shentsize, sizeof section);
        const size_t last = section.sh_type == SHT_NOBITS ? 0 : section.sh_offset + section.sh_size;
        end = last > end ? last : end;
    }
    return end;
}

size_t ifl_image_measure(const void *image, const void **start)
{
    uint32_t magic = 0;
    *start = image;
    memcpy(&magic, image, strnlen(image, sizeof magic));
    if (magic == IFL_FATBIN_WRAPPER_MAGIC) {
        ifl_fatbin_wrapper wrapper;
        memcpy(&wrapper, image, sizeof wrapper);
        *start = wrapper.fatbin;
        return fatbin_bytes(wrapper.fatbin);
    }
    if (magic == (uint32_t)FATBIN_MAGIC)
        return fatbin_bytes(image);
    return memcmp(image, ELFMAG, strnlen(image, SELFMAG)) == 0 && magic ? elf_bytes(image)
                                                                        : strlen(image);
}

char *ifl_image_read(FILE *file, size_t *bytes)
{
    long end;
    if (fseek(file, 0, SEEK_END) != 0 || (end = ftell(file)) < 0 || fseek(file, 0, SEEK_SET) != 0)
        return NULL;
    *bytes = (size_t)end;
    char *image = calloc(1, *bytes + 1);
    if (image && fread(image, 1, *bytes, file) == *bytes)
        return image;
    free(image);
    return NULL;
}
