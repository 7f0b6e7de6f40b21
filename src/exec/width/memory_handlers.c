/* SPDX-License-Identifier: Apache-2.0
 * The memory accesses that kernels live from. Compiled once for each vector width; whatever is rare
 * is in ../access.c and compiled once. */
#include "exec/lane.h"
#include "exec/likeness_lanes.h"
#include "exec/width/apart.h"
#include "exec/width/quad.h"
#include "exec/width/side_by_side_handlers.h"

typedef struct lane128 {
    uint64_t half[2];
} lane128;

/* ---- addresses ------------------------------------------------------------------------------- */

/* i * bytes for each lane, for each size of access: what a contiguous request's addresses differ
 * by. */
#define STEPS(bytes)                                                                               \
    {                                                                                              \
        0 * (bytes), 1 * (bytes), 2 * (bytes), 3 * (bytes), 4 * (bytes), 5 * (bytes), 6 * (bytes), \
            7 * (bytes), 8 * (bytes), 9 * (bytes), 10 * (bytes), 11 * (bytes), 12 * (bytes),       \
            13 * (bytes), 14 * (bytes), 15 * (bytes), 16 * (bytes), 17 * (bytes), 18 * (bytes),    \
            19 * (bytes), 20 * (bytes), 21 * (bytes), 22 * (bytes), 23 * (bytes), 24 * (bytes),    \
            25 * (bytes), 26 * (bytes), 27 * (bytes), 28 * (bytes), 29 * (bytes), 30 * (bytes),    \
            31 * (bytes)                                                                           \
    }
_Alignas(64) static const uint64_t steps[6][IFL_WARP_LANES] = {STEPS(1), STEPS(2),  STEPS(4),
                                                               STEPS(8), STEPS(16), STEPS(32)};

/* One loop a form: `at` is the address of lane i, of the slot `a` and what is added. */
#define ADDRESSES(type, expression)                                                                \
    do {                                                                                           \
        const type *a = (const type *)(const void *)(frame + t->address);                          \
        uint64_t first;                                                                            \
        {                                                                                          \
            const int i = 0;                                                                       \
            first = (expression);                                                                  \
        }                                                                                          \
        _Pragma("omp simd reduction(|:differs)") IFL_EACH_LANE(i)                                  \
        {                                                                                          \
            const uint64_t at = (expression);                                                      \
            to[i] = at;                                                                            \
            differs |= (at - first) ^ step[i];                                                     \
        }                                                                                          \
    } while (0)

/* Puts every lane's address into warp->address; 0 when lane i is at the first one's address + i *
 * bytes. All in one loop: reading the addresses back at once would wait for the stores. */
IFL_INLINE uint64_t lane_addresses(ifl_warp *warp, const ifl_transfer *t, const char *frame,
                                   uint32_t mask)
{
    uint64_t *to = warp->address, differs = 0;
    const uint64_t add = common_addend(t, frame, mask), *step = steps[__builtin_ctz(t->bytes)];
    const unsigned scale = t->scale;
    if (!t->address) {
        IFL_SIMD IFL_EACH_LANE(i) to[i] = add;
        return 1;
    }
    switch (t->form) {
    case IFL_ADDRESS_64:
        ADDRESSES(uint64_t, a[i] + add);
        break;
    case IFL_ADDRESS_PAIR:
        ADDRESSES(uint32_t, (a[i] | (uint64_t)a[i + IFL_WARP_LANES] << 32) + add);
        break;
    case IFL_ADDRESS_EXTENDED:
        ADDRESSES(uint32_t, ((uint64_t)a[i] << scale) + add);
        break;
    default:
        /* 32-bit addresses wrap at 32 bits. */
        ADDRESSES(uint32_t, (uint32_t)((a[i] << scale) + (uint32_t)add));
    }
    return differs;
}
#undef ADDRESSES

typedef struct extent {
    uint64_t low, high; /* lowest and highest address of an active lane */
    uint64_t bits;      /* all their bits together: for alignment */
    uint8_t shape;
} extent;

IFL_INLINE bool is_one_address(const uint64_t *address)
{
    const uint64_t first = address[0];
    uint64_t varies = first ^ address[IFL_WARP_LANES - 1];
    if (varies)
        return false;
    _Pragma("omp simd reduction(|:varies)") IFL_EACH_LANE(i) varies |= address[i] ^ first;
    return !varies;
}

/* Out of line: inlined, its loop would be made part of the common case. */
static __attribute__((noinline)) extent spread_extent(const uint64_t *address)
{
    uint64_t low = UINT64_MAX, high = 0, bits = 0;
    if (is_one_address(address))
        return (extent){address[0], address[0], address[0], IFL_SHAPE_UNIFORM};
    _Pragma("omp simd reduction(min:low) reduction(max:high) reduction(|:bits)") IFL_EACH_LANE(i)
    {
        low = address[i] < low ? address[i] : low;
        high = address[i] > high ? address[i] : high;
        bits |= address[i];
    }
    return (extent){low, high, bits, IFL_SHAPE_ANY};
}

