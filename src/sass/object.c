/* SPDX-License-Identifier: Apache-2.0
 * See object.h. Sections and relocations as ptxas and nvlink of CUDA 11.8 to 13.0 write them:
 *
 *     .nv.constant2.NAME    a kernel's own constants: tables of its indexed branches, large immediates
 *     .nv.constant3         __constant__ variables
 *     .nv.constant4         addresses of variables and of functions that the driver provides
 *     .nv.global[.init]     __device__ variables */
#include "sass/object.h"

#include "base/vec.h"
#include "code/code.h"
#include "code/texture.h"
#include "sass/cubin.h"
#include "sass/elf_image.h"
#include "sass/nv_info.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* Where an address stands in a word: the bits of it from `from` on, the lowest of them at
 * low_at. */
typedef struct relocation_form {
    uint8_t type, from, low_at, low_bits, high_at, high_bits;
} relocation_form;

static const relocation_form relocation_forms[] = {
#define RELOCATION(type, name, ...) {type, __VA_ARGS__},
#include "sass/relocation.def"
};

typedef struct ifl_object_patch {
    uint8_t *at;
    const relocation_form *form;
    ifl_object_text *needed_by; /* NULL: any kernel */
    const char *symbol;
    size_t index;    /* of the text or the variable */
    uint64_t offset; /* in it, with the addend */
    uint8_t kind;
} ifl_object_patch;

enum { PATCH_TEXT, PATCH_VARIABLE, PATCH_PROVIDED, PATCH_ABSENT };

typedef struct loader {
    ifl_elf_image image;
    ifl_arena scratch;
    ifl_object *object;
    uint8_t **copy;  /* by section: its bytes as the object has them */
    size_t *text_of; /* by section: 1 + text */
    IFL_VEC(ifl_object_variable) variables;
    IFL_VEC(uint32_t) section_of; /* by variable */
    IFL_VEC(ifl_object_patch) patches;
    ifl_error *error;
} loader;

static ifl_status no_memory(const loader *l)
{
    return ifl_fail_memory(l->error, sizeof(ifl_object));
}

/* ---- sections -------------------------------------------------------------------------------- */

static uint8_t *copy_section(loader *l, size_t index)
{
    const ifl_elf_section *section = &l->image.sections[index];
    if (!l->copy[index] && section->bytes) {
        l->copy[index] = ifl_arena_alloc(&l->object->arena, section->size + 1);
        if (l->copy[index])
            memcpy(l->copy[index], section->bytes, section->size);
    }
    return l->copy[index];
}

static bool is_code(const ifl_elf_section *section)
{
    return section->type == SHT_PROGBITS && section->flags & SHF_EXECINSTR &&
           ifl_elf_name_after(section, ".text.");
}

/* Addresses ascend from section to section, with a gap that no branch reaches by mistake. */
static ifl_status take_texts(loader *l)
{
    enum { GAP = 4096 };
    ifl_object *object = l->object;
    uint64_t address = IFL_CODE_WINDOW;
    object->texts = ifl_arena_alloc(&object->arena,
                                    (object->machine->kernel_count + 1) * sizeof *object->texts);
    if (!object->texts)
        return no_memory(l);
    for (size_t i = 0;
         i < l->image.section_count && object->text_count < object->machine->kernel_count; i++) {
        if (!is_code(&l->image.sections[i]))
            continue;
        ifl_object_text *text = &object->texts[object->text_count++];
        l->text_of[i] = object->text_count;
        text->kernel = &object->machine->kernels[object->text_count - 1];
        text->code = copy_section(l, i);
        text->address = address;
        if (!text->code && text->kernel->code_bytes)
            return no_memory(l);
        address += (text->kernel->code_bytes + GAP - 1) / GAP * GAP + GAP;
    }
    return IFL_OK;
}

static ifl_object_text *text_named(const ifl_object *object, const char *name)
{
    for (size_t i = 0; i < object->text_count; i++)
        if (strcmp(object->texts[i].kernel->name, name) == 0)
            return &object->texts[i];
    return NULL;
}

static ifl_status take_constants(loader *l)
{
    ifl_object *object = l->object;
    for (size_t i = 0; i < l->image.section_count; i++) {
        const ifl_elf_section *section = &l->image.sections[i];
        const char *of = ifl_elf_name_after(section, ".nv.constant2.");
        ifl_object_text *text = of ? text_named(object, of) : NULL;
        const bool is_bank3 = strcmp(section->name, ".nv.constant3") == 0;
        const bool is_bank4 = strcmp(section->name, ".nv.constant4") == 0;
        if (section->type != SHT_PROGBITS || !section->bytes || !(text || is_bank3 || is_bank4))
            continue;
        uint8_t *copy = copy_section(l, i);
        if (!copy)
            return no_memory(l);
        if (text)
            text->constants = copy, text->constant_bytes = section->size;
        else if (is_bank3)
            object->constants = copy, object->constant_bytes = section->size;
        else
            object->addresses = copy, object->address_bytes = section->size;
    }
    return IFL_OK;
}

