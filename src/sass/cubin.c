/* SPDX-License-Identifier: Apache-2.0
 * A cubin's kernels: code, attributes, symbols and lines, put together from its sections. It knows
 * how ptxas names sections, not how files hold cubins. */
#include "sass/cubin.h"

#include "base/demangle.h"
#include "sass/constant_header.h"
#include "sass/line_table.h"
#include "sass/nv_info.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    ABI_OLD = 0x33,      /* to CUDA 12: the target is the low byte of e_flags */
    ABI_NEW = 0x41,      /* CUDA 13, and 12.8 for sm_100 and on: bits 15:8 */
    ENTRY_SYMBOL = 0x10, /* in st_other: a kernel, not a function */
    SM_VOLTA = 70,
    INSTRUCTION_BYTES = 16, /* since Volta */
    SM_HOPPER = 90,
    NOTE_HEAD = 12,          /* bytes of the name and of the description, type; the name follows */
    RESERVED_SHARED = 0x400, /* in the size of .nv.shared.NAME since Hopper, when linked */
};

typedef struct draft {
    ifl_machine_kernel kernel;
    size_t section;
    ifl_nv_facts facts;
    ifl_line_rows rows;
    IFL_VEC(ifl_machine_symbol) symbols;
} draft;

typedef struct reader {
    ifl_elf_image image;
    ifl_arena scratch;
    ifl_machine *into;
    uint64_t file_offset;
    uint32_t sm;
    IFL_VEC(draft) drafts;
    uint32_t *draft_of_section; /* 1 + index; 0: no code of ours */
    ifl_intern names, files, functions;
    ifl_error *error;
} reader;

uint32_t ifl_cubin_sm(const ifl_elf_image *image)
{
    if (image->machine != IFL_ELF_CUDA_MACHINE)
        return 0;
    return image->os_abi == ABI_NEW ? image->flags >> 8 & 0xff : image->flags & 0xff;
}

/* The architecture of the PTX: bits 23:16 of e_flags (EF_CUDA_VIRTUAL_SM of LLVM's ELF.h), since
 * CUDA 13 the second 16-bit word of a note (seen for compute_75, compute_80 and compute_90). */
static uint32_t ptx_sm(const ifl_elf_image *image)
{
    const ifl_elf_section *note = ifl_elf_find(image, ".note.nv.cuinfo");
    if (image->os_abi != ABI_NEW)
        return image->flags >> 16 & 0xff;
    const uint64_t at =
        note && note->size >= NOTE_HEAD ? NOTE_HEAD + ifl_elf_read(note->bytes, 4) : 0;
    return at && at + 4 <= note->size ? (uint32_t)ifl_elf_read(note->bytes + at + 2, 2) : 0;
}

static ifl_status no_memory(const reader *r)
{
    return ifl_fail_memory(r->error, sizeof(ifl_machine_kernel));
}

static draft *draft_of(const reader *r, uint64_t section)
{
    const uint32_t found = section < r->image.section_count ? r->draft_of_section[section] : 0;
    return found ? &r->drafts.at[found - 1] : NULL;
}

/* A copy of a function is called NAME$NUMBER. */
static size_t without_copy_number(const char *text, size_t length)
{
    size_t end = length;
    while (end && text[end - 1] >= '0' && text[end - 1] <= '9')
        end--;
    return end > 1 && end < length && text[end - 1] == '$' ? end - 1 : length;
}

/* A function inside of a kernel is called $KERNEL$NAME. */
static const char *demangle(reader *r, const char *text)
{
    const size_t length = without_copy_number(text, strlen(text));
    const char *name = ifl_arena_text(&r->scratch, text, length);
    const char *last = name && *name == '$' ? strrchr(name, '$') + 1 : name;
    return name ? ifl_demangle(r->names.arena, *last ? last : text) : NULL;
}

static const ifl_interned *name_of(reader *r, const char *text)
{
    ifl_interned *name = ifl_intern_text(&r->names, text);
    if (!name || name->meaning)
        return name;
    name->meaning = demangle(r, name->text);
    r->names.bytes += name->meaning ? strlen(name->meaning) : 0;
    return name->meaning ? name : NULL;
}

/* ---- code ------------------------------------------------------------------------------------ */

static ifl_status check_code(const reader *r, const ifl_elf_section *section)
{
    if (section->size <= UINT32_MAX && (r->sm < SM_VOLTA || section->size % INSTRUCTION_BYTES == 0))
        return IFL_OK;
    return ifl_fail(r->error, IFL_BAD_INPUT,
                    "'%s' is damaged: %.200s, at offset 0x%" PRIx64 ", has 0x%" PRIx64
                    " bytes, which no number of instructions has",
                    r->image.file, section->name, section->offset, section->size);
}