/* An inactive lane counts as the first active one. */
static __attribute__((noinline)) extent partial_extent(const uint64_t *address, uint32_t mask)
{
    const uint64_t first = address[__builtin_ctz(mask)];
    uint64_t low = first, high = first, bits = first, varies = 0;
    _Pragma("omp simd reduction(|:varies)") IFL_EACH_LANE(i) varies |=
        mask >> i & 1 ? address[i] ^ first : 0;
    if (!varies)
        return (extent){first, first, first, IFL_SHAPE_UNIFORM};
    _Pragma("omp simd reduction(min:low) reduction(max:high) reduction(|:bits)") IFL_EACH_LANE(i)
    {
        const uint64_t at = mask >> i & 1 ? address[i] : first;
        low = at < low ? at : low;
        high = at > high ? at : high;
        bits |= at;
    }
    return (extent){low, high, bits, IFL_SHAPE_ANY};
}

#define LOAD_LANES(memory, lane)                                                                   \
    do {                                                                                           \
        lane *d = (lane *)(void *)(frame + t->data[e]);                                            \
        uintptr_t from = base + (uintptr_t)e * t->element_bytes;                                   \
        if (is_uniform) {                                                                          \
            const lane all = (lane) * (const memory *)(from + address[__builtin_ctz(mask)]);       \
            IFL_SIMD IFL_EACH_LANE(i) d[i] = mask >> i & 1 ? all : d[i];                           \
        } else if (mask == IFL_ALL_LANES) {                                                        \
            _Pragma("GCC unroll 8") IFL_EACH_LANE(i) d[i] =                                        \
                (lane) * (const memory *)(from + address[i]);                                      \
        } else {                                                                                   \
            for (uint32_t m = mask; m; m &= m - 1)                                                 \
                d[__builtin_ctz(m)] = (lane) * (const memory *)(from + address[__builtin_ctz(m)]); \
        }                                                                                          \
    } while (0)

#define STORE_LANES(memory, lane)                                                                  \
    do {                                                                                           \
        const lane *s = (const lane *)(const void *)(frame + t->data[e]);                          \
        uintptr_t to = base + (uintptr_t)e * t->element_bytes;                                     \
        for (uint32_t m = order; m; m &= m - 1)                                                    \
            *(memory *)(to + address[__builtin_ctz(m) ^ flip]) =                                   \
                (memory)s[__builtin_ctz(m) ^ flip];                                                \
    } while (0)

#define KEY(element, slot, is_signed) ((element) << 8 | (slot) << 1 | (is_signed))

/* `base` + address is the host address of a lane; between numbers, since neither is a pointer by
 * itself. */
IFL_INLINE void load_element(const ifl_transfer *t, unsigned e, char *frame, uintptr_t base,
                             const uint64_t *address, uint32_t mask, bool is_uniform)
{
    switch (KEY(t->element_bytes, t->slot_bytes, t->is_signed)) {
    case KEY(4, 4, 0):
    case KEY(4, 4, 1):
        LOAD_LANES(uint32_t, uint32_t);
        break;
    case KEY(8, 8, 0):
    case KEY(8, 8, 1):
        LOAD_LANES(uint64_t, uint64_t);
        break;
    case KEY(2, 2, 0):
    case KEY(2, 2, 1):
        LOAD_LANES(uint16_t, uint16_t);
        break;
    case KEY(1, 2, 0):
        LOAD_LANES(uint8_t, uint16_t);
        break;
    case KEY(1, 2, 1):
        LOAD_LANES(int8_t, int16_t);
        break;
    case KEY(1, 4, 0):
        LOAD_LANES(uint8_t, uint32_t);
        break;
    case KEY(1, 4, 1):
        LOAD_LANES(int8_t, int32_t);
        break;
    case KEY(2, 4, 0):
        LOAD_LANES(uint16_t, uint32_t);
        break;
    case KEY(2, 4, 1):
        LOAD_LANES(int16_t, int32_t);
        break;
    case KEY(1, 8, 0):
        LOAD_LANES(uint8_t, uint64_t);
        break;
    case KEY(1, 8, 1):
        LOAD_LANES(int8_t, int64_t);
        break;
    case KEY(2, 8, 0):
        LOAD_LANES(uint16_t, uint64_t);
        break;
    case KEY(2, 8, 1):
        LOAD_LANES(int16_t, int64_t);
        break;
    case KEY(4, 8, 0):
        LOAD_LANES(uint32_t, uint64_t);
        break;
    case KEY(4, 8, 1):
        LOAD_LANES(int32_t, int64_t);
        break;
    default:
        LOAD_LANES(lane128, lane128);
    }
}

