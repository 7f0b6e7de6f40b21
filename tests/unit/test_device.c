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
    for (size_t i = 0; ifl_device_id(i); i++) {
        char name[64];
        ifl_error error;
        ifl_device *device;
        snprintf(name, sizeof name, "%s", ifl_device_id(i));
        *strrchr(name, '.') = '\0';
        if (ifl_device_open(name, &device, &error) != IFL_OK)
            fail_msg("%s: %s", name, error.text);
        for (int f = 0; f < IFL_DEVICE_FIELDS; f++)
            assert_true(!device->known[f] || (device->source[f] && *device->source[f]));
        ifl_device_close(device);
    }
}

/* SMs and compute capability of GPUs whose descriptions came from public data, as NVIDIA's pages
 * have them. */
static void gpus_that_people_have_are_known(void **state)
{
    static const struct {
        const char *name;
        double sms, compute_capability;
    } gpus[] = {
        {"m2090", 16, 2.0},        {"t4", 40, 7.5},
        {"a100-80", 108, 8.0},     {"l4", 58, 8.9},
        {"a10", 72, 8.6},          {"a10g", 80, 8.6},
        {"a30", 56, 8.0},          {"a40", 84, 8.6},
        {"gh200", 132, 9.0},       {"h100-pcie", 114, 9.0},
        {"h100-nvl", 132, 9.0},    {"h20", 78, 9.0},
        {"rtx-2080-ti", 68, 7.5},  {"rtx-3060", 28, 8.6},
        {"rtx-3070", 46, 8.6},     {"rtx-3080", 68, 8.6},
        {"rtx-3090", 82, 8.6},     {"rtx-4060", 24, 8.9},
        {"rtx-4070", 46, 8.9},     {"rtx-4080", 76, 8.9},
        {"rtx-5060", 30, 12.0},    {"rtx-5070", 48, 12.0},
        {"rtx-5080", 84, 12.0},    {"rtx-a4000", 48, 8.6},
        {"rtx-a5000", 64, 8.6},    {"rtx-a6000", 84, 8.6},
        {"jetson-thor", 20, 11.0}, {"jetson-agx-orin", 16, 8.7},
        {"b300", 148, 10.3},       {"gb200", 152, 10.0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
        ifl_error error;
        ifl_device *device;
        if (ifl_device_open(gpus[i].name, &device, &error) != IFL_OK)
            fail_msg("%s: %s", gpus[i].name, error.text);
        assert_true(device->value[IFL_DEVICE_sms] == gpus[i].sms);
        assert_true(device->value[IFL_DEVICE_compute_capability] == gpus[i].compute_capability);
        ifl_device_close(device);
    }
}

#define REST                                                                                       \
    "limits = cc_9.0\nclock_hz = 1e9 Hz # s\nl1_bytes_per_sm = 262144 bytes # s\n"                 \
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
        {"name = x\nsms = ten SMs # s\n" REST, 2, "expected a number for sms"},
        {"name = x\nsms = 10 # s\n" REST, 2, "the unit must be SMs"},
        {"name = x\nsms = 10 SMs\n" REST, 2, "expected a source"},
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
    const char *text =
        "name = mine\nsms = 10 SMs # s\nmax_blocks_per_sm = 7 blocks # my own\n" REST;
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

/* As people write them: the letters and digits count. */
static void names_are_matched_by_letters_and_digits(void **state)
{
    (void)state;
    static const char *const same[][2] = {{"rtx4090", "rtx-4090"},
                                          {"RTX 4090", "rtx-4090"},
                                          {"RTX_PRO_6000", "rtx-pro-6000"},
                                          {"H200", "h200"},
                                          {"a100 80@1155", NULL}};
    ifl_error error;
    ifl_device *device;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_int_equal(ifl_device_open(same[i][0], &device, &error), IFL_OK);
        if (same[i][1])
            assert_string_equal(device->id, same[i][1]);
        ifl_device_close(device);
    }
}

/* A name that several GPUs share names none of them, but the message does. */
static void a_part_of_a_name_names_those_that_it_may_be(void **state)
{
    (void)state;
    ifl_error error;
    ifl_device *device;
    assert_int_equal(ifl_device_open("A100", &device, &error), IFL_USAGE);
    assert_non_null(strstr(error.text, "unknown GPU 'A100': is it a100-40 or a100-80?\n"));
    assert_int_equal(ifl_device_open("4090", &device, &error), IFL_USAGE);
    assert_non_null(strstr(error.text, "is it rtx-4090?\n"));
    assert_int_equal(ifl_device_open("x", &device, &error), IFL_USAGE); /* too many to name */
    assert_null(strstr(error.text, "is it"));
    assert_int_equal(ifl_device_open("--", &device, &error), IFL_USAGE);
    assert_null(strstr(error.text, "is it"));
}

