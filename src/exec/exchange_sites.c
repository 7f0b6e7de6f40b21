/* SPDX-License-Identifier: Apache-2.0
 * One warp-wide operation that lanes reach at several sites: a compiler copies a __shfl_sync into
 * two loops, and half of the warp comes to each. On an H200 they meet. Operands are brought to one
 * place, the operation runs there, and each lane takes its result to where its own site wants
 * it. */
#include "exec/exchange_sites.h"

#include <string.h>

enum {
    WORDS = 4 * IFL_WARP_LANES,
    AT_MEMBERS = WORDS, /* no slot is 0 */
    AT_A = AT_MEMBERS + WORDS,
    AT_B = AT_A + 2 * WORDS,
    AT_C = AT_B + WORDS,
    AT_D = AT_C + WORDS,
    AT_P = AT_D + WORDS,
    PLACE_BYTES = AT_P + WORDS
};

bool ifl_exchange_is_alike(const ifl_exchange *a, const ifl_exchange *b)
{
    if (a->kind == IFL_EXCHANGE_MEET || b->kind == IFL_EXCHANGE_MEET)
        return a->kind == b->kind;
    return a->kind == b->kind && a->operation == b->operation && a->type == b->type &&
           a->bytes == b->bytes && a->absolute == b->absolute && a->keeps_nan == b->keeps_nan &&
           !a->is_uniform && !b->is_uniform && a->is_planes == b->is_planes;
}

static bool is_vote(const ifl_exchange *op)
{
    return op->kind >= IFL_EXCHANGE_VOTE_ALL && op->kind <= IFL_EXCHANGE_VOTE_BALLOT;
}

static bool gives_predicate(const ifl_exchange *op)
{
    return is_vote(op) && op->kind != IFL_EXCHANGE_VOTE_BALLOT;
}

static bool is_shuffle(const ifl_exchange *op)
{
    return op->kind >= IFL_EXCHANGE_SHUFFLE_UP && op->kind <= IFL_EXCHANGE_SHUFFLE_INDEX;
}

static void move_lanes(char *to, const char *from, uint32_t bytes, uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1) {
        const size_t at = (size_t)__builtin_ctz(lanes) * bytes;
        memcpy(to + at, from + at, bytes);
    }
}

static void move_predicate(char *to, const char *from, uint32_t flip, uint32_t lanes)
{
    const uint32_t old = ifl_predicate(to, 0), bits = ifl_predicate(from, 0) ^ flip;
    const uint32_t both = (old & ~lanes) | (bits & lanes);
    memcpy(to, &both, sizeof both);
}

static void bring(const ifl_exchange *op, const char *frame, char *place, uint32_t lanes)
{
    if (is_vote(op)) {
        move_predicate(place + AT_A, frame + op->a, op->flip, lanes);
        return;
    }
    move_lanes(place + AT_A, frame + op->a, op->is_planes ? 4 : op->bytes, lanes);
    if (op->is_planes && op->bytes == 8)
        move_lanes(place + AT_A + WORDS, frame + op->a + WORDS, 4, lanes);
    if (is_shuffle(op)) {
        move_lanes(place + AT_B, frame + op->b, 4, lanes);
        move_lanes(place + AT_C, frame + op->c, 4, lanes);
    }
}

static void take(const ifl_exchange *op, char *frame, const char *place, uint32_t lanes)
{
    if (gives_predicate(op))
        move_predicate(frame + op->d, place + AT_D, 0, lanes);
    else
        move_lanes(frame + op->d, place + AT_D, 4, lanes);
    if (op->p)
        move_predicate(frame + op->p, place + AT_P, 0, lanes);
}

void ifl_exchange_run_across(ifl_warp *warp, const ifl_fragment *const *parts, uint32_t count,
                             uint32_t group)
{
    _Alignas(64) char place[PLACE_BYTES] = {0};
    ifl_exchange one = *(const ifl_exchange *)parts[0]->code->extra;
    for (uint32_t i = 0; i < count; i++)
        bring(parts[i]->code->extra, parts[i]->frame->slots, place, parts[i]->mask & group);
    one.a = AT_A, one.b = AT_B, one.c = AT_C, one.d = AT_D, one.p = AT_P;
    one.flip = 0;
    ifl_exchange_run(warp, &one, place, group);
    for (uint32_t i = 0; i < count; i++)
        take(parts[i]->code->extra, parts[i]->frame->slots, place, parts[i]->mask & group);
}