/* `order` and `flip`: ifl_store_order. */
IFL_INLINE void store_element(const ifl_transfer *t, unsigned e, const char *frame, uintptr_t base,
                              const uint64_t *address, uint32_t order, uint32_t flip)
{
    switch (KEY(t->element_bytes, t->slot_bytes, 0)) {
    case KEY(4, 4, 0):
        STORE_LANES(uint32_t, uint32_t);
        break;
    case KEY(8, 8, 0):
        STORE_LANES(uint64_t, uint64_t);
        break;
    case KEY(2, 2, 0):
        STORE_LANES(uint16_t, uint16_t);
        break;
    case KEY(1, 2, 0):
        STORE_LANES(uint8_t, uint16_t);
        break;
    case KEY(1, 4, 0):
        STORE_LANES(uint8_t, uint32_t);
        break;
    case KEY(2, 4, 0):
        STORE_LANES(uint16_t, uint32_t);
        break;
    case KEY(1, 8, 0):
        STORE_LANES(uint8_t, uint64_t);
        break;
    case KEY(2, 8, 0):
        STORE_LANES(uint16_t, uint64_t);
        break;
    case KEY(4, 8, 0):
        STORE_LANES(uint32_t, uint64_t);
        break;
    default:
        STORE_LANES(lane128, lane128);
    }
}

/* Words of 2 or 4 registers a lane: whole lanes are moved, and turned into registers on the way. So
 * a lane's 8 aligned bytes are read and written at once, as on a GPU: blocks on other workers see
 * both words or neither (HeCBench wyllie). */
IFL_INLINE bool are_words(const ifl_transfer *t)
{
    return t->element_bytes == 4 && t->slot_bytes == 4 && (t->elements == 2 || t->elements == 4);
}

IFL_INLINE void load_words(const ifl_transfer *t, char *frame, uintptr_t base,
                           const uint64_t *address, unsigned elements)
{
    for (unsigned lane = 0; lane < IFL_WARP_LANES; lane += 4) {
        ifl_quad q[4] = {{0}};
        for (unsigned i = 0; i < 4; i++)
            memcpy(&q[i], (const void *)(base + address[lane + i]), elements * 4);
        ifl_transpose(q);
        for (unsigned e = 0; e < elements; e++)
            if (!(t->sink >> e & 1))
                memcpy(frame + t->data[e] + lane * 4, &q[e], sizeof q[e]);
    }
}

/* Of some lanes, or of all from one place. */
IFL_INLINE void load_some_words(const ifl_transfer *t, char *frame, uintptr_t base,
                                const uint64_t *address, uint32_t mask, bool is_uniform,
                                unsigned elements)
{
    ifl_quad q = {0};
    memcpy(&q, (const void *)(base + address[__builtin_ctz(mask)]), elements * 4);
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        if (!is_uniform)
            memcpy(&q, (const void *)(base + address[lane]), elements * 4);
        for (unsigned e = 0; e < elements; e++)
            if (!(t->sink >> e & 1))
                ((uint32_t *)(void *)(frame + t->data[e]))[lane] = (uint32_t)q[e];
    }
}

static __attribute__((noinline)) void load_words_of_some(const ifl_transfer *t, char *frame,
                                                         uintptr_t base, const uint64_t *address,
                                                         uint32_t mask, bool is_uniform)
{
    if (t->elements == 4)
        load_some_words(t, frame, base, address, mask, is_uniform, 4);
    else
        load_some_words(t, frame, base, address, mask, is_uniform, 2);
}

static __attribute__((noinline)) void load_lanes_of_words(const ifl_transfer *t, char *frame,
                                                          uintptr_t base, const uint64_t *address)
{
    if (t->elements == 4)
        load_words(t, frame, base, address, 4);
    else
        load_words(t, frame, base, address, 2);
}

/* `order` and `flip`: ifl_store_order. */
IFL_INLINE void store_words(const ifl_transfer *t, const char *frame, uintptr_t base,
                            const uint64_t *address, uint32_t order, uint32_t flip,
                            unsigned elements)
{
    ifl_quad lanes[IFL_WARP_LANES];
    for (unsigned lane = 0; lane < IFL_WARP_LANES; lane += 4) {
        ifl_quad q[4] = {{0}};
        for (unsigned e = 0; e < elements; e++)
            memcpy(&q[e], frame + t->data[e] + lane * 4, sizeof q[e]);
        ifl_transpose(q);
        memcpy(&lanes[lane], q, sizeof q);
    }
    for (uint32_t m = order; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m) ^ flip;
        memcpy((void *)(base + address[lane]), &lanes[lane], elements * 4);
    }
}

static __attribute__((noinline)) void store_lanes_of_words(const ifl_transfer *t, const char *frame,
                                                           uintptr_t base, const uint64_t *address,
                                                           uint32_t order, uint32_t flip)
{
    if (t->elements == 4)
        store_words(t, frame, base, address, order, flip, 4);
    else
        store_words(t, frame, base, address, order, flip, 2);
}

