/* SPDX-License-Identifier: Apache-2.0
 * What lanes of a warp do together, in every vector width that this processor runs, against one
 * lane after another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "exec/bind.h"
#include "exec/warp.h"

enum {
    WORDS = 4 * IFL_WARP_LANES,
    TRUE_PREDICATE = 0,
    FALSE_PREDICATE = 4,
    VOTES = 8,
    RESULT_PREDICATE = 12,
    GUARD = 16,
    AT_A = WORDS,
    AT_B = AT_A + 2 * WORDS,
    AT_C = AT_B + WORDS,
    AT_D = AT_C + WORDS,
    AT_MEMBERS = AT_D + WORDS,
    FRAME_BYTES = AT_MEMBERS + WORDS
};

typedef struct frame {
    _Alignas(64) char slots[FRAME_BYTES];
} frame;

static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352d;
    x = (x ^ x >> 15) * 0x846ca68b;
    return x ^ x >> 16;
}

static uint32_t word(const frame *f, uint32_t slot, uint32_t i)
{
    uint32_t value;
    memcpy(&value, f->slots + slot + (size_t)i * 4, sizeof value);
    return value;
}

static void set_word(frame *f, uint32_t slot, uint32_t i, uint32_t value)
{
    memcpy(f->slots + slot + (size_t)i * 4, &value, sizeof value);
}

static frame mixed_frame(uint32_t seed)
{
    frame f;
    for (uint32_t i = 0; i < FRAME_BYTES / 4; i++)
        set_word(&f, 0, i, mixed(seed * 1000 + i));
    set_word(&f, TRUE_PREDICATE, 0, UINT32_MAX);
    set_word(&f, FALSE_PREDICATE, 0, 0);
    return f;
}

/* ---- one lane after another ------------------------------------------------------------------ */

/* PTX ISA, shfl: the steps of its description */
static uint32_t shuffled(const ifl_exchange *op, const frame *f, uint32_t lane, uint32_t mask,
                         uint32_t *is_valid)
{
    const uint32_t b = word(f, op->b, lane) & 31, c = word(f, op->c, lane), segment = c >> 8 & 31,
                   clamp = c & 31;
    const int32_t highest = (int32_t)((lane & segment) | (clamp & ~segment)),
                  lowest = (int32_t)(lane & segment), at = (int32_t)lane;
    int32_t from = at;
    switch (op->kind) {
    case IFL_EXCHANGE_SHUFFLE_UP:
        from = at - (int32_t)b;
        *is_valid = from >= highest;
        break;
    case IFL_EXCHANGE_SHUFFLE_DOWN:
        from = at + (int32_t)b;
        *is_valid = from <= highest;
        break;
    case IFL_EXCHANGE_SHUFFLE_BUTTERFLY:
        from = at ^ (int32_t)b;
        *is_valid = from <= highest;
        break;
    default:
        from = lowest | (int32_t)(b & ~segment);
        *is_valid = from <= highest;
    }
    from = *is_valid ? from : at;
    return mask >> from & 1 ? word(f, op->a, (uint32_t)from) : 0;
}

static uint64_t matched(const ifl_exchange *op, const frame *f, uint32_t lane)
{
    if (op->bytes == 4)
        return word(f, op->a, lane);
    if (op->is_planes)
        return (uint64_t)word(f, op->a + WORDS, lane) << 32 | word(f, op->a, lane);
    return (uint64_t)word(f, op->a, 2 * lane + 1) << 32 | word(f, op->a, 2 * lane);
}

static uint32_t lanes_like(const ifl_exchange *op, const frame *f, uint32_t mask, uint32_t lane)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < IFL_WARP_LANES; i++)
        same |= (uint32_t)(matched(op, f, i) == matched(op, f, lane)) << i;
    return same & mask;
}

