/* SPDX-License-Identifier: Apache-2.0
 * The requests that kernels make most: all lanes side by side, an element of 4 or 8 bytes each. A
 * handler for each operation, width and form of address, in which all of that is known. Compiled for
 * each vector width, and part of memory_handlers.c, which has the general way. */
#ifndef IFL_EXEC_WIDTH_SIDE_BY_SIDE_HANDLERS_H
#define IFL_EXEC_WIDTH_SIDE_BY_SIDE_HANDLERS_H

#include "exec/contiguous.h"
#include "exec/width/fetch.h"
#include "exec/width/side_by_side.h"

/* The memory that a request is expected in: one allocation, or the block's shared memory. No bytes:
 * unknown, or reads are checked. */
typedef struct room {
    uintptr_t base; /* plus a device address: the host address */
    uint64_t start, bytes;
    uint64_t origin; /* what observers are told counts from here */
    ifl_space space; /* that it lies in */
} room;

IFL_INLINE room global_room(const ifl_warp *warp, const ifl_code *code)
{
    const ifl_allocation *hint = warp->worker->hint[code->site].allocation;
    const ifl_space asked = (ifl_space)code->transfer->space,
                    space = asked == IFL_SPACE_GENERIC ? IFL_SPACE_GLOBAL : asked;
    return hint
               ? (room){(uintptr_t)hint->host - hint->address, hint->address, hint->bytes, 0, space}
               : (room){0, 0, 0, 0, space};
}

IFL_INLINE room shared_room(const ifl_warp *warp, const ifl_code *code)
{
    (void)code;
    const ifl_worker *worker = warp->worker;
    const ifl_grid *grid = worker->grid;
    const uint64_t start = warp->block->shared_start;
    return (room){(uintptr_t)warp->block->shared - start, start + grid->reserved_first,
                  worker->unwritten ? 0 : grid->shared_bytes - grid->reserved_first, start,
                  IFL_SPACE_SHARED};
}

/* What is added to the address of every lane that executes: all of these hold the same in a uniform
 * register. */
IFL_INLINE uint64_t common_addend(const ifl_transfer *t, const char *frame, uint32_t mask)
{
    enum { PLANE = 4 * IFL_WARP_LANES };
    if (!t->uniform)
        return (uint64_t)t->offset;
    const uint32_t lane = (uint32_t)__builtin_ctz(mask);
    uint64_t sum = (uint64_t)t->offset + ifl_lane_u32(frame, t->uniform, lane);
    if (t->uniform_form == IFL_ADDRESS_PAIR)
        sum += (uint64_t)ifl_lane_u32(frame, t->uniform + PLANE, lane) << 32;
    return sum;
}

/* Loops, since compilers make slow string instructions of a memcpy of this size. Both sides are
 * aligned for a lane. */
#define COPY_LANES(type)                                                                           \
    do {                                                                                           \
        type *d = to;                                                                              \
        const type *s = from;                                                                      \
        IFL_SIMD IFL_EACH_LANE(i) d[i] = s[i];                                                     \
    } while (0)

IFL_INLINE void copy_lanes(void *to, const void *from, unsigned bytes)
{
    if (bytes == 4)
        COPY_LANES(uint32_t);
    else if (bytes == 8)
        COPY_LANES(uint64_t);
    else
        memcpy(to, from, (size_t)bytes * IFL_WARP_LANES);
}

/* The warp may have had its share of requests. */
#define FINISH_REQUEST                                                                             \
    do {                                                                                           \
        if (__builtin_expect(--warp->requests_left == 0, 0))                                       \
            IFL_STOP(IFL_REASON_YIELD, code + 1);                                                  \
        IFL_NEXT;                                                                                  \
    } while (0)

/* A contiguous request, and no atomic: is all done with counting it? */
IFL_INLINE bool count_only(const ifl_worker *worker, const ifl_code *code, ifl_space space,
                           unsigned bytes, uint64_t first)
{
    return !worker->listener_count ||
           (!worker->keen_count &&
            ifl_contiguous_again(
                worker, code->site,
                ifl_contiguous_what(code->transfer->kind, (uint8_t)space, (uint8_t)bytes), first));
}

/* In the room that was expected, of which observers want no more than a count. False, and nothing is
 * done: it is none of those. */