IFL_INLINE void load_elements(const ifl_transfer *t, char *frame, uintptr_t base,
                              const uint64_t *address, uint32_t mask, const extent *at)
{
    if (at->shape == IFL_SHAPE_CONTIGUOUS && t->elements == 1 &&
        t->element_bytes == t->slot_bytes) {
        copy_lanes(frame + t->data[0], (const void *)(base + at->low), t->element_bytes);
        return;
    }
    const bool is_uniform = at->shape == IFL_SHAPE_UNIFORM;
    if (are_words(t)) {
        if (mask == IFL_ALL_LANES && !is_uniform)
            load_lanes_of_words(t, frame, base, address);
        else
            load_words_of_some(t, frame, base, address, mask, is_uniform);
        return;
    }
    for (unsigned e = 0; e < t->elements; e++)
        if (!(t->sink >> e & 1))
            load_element(t, e, frame, base, address, mask, is_uniform);
}

IFL_INLINE void store_elements(const ifl_transfer *t, const char *frame, uintptr_t base,
                               const uint64_t *address, uint32_t mask, const extent *at)
{
    if (at->shape == IFL_SHAPE_CONTIGUOUS && t->elements == 1 &&
        t->element_bytes == t->slot_bytes) {
        copy_lanes((void *)(base + at->low), frame + t->data[0], t->element_bytes);
        return;
    }
    const uint32_t flip = ifl_store_flip(t->bytes), order = ifl_store_order(mask, flip);
    if (are_words(t)) {
        store_lanes_of_words(t, frame, base, address, order, flip);
        return;
    }
    for (unsigned e = 0; e < t->elements; e++)
        store_element(t, e, frame, base, address, order, flip);
}

/* Lanes in a few lines are not worth the look whether each has its own. */
IFL_INLINE bool seem_far(const uint64_t *address)
{
    enum { FAR = 16 * 1024 };
    return address[IFL_WARP_LANES - 1] - address[0] + FAR > 2 * FAR;
}

/* A request unlike the last one of its instruction. Of one that is like none, whose aligned words
 * are far apart, more is found out. */
static __attribute__((noinline)) void take_likeness(ifl_worker *worker, ifl_likenesses **of,
                                                    ifl_access *access)
{
    words_apart words;
    const bool are_words = access->mask == IFL_ALL_LANES && access->bytes == 4 &&
                           access->kind != IFL_ACCESS_ATOMIC && seem_far(access->address);
    if (are_words)
        put_words(&words, access->address);
    access->likeness = ifl_likeness_find(worker, of, access);
    ifl_fetch_some(worker);
    if (are_words && !access->likeness)
        access->apart = passes_apart(&words);
}

/* Often it is that of the last request. */
IFL_INLINE void find_likeness(ifl_worker *worker, ifl_access *access)
{
    if (access->shape != IFL_SHAPE_ANY || !worker->likeness)
        return;
    ifl_likenesses **of = &worker->likeness[access->site], *known = *of;
    if (!known)
        access->likeness = ifl_likeness_of(worker, access);
    else if (ifl_is_like(&known->seen[known->last], access))
        access->likeness = known->seen[known->last].number;
    else
        take_likeness(worker, of, access);
}

static __attribute__((noinline)) void tell_each(ifl_warp *warp, const ifl_code *code,
                                                const ifl_transfer *t, ifl_space space,
                                                const uint64_t *address, uint32_t mask,
                                                uint8_t shape)
{
    ifl_access access = {.site = code->site,
                         .kind = t->kind,
                         .space = (uint8_t)space,
                         .bytes = t->bytes,
                         .shape = shape,
                         .mask = mask,
                         .block = warp->block->index,
                         .warp = warp->index,
                         .address = address};
    ifl_fetch_some(warp->worker);
    find_likeness(warp->worker, &access);
    ifl_fetch_some(warp->worker);
    ifl_warp_tell_found(warp, &access);
}

IFL_INLINE void tell(ifl_warp *warp, const ifl_code *code, const ifl_transfer *t, ifl_space space,
                     const uint64_t *address, uint32_t mask, uint8_t shape)
{
    if (warp->worker->listener_count)
        tell_each(warp, code, t, space, address, mask, shape);
}

IFL_INLINE extent request_extent(const uint64_t *address, uint32_t mask, unsigned bytes,
                                 uint64_t differs)
{
    if (mask != IFL_ALL_LANES)
        return partial_extent(address, mask);
    if (differs)
        return spread_extent(address);
    return (extent){address[0], address[0] + 31 * (uint64_t)bytes, address[0],
                    IFL_SHAPE_CONTIGUOUS};
}

/* Where the first lane's address leads: the allocation there, which is that of the next request
 * too, or shared memory's window. Not for a request to shared memory by its own addresses. */