/* ---- variables ------------------------------------------------------------------------------- */

static bool holds_variables(const ifl_elf_section *section)
{
    return strcmp(section->name, ".nv.global") == 0 ||
           strcmp(section->name, ".nv.global.init") == 0 ||
           strcmp(section->name, ".nv.constant3") == 0;
}

static ifl_status take_variable(loader *l, const ifl_elf_symbol *symbol)
{
    enum { MANAGED = 4 }; /* of a symbol's st_other: nvcc sets it for __managed__ alone */
    const ifl_elf_section *section = &l->image.sections[symbol->section];
    if (symbol->value > section->size || symbol->size > section->size - symbol->value)
        return ifl_fail(l->error, IFL_BAD_INPUT,
                        "'%s' is damaged: its variable '%.200s' lies outside of %s", l->image.file,
                        symbol->name, section->name);
    const uint8_t *data = section->bytes ? copy_section(l, symbol->section) : NULL;
    const ifl_object_variable variable = {
        .name = ifl_arena_text(&l->object->arena, symbol->name, strlen(symbol->name)),
        .space = strcmp(section->name, ".nv.constant3") == 0 ? IFL_SPACE_CONST : IFL_SPACE_GLOBAL,
        .is_managed = (symbol->other & MANAGED) != 0,
        .bytes = symbol->size,
        .offset = symbol->value,
        .data = data ? data + symbol->value : NULL};
    if (!variable.name || !ifl_vec_push(&l->variables, variable) ||
        !ifl_vec_push(&l->section_of, symbol->section))
        return no_memory(l);
    return IFL_OK;
}

static ifl_status take_variables(loader *l)
{
    ifl_elf_symbol symbol;
    ifl_status status = IFL_OK;
    for (size_t i = 0; status == IFL_OK && ifl_elf_symbol_at(&l->image, i, &symbol); i++)
        if (symbol.type == STT_OBJECT && symbol.section &&
            symbol.section < l->image.section_count &&
            holds_variables(&l->image.sections[symbol.section]))
            status = take_variable(l, &symbol);
    return status;
}

/* ---- relocations ----------------------------------------------------------------------------- */

/* The variable that holds an offset, else the one that ends there: one past the end of an array is
 * an address too. */
static bool find_variable(const loader *l, uint32_t section, uint64_t offset, size_t *index)
{
    bool found = false;
    for (size_t i = 0; i < l->variables.count; i++) {
        const uint64_t into = offset - l->variables.at[i].offset, bytes = l->variables.at[i].bytes;
        if (l->section_of.at[i] != section || into > bytes || (found && into == bytes))
            continue;
        found = true;
        *index = i;
        if (into < bytes)
            return true;
    }
    return found;
}

/* What a symbol and an addend name. */
static void aim(const loader *l, const ifl_elf_symbol *symbol, uint64_t addend,
                ifl_object_patch *patch)
{
    const uint64_t at = symbol->value + addend;
    patch->kind = PATCH_ABSENT;
    patch->offset = at;
    if (symbol->section && symbol->section < l->image.section_count) {
        if (l->text_of[symbol->section]) {
            patch->kind = PATCH_TEXT;
            patch->index = l->text_of[symbol->section] - 1;
        } else if (find_variable(l, symbol->section,
                                 symbol->type == STT_SECTION ? at : symbol->value, &patch->index)) {
            patch->kind = PATCH_VARIABLE;
            patch->offset = at - l->variables.at[patch->index].offset;
        }
    } else if (ifl_provided_find(symbol->name)) {
        patch->kind = PATCH_PROVIDED;
        patch->index = ifl_provided_find(symbol->name);
    }
}

static ifl_object_text *text_of_target(const loader *l, size_t target)
{
    if (l->text_of[target])
        return &l->object->texts[l->text_of[target] - 1];
    const char *of = ifl_elf_name_after(&l->image.sections[target], ".nv.constant2.");
    return of ? text_named(l->object, of) : NULL;
}

static const relocation_form *form_of(uint32_t type)
{
    for (size_t i = 0; i < sizeof relocation_forms / sizeof *relocation_forms; i++)
        if (relocation_forms[i].type == type)
            return &relocation_forms[i];
    return NULL;
}

