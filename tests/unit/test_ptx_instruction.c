/* SPDX-License-Identifier: Apache-2.0
 * The PTX reader, instruction by instruction: mnemonics, constants, operands and their widths.
 * Expectations come from the PTX ISA 9.0 (sections named where it matters) and IEEE 754. */
#include "ptx_snippet.h"

/* ---- instructions --------------------------------------------------------------------------- */

static void test_names(void **state)
{
    (void)state;
    static const char *const same[] = {
        "ld.global.nc.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];",
        "ld.relaxed.gpu.global.u32 %r1, [%rd1];",
        "ld.volatile.shared.u8 %r1, [%rd1+4];",
        "ld.global.L1::no_allocate.L2::128B.v2.u32 {%r1,_}, [%rd1];",
        "ld.global.L1::evict_last.L2::cache_hint.u32 %r1, [%rd1], %rd2;",
        "ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];",
        "st.global.cs.v2.u32 [%rd1], {%r1, 7};",
        "atom.acq_rel.gpu.global.add.u32 %r1, [%rd1], %r2;",
        "atom.global.cas.b64 %rd1, [%rd2], %rd3, %rd4;",
        "atom.global.add.noftz.f16 %h1, [%rd2], %h3;",
        "atom.global.add.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1], {%f1,%f2,%f3,%f4};",
        "red.relaxed.gpu.global.max.s32 [%rd1], %r2;",
        "mul.wide.s32 %rd1, %r1, -4;",
        "mad.lo.s32 %r1, %r2, %r3, %r4;",
        "mad.lo.cc.u32 %r1, %r2, %r3, %r4;",
        "mad.hi.sat.s32 %r1, %r2, %r3, %r4;",
        "add.cc.u32 %r1, %r2, %r3;",
        "fma.rn.ftz.sat.f32 %f1, %f2, %f3, %f4;",
        "min.ftz.NaN.xorsign.abs.f32 %f1, %f2, %f3;",
        "setp.lt.and.ftz.f32 %p1|%p2, %f1, %f2, !%p3;",
        "setp.hs.u32 %p1, %r1, %r2;",
        "cvt.rn.satfinite.relu.bf16x2.f32 %r1, %f1, %f2;",
        "cvt.rzi.ftz.sat.s32.f32 %r1, %f1;",
        "cvt.pack.sat.s16.s32 %r1, %r2, %r3;",
        "shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;",
        "vote.sync.ballot.b32 %r1, %p1, -1;",
        "match.all.sync.b32 %r1|%p1, %r2, -1;",
        "redux.sync.add.s32 %r1, %r2, -1;",
        "activemask.b32 %r1;",
        "elect.sync _|%p1, -1;",
        "bar.sync 0;",
        "barrier.sync.aligned 1, 64;",
        "bar.red.popc.u32 %r1, 0, %p1;",
        "bar.red.and.pred %p1, 0, 64, !%p1;",
        "bar.warp.sync -1;",
        "membar.gl;",
        "fence.acq_rel.gpu;",
        "cp.async.ca.shared.global.L2::128B [%r1], [%rd1], 16;",
        "cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;",
        "cp.async.ca.shared.global [%r1], [%rd1], 4, %p1;",
        "cp.async.wait_group 2;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1],[%rd1],%r2,[%r3];",
        "mbarrier.init.shared.b64 [%r1], 32;",
        "mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 64;",
        "mbarrier.arrive.shared.b64 %rd1, [%r1];",
        "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2, %r3;",
        "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd2;",
        "prefetch.global.L2 [%rd1];",
        "isspacep.shared %p1, %rd1;",
        "cvta.to.global.u64 %rd1, %rd2;",
        "lop3.b32 %r1, %r2, %r3, %r4, 0x96;",
        "shf.l.wrap.b32 %r1, %r2, %r3, 4;",
        "prmt.b32.f4e %r1, %r2, %r3, %r4;",
        "dp4a.u32.s32 %r1, %r2, %r3, %r4;",
        "testp.finite.f32 %p1, %f1;",
        "slct.f32.s32 %f1, %f2, %f3, %r1;",
        "set.lt.u32.f32 %r1, %f1, %f2;",
        "div.approx.ftz.f32 %f1, %f2, %f3;",
        "ex2.approx.ftz.f32 %f1, %f2;",
        "mov.b128 %q1, {%rd1, %rd2};",
        "createpolicy.fractional.L2::evict_last.b64 %rd1, 0.5;",
        "nanosleep.u32 100;",
        "setmaxnreg.inc.sync.aligned.u32 64;",
        "griddepcontrol.wait;",
        "add.f32.bf16 %f1, %h1, %f2;",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char name[128] = {0};
        strncpy(name, same[i], strcspn(same[i], " ;"));
        if (!strcmp(name, "setp.hs.u32"))
            strcpy(name, "setp.ge.u32"); /* lo ls hi hs are lt le gt ge, unsigned */
        check_name(same[i], name);
    }
    check_name("bfind.shiftamt.u64 %r1, %rd1;", "bfind.shiftamt.u64");
    check_name("ld .global\n.f32 %f1, [%rd1];", "ld.global.f32");
    check_name("ld.shared::cluster.u32 %r1, [%rd1];", "ld.shared::cluster.u32");
    check_name("ld.shared::cta.u32 %r1, [%rd1];", "ld.shared.u32");
    check_name("atom.add.global.relaxed.gpu.u32 %r1, [%rd1], %r2;",
               "atom.relaxed.gpu.global.add.u32");
}