static __attribute__((noinline)) room room_at(ifl_warp *warp, const ifl_code *code,
                                              uint64_t address)
{
    const ifl_transfer *t = code->transfer;
    const bool is_store = t->kind == IFL_ACCESS_STORE;
    room in = shared_room(warp, code);
    if (ifl_space_of(address) == IFL_SPACE_SHARED) {
        in.base -= IFL_SHARED_WINDOW;
        in.start += IFL_SHARED_WINDOW;
        in.origin += IFL_SHARED_WINDOW;
        in.bytes = t->space == IFL_SPACE_GENERIC ? in.bytes : 0;
        return in;
    }
    ifl_warp_remember(warp, code, is_store, address);
    in = global_room(warp, code);
    if (in.bytes)
        ifl_warp_note_use(warp, warp->worker->hint[code->site].allocation,
                          is_store ? IFL_PURPOSE_STORES : IFL_PURPOSE_READS);
    return in;
}

/* Nothing here may wrap: addresses go up to 2^64, and those of contiguous lanes may pass it, so
 * that the last is the lower one. */
IFL_INLINE bool lies_within(const extent *at, const room *in, unsigned access_bytes)
{
    const uint64_t last = at->high - in->start;
    return !(at->bits & (access_bytes - 1)) && at->low - in->start <= last && last < in->bytes &&
           in->bytes - last >= access_bytes;
}

/* Addresses of a block's shared memory in a cluster become offsets in it. */
static __attribute__((noinline)) void count_from_origin(uint64_t *address, extent *at, room *in)
{
    IFL_EACH_LANE(i) address[i] -= in->origin;
    at->low -= in->origin;
    at->high -= in->origin;
    in->base += in->origin;
}

IFL_INLINE void fetch_ahead(const ifl_warp *warp, const ifl_code *code, const extent *at,
                            const room *in, uint32_t mask)
{
    enum { LARGE = 1 << 20, APART = 2 * 1024 };
    const ifl_transfer *t = code->transfer;
    if (in->space != IFL_SPACE_GLOBAL)
        return;
    if (at->shape == IFL_SHAPE_CONTIGUOUS) {
        fetch_later((const void *)(in->base + at->low), (uint64_t)IFL_WARP_LANES * t->bytes);
        if (t->kind == IFL_ACCESS_LOAD && (t->bytes == 4 || t->bytes == 8))
            note_loaded(&warp->worker->hint[code->site], in->base + at->low, t->bytes);
    } else if (in->bytes >= LARGE && at->high - at->low >= APART) {
        fetch_apart(warp->worker, code->site, in->base, warp->address, at->high - at->low, mask);
    }
}

/* A request whose lanes all lie in a room, aligned. */
#define SERVE(name, move_elements)                                                                 \
    IFL_INLINE void name(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,         \
                         room *in, extent *at)                                                     \
    {                                                                                              \
        const ifl_transfer *t = code->transfer;                                                    \
        if (__builtin_expect(in->origin != 0, 0))                                                  \
            count_from_origin(warp->address, at, in);                                              \
        fetch_ahead(warp, code, at, in, mask);                                                     \
        if (in->space != IFL_SPACE_CONST)                                                          \
            tell(warp, code, t, in->space, warp->address, mask, at->shape);                        \
        move_elements(t, frame, in->base, warp->address, mask, at);                                \
        if (__builtin_expect(t->observes, 0)) {                                                    \
            ifl_warp_observe(warp);                                                                \
            if (in->space == IFL_SPACE_GLOBAL && warp->worker->grid->image->demands.polls)         \
                ifl_pace_look(warp);                                                               \
        }                                                                                          \
        warp->changed |= t->kind == IFL_ACCESS_STORE;                                              \
        while (warp->worker->fetching.lanes)                                                       \
            ifl_fetch_some(warp->worker);                                                          \
    }
SERVE(serve_load, load_elements)
SERVE(serve_store, store_elements)

/* The general way: another room than was expected, several, faults. False after one of those. */
#define ELSEWHERE(name, serve)                                                                     \
    static __attribute__((noinline)) bool name(ifl_warp *warp, const ifl_code *code, char *frame,  \
                                               uint32_t mask, extent *at)                          \
    {                                                                                              \
        room in = room_at(warp, code, warp->address[__builtin_ctz(mask)]);                         \
        if (!in.bytes || !lies_within(at, &in, code->transfer->bytes))                             \
            return ifl_warp_transfer(warp, code, frame, mask);                                     \
        serve(warp, code, frame, mask, &in, at);                                                   \
        return true;                                                                               \
    }
ELSEWHERE(load_elsewhere, serve_load)
ELSEWHERE(store_elsewhere, serve_store)

