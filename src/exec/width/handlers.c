/* SPDX-License-Identifier: Apache-2.0
 * The handlers beside the rows of opcode.def: control and moves between registers. Compiled once
 * for each vector width; whatever is rare is in ../ and compiled once. */
#include "exec/bind.h"
#include "exec/lane.h"
#include "exec/width/dispatch.h"

/* ---- control --------------------------------------------------------------------------------- */

IFL_INLINE void count_block(const ifl_code *code, const ifl_warp *warp, uint32_t active)
{
    ifl_block_count *count = &warp->worker->counts[code->count];
    count->warps++;
    count->threads += (uint64_t)__builtin_popcount(active);
}

/* A handler of its own: the other, which all blocks begin with, then needs no frame. */
__attribute__((noinline)) IFL_HANDLER(block_of_followed)
{
    count_block(code, warp, active);
    ifl_warp_tell_stretch(warp, code, active);
    if (--warp->slice < 0)
        IFL_STOP(IFL_REASON_YIELD, code + 1);
    IFL_NEXT;
}

IFL_OPERATION(block)
{
    if (__builtin_expect(warp->is_followed, 0))
        IFL_INSTEAD(block_of_followed);
    count_block(code, warp, active);
    if (__builtin_expect(--warp->slice < 0, 0))
        IFL_STOP(IFL_REASON_YIELD, code + 1);
    IFL_NEXT;
}

IFL_OPERATION(tally)
{
    warp->worker->tallies[code->site] += (uint64_t)__builtin_popcount(IFL_EXECUTING);
    IFL_NEXT;
}

IFL_OPERATION(join)
{
    if (warp->place == code)
        IFL_STOP(IFL_REASON_JOIN, code);
    IFL_NEXT;
}

IFL_OPERATION(branch)
{
    uint32_t taken = IFL_EXECUTING;
    if (taken == active)
        IFL_GO(code->target);
    if (taken == 0)
        IFL_NEXT;
    warp->taken = taken;
    IFL_STOP(IFL_REASON_DIVERGE, code);
}

IFL_HANDLER(slow)
{
    ifl_reason reason = code->slow(warp, code, frame, IFL_EXECUTING, active);
    if (reason != IFL_REASON_NONE)
        IFL_STOP(reason, reason == IFL_REASON_YIELD ? code + 1 : code);
    IFL_NEXT;
}

IFL_OPERATION(nothing)
{
    IFL_NEXT;
}

/* Return, exit, call and the like: whole only where the guard holds. */
IFL_OPERATION(stop)
{
    uint32_t mask = IFL_EXECUTING;
    if (!mask)
        IFL_NEXT;
    warp->taken = mask;
    IFL_STOP((ifl_reason)code->count, code);
}

/* ---- moves ----------------------------------------------------------------------------------- */

#define MOVE(name, type)                                                                           \
    IFL_OPERATION(name)                                                                            \
    {                                                                                              \
        uint32_t mask = IFL_EXECUTING;                                                             \
        const type *a = (const type *)(const void *)(frame + code->a);                             \
        type *d = (type *)(void *)(frame + code->d);                                               \
        if (mask == IFL_ALL_LANES) {                                                               \
            IFL_SIMD IFL_EACH_LANE(i) d[i] = a[i];                                                 \
        } else {                                                                                   \
            IFL_SIMD IFL_EACH_LANE(i) d[i] = mask >> i & 1 ? a[i] : d[i];                          \
        }                                                                                          \
        IFL_NEXT;                                                                                  \
    }
MOVE(move16, uint16_t)
MOVE(move32, uint32_t)
MOVE(move64, uint64_t)

typedef struct lane128 {
    uint64_t half[2];
} lane128;

IFL_OPERATION(move128)
{
    const lane128 *a = (const lane128 *)(const void *)(frame + code->a);
    lane128 *d = (lane128 *)(void *)(frame + code->d);
    for (uint32_t m = IFL_EXECUTING; m; m &= m - 1)
        d[__builtin_ctz(m)] = a[__builtin_ctz(m)];
    IFL_NEXT;
}

#define SELECT(name, type)                                                                         \
    IFL_OPERATION(name)                                                                            \
    {                                                                                              \
        uint32_t mask = IFL_EXECUTING, p = ifl_predicate(frame, code->c) ^ code->flip;             \
        const type *a = (const type *)(const void *)(frame + code->a);                             \
        const type *b = (const type *)(const void *)(frame + code->b);                             \
        type *d = (type *)(void *)(frame + code->d);                                               \
        if (mask == IFL_ALL_LANES) {                                                               \
            IFL_SIMD IFL_EACH_LANE(i) d[i] = p >> i & 1 ? a[i] : b[i];                             \
        } else {                                                                                   \
            IFL_SIMD IFL_EACH_LANE(i)                                                              \
            {                                                                                      \
                type r = p >> i & 1 ? a[i] : b[i];                                                 \
                d[i] = mask >> i & 1 ? r : d[i];                                                   \
            }                                                                                      \
        }                                                                                          \
        IFL_NEXT;                                                                                  \
    }
SELECT(select16, uint16_t)
SELECT(select32, uint32_t)
SELECT(select64, uint64_t)

/* A lane of any width as 128 bits, and back: low bits first. */
IFL_INLINE lane128 read_lane(const char *slot, unsigned bytes, int lane)
{
    lane128 value = {{0, 0}};
    memcpy(&value, slot + (size_t)lane * bytes, bytes);
    return value;
}

IFL_INLINE lane128 shift_right(lane128 v, unsigned by)
{
    if (by >= 64)
        return (lane128){{v.half[1] >> (by - 64), 0}};
    return by ? (lane128){{v.half[0] >> by | v.half[1] << (64 - by), v.half[1] >> by}} : v;
}