static uint32_t joined(const ifl_exchange *op, uint32_t x, uint32_t y)
{
    const bool is_signed = op->type == IFL_TYPE_S32,
               is_less = is_signed ? (int32_t)x < (int32_t)y : x < y;
    switch (op->operation) {
    case IFL_OPERATION_ADD:
        return x + y;
    case IFL_OPERATION_MIN:
        return is_less ? x : y;
    case IFL_OPERATION_MAX:
        return is_less ? y : x;
    case IFL_OPERATION_AND:
        return x & y;
    case IFL_OPERATION_OR:
        return x | y;
    default:
        return x ^ y;
    }
}

static uint32_t reduced(const ifl_exchange *op, const frame *f, uint32_t mask)
{
    uint32_t result = word(f, op->a, (uint32_t)__builtin_ctz(mask));
    for (uint32_t m = mask & (mask - 1); m; m &= m - 1)
        result = joined(op, result, word(f, op->a, (uint32_t)__builtin_ctz(m)));
    return result;
}

static void put_bit(frame *f, uint32_t at, uint32_t lane, bool bit)
{
    const uint32_t old = word(f, at, 0);
    set_word(f, at, 0, (old & ~(UINT32_C(1) << lane)) | (uint32_t)bit << lane);
}

/* Of a uniform operation all that are there get the result, and nobody who is elsewhere. */
static frame expected(const ifl_exchange *op, const frame *before, uint32_t mask, uint32_t active)
{
    frame after = *before;
    const uint32_t holds = (word(before, VOTES, 0) ^ op->flip) & mask,
                   lowest = (uint32_t)__builtin_ctz(mask);
    const bool are_alike = lanes_like(op, before, mask, lowest) == mask;
    for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++) {
        uint32_t is_valid = 0;
        if (!((op->is_uniform ? active : mask) >> lane & 1))
            continue;
        switch ((ifl_exchange_kind)op->kind) {
        case IFL_EXCHANGE_MEET:
        case IFL_EXCHANGES:
            break;
        case IFL_EXCHANGE_VOTE_ALL:
            put_bit(&after, op->d, lane, holds == mask);
            break;
        case IFL_EXCHANGE_VOTE_ANY:
            put_bit(&after, op->d, lane, holds != 0);
            break;
        case IFL_EXCHANGE_VOTE_UNIFORM:
            put_bit(&after, op->d, lane, holds == 0 || holds == mask);
            break;
        case IFL_EXCHANGE_VOTE_BALLOT:
            set_word(&after, op->d, lane, holds);
            break;
        case IFL_EXCHANGE_MATCH_ANY:
            set_word(&after, op->d, lane, lanes_like(op, before, mask, lane));
            break;
        case IFL_EXCHANGE_MATCH_ALL:
            set_word(&after, op->d, lane, are_alike ? mask : 0);
            put_bit(&after, op->p, lane, are_alike);
            break;
        case IFL_EXCHANGE_REDUCE:
            set_word(&after, op->d, lane, reduced(op, before, mask));
            break;
        case IFL_EXCHANGE_ACTIVE_MASK:
            set_word(&after, op->d, lane, mask);
            break;
        case IFL_EXCHANGE_ELECT:
            set_word(&after, op->d, lane, lowest);
            if (mask >> lane & 1)
                put_bit(&after, op->p, lane, lane == lowest);
            break;
        default:
            set_word(&after, op->d, lane, shuffled(op, before, lane, mask, &is_valid));
            put_bit(&after, op->p, lane, is_valid);
        }
    }
    return after;
}

/* ---- the handlers ---------------------------------------------------------------------------- */

static const ifl_code *stop(const ifl_code *code, ifl_warp *warp, char *slots, uint32_t active)
{
    (void)warp, (void)slots, (void)active;
    return code;
}