/* PTX ISA, "Constants": 0f and 0d are patterns; real numbers take the type's precision. */
static void test_immediates(void **state)
{
    (void)state;
    assert_int_equal(immediate("mov.u32 %r1, 42;", 1), 42);
    assert_int_equal(immediate("mov.u32 %r1, 0xffffffff;", 1), INT64_C(0xffffffff));
    assert_int_equal(immediate("mov.u32 %r1, 4294967295U;", 1), INT64_C(0xffffffff));
    assert_int_equal(immediate("mov.s32 %r1, -1;", 1), -1);
    assert_int_equal(immediate("mov.u32 %r1, 017;", 1), 15);
    assert_int_equal(immediate("mov.u32 %r1, 0b101;", 1), 5);
    assert_int_equal(immediate("mov.u32 %r1, WARP_SZ;", 1), 32);
    assert_int_equal(immediate("mov.u32 %r1, WARP_SZ - 1;", 1), 31);
    assert_int_equal(immediate("mov.u32 %r1, (2 + 3) * 4;", 1), 20);
    assert_int_equal(immediate("mov.u32 %r1, ~0 & 0xf0 | 1 ^ 3;", 1), 0xf2);
    assert_int_equal(immediate("mov.u32 %r1, -8 >> 1;", 1), -4);
    assert_int_equal(immediate("mov.u32 %r1, (.u64)-8 >> 60;", 1), 15);
    assert_int_equal(immediate("mov.u32 %r1, 1 == 1 && 2 != 2 ? 8 : !0;", 1), 1);
    assert_int_equal(immediate("mov.u64 %rd1, 0x8000000000000000;", 1), INT64_MIN);
    assert_int_equal(immediate("mov.f32 %f1, 0f3F800000;", 1), 0x3f800000);
    assert_int_equal(immediate("mov.f32 %f1, 0fFF800001;", 1), INT64_C(0xff800001));
    assert_int_equal(immediate("mov.f32 %f1, 0.5;", 1), 0x3f000000);
    assert_int_equal(immediate("mov.f32 %f1, 1e3;", 1), 0x447a0000);
    assert_int_equal(immediate("mov.f32 %f1, -1.0;", 1), INT64_C(0xbf800000));
    assert_int_equal(immediate("mov.f32 %f1, 0d4000000000000000;", 1), 0x40000000);
    assert_int_equal(immediate("mov.f64 %d1, 0d3FF8000000000000;", 1), INT64_C(0x3ff8000000000000));
    assert_int_equal(immediate("mov.f64 %d1, 0f3FC00000;", 1), INT64_C(0x3ff8000000000000));
    assert_int_equal(immediate("mov.f64 %d1, 1.5;", 1), INT64_C(0x3ff8000000000000));
    assert_int_equal(immediate("mov.b32 %r1, 0f3F800000;", 1), 0x3f800000);
    assert_int_equal(immediate("mov.b16 %h1, 0x3C00;", 1), 0x3c00);
    assert_int_equal(immediate("cvt.s32.f32 %r1, 1.0;", 1), 0x3f800000);
    assert_int_equal(immediate("mov.pred %p1, 5;", 1), 1);
    assert_int_equal(immediate("vote.sync.any.pred %p1, 1, -1;", 1), 1);
    check_body_fails("mov.u32 %r1, 1.5;", "cannot hold this constant");
    check_body_fails("mov.b16 %h1, 1.5;", "cannot hold this constant");
    check_body_fails("mov.u32 %r1, 12abc;", "'12abc' is not a number");
    check_body_fails("mov.u32 %r1, 0f3F80;", "'0f3F80' is not a number");
    check_body_fails("mov.u64 %rd1, 18446744073709551616;", "is not a number");
    check_body_fails("mov.u32 %r1, ((1);", "expected ')'");
}

