/* SPDX-License-Identifier: Apache-2.0
 * Machine code that nvcc does not write: words in the place of a kernel's first ones, or a field of
 * one changed. Words are nvdisasm's of tests/sass/words. */
#include "inflight.h"
#include "sass/sass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_BYTES = 1 << 18, WORD_BYTES = 16 };

/* A cubin in memory, and its copy without a name in any folder: modules that run machine code are
 * read from files. */
typedef struct patched {
    uint8_t *bytes, *code; /* of the kernel */
    size_t size, code_bytes;
    int file;
    ifl_module *module;
    ifl_launch *launch;
} patched;

typedef struct word {
    uint64_t low, high;
} word;

static const word end_of_collective = {0x000000000000791b, 0x000fe20003800000},
                  end = {0x000000000000794d, 0x000fea0003800000},
                  /* HGMMA.64x128x16.F16 R24, gdesc[UR12].tnspA, RZ, !UPT */
    product = {0x21e000000c1879f0, 0x000fd8000c7000ff};

static void read_cubin(patched *p, const char *path, const char *kernel)
{
    FILE *file = fopen(path, "rb");
    ifl_machine *machine = ifl_machine_new("patched");
    memset(p, 0, sizeof *p);
    p->bytes = malloc(MOST_BYTES);
    assert_true(file && machine && p->bytes);
    p->size = fread(p->bytes, 1, MOST_BYTES, file);
    fclose(file);
    assert_int_equal(ifl_machine_read_cubin("patched", p->bytes, p->size, machine, NULL), IFL_OK);
    for (size_t i = 0; i < machine->kernel_count; i++) {
        const ifl_machine_kernel *k = &machine->kernels[i];
        if (strcmp(k->name, kernel) != 0)
            continue;
        p->code = memmem(p->bytes, p->size, k->code, k->code_bytes);
        p->code_bytes = k->code_bytes;
    }
    ifl_machine_free(machine);
    assert_non_null(p->code);
}

static void put_words(patched *p, const word *words, size_t count)
{
    assert_true(count * sizeof *words <= p->code_bytes);
    memcpy(p->code, words, count * sizeof *words);
}

/* The first instruction of this base opcode: byte 0 and bit 8. */
static uint8_t *find_instruction(const patched *p, unsigned opcode)
{
    for (size_t at = 0; at < p->code_bytes; at += WORD_BYTES)
        if (p->code[at] == (opcode & 0xff) && (p->code[at + 1] & 1) == opcode >> 8)
            return p->code + at;
    fail_msg("no instruction of opcode 0x%x", opcode);
    return NULL;
}

static void set(ifl_launch *launch, const char *key, const char *value)
{
    ifl_error error = {0};
    if (ifl_launch_set(launch, key, value, &error) != IFL_OK)
        fail_msg("%s = %s: %s", key, value, error.text);
}

