/* SPDX-License-Identifier: Apache-2.0
 * Requests whose lanes lie side by side, and those whose lanes are far apart, as the handlers tell
 * them: compared with the definition, lane by lane. Each lane in turn is moved by a bit. And what is
 * foreseen of the next request. */
#define IFL_WIDTH base
#define IFL_JUMPS 0 /* no handler runs here */
/* The pragmas only ask for vectors. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "exec/width/apart.h"
#include "exec/width/fetch.h"
#include "exec/width/side_by_side.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { LANES = IFL_WARP_LANES, SLOT = 64 };

typedef struct registers {
    _Alignas(64) char bytes[SLOT + 8 * LANES];
} registers;

static const ifl_address_form forms[] = {IFL_ADDRESS_64, IFL_ADDRESS_PAIR, IFL_ADDRESS_32};

static void put(registers *r, ifl_address_form form, const uint64_t *value)
{
    uint32_t *word = (uint32_t *)(void *)(r->bytes + SLOT);
    uint64_t *number = (uint64_t *)(void *)(r->bytes + SLOT);
    for (int i = 0; i < LANES; i++) {
        if (form == IFL_ADDRESS_64) {
            number[i] = value[i];
            continue;
        }
        word[i] = (uint32_t)value[i];
        if (form == IFL_ADDRESS_PAIR)
            word[LANES + i] = (uint32_t)(value[i] >> 32);
    }
}

/* By the definition. */
static bool are_side_by_side(ifl_address_form form, const uint64_t *value, uint64_t add,
                             unsigned bytes)
{
    uint64_t first = 0;
    for (int i = 0; i < LANES; i++) {
        uint64_t at = value[i] + add;
        at = form == IFL_ADDRESS_32 ? (uint32_t)at : at;
        first = i ? first : at;
        if (at != first + (uint64_t)i * bytes)
            return false;
    }
    return true;
}

static bool found(ifl_address_form form, const uint64_t *value, uint64_t add, unsigned shift)
{
    registers r;
    uint64_t first = 0;
    const ifl_transfer t = {.address = SLOT};
    put(&r, form, value);
    const bool is = lies_side_by_side(&t, r.bytes, form, shift, add, &first);
    const uint64_t at = value[0] + add;
    if (is)
        assert_true(first == (form == IFL_ADDRESS_32 ? (uint32_t)at : at));
    return is;
}

static void fill(uint64_t *value, uint64_t first, unsigned shift)
{
    for (int i = 0; i < LANES; i++)
        value[i] = first + ((uint64_t)i << shift);
}

static void lanes_side_by_side_are_found(void **state)
{
    (void)state;
    uint64_t value[LANES];
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (unsigned shift = 2; shift <= 3; shift++) {
            fill(value, 0x10000, shift);
            assert_true(found(forms[f], value, 0, shift));
            assert_true(found(forms[f], value, 64, shift));
            assert_false(found(forms[f], value, 0, 5 - shift));
        }
}

static void no_lane_may_be_elsewhere(void **state)
{
    (void)state;
    uint64_t value[LANES];
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (int lane = 0; lane < LANES; lane++)
            for (unsigned bit = 0; bit < (forms[f] == IFL_ADDRESS_32 ? 32 : 64); bit++) {
                fill(value, 0x10000, 2);
                value[lane] ^= UINT64_C(1) << bit;
                assert_false(found(forms[f], value, 0, 2));
            }
}

/* Where lower words pass 2^32 they need not be found, but must not be found where they are not. */
static void words_may_wrap(void **state)
{
    (void)state;
    static const uint64_t firsts[] = {UINT64_C(0x5ffffffc0), UINT64_C(0x5ffffff84),
                                      UINT64_C(0xffffffffffffff84), 0xffffff80, 0xffffff84};
    uint64_t value[LANES];
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (size_t k = 0; k < sizeof firsts / sizeof *firsts; k++)
            for (int carries = 0; carries <= 1; carries++) {
                fill(value, firsts[k], 2);
                for (int i = 0; i < LANES && !carries; i++)
                    value[i] = (firsts[k] & ~UINT64_C(0xffffffff)) | (uint32_t)value[i];
                if (found(forms[f], value, 0, 2))
                    assert_true(are_side_by_side(forms[f], value, 0, 4));
            }
    fill(value, 0xfffffff0, 2);
    assert_false(found(IFL_ADDRESS_32, value, 0, 2));
    assert_true(found(IFL_ADDRESS_32, value, 16, 2));
}

/* ---- far apart ------------------------------------------------------------------------------- */

static uint64_t chance(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *seed >> 24;
}

static unsigned passes_by_definition(const uint64_t *address)
{
    unsigned bank[32] = {0}, most = 0;
    for (int i = 0; i < LANES; i++) {
        for (int j = 0; j < i; j++)
            if (address[i] / 128 == address[j] / 128)
                return 0;
        const unsigned count = ++bank[address[i] / 4 % 32];
        most = count > most ? count : most;
    }
    return most;
}

static unsigned passes(const uint64_t *address)
{
    words_apart words;
    put_words(&words, address);
    return passes_apart(&words);
}

static void passes_of_words_apart(void **state)
{
    (void)state;
    uint64_t seed = 1, address[LANES];
    unsigned met[LANES + 1] = {0};
    for (int round = 0; round < 4000; round++) {
        const uint64_t lines = 64u << round % 10, banks = 1u << round % 6;
        for (int i = 0; i < LANES; i++)
            address[i] = 0x100000 + chance(&seed) % lines * 128 + chance(&seed) % banks * 4;
        const unsigned found = passes(address);
        assert_int_equal(found, passes_by_definition(address));
        met[found]++;
    }
    assert_true(met[0] && met[32] && met[3]);
}

