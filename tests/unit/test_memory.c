/* SPDX-License-Identifier: Apache-2.0
 * Allocations that come and go while a program runs: adopted ones at the host's addresses, dropped
 * ones remembered. */
#include "exec/memory_internal.h"
#include "exec/memory_snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ifl_memory *fresh(void)
{
    ifl_memory *memory;
    assert_int_equal(ifl_memory_new(&memory, NULL), IFL_OK);
    return memory;
}

static ifl_allocation *give(ifl_memory *memory, uint64_t bytes)
{
    ifl_allocation *a;
    assert_int_equal(ifl_memory_allocate(memory, bytes, 0, 0, "given", &a, NULL), IFL_OK);
    return a;
}

static void adopted_memory_stands_at_its_own_address(void **state)
{
    (void)state;
    ifl_memory *memory = fresh();
    ifl_allocation *ours = give(memory, 100), *adopted, *again;
    char host[64];
    const uint64_t address = (uintptr_t)host;
    assert_int_equal(ifl_memory_adopt(memory, address, host, sizeof host, "host", &adopted, NULL),
                     IFL_OK);
    assert_ptr_equal(ifl_memory_find(memory, address + 63), adopted);
    assert_null(ifl_memory_find(memory, address + 64));
    assert_ptr_equal(adopted->host, host);
    assert_ptr_equal(ifl_memory_find(memory, ours->address), ours);
    /* Half over it, from either side. */
    assert_int_equal(ifl_memory_adopt(memory, address + 32, host, 64, "over", &again, NULL),
                     IFL_USAGE);
    assert_int_equal(ifl_memory_adopt(memory, address - 32, host, 64, "over", &again, NULL),
                     IFL_USAGE);
    /* The host may free it and allocate the same address anew. */
    ifl_memory_drop(memory, adopted);
    assert_null(ifl_memory_find(memory, address));
    assert_int_equal(ifl_memory_adopt(memory, address, host, sizeof host, "host", &adopted, NULL),
                     IFL_OK);
    ifl_memory_free(memory);
}

/* What lies between two of the host's is not. */
static void memory_of_the_host_is_known(void **state)
{
    (void)state;
    ifl_memory *memory = fresh();
    static char host[3 * 4096];
    const uint64_t address = (uintptr_t)host;
    ifl_allocation *part[3];
    assert_false(ifl_memory_is_pinned(memory, address));
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(ifl_memory_adopt(memory, address + i * 4096, host + i * 4096, 4096, "host",
                                          &part[i], NULL),
                         IFL_OK);
    ifl_memory_pin(memory, part[2]);
    assert_false(ifl_memory_is_pinned(memory, address));
    ifl_memory_pin(memory, part[0]);
    assert_true(ifl_memory_is_pinned(memory, address));
    assert_true(ifl_memory_is_pinned(memory, address + 4095));
    assert_false(ifl_memory_is_pinned(memory, address + 4096));
    assert_true(ifl_memory_is_pinned(memory, address + 3 * 4096 - 1));
    assert_false(ifl_memory_is_pinned(memory, address + 3 * 4096));
    assert_false(ifl_memory_is_pinned(memory, give(memory, 64)->address));
    ifl_memory_free(memory);
}

static void dropped_memory_is_remembered(void **state)
{
    (void)state;
    ifl_memory *memory = fresh();
    ifl_allocation *a = give(memory, 4096), *b = give(memory, 8);
    const uint64_t address = a->address;
    ifl_memory_drop(memory, a);
    a = ifl_memory_find(memory, address + 5);
    assert_non_null(a);
    assert_true(a->flags & IFL_ALLOCATION_FREED);
    assert_ptr_equal(ifl_memory_find(memory, b->address), b);
    ifl_memory_free(memory);
}

/* A program that allocates and frees in a loop must not grow. */
static void old_places_are_forgotten(void **state)
{
    (void)state;
    enum { TIMES = 5000 };
    ifl_memory *memory = fresh();
    const ifl_allocation *kept = give(memory, 16);
    for (int i = 0; i < TIMES; i++)
        ifl_memory_drop(memory, give(memory, 1 << 20));
    assert_true(ifl_memory_count(memory) < TIMES / 2);
    assert_ptr_equal(ifl_memory_find(memory, kept->address), kept);
    ifl_memory_free(memory);
}