static void check_among(const ifl_exchange *op, const frame *before, uint32_t mask, uint32_t active)
{
    static const char *const widths[] = {"base", "v3", "v4"};
    static ifl_warp warp = {.live = UINT32_MAX};
    frame given = *before;
    set_word(&given, GUARD, 0, mask);
    const frame wanted = expected(op, &given, mask, active);
    for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++) {
        const ifl_width *width = ifl_width_find(widths[w]);
        if (!width)
            continue;
        frame found = given;
        ifl_code code[2] = {{.run = width->handler[IFL_CODE_exchange], .guard = GUARD, .extra = op},
                            {.run = stop}};
        code->run(code, &warp, found.slots, active);
        if (memcmp(&found, &wanted, sizeof found) != 0)
            fail_msg("%s, kind %u, operation %u, type %u, %u bytes, mask 0x%08x: not as one lane "
                     "after another",
                     widths[w], op->kind, op->operation, op->type, op->bytes, mask);
    }
}

static void check(const ifl_exchange *op, const frame *before, uint32_t mask)
{
    check_among(op, before, mask, mask);
    check_among(op, before, mask, mask | mixed(mask));
}

static const uint32_t masks[] = {UINT32_MAX, 1,          0x80000000, 0x0000ffff,
                                 0xaaaaaaaa, 0x7ffffffe, 0x00100100};
enum { MASKS = sizeof masks / sizeof *masks };

static uint32_t mask_at(uint32_t i)
{
    const uint32_t mask = i < MASKS ? masks[i] : mixed(i);
    return mask ? mask : 1;
}

static void set_clamps(frame *f, uint32_t i)
{
    static const uint32_t of_each[] = {0x1f, 0, 0x1f00, 0x101f, 0x1800, 0x1c03, 0x1e1f};
    for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++) {
        set_word(f, AT_C, lane, i % 8 < 7 ? of_each[i % 8] : mixed(i * 32 + lane));
        set_word(f, AT_B, lane, i % 3 ? i / 3 : mixed(i * 77 + lane));
    }
}

static void lanes_are_shuffled(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3000; i++)
        for (uint8_t kind = IFL_EXCHANGE_SHUFFLE_UP; kind <= IFL_EXCHANGE_SHUFFLE_INDEX; kind++) {
            frame f = mixed_frame(i);
            set_clamps(&f, i);
            ifl_exchange op = {.kind = kind,
                               .bytes = 4,
                               .a = AT_A,
                               .b = AT_B,
                               .c = AT_C,
                               .d = AT_D,
                               .p = RESULT_PREDICATE};
            check(&op, &f, mask_at(i % 20));
            op.d = i & 1 ? AT_A : AT_B; /* over a source */
            check(&op, &f, mask_at(i % 20));
        }
}

static void lanes_vote(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 1000; i++)
        for (uint8_t kind = IFL_EXCHANGE_VOTE_ALL; kind <= IFL_EXCHANGE_VOTE_BALLOT; kind++) {
            frame f = mixed_frame(i);
            const ifl_exchange op = {.kind = kind,
                                     .bytes = 4,
                                     .a = VOTES,
                                     .flip = i & 1 ? UINT32_MAX : 0,
                                     .is_uniform = i & 2,
                                     .d = kind == IFL_EXCHANGE_VOTE_BALLOT ? AT_D
                                                                           : RESULT_PREDICATE};
            set_word(&f, VOTES, 0,
                     i % 8 < 3   ? mask_at(i % 20)
                     : i % 8 < 5 ? ~mask_at(i % 20)
                                 : mixed(i));
            check(&op, &f, mask_at(i % 20));
        }
}

static void values_are_matched(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2000; i++)
        for (uint8_t kind = IFL_EXCHANGE_MATCH_ANY; kind <= IFL_EXCHANGE_MATCH_ALL; kind++) {
            frame f = mixed_frame(i);
            const ifl_exchange op = {.kind = kind,
                                     .bytes = i & 1 ? 8 : 4,
                                     .is_planes = i & 2,
                                     .a = AT_A,
                                     .d = i & 4 ? AT_A : AT_D,
                                     .p = RESULT_PREDICATE};
            for (uint32_t k = 0; k < 2 * IFL_WARP_LANES; k++)
                set_word(&f, AT_A, k, word(&f, AT_A, k) % (1 + i % 5));
            check(&op, &f, mask_at(i % 20));
        }
}

