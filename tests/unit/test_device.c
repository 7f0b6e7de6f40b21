/* SPDX-License-Identifier: Apache-2.0
 * Device descriptions: those built in, and what is wrong with a file. */
#include "device/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void every_built_in_device_opens(void **state)
{
    (void)state;
    size_t count = 0;
    for (; ifl_device_id(count); count++) {
        char name[64];
        ifl_error error;
        ifl_device *device;
        snprintf(name, sizeof name, "%s", ifl_device_id(count));
        *strrchr(name, '.') = '\0';
        if (ifl_device_open(name, &device, &error) != IFL_OK)
            fail_msg("%s: %s", name, error.text);
        for (int f = 0; f < IFL_DEVICE_FIELDS; f++)
            assert_true(!device->known[f] || (device->source[f] && *device->source[f]));
        ifl_device_close(device);
    }
    assert_int_equal(count, 17); /* the rows of the table of GPUs, the A100 twice */
}

#define REST                                                                                                           \
    "limits = cc_9.0\nclock_hz = 1e9 Hz # s\nl1_bytes_per_sm = 262144 bytes # s\n"                                     \
    "l2_bytes = 1000000 bytes # s\ndram_bytes_per_s = 1e12 B/s # s\n"

static void says_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
        const char *message;
    } cases[] = {
        {"name = x\n" REST, 0, "sms is missing"},
        {"sms = 10 SMs # s\n" REST, 0, "no 'name = ...' line"},
        {"name = x\nsms = 10 SMs # s\nsms = 11 SMs # s\n" REST, 3, "a second value for sms"},
        {"name = x\nsms = 99999 SMs # s\n" REST, 2, "between 1 and 1024 SMs"},
        {"name = x\nsms = ten SMs # s\n" REST, 2, "a number is wanted for sms"},
        {"name = x\nsms = 10 # s\n" REST, 2, "the unit must be SMs"},
        {"name = x\nsms = 10 SMs\n" REST, 2, "a source is wanted"},
        {"name = x\nspeed = 10 # s\n" REST, 2, "unknown key 'speed'"},
        {"name = x\nlimits = cc_1.0\n", 2, "there are no such limits"},
        {"name = x\nlimits cc_9.0\n", 2, ""},
        {"", 0, "no 'name = ...' line"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ifl_error error = {0};
        ifl_device *device;
        ifl_status status =
            ifl_device_parse("x.gpu", "x", cases[i].text, strlen(cases[i].text), &device, &error);
        assert_int_equal(status, IFL_BAD_INPUT);
        assert_int_equal(error.line, cases[i].line);
        assert_string_equal(error.file, "x.gpu");
        if (!strstr(error.text, cases[i].message))
            fail_msg("case %zu: \"%s\", wanted \"%s\"", i, error.text, cases[i].message);
    }
}

static void a_complete_file_overrides_its_limits(void **state)
{
    (void)state;
    const char *text = "name = mine\nsms = 10 SMs # s\nmax_blocks_per_sm = 7 blocks # my own\n" REST;
    ifl_error error;
    ifl_device *device;
    assert_int_equal(ifl_device_parse("x.gpu", "x", text, strlen(text), &device, &error), IFL_OK);
    assert_true(device->value[IFL_DEVICE_max_blocks_per_sm] == 7);
    assert_string_equal(device->source[IFL_DEVICE_max_blocks_per_sm], "my own");
    ifl_device_close(device);
}

static void an_unknown_name_lists_the_known(void **state)
{
    (void)state;
    ifl_error error;
    ifl_device *device;
    assert_int_equal(ifl_device_open("h2000", &device, &error), IFL_USAGE);
    assert_non_null(strstr(error.text, "h200"));
}

/* CUDA C++ Programming Guide, "Compute Capabilities": PTX runs on later GPUs, machine code on later ones of the same
 * major number. sm_52 is what nvcc 12 builds for unless told otherwise. */
static void code_has_a_common_gpu_that_runs_it(void **state)
{
    (void)state;
    static const struct {
        uint32_t sm;
        const char *id;
    } rows[] = {{52, "v100"}, {75, "t4"}, {80, "a100-80"}, {87, "l40s"}, {90, "h100"}, {100, "b200"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ifl_device *device;
        ifl_error error;
        const char *id = ifl_device_common(rows[i].sm);
        assert_non_null(id);
        assert_string_equal(id, rows[i].id);
        assert_int_equal(ifl_device_open(id, &device, &error), IFL_OK);
        assert_true(device->value[IFL_DEVICE_compute_capability] * 10 + 0.5 >= rows[i].sm);
        ifl_device_close(device);
    }
    assert_null(ifl_device_common(103)); /* a B200 does not run it */
    assert_null(ifl_device_common(200));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_built_in_device_opens),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(a_complete_file_overrides_its_limits),
        cmocka_unit_test(an_unknown_name_lists_the_known),
        cmocka_unit_test(code_has_a_common_gpu_that_runs_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
