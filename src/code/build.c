/* SPDX-License-Identifier: Apache-2.0
 * See build.h. */
#include "code/build.h"

#include <string.h>

void ifl_builder_free(ifl_builder *builder)
{
    ifl_vec_free(&builder->code);
    ifl_vec_free(&builder->constants);
    ifl_vec_free(&builder->older);
    ifl_vec_free(&builder->banks);
    ifl_vec_free(&builder->specials);
}

void ifl_builder_clear(ifl_builder *builder)
{
    builder->code.count = builder->constants.count = builder->banks.count =
        builder->specials.count = 0;
    builder->older.count = 0;
    memset(builder->newest, 0, sizeof builder->newest);
    builder->frame_bytes = 0;
}

static void fail(ifl_builder *builder, ifl_status status)
{
    if (builder->status == IFL_OK)
        builder->status = status;
}

/* ---- slots ----------------------------------------------------------------------------------- */

unsigned ifl_slot_bits(unsigned bits)
{
    return bits <= 16 ? 16 : bits <= 32 ? 32 : bits <= 64 ? 64 : 128;
}

uint32_t ifl_builder_room(ifl_builder *builder, uint64_t bytes)
{
    const uint64_t at =
        (builder->frame_bytes + IFL_SLOT_ALIGNMENT - 1) / IFL_SLOT_ALIGNMENT * IFL_SLOT_ALIGNMENT;
    if (at + bytes > UINT32_MAX) {
        fail(builder, IFL_UNSUPPORTED);
        return 0;
    }
    builder->frame_bytes = at + bytes;
    return (uint32_t)at;
}

uint32_t ifl_builder_slot(ifl_builder *builder, unsigned bits)
{
    return ifl_builder_room(builder, (uint64_t)ifl_slot_bits(bits) / 8 * IFL_WARP_LANES);
}

static uint64_t cut(uint64_t value, unsigned bits)
{
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

/* The newest of the constants that share a bucket with this value, as its number plus 1; 0:
 * none. */
static uint32_t *newest_like(ifl_builder *builder, uint64_t value)
{
    const uint64_t mixed = value * UINT64_C(0x9e3779b97f4a7c15); /* multiples of the golden ratio */
    return &builder->newest[mixed >> (64 - IFL_CONSTANT_BUCKET_BITS)];
}

void ifl_builder_constant_at(ifl_builder *builder, uint32_t slot, uint64_t value, unsigned bits)
{
    uint32_t *newest = newest_like(builder, value);
    if (!ifl_vec_push(&builder->constants,
                      (ifl_constant){.slot = slot, .bits = bits, .value = value}) ||
        !ifl_vec_push(&builder->older, *newest))
        fail(builder, IFL_NO_MEMORY);
    else
        *newest = (uint32_t)builder->constants.count;
}

uint32_t ifl_builder_constant(ifl_builder *builder, uint64_t value, unsigned bits)
{
    bits = ifl_slot_bits(bits);
    value = cut(value, bits);
    for (uint32_t i = *newest_like(builder, value); i; i = builder->older.at[i - 1]) {
        const ifl_constant *c = &builder->constants.at[i - 1];
        if (c->value == value && c->bits == bits)
            return c->slot;
    }
    const uint32_t slot = ifl_builder_slot(builder, bits);
    ifl_builder_constant_at(builder, slot, value, bits);
    return slot;
}

uint32_t ifl_builder_constant_pair(ifl_builder *builder, uint64_t value)
{
    const uint64_t low = cut(value, 32), high = value >> 32;
    for (uint32_t i = *newest_like(builder, low); i; i = builder->older.at[i - 1]) {
        const ifl_constant *c = &builder->constants.at[i - 1];
        if (i < builder->constants.count && c->bits == 32 && c[1].bits == 32 && c->value == low &&
            c[1].value == high && c[1].slot == c->slot + IFL_PLANE_BYTES)
            return c->slot;
    }
    const uint32_t slot = ifl_builder_room(builder, 2 * IFL_PLANE_BYTES);
    ifl_builder_constant_at(builder, slot, low, 32);
    ifl_builder_constant_at(builder, slot + IFL_PLANE_BYTES, high, 32);
    return slot;
}

ifl_operation ifl_transfer_operation(const ifl_transfer *transfer)
{
    static const struct {
        ifl_space space;
        ifl_operation load, store;
    } rows[] = {
        {IFL_SPACE_SHARED, IFL_CODE_load_shared, IFL_CODE_store_shared},
        {IFL_SPACE_LOCAL, IFL_CODE_load_local, IFL_CODE_store_local},
        {IFL_SPACE_CLUSTER, IFL_CODE_transfer, IFL_CODE_transfer},
    };
    const bool is_load = transfer->kind == IFL_ACCESS_LOAD;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].space == transfer->space)
            return is_load ? rows[i].load : rows[i].store;
    return is_load ? IFL_CODE_load_global : IFL_CODE_store_global;
}

static bool is_same_bank(const ifl_bank_slot *a, const ifl_bank_slot *b)
{
    return a->bits == b->bits && a->offset == b->offset && a->bytes == b->bytes &&
           a->bank == b->bank && a->is_signed == b->is_signed;
}

