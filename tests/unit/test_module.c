/* SPDX-License-Identifier: Apache-2.0
 * Kernel names, PTX in containers (tests/fatbin), compilers, and opening files of every kind.
 * Runs in the repository's root. */
#include "compile/cuda_source.h"
#include "sass/embedded.h"
#include "sass/fatbin.h"
#include "session/kernel_name.h"
#include "session/module.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const mangled[] = {"_Z4axpyIfEviT_PKS0_PS0_", "_Z4axpyIdEviT_PKS0_PS0_",
                                      "_ZN2ns2stEPf", "saxpy", "_ZN12_GLOBAL__N_15innerEi"};
enum { NAMES = sizeof mangled / sizeof *mangled };
static ifl_kernel_name names[NAMES];
static ifl_arena arena;

static int demangle_names(void **state)
{
    (void)state;
    for (int i = 0; i < NAMES; i++)
        names[i] = (ifl_kernel_name){mangled[i], ifl_demangle(&arena, mangled[i])};
    return 0;
}

static int free_names(void **state)
{
    (void)state;
    ifl_arena_free(&arena);
    return 0;
}

static void demangles_without_the_return_type(void **state)
{
    (void)state;
    assert_string_equal(names[0].signature, "axpy<float>(int, float, float const*, float*)");
    assert_string_equal(names[2].signature, "ns::st(float*)");
    assert_string_equal(names[3].signature, "saxpy");
    assert_string_equal(
        ifl_demangle(&arena, "_ZN42_INTERNAL_00000000_11_everyday_cu_d166cbfd9atomicAddEPjj"),
        "atomicAdd(unsigned int*, unsigned int)");
    /* Static kernels and variables, compiled separately (nvcc 13.0 -rdc=true of a file everyday.cu). */
    assert_string_equal(
        ifl_demangle(&arena, "__nv_static_33__10d28fd2_11_everyday_cu_e3edcd8c__Z5plainPiPKf"),
        "plain(int*, float const*)");
    assert_string_equal(
        ifl_demangle(&arena, "__nv_static_33__10d28fd2_11_everyday_cu_e3edcd8c_place"), "place");
    /* Names of the source that only look like it. */
    assert_string_equal(ifl_demangle(&arena, "__nv_static_32__Z5plainPi"),
                        "__nv_static_32__Z5plainPi");
    assert_string_equal(ifl_demangle(&arena, "__nv_static_"), "__nv_static_");
    assert_string_equal(ifl_demangle(&arena, "__nv_static_99999999999999999999_a_b"),
                        "__nv_static_99999999999999999999_a_b");
    assert_string_equal(ifl_demangle(&arena, "_ZN11my_INTERNAL1fEv"), "my_INTERNAL::f()");
    assert_string_equal(ifl_demangle(&arena, "_ZN14my_INTERNAL_1_1fEv"), "my_INTERNAL_1_::f()");
    assert_string_equal(ifl_demangle(&arena, "_ZN12_INTERNAL_ab1fEv"), "_INTERNAL_ab::f()");
    assert_int_equal(ifl_name_length(names[0].signature), strlen("axpy<float>"));
    assert_int_equal(ifl_name_length(names[4].signature), strlen("(anonymous namespace)::inner"));
}

static void assert_finds(const char *wanted, size_t expected)
{
    size_t index = 99;
    ifl_error error;
    if (ifl_kernel_find(names, NAMES, wanted, "a.ptx", &index, &error) != IFL_OK)
        fail_msg("%s: %s", wanted, error.text);
    assert_int_equal(index, expected);
}

static void finds_a_kernel_by_any_of_its_names(void **state)
{
    (void)state;
    assert_finds("_Z4axpyIdEviT_PKS0_PS0_", 1);
    assert_finds("axpy<float>(int, float, float const*, float*)", 0);
    assert_finds("void axpy<float>(int,float,float const *,float *)", 0);
    assert_finds("axpy<double>", 1);
    assert_finds("ns::st", 2);
    assert_finds("st", 2);
    assert_finds("saxpy", 3);
    assert_finds("inner", 4);
    assert_finds("(anonymous namespace)::inner(int)", 4);
}