static void every_pair_of_lines_is_compared(void **state)
{
    (void)state;
    uint64_t address[LANES];
    for (int i = 0; i < LANES; i++)
        for (int j = 0; j < LANES; j++) {
            for (int k = 0; k < LANES; k++)
                address[k] = 128 * (uint64_t)k + 4 * (uint64_t)k;
            address[i] = address[j] / 128 * 128 + 4 * (uint64_t)i;
            assert_int_equal(passes(address), i == j ? 1 : 0);
        }
    fill(address, 0x1000, 7);
    assert_int_equal(passes(address), 32);
}

/* ---- what the next request asks for ---------------------------------------------------------- */

enum { TABLE = 1 << 20, REQUESTS = 6, LOADS = 3, USES = 7, SITES };

/* Requests to a table by indices that another instruction has loaded. */
typedef struct gather {
    ifl_worker worker;
    ifl_hint hint[SITES];
    ifl_allocation indices_at;
    uint64_t index[REQUESTS * LANES]; /* or twice as many of 4 bytes */
} gather;

static void start_gather(gather *g, unsigned bytes)
{
    uint64_t seed = 5;
    memset(g, 0, sizeof *g);
    g->worker.hint = g->hint;
    g->indices_at.host = (uint8_t *)g->index;
    g->indices_at.bytes = (uint64_t)bytes * REQUESTS * LANES;
    g->hint[LOADS].allocation = &g->indices_at;
    for (int i = 0; i < REQUESTS * LANES; i++)
        if (bytes == 4)
            ((uint32_t *)(void *)g->index)[i] = (uint32_t)(chance(&seed) % TABLE);
        else
            g->index[i] = chance(&seed) % TABLE;
}

static uint64_t index_at(const gather *g, unsigned bytes, int i)
{
    return bytes == 4 ? ((const uint32_t *)(const void *)g->index)[i] : g->index[i];
}

static void expect_lanes(const gather *g, unsigned bytes, uint64_t start, unsigned shift, int first)
{
    const ifl_fetching *f = &g->worker.fetching;
    for (unsigned lane = 0; lane < LANES; lane++)
        assert_int_equal(f->to + (ifl_index_of(f->indices, f->bytes, lane) << f->shift),
                         start + (index_at(g, bytes, first + (int)lane) << shift));
}

/* The first request finds the indices, the second how far on they go; from then on those of the next
 * one are fetched, except behind the last. */
static void gather_all(unsigned bytes, unsigned shift)
{
    enum { START = 0x70000, BASE = 0x1000 };
    gather g;
    uint64_t address[LANES];
    start_gather(&g, bytes);
    for (int r = 0; r < REQUESTS; r++) {
        for (int i = 0; i < LANES; i++)
            address[i] = START + (index_at(&g, bytes, r * LANES + i) << shift);
        g.worker.fetching.lanes = 0;
        note_loaded(&g.hint[LOADS], (uintptr_t)g.index + (uintptr_t)r * LANES * bytes, bytes);
        assert_int_equal(fetch_indexed(&g.worker, USES, BASE, address), r >= 2);
        assert_int_equal(g.worker.fetching.lanes, r >= 1 && r < REQUESTS - 1 ? LANES : 0);
        if (g.worker.fetching.lanes)
            expect_lanes(&g, bytes, START + BASE, shift, (r + 1) * LANES);
    }
}

static void indices_lead_to_the_next_request(void **state)
{
    (void)state;
    for (unsigned shift = 0; shift <= 5; shift++) {
        gather_all(4, shift);
        gather_all(8, shift);
    }
}

/* One lane's address is none of its index: nothing is found. */
static void other_addresses_have_no_indices(void **state)
{
    (void)state;
    gather g;
    uint64_t address[LANES];
    start_gather(&g, 4);
    note_loaded(&g.hint[LOADS], (uintptr_t)g.index, 4);
    for (int odd = 0; odd < LANES; odd++) {
        for (int i = 0; i < LANES; i++)
            address[i] = 0x1000 + 4 * index_at(&g, 4, i) + 4 * (i == odd);
        g.hint[USES] = (ifl_hint){0};
        assert_false(fetch_indexed(&g.worker, USES, 0, address));
        assert_int_equal(g.hint[USES].indices, 0);
    }
}

static void steps_go_on(void **state)
{
    (void)state;
    gather g;
    uint64_t address[LANES];
    start_gather(&g, 4);
    for (int r = 0; r < REQUESTS; r++) {
        fill(address, 0x10000 + (uint64_t)r * 4096, 7);
        g.worker.fetching.lanes = 0;
        assert_int_equal(fetch_step(&g.worker, &g.hint[USES], 0x500, address), r >= 2);
        assert_int_equal(g.worker.fetching.lanes, r >= 2 ? LANES : 0);
        for (unsigned lane = 0; r >= 2 && lane < LANES; lane++)
            assert_int_equal(g.worker.fetching.to +
                                 ifl_index_of(g.worker.fetching.indices, 8, lane),
                             address[lane] + 0x500 + 4096);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_side_by_side_are_found),
        cmocka_unit_test(no_lane_may_be_elsewhere),
        cmocka_unit_test(words_may_wrap),
        cmocka_unit_test(passes_of_words_apart),
        cmocka_unit_test(every_pair_of_lines_is_compared),
        cmocka_unit_test(indices_lead_to_the_next_request),
        cmocka_unit_test(other_addresses_have_no_indices),
        cmocka_unit_test(steps_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
