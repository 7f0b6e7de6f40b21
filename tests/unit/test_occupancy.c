/* SPDX-License-Identifier: Apache-2.0
 * Occupancy: NVIDIA's captured answers, document 004's case study, the cliffs. */
#include <inflight.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static ifl_device *open_device(const char *name)
{
    ifl_error error;
    ifl_device *device = NULL;
    if (ifl_device_open(name, &device, &error) != IFL_OK)
        fail_msg("%s: %s", name, error.text);
    return device;
}

static ifl_occupancy compute(const char *name, ifl_occupancy_request request)
{
    ifl_error error;
    ifl_occupancy occupancy;
    ifl_device *device = open_device(name);
    assert_int_equal(ifl_occupancy_compute(device, &request, &occupancy, &error), IFL_OK);
    ifl_device_close(device);
    return occupancy;
}

/* tests/model/occupancy.txt: GPU threads registers shared_bytes barriers blocks, by
 * cuda_occupancy.h. */
static void equals_nvidias_calculator(void **state)
{
    (void)state;
    FILE *file = fopen("tests/model/occupancy.txt", "r");
    assert_non_null(file);
    char line[256], gpu[64], last[64] = "";
    ifl_device *device = NULL;
    int count = 0;
    while (fgets(line, sizeof line, file)) {
        ifl_occupancy_request r = {0};
        ifl_occupancy o;
        int blocks;
        if (sscanf(line, "%63s %d %d %d %d %d", gpu, &r.threads, &r.registers, &r.shared_bytes,
                   &r.barriers, &blocks) != 6)
            continue;
        if (strcmp(gpu, last) != 0) {
            ifl_device_close(device);
            device = open_device(strcpy(last, gpu));
        }
        assert_int_equal(ifl_occupancy_compute(device, &r, &o, NULL), IFL_OK);
        if (o.blocks_per_sm != blocks)
            fail_msg("%s: %d blocks here, %s", gpu, o.blocks_per_sm, line);
        count++;
    }
    ifl_device_close(device);
    fclose(file);
    assert_int_equal(count, 3900);
}

/* Document 004, case study 1 on Fermi: 63 registers; 3840 bytes a warp with 32 and 64 threads a
 * block, then 1536. */
static void document_004_case_study(void **state)
{
    (void)state;
    ifl_occupancy a = compute("m2090", (ifl_occupancy_request){32, 63, 3840, 0, 0, 0, 0});
    ifl_occupancy b = compute("m2090", (ifl_occupancy_request){64, 63, 2 * 3840, 0, 0, 0, 0});
    ifl_occupancy c = compute("m2090", (ifl_occupancy_request){64, 63, 2 * 1536, 0, 0, 0, 0});
    assert_int_equal(a.warps_per_sm, 8);
    assert_string_equal(a.limiter, "blocks");
    assert_int_equal(b.warps_per_sm, 12);
    assert_string_equal(b.limiter, "shared memory");
    assert_int_equal(c.warps_per_sm, 16);
    assert_string_equal(c.limiter, "registers");
}

/* The definition of the cliffs: one more block fits at the one, one fewer just past the other. */
static void cliffs_are_where_blocks_change(void **state)
{
    (void)state;
    ifl_occupancy_request r = {256, 40, 0, 0, 0, 0, 0};
    ifl_occupancy at = compute("h200", r);
    r.registers = at.registers_for_more;
    assert_true(compute("h200", r).blocks_per_sm > at.blocks_per_sm);
    r.registers = at.registers_for_more + 1;
    assert_int_equal(compute("h200", r).blocks_per_sm, at.blocks_per_sm);
    r.registers = at.registers_before_fewer;
    assert_int_equal(compute("h200", r).blocks_per_sm, at.blocks_per_sm);
    r.registers = at.registers_before_fewer + 1;
    assert_true(compute("h200", r).blocks_per_sm < at.blocks_per_sm);
}

static void refuses_nonsense(void **state)
{
    (void)state;
    ifl_error error;
    ifl_occupancy o;
    ifl_device *device = open_device("h200");
    ifl_occupancy_request r = {0, 32, 0, 0, 0, 0, 0};
    assert_int_equal(ifl_occupancy_compute(device, &r, &o, &error), IFL_USAGE);
    ifl_device_close(device);
    assert_int_equal(
        compute("h200", (ifl_occupancy_request){1025, 32, 0, 0, 0, 0, 0}).blocks_per_sm, 0);
    assert_int_equal(
        compute("h200", (ifl_occupancy_request){32, 32, 228 * 1024, 0, 0, 0, 0}).blocks_per_sm, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_nvidias_calculator),
        cmocka_unit_test(document_004_case_study),
        cmocka_unit_test(cliffs_are_where_blocks_change),
        cmocka_unit_test(refuses_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