static void test_deep_expression(void **state)
{
    (void)state;
    char text[8192] = "mov.u32 %r1, ";
    memset(text + 13, '(', 4000);
    strcpy(text + 4013, "1;");
    size_t size = strlen(text) + sizeof KERNEL("") + 16;
    char *whole = malloc(size);
    assert_non_null(whole);
    snprintf(whole, size, "%s%s%s", KERNEL_START, text, KERNEL_END);
    check_fails(whole, IFL_BAD_INPUT, "nested too deeply", BODY_LINE);
    free(whole);
}

static void test_memory_operands(void **state)
{
    (void)state;
    ifl_program *program = read_ok(KERNEL("ld.global.u32 %r1, [%rd1+-4];\n"
                                          "ld.global.u32 %r1, [%rd2 + 8 + 4];\n"
                                          "ld.global.u32 %r1, [g+8];\n"
                                          "ld.global.u32 %r1, [0x1000];\n"
                                          "ld.param.u32 %r1, [b];\n"
                                          "st.shared.u8 [%r1], 0;\n"
                                          "ld.u32 %r1, [late-4];\n"
                                          "ld.global.u32 %r1, [%rd1-16];\n") ".global .u32 late;");
    assert_int_equal(operand(program, 0, 1)->kind, IFL_OPERAND_MEMORY);
    assert_int_equal(operand(program, 0, 1)->base, IFL_OPERAND_REGISTER);
    assert_int_equal(operand(program, 0, 1)->value, -4);
    assert_int_equal(operand(program, 1, 1)->value, 12);
    assert_int_equal(operand(program, 2, 1)->base, IFL_OPERAND_VARIABLE);
    assert_int_equal(operand(program, 2, 1)->value, 8);
    assert_int_equal(operand(program, 3, 1)->base, IFL_OPERAND_IMMEDIATE);
    assert_int_equal(operand(program, 3, 1)->value, 0x1000);
    assert_string_equal(program->variables[operand(program, 4, 1)->index].name, "b");
    assert_int_equal(operand(program, 5, 0)->kind, IFL_OPERAND_MEMORY);
    assert_string_equal(program->variables[operand(program, 6, 1)->index].name, "late");
    assert_int_equal(operand(program, 6, 1)->value, -4);
    assert_int_equal(operand(program, 7, 1)->value, -16);
    assert_int_equal(operand(program, 0, 2)->kind, IFL_OPERAND_NONE); /* no cache policy */
    assert_int_equal(program->instructions[6].modifiers.space, IFL_SPACE_GENERIC);
    assert_false(program->instructions[6].modifiers.space_written);
    ifl_program_free(program);
    check_body_fails("ld.shared.u32 %r1, [g];", "'g' is in .global, not in .shared");
    check_body_fails("ld.u32 %r1, [b];", "needs .param");
    check_body_fails("st.param.u32 [b], %r1;", "read only");
    check_body_fails("ld.global.u32 %r1, %rd1;", "an address in brackets");
    check_body_fails("ld.global.u32 %r1, [%rd1+%rd2];", "one register");
    check_body_fails("ld.global.u32 %r1, [%h1];", "16-bit register");
    check_body_fails("ld.global.u32 %r1, [nowhere];", "unknown name 'nowhere'");
    check_body_fails("ld.global.v8.b64 {%rd1,%rd1,%rd1,%rd1,%rd1,%rd1,%rd1,%rd1}, [%rd1];",
                     "this type and vector size");
    check_body_fails("atom.param.add.u32 %r1, [b], 1;", "cannot access .param");
}