static void assert_lists(const char *wanted, size_t count, const char *first, const char *part)
{
    size_t index;
    ifl_error error = {0};
    assert_int_equal(ifl_kernel_find(names, count, wanted, "a.ptx", &index, &error),
                     count ? IFL_USAGE : IFL_BAD_INPUT);
    if (!strstr(error.text, part))
        fail_msg("%s", error.text);
    const char *newline = strchr(error.text, '\n');
    if (first)
        assert_true(newline && strncmp(newline + 5, first, strlen(first)) == 0);
}

static void lists_the_kernels_when_none_or_several_fit(void **state)
{
    (void)state;
    assert_lists("axpy", NAMES, "axpy<float>", "'axpy' fits several kernels");
    assert_lists("saxyp", NAMES, "saxpy", "no kernel 'saxyp' in 'a.ptx'; there are");
    assert_lists("st(int)", NAMES, NULL, "ns::st(float*)");
    assert_lists(NULL, NAMES, "axpy<float>", "holds 5 kernels; name one");
    assert_lists(NULL, 0, NULL, "holds no kernel");
    size_t index;
    assert_int_equal(ifl_kernel_find(names, 1, NULL, "a.ptx", &index, NULL), IFL_OK);
}

static void a_kernel_in_two_modules_counts_once(void **state)
{
    (void)state;
    const ifl_kernel_name twice[] = {names[3], names[2], names[3]};
    size_t index;
    assert_int_equal(ifl_kernel_find(twice, 3, "saxpy", "a.ptx", &index, NULL), IFL_OK);
    assert_int_equal(index, 0);
}

/* ---- containers ------------------------------------------------------------------------------ */

static ifl_status search(const char *path, uint32_t sm, ifl_ptx_texts *texts, ifl_error *error)
{
    char *data;
    size_t bytes;
    const size_t length = strlen(path);
    if (length < 7 || strcmp(path + length - 7, ".fatbin") != 0) {
        const int descriptor = open(path, O_RDONLY);
        assert_true(descriptor >= 0);
        const ifl_status status = ifl_embedded_elf(descriptor, path, sm, texts, error);
        close(descriptor);
        return status;
    }
    assert_int_equal(ifl_file_read(path, 1 << 20, &data, &bytes, error), IFL_OK);
    const ifl_status status = ifl_embedded_fatbin(data, bytes, path, sm, texts, error);
    free(data);
    return status;
}

static void assert_ptx(const char *path, uint32_t sm, size_t count, const char *part)
{
    ifl_ptx_texts texts;
    ifl_error error;
    if (search(path, sm, &texts, &error) != IFL_OK)
        fail_msg("%s: %s", path, error.text);
    assert_int_equal(texts.list.count, count);
    assert_non_null(strstr(texts.list.at[0].text, part));
    assert_non_null(strstr(texts.list.at[0].text, ".visible .entry _Z5scaleIfEviT_PS0_("));
    assert_int_equal(strlen(texts.list.at[0].text), texts.list.at[0].bytes);
    ifl_ptx_texts_free(&texts);
}

static void finds_ptx_however_it_is_packed(void **state)
{
    (void)state;
    static const char *const files[] = {"zstd", "lz4", "plain"};
    for (size_t i = 0; i < 3; i++) {
        char path[64];
        snprintf(path, sizeof path, "tests/fatbin/%s.fatbin", files[i]);
        assert_ptx(path, 0, 1, ".target sm_90");
        assert_ptx(path, 90, 1, ".target sm_90");
        assert_ptx(path, 89, 1, ".target sm_80"); /* PTX runs on its GPU and newer ones */
        assert_ptx(path, 120, 1, ".target sm_90");
    }
}

static void finds_ptx_in_elf_files(void **state)
{
    (void)state;
    assert_ptx("tests/fatbin/program.bin", 0, 2, ".target sm_90");
    assert_ptx("tests/fatbin/lineinfo.cubin", 0, 1, ".target sm_90");
}

static void assert_no_ptx(const char *path, uint32_t sm, ifl_status status, const char *part)
{
    ifl_ptx_texts texts;
    ifl_error error = {0};
    assert_int_equal(search(path, sm, &texts, &error), status);
    assert_int_equal(texts.list.count, 0);
    if (!strstr(error.text, part))
        fail_msg("%s: %s", path, error.text);
}

static void says_what_is_missing(void **state)
{
    (void)state;
    assert_no_ptx("tests/fatbin/code_only.cubin", 0, IFL_UNSUPPORTED, "machine code only");
    assert_no_ptx("tests/fatbin/code_only.fatbin", 0, IFL_UNSUPPORTED, "code=[sm_90,compute_90]");
    assert_no_ptx("tests/fatbin/zstd.fatbin", 75, IFL_UNSUPPORTED, "it has PTX for sm_80, sm_90");
    assert_no_ptx("/proc/self/exe", 0, IFL_BAD_INPUT, "holds no CUDA code");
}

