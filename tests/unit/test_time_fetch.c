/* SPDX-License-Identifier: Apache-2.0
 * The instruction caches of an SM, gone through again and again by one warp that issues an instruction a cycle, as
 * tools/gpu/code_probe.cu does on an H100: cycles for an instruction of loops of so many KiB. */
#include "arch/arch.h"
#include "time/time_fetch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { LINE_BYTES = 128, TRIPS = 9 };

static double cycles_an_instruction(size_t kib)
{
    const ifl_arch arch = ifl_arch_of(9.0);
    const ifl_code_level near = {(size_t)(arch.near_code_bytes / LINE_BYTES),
                                 (uint64_t)arch.near_code_cycles},
                         far = {(size_t)(arch.code_bytes / LINE_BYTES), (uint64_t)arch.code_cycles};
    const size_t lines = kib * 1024 / LINE_BYTES;
    ifl_code_cache cache;
    uint64_t now = 0, first = 0;
    assert_true(
        ifl_code_cache_begin(&cache, lines, lines, near, far, (uint32_t)arch.code_lines_ahead));
    for (int trip = 0; trip < TRIPS; trip++) {
        for (size_t line = 0; line < lines; line++)
            now = ifl_code_cache_fetch(&cache, line, now) + IFL_CODE_SITES;
        first = trip ? first : now;
    }
    ifl_code_cache_free(&cache);
    return (double)(now - first) / (double)((TRIPS - 1) * lines * IFL_CODE_SITES);
}

static void test_loops(void **unused)
{
    (void)unused;
    static const struct {
        size_t kib;
        double least,
            most; /* an H100 driver 580.159.04, CUDA 13.0: 1.00, 1.00, 2.21, 2.21, 2.21, 5.71, 5.69 */
    } rows[] = {{8, 1, 1},     {24, 1, 1},    {48, 2, 2.4}, {64, 2, 2.4},
                {112, 2, 2.4}, {256, 5.4, 6}, {512, 5.4, 6}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double cycles = cycles_an_instruction(rows[i].kib);
        if (cycles < rows[i].least || cycles > rows[i].most)
            fail_msg("%zu KiB: %.2f cycles", rows[i].kib, cycles);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