static void test_vectors(void **state)
{
    (void)state;
    ifl_program *program =
        read_ok(KERNEL("mov.b32 %r1, {%h1, %h2};\n"
                       "mov.b64 {%r1, _}, %rd1;\n"
                       "mov.b64 %rd1, {%h1, %h2, %h3, %h4};\n"
                       "ld.global.v2.u32 {%r1, %r2}, [%rd1];\n"
                       "ld.global.v8.b32 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%rd1];\n"));
    assert_int_equal(operand(program, 0, 1)->kind, IFL_OPERAND_VECTOR);
    assert_int_equal(operand(program, 0, 1)->index, 2);
    assert_int_equal(operand(program, 1, 0)->kind, IFL_OPERAND_VECTOR);
    assert_int_equal(operand(program, 1, 2)->kind, IFL_OPERAND_NONE);
    assert_int_equal(operand(program, 1, 3)->kind, IFL_OPERAND_REGISTER);
    assert_int_equal(operand(program, 2, 1)->index, 4);
    assert_int_equal(operand(program, 4, 0)->index, 8);
    assert_int_equal(program->instructions[4].modifiers.vector, 8);
    assert_int_equal(program->instructions[4].operand_count, 1 + 8 + 1 + 1);
    ifl_program_free(program);
    check_body_fails("ld.global.v2.u32 {%r1}, [%rd1];", "a vector of 2 here, not of 1");
    check_body_fails("ld.global.u32 {%r1, %r2}, [%rd1];", "a single operand");
    check_body_fails("ld.global.v2.u32 %rd1, [%rd1];", "a vector");
    check_body_fails("mov.b32 %r1, {%r1, %r2};", "32-bit register");
    check_body_fails("mov.b64 %rd1, {%r1, %r2, %r3};", "does not hold a vector of 3");
    check_body_fails("add.u32 %r1, {%r1, %r2}, 1;", "a single operand");
}

/* What ptxas of CUDA 13.0 takes and refuses. */
static void test_vector_of_one(void **state)
{
    (void)state;
    ifl_program *program = read_ok(
        KERNEL("ld.global.b32 { %r1 }, [ %rd1 + 0 ]; st.global.b32 [%rd1], { %r1 };\n"
               "st.global.b32 [%rd1], {5}; ldu.global.b32 {%r1}, [%rd1];\n"
               "ld.acquire.gpu.global.b32 {%r1}, [%rd1]; st.release.gpu.global.b32 [%rd1], {%r1};\n"
               "mov.b32 {%r1}, %r2; mov.b32 %r1, {%r2}; mov.b64 {%rd1}, %rd2;\n"));
    assert_int_equal(operand(program, 0, 0)->kind, IFL_OPERAND_REGISTER);
    assert_int_equal(operand(program, 1, 1)->kind, IFL_OPERAND_REGISTER);
    assert_int_equal(operand(program, 2, 1)->kind, IFL_OPERAND_IMMEDIATE);
    assert_int_equal(operand(program, 6, 0)->kind, IFL_OPERAND_REGISTER);
    assert_int_equal(operand(program, 7, 1)->kind, IFL_OPERAND_REGISTER);
    ifl_program_free(program);
    check_body_fails("mov.b64 {%r1}, %rd1;", "32-bit register '%r1'");
    check_body_fails("mov.u32 {%r1}, 0;", "does not hold a vector of 1");
    check_body_fails("add.u32 {%r1}, %r2, %r3;", "'add' needs a single operand");
    check_body_fails("atom.global.add.u32 {%r1}, [%rd1], 1;", "'atom' needs a single operand");
    check_body_fails("red.global.add.u32 [%rd1], {%r1};", "'red' needs a single operand");
    check_body_fails("st.global.v4.u32 [%rd1], {%r1, %r2};", "a vector of 4 here, not of 2");
    check_body_fails("ld.global.u32 {}, [%rd1];", "expected an operand");
}