/* One without lanes is none, as Nsight Compute counts. */
#define ACCESS(name, room_of, serve, elsewhere)                                                    \
    IFL_OPERATION(name)                                                                            \
    {                                                                                              \
        const uint32_t mask = IFL_EXECUTING;                                                       \
        const ifl_transfer *t = code->transfer;                                                    \
        if (!mask)                                                                                 \
            IFL_NEXT;                                                                              \
        room in = room_of(warp, code);                                                             \
        const uint64_t differs = lane_addresses(warp, t, frame, mask);                             \
        extent at = request_extent(warp->address, mask, t->bytes, differs);                        \
        if (in.bytes && lies_within(&at, &in, t->bytes))                                           \
            serve(warp, code, frame, mask, &in, &at);                                              \
        else if (!elsewhere)                                                                       \
            IFL_STOP(IFL_REASON_FAULT, code);                                                      \
        FINISH_REQUEST;                                                                            \
    }
ACCESS(load_global, global_room, serve_load, load_elsewhere(warp, code, frame, mask, &at))
ACCESS(store_global, global_room, serve_store, store_elsewhere(warp, code, frame, mask, &at))
ACCESS(load_shared, shared_room, serve_load, ifl_warp_transfer(warp, code, frame, mask))
ACCESS(store_shared, shared_room, serve_store, ifl_warp_transfer(warp, code, frame, mask))

/* ---- local memory: each lane's bytes lie in one piece here, interleaved by words where observers and GPUs see them --- */

IFL_INLINE room local_room(const ifl_warp *warp)
{
    const ifl_frame *frame = warp->frame;
    return (room){(uintptr_t)frame->local - frame->local_start, frame->local_start,
                  warp->worker->unwritten ? 0 : frame->local_bytes, 0, IFL_SPACE_LOCAL};
}

/* A request for each word, as in access.c. */
static void tell_local_words(ifl_warp *warp, const ifl_code *code, uint32_t mask, bool is_uniform)
{
    const ifl_transfer *t = code->transfer;
    const unsigned bytes = t->bytes < 4 ? t->bytes : 4;
    const uint64_t start = ifl_warp_local_start(warp);
    uint64_t at[IFL_WARP_LANES];
    ifl_access access = {.site = code->site,
                         .kind = t->kind,
                         .space = IFL_SPACE_LOCAL,
                         .bytes = bytes,
                         .shape = is_uniform && bytes == 4 ? IFL_SHAPE_CONTIGUOUS : IFL_SHAPE_ANY,
                         .mask = mask,
                         .block = warp->block->index,
                         .warp = warp->index,
                         .address = at};
    for (unsigned offset = 0; offset < t->bytes; offset += bytes) {
        IFL_SIMD IFL_EACH_LANE(i) at[i] = ifl_interleaved(start, i, warp->address[i] + offset);
        ifl_warp_tell(warp, &access);
    }
}

IFL_INLINE void spread_over_lanes(const ifl_warp *warp, uint64_t *address)
{
    const uint64_t bytes = warp->frame->local_bytes;
    IFL_SIMD IFL_EACH_LANE(i) address[i] = warp->address[i] + i * bytes;
}

IFL_INLINE void note_local_store(ifl_frame *frame, uint64_t low)
{
    if (low - frame->local_start < frame->local_low)
        frame->local_low = low - frame->local_start;
}

IFL_INLINE void load_local_elements(ifl_warp *warp, const ifl_transfer *t, char *frame,
                                    uintptr_t base, uint32_t mask, const extent *at)
{
    uint64_t address[IFL_WARP_LANES];
    (void)at;
    spread_over_lanes(warp, address);
    for (unsigned e = 0; e < t->elements; e++)
        if (!(t->sink >> e & 1))
            load_element(t, e, frame, base, address, mask, false);
}

IFL_INLINE void store_local_elements(ifl_warp *warp, const ifl_transfer *t, const char *frame,
                                     uintptr_t base, uint32_t mask, const extent *at)
{
    uint64_t address[IFL_WARP_LANES];
    note_local_store(warp->frame, at->low);
    spread_over_lanes(warp, address);
    for (unsigned e = 0; e < t->elements; e++)
        store_element(t, e, frame, base, address, mask, 0);
}

/* Nobody else waits for a lane's own memory: it counts as neither observed nor changed. */
#define LOCAL_ACCESS(name, move_elements)                                                          \
    IFL_OPERATION(name)                                                                            \
    {                                                                                              \
        const uint32_t mask = IFL_EXECUTING;                                                       \
        const ifl_transfer *t = code->transfer;                                                    \
        if (!mask)                                                                                 \
            IFL_NEXT;                                                                              \
        const room in = local_room(warp);                                                          \
        const uint64_t differs = lane_addresses(warp, t, frame, mask);                             \
        const extent at = request_extent(warp->address, mask, t->bytes, differs);                  \
        if (in.bytes && lies_within(&at, &in, t->bytes)) {                                         \
            if (warp->worker->listener_count)                                                      \
                tell_local_words(warp, code, mask, mask == IFL_ALL_LANES && at.low == at.high);    \
            move_elements(warp, t, frame, in.base, mask, &at);                                     \
        } else if (!ifl_warp_transfer(warp, code, frame, mask)) {                                  \
            IFL_STOP(IFL_REASON_FAULT, code);                                                      \
        }                                                                                          \
        FINISH_REQUEST;                                                                            \
    }