/* Large ranges give their pages back: the bytes around them stay, at every place of their ends. */
static void cleared_bytes_are_zero(void **state)
{
    enum { BYTES = 20 << 20, FEW = 100 };
    static const struct {
        uint32_t offset, bytes;
    } ranges[] = {{0, BYTES},   {1, BYTES - 2},     {0, 9 << 20},   {3 << 20, 8 << 20},
                  {12345, FEW}, {BYTES - FEW, FEW}, {4096, 8 << 20}};
    ifl_memory *memory;
    ifl_allocation *a;
    (void)state;
    assert_int_equal(ifl_memory_new(&memory, NULL), IFL_OK);
    assert_int_equal(ifl_memory_allocate(memory, BYTES, 0, 0, "", &a, NULL), IFL_OK);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const uint32_t first = ranges[i].offset, end = first + ranges[i].bytes;
        memset(a->host, 7, BYTES);
        ifl_memory_clear(a, first, ranges[i].bytes);
        for (uint32_t at = 0; at < BYTES; at++)
            if (a->host[at] != (at >= first && at < end ? 0 : 7))
                fail_msg("byte %u of range %zu is %u", at, i, a->host[at]);
    }
    ifl_memory_free(memory);
}

static const ifl_snapshot_part *part_of(const ifl_memory_snapshot *snapshot,
                                        const ifl_allocation *a)
{
    for (size_t i = 0; i < snapshot->parts.count; i++)
        if (snapshot->parts.at[i].of == a)
            return &snapshot->parts.at[i];
    return NULL;
}

/* A launch, before which a snapshot is taken, writes one byte; then the launch itself writes another. */
static void run_twice(ifl_memory *memory, ifl_allocation *a, uint8_t value,
                      ifl_memory_snapshot *snapshot)
{
    assert_int_equal(ifl_memory_snapshot_take(memory, snapshot, NULL), IFL_OK);
    for (int turn = 0; turn < 2; turn++) {
        ifl_memory_launch_begin(memory);
        a->host[0] = (uint8_t)(value + turn);
        a->changed_by = ifl_memory_launch(memory);
        ifl_memory_launch_end(memory);
        if (turn == 0)
            assert_int_equal(ifl_memory_snapshot_put_back(memory, snapshot, NULL), IFL_OK);
    }
}

static void snapshots_copy_what_changed(void **state)
{
    (void)state;
    ifl_memory *memory = fresh();
    ifl_allocation *written = give(memory, 1000), *read = give(memory, 1000), *adopted;
    uint8_t host[100] = {1};
    ifl_memory_snapshot one, two, three;
    assert_int_equal(
        ifl_memory_adopt(memory, (uintptr_t)host, host, sizeof host, "host", &adopted, NULL),
        IFL_OK);
    memset(read->host, 9, read->bytes);
    ifl_memory_changed(memory, read);
    run_twice(memory, written, 20, &one);
    const ifl_snapshot_part *part = part_of(&one, written);
    assert_int_equal(part->before[0], 0);
    assert_int_equal(part->left[0], 20);
    assert_int_equal(written->host[0], 21);
    assert_null(part_of(&one, read)->left);
    const uint8_t *copy = part_of(&one, read)->before;
    ifl_memory_snapshot_free(&one);
    /* No call tells of a change of the host's bytes; a byte of `read` is changed behind the calls'
     * back, so that it shows whether it was copied once more. */
    host[0] = 2;
    read->host[0] = 8;
    run_twice(memory, written, 30, &two);
    assert_ptr_equal(part_of(&two, read)->before, copy);
    assert_int_equal(part_of(&two, read)->before[0], 9);
    assert_int_equal(part_of(&two, written)->before[0], 21);
    assert_int_equal(part_of(&two, written)->left[0], 30);
    assert_int_equal(part_of(&two, adopted)->before[0], 2);
    ifl_memory_snapshot_free(&two);
    /* With a call it is copied, zeros too; what was freed has no copy. */
    memset(read->host, 0, read->bytes);
    ifl_memory_changed(memory, read);
    assert_int_equal(ifl_memory_snapshot_take(memory, &three, NULL), IFL_OK);
    for (uint64_t i = 0; i < read->bytes; i++)
        assert_int_equal(part_of(&three, read)->before[i], 0);
    ifl_memory_drop(memory, written);
    ifl_memory_drop(memory, adopted);
    ifl_memory_snapshot_free(&three);
    ifl_memory_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adopted_memory_stands_at_its_own_address),
        cmocka_unit_test(memory_of_the_host_is_known),
        cmocka_unit_test(dropped_memory_is_remembered),
        cmocka_unit_test(old_places_are_forgotten),
        cmocka_unit_test(cleared_bytes_are_zero),
        cmocka_unit_test(snapshots_copy_what_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