static size_t form_bytes(const relocation_form *form)
{
    const unsigned low = form->low_at + form->low_bits, high = form->high_at + form->high_bits;
    return (low > high ? low : high) <= 64 ? ((low > high ? low : high) + 7) / 8 : 16;
}

/* Bits of two words of 64; a run may cross from one into the other. */
static uint64_t read_bits(const uint64_t word[2], unsigned at, unsigned bits)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bits; i++)
        value |= (word[(at + i) / 64] >> (at + i) % 64 & 1) << i;
    return value;
}

static void write_bits(uint64_t word[2], unsigned at, unsigned bits, uint64_t value)
{
    for (unsigned i = 0; i < bits; i++) {
        const uint64_t bit = 1ull << (at + i) % 64;
        word[(at + i) / 64] = (word[(at + i) / 64] & ~bit) | (value >> i & 1 ? bit : 0);
    }
}

static uint64_t read_place(const relocation_form *form, const uint8_t *at)
{
    uint64_t word[2] = {0};
    memcpy(word, at, form_bytes(form));
    const uint64_t high =
        form->high_bits ? read_bits(word, form->high_at, form->high_bits) << form->low_bits : 0;
    return (read_bits(word, form->low_at, form->low_bits) | high) << form->from;
}

static void write_place(const relocation_form *form, uint8_t *at, uint64_t value)
{
    uint64_t word[2] = {0};
    memcpy(word, at, form_bytes(form));
    value >>= form->from;
    write_bits(word, form->low_at, form->low_bits, value);
    if (form->high_bits)
        write_bits(word, form->high_at, form->high_bits, value >> form->low_bits);
    memcpy(at, word, form_bytes(form));
}

/* A row of SHT_REL has its addend in the place. */
static ifl_status take_relocation(loader *l, size_t target, const uint8_t *row, bool has_addend)
{
    enum { SYMBOL_AT = 32 };
    const ifl_elf_section *section = &l->image.sections[target];
    const uint64_t at = ifl_elf_read(row, 8), info = ifl_elf_read(row + 8, 8);
    const relocation_form *form = form_of((uint32_t)info);
    const size_t bytes = form ? form_bytes(form) : 0;
    ifl_elf_symbol symbol;
    ifl_object_text *text = text_of_target(l, target);
    if (!ifl_elf_symbol_at(&l->image, info >> SYMBOL_AT, &symbol) || at > section->size ||
        bytes > section->size - at)
        return ifl_fail(l->error, IFL_BAD_INPUT,
                        "'%s' is damaged: a relocation of %s lies outside of it", l->image.file,
                        section->name);
    ifl_object_patch patch = {.at = l->copy[target] + at, .needed_by = text, .form = form};
    const uint64_t addend = has_addend ? ifl_elf_read(row + 16, 8)
                            : form     ? read_place(form, patch.at)
                                       : 0;
    patch.symbol = ifl_arena_text(&l->object->arena, symbol.name, strlen(symbol.name));
    aim(l, &symbol, addend, &patch);
    if (!form)
        patch.kind = PATCH_ABSENT;
    return patch.symbol && ifl_vec_push(&l->patches, patch) ? IFL_OK : no_memory(l);
}

static ifl_status take_list(loader *l, const ifl_elf_section *list)
{
    const bool has_addend = list->type == SHT_RELA;
    const uint64_t row_bytes = has_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    ifl_status status = IFL_OK;
    for (uint64_t at = 0; status == IFL_OK && at + row_bytes <= list->size; at += row_bytes)
        status = take_relocation(l, list->info, list->bytes + at, has_addend);
    return status;
}

static ifl_status take_relocations(loader *l)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < l->image.section_count && status == IFL_OK; i++) {
        const ifl_elf_section *list = &l->image.sections[i];
        if ((list->type == SHT_RELA || list->type == SHT_REL) && list->bytes &&
            list->info < l->image.section_count && l->copy[list->info])
            status = take_list(l, list);
    }
    return status;
}

static uint64_t value_of(const ifl_object *object, const ifl_object_patch *patch)
{
    switch (patch->kind) {
    case PATCH_TEXT:
        return object->texts[patch->index].address + patch->offset;
    case PATCH_VARIABLE:
        return object->variables[patch->index].address + patch->offset;
    case PATCH_PROVIDED:
        return ifl_provided_address((ifl_provided)patch->index);
    default:
        return 0;
    }
}

void ifl_object_place(ifl_object *object, uint64_t constants)
{
    object->constants_address = constants;
    for (size_t i = 0; i < object->variable_count; i++)
        if (object->variables[i].space == IFL_SPACE_CONST)
            object->variables[i].address = constants + object->variables[i].offset;
    for (size_t i = 0; i < object->patch_count; i++) {
        const ifl_object_patch *patch = &object->patches[i];
        if (patch->form)
            write_place(patch->form, patch->at, value_of(object, patch));
    }
}