/* Every prefix, and every file with one byte changed, gives texts or an error, and nothing else. */
static void survives_damaged_containers(void **state)
{
    (void)state;
    static const char *const paths[] = {"tests/fatbin/zstd.fatbin", "tests/fatbin/lz4.fatbin",
                                        "tests/fatbin/plain.fatbin"};
    for (size_t f = 0; f < 3; f++) {
        char *data;
        size_t bytes;
        unsigned errors = 0;
        assert_int_equal(ifl_file_read(paths[f], 1 << 20, &data, &bytes, NULL), IFL_OK);
        for (size_t i = 0; i < bytes; i += 1 + (i > 200) * 7) {
            ifl_ptx_texts texts;
            char *prefix = malloc(i + 1);
            memcpy(prefix, data, i);
            errors += ifl_embedded_fatbin(prefix, i, "a", 0, &texts, NULL) != IFL_OK;
            ifl_ptx_texts_free(&texts);
            free(prefix);
            data[i] = (char)~data[i];
            ifl_embedded_fatbin(data, bytes, "a", 0, &texts, NULL);
            ifl_ptx_texts_free(&texts);
            data[i] = (char)~data[i];
        }
        assert_true(errors > 0);
        free(data);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static char folder[] = "/tmp/inflight-test.XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/file", folder);
    return demangle_names(state);
}

