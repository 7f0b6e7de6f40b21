/* SPDX-License-Identifier: Apache-2.0
 * Launches from their description to their profile, and launch files. The kernels are written
 * here; what they must compute and ask for follows from their few instructions. */
#include "base/file.h"
#include "profile/profile.h"
#include "session/launch.h"
#include "session/launch_file.h"
#include "session/npy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* scale: y[i] = a * y[i] for the whole grid. add: y[i] += x[i]. sum: shared memory, called
 * function, generic load, struct parameter. limited: .reqntid. */
static const char ptx[] =
    ".version 8.5\n.target sm_90\n.address_size 64\n"
    ".visible .entry scale(.param .f32 a, .param .u64 y)\n{\n"
    "\t.reg .f32 %f<3>;\n\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<4>;\n"
    "\t.loc 1 7 5\n"
    "\tld.param.f32 %f1, [a];\n\tld.param.u64 %rd1, [y];\n"
    "\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r2, %ntid.x;\n\tmov.u32 %r3, %tid.x;\n\tmad.lo.u32 %r1, "
    "%r1, %r2, %r3;\n"
    "\tmul.wide.u32 %rd2, %r1, 4;\n\tadd.s64 %rd3, %rd1, %rd2;\n"
    "\tld.global.f32 %f2, [%rd3];\n"
    "\t.loc 1 2 9, function_name $L__info_string0, inlined_at 1 7 5\n"
    "\tmul.f32 %f2, %f2, %f1;\n\tst.global.f32 [%rd3], %f2;\n\tret;\n}\n"
    ".shared .align 4 .b8 tile[128];\n"
    ".shared .align 4 .b8 other[64];\n"
    ".func (.param .b32 r) load(.param .b64 p)\n{\n"
    "\t.reg .b32 %r<2>;\n\t.reg .b64 %rd<2>;\n"
    "\tld.param.u64 %rd1, [p];\n\tld.u32 %r1, [%rd1];\n\tst.param.b32 [r], %r1;\n\tret;\n}\n"
    ".visible .entry call(.param .align 8 .b8 s[16])\n{\n"
    "\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<3>;\n"
    "\tld.param.u64 %rd1, [s];\n\tld.param.u32 %r1, [s+8];\n"
    "\tmov.u32 %r3, %tid.x;\n\tst.shared.u32 [tile], %r1;\n"
    "\t{\n\t.param .b64 p0;\n\t.param .b32 r0;\n\tst.param.b64 [p0], %rd1;\n\tcall.uni (r0), load, "
    "(p0);\n"
    "\tld.param.b32 %r2, [r0];\n\t}\n"
    "\tret;\n}\n"
    ".visible .entry limited()\n.reqntid 64, 1, 1\n{\n\tret;\n}\n"
    ".visible .entry bounded()\n.maxntid 128, 1, 1\n{\n\tret;\n}\n"
    "\t.file 1 \"scale.cu\"\n"
    "\t.section .debug_str\n\t{\n$L__info_string0:\n.b8 95,90,49,104,102,0\n\t}\n";

static const char source[] =
    "// the source of the test\n    return a * b;\n\n\n\n\n\ty[i] = h(y[i]);  \n";

static char folder[] = "/tmp/inflight-test.XXXXXX";
static ifl_module *module;
static const char *const files[] = {"k.ptx", "scale.cu", "a.npy", "out.npy", "l.launch"};