static void values_are_reduced(void **state)
{
    static const uint8_t operations[] = {IFL_OPERATION_ADD, IFL_OPERATION_MIN, IFL_OPERATION_MAX,
                                         IFL_OPERATION_AND, IFL_OPERATION_OR,  IFL_OPERATION_XOR};
    (void)state;
    for (uint32_t i = 0; i < 2000; i++)
        for (unsigned k = 0; k < sizeof operations / sizeof *operations; k++) {
            frame f = mixed_frame(i);
            const ifl_exchange op = {.kind = IFL_EXCHANGE_REDUCE,
                                     .operation = operations[k],
                                     .type = i & 1 ? IFL_TYPE_S32 : IFL_TYPE_U32,
                                     .bytes = 4,
                                     .is_uniform = i & 2,
                                     .a = AT_A,
                                     .d = i & 4 ? AT_A : AT_D};
            for (uint32_t lane = 0; lane < IFL_WARP_LANES && i % 7 == 0; lane++)
                set_word(&f, AT_A, lane, i % 2 ? UINT32_MAX - lane % 3 : INT32_MAX + lane % 3);
            check(&op, &f, mask_at(i % 20));
        }
}

static void masks_are_told_and_lanes_elected(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 100; i++) {
        const frame f = mixed_frame(i);
        const ifl_exchange tells = {.kind = IFL_EXCHANGE_ACTIVE_MASK, .bytes = 4, .d = AT_D},
                           elects = {.kind = IFL_EXCHANGE_ELECT,
                                     .bytes = 4,
                                     .is_uniform = i & 1,
                                     .d = AT_D,
                                     .p = RESULT_PREDICATE},
                           meets = {.kind = IFL_EXCHANGE_MEET, .bytes = 4};
        check(&tells, &f, mask_at(i));
        check(&elects, &f, mask_at(i));
        check(&meets, &f, mask_at(i));
    }
}

/* With a member mask: those who name it take part together, and groups know nothing of each
 * other. */
static void groups_are_apart(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 200; i++) {
        frame f = mixed_frame(i), wanted, found;
        const uint32_t first = mask_at(i), groups[] = {first, ~first};
        ifl_exchange op = {.kind = IFL_EXCHANGE_REDUCE,
                           .operation = IFL_OPERATION_ADD,
                           .type = IFL_TYPE_U32,
                           .bytes = 4,
                           .a = AT_A,
                           .d = AT_D,
                           .members = AT_MEMBERS};
        static ifl_warp warp = {.live = UINT32_MAX};
        for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++)
            set_word(&f, AT_MEMBERS, lane, groups[first >> lane & 1 ? 0 : 1]);
        check_among(&op, &f, first, first);
        wanted = expected(&op, &f, first, first);
        wanted = ~first ? expected(&op, &wanted, ~first, ~first) : wanted;
        found = f;
        ifl_code code[2] = {{.run = ifl_width_best()->handler[IFL_CODE_exchange],
                             .guard = TRUE_PREDICATE,
                             .extra = &op},
                            {.run = stop}};
        code->run(code, &warp, found.slots, UINT32_MAX);
        assert_memory_equal(&found, &wanted, sizeof found);
        found = f; /* one who is named is elsewhere */
        warp.reason = IFL_REASON_NONE;
        code->run(code, &warp, found.slots, first & (first - 1) ? first & (first - 1) : 0);
        assert_int_equal(warp.reason, first & (first - 1) ? IFL_REASON_WARP_WAIT : IFL_REASON_NONE);
        assert_memory_equal(&found, &f, sizeof found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_are_shuffled), cmocka_unit_test(lanes_vote),
        cmocka_unit_test(values_are_matched), cmocka_unit_test(values_are_reduced),
        cmocka_unit_test(groups_are_apart),   cmocka_unit_test(masks_are_told_and_lanes_elected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