uint32_t ifl_builder_bank(ifl_builder *builder, const ifl_bank_slot *wanted)
{
    for (size_t i = 0; i < builder->banks.count; i++)
        if (is_same_bank(&builder->banks.at[i], wanted))
            return builder->banks.at[i].slot;
    ifl_bank_slot added = *wanted;
    added.slot = ifl_builder_slot(builder, wanted->bits);
    if (!ifl_vec_push(&builder->banks, added))
        fail(builder, IFL_NO_MEMORY);
    return added.slot;
}

static ifl_bank_slot bank_word(uint8_t bank, uint32_t offset)
{
    return (ifl_bank_slot){.bits = 32, .offset = offset, .bytes = 4, .bank = bank};
}

/* Words that were placed side by side before. */
static uint32_t find_bank_words(const ifl_builder *builder, uint8_t bank, uint32_t offset,
                                unsigned words)
{
    for (size_t i = 0; i + words <= builder->banks.count; i++) {
        const ifl_bank_slot *at = &builder->banks.at[i];
        unsigned same = 0;
        for (; same < words; same++) {
            const ifl_bank_slot wanted = bank_word(bank, offset + 4 * same);
            if (!is_same_bank(&at[same], &wanted) ||
                at[same].slot != at->slot + same * IFL_PLANE_BYTES)
                break;
        }
        if (same == words)
            return at->slot;
    }
    return 0;
}

uint32_t ifl_builder_bank_words(ifl_builder *builder, uint8_t bank, uint32_t offset, unsigned words)
{
    const uint32_t found = find_bank_words(builder, bank, offset, words);
    if (found)
        return found;
    const uint32_t slot = ifl_builder_room(builder, (uint64_t)words * IFL_PLANE_BYTES);
    for (unsigned i = 0; i < words; i++) {
        ifl_bank_slot word = bank_word(bank, offset + 4 * i);
        word.slot = slot + i * IFL_PLANE_BYTES;
        if (!ifl_vec_push(&builder->banks, word))
            fail(builder, IFL_NO_MEMORY);
    }
    return slot;
}

static uint32_t add_special(ifl_builder *builder, ifl_special_slot wanted, unsigned bits)
{
    for (size_t i = 0; i < builder->specials.count; i++) {
        const ifl_special_slot *s = &builder->specials.at[i];
        if (s->special == wanted.special && s->add == wanted.add && s->bits == wanted.bits)
            return s->slot;
    }
    wanted.slot = ifl_builder_slot(builder, bits);
    if (!ifl_vec_push(&builder->specials, wanted))
        fail(builder, IFL_NO_MEMORY);
    return wanted.slot;
}

uint32_t ifl_builder_special(ifl_builder *builder, ifl_special special)
{
    const unsigned least = 32, bits = ifl_special_bits(special);
    return add_special(builder, (ifl_special_slot){.special = (uint16_t)special},
                       bits < least ? least : bits);
}

uint32_t ifl_builder_special_sum(ifl_builder *builder, ifl_special special, uint64_t add,
                                 unsigned bits)
{
    return add_special(
        builder,
        (ifl_special_slot){.special = (uint16_t)special, .bits = (uint8_t)bits, .add = add}, bits);
}

/* ---- operations ------------------------------------------------------------------------------ */

ifl_code *ifl_builder_add(ifl_builder *builder, ifl_code code)
{
    static ifl_code lost; /* written by nobody who succeeds: the failure is noted */
    if (ifl_vec_push(&builder->code, code))
        return &builder->code.at[builder->code.count - 1];
    fail(builder, IFL_NO_MEMORY);
    return &lost;
}

static void *keep_list(ifl_builder *builder, const void *from, size_t count, size_t bytes)
{
    void *to = ifl_arena_alloc(builder->arena, (count + 1) * bytes);
    if (to && count)
        memcpy(to, from, count * bytes);
    if (!to)
        fail(builder, IFL_NO_MEMORY);
    return to;
}

/* Those that change by block come first: they are written at the start of each. */
static void keep_specials(ifl_builder *builder, ifl_routine *routine)
{
    routine->specials =
        ifl_arena_alloc(builder->arena, (builder->specials.count + 1) * sizeof *routine->specials);
    if (!routine->specials) {
        fail(builder, IFL_NO_MEMORY);
        return;
    }
    for (int by_block = 1; by_block >= 0; by_block--) {
        for (size_t i = 0; i < builder->specials.count; i++)
            if ((ifl_special_changes(builder->specials.at[i].special) == IFL_WHEN_BLOCK) ==
                by_block)
                routine->specials[routine->special_count++] = builder->specials.at[i];
        if (by_block)
            routine->block_special_count = routine->special_count;
    }
}

void ifl_builder_keep(ifl_builder *builder, ifl_routine *routine)
{
    routine->code =
        keep_list(builder, builder->code.at, builder->code.count, sizeof *routine->code);
    routine->constants = keep_list(builder, builder->constants.at, builder->constants.count,
                                   sizeof *routine->constants);
    routine->banks =
        keep_list(builder, builder->banks.at, builder->banks.count, sizeof *routine->banks);
    keep_specials(builder, routine);
    routine->code_count = builder->code.count;
    routine->constant_count = builder->constants.count;
    routine->bank_count = builder->banks.count;
    routine->frame_bytes =
        (builder->frame_bytes + IFL_SLOT_ALIGNMENT - 1) / IFL_SLOT_ALIGNMENT * IFL_SLOT_ALIGNMENT;
}