static void note_call(ifl_object_text *text, ifl_provided function)
{
    text->calls |= ifl_provided_bit(function);
    text->calls_textures |= ifl_provided_asks_textures(function);
}

/* Addresses of such functions stand in .nv.constant4, which all kernels share; .nv.info.NAME says
 * who calls them. */
static ifl_status note_externs(loader *l, const char *kernel, const ifl_elf_section *section)
{
    ifl_object_text *text = text_named(l->object, kernel);
    ifl_nv_facts facts = {0};
    ifl_elf_symbol symbol;
    const ifl_status status =
        text ? ifl_nv_info_read_kernel(&l->image, section, &facts, l->error) : IFL_OK;
    for (size_t i = 0; i < facts.externs.count && status == IFL_OK; i++) {
        if (ifl_elf_symbol_at(&l->image, facts.externs.at[i], &symbol))
            note_call(text, ifl_provided_find(symbol.name));
    }
    ifl_nv_facts_free(&facts);
    return status;
}

static ifl_status take_externs(loader *l)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < l->image.section_count && status == IFL_OK; i++) {
        const char *kernel = ifl_elf_name_after(&l->image.sections[i], ".nv.info.");
        if (kernel)
            status = note_externs(l, kernel, &l->image.sections[i]);
    }
    return status;
}

static void note_needs(ifl_object *object)
{
    for (size_t i = 0; i < object->patch_count; i++)
        if (object->patches[i].needed_by) {
            /* A symbol that nobody has stops those who need it when they are lowered. */
            if (object->patches[i].kind == PATCH_ABSENT)
                object->patches[i].needed_by->unresolved = object->patches[i].symbol;
            if (object->patches[i].kind == PATCH_PROVIDED)
                note_call(object->patches[i].needed_by, (ifl_provided)object->patches[i].index);
        }
}

/* ---- one cubin ------------------------------------------------------------------------------- */

static ifl_status take_lists(loader *l)
{
    ifl_object *object = l->object;
    object->variable_count = l->variables.count;
    object->patch_count = l->patches.count;
    object->variables =
        ifl_arena_alloc(&object->arena, (l->variables.count + 1) * sizeof *object->variables);
    object->patches =
        ifl_arena_alloc(&object->arena, (l->patches.count + 1) * sizeof *object->patches);
    if (!object->variables || !object->patches)
        return no_memory(l);
    if (l->variables.count)
        memcpy(object->variables, l->variables.at, l->variables.count * sizeof *object->variables);
    if (l->patches.count)
        memcpy(object->patches, l->patches.at, l->patches.count * sizeof *object->patches);
    note_needs(object);
    return IFL_OK;
}

static ifl_status load(loader *l)
{
    static ifl_status (*const steps[])(loader * l) = {
        take_texts, take_constants, take_variables, take_relocations, take_lists, take_externs};
    const size_t count = l->image.section_count + 1;
    l->copy = ifl_arena_alloc(&l->scratch, count * sizeof *l->copy);
    l->text_of = ifl_arena_alloc(&l->scratch, count * sizeof *l->text_of);
    ifl_status status = l->copy && l->text_of ? IFL_OK : no_memory(l);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == IFL_OK; i++)
        status = steps[i](l);
    ifl_vec_free(&l->variables);
    ifl_vec_free(&l->section_of);
    ifl_vec_free(&l->patches);
    return status;
}

ifl_status ifl_object_open(const char *name, const uint8_t *bytes, size_t size, ifl_object **out,
                           ifl_error *error)
{
    loader l = {.object = calloc(1, sizeof *l.object), .error = error};
    *out = NULL;
    if (!l.object)
        return no_memory(&l);
    l.object->machine = ifl_machine_new(name);
    ifl_status status = l.object->machine
                            ? ifl_machine_read_cubin(name, bytes, size, l.object->machine, error)
                            : no_memory(&l);
    if (status == IFL_OK)
        status = ifl_elf_open(name, bytes, size, &l.scratch, &l.image, error);
    if (status == IFL_OK)
        status = load(&l);
    ifl_arena_free(&l.scratch);
    if (status == IFL_OK)
        *out = l.object;
    else
        ifl_object_close(l.object);
    return status;
}

void ifl_object_close(ifl_object *object)
{
    if (!object)
        return;
    if (object->machine)
        ifl_machine_free(object->machine);
    ifl_arena_free(&object->arena);
    free(object);
}

const ifl_object_text *ifl_object_find(const ifl_object *object, const char *kernel)
{
    return text_named(object, kernel);
}