#define RESIZE(from, to)                                                                           \
    do {                                                                                           \
        const from *a = (const from *)(const void *)(frame + code->a);                             \
        to *d = (to *)(void *)(frame + code->d);                                                   \
        IFL_SIMD IFL_EACH_LANE(i)                                                                  \
        {                                                                                          \
            to r = (to)(from)(a[i] >> shift);                                                      \
            d[i] = mask >> i & 1 ? r : d[i];                                                       \
        }                                                                                          \
    } while (0)

/* code->count: (bytes from) << 8 | (bytes to) << 1 | signed */
#define WIDTHS(from, to, is_signed) ((from) << 8 | (to) << 1 | (is_signed))

static void resize_any(const ifl_code *code, char *frame, uint32_t mask)
{
    unsigned from = code->count >> 8, to = code->count >> 1 & 127;
    for (; mask; mask &= mask - 1) {
        int i = __builtin_ctz(mask);
        lane128 value = shift_right(read_lane(frame + code->a, from, i), (unsigned)code->value);
        memcpy(frame + code->d + (size_t)i * to, &value, to);
    }
}

IFL_OPERATION(resize)
{
    uint32_t mask = IFL_EXECUTING;
    unsigned shift = (unsigned)code->value;
    switch (code->count) {
    case WIDTHS(8, 4, 0):
    case WIDTHS(8, 4, 1):
        RESIZE(uint64_t, uint32_t);
        break;
    case WIDTHS(4, 8, 0):
        RESIZE(uint32_t, uint64_t);
        break;
    case WIDTHS(4, 8, 1):
        RESIZE(int32_t, int64_t);
        break;
    case WIDTHS(4, 2, 0):
    case WIDTHS(4, 2, 1):
        RESIZE(uint32_t, uint16_t);
        break;
    case WIDTHS(2, 4, 0):
        RESIZE(uint16_t, uint32_t);
        break;
    case WIDTHS(2, 4, 1):
        RESIZE(int16_t, int32_t);
        break;
    case WIDTHS(8, 2, 0):
    case WIDTHS(8, 2, 1):
        RESIZE(uint64_t, uint16_t);
        break;
    case WIDTHS(2, 8, 0):
        RESIZE(uint16_t, uint64_t);
        break;
    case WIDTHS(2, 8, 1):
        RESIZE(int16_t, int64_t);
        break;
    default:
        resize_any(code, frame, mask);
    }
    IFL_NEXT;
}

/* Part of a pack: puts a (count >> 8 bytes) into d (count >> 1 & 127 bytes) at bit `value`, a
 * multiple of a's width. */
IFL_OPERATION(insert)
{
    unsigned from = code->count >> 8, to = code->count >> 1 & 127;
    for (uint32_t m = IFL_EXECUTING; m; m &= m - 1) {
        size_t i = (size_t)__builtin_ctz(m);
        memcpy(frame + code->d + i * to + code->value / 8, frame + code->a + i * from, from);
    }
    IFL_NEXT;
}

/* d = f(a, b): `value` is f's truth table, bit 2a + b. e: flips of a (bit 0) and b (bit 1). */
IFL_OPERATION(predicate)
{
    uint32_t a = ifl_predicate(frame, code->a) ^ (code->e & 1 ? IFL_ALL_LANES : 0);
    uint32_t b = ifl_predicate(frame, code->b) ^ (code->e & 2 ? IFL_ALL_LANES : 0);
    uint32_t bits = 0, f = (uint32_t)code->value;
    bits |= f & 1 ? ~a & ~b : 0;
    bits |= f & 2 ? ~a & b : 0;
    bits |= f & 4 ? a & ~b : 0;
    bits |= f & 8 ? a & b : 0;
    ifl_set_predicate(frame, code->d, IFL_EXECUTING, bits);
    IFL_NEXT;
}

IFL_OPERATION(add_offset)
{
    uint32_t mask = IFL_EXECUTING;
    const uint64_t *a = (const uint64_t *)(const void *)(frame + code->a);
    uint64_t *d = (uint64_t *)(void *)(frame + code->d), value = code->value;
    IFL_SIMD IFL_EACH_LANE(i) d[i] = mask >> i & 1 ? a[i] + value : d[i];
    IFL_NEXT;
}

/* ---- the width ------------------------------------------------------------------------------- */

const ifl_row_handler *const *IFL_PASTE(ifl_ptx_rows_of_, IFL_WIDTH)(size_t *count);
const ifl_row_handler *const *IFL_PASTE(ifl_sass_rows_of_, IFL_WIDTH)(size_t *count);
ifl_handler *IFL_PASTE(ifl_side_by_side_, IFL_WIDTH)(const ifl_code *code);
const ifl_width *IFL_PASTE(ifl_width_, IFL_WIDTH)(void);
const ifl_width *IFL_PASTE(ifl_width_, IFL_WIDTH)(void)
{
    static const ifl_width width = {
        .name = IFL_TEXT(IFL_WIDTH),
        .ptx_rows = IFL_PASTE(ifl_ptx_rows_of_, IFL_WIDTH),
        .sass_rows = IFL_PASTE(ifl_sass_rows_of_, IFL_WIDTH),
        .slow = slow,
        .side_by_side = IFL_PASTE(ifl_side_by_side_, IFL_WIDTH),
        .handler =
            {
#define HANDLER(name) [IFL_CODE_##name] = IFL_OPERATION_NAME(name),
#include "code/operation.def"
            },
    };
    return &width;
}
