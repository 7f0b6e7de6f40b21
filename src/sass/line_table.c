/* SPDX-License-Identifier: Apache-2.0
 * Line programs of DWARF 2 to 4 (DWARF 4, section 6.2), as ptxas of CUDA 11 to 13 writes them: with
 * extended opcode 0x90 for code that was inlined, and .debug_str's base behind the file table. The
 * sequences of all kernels start at address 0; a relocation says whose each one is. */
#include "sass/line_table.h"

#include "base/demangle.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PATH_BYTES = 4096, NOT_INTERNED = -1, NO_SECTION = 0, RECENT = 64 };

/* ---- bytes ----------------------------------------------------------------------------------- */

/* A place in the section; after a read past the end `ok` is false and all that is read is 0. */
typedef struct cursor {
    const uint8_t *at, *end;
    bool ok;
} cursor;

static uint64_t take(cursor *c, size_t bytes)
{
    if (!c->ok || (size_t)(c->end - c->at) < bytes) {
        c->ok = false;
        return 0;
    }
    const uint64_t value = ifl_elf_read(c->at, bytes);
    c->at += bytes;
    return value;
}

/* LEB128: seven bits a byte, low ones first; bits past the 64th are dropped. */
static uint64_t take_leb(cursor *c, bool is_signed)
{
    uint64_t value = 0, byte;
    unsigned shift = 0;
    do {
        byte = take(c, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80 && c->ok);
    if (is_signed && byte & 0x40 && shift < 64)
        value |= ~(uint64_t)0 << shift;
    return value;
}

static const char *take_text(cursor *c)
{
    const uint8_t *end = c->ok ? memchr(c->at, '\0', (size_t)(c->end - c->at)) : NULL;
    const char *text = (const char *)c->at;
    c->ok = end != NULL;
    if (!end)
        return "";
    c->at = end + 1;
    return text;
}

/* ---- the reader ------------------------------------------------------------------------------ */

typedef struct relocation {
    uint64_t offset; /* in .debug_line */
    uint64_t value;
    uint32_t section;
} relocation;

typedef struct unit_file {
    const char *name;
    uint64_t directory;
    int64_t interned;
} unit_file;

typedef struct unit {
    uint64_t min_instruction, opcode_base, line_range;
    int64_t line_base;
    const uint8_t *operand_counts; /* of opcode 1 and on */
    IFL_VEC(const char *) directories;
    IFL_VEC(unit_file) files;
    bool has_names;
    uint64_t names_base; /* in .debug_str */
} unit;

typedef struct registers {
    uint64_t address, file, line;
    uint64_t context;  /* row of this sequence that the code is inlined at, from 1; 0: none */
    uint64_t function; /* in .debug_str, from the unit's base on */
    ifl_line_rows *rows;
    size_t first_row; /* of this sequence in `rows` */
    uint64_t limit;   /* of addresses: the code's size */
} registers;

typedef struct named_function {
    uint64_t offset; /* in .debug_str */
    const char *name;
} named_function;

typedef struct reader {
    const ifl_elf_image *image;
    const ifl_elf_section *section, *names;
    ifl_line_sink *sink;
    IFL_VEC(relocation) relocations; /* ascending */
    named_function recent[RECENT];   /* by offset; thousands of rows name the same few */
    size_t unit_count;
    unit unit;
    registers state;
    ifl_error *error;
} reader;

static ifl_status fail(const reader *r, const uint8_t *at, const char *what)
{
    return ifl_fail(r->error, IFL_BAD_INPUT, "'%s' is damaged: at offset 0x%" PRIx64 ", in %s: %s",
                    r->image->file, (uint64_t)(at - r->image->bytes), r->section->name, what);
}

static ifl_status no_memory(const reader *r)
{
    return ifl_fail_memory(r->error, sizeof(ifl_machine_line));
}

/* ---- relocations ----------------------------------------------------------------------------- */

static int compare_relocations(const void *a, const void *b)
{
    const uint64_t x = ((const relocation *)a)->offset, y = ((const relocation *)b)->offset;
    return (x > y) - (x < y);
}

/* A REL entry's addend stands in the place that it changes. */
static uint64_t addend_in_place(const reader *r, uint64_t offset)
{
    const bool inside = offset <= r->section->size && r->section->size - offset >= 8;
    return inside ? ifl_elf_read(r->section->bytes + offset, 8) : 0;
}

static bool add_relocation(reader *r, const uint8_t *entry, bool has_addend)
{
    ifl_elf_symbol symbol;
    const uint64_t offset = ifl_elf_read(entry, 8), info = ifl_elf_read(entry + 8, 8);
    if (!ifl_elf_symbol_at(r->image, ELF64_R_SYM(info), &symbol) || symbol.section == NO_SECTION)
        return true;
    const uint64_t addend = has_addend ? ifl_elf_read(entry + 16, 8) : addend_in_place(r, offset);
    return ifl_vec_push(&r->relocations,
                        (relocation){offset, symbol.value + addend, symbol.section});
}

static ifl_status add_relocations(reader *r, const ifl_elf_section *from)
{
    const bool has_addend = from->type == SHT_RELA;
    const size_t bytes = has_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (size_t at = 0; from->size - at >= bytes; at += bytes)
        if (!add_relocation(r, from->bytes + at, has_addend))
            return no_memory(r);
    return IFL_OK;
}

static ifl_status read_relocations(reader *r)
{
    const size_t self = (size_t)(r->section - r->image->sections);
    for (size_t i = 0; i < r->image->section_count; i++) {
        const ifl_elf_section *from = &r->image->sections[i];
        const bool is_list = from->type == SHT_REL || from->type == SHT_RELA;
        const ifl_status status =
            is_list && from->bytes && from->info == self ? add_relocations(r, from) : IFL_OK;
        if (status != IFL_OK)
            return status;
    }
    if (r->relocations.count)
        qsort(r->relocations.at, r->relocations.count, sizeof *r->relocations.at,
              compare_relocations);
    return IFL_OK;
}

static const relocation *find_relocation(const reader *r, const uint8_t *at)
{
    const relocation key = {.offset = (uint64_t)(at - r->section->bytes)};
    return r->relocations.count ? bsearch(&key, r->relocations.at, r->relocations.count, sizeof key,
                                          compare_relocations)
                                : NULL;
}

/* ---- the head of a unit ---------------------------------------------------------------------- */

static bool add_file(reader *r, cursor *c, const char *name)
{
    const uint64_t directory = take_leb(c, false);
    take_leb(c, false); /* time */
    take_leb(c, false); /* bytes */
    return ifl_vec_push(&r->unit.files, (unit_file){name, directory, NOT_INTERNED});
}

static ifl_status read_files(reader *r, cursor *c)
{
    const char *text;
    while (*(text = take_text(c)))
        if (!ifl_vec_push(&r->unit.directories, text))
            return no_memory(r);
    while (*(text = take_text(c)))
        if (!add_file(r, c, text))
            return no_memory(r);
    return IFL_OK;
}

static bool read_format(reader *r, cursor *head, uint64_t version)
{
    r->unit.min_instruction = take(head, 1);
    if (version >= 4)
        take(head, 1); /* operations an instruction */
    take(head, 1);     /* is_stmt */
    r->unit.line_base = (int8_t)take(head, 1);
    r->unit.line_range = take(head, 1);
    r->unit.opcode_base = take(head, 1);
    r->unit.operand_counts = head->at;
    for (uint64_t i = 1; i < r->unit.opcode_base; i++)
        take(head, 1);
    return r->unit.line_range && r->unit.opcode_base;
}

static ifl_status read_head(reader *r, cursor *c, uint64_t version)
{
    const uint8_t *start = c->at;
    const uint64_t head_bytes = take(c, 4);
    if (!c->ok || head_bytes > (uint64_t)(c->end - c->at))
        return fail(r, start, "the head of a unit is longer than the unit");
    cursor head = {c->at, c->at + head_bytes, true};
    c->at = head.end;
    if (!read_format(r, &head, version))
        return fail(r, start, "the head of a unit has a zero where there can be none");
    const ifl_status status = read_files(r, &head);
    if (status == IFL_OK && !head.ok)
        return fail(r, start, "the head of a unit is cut short");
    /* NVIDIA adds .debug_str's base for this unit. Its linker puts units one after another
     * without changing the bases: 0 in any but the first is not to be trusted. */
    r->unit.has_names = r->names && head.end - head.at >= 4;
    r->unit.names_base = r->unit.has_names ? take(&head, 4) : 0;
    if (r->unit_count > 1 && r->unit.names_base == 0)
        r->unit.has_names = false;
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static ifl_status intern_file(reader *r, const uint8_t *at, unit_file *file)
{
    char path[MAX_PATH_BYTES];
    const bool has_directory =
        *file->name != '/' && file->directory > 0 && file->directory <= r->unit.directories.count;
    const char *directory = has_directory ? r->unit.directories.at[file->directory - 1] : "";
    const int length =
        snprintf(path, sizeof path, "%s%s%s", directory, *directory ? "/" : "", file->name);
    if (length < 0 || (size_t)length >= sizeof path)
        return fail(r, at, "a file's path is longer than a path can be");
    const ifl_interned *interned = ifl_intern_text(r->sink->files, path);
    if (!interned)
        return no_memory(r);
    file->interned = interned->index;
    return IFL_OK;
}

static ifl_status find_file(reader *r, const uint8_t *at, uint32_t *index)
{
    if (r->state.file == 0 || r->state.file > r->unit.files.count)
        return fail(r, at, "a row names a file that the unit does not have");
    unit_file *file = &r->unit.files.at[r->state.file - 1];
    const ifl_status status = file->interned == NOT_INTERNED ? intern_file(r, at, file) : IFL_OK;
    *index = (uint32_t)file->interned;
    return status;
}

static const char *demangled(ifl_intern *set, ifl_interned *entry)
{
    if (entry && !entry->meaning) {
        entry->meaning = ifl_demangle(set->arena, entry->text);
        set->bytes += entry->meaning ? strlen(entry->meaning) : 0;
    }
    return entry ? entry->meaning : NULL;
}

static ifl_status find_function(reader *r, const uint8_t *at, const char **name)
{
    if (r->state.context == 0 || !r->unit.has_names)
        return IFL_OK;
    const uint64_t size = r->names->size, offset = r->unit.names_base + r->state.function;
    named_function *last = &r->recent[offset % RECENT];
    *name = last->offset == offset ? last->name : NULL;
    if (*name)
        return IFL_OK;
    if (r->state.function > size || offset >= size ||
        !memchr(r->names->bytes + offset, '\0', size - offset))
        return fail(r, at, "a row's function name lies outside of .debug_str");
    ifl_intern *set = r->sink->functions;
    *name = demangled(set, ifl_intern_text(set, (const char *)r->names->bytes + offset));
    *last = (named_function){offset, *name};
    return *name ? IFL_OK : no_memory(r);
}

static ifl_status check_row(const reader *r, const uint8_t *at)
{
    const registers *s = &r->state;
    if (s->address > s->limit)
        return fail(r, at, "a row's address lies behind its code");
    if (s->context > s->rows->count - s->first_row)
        return fail(r, at, "a row is inlined at one that there is not yet");
    return IFL_OK;
}

static ifl_status add_row(reader *r, const uint8_t *at)
{
    const registers *s = &r->state;
    ifl_machine_line row = {.offset = (uint32_t)s->address, .line = (uint32_t)s->line};
    if (!s->rows)
        return IFL_OK;
    ifl_status status = check_row(r, at);
    if (status == IFL_OK)
        status = find_file(r, at, &row.file);
    if (status == IFL_OK)
        status = find_function(r, at, &row.function);
    if (status != IFL_OK)
        return status;
    if (s->context)
        row.inlined_at = (uint32_t)(s->first_row + s->context);
    return ifl_vec_push(s->rows, row) ? IFL_OK : no_memory(r);
}

/* ---- extended opcodes ------------------------------------------------------------------------ */

static void start_sequence(reader *r)
{
    r->state = (registers){.file = 1, .line = 1};
}

static void set_address(reader *r, cursor *c)
{
    const relocation *found = find_relocation(r, c->at);
    r->state.address = take(c, 8);
    r->state.rows = NULL;
    if (!found || found->section >= r->image->section_count)
        return;
    r->state.address = found->value;
    r->state.limit = r->image->sections[found->section].size;
    if (r->state.limit <= UINT32_MAX)
        r->state.rows = r->sink->rows(r->sink->user, found->section);
    if (r->state.rows)
        r->state.first_row = r->state.rows->count;
}

static void end_sequence(reader *r, cursor *c)
{
    (void)c;
    start_sequence(r);
}

static void set_inlined(reader *r, cursor *c)
{
    r->state.context = take_leb(c, false);
    r->state.function = take_leb(c, false);
}

static ifl_status run_extended(reader *r, cursor *c)
{
    static const struct {
        uint8_t opcode;
        void (*run)(reader *r, cursor *c);
    } opcodes[] = {{1, end_sequence}, {2, set_address}, {0x90, set_inlined}};
    const uint8_t *start = c->at;
    const uint64_t bytes = take_leb(c, false);
    if (!c->ok || bytes == 0 || bytes > (uint64_t)(c->end - c->at))
        return fail(r, start, "an extended opcode is longer than its unit");
    const uint8_t opcode = *c->at;
    cursor operands = {c->at + 1, c->at + bytes, true};
    c->at += bytes;
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (opcodes[i].opcode == opcode)
            opcodes[i].run(r, &operands);
    return operands.ok ? IFL_OK : fail(r, start, "an extended opcode is cut short");
}

/* ---- opcodes --------------------------------------------------------------------------------- */

static void advance(reader *r, uint64_t operations)
{
    r->state.address += operations * r->unit.min_instruction;
}

static uint64_t special_advance(const reader *r, uint64_t opcode)
{
    return (opcode - r->unit.opcode_base) / r->unit.line_range;
}

static void run_standard(reader *r, cursor *c, uint64_t opcode)
{
    enum { ADVANCE_PC = 2, ADVANCE_LINE, SET_FILE, CONST_ADD_PC = 8, FIXED_ADVANCE_PC };
    if (opcode == ADVANCE_PC)
        advance(r, take_leb(c, false));
    else if (opcode == ADVANCE_LINE)
        r->state.line += take_leb(c, true);
    else if (opcode == SET_FILE)
        r->state.file = take_leb(c, false);
    else if (opcode == CONST_ADD_PC)
        advance(r, special_advance(r, 255));
    else if (opcode == FIXED_ADVANCE_PC)
        r->state.address += take(c, 2);
    else {
        for (unsigned i = 0; i < r->unit.operand_counts[opcode - 1]; i++)
            take_leb(c, false);
    }
}

static ifl_status run_special(reader *r, const uint8_t *at, uint64_t opcode)
{
    const uint64_t step = (opcode - r->unit.opcode_base) % r->unit.line_range;
    advance(r, special_advance(r, opcode));
    r->state.line += (uint64_t)(r->unit.line_base + (int64_t)step);
    return add_row(r, at);
}

static ifl_status run_opcode(reader *r, cursor *c)
{
    enum { EXTENDED = 0, COPY = 1 };
    const uint8_t *start = c->at;
    const uint64_t opcode = take(c, 1);
    if (opcode == EXTENDED)
        return run_extended(r, c);
    if (opcode >= r->unit.opcode_base)
        return run_special(r, start, opcode);
    if (opcode == COPY)
        return add_row(r, start);
    run_standard(r, c, opcode);
    return c->ok ? IFL_OK : fail(r, start, "an opcode is cut short");
}

/* ---- units ----------------------------------------------------------------------------------- */

static ifl_status run_unit(reader *r, cursor *c)
{
    const uint8_t *start = c->at;
    const uint64_t version = take(c, 2);
    r->unit_count++;
    if (!c->ok)
        return fail(r, start, "a unit is cut short");
    if (version < 2 || version > 4) {
        r->sink->missing = "its line table is of a DWARF version other than 2 to 4";
        return IFL_OK;
    }
    ifl_status status = read_head(r, c, version);
    start_sequence(r);
    while (status == IFL_OK && c->at < c->end)
        status = run_opcode(r, c);
    return status;
}

static ifl_status read_unit(reader *r, cursor *section)
{
    const uint8_t *start = section->at;
    const uint64_t bytes = take(section, 4);
    if (!section->ok || bytes > (uint64_t)(section->end - section->at))
        return fail(r, start, "a unit is longer than its section");
    cursor c = {section->at, section->at + bytes, true};
    section->at = c.end;
    const ifl_status status = run_unit(r, &c);
    ifl_vec_free(&r->unit.directories);
    ifl_vec_free(&r->unit.files);
    r->unit = (unit){0};
    return status;
}

static ifl_status read_section(reader *r)
{
    ifl_status status = read_relocations(r);
    cursor c = {r->section->bytes, r->section->bytes + r->section->size, true};
    if (!r->relocations.count)
        r->sink->missing = "its line table does not tell kernels apart";
    while (status == IFL_OK && c.at < c.end)
        status = read_unit(r, &c);
    ifl_vec_free(&r->relocations);
    return status;
}

ifl_status ifl_line_table_read(const ifl_elf_image *image, ifl_line_sink *sink, ifl_error *error)
{
    reader r = {.image = image,
                .section = ifl_elf_find(image, ".debug_line"),
                .names = ifl_elf_find(image, ".debug_str"),
                .sink = sink,
                .error = error};
    return r.section ? read_section(&r) : IFL_OK;
}

/* ---- order ----------------------------------------------------------------------------------- */

static bool is_ascending(const ifl_line_rows *rows)
{
    for (size_t i = 1; i < rows->count; i++)
        if (rows->at[i].offset < rows->at[i - 1].offset)
            return false;
    return true;
}

/* A row's offset and old place in one number: the order of these is the order wanted. */
static int compare_places(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The low half of places[new] is the old place; old_to_new is its inverse. */
static void permute(ifl_line_rows *rows, const uint64_t *places, uint32_t *old_to_new,
                    ifl_machine_line *sorted)
{
    for (size_t i = 0; i < rows->count; i++)
        old_to_new[(uint32_t)places[i]] = (uint32_t)i;
    for (size_t i = 0; i < rows->count; i++) {
        sorted[i] = rows->at[(uint32_t)places[i]];
        if (sorted[i].inlined_at)
            sorted[i].inlined_at = 1 + old_to_new[sorted[i].inlined_at - 1];
    }
    memcpy(rows->at, sorted, rows->count * sizeof *sorted);
}

bool ifl_line_rows_sort(ifl_line_rows *rows)
{
    if (is_ascending(rows))
        return true;
    uint64_t *places = calloc(rows->count, sizeof *places);
    uint32_t *old_to_new = calloc(rows->count, sizeof *old_to_new);
    ifl_machine_line *sorted = calloc(rows->count, sizeof *sorted);
    const bool have_memory = places && old_to_new && sorted;
    if (have_memory) {
        for (size_t i = 0; i < rows->count; i++)
            places[i] = (uint64_t)rows->at[i].offset << 32 | i;
        qsort(places, rows->count, sizeof *places, compare_places);
        permute(rows, places, old_to_new, sorted);
    }
    free(places);
    free(old_to_new);
    free(sorted);
    return have_memory;
}