/* CUDA C++ Programming Guide, "Compute Capabilities": PTX runs on later GPUs, machine code on later
 * ones of the same major number. sm_52 is what nvcc 12 builds for unless told otherwise. */
static void code_has_a_common_gpu_that_runs_it(void **state)
{
    (void)state;
    static const struct {
        uint32_t sm;
        const char *id;
    } rows[] = {{52, "v100"}, {75, "t4"},   {80, "a100-80"}, {86, "a10"},
                {87, "l40s"}, {90, "h100"}, {100, "b200"},   {103, "b300"}};
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
    assert_null(ifl_device_common(107)); /* neither a B200 nor a B300 runs it */
    assert_null(ifl_device_common(200));
}

/* By the sources in devices/: an RTX 5090 has its share of the DRAM alone, a B200 all but the L1's
 * rate (its DRAM's latency is a time), and an A100 all. */
static void what_nobody_measured_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        size_t count;
    } rows[] = {{"rtx-5090", 5}, {"b200", 1}, {"a100-40", 0}, {"h200", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ifl_device *device;
        ifl_device_field fields[IFL_DEVICE_RATES];
        ifl_error error;
        assert_int_equal(ifl_device_open(rows[i].id, &device, &error), IFL_OK);
        assert_int_equal(ifl_device_unmeasured(device, fields), rows[i].count);
        ifl_device_close(device);
    }
}

/* What a description says of fences goes before the facts of its compute capability, and counts as measured; what it says
 * that nobody measured does not. */
static void a_gpu_may_have_facts_of_its_own(void **state)
{
    (void)state;
    const char *text = "name = mine\nsms = 10 SMs # s\nfence_cycles = 7 cycles # my own\n"
                       "fence_turn_cycles = 3 cycles # unmeasured: a guess\n" REST;
    const ifl_arch common = ifl_arch_of(9.0);
    ifl_error error;
    ifl_device *device;
    const char *names[IFL_DEVICE_FIELDS];
    assert_int_equal(ifl_device_parse("x.gpu", "x", text, strlen(text), &device, &error), IFL_OK);
    const ifl_arch own = ifl_device_arch(device);
    assert_true(own.fence_cycles == 7 && own.fence_turn_cycles == 3);
    assert_true(own.fence_stored_cycles == common.fence_stored_cycles);
    assert_int_equal(ifl_device_lacking(device, IFL_OWN_FENCES, names, IFL_DEVICE_FIELDS), 4);
    assert_string_equal(names[0], "fence_stored_cycles");
    assert_int_equal(ifl_device_lacking(device, IFL_OWN_FENCES, names, 1), 1);
    ifl_device_close(device);
}

/* By the sources in devices/: wait_probe measured an H100's fences, and nobody what a B200's cost. */
static void whose_fences_were_measured(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        size_t fences, atomics;
    } rows[] = {{"h200", 0, 0}, {"h100", 0, 3}, {"b200", 5, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *names[IFL_DEVICE_FIELDS];
        ifl_device *device;
        ifl_error error;
        assert_int_equal(ifl_device_open(rows[i].id, &device, &error), IFL_OK);
        assert_int_equal(ifl_device_lacking(device, IFL_OWN_FENCES, names, IFL_DEVICE_FIELDS),
                         rows[i].fences);
        assert_int_equal(ifl_device_lacking(device, IFL_OWN_ATOMICS, names, IFL_DEVICE_FIELDS),
                         rows[i].atomics);
        ifl_device_close(device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_built_in_device_opens),
        cmocka_unit_test(gpus_that_people_have_are_known),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(a_complete_file_overrides_its_limits),
        cmocka_unit_test(an_unknown_name_lists_the_known),
        cmocka_unit_test(names_are_matched_by_letters_and_digits),
        cmocka_unit_test(a_part_of_a_name_names_those_that_it_may_be),
        cmocka_unit_test(code_has_a_common_gpu_that_runs_it),
        cmocka_unit_test(what_nobody_measured_is_told),
        cmocka_unit_test(a_gpu_may_have_facts_of_its_own),
        cmocka_unit_test(whose_fences_were_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