static int remove_folder(void **state)
{
    unlink(path);
    rmdir(folder);
    return free_names(state);
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void assert_not_opened(const char *name, const char *arch, ifl_status status,
                              const char *part)
{
    ifl_module *module = (ifl_module *)&module;
    ifl_error error = {0};
    assert_int_equal(ifl_module_open(name, arch, &module, &error), status);
    assert_null(module);
    if (!strstr(error.text, part))
        fail_msg("%s: %s", name, error.text);
}

static void says_why_a_file_is_not_opened(void **state)
{
    (void)state;
    assert_not_opened("/nonexistent.ptx", NULL, IFL_NO_FILE, "No such file");
    assert_not_opened(folder, NULL, IFL_NO_FILE, "is a directory");
    assert_not_opened(NULL, NULL, IFL_USAGE, "no file");
    write_file(path, "", 0);
    assert_not_opened(path, NULL, IFL_BAD_INPUT, "is empty");
    write_file(path, "\x01\x02\x03\x00\xff", 5);
    assert_not_opened(path, NULL, IFL_BAD_INPUT, "neither PTX");
    write_file(path, "!<arch>\nx", 9);
    assert_not_opened(path, NULL, IFL_UNSUPPORTED, "static library");
    write_file(path, "\177ELF\x02\x01\x01\x00junk", 12);
    assert_not_opened(path, NULL, IFL_BAD_INPUT, "ELF file");
    assert_not_opened("tests/fatbin/zstd.fatbin", "sm_x", IFL_USAGE, "not an architecture");
    assert_not_opened("tests/fatbin/scale.cu", "90z", IFL_USAGE, "not an architecture");
}

static void cut_executables_are_damaged(void **state)
{
    (void)state;
    char *data;
    size_t bytes;
    assert_int_equal(ifl_file_read("tests/fatbin/program.bin", 1 << 20, &data, &bytes, NULL),
                     IFL_OK);
    for (size_t length = 4; length < bytes; length += 1500) {
        write_file(path, data, length);
        assert_not_opened(path, NULL, IFL_BAD_INPUT, "damaged or truncated");
    }
    free(data);
}

static void opens_modules(void **state)
{
    (void)state;
    ifl_module *module;
    ifl_error error;
    if (ifl_module_open("tests/fatbin/program.bin", NULL, &module, &error) != IFL_OK)
        fail_msg("%s", error.text);
    assert_int_equal(ifl_module_kernel_count(module), 2);
    assert_string_equal(ifl_module_kernel_signature(module, 0), "scale<float>(int, float, float*)");
    assert_string_equal(ifl_module_kernel_name(module, 1), "_ZN3lab3addEiPKfPf");
    assert_null(ifl_module_kernel_name(module, 2));
    size_t index;
    assert_int_equal(ifl_module_find(module, "add", &index, NULL), IFL_OK);
    assert_int_equal(index, 1);
    ifl_module_close(module);
    ifl_module_close(NULL);
}

static void dumps_stages(void **state)
{
    (void)state;
    static const char *const stages[] = {"ptx", "program", "code"};
    ifl_module *module;
    ifl_error error = {0};
    assert_int_equal(ifl_module_open("tests/fatbin/lineinfo.cubin", NULL, &module, NULL), IFL_OK);
    for (size_t i = 0; i < 3; i++) {
        char *text;
        size_t bytes;
        FILE *out = open_memstream(&text, &bytes);
        assert_int_equal(ifl_module_dump(module, stages[i], i ? "scale" : NULL, out, &error),
                         IFL_OK);
        fclose(out);
        assert_non_null(strstr(text, "mul"));
        free(text);
    }
    FILE *full = fopen("/dev/full", "w");
    assert_int_equal(ifl_module_dump(module, "sass", NULL, full, &error), IFL_USAGE);
    assert_int_equal(ifl_module_dump(module, "ptx", "nothing", full, &error), IFL_USAGE);
    assert_int_equal(ifl_module_dump(module, "ptx", NULL, full, &error), IFL_NO_FILE);
    fclose(full);
    ifl_module_close(module);
}

/* ---- compilers ------------------------------------------------------------------------------- */

/* With each compiler that is here: the result opens; a mistake gives its log. */
static void compiles_with_what_there_is(void **state)
{
    (void)state;
    static const char *const compilers[] = {"nvcc", "nvrtc", "clang"};
    static const char bad[] = "__global__ void k(int *p) { *p = undeclared_name; }\n";
    static const char good[] = "extern \"C\" __global__ void k(int *p) { p[threadIdx.x] = 5; }\n";
    char source[80];
    snprintf(source, sizeof source, "%s.cu", path);
    for (size_t i = 0; i < 3; i++) {
        ifl_module *module;
        ifl_error error = {0};
        setenv("INFLIGHT_CUDA_COMPILER", compilers[i], 1);
        write_file(source, good, strlen(good));
        const ifl_status status = ifl_module_open(source, NULL, &module, &error);
        if (status == IFL_UNSUPPORTED && strstr(error.text, "which is not found")) {
            print_message("%s is not here: skipped\n", compilers[i]);
            continue;
        }
        if (status != IFL_OK)
            fail_msg("%s: %s", compilers[i], error.text);
        assert_string_equal(ifl_module_kernel_name(module, 0), "k");
        ifl_module_close(module);
        write_file(source, bad, strlen(bad));
        assert_not_opened(source, NULL, IFL_BAD_INPUT, "undeclared_name");
    }
    setenv("INFLIGHT_CUDA_COMPILER", "gcc", 1);
    assert_not_opened(source, NULL, IFL_USAGE, "nvcc, nvrtc or clang");
    unsetenv("INFLIGHT_CUDA_COMPILER");
    unlink(source);
    assert_not_opened(source, NULL, IFL_NO_FILE, "No such file");
}

static void a_missing_compiler_is_named(void **state)
{
    (void)state;
    char *before = strdup(getenv("PATH"));
    setenv("INFLIGHT_CUDA_COMPILER", "clang", 1);
    setenv("PATH", "/nonexistent", 1);
    assert_not_opened("tests/fatbin/scale.cu", NULL, IFL_UNSUPPORTED, "clang, which is not found");
    setenv("PATH", before, 1);
    unsetenv("INFLIGHT_CUDA_COMPILER");
    free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(demangles_without_the_return_type),
        cmocka_unit_test(finds_a_kernel_by_any_of_its_names),
        cmocka_unit_test(lists_the_kernels_when_none_or_several_fit),
        cmocka_unit_test(a_kernel_in_two_modules_counts_once),
        cmocka_unit_test(finds_ptx_however_it_is_packed),
        cmocka_unit_test(finds_ptx_in_elf_files),
        cmocka_unit_test(says_what_is_missing),
        cmocka_unit_test(survives_damaged_containers),
        cmocka_unit_test(says_why_a_file_is_not_opened),
        cmocka_unit_test(cut_executables_are_damaged),
        cmocka_unit_test(opens_modules),
        cmocka_unit_test(dumps_stages),
        cmocka_unit_test(compiles_with_what_there_is),
        cmocka_unit_test(a_missing_compiler_is_named),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
