/* SPDX-License-Identifier: Apache-2.0
 * Operations that only machine code has: predicates as bits of registers, values for the whole
 * warp, constant banks by address, and instructions that there is no code for. */
#include "code/build.h"
#include "exec/warp.h"

#include <string.h>

ifl_reason ifl_slow_unsupported(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                uint32_t active)
{
    (void)frame, (void)active;
    if (!mask)
        return IFL_REASON_NONE;
    return ifl_fault_raise(warp, code, IFL_FAULT_UNSUPPORTED, (uint32_t)__builtin_ctz(mask), "%s",
                           (const char *)code->extra);
}

static void put_predicate(char *frame, uint32_t at, uint32_t mask, uint32_t bits)
{
    uint32_t *p = ifl_slot(frame, at);
    *p = (*p & ~mask) | (bits & mask);
}

static uint32_t lanes_with_another(const char *frame, uint32_t slot, uint32_t value)
{
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++)
        lanes |= (uint32_t)(ifl_lane_u32(frame, slot, lane) != value) << lane;
    return lanes;
}

/* The predicate tells the lanes that have another value. */
ifl_reason ifl_slow_broadcast(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                              uint32_t active)
{
    (void)warp;
    uint32_t *d = ifl_slot(frame, code->d);
    if (!mask)
        return IFL_REASON_NONE;
    const uint32_t value = ifl_lane_u32(frame, code->a, (uint32_t)__builtin_ctz(mask)),
                   others = lanes_with_another(frame, code->a, value);
    if (code->e != IFL_PREDICATE_SINK)
        put_predicate(frame, code->e, mask,
                      code->count ? others | ifl_predicate(frame, code->e) : others);
    for (uint32_t m = active; m; m &= m - 1)
        d[__builtin_ctz(m)] = value;
    return IFL_REASON_NONE;
}

static void add_line(uint16_t *lines, uint32_t *count, uint16_t line)
{
    for (uint32_t i = 0; i < *count; i++)
        if (lines[i] == line)
            return;
    lines[(*count)++] = line;
}

/* Lanes of one address are served together. */
static void tell_addresses(ifl_warp *warp, const ifl_code *code, const char *frame, uint32_t mask)
{
    enum { LINE_BYTES = 64, BANK_LINES = 1 << 10 };
    uint16_t lines[IFL_WARP_LANES] = {0};
    uint32_t count = 0, line_count = 0;
    for (uint32_t left = mask; left; count++) {
        const uint32_t first = ifl_lane_u32(frame, code->a, (uint32_t)__builtin_ctz(left)),
                       line = (first + (uint32_t)code->value) / LINE_BYTES % BANK_LINES;
        add_line(lines, &line_count, (uint16_t)(1 + code->count * BANK_LINES + line));
        for (uint32_t m = left; m; m &= m - 1)
            if (ifl_lane_u32(frame, code->a, (uint32_t)__builtin_ctz(m)) == first)
                left &= ~(m & -m);
    }
    ifl_warp_tell_indexed(warp, code, count, lines, line_count);
}

/* The displacement is one of 16 bits: in the upper half of a bank it is negative. */
static uint32_t bank_address(const ifl_code *code, const char *frame, uint32_t lane)
{
    enum { BANK_BYTES = 1 << 16 };
    const uint32_t at = ifl_lane_u32(frame, code->a, lane) + (uint32_t)code->value;
    return (int32_t)at < 0 ? at % BANK_BYTES : at;
}

/* A word in front of the parameters; false: nobody has told what it holds. */
static bool read_header(const ifl_bank_header *header, const char *frame, uint32_t lane,
                        uint32_t at, uint8_t *to)
{
    for (uint32_t i = 0; i < header->count; i++)
        if (header->words[i].offset == at) {
            const uint32_t value = ifl_lane_u32(frame, header->words[i].slot, lane);
            memcpy(to, &value, sizeof value);
            return true;
        }
    return false;
}

static bool read_bank(const ifl_bank *bank, const ifl_code *code, const char *frame, uint32_t lane,
                      uint32_t bytes, uint8_t *value)
{
    enum { WORD = 4 };
    const ifl_bank_header *header = code->extra;
    const uint32_t at = bank_address(code, frame, lane), base = header ? header->base : 0;
    if (at >= base && bytes <= bank->bytes && at - base <= bank->bytes - bytes)
        memcpy(value, bank->data + (at - base), bytes);
    for (uint32_t w = 0; at < base && w < bytes; w += WORD)
        if (!read_header(header, frame, lane, at + w, value + w))
            return false;
    return true;
}

/* The words of a lane; what lies past the end of a bank is zero. */
typedef struct bank_value {
    uint32_t word[4];
} bank_value;

static bool read_words(const ifl_warp *warp, const ifl_code *code, const char *frame, uint32_t lane,
                       bank_value *to)
{
    const uint32_t bytes = code->e >> 1;
    uint8_t *value = (uint8_t *)to->word;
    *to = (bank_value){{0}};
    if (bytes > sizeof *to || !read_bank(&warp->worker->grid->launch->banks[code->count], code,
                                         frame, lane, bytes, value))
        return false;
    if (bytes < sizeof *to->word && code->e & 1 && value[bytes - 1] & 0x80)
        memset(value + bytes, 0xff, sizeof *to->word - bytes);
    return true;
}