/* Where variables live in registers: nvcc -G and ptxas -g write it, -lineinfo does not (CUDA 13.0,
 * sm_75 to sm_120). */
static const char register_lives[] = ".nv_debug_info_reg_sass";

/* The number of barriers is in the section's flags until CUDA 12, an attribute since. */
static ifl_status add_code(reader *r, size_t index, const char *text)
{
    const ifl_elf_section *section = &r->image.sections[index];
    const ifl_status status = check_code(r, section);
    if (status != IFL_OK)
        return status;
    const ifl_interned *name = name_of(r, text);
    if (!name)
        return no_memory(r);
    draft d = {.section = index};
    d.kernel = (ifl_machine_kernel){.name = name->text,
                                    .demangled = name->meaning,
                                    .sm = r->sm,
                                    .ptx_sm = ptx_sm(&r->image),
                                    .is_debug = ifl_elf_find(&r->image, register_lives) != NULL,
                                    .code_bytes = section->size,
                                    .code_file_offset = r->file_offset + section->offset};
    d.facts.barriers = r->image.os_abi == ABI_OLD ? section->flags >> 20 & 0x7f : 0;
    if (!ifl_vec_push(&r->drafts, d))
        return no_memory(r);
    r->draft_of_section[index] = (uint32_t)r->drafts.count;
    return IFL_OK;
}

static ifl_status find_code(reader *r)
{
    r->draft_of_section = calloc(r->image.section_count + 1, sizeof *r->draft_of_section);
    if (!r->draft_of_section)
        return no_memory(r);
    for (size_t i = 0; i < r->image.section_count; i++) {
        const ifl_elf_section *section = &r->image.sections[i];
        const char *name = ifl_elf_name_after(section, ".text.");
        const bool is_code = section->type == SHT_PROGBITS && section->flags & SHF_EXECINSTR;
        const ifl_status status = name && is_code ? add_code(r, i, name) : IFL_OK;
        if (status != IFL_OK)
            return status;
    }
    return IFL_OK;
}

/* ---- symbols --------------------------------------------------------------------------------- */

static bool is_own_symbol(const draft *d, const ifl_elf_symbol *symbol)
{
    return symbol->value == 0 && strcmp(symbol->name, d->kernel.name) == 0;
}

static ifl_status fail_symbol(const reader *r, const ifl_elf_symbol *symbol)
{
    return ifl_fail(r->error, IFL_BAD_INPUT,
                    "'%s' is damaged: its symbol '%.200s' has 0x%" PRIx64
                    " bytes from offset 0x%" PRIx64 " on, which is more than its section",
                    r->image.file, symbol->name, symbol->size, symbol->value);
}

static ifl_status take_symbol(reader *r, draft *d, const ifl_elf_symbol *symbol)
{
    const uint64_t bytes = d->kernel.code_bytes;
    if (symbol->value > bytes || symbol->size > bytes - symbol->value)
        return fail_symbol(r, symbol);
    if (is_own_symbol(d, symbol)) {
        d->kernel.is_kernel = symbol->other & ENTRY_SYMBOL;
        return IFL_OK;
    }
    const ifl_interned *name = name_of(r, symbol->name);
    if (!name)
        return no_memory(r);
    const ifl_machine_symbol part = {(uint32_t)symbol->value, (uint32_t)symbol->size, name->text,
                                     name->meaning};
    return ifl_vec_push(&d->symbols, part) ? IFL_OK : no_memory(r);
}

static ifl_status read_symbols(reader *r)
{
    ifl_elf_symbol symbol;
    for (size_t i = 0; ifl_elf_symbol_at(&r->image, i, &symbol); i++) {
        draft *d = symbol.type == STT_FUNC ? draft_of(r, symbol.section) : NULL;
        const ifl_status status = d ? take_symbol(r, d, &symbol) : IFL_OK;
        if (status != IFL_OK)
            return status;
    }
    return IFL_OK;
}

/* ---- attributes, shared memory --------------------------------------------------------------- */

static ifl_nv_facts *facts_of_symbol(void *user, uint32_t index)
{
    ifl_elf_symbol symbol;
    const reader *r = user;
    if (!ifl_elf_symbol_at(&r->image, index, &symbol) || symbol.type != STT_FUNC)
        return NULL;
    draft *d = draft_of(r, symbol.section);
    return d && is_own_symbol(d, &symbol) ? &d->facts : NULL;
}