IFL_INLINE bool serve_side_by_side(ifl_warp *warp, const ifl_code *code, char *frame,
                                   const room *in, ifl_space space, bool is_load,
                                   ifl_address_form form, unsigned shift)
{
    const ifl_transfer *t = code->transfer;
    const uint64_t bytes = UINT64_C(1) << shift, all = bytes * IFL_WARP_LANES;
    uint64_t first;
    if (in->origin || in->bytes < all ||
        !lies_side_by_side(t, frame, form, shift, common_addend(t, frame, IFL_ALL_LANES), &first) ||
        first & (bytes - 1) || first - in->start > in->bytes - all ||
        !count_only(warp->worker, code, space, (unsigned)bytes, first))
        return false;
    char *here = (char *)(in->base + first), *data = frame + t->data[0];
    if (space != IFL_SPACE_SHARED) {
        fetch_later(here, all);
        if (is_load)
            note_loaded(&warp->worker->hint[code->site], (uintptr_t)here, (unsigned)bytes);
    }
    copy_lanes(is_load ? data : here, is_load ? here : data, (unsigned)bytes);
    warp->changed |= !is_load;
    return true;
}

/* Of a load or store an element a lane, of 4 or 8 bytes, in registers of its size, that has an
 * address of one of three forms: a handler each, which goes the general way, `any`, where it must. */
#define SIDE_BY_SIDE_HANDLER(name, any, room_of, space, is_load, form, shift)                      \
    IFL_HANDLER(name)                                                                              \
    {                                                                                              \
        if (IFL_EXECUTING == IFL_ALL_LANES) {                                                      \
            const room in = room_of(warp, code);                                                   \
            if (serve_side_by_side(warp, code, frame, &in, space, is_load, form, shift))           \
                FINISH_REQUEST;                                                                    \
        }                                                                                          \
        IFL_TAIL return any(code, warp, frame, active);                                            \
    }
#define SIDE_BY_SIDE_HANDLERS(op, room_of, space, is_load)                                         \
    SIDE_BY_SIDE_HANDLER(op##_4_64, IFL_OPERATION_NAME(op), room_of, space, is_load,               \
                         IFL_ADDRESS_64, 2)                                                        \
    SIDE_BY_SIDE_HANDLER(op##_8_64, IFL_OPERATION_NAME(op), room_of, space, is_load,               \
                         IFL_ADDRESS_64, 3)                                                        \
    SIDE_BY_SIDE_HANDLER(op##_4_pair, IFL_OPERATION_NAME(op), room_of, space, is_load,             \
                         IFL_ADDRESS_PAIR, 2)                                                      \
    SIDE_BY_SIDE_HANDLER(op##_8_pair, IFL_OPERATION_NAME(op), room_of, space, is_load,             \
                         IFL_ADDRESS_PAIR, 3)                                                      \
    SIDE_BY_SIDE_HANDLER(op##_4_32, IFL_OPERATION_NAME(op), room_of, space, is_load,               \
                         IFL_ADDRESS_32, 2)                                                        \
    SIDE_BY_SIDE_HANDLER(op##_8_32, IFL_OPERATION_NAME(op), room_of, space, is_load,               \
                         IFL_ADDRESS_32, 3)
SIDE_BY_SIDE_HANDLERS(load_global, global_room, IFL_SPACE_GLOBAL, true)
SIDE_BY_SIDE_HANDLERS(store_global, global_room, IFL_SPACE_GLOBAL, false)
SIDE_BY_SIDE_HANDLERS(load_shared, shared_room, IFL_SPACE_SHARED, true)
SIDE_BY_SIDE_HANDLERS(store_shared, shared_room, IFL_SPACE_SHARED, false)

#define SIDE_BY_SIDE_ROW(op)                                                                       \
    [IFL_CODE_##op] = {[IFL_ADDRESS_64] = {op##_4_64, op##_8_64},                                  \
                       [IFL_ADDRESS_PAIR] = {op##_4_pair, op##_8_pair},                            \
                       [IFL_ADDRESS_32] = {op##_4_32, op##_8_32}}

/* The handler of a load or store that may be one of those; NULL: it is none. */
ifl_handler *IFL_PASTE(ifl_side_by_side_, IFL_WIDTH)(const ifl_code *code);
ifl_handler *IFL_PASTE(ifl_side_by_side_, IFL_WIDTH)(const ifl_code *code)
{
    enum { FORMS = IFL_ADDRESS_EXTENDED + 1 };
    static ifl_handler *const handlers[IFL_CODE_OPERATIONS][FORMS][2] = {
        SIDE_BY_SIDE_ROW(load_global), SIDE_BY_SIDE_ROW(store_global),
        SIDE_BY_SIDE_ROW(load_shared), SIDE_BY_SIDE_ROW(store_shared)};
    if (!handlers[code->operation][IFL_ADDRESS_64][0])
        return NULL;
    const ifl_transfer *t = code->transfer;
    const bool is_element = t->elements == 1 && t->bytes == t->slot_bytes && !t->observes &&
                            (t->bytes == 4 || t->bytes == 8),
               is_plain = t->address && !t->scale &&
                          (t->space == IFL_SPACE_GLOBAL || t->space == IFL_SPACE_GENERIC ||
                           t->space == IFL_SPACE_SHARED);
    return is_element && is_plain ? handlers[code->operation][t->form][t->bytes == 8] : NULL;
}

#endif
