/* SPDX-License-Identifier: Apache-2.0
 * Reading fat binary containers. It knows the container's layout, not what is in an entry. */
#include "sass/fatbin.h"

#include "sass/elf_image.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Offsets as seen in the output of CUDA 11 to 13, all little endian. Container: u32 magic, u16
 * version, u16 header bytes, u64 bytes of entries. */
enum { CONTAINER_HEADER = 4 + 2, CONTAINER_SIZE = 8, CONTAINER_BYTES = 16, CONTAINER_ALIGN = 8 };
/* Entry: u16 kind, u32 header bytes, u64 payload bytes, u32 packed bytes, u32 SM, u64 flags, u64
 * raw bytes; behind them, where the header is longer, u32 offset and u32 bytes of ptxas's options
 * (nvcc -maxrregcount 24: " -maxrregcount=24 "). */
enum {
    ENTRY_KIND = 0,
    ENTRY_HEADER = 4,
    ENTRY_PAYLOAD = 8,
    ENTRY_PACKED = 16,
    ENTRY_SM = 28,
    ENTRY_FLAGS = 40,
    ENTRY_RAW = 56,
    ENTRY_BYTES = 64,
    ENTRY_OPTIONS = 64,
    ENTRY_OPTION_BYTES = 68
};
enum {
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    FLAG_ARCHITECTURE = 0x100000, /* the a of sm_90a */
    FLAG_FAMILY = 0x200000,       /* the f of sm_100f */
    MAX_RAW_BYTES = 1 << 28
};

static ifl_status fail(ifl_error *error, const char *file, const char *what)
{
    if (!file)
        return ifl_fail(error, IFL_BAD_INPUT, "damaged fat binary: %s", what);
    return ifl_fail(error, IFL_BAD_INPUT, "'%.400s' holds a damaged fat binary: %s", file, what);
}

static size_t left(const ifl_fatbin *range)
{
    return (size_t)(range->end - range->at);
}

static bool at_magic(const ifl_fatbin *section)
{
    return left(section) >= CONTAINER_BYTES &&
           ifl_elf_read(section->at, 4) == (uint32_t)IFL_FATBIN_MAGIC;
}

ifl_status ifl_fatbin_next(ifl_fatbin *section, ifl_fatbin *container, bool *found,
                           ifl_error *error)
{
    while (left(section) >= CONTAINER_BYTES && !at_magic(section))
        section->at += left(section) < CONTAINER_ALIGN ? left(section) : CONTAINER_ALIGN;
    *found = at_magic(section);
    if (!*found)
        return IFL_OK;
    const uint64_t header = ifl_elf_read(section->at + CONTAINER_HEADER, 2);
    const uint64_t size = ifl_elf_read(section->at + CONTAINER_SIZE, 8);
    if (header < CONTAINER_BYTES || header > left(section) || size > left(section) - header)
        return fail(error, section->file, "it ends before its container does");
    container->at = section->at + header;
    container->end = container->at + size;
    container->file = section->file;
    section->at = container->end;
    return IFL_OK;
}

/* 0: none is given. */
static uint32_t find_most_registers(const uint8_t *entry, uint64_t header)
{
    static const char option[] = "-maxrregcount=";
    enum { MOST = 1024 };
    char text[MOST + 1];
    if (header < ENTRY_OPTION_BYTES + 4)
        return 0;
    const uint64_t start = ifl_elf_read(entry + ENTRY_OPTIONS, 4);
    const uint64_t bytes = ifl_elf_read(entry + ENTRY_OPTION_BYTES, 4);
    if (start > header || bytes > header - start || bytes > MOST)
        return 0;
    memcpy(text, entry + start, bytes);
    text[bytes] = '\0';
    const char *found = strstr(text, option);
    return found ? (uint32_t)strtoul(found + sizeof option - 1, NULL, 10) : 0;
}

ifl_status ifl_fatbin_entry_next(ifl_fatbin *container, ifl_fatbin_entry *entry, bool *found,
                                 ifl_error *error)
{
    *found = left(container) >= ENTRY_BYTES;
    if (!*found)
        return IFL_OK;
    const uint8_t *at = container->at;
    const uint64_t header = ifl_elf_read(at + ENTRY_HEADER, 4);
    const uint64_t payload = ifl_elf_read(at + ENTRY_PAYLOAD, 8);
    const uint64_t packed = ifl_elf_read(at + ENTRY_PACKED, 4);
    if (header < ENTRY_BYTES || header > left(container) || payload > left(container) - header)
        return fail(error, container->file, "an entry is longer than its container");
    *entry = (ifl_fatbin_entry){
        .kind = (uint16_t)ifl_elf_read(at + ENTRY_KIND, 2),
        .sm = (uint32_t)ifl_elf_read(at + ENTRY_SM, 4),
        .flags = ifl_elf_read(at + ENTRY_FLAGS, 8),
        .payload = at + header,
        .payload_bytes = packed && packed < payload ? packed : payload,
        .raw_bytes = ifl_elf_read(at + ENTRY_RAW, 8),
        .most_registers = find_most_registers(at, header),
        .file = container->file,
    };
    container->at += header + payload;
    return IFL_OK;
}

static bool unpack_zstd(const ifl_fatbin_entry *entry, char *to)
{
    const size_t got = ZSTD_decompress(to, entry->raw_bytes, entry->payload, entry->payload_bytes);
    return !ZSTD_isError(got) && got == entry->raw_bytes;
}

static bool unpack_lz4(const ifl_fatbin_entry *entry, char *to)
{
    if (entry->payload_bytes > INT32_MAX)
        return false;
    const int got = LZ4_decompress_safe((const char *)entry->payload, to, (int)entry->payload_bytes,
                                        (int)entry->raw_bytes);
    return got >= 0 && (uint64_t)got == entry->raw_bytes;
}

static bool copy_plain(const ifl_fatbin_entry *entry, char *to)
{
    memcpy(to, entry->payload, entry->payload_bytes);
    return true;
}

bool ifl_fatbin_is_packed(const ifl_fatbin_entry *entry)
{
    return entry->flags & (FLAG_LZ4 | FLAG_ZSTD);
}

bool ifl_fatbin_is_specific(const ifl_fatbin_entry *entry)
{
    return entry->flags & (FLAG_ARCHITECTURE | FLAG_FAMILY);
}

ifl_status ifl_fatbin_unpack(const ifl_fatbin_entry *entry, char **text, size_t *bytes,
                             ifl_error *error)
{
    const bool zstd = entry->flags & FLAG_ZSTD, lz4 = entry->flags & FLAG_LZ4;
    const uint64_t raw = zstd || lz4 ? entry->raw_bytes : entry->payload_bytes;
    if (raw > MAX_RAW_BYTES)
        return fail(error, entry->file, "an entry says that it holds more than 256 MiB");
    *text = malloc(raw + 1);
    if (!*text)
        return ifl_fail_memory(error, raw + 1);
    if (!(zstd ? unpack_zstd : lz4 ? unpack_lz4 : copy_plain)(entry, *text)) {
        free(*text);
        *text = NULL;
        return fail(error, entry->file, "an entry cannot be unpacked");
    }
    (*text)[raw] = '\0';
    *bytes = raw;
    return IFL_OK;
}