static ifl_status read_section(reader *r, const ifl_elf_section *section)
{
    draft *d = draft_of(r, section->info);
    if (strcmp(section->name, ".nv.info") == 0)
        return ifl_nv_info_read_file(&r->image, section, facts_of_symbol, r, r->error);
    if (d && ifl_elf_name_after(section, ".nv.info."))
        return ifl_nv_info_read_kernel(&r->image, section, &d->facts, r->error);
    if (d && ifl_elf_name_after(section, ".nv.shared.")) {
        /* The sizes of linked code include what the system takes; those of objects do not yet. */
        const bool reserved =
            r->sm >= SM_HOPPER && r->image.type == ET_EXEC && section->size >= RESERVED_SHARED;
        d->kernel.reserved_shared_bytes = reserved ? RESERVED_SHARED : 0;
        d->kernel.static_shared_bytes = section->size - d->kernel.reserved_shared_bytes;
    }
    return IFL_OK;
}

static ifl_status read_sections(reader *r)
{
    for (size_t i = 0; i < r->image.section_count; i++) {
        const ifl_status status = read_section(r, &r->image.sections[i]);
        if (status != IFL_OK)
            return status;
    }
    return IFL_OK;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static ifl_line_rows *rows_of_section(void *user, uint32_t section)
{
    draft *d = draft_of(user, section);
    return d ? &d->rows : NULL;
}

/* New files are numbered on from those that the machine has. */
static ifl_status start_files(reader *r)
{
    for (size_t i = 0; i < r->into->file_count; i++)
        if (!ifl_intern_text(&r->files, r->into->files[i]))
            return no_memory(r);
    return IFL_OK;
}

static ifl_status finish_rows(reader *r, const char *missing)
{
    for (size_t i = 0; i < r->drafts.count; i++) {
        draft *d = &r->drafts.at[i];
        d->kernel.lines_missing = d->rows.count ? NULL : missing;
        if (!ifl_line_rows_sort(&d->rows))
            return no_memory(r);
    }
    return IFL_OK;
}

static ifl_status read_lines(reader *r)
{
    ifl_line_sink sink = {rows_of_section, r, &r->files, &r->functions, NULL};
    if (!ifl_elf_find(&r->image, ".debug_line"))
        return IFL_OK;
    ifl_status status = start_files(r);
    if (status == IFL_OK)
        status = ifl_line_table_read(&r->image, &sink, r->error);
    return status == IFL_OK ? finish_rows(r, sink.missing) : status;
}

/* ---- the result ------------------------------------------------------------------------------ */

static int compare_ordinals(const void *a, const void *b)
{
    const uint32_t x = ((const ifl_machine_parameter *)a)->ordinal,
                   y = ((const ifl_machine_parameter *)b)->ordinal;
    return (x > y) - (x < y);
}

static int compare_offsets(const void *a, const void *b)
{
    const uint32_t x = ((const ifl_machine_symbol *)a)->offset,
                   y = ((const ifl_machine_symbol *)b)->offset;
    return (x > y) - (x < y);
}

/* A copy in the machine's arena; NULL for none, and *complete false without memory. */
static void *keep(reader *r, const void *from, size_t count, size_t size, bool *complete)
{
    void *copy = count ? ifl_arena_alloc(&r->into->arena, count * size) : NULL;
    if (copy)
        memcpy(copy, from, count * size);
    else if (count)
        *complete = false;
    return copy;
}

#define KEEP(vec) keep(r, (vec).at, (vec).count, sizeof *(vec).at, &complete)
#define SORT(vec, compare)                                                                         \
    do {                                                                                           \
        if ((vec).count)                                                                           \
            qsort((vec).at, (vec).count, sizeof *(vec).at, compare);                               \
    } while (0)

static bool keep_lists(reader *r, draft *d)
{
    bool complete = true;
    ifl_machine_kernel *k = &d->kernel;
    SORT(d->facts.parameters, compare_ordinals);
    SORT(d->symbols, compare_offsets);
    k->code = keep(r, r->image.sections[d->section].bytes, k->code_bytes, 1, &complete);
    k->parameters = KEEP(d->facts.parameters);
    k->parameter_count = d->facts.parameters.count;
    k->exits = KEEP(d->facts.exits);
    k->exit_count = d->facts.exits.count;
    k->jump_targets = KEEP(d->facts.jump_targets);
    k->jump_target_count = d->facts.jump_targets.count;
    k->lines = KEEP(d->rows);
    k->line_count = d->rows.count;
    k->symbols = KEEP(d->symbols);
    k->symbol_count = d->symbols.count;
    return complete;
}

static void copy_facts(draft *d)
{
    ifl_machine_kernel *k = &d->kernel;
    k->registers = d->facts.registers;
    k->frame_bytes = d->facts.frame_bytes;
    k->min_stack_bytes = d->facts.min_stack_bytes;
    memcpy(k->cluster, d->facts.cluster, sizeof k->cluster);
    k->max_cluster_blocks = d->facts.max_cluster_blocks;
    k->needs_cluster = d->facts.needs_cluster;
    k->barriers = d->facts.barriers;
    k->param_base = d->facts.param_base ? d->facts.param_base : ifl_sass_parameter_base(k->sm);
    memcpy(k->max_threads, d->facts.max_threads, sizeof k->max_threads);
}

static ifl_status check_exits(const reader *r, const draft *d)
{
    for (size_t i = 0; i < d->facts.exits.count; i++)
        if (d->facts.exits.at[i] >= d->kernel.code_bytes)
            return ifl_fail(r->error, IFL_BAD_INPUT,
                            "'%s' is damaged: .nv.info.%.200s says that the kernel ends at offset "
                            "0x%" PRIx32 " of its 0x%" PRIx64 " bytes",
                            r->image.file, d->kernel.name, d->facts.exits.at[i],
                            d->kernel.code_bytes);
    return IFL_OK;
}

/* The machine's lists have room for the next power of two, since they do not keep their size. */
static bool grow(void **at, size_t count, size_t more, size_t size)
{
    size_t capacity = 1;
    while (capacity < count)
        capacity *= 2;
    if (!more || (*at && count + more <= capacity))
        return true;
    while (capacity < count + more)
        capacity *= 2;
    void *larger = realloc(*at, capacity * size);
    *at = larger ? larger : *at;
    return larger != NULL;
}

static ifl_status append(reader *r)
{
    ifl_machine *into = r->into;
    const size_t files = r->files.list.count,
                 new_files = files > into->file_count ? files - into->file_count : 0;
    if (!grow((void **)&into->kernels, into->kernel_count, r->drafts.count,
              sizeof *into->kernels) ||
        !grow((void **)&into->files, into->file_count, new_files, sizeof *into->files))
        return no_memory(r);
    for (size_t i = 0; i < r->drafts.count; i++)
        into->kernels[into->kernel_count++] = r->drafts.at[i].kernel;
    for (size_t i = 0; i < new_files; i++, into->file_count++)
        into->files[into->file_count] = r->files.list.at[into->file_count]->text;
    return IFL_OK;
}

static ifl_status finish(reader *r)
{
    for (size_t i = 0; i < r->drafts.count; i++) {
        draft *d = &r->drafts.at[i];
        const ifl_status status = check_exits(r, d);
        if (status != IFL_OK)
            return status;
        copy_facts(d);
        if (!keep_lists(r, d))
            return no_memory(r);
    }
    return append(r);
}

/* ---- one cubin ------------------------------------------------------------------------------- */

static ifl_status check_kind(reader *r)
{
    r->sm = ifl_cubin_sm(&r->image);
    if (r->image.machine != IFL_ELF_CUDA_MACHINE)
        return ifl_fail(r->error, IFL_BAD_INPUT,
                        "'%s' is an ELF file, but not one of machine code for a GPU",
                        r->image.file);
    if (r->image.os_abi != ABI_OLD && r->image.os_abi != ABI_NEW)
        return ifl_fail(r->error, IFL_UNSUPPORTED,
                        "'%s' is a cubin of an unknown kind (OS ABI 0x%02x)", r->image.file,
                        r->image.os_abi);
    return IFL_OK;
}

static ifl_status read_all(reader *r)
{
    static ifl_status (*const steps[])(reader * r) = {check_kind,    find_code,  read_symbols,
                                                      read_sections, read_lines, finish};
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == IFL_OK; i++)
        status = steps[i](r);
    return status;
}

