/* SPDX-License-Identifier: Apache-2.0
 * The facts of compute capabilities: every one is known for all, with a source, and changes where
 * the documents say. */
#include "arch/arch.h"
#include "arch/cache_rules.h"
#include "device/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { FACTS = sizeof(ifl_arch) / sizeof(double) };

/* Rows of a fact stand together, the first for 2.0, then ascending. */
static void every_fact_is_known_from_fermi_on(void **unused)
{
    (void)unused;
    ifl_arch_row row, last = {.name = ""};
    size_t facts = 0;
    for (size_t i = 0; ifl_arch_row_at(i, &row); i++) {
        const bool is_new = strcmp(row.name, last.name) != 0;
        facts += is_new;
        assert_true(is_new ? row.since == 2.0 : row.since > last.since);
        assert_true(*row.source && *row.doc);
        last = row;
    }
    assert_int_equal(facts, FACTS);
}

/* CUDA C Programming Guide 7.5, 5.2.3: 22 cycles on 2.x, 11 on 3.x. Document 004: lines before
 * Volta, and Fermi loads whole ones. PCI Express 3.0 from GK110 on, 4.0 with Ampere, 5.0 with
 * Hopper. */
static void facts_change_where_documents_say(void **unused)
{
    (void)unused;
    static const struct {
        double cc, dependent, by_line, piece, link;
    } wanted[] = {{2.0, 22, 1, 128, 8e9},    {2.1, 22, 1, 128, 8e9},   {3.0, 11, 1, 32, 8e9},
                  {3.5, 11, 1, 32, 15.75e9}, {7.0, 4, 0, 32, 15.75e9}, {7.5, 4, 0, 32, 15.75e9},
                  {8.6, 4, 0, 32, 31.5e9},   {9.0, 4, 0, 32, 63e9},    {12.0, 4, 0, 32, 63e9}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const ifl_arch arch = ifl_arch_of(wanted[i].cc);
        assert_true(arch.dependent_cycles == wanted[i].dependent);
        assert_true(arch.passes_by_line == wanted[i].by_line);
        assert_true(arch.load_piece_bytes == wanted[i].piece);
        assert_true(arch.link_bytes_per_s == wanted[i].link);
    }
    const ifl_arch older = ifl_arch_of(1.3), oldest = ifl_arch_of(2.0);
    assert_memory_equal(&older, &oldest, sizeof older);
}

/* By number each fact is there once, with the row that holds. */
static void facts_by_number_are_those_by_name(void **unused)
{
    (void)unused;
    static const double all[] = {2.0, 3.0, 8.6, 9.0};
    for (size_t c = 0; c < sizeof all / sizeof *all; c++) {
        const ifl_arch arch = ifl_arch_of(all[c]);
        double values[FACTS];
        ifl_arch_row row;
        memcpy(values, &arch, sizeof arch);
        for (size_t i = 0; i < FACTS; i++) {
            assert_true(ifl_arch_fact_at(i, all[c], &row));
            assert_true(row.value == values[i] && row.since <= all[c]);
        }
        assert_false(ifl_arch_fact_at(FACTS, all[c], &row));
    }
}

/* Every GPU of devices/ has rules of its caches, and groups of SMs only where its L2 has halves. */
static void every_gpu_has_cache_rules(void **unused)
{
    (void)unused;
    for (size_t i = 0; ifl_device_id(i); i++) {
        ifl_device *device;
        ifl_cache_rules rules;
        char name[64];
        snprintf(name, sizeof name, "%s", ifl_device_id(i));
        *strstr(name, ".gpu") = '\0';
        assert_int_equal(ifl_device_open(name, &device, NULL), IFL_OK);
        const double cc = device->value[IFL_DEVICE_compute_capability];
        assert_true(ifl_cache_rules_find(cc, &rules));
        assert_true(cc > rules.first - 0.01 && cc < rules.last + 0.01 && *rules.source);
        assert_true(rules.l1_ways && rules.l2_ways && rules.queue_requests);
        assert_true(rules.l2_halves ||
                    !device->known[IFL_DEVICE_l2_sm_groups]); /* which SMs, only a probe tells */
        ifl_device_close(device);
    }
}

static void unknown_capabilities_have_no_cache_rules(void **unused)
{
    ifl_cache_rules rules;
    (void)unused;
    assert_false(ifl_cache_rules_find(5.2, &rules));
    assert_false(ifl_cache_rules_find(40, &rules));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fact_is_known_from_fermi_on),
        cmocka_unit_test(facts_change_where_documents_say),
        cmocka_unit_test(facts_by_number_are_those_by_name),
        cmocka_unit_test(every_gpu_has_cache_rules),
        cmocka_unit_test(unknown_capabilities_have_no_cache_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
