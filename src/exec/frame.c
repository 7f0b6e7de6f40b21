/* SPDX-License-Identifier: Apache-2.0
 * Frames: the registers and per-thread memory of a call; calling and returning. */
#include "exec/provided.h"
#include "exec/warp.h"

#include <stdlib.h>
#include <string.h>

/* ---- special registers ----------------------------------------------------------------------- */

typedef struct where {
    const ifl_warp *warp;
    const ifl_grid *grid;
    uint64_t stack_bytes;
    uint32_t lane;
} where;

/* Code for sm_90 divides by multiplying with this. */
static uint32_t one_over(uint32_t blocks)
{
    const float value = 1.0f / (float)blocks;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Bytes of constant bank 0 in front of the parameters, on sm_90 (EIATTR_PARAM_CBANK of its
 * kernels). */
enum { BEFORE_PARAMETERS = 0x210 };

/* The column `value` of special.def, which names these. */
static uint64_t special_value(const where *w, ifl_special special)
{
    const ifl_warp *warp = w->warp;
    const ifl_block *block = warp->block;
    const ifl_grid *of = w->grid;
    const ifl_exec_launch *launch = of->launch;
    const uint32_t *threads = launch->block, *grid = launch->grid, *cluster = of->cluster;
    const uint32_t *place = block->position, lane = w->lane;
    const uint32_t thread = warp->index * IFL_WARP_LANES + lane;
    switch (special) {
#define SPECIAL(name, text, bits, when, value)                                                     \
    case IFL_SPECIAL_##name:                                                                       \
        return value;
#include "code/special.def"
#undef SPECIAL
    default:
        return 0;
    }
}

static void put_lane(char *slots, uint32_t slot, uint32_t bits, uint32_t lane, uint64_t value)
{
    memcpy(slots + slot + (size_t)lane * (bits / 8), &value, bits / 8 < 8 ? bits / 8 : 8);
}

static uint32_t slot_bits(const ifl_special_slot *slot)
{
    return slot->bits ? slot->bits : ifl_special_bits((ifl_special)slot->special) <= 32 ? 32 : 64;
}

/* The same value in all lanes. */
static void put_all(char *slots, uint32_t slot, uint32_t bits, uint64_t value)
{
    uint32_t *words = ifl_slot(slots, slot);
    uint64_t *wide = ifl_slot(slots, slot);
    if (bits == 32)
        _Pragma("omp simd") for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++) words[lane] =
            (uint32_t)value;
    else if (bits == 64)
        _Pragma("omp simd") for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++) wide[lane] =
            value;
    else
        for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++)
            put_lane(slots, slot, bits, lane, value);
}

static void put_special(const ifl_warp *warp, const ifl_frame *frame, const ifl_special_slot *slot)
{
    where w = {.warp = warp, .grid = warp->worker->grid, .stack_bytes = frame->local_bytes};
    const uint32_t bits = slot_bits(slot);
    const ifl_special special = (ifl_special)slot->special;
    if (ifl_special_changes(special) != IFL_WHEN_LANE) {
        put_all(frame->slots, slot->slot, bits, special_value(&w, special) + slot->add);
        return;
    }
    for (w.lane = 0; w.lane < IFL_WARP_LANES; w.lane++)
        put_lane(frame->slots, slot->slot, bits, w.lane, special_value(&w, special) + slot->add);
}

/* Every reading is later than the one before it, also in another warp or launch. What waits by the
 * clock takes as many readings as the time that it waits for has of these. */
enum { READING_CYCLES = 1024 };