static const char *path_of(const char *name)
{
    static char paths[4][96];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int setup(void **state)
{
    (void)state;
    ifl_error error;
    if (!mkdtemp(folder))
        return -1;
    write_text("k.ptx", ptx);
    write_text("scale.cu", source);
    if (ifl_module_open(path_of("k.ptx"), NULL, &module, &error) == IFL_OK)
        return 0;
    print_error("%s:%d: %s\n", error.file, error.line, error.text);
    return -1;
}

static int teardown(void **state)
{
    (void)state;
    ifl_module_close(module);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(path_of(files[i]));
    rmdir(folder);
    return 0;
}

static ifl_launch *new_launch(const char *kernel)
{
    ifl_launch *launch;
    assert_int_equal(ifl_launch_new(module, kernel, &launch, NULL), IFL_OK);
    return launch;
}

static void set(ifl_launch *launch, const char *key, const char *value)
{
    ifl_error error;
    if (ifl_launch_set(launch, key, value, &error) != IFL_OK)
        fail_msg("%s = %s: %s", key, value, error.text);
}

static ifl_launch *scale_launch(const char *grid, const char *block, const char *buffer)
{
    ifl_launch *launch = new_launch("scale");
    set(launch, "grid", grid);
    set(launch, "block", block);
    set(launch, "arg", "f32:2");
    set(launch, "arg", buffer);
    return launch;
}

static ifl_profile *run(ifl_launch *launch)
{
    ifl_profile *profile;
    ifl_error error;
    if (ifl_launch_run(launch, NULL, &profile, &error) != IFL_OK)
        fail_msg("%s", error.text);
    return profile;
}

static uint64_t counter(const ifl_profile *profile, const char *name)
{
    uint64_t value = ~UINT64_C(0);
    assert_true(ifl_profile_counter(profile, name, &value));
    return value;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void runs_and_counts(void **state)
{
    (void)state;
    ifl_launch *launch = scale_launch("4", "64", "f32x256=iota");
    ifl_profile *profile = run(launch);
    float *data;
    size_t bytes;
    assert_int_equal(ifl_launch_buffer(launch, 1, (void **)&data, &bytes, NULL), IFL_OK);
    assert_int_equal(bytes, 1024);
    for (int i = 0; i < 256; i++)
        assert_true(data[i] == 2.0f * (float)i);
    /* 8 warps, one load and one store each, 32 lanes of 4 bytes: 4 sectors. */
    assert_int_equal(counter(profile, "global_load_requests"), 8);
    assert_int_equal(counter(profile, "global_load_sectors"), 32);
    assert_int_equal(counter(profile, "global_store_sectors"), 32);
    assert_true(profile->complete);
    assert_int_equal(profile->blocks_done, 4);
    assert_string_equal(profile->kernel, "scale");
    assert_string_equal(profile->target, "sm_90");
    assert_string_equal(profile->backend, "engine");
    assert_int_equal(profile->arguments.count, 2);
    assert_string_equal(profile->arguments.at[1], "f32×256 y = iota");
    ifl_profile_free(profile);
    ifl_launch_free(launch);
}

static void a_second_run_continues_on_the_buffers(void **state)
{
    (void)state;
    ifl_launch *launch = scale_launch("1", "32", "f32x32=const:3");
    float *data;
    size_t bytes;
    assert_int_equal(ifl_launch_buffer(launch, 1, (void **)&data, &bytes, NULL), IFL_OK);
    assert_true(data[31] == 3.0f); /* filled before the first run */
    ifl_profile_free(run(launch));
    ifl_profile_free(run(launch));
    assert_true(data[31] == 12.0f);
    ifl_error error;
    assert_int_equal(ifl_launch_set(launch, "arg", "5", &error), IFL_USAGE);
    ifl_launch_free(launch);
}

static void describes_lines(void **state)
{
    (void)state;
    ifl_launch *launch = scale_launch("1", "32", "f32x32+4=iota");
    ifl_profile *profile = run(launch);
    assert_int_equal(ifl_profile_line_count(profile), 2);
    const ifl_profile_line *load = &profile->lines.at[0], *store = &profile->lines.at[1];
    assert_string_equal(load->file, "scale.cu");
    assert_int_equal(load->line, 7);
    assert_int_equal(load->column, 5);
    assert_string_equal(load->text, "y[i] = h(y[i]);");
    assert_string_equal(load->op, "ld.global.f32");
    assert_int_equal(load->space, IFL_SPACE_GLOBAL);
    assert_int_equal(load->kind, IFL_ACCESS_LOAD);
    assert_string_equal(load->inlined_from, "");
    assert_int_equal(load->access_bytes, 4);
    assert_int_equal(load->ptx_line, 18);
    assert_int_equal(ifl_profile_line_ptx_line(profile, 0), 18);
    assert_int_equal(store->kind, IFL_ACCESS_STORE);
    assert_int_equal(store->line, 2);
    assert_string_equal(store->text, "return a * b;");
    assert_string_equal(store->inlined_from, "h() at scale.cu:7");
    uint64_t sectors = 0;
    assert_true(ifl_profile_line_counter(profile, 0, "global_load_sectors", &sectors));
    assert_int_equal(sectors, 5); /* 128 bytes that start 4 bytes past a sector's edge */
    assert_false(ifl_profile_line_counter(profile, 0, "no_such_counter", &sectors));
    assert_false(ifl_profile_line_counter(profile, 2, "global_load_sectors", &sectors));
    ifl_profile_free(profile);
    ifl_launch_free(launch);
}

/* The struct's first word is a pointer; null here, so that the called function's generic load
 * faults. */
static void called_functions_have_lines_and_faults_a_profile(void **state)
{
    (void)state;
    ifl_launch *launch = new_launch("call");
    ifl_profile *profile;
    ifl_error error = {0};
    set(launch, "grid", "1");
    set(launch, "block", "32");
    set(launch, "arg", "bytes:00000000000000000700000000000000");
    assert_int_equal(ifl_launch_run(launch, NULL, &profile, &error), IFL_FINDING);
    assert_non_null(profile);
    assert_false(profile->complete);
    assert_int_equal(profile->shared_bytes,
                     128); /* `other` is not named by anything that it reaches */
    assert_int_equal(ifl_profile_line_count(profile), 2);
    assert_string_equal(profile->lines.at[0].op, "ld.u32");
    assert_int_equal(profile->lines.at[0].kind, IFL_ACCESS_LOAD);
    assert_string_equal(profile->lines.at[1].op, "st.shared.u32");
    assert_int_equal(profile->lines.at[1].space, IFL_SPACE_SHARED);
    assert_true(error.text[0] != '\0');
    ifl_profile_free(profile);
    ifl_launch_free(launch);
}

static void one_buffer_can_be_two_arguments(void **state)
{
    (void)state;
    ifl_launch *launch = new_launch("scale");
    ifl_argument_view view;
    ifl_error error;
    set(launch, "arg", "0.5");
    set(launch, "arg", "f32x32=none");
    assert_int_equal(ifl_launch_argument_count(launch), 2);
    assert_int_equal(ifl_launch_argument(launch, 1, &view, &error), IFL_OK);
    assert_true(view.is_buffer);
    assert_int_equal(view.bytes, 128);
    assert_int_equal(((uint8_t *)view.data)[127], 0xcd);
    assert_int_equal(ifl_launch_argument(launch, 0, &view, &error), IFL_OK);
    assert_false(view.is_buffer);
    assert_int_equal(view.bytes, 4);
    assert_int_equal(ifl_launch_argument(launch, 2, &view, &error), IFL_USAGE);
    float a;
    memcpy(&a, launch->params, sizeof a);
    assert_int_equal(launch->of->param_bytes, 16); /* f32 at 0, u64 at 8 */
    assert_true(a == 0.5f);
    void *data;
    size_t bytes;
    assert_int_equal(ifl_launch_buffer(launch, 0, &data, &bytes, &error), IFL_USAGE);
    assert_string_equal(error.text, "argument 0 is not a buffer: it is f32 a = 0.5");
    ifl_launch_free(launch);
}

static void saves_and_loads_npy(void **state)
{
    (void)state;
    float data[32];
    char word[128];
    ifl_npy npy;
    for (int i = 0; i < 32; i++)
        data[i] = (float)i;
    assert_int_equal(
        ifl_npy_write(path_of("a.npy"), ifl_element_get(IFL_ELEMENT_F32), data, 32, NULL), IFL_OK);
    snprintf(word, sizeof word, "f32x32=@%s", path_of("a.npy"));
    ifl_launch *launch = scale_launch("1", "32", word);
    ifl_profile_free(run(launch));
    assert_int_equal(ifl_launch_save(launch, 1, path_of("out.npy"), NULL), IFL_OK);
    assert_int_equal(ifl_npy_open(path_of("out.npy"), NULL, &npy, NULL), IFL_OK);
    assert_int_equal(ifl_npy_read(&npy, "out.npy", data, NULL), IFL_OK);
    assert_true(data[31] == 62.0f);
    ifl_npy_close(&npy);
    assert_int_equal(ifl_launch_save(launch, 1, "/nonexistent/out.npy", NULL), IFL_NO_FILE);
    ifl_launch_free(launch);
}

/* ---- mistakes -------------------------------------------------------------------------------- */

static void assert_not_run(ifl_launch *launch, ifl_status status, const char *text)
{
    ifl_profile *profile;
    ifl_error error = {0};
    assert_int_equal(ifl_launch_run(launch, NULL, &profile, &error), status);
    assert_null(profile);
    if (!strstr(error.text, text))
        fail_msg("%s", error.text);
    ifl_launch_free(launch);
}

static void counts_arguments(void **state)
{
    (void)state;
    ifl_launch *launch = new_launch("scale");
    ifl_error error;
    set(launch, "grid", "1");
    set(launch, "block", "32");
    set(launch, "arg", "f32:2");
    assert_not_run(launch, IFL_USAGE, "kernel 'scale' takes 2 parameters (f32, u64), 1 given");
    launch = scale_launch("1", "32", "null");
    assert_int_equal(ifl_launch_set(launch, "arg", "5", &error), IFL_USAGE);
    assert_string_equal(error.text, "kernel 'scale' takes 2 parameters (f32, u64), 3 given");
    ifl_launch_free(launch);
    launch = new_launch("limited");
    assert_int_equal(ifl_launch_set(launch, "arg", "5", &error), IFL_USAGE);
    assert_string_equal(error.text, "kernel 'limited' takes 0 parameters, 1 given");
    ifl_launch_free(launch);
}

static void checks_sizes(void **state)
{
    (void)state;
    assert_not_run(new_launch("limited"), IFL_USAGE, "no grid");
    ifl_launch *launch = new_launch("limited");
    set(launch, "grid", "1");
    assert_not_run(launch, IFL_USAGE, "no block");
    launch = new_launch("limited");
    set(launch, "grid", "1");
    set(launch, "block", "32");
    assert_not_run(launch, IFL_USAGE, "requires blocks of 64,1,1 threads (.reqntid), not 32,1,1");
    launch = new_launch("bounded");
    set(launch, "grid", "1");
    set(launch, "block", "16,16");
    assert_not_run(launch, IFL_USAGE, "allows 128 threads per block (.maxntid), not 256");
    launch = new_launch("call");
    set(launch, "grid", "1");
    set(launch, "block", "1");
    set(launch, "shared", "232448");
    set(launch, "arg", "bytes:00000000000000000000000000000000");
    assert_not_run(launch, IFL_USAGE,
                   "needs 232576 bytes of shared memory (128 static, 232448 dynamic)");
}

static void buffers_must_fit_the_machine(void **state)
{
    (void)state;
    assert_not_run(scale_launch("1", "32", "f32x2^50=zero"), IFL_NO_MEMORY, "argument 1");
}

static void assert_not_set(const char *key, const char *value, int column, const char *part)
{
    ifl_launch *launch = new_launch("scale");
    ifl_error error = {0};
    assert_int_equal(ifl_launch_set(launch, key, value, &error), IFL_USAGE);
    if (!strstr(error.text, part))
        fail_msg("%s", error.text);
    assert_int_equal(error.column, column);
    ifl_launch_free(launch);
}

static void places_mistakes_in_values(void **state)
{
    (void)state;
    assert_not_set("grid", "2147483648", 1, "grid.x is 2147483648; it can be 1 to 2147483647");
    assert_not_set("grid", "1,65536", 3, "grid.y");
    assert_not_set("grid", "1, 1, 65536", 7, "grid.z");
    assert_not_set("grid", "0", 1, "it can be 1 to");
    assert_not_set("grid", "1,2,3,4", 6, "at most three");
    assert_not_set("grid", "1,", 3, "expected a number");
    assert_not_set("grid", "8x8x8x8", 6, "at most three");
    assert_not_set("block", "1025", 1, "block.x");
    assert_not_set("block", "1,1,65", 5, "block.z");
    assert_not_set("block", "64,32", 1, "a block of 2048 threads; the limit is 1024");
    assert_not_set("shared", "-1", 1, "expected a number");
    assert_not_set("shared", "1Mi", 1, "the limit is 232448");
    assert_not_set("girth", "1", 0, "a launch has no 'girth'");
    assert_not_set("arg", "f32:x", 5, "expected a number");
}

/* ---- launch files ---------------------------------------------------------------------------- */

static void assert_launch_file(const char *text, ifl_status status, int line, int column,
                               const char *part)
{
    ifl_launch *launch;
    ifl_module *opened;
    ifl_error error = {0};
    write_text("l.launch", text);
    assert_int_equal(ifl_launch_read(path_of("l.launch"), &opened, &launch, &error), status);
    assert_null(launch);
    assert_null(opened);
    if (!strstr(error.text, part))
        fail_msg("%s", error.text);
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
    assert_non_null(strstr(error.file, "l.launch"));
}

static void reads_launch_files(void **state)
{
    (void)state;
    ifl_launch *launch;
    ifl_module *opened;
    ifl_error error;
    float data[32] = {7};
    assert_int_equal(
        ifl_npy_write(path_of("a.npy"), ifl_element_get(IFL_ELEMENT_F32), data, 32, NULL), IFL_OK);
    write_text("l.launch",
               "# a launch\nkernel = scale\narg = f32:2\ngrid = 1 # one block\nblock = 32\n"
               "arg = f32x32=@a.npy\ngpu = H200\nshared = 1Ki\nfile = k.ptx\n");
    if (ifl_launch_read(path_of("l.launch"), &opened, &launch, &error) != IFL_OK)
        fail_msg("%s", error.text);
    ifl_profile *profile = run(launch);
    assert_int_equal(profile->shared_bytes, 1024);
    assert_int_equal(launch->gpus.count, 1);
    float *result;
    size_t bytes;
    assert_int_equal(ifl_launch_buffer(launch, 1, (void **)&result, &bytes, NULL), IFL_OK);
    assert_true(result[0] == 14.0f);
    ifl_profile_free(profile);
    ifl_launch_free(launch);
    ifl_module_close(opened);
}

static void places_mistakes_in_launch_files(void **state)
{
    (void)state;
    assert_launch_file("", IFL_BAD_INPUT, 0, 0, "no 'file = ' line");
    assert_launch_file("file = k.ptx\ncolour = red\n", IFL_BAD_INPUT, 2, 1, "unknown key 'colour'");
    assert_launch_file("file = k.ptx\ngrid = 1\ngrid = 2\n", IFL_BAD_INPUT, 3, 1,
                       "is already set in line 2");
    assert_launch_file("file =\n", IFL_BAD_INPUT, 1, 1, "has no value");
    assert_launch_file("file = absent.ptx\n", IFL_NO_FILE, 1, 8, "No such file");
    assert_launch_file("file = k.ptx\nkernel = scare\n", IFL_BAD_INPUT, 2, 10, "no kernel 'scare'");
    assert_launch_file("file = k.ptx\n", IFL_BAD_INPUT, 1, 8, "name one");
    assert_launch_file("file = k.ptx\nkernel = scale\ngrid = 1,x\n", IFL_BAD_INPUT, 3, 10,
                       "expected a number");
    assert_launch_file("file = k.ptx\nkernel = scale\n  arg = i32:2 # a\n", IFL_BAD_INPUT, 3, 9,
                       "parameter 0 is f32");
    assert_launch_file("file = k.ptx\nkernel = scale\narg = 1\narg = f32x4=@b.npy\n", IFL_NO_FILE,
                       4, 7, "b.npy");
    assert_launch_file("file = k.ptx\nkernel = limited\narg = 1\n", IFL_BAD_INPUT, 3, 7,
                       "takes 0 parameters");
}

static void runtime_mistakes_name_the_launch_file(void **state)
{
    (void)state;
    ifl_launch *launch;
    ifl_module *opened;
    ifl_profile *profile;
    ifl_error error;
    write_text("l.launch", "file = k.ptx\nkernel = scale\ngrid = 1\nblock = 32\narg = 2\n");
    assert_int_equal(ifl_launch_read(path_of("l.launch"), &opened, &launch, &error), IFL_OK);
    assert_int_equal(ifl_launch_run(launch, NULL, &profile, &error), IFL_BAD_INPUT);
    assert_non_null(strstr(error.file, "l.launch"));
    assert_non_null(strstr(error.text, "takes 2 parameters"));
    ifl_launch_free(launch);
    ifl_module_close(opened);
    assert_int_equal(ifl_launch_read("/nonexistent.launch", &opened, &launch, &error), IFL_NO_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_and_counts),
        cmocka_unit_test(a_second_run_continues_on_the_buffers),
        cmocka_unit_test(describes_lines),
        cmocka_unit_test(called_functions_have_lines_and_faults_a_profile),
        cmocka_unit_test(one_buffer_can_be_two_arguments),
        cmocka_unit_test(saves_and_loads_npy),
        cmocka_unit_test(counts_arguments),
        cmocka_unit_test(checks_sizes),
        cmocka_unit_test(buffers_must_fit_the_machine),
        cmocka_unit_test(places_mistakes_in_values),
        cmocka_unit_test(reads_launch_files),
        cmocka_unit_test(places_mistakes_in_launch_files),
        cmocka_unit_test(runtime_mistakes_name_the_launch_file),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