static bool has_one_address(const uint32_t *address, uint32_t mask)
{
    const uint32_t first = address[__builtin_ctz(mask)];
    uint32_t others = 0;
    for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++)
        others |= (uint32_t)(address[lane] != first) << lane;
    return !(others & mask);
}

/* Most indices are the same in all lanes: then one lane's words are those of all. */
ifl_reason ifl_slow_load_bank(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                              uint32_t active)
{
    (void)active;
    bank_value value;
    if (warp->is_followed)
        tell_addresses(warp, code, frame, mask);
    if (!mask)
        return IFL_REASON_NONE;
    const uint32_t alike = has_one_address(ifl_slot(frame, code->a), mask) ? mask : 0;
    for (uint32_t left = mask, together; left; left &= ~together) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        together = alike ? alike : UINT32_C(1) << lane;
        if (!read_words(warp, code, frame, lane, &value)) {
            ifl_fault_raise(warp, code, IFL_FAULT_UNSUPPORTED, lane,
                            "the meaning of this word of constant bank 0 is not known");
            return IFL_REASON_FAULT;
        }
        for (uint32_t w = 0; w * sizeof *value.word < code->e >> 1; w++) {
            uint32_t *d = ifl_slot(frame, code->d + w * (uint32_t)IFL_WARP_LANES * 4);
            for (uint32_t i = 0; i < IFL_WARP_LANES; i++)
                d[i] = together >> i & 1 ? value.word[w] : d[i];
        }
    }
    return IFL_REASON_NONE;
}

/* ---- predicates ------------------------------------------------------------------------------ */

static uint32_t look_up(uint32_t table, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t bits = 0;
    for (unsigned row = 0; row < 8; row++)
        if (table >> row & 1)
            bits |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
    return bits;
}

ifl_reason ifl_slow_predicates(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                               uint32_t active)
{
    enum { TABLE_BITS = 8 };
    (void)warp, (void)active;
    const uint32_t a = ifl_predicate(frame, code->a) ^ (code->count & 1 ? UINT32_MAX : 0),
                   b = ifl_predicate(frame, code->b) ^ (code->count & 2 ? UINT32_MAX : 0),
                   c = ifl_predicate(frame, code->c) ^ (code->count & 4 ? UINT32_MAX : 0);
    put_predicate(frame, code->d, mask, look_up((uint32_t)code->value, a, b, c));
    put_predicate(frame, code->e, mask, look_up((uint32_t)(code->value >> TABLE_BITS), a, b, c));
    return IFL_REASON_NONE;
}

ifl_reason ifl_slow_pack_predicates(ifl_warp *warp, const ifl_code *code, char *frame,
                                    uint32_t mask, uint32_t active)
{
    (void)warp, (void)active;
    const uint32_t wanted = (uint32_t)code->value;
    uint32_t *d = ifl_slot(frame, code->d);
    for (; mask; mask &= mask - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(mask);
        uint32_t bits = 0;
        for (uint32_t m = wanted; m; m &= m - 1)
            bits |= (ifl_predicate(frame, code->b + 4 * (uint32_t)__builtin_ctz(m)) >> lane & 1)
                    << __builtin_ctz(m);
        d[lane] =
            (ifl_lane_u32(frame, code->a, lane) & ~(wanted << code->count)) | bits << code->count;
    }
    return IFL_REASON_NONE;
}

ifl_reason ifl_slow_unpack_predicates(ifl_warp *warp, const ifl_code *code, char *frame,
                                      uint32_t mask, uint32_t active)
{
    (void)warp, (void)active;
    for (uint32_t m = (uint32_t)code->value; m; m &= m - 1) {
        const uint32_t bit = (uint32_t)__builtin_ctz(m);
        uint32_t holds = 0;
        for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++)
            holds |= (ifl_lane_u32(frame, code->a, lane) >> (bit + code->count) & 1) << lane;
        put_predicate(frame, code->d + 4 * bit, mask, holds);
    }
    return IFL_REASON_NONE;
}

/* ---- questions ------------------------------------------------------------------------------- */

ifl_reason ifl_slow_space_query(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                uint32_t active)
{
    uint64_t address[IFL_WARP_LANES];
    (void)active;
    uint32_t holds = 0;
    ifl_lane_addresses(code->transfer, frame, address);
    for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++)
        holds |= (uint32_t)ifl_warp_lies_in(warp, (ifl_space)code->value, address[lane]) << lane;
    put_predicate(frame, code->d, mask, holds);
    return IFL_REASON_NONE;
}

ifl_reason ifl_slow_parted(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                           uint32_t active)
{
    const uint32_t wanted = ifl_lane_u32(frame, code->a, (uint32_t)__builtin_ctz(active)) ^ code->e,
                   executing = active & (ifl_predicate(frame, code->b) ^ code->flip);
    const bool parted = wanted & warp->live & ~executing;
    put_predicate(frame, code->d, mask, parted != (code->value != 0) ? UINT32_MAX : 0);
    return IFL_REASON_NONE;
}