static void test_widths(void **state)
{
    (void)state;
    ifl_program_free(
        read_ok(KERNEL("ld.global.u8 %r1, [%rd1]; st.global.u8 [%rd1], %rd2;\n"
                       "cvt.u8.u32 %h1, %r1; cvt.u32.u16 %rd1, %r1;\n"
                       "and.pred %p1, %p2, %p3; not.pred %p1, %p2;\n"
                       "shl.b64 %rd1, %rd2, %r1; popc.b64 %r1, %rd1;\n"
                       "mad.wide.u32 %rd1, %r1, %r2, %rd3; mul.wide.s16 %r1, %h1, %h2;\n"
                       "selp.b32 %r1, 1, 0, %p1; clz.b32 %r1, %r2;\n")));
    check_body_fails("add.u32 %r1, %rd1, %r2;", "64-bit register '%rd1'");
    check_body_fails("add.u32 %r1, %p1, %r2;", "1-bit register '%p1'");
    check_body_fails("setp.eq.u32 %r1, %r2, %r3;", "32-bit register '%r1'");
    check_body_fails("selp.b32 %r1, %r2, %r3, %r4;", "32-bit register '%r4'");
    check_body_fails("ld.global.u64 %r1, [%rd1];", "32-bit register '%r1'");
    check_body_fails("mul.wide.u32 %r1, %r2, %r3;", "32-bit register '%r1'");
    check_body_fails("add.u32 %r1, !%r2, 1;", "without '!'");
    check_body_fails("@%r1 ret;", "'%r1' is not a predicate");
}

static void test_counts(void **state)
{
    (void)state;
    check_body_fails("add.u32 %r1, %r2;", "'add' needs 3 operands, found 2");
    check_body_fails("add.u32 %r1, %r2, %r3, %r4;", "'add' needs 3 operands, found 4");
    check_body_fails("ret %r1;", "'ret' needs 0 operands");
    check_body_fails("add %r1, %r2, %r3;", "'add' needs a type");
    check_body_fails("cvt.u32 %r1, %r2;", "'cvt' needs two types");
    check_body_fails("frobnicate.u32 %r1;", "unknown instruction 'frobnicate.u32'");
    check_body_fails("add.u32 %r1, %r2, %r3", "expected ';' after the operands");
    check_body_fails("add.u32 %r1, %r99, %r3;", "unknown register '%r99'");
    check_body_fails("add.u32 %r1, %r01, %r3;", "unknown register '%r01'");
    check_body_fails("cp.async.ca.global.shared [%rd1], [%r1], 4;", "from .global to .shared");
}

static void test_guards_and_specials(void **state)
{
    (void)state;
    ifl_program *program = read_ok(KERNEL("@%p1 mov.u32 %r1, %tid.y;\n"
                                          "@!%p2 mov.u64 %rd1, %clock64;\n"
                                          "mov.u32 %r1, %nctaid.z;\n"
                                          "mad.lo.u32 %r1, %ctaid.x, %ntid.x, %tid.x;\n"
                                          "mov.u64 %rd1, g + 4;\n"
                                          "mov.u32 %r1, %envreg7;\n"));
    assert_false(program->instructions[0].guard_negated);
    assert_true(program->instructions[0].guard != IFL_NO_GUARD);
    assert_true(program->instructions[1].guard_negated);
    assert_int_equal(program->instructions[2].guard, IFL_NO_GUARD);
    assert_int_equal(operand(program, 0, 1)->kind, IFL_OPERAND_SPECIAL);
    assert_int_equal(operand(program, 0, 1)->index, IFL_SPECIAL_TID_Y);
    assert_int_equal(operand(program, 1, 1)->index, IFL_SPECIAL_CLOCK64);
    assert_int_equal(operand(program, 2, 1)->index, IFL_SPECIAL_NCTAID_Z);
    assert_int_equal(operand(program, 3, 3)->index, IFL_SPECIAL_TID_X);
    assert_int_equal(operand(program, 4, 1)->kind, IFL_OPERAND_VARIABLE);
    assert_int_equal(operand(program, 4, 1)->value, 4);
    assert_string_equal(ifl_instruction_unsupported(program, &program->instructions[5]),
                        "the special register '%envreg7' is not supported");
    ifl_program_free(program);
    check_body_fails("mov.u32 %r1, %tid;", "'.x', '.y' or '.z'");
    check_body_fails("mov.u32 %r1, %nonsense;", "unknown register '%nonsense'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_immediates),
        cmocka_unit_test(test_deep_expression),
        cmocka_unit_test(test_memory_operands),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_vector_of_one),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_guards_and_specials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