ifl_reason ifl_slow_special(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                            uint32_t active)
{
    (void)active;
    const where w = {.warp = warp, .grid = warp->worker->grid};
    const ifl_special special = (ifl_special)code->value;
    warp->clock = ++warp->worker->clock * READING_CYCLES;
    ifl_warp_observe(warp);
    const uint32_t bits = ifl_special_bits(special) <= 32 ? 32 : 64;
    const uint64_t value = special_value(&w, special); /* of all lanes */
    for (; mask; mask &= mask - 1)
        put_lane(frame, code->d, bits, (uint32_t)__builtin_ctz(mask), value);
    return IFL_REASON_NONE;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void put_constants(const ifl_routine *routine, char *slots)
{
    *(uint32_t *)(void *)slots = UINT32_MAX; /* the predicate that always holds */
    for (size_t i = 0; i < routine->constant_count; i++)
        put_all(slots, routine->constants[i].slot, routine->constants[i].bits,
                routine->constants[i].value);
}

/* What the launch holds in a constant bank; zeros past its end. */
static uint64_t bank_value(const ifl_exec_launch *launch, const ifl_bank_slot *slot)
{
    const ifl_bank *bank = &launch->banks[slot->bank];
    uint64_t value = 0;
    if (slot->offset > bank->bytes || slot->bytes > bank->bytes - slot->offset)
        return 0;
    memcpy(&value, bank->data + slot->offset, slot->bytes);
    if (slot->is_signed && slot->bytes < 8 && value >> (slot->bytes * 8 - 1) & 1)
        value |= UINT64_MAX << (slot->bytes * 8);
    return value;
}

static void put_banks(const ifl_exec_launch *launch, const ifl_routine *routine, char *slots)
{
    for (size_t i = 0; i < routine->bank_count; i++) {
        const ifl_bank_slot *slot = &routine->banks[i];
        put_all(slots, slot->slot, slot->bits, bank_value(launch, slot));
    }
}

static void free_frame(ifl_frame *frame)
{
    if (!frame)
        return;
    free(frame->slots);
    free(frame->params);
    free(frame->local);
    free(frame->local_written);
    free(frame);
}

/* Where calls nest to a depth that ptxas does not know, it states no stack: then what a context
 * gives. */
static uint64_t local_bytes_of(const ifl_exec_launch *launch, const ifl_routine *routine)
{
    enum { DEFAULT_STACK = 1024, ALIGNMENT = 16 };
    const uint64_t given = launch->stack_bytes ? launch->stack_bytes : DEFAULT_STACK,
                   bytes = routine->has_stack && given > routine->local_bytes
                               ? given
                               : routine->local_bytes;
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool is_of_place(const ifl_special_slot *slot)
{
    const ifl_special_when when = ifl_special_changes((ifl_special)slot->special);
    return when == IFL_WHEN_LANE || when == IFL_WHEN_WARP;
}

/* What no instruction writes: of the kernel and the warp's place in its block ... */
static void put_lasting(const ifl_warp *warp, const ifl_frame *frame)
{
    const ifl_routine *routine = frame->routine;
    put_constants(routine, frame->slots);
    for (size_t i = 0; i < routine->special_count; i++)
        if (is_of_place(&routine->specials[i]))
            put_special(warp, frame, &routine->specials[i]);
}

/* ... and of the launch. */
static void put_launched(const ifl_warp *warp, const ifl_frame *frame)
{
    const ifl_routine *routine = frame->routine;
    put_banks(warp->worker->grid->launch, routine, frame->slots);
    for (size_t i = 0; i < routine->special_count; i++)
        if (!is_of_place(&routine->specials[i]))
            put_special(warp, frame, &routine->specials[i]);
}

static ifl_frame *make_frame(ifl_warp *warp, const ifl_routine *routine)
{
    ifl_frame *frame = calloc(1, sizeof *frame);
    if (!frame)
        return NULL;
    frame->routine = routine;
    frame->local_low = frame->local_bytes = local_bytes_of(warp->worker->grid->launch, routine);
    frame->slots = aligned_alloc(64, routine->frame_bytes);
    frame->params = calloc(IFL_WARP_LANES, routine->param_bytes + 1);
    frame->local = calloc(IFL_WARP_LANES, frame->local_bytes + 1);
    frame->local_written =
        warp->worker->unwritten ? calloc(IFL_WARP_LANES, frame->local_bytes + 1) : NULL;
    if (!frame->slots || !frame->params || !frame->local ||
        (warp->worker->unwritten && !frame->local_written)) {
        free_frame(frame);
        return NULL;
    }
    frame->made_before = warp->frames;
    warp->frames = frame;
    memset(frame->slots, 0, routine->frame_bytes);
    put_lasting(warp, frame);
    put_launched(warp, frame);
    return frame;
}

/* Only what the last warp wrote: a stack is large, and grows down from its end. */
static void clear_local(ifl_frame *frame)
{
    const uint64_t size = frame->local_bytes, low = frame->local_low;
    for (uint32_t lane = 0; low < size && lane < IFL_WARP_LANES; lane++)
        memset(frame->local + lane * size + low, 0, size - low);
    frame->local_low = size;
}

static void begin_frame(ifl_warp *warp, ifl_frame *frame)
{
    const ifl_routine *routine = frame->routine;
    for (size_t i = 0; i < routine->block_special_count; i++) {
        /* The place of the block is the one thing that every warp of every block needs anew: all
         * lanes alike, mostly 32 bits. */
        const where w = {.warp = warp, .grid = warp->worker->grid};
        put_all(frame->slots, routine->specials[i].slot, routine->specials[i].bits == 64 ? 64 : 32,
                special_value(&w, (ifl_special)routine->specials[i].special) +
                    routine->specials[i].add);
    }
    for (size_t i = 0; i < routine->undefined_count; i++)
        memset(frame->slots + routine->undefined[2 * i], 0, routine->undefined[2 * i + 1]);
    clear_local(frame);
    for (uint32_t lane = 0; routine->takes_stack && lane < IFL_WARP_LANES; lane++)
        frame->stack_top[lane] = frame->local_start + routine->local_bytes;
    if (frame->local_written)
        memset(frame->local_written, 0, IFL_WARP_LANES * frame->local_bytes);
}

ifl_frame *ifl_frame_enter(ifl_warp *warp, const ifl_routine *routine, ifl_frame *caller,
                           uint32_t mask)
{
    size_t index = (size_t)(routine - warp->worker->grid->image->routines);
    ifl_frame *frame = warp->free_frames[index];
    if (frame)
        warp->free_frames[index] = frame->next;
    else
        frame = make_frame(warp, routine);
    if (!frame)
        return NULL;
    frame->caller = caller;
    frame->lanes = mask;
    frame->local_start = caller ? caller->local_start + caller->local_bytes : 0;
    begin_frame(warp, frame);
    return frame;
}

void ifl_frame_leave(ifl_warp *warp, ifl_frame *frame, uint32_t mask)
{
    frame->lanes &= ~mask;
    if (frame->lanes)
        return;
    size_t index = (size_t)(frame->routine - warp->worker->grid->image->routines);
    frame->next = warp->free_frames[index];
    warp->free_frames[index] = frame;
}

void ifl_frames_free(ifl_warp *warp)
{
    for (ifl_frame *frame = warp->frames, *next; frame; frame = next) {
        next = frame->made_before;
        free_frame(frame);
    }
    free(warp->free_frames);
}

void ifl_frames_renew(ifl_warp *warp)
{
    for (const ifl_frame *frame = warp->frames; frame; frame = frame->made_before)
        put_launched(warp, frame);
}

size_t ifl_frames_bytes(const ifl_warp *warp)
{
    size_t bytes = 0;
    for (const ifl_frame *frame = warp->frames; frame; frame = frame->made_before)
        bytes += frame->routine->frame_bytes +
                 IFL_WARP_LANES * (frame->routine->param_bytes + frame->local_bytes);
    return bytes;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void copy_in(const ifl_call_value *value, const ifl_frame *caller, ifl_frame *callee,
                    uint32_t mask)
{
    uint64_t room = callee->routine->param_bytes, own = caller->routine->param_bytes;
    if (value->to + (uint64_t)value->bytes > room)
        return;
    for (; mask; mask &= mask - 1) {
        size_t lane = (size_t)__builtin_ctz(mask);
        const void *from =
            value->slot_bytes
                ? (const void *)(caller->slots + value->from + lane * value->slot_bytes)
                : (const void *)(caller->params + lane * own + value->from);
        memcpy(callee->params + lane * room + value->to, from, value->bytes);
    }
}

static void copy_out(const ifl_call_value *value, const ifl_frame *callee, ifl_frame *caller,
                     uint32_t mask)
{
    uint64_t room = callee->routine->param_bytes, own = caller->routine->param_bytes;
    if (value->to + (uint64_t)value->bytes > room)
        return;
    for (; mask; mask &= mask - 1) {
        size_t lane = (size_t)__builtin_ctz(mask);
        void *to = value->slot_bytes
                       ? (void *)(caller->slots + value->from + lane * value->slot_bytes)
                       : (void *)(caller->params + lane * own + value->from);
        memcpy(to, callee->params + lane * room + value->to, value->bytes);
    }
}

/* The values of an indirect call go to where the function that was found declares its
 * parameters. */
static ifl_call_value at_declared(ifl_call_value value, const ifl_parameter_place *list,
                                  uint32_t count, uint32_t i)
{
    if (i < count) {
        value.to = (uint32_t)list[i].offset;
        if (value.bytes > list[i].bytes)
            value.bytes = (uint32_t)list[i].bytes;
    }
    return value;
}

static bool is_too_deep(const ifl_frame *frame)
{
    enum { MAX_DEPTH = 4096, MAX_LOCAL = 512 * 1024 };
    uint32_t depth = 0;
    uint64_t local = frame->local_start;
    for (; frame; frame = frame->caller)
        depth++;
    return depth > MAX_DEPTH || local > MAX_LOCAL;
}

static void enter(ifl_warp *warp, ifl_fragment *fragment, const ifl_routine *routine)
{
    const ifl_code *code = fragment->code;
    const ifl_call_op *op = code->extra;
    ifl_frame *caller = fragment->frame;
    if (is_too_deep(caller)) {
        ifl_fault_raise(warp, code, IFL_FAULT_OTHER, (uint32_t)__builtin_ctz(fragment->mask),
                        "stack overflow: calls nest more than 4096 deep or use more than 512 KiB "
                        "of local memory");
        return;
    }
    ifl_frame *callee = ifl_frame_enter(warp, routine, caller, fragment->mask);
    if (!callee) {
        ifl_fault_raise(warp, code, IFL_FAULT_NO_MEMORY, 0, "out of memory for a call");
        return;
    }
    callee->call = code;
    for (uint32_t i = 0; i < op->argument_count; i++) {
        ifl_call_value value =
            at_declared(op->arguments[i], routine->parameters, routine->parameter_count, i);
        copy_in(&value, caller, callee, fragment->mask);
    }
    fragment->frame = callee;
    fragment->code = routine->code;
}

/* NULL: no function that can be called lies there. */
static const ifl_routine *routine_at(const ifl_image *image, uint64_t address)
{
    for (size_t r = 1; r < image->routine_count; r++)
        if (image->routines[r].address == address)
            return &image->routines[r];
    return NULL;
}

static uint32_t same_target(const ifl_fragment *fragment, uint32_t slot, uint32_t mask)
{
    uint64_t first = ifl_lane_u64(fragment->frame->slots, slot, (uint32_t)__builtin_ctz(mask));
    uint32_t same = 0;
    for (; mask; mask &= mask - 1)
        if (ifl_lane_u64(fragment->frame->slots, slot, (uint32_t)__builtin_ctz(mask)) == first)
            same |= mask & -mask;
    return same;
}

/* Lanes that call different functions go one function after the other. */
static void call_indirect(ifl_warp *warp, ifl_fragment *fragment, const ifl_call_op *op)
{
    const ifl_image *image = warp->worker->grid->image;
    ifl_fragment whole = *fragment;
    for (uint32_t left = whole.mask; left && !warp->worker->fault.is_set;) {
        uint32_t same = same_target(&whole, op->target, left), lane = (uint32_t)__builtin_ctz(same);
        uint64_t address = ifl_lane_u64(whole.frame->slots, op->target, lane);
        const ifl_routine *routine = routine_at(image, address);
        if (!routine) {
            ifl_fault_raise(warp, whole.code, IFL_FAULT_OTHER, lane,
                            "call of 0x%llx, which is not a function", (unsigned long long)address);
            return;
        }
        ifl_fragment *part = left == whole.mask ? fragment : &warp->fragments[warp->count++];
        *part = whole;
        part->mask = same;
        enter(warp, part, routine);
        left &= ~same;
    }
}

void ifl_warp_call(ifl_warp *warp, ifl_fragment *fragment)
{
    const ifl_code *code = fragment->code;
    const ifl_call_op *op = code->extra;
    uint32_t executing = warp->taken;
    const ifl_image *image = warp->worker->grid->image;
    if (op->provided) {
        ifl_fragment part = *fragment;
        part.mask = executing;
        ifl_provided_call(warp, &part, (ifl_provided)op->provided);
        fragment->code++;
        return;
    }
    /* Lanes that call and those that do not meet behind the call. */
    ifl_meeting_add(warp, fragment, code + 1, fragment->frame);
    if (warp->worker->fault.is_set)
        return;
    if (executing != fragment->mask) {
        fragment->meeting->arrived = fragment->mask & ~executing;
        fragment->mask = executing;
    }
    if (op->function >= 0)
        enter(warp, fragment, &image->routines[image->routine_of[op->function]]);
    else
        call_indirect(warp, fragment, op);
}

void ifl_warp_return(ifl_warp *warp, ifl_fragment *fragment, uint32_t mask)
{
    ifl_frame *callee = fragment->frame, *caller = callee->caller;
    const ifl_call_op *op = callee->call->extra;
    const ifl_routine *routine = callee->routine;
    for (uint32_t i = 0; i < op->result_count; i++) {
        ifl_call_value value =
            at_declared(op->results[i], routine->results, routine->result_count, i);
        copy_out(&value, callee, caller, mask);
    }
    fragment->frame = caller;
    fragment->code = callee->call + 1;
    ifl_frame_leave(warp, callee, mask);
}