static void free_reader(reader *r)
{
    for (size_t i = 0; i < r->drafts.count; i++) {
        ifl_nv_facts_free(&r->drafts.at[i].facts);
        ifl_vec_free(&r->drafts.at[i].rows);
        ifl_vec_free(&r->drafts.at[i].symbols);
    }
    ifl_vec_free(&r->drafts);
    free(r->draft_of_section);
    ifl_intern_free(&r->names);
    ifl_intern_free(&r->files);
    ifl_intern_free(&r->functions);
    ifl_arena_free(&r->scratch);
}

ifl_status ifl_cubin_read(const char *name, const uint8_t *bytes, size_t size, uint64_t file_offset,
                          ifl_machine *into, ifl_error *error)
{
    reader r = {.into = into,
                .file_offset = file_offset,
                .names.arena = &into->arena,
                .files.arena = &into->arena,
                .functions.arena = &into->arena,
                .error = error};
    ifl_status status = ifl_elf_open(name, bytes, size, &r.scratch, &r.image, error);
    if (status == IFL_OK)
        status = read_all(&r);
    free_reader(&r);
    return status;
}

ifl_status ifl_machine_read_cubin(const char *name, const uint8_t *bytes, size_t size,
                                  ifl_machine *into, ifl_error *error)
{
    return ifl_cubin_read(name, bytes, size, 0, into, error);
}