LOCAL_ACCESS(load_local, load_local_elements)
LOCAL_ACCESS(store_local, store_local_elements)

/* ---- atomic operations ----------------------------------------------------------------------- */

/* Words of 4 or 8 bytes, one a lane. atomic.c has the others. */
IFL_INLINE bool is_simple_atomic(const ifl_atomic *a)
{
    const bool is_word = a->transfer.elements == 1 &&
                         (a->transfer.element_bytes == 4 || a->transfer.element_bytes == 8);
    const bool is_sum =
        a->operation == IFL_OPERATION_ADD && (a->type == IFL_TYPE_F32 || a->type == IFL_TYPE_F64);
    const bool is_counter = a->operation == IFL_OPERATION_INC ||
                            a->operation == IFL_OPERATION_DEC ||
                            a->operation == IFL_OPERATION_ARRIVE;
    return is_word && !is_counter && !a->fetches_work &&
           (is_sum || ifl_type_class(a->type) != 'F' || a->operation >= IFL_OPERATION_EXCH);
}

IFL_INLINE uint64_t atomic_operand(const ifl_atomic *a, const char *frame, uint32_t slot,
                                   uint32_t lane)
{
    if (a->transfer.element_bytes == 4)
        return ifl_lane_u32(frame, slot, lane);
    if (!a->is_planes)
        return ifl_lane_u64(frame, slot, lane);
    return ifl_lane_u32(frame, slot, lane) |
           (uint64_t)ifl_lane_u32(frame, slot + 4 * IFL_WARP_LANES, lane) << 32;
}

IFL_INLINE void put_atomic_result(const ifl_atomic *a, char *frame, uint32_t lane, uint64_t old)
{
    char *d = frame + a->transfer.data[0];
    if (a->transfer.element_bytes == 8 && !a->is_planes) {
        ((uint64_t *)(void *)d)[lane] = old;
        return;
    }
    ((uint32_t *)(void *)d)[lane] = (uint32_t)old;
    if (a->transfer.element_bytes == 8)
        ((uint32_t *)(void *)d)[lane + IFL_WARP_LANES] = (uint32_t)(old >> 32);
}

/* PTX ISA, atom: f32 addition on global memory flushes subnormals, on shared memory it does not. */
IFL_INLINE uint32_t float_sum(uint32_t a, uint32_t b, bool flushes)
{
    const float x = ifl_bits_f32(a), y = ifl_bits_f32(b),
                sum = flushes ? ifl_flush(ifl_flush(x) + ifl_flush(y)) : x + y;
    return sum == sum ? ifl_f32_bits(sum) : UINT32_C(0x7fffffff);
}

/* In ascending order of lanes; true: some word is another now. Only this worker reaches shared
 * memory. */
#define UPDATE_LANES(word, expression)                                                             \
    do {                                                                                           \
        for (uint32_t m = mask; m; m &= m - 1) {                                                   \
            const uint32_t lane = (uint32_t)__builtin_ctz(m);                                      \
            word *at = (word *)(base + warp->address[lane]),                                       \
                 old = __atomic_load_n(at, __ATOMIC_RELAXED), next;                                \
            const word b = (word)atomic_operand(a, frame, a->b[0], lane);                          \
            do                                                                                     \
                next = (word)(expression);                                                         \
            while (is_shared ? (*at = next, false)                                                 \
                             : !__atomic_compare_exchange_n(at, &old, next, true,                  \
                                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED));  \
            changed |= next != old;                                                                \
            if (is_wanted)                                                                         \
                put_atomic_result(a, frame, lane, old);                                            \
        }                                                                                          \
    } while (0)

#define UPDATE_WORDS(word, signed_type, sum)                                                       \
    switch (a->operation) {                                                                        \
    case IFL_OPERATION_ADD:                                                                        \
        if (ifl_type_class(a->type) == 'F')                                                        \
            UPDATE_LANES(word, sum);                                                               \
        else                                                                                       \
            UPDATE_LANES(word, old + b);                                                           \
        break;                                                                                     \
    case IFL_OPERATION_MIN:                                                                        \
        UPDATE_LANES(word, (is_signed ? (signed_type)old < (signed_type)b : old < b) ? old : b);   \
        break;                                                                                     \
    case IFL_OPERATION_MAX:                                                                        \
        UPDATE_LANES(word, (is_signed ? (signed_type)old < (signed_type)b : old < b) ? b : old);   \
        break;                                                                                     \
    case IFL_OPERATION_AND:                                                                        \
        UPDATE_LANES(word, old &b);                                                                \
        break;                                                                                     \
    case IFL_OPERATION_OR:                                                                         \
        UPDATE_LANES(word, old | b);                                                               \
        break;                                                                                     \
    case IFL_OPERATION_XOR:                                                                        \
        UPDATE_LANES(word, old ^ b);                                                               \
        break;                                                                                     \
    default:                                                                                       \
        UPDATE_LANES(word, b); /* exchange */                                                      \
    }