static ifl_status run(patched *p, const char *kernel, const char *gpu, const char *block,
                      const char *const *arguments, ifl_error *error)
{
    char path[64];
    ifl_profile *profile = NULL;
    p->file = memfd_create("patched", MFD_CLOEXEC);
    assert_true(p->file >= 0 && write(p->file, p->bytes, p->size) == (ssize_t)p->size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", p->file);
    assert_int_equal(ifl_module_open(path, NULL, &p->module, NULL), IFL_OK);
    assert_int_equal(ifl_launch_new(p->module, kernel, &p->launch, NULL), IFL_OK);
    set(p->launch, "gpu", gpu);
    set(p->launch, "grid", "1");
    set(p->launch, "block", block);
    set(p->launch, "shared", "49152");
    for (; *arguments; arguments++)
        set(p->launch, "arg", *arguments);
    const ifl_status status = ifl_launch_run(p->launch, NULL, &profile, error);
    ifl_profile_free(profile);
    return status;
}

static void close_all(patched *p)
{
    ifl_launch_free(p->launch);
    ifl_module_close(p->module);
    close(p->file);
    free(p->bytes);
}

static const char votes[] = "vote_in_groups";
static const char *const of_votes[] = {"u32x1024=iota", "u32x1024=zero", "i32:8", NULL};
enum { VOTES_BYTES = 1024 * 4 };

static void a_region_that_nobody_began_is_a_fault(void **state)
{
    (void)state;
    patched p;
    ifl_error error = {0};
    read_cubin(&p, "tests/machine/kernels.sm_90.cubin", votes);
    put_words(&p, (const word[]){end_of_collective, end}, 2);
    assert_int_equal(run(&p, votes, "h200", "64", of_votes, &error), IFL_FINDING);
    assert_non_null(strstr(error.text, "none of these lanes began"));
    close_all(&p);
}

/* Its 32 result registers do not lie behind the one that stands for RZ. The kernel's first word
 * makes a stack, which it does not use. */
static void a_product_into_no_register_changes_nothing(void **state)
{
    enum { DESTINATION = 2, RZ = 255 };
    (void)state;
    patched p[2];
    void *data[2] = {NULL, NULL};
    for (size_t i = 0; i < 2; i++) {
        ifl_error error = {0};
        size_t bytes = 0;
        read_cubin(&p[i], "tests/machine/kernels.sm_90.cubin", votes);
        if (i == 1) {
            put_words(&p[i], &product, 1);
            p[i].code[DESTINATION] = RZ;
        }
        if (run(&p[i], votes, "h200", "128", of_votes, &error) != IFL_OK)
            fail_msg("%s", error.text);
        assert_int_equal(ifl_launch_buffer(p[i].launch, 1, &data[i], &bytes, NULL), IFL_OK);
        assert_int_equal(bytes, VOTES_BYTES);
    }
    assert_memory_equal(data[0], data[1], VOTES_BYTES);
    close_all(&p[0]);
    close_all(&p[1]);
}

/* HFMA2.F32 of sm_75, which nvcc 13.0 does not write: the product and sum of halves, rounded to a
 * half, as a float. Its x is 1 + 2^-10, and its result the half next to x * x + x. */
static void a_half_is_rounded_before_it_becomes_a_float(void **state)
{
    enum {
        HADD2 = 0x030,
        HFMA2 = 0x031,
        AS_FLOAT_BYTE = 9,
        AS_FLOAT = 1 << 6,
        GUARD_BYTE = 1,
        NEVER = 0xf0
    };
    (void)state;
    patched p;
    ifl_error error = {0};
    void *data = NULL;
    size_t bytes = 0;
    read_cubin(&p, "tests/machine/kernels.sm_75.cubin", "rounded_halves");
    uint8_t *sum = find_instruction(&p, HFMA2), *conversion = find_instruction(&p, HADD2);
    sum[AS_FLOAT_BYTE] |= AS_FLOAT;
    assert_true(conversion > sum);
    conversion[GUARD_BYTE] |= NEVER;
    if (run(&p, "rounded_halves", "t4", "32",
            (const char *[]){"f32x32=zero", "f32:2048", "f32:1.0009765625", NULL},
            &error) != IFL_OK)
        fail_msg("%s", error.text);
    assert_int_equal(ifl_launch_buffer(p.launch, 0, &data, &bytes, NULL), IFL_OK);
    for (size_t i = 2; i < 32; i += 3)
        assert_true(((const float *)data)[i] == 2.00390625f);
    close_all(&p);
}

/* LDG with a predicate among its operands (cuBLAS's SGEMM for sm_80): lanes that it leaves out get
 * zeros. The words are nvcc's of out[i] = x[i] + 1 for sm_80; LDG writes a register of its address. */
static void lanes_that_do_not_load_get_zeros(void **state)
{
    static const word words[] = {
        {0x0000000000027919, 0x000e220000002100}, /* S2R R2, SR_TID.X */
        {0x00000004ff037435, 0x000fe200000001ff}, /* HFMA2.MMA R3, -RZ, RZ, 0, 2.38e-07: 4 */
        {0x0000460000047ab9, 0x000fd20000000a00}, /* ULDC.64 UR4, c[0x0][0x118] */
        {0x0000580002047625, 0x001fcc00078e0203}, /* IMAD.WIDE R4, R2, R3, c[0x0][0x160] */
        {0x00005c0002007a0c, 0x040fe20003f06270}, /* ISETP.GE.AND P0, PT, R2, c[0x0][0x170], PT */
        {0x0000000404047981, 0x000ea2000c1e990f}, /* LDG.E.CONSTANT R4, [R4.64], !P0 */
        {0x00005a0002027625, 0x000fd800078e0203}, /* IMAD.WIDE R2, R2, R3, c[0x0][0x168] */
        {0x3f80000004077421, 0x004fca0000000000}, /* FADD R7, R4, 1 */
        {0x0000000702007986, 0x000fe2000c101904}, /* STG.E [R2.64], R7 */
        {0x000000000000794d, 0x000fea0003800000}, /* EXIT */
    };
    enum { LOADED = 20 };
    (void)state;
    patched p;
    ifl_error error = {0};
    void *data = NULL;
    size_t bytes = 0;
    read_cubin(&p, "tests/machine/kernels.sm_80.cubin", "keep_words");
    put_words(&p, words, sizeof words / sizeof *words);
    /* No allocation holds what the other lanes would load. */
    if (run(&p, "keep_words", "a100-80", "32",
            (const char *[]){"f32x20=const:3", "f32x32=const:9", "i32:20", NULL}, &error) != IFL_OK)
        fail_msg("%s", error.text);
    assert_int_equal(ifl_launch_buffer(p.launch, 1, &data, &bytes, NULL), IFL_OK);
    for (size_t i = 0; i < 32; i++)
        assert_true(((const float *)data)[i] == (i < LOADED ? 4 : 1));
    close_all(&p);
}

/* The end of a group of bulk copies sets a scoreboard, here 0, until they have read their sources; the
 * next store to these waits for it, as in cuBLAS's products of FP8 with a scale a row. nvcc writes
 * DEPBAR. The words stand behind the first group's end in `store`. */
static void a_store_waits_for_the_scoreboard_of_a_group(void **state)
{
    static const word words[] = {
        {0x0000000000007918, 0x001fe20000000000}, /* NOP, which waits for scoreboard 0 */
        {0x0000000000007388, 0x0003e80000000800}, /* STS [R0], R0 */
        {0x000000000000794d, 0x000fea0003800000}, /* EXIT */
    };
    enum { FLUSH = 0x1b7, COPIED = 32 };
    (void)state;
    patched p;
    ifl_error error = {0};
    void *data = NULL;
    size_t bytes = 0;
    read_cubin(&p, "tests/ptx/machine/bulk.sm_90.cubin", "store");
    memcpy(find_instruction(&p, FLUSH) + WORD_BYTES, words, sizeof words);
    if (run(&p, "store", "h200", "32",
            (const char *[]){"u32x32=const:7", "u32x32=zero", "i32x32=zero", "f32x32=zero", NULL},
            &error) != IFL_OK)
        fail_msg("%s", error.text);
    assert_int_equal(ifl_launch_buffer(p.launch, 0, &data, &bytes, NULL), IFL_OK);
    for (uint32_t i = 0; i < COPIED; i++)
        assert_int_equal(((const uint32_t *)data)[i], i);
    close_all(&p);
}

/* WARPGROUP.ARRIVE and WAIT are a barrier of four warps (cuBLAS; ptxas has BAR there). The words are
 * nvcc's of s[tid] = tid + 1; __syncthreads(); out[tid] = s[tid ^ 32], with these two for its BAR. */
static void arrivals_of_a_warp_group_are_a_barrier(void **state)
{
    static const word words[] = {
        {0x0000000000097919, 0x000e2e0000002100}, /* S2R R9, SR_TID.X */
        {0x00000000000579c3, 0x000e620000008800}, /* S2UR UR5, SR_CgaCtaId */
        {0x0000040000047882, 0x000fce0000000000}, /* UMOV UR4, 0x400 */
        {0x00008600ff027b82, 0x000ea20000000a00}, /* LDC.64 R2, c[0x0][0x218] */
        {0x0000000405047291, 0x002fe2000f8ec03f}, /* ULEA UR4, UR5, UR4, 0x18 */
        {0x0000000209057819, 0x041fe200000006ff}, /* SHF.L.U32 R5, R9.reuse, 0x2, RZ */
        {0x0000000409027825, 0x044fe200078e0002}, /* IMAD.WIDE.U32 R2, R9.reuse, 0x4, R2 */
        {0x0000000109007810, 0x000fe40007ffe0ff}, /* IADD3 R0, R9, 0x1, RZ */
        {0x0000008005047812, 0x000fc800078e3cff}, /* LOP3.LUT R4, R5, 0x80, RZ, 0x3c, !PT */
        {0x0000000005007988, 0x000fe20008000804}, /* STS [R5+UR4], R0 */
        {0x00000000000079c5, 0x000fec0000000000}, /* WARPGROUP.ARRIVE */
        {0x00000000000079c5, 0x000fe20000008000}, /* WARPGROUP.WAIT */
        {0x0000000404077984, 0x000e220008000800}, /* LDS R7, [R4+UR4] */
        {0x0000820000047ab9, 0x000fc60000000a00}, /* ULDC.64 UR4, c[0x0][0x208] */
        {0x0000000702007986, 0x001fe2000c101904}, /* STG.E desc[UR4][R2.64], R7 */
        {0x000000000000794d, 0x000fea0003800000}, /* EXIT */
    };
    enum { THREADS = 128, NEXT_WARP = 32 };
    (void)state;
    patched p;
    ifl_error error = {0};
    void *data = NULL;
    size_t bytes = 0;
    read_cubin(&p, "tests/machine/kernels.sm_90.cubin", "keep_words");
    put_words(&p, words, sizeof words / sizeof *words);
    if (run(&p, "keep_words", "h200", "128",
            (const char *[]){"u32x128=zero", "u32x128=zero", "i32:0", NULL}, &error) != IFL_OK)
        fail_msg("%s", error.text);
    assert_int_equal(ifl_launch_buffer(p.launch, 1, &data, &bytes, NULL), IFL_OK);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(((const uint32_t *)data)[i], (i ^ NEXT_WARP) + 1);
    close_all(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_region_that_nobody_began_is_a_fault),
        cmocka_unit_test(a_product_into_no_register_changes_nothing),
        cmocka_unit_test(a_half_is_rounded_before_it_becomes_a_float),
        cmocka_unit_test(lanes_that_do_not_load_get_zeros),
        cmocka_unit_test(a_store_waits_for_the_scoreboard_of_a_group),
        cmocka_unit_test(arrivals_of_a_warp_group_are_a_barrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