static bool update_words(ifl_warp *warp, const ifl_atomic *a, char *frame, uintptr_t base,
                         uint32_t mask)
{
    const bool is_shared = a->transfer.space == IFL_SPACE_SHARED,
               is_wanted = !(a->transfer.sink & 1), is_signed = ifl_type_class(a->type) == 'S';
    bool changed = false;
    if (a->transfer.element_bytes == 4)
        UPDATE_WORDS(uint32_t, int32_t, float_sum(old, b, !is_shared))
    else
        UPDATE_WORDS(uint64_t, int64_t, ifl_f64_bits(ifl_bits_f64(old) + ifl_bits_f64(b)))
    return changed;
}

/* Compare and swap; the lanes that stored their value. */
#define SWAP_LANES(word)                                                                           \
    do {                                                                                           \
        for (uint32_t m = mask; m; m &= m - 1) {                                                   \
            const uint32_t lane = (uint32_t)__builtin_ctz(m);                                      \
            word *at = (word *)(base + warp->address[lane]);                                       \
            const word b = (word)atomic_operand(a, frame, a->b[0], lane),                          \
                       c = (word)atomic_operand(a, frame, a->c, lane);                             \
            word old = b;                                                                          \
            const bool is_alike = __atomic_compare_exchange_n(at, &old, c, false,                  \
                                                              __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
            stored |= (uint32_t)is_alike << lane;                                                  \
            warp->changed |= is_alike && b != c;                                                   \
            if (is_wanted)                                                                         \
                put_atomic_result(a, frame, lane, a->tells_success ? is_alike : old);              \
        }                                                                                          \
    } while (0)

static uint32_t swap_words(ifl_warp *warp, const ifl_atomic *a, char *frame, uintptr_t base,
                           uint32_t mask)
{
    const bool is_wanted = !(a->transfer.sink & 1);
    uint32_t stored = 0;
    if (a->transfer.element_bytes == 4)
        SWAP_LANES(uint32_t);
    else
        SWAP_LANES(uint64_t);
    return stored;
}

/* Of a request in global memory, which all its lanes are told. */
static void update_and_tell(ifl_warp *warp, const ifl_atomic *a, char *frame, uintptr_t base,
                            uint32_t mask)
{
    uint32_t swapped = 0;
    if (a->operation == IFL_OPERATION_CAS)
        swapped = swap_words(warp, a, frame, base, mask);
    else
        warp->changed |= update_words(warp, a, frame, base, mask);
    if (a->tells)
        ifl_set_predicate(frame, a->told, mask,
                          a->tells == IFL_ATOMIC_TELLS_STORED && a->operation == IFL_OPERATION_CAS
                              ? swapped
                              : mask);
    if (a->transfer.space != IFL_SPACE_SHARED && !(a->transfer.sink & 1))
        ifl_pace_fetched(warp, swapped);
}

IFL_OPERATION(atomic)
{
    const ifl_atomic *a = code->extra;
    const ifl_transfer *t = &a->transfer;
    const uint32_t mask = IFL_EXECUTING;
    const bool is_shared = t->space == IFL_SPACE_SHARED;
    room in = {0, 0, 0, 0, IFL_SPACE_GLOBAL};
    if (__builtin_expect(warp->worker->grid->keeps_pace, 0) && mask && !is_shared) {
        lane_addresses(warp, t, frame, mask);
        if (ifl_pace_holds(warp, mask, a))
            IFL_STOP(IFL_REASON_AGAIN, code);
    }
    if (mask && is_simple_atomic(a) && !warp->block->races)
        in = is_shared ? shared_room(warp, code) : global_room(warp, code);
    if (in.bytes && !in.origin) {
        const uint64_t differs = lane_addresses(warp, t, frame, mask);
        const extent at = request_extent(warp->address, mask, t->bytes, differs);
        if (lies_within(&at, &in, t->bytes)) {
            fetch_ahead(warp, code, &at, &in, mask);
            update_and_tell(warp, a, frame, in.base, mask);
            ifl_warp_observe(warp);
            tell(warp, code, t, in.space, warp->address, ifl_atomic_lanes(a, mask),
                 at.shape == IFL_SHAPE_CONTIGUOUS ? IFL_SHAPE_ANY : at.shape);
            if (is_shared && a->operation == IFL_OPERATION_CAS)
                ifl_warp_contend(warp);
            FINISH_REQUEST;
        }
    }
    const ifl_reason reason = ifl_slow_atomic(warp, code, frame, mask, active);
    if (reason != IFL_REASON_NONE)
        IFL_STOP(reason, reason == IFL_REASON_YIELD ? code + 1 : code);
    IFL_NEXT;
}
