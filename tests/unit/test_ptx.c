/* SPDX-License-Identifier: Apache-2.0
 * The PTX reader, module by module: declarations, layout, control, calls, debug data, errors, real
 * compilers' output. Expectations come from the PTX ISA 9.0 and from the rules of natural
 * alignment. */
#include "ptx_snippet.h"

/* ---- module level --------------------------------------------------------------------------- */

static void test_head(void **state)
{
    (void)state;
    ifl_program *program = read_ok(HEAD "// nothing\n/* at\nall */");
    assert_int_equal(program->version, 90);
    assert_int_equal(program->sm, 90);
    assert_string_equal(program->target, "sm_90a");
    assert_int_equal(program->function_count, 0);
    ifl_program_free(program);
    check_fails("", IFL_BAD_INPUT, "not PTX text", 0);
    check_fails("hello", IFL_BAD_INPUT, "not PTX text", 1);
    check_fails("\x7f"
                "ELF",
                IFL_BAD_INPUT, "not PTX text: byte 0x7f at offset 0", 1);
    check_fails(".version x", IFL_BAD_INPUT, "expected a version", 1);
    check_fails(".version 9.0\n.entry k(){}", IFL_BAD_INPUT, "'.target'", 2);
    check_fails(".version 9.0\n.target sm_90\n.address_size 32\n", IFL_UNSUPPORTED, "32 bits", 3);
    check_fails(HEAD ".nonsense 3", IFL_UNSUPPORTED, "'.nonsense'", 4);
    check_fails(HEAD "/* open", IFL_BAD_INPUT, "truncated: the file ends inside a comment", 4);
}

static void test_binary(void **state)
{
    (void)state;
    static const char text[] = ".version 9.0\n\0x";
    ifl_program *program;
    ifl_error error = {0};
    assert_int_equal(ifl_ptx_read("t", text, sizeof text - 1, &program, &error), IFL_BAD_INPUT);
    assert_string_equal(error.text, "not PTX text: byte 0x00 at offset 13");
    /* NULs at the end are padding; `error` may be NULL. */
    static const char padded[] = HEAD "\0\0\0";
    assert_int_equal(ifl_ptx_read("t", padded, sizeof padded, &program, NULL), IFL_OK);
    ifl_program_free(program);
    assert_int_equal(ifl_ptx_read("t", text, sizeof text - 1, &program, NULL), IFL_BAD_INPUT);
}

static void test_kernel_parameters(void **state)
{
    (void)state;
    ifl_program *program =
        read_ok(HEAD ".visible .entry k(.param .u8 a, .param .align 8 .b8 b[24], .param .u16 c,\n"
                     " .param .u64 .ptr .global .align 128 d, .param .f32 e, .param .v4 .f32 f)\n"
                     ".maxntid 256, 2\n.minnctapersm 3\n.maxnreg 64 .reqnctapercluster 2,1,1\n"
                     ".pragma \"nounroll\";\n{ ret; }\n"
                     ".weak .entry empty { }\n");
    const ifl_function *k = &program->functions[0];
    static const uint64_t offset[] = {0, 8, 32, 40, 48, 64};
    assert_int_equal(k->param_count, 6);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(program->variables[k->params[i]].offset, offset[i]);
    assert_int_equal(k->param_bytes, 80);
    assert_true(k->is_kernel && !k->is_extern);
    assert_int_equal(program->variables[k->params[3]].align, 8);
    assert_int_equal(k->max_threads[0], 256);
    assert_int_equal(k->max_threads[1], 2);
    assert_int_equal(k->max_threads[2], 1);
    assert_int_equal(k->required_threads[0], 0);
    assert_int_equal(k->min_blocks, 3);
    assert_int_equal(k->cluster[0], 2);
    assert_int_equal(program->functions[1].count, 1); /* the implicit ret */
    assert_int_equal(program->instructions[1].opcode, IFL_OP_RET);
    assert_ptr_equal(ifl_program_function_of(program, 1), &program->functions[1]);
    assert_null(ifl_program_function_of(program, 2));
    ifl_program_free(program);
}

static uint32_t word_at(const ifl_variable *variable, size_t offset)
{
    uint32_t word;
    memcpy(&word, variable->data + offset, sizeof word);
    return word;
}

static void test_initializers(void **state)
{
    (void)state;
    ifl_program *program =
        read_ok(HEAD ".global .align 4 .u32 a[2][3] = {{1, 2}, {0x10, 010, 0b11}};\n"
                     ".const .f32 f[] = {1.0, 0f40000000, -2.5e-1, 3};\n"
                     ".global .v2 .u16 v[2] = {{1, 2}, {3, 4}};\n"
                     ".global .align 8 .u64 p[3] = {a, generic(f)+4, fn}, q = late + 8;\n"
                     ".global .u8 m[3] = {0xff(a), 0xff00(generic(f)+4), mask(0xff0000, a)};\n"
                     ".global .s64 e = (1 << 4) + 7 % 4 * 2 - (.s64)-3;\n"
                     ".global .u32 c = 3 > 2 ? ~0 : 5;\n"
                     ".global .f64 d = 0d3FF0000000000000, none;\n"
                     ".global .b32 late[4];\n"
                     ".func fn() { ret; }\n"
                     ".visible .global .attribute(.managed) .align 4 .u32 man = 5;\n");
    const ifl_variable *v = program->variables;
    assert_int_equal(v[0].bytes, 24);
    static const uint32_t a[] = {1, 2, 16, 8, 3, 0}; /* as ptxas: no gap after a short list */
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(word_at(&v[0], i * 4), a[i]);
    assert_int_equal(v[1].bytes, 16);
    assert_int_equal(v[1].space, IFL_SPACE_CONST);
    assert_int_equal(word_at(&v[1], 0), 0x3f800000);
    assert_int_equal(word_at(&v[1], 4), 0x40000000);
    assert_int_equal(word_at(&v[1], 8), 0xbe800000);
    assert_int_equal(word_at(&v[1], 12), 3); /* a whole number is the pattern */
    assert_int_equal(v[2].bytes, 8);
    assert_int_equal(v[2].align, 4);
    assert_int_equal(word_at(&v[2], 4), 0x00040003);
    assert_int_equal(v[3].relocation_count, 3);
    assert_int_equal(v[3].relocations[0].index, 0);
    assert_false(v[3].relocations[0].generic);
    assert_true(v[3].relocations[1].generic);
    assert_int_equal(v[3].relocations[1].addend, 4);
    assert_int_equal(v[3].relocations[1].offset, 8);
    assert_true(v[3].relocations[2].is_function);
    assert_int_equal(v[4].relocation_count, 1);
    assert_string_equal(v[v[4].relocations[0].index].name, "late");
    assert_int_equal(v[4].relocations[0].addend, 8);
    assert_int_equal(v[5].relocations[1].shift, 8);
    assert_int_equal(v[5].relocations[1].bytes, 1);
    assert_int_equal(v[5].relocations[2].shift, 16);
    assert_int_equal(word_at(&v[6], 0), 25);
    assert_int_equal(word_at(&v[7], 0), 0xffffffff);
    assert_int_equal(word_at(&v[8], 4), 0x3ff00000);
    assert_null(v[9].data);
    assert_int_equal(v[11].align, 4);
    ifl_program_free(program);
    check_fails(HEAD ".global .u32 a[2] = {1,2,3};", IFL_BAD_INPUT, "more values", 4);
    check_fails(HEAD ".global .u32 a[2][3] = {{1,2,3,4}};", IFL_BAD_INPUT, "more values", 4);
    check_fails(HEAD ".global .u32 a = {{1}};", IFL_BAD_INPUT, "more braces", 4);
    check_fails(HEAD ".global .u32 a[2] = {1,{2}};", IFL_BAD_INPUT, "more braces", 4);
    check_fails(HEAD ".global .u32 a[2][3] = {1,2,{3}};", IFL_BAD_INPUT, "fewer braces", 4);
    check_fails(HEAD ".global .v4 .u32 a[2] = {{1,2},{3}};", IFL_BAD_INPUT, "4 values", 4);
    check_fails(HEAD ".global .u32 a = 1.5;", IFL_BAD_INPUT, "cannot hold", 4);
    check_fails(HEAD ".global .u32 a = 1 / 0;", IFL_BAD_INPUT, "'/'", 4);
    check_fails(HEAD ".global .u64 a = nobody;", IFL_BAD_INPUT, "unknown name 'nobody'", 4);
    check_fails(HEAD ".global .u32 a;\n.global .u32 a;", IFL_BAD_INPUT, "'a' is declared twice", 5);
    check_fails(HEAD ".global .align 3 .u32 a;", IFL_BAD_INPUT, "power of two", 4);
    check_fails(HEAD ".global .b8 a[1099511627777];", IFL_BAD_INPUT, "1099511627776", 4);
    check_fails(HEAD ".global .b8 a[1000000][1000000][1000000];", IFL_BAD_INPUT, "larger", 4);
    check_fails(HEAD ".global .b8 a[1099511627776] = {1};", IFL_BAD_INPUT, "256 MiB", 4);
    check_fails(HEAD ".global .u32 a[4] = {1, 2", IFL_BAD_INPUT, "truncated", 0);
}

static void test_externs(void **state)
{
    (void)state;
    ifl_program *program =
        read_ok(HEAD ".extern .global .u32 x;\n.visible .global .u32 x = 7;\n"
                     ".extern .global .u64 other;\n"
                     ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
                     ".extern .func __assertfail(.param .b64 a) .noreturn;\n");
    assert_int_equal(program->variable_count, 2 + 3 + 1);
    assert_false(program->variables[0].is_extern);
    assert_int_equal(word_at(&program->variables[0], 0), 7);
    assert_true(program->variables[1].is_extern);
    assert_true(program->functions[0].is_extern);
    assert_int_equal(program->functions[0].return_count, 1);
    assert_int_equal(program->functions[0].param_count, 2);
    assert_int_equal(program->functions[0].count, 0);
    ifl_program_free(program);
}

static void test_shared_layout(void **state)
{
    (void)state;
    ifl_program *program =
        read_ok(HEAD ".extern .shared .align 32 .b8 dynamic[];\n"
                     ".shared .b8 m[5];\n"
                     ".func f() { .shared .u32 x; ret; }\n"
                     ".entry a() { .shared .align 8 .b8 y[8]; .shared .u8 z; ret; }\n"
                     ".entry b() { .shared .u32 w[10]; .local .align 16 .b8 l[20]; .local .u32 n;\n"
                     " .extern .shared .b8 d2[]; ret; }\n");
    static const struct {
        const char *name;
        uint64_t offset;
    } want[] = {{"m", 0}, {"x", 8},  {"y", 16},       {"z", 24}, {"w", 12},
                {"l", 0}, {"n", 20}, {"dynamic", 64}, {"d2", 64}}; /* the static part ends at 52 */
    for (size_t w = 0; w < sizeof want / sizeof *want; w++)
        for (size_t i = 0; i < program->variable_count; i++)
            if (!strcmp(program->variables[i].name, want[w].name))
                assert_int_equal(program->variables[i].offset, want[w].offset);
    assert_int_equal(program->shared_bytes, 52);
    assert_int_equal(program->functions[1].shared_bytes, 9);
    assert_int_equal(program->functions[2].shared_bytes, 40);
    assert_int_equal(program->functions[2].local_bytes, 24);
    ifl_program_free(program);
}

/* ---- control -------------------------------------------------------------------------------- */

static void test_labels(void **state)
{
    (void)state;
    ifl_program *program = read_ok(KERNEL("L: add.u32 %r1, %r1, 1;\n"
                                          "@%p1 bra L;\n"
                                          "{ .reg .pred p; .reg .b32 %r<2>;\n"
                                          "  bra L;\n" /* the inner one, further down */
                                          "  add.u64 %rd1, %rd1, 1;\n"
                                          "  L: mov.u32 %r1, 0; @p bra.uni END; }\n"
                                          "{ bra L; L: }\n"
                                          "bra $out;\nEND:\n$out:"));
    assert_int_equal(operand(program, 1, 0)->value, 0);
    assert_int_equal(operand(program, 2, 0)->value, 4);
    assert_int_equal(operand(program, 5, 0)->value, 8);
    assert_int_equal(operand(program, 6, 0)->value, 7);
    assert_int_equal(operand(program, 7, 0)->value, 8);
    assert_int_equal(program->instructions[8].opcode, IFL_OP_RET);
    /* The inner %r1 is another register. */
    assert_true(operand(program, 4, 0)->index != operand(program, 0, 0)->index);
    ifl_program_free(program);
    check_body_fails("bra nowhere;", "unknown label 'nowhere'");
    check_body_fails("{ inside: } bra inside;", "unknown label 'inside'");
    check_body_fails("L: L: ret;", "'L' is declared twice");
    check_body_fails("bra %r1;", "a label");
}

static void test_implicit_return(void **state)
{
    (void)state;
    ifl_program *program = read_ok(HEAD ".entry a() { .reg .pred p; @p ret; }\n"
                                        ".entry b() { exit; }\n"
                                        ".entry c() { bra L; L: }\n"
                                        ".entry d() { L: bra.uni L; }\n");
    static const uint32_t count[] = {2, 1, 2, 1};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(program->functions[i].count, count[i]);
    assert_int_equal(program->instructions[4].opcode, IFL_OP_RET);
    ifl_program_free(program);
}

static void test_branch_targets(void **state)
{
    (void)state;
    ifl_program *program = read_ok(KERNEL("ts: .branchtargets A, B, A;\n"
                                          "brx.idx.uni %r1, ts;\nA: ret;\nB: trap;"));
    assert_int_equal(program->instructions[0].operand_count, 1 + 1 + 3);
    assert_int_equal(operand(program, 0, 1)->kind, IFL_OPERAND_VECTOR);
    assert_int_equal(operand(program, 0, 1)->index, 3);
    assert_int_equal(operand(program, 0, 2)->kind, IFL_OPERAND_LABEL);
    assert_int_equal(operand(program, 0, 2)->value, 1);
    assert_int_equal(operand(program, 0, 3)->value, 2);
    assert_int_equal(operand(program, 0, 4)->value, 1);
    ifl_program_free(program);
    check_body_fails("brx.idx %r1, nowhere;", ".branchtargets");
}

static const char calls[] =
    HEAD ".func (.param .b32 r) f (.param .b32 x, .param .align 8 .b8 y[16]);\n"
         ".func (.param .b32 r) alias(.param .b32 x, .param .align 8 .b8 y[16]);\n"
         ".visible .entry k()\n{\n.reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
         "{ .param .b32 p0; .param .align 8 .b8 p1[16]; .param .b32 ret0;\n"
         "st.param.b32 [p0], 1; st.param.v2.b64 [p1], {%rd0, %rd1};\n"
         "call.uni (ret0),\nf,\n(p0,\np1);\n"
         "ld.param.b32 %r1, [ret0+0]; }\n"
         "{ .param .b32 p0; .param .align 8 .b8 p1[16]; .param .b32 ret0;\n"
         "proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]);\n"
         "mov.u64 %rd1, f; call (ret0), %rd1, (p0, p1), proto;\n"
         "list: .calltargets f; call (ret0), %rd1, (p0, p1), list;\n"
         "call g; call.uni g, (); call (_), alias, (%r1, p1); }\n"
         "ret; }\n"
         ".func g() { ret; }\n"
         ".func (.param .b32 r) f (.param .b32 a, .param .align 8 .b8 b[16])\n"
         "{ .reg .b32 %r<3>; ld.param.b32 %r1, [b+12]; st.param.b32 [r], %r1; ret; }\n"
         ".alias alias, f;\n";

static void test_calls(void **state)
{
    (void)state;
    ifl_program *program = read_ok(calls);
    const ifl_function *f = &program->functions[0];
    assert_string_equal(f->name, "f");
    assert_false(f->is_extern);
    /* In the frame: results, then parameters, naturally aligned. */
    assert_int_equal(program->variables[f->returns[0]].offset, 0);
    assert_string_equal(program->variables[f->params[0]].name, "a");
    assert_int_equal(program->variables[f->params[0]].offset, 4);
    assert_int_equal(program->variables[f->params[1]].offset, 8);
    assert_int_equal(f->frame_bytes, 24);
    /* The two blocks of k use the same bytes of its frame. */
    assert_int_equal(program->functions[2].frame_bytes, 28);
    const ifl_instruction *call = &program->instructions[2];
    assert_int_equal(call->opcode, IFL_OP_CALL);
    assert_int_equal(call->operand_count, 2 + 1 + 3 + 1);
    assert_int_equal(operand(program, 2, 0)->kind, IFL_OPERAND_VECTOR);
    assert_int_equal(operand(program, 2, 2)->kind, IFL_OPERAND_FUNCTION);
    assert_int_equal(operand(program, 2, 2)->index, 0);
    assert_int_equal(operand(program, 2, 3)->index, 2);
    assert_int_equal(operand(program, 2, 6)->kind, IFL_OPERAND_NONE);
    assert_int_equal(operand(program, 4, 1)->kind, IFL_OPERAND_FUNCTION);
    assert_int_equal(operand(program, 5, 2)->kind, IFL_OPERAND_REGISTER);
    assert_int_equal(operand(program, 6, 6)->kind, IFL_OPERAND_VECTOR); /* .calltargets */
    assert_int_equal(operand(program, 6, 7)->kind, IFL_OPERAND_FUNCTION);
    assert_int_equal(program->instructions[7].operand_count, 4);
    assert_string_equal(program->functions[operand(program, 7, 1)->index].name, "g");
    assert_int_equal(operand(program, 8, 2)->kind, IFL_OPERAND_VECTOR);
    assert_int_equal(operand(program, 9, 2)->index, 0); /* the alias is f */
    ifl_program_free(program);
}

static void test_wrong_calls(void **state)
{
    (void)state;
#define CALL(call)                                                                                 \
    HEAD ".func (.param .b32 r) f (.param .b32 x) { ret; }\n.entry k() { .reg .b32 %r<2>;\n"       \
         ".reg .b64 %rd<2>; .param .b32 p; .param .b64 w; .param .b32 q;\n" call " ret; }"
    ifl_program_free(read_ok(CALL("call (q), f, (p);")));
    check_fails(CALL("call (q), f, (p, p);"), IFL_BAD_INPUT, "'f' takes 1 arguments, 2 given", 7);
    check_fails(CALL("call f, (p);"), IFL_BAD_INPUT, "'f' gives 1 results, 0 taken", 7);
    check_fails(CALL("call (q), f, (w);"), IFL_BAD_INPUT, "8 bytes where the function has 4", 7);
    check_fails(CALL("call (q), nobody, (p);"), IFL_BAD_INPUT, "unknown name 'nobody'", 7);
    check_fails(CALL("call k;"), IFL_BAD_INPUT, "'k' is a kernel", 7);
    check_fails(CALL("call (q), %rd1, (p);"), IFL_BAD_INPUT, "needs a prototype", 7);
    check_fails(CALL("call (q), %rd1, (p), nobody;"), IFL_BAD_INPUT, "unknown prototype", 7);
    check_fails(HEAD ".func f(.param .b32 a);\n.func f(.param .b64 a) { ret; }", IFL_BAD_INPUT,
                "other parameters", 5);
    check_fails(HEAD ".func f() { ret; }\n.func f() { ret; }", IFL_BAD_INPUT, "declared twice", 5);
}

/* ---- what is not supported ------------------------------------------------------------------ */

static void test_unsupported(void **state)
{
    (void)state;
    ifl_program *program = read_ok(KERNEL("wgmma.other [%r1];\n"
                                          "@%p1 suld.p.1d.v2.b32.trap {%r1,%r2}, [t, {%r1}];\n"
                                          "tcgen05.other.min %r1;\n"
                                          "ld.global.wonderful.u32 %r1, [%rd1];\n"
                                          "multimem.a; multimem.b;\n"
                                          "ld.param.u64 %rd1, [b];\n"));
    static const char *const said[] = {
        "'wgmma' is not supported: tensor core instructions",
        "'suld.p' is not supported: surfaces by format",
        "'tcgen05' is not supported: tensor core instructions",
        "'ld' with the modifier '.wonderful' is not supported",
        "'multimem' is not supported: memory of several GPUs",
        "'multimem' is not supported: memory of several GPUs",
        "8 bytes at offset 0 of the parameter 'b', which has 4",
    };
    for (unsigned i = 0; i < 7; i++) {
        const ifl_instruction *instruction = &program->instructions[i];
        assert_int_equal(instruction->opcode, IFL_OP_UNSUPPORTED);
        assert_string_equal(ifl_instruction_unsupported(program, instruction), said[i]);
    }
    assert_int_equal(program->unsupported_count, 6);
    assert_null(ifl_instruction_unsupported(program, &program->instructions[7]));
    assert_int_equal(program->instructions[1].line, BODY_LINE + 1);
    assert_int_equal(program->instructions[1].column, 6);
    ifl_place place = ifl_program_place(program, &program->instructions[1]);
    assert_int_equal(strncmp(place.line_text, "@%p1 suld", 9), 0);
    ifl_program_free(program);
    program = read_ok(HEAD ".global .texref t;\n.global .samplerref s = { filter_mode = linear };\n"
                           ".entry k() { .reg .v4 .f32 v; .reg .b64 %rd<2>; mov.u64 %rd1, t;\n"
                           "mov.v4.f32 v, v; ret; }\n");
    assert_int_equal(program->unsupported_count, 1);
    ifl_program_free(program);
    check_fails(HEAD ".func f(.reg .u32 a) { ret; }", IFL_UNSUPPORTED, "in registers", 4);
}

/* ---- debug data ----------------------------------------------------------------------------- */

static void test_places(void **state)
{
    (void)state;
    ifl_program *program = read_ok(HEAD ".entry k() { .reg .b32 %r<4>;\n"
                                        "mov.u32 %r1, 0;\n"
                                        ".loc 7 10 5\nmov.u32 %r1, 1;\n"
                                        ".loc 2 20 3, function_name $S, inlined_at 7 10 5\n"
                                        ".loc 2 30 1, function_name $S+6, inlined_at 2 20 3\n"
                                        "mov.u32 %r1, 2;\n"
                                        ".loc 2 40 1, function_name $T, inlined_at 7 11 1\n"
                                        "ret; }\n"
                                        ".file 7 \"a.cu\", 12345, 678\n.file 2 \"dir/b.cuh\"\n"
                                        ".section .debug_abbrev { .b8 1 .b32 $S, 3 .b64 x-y }\n"
                                        ".section .debug_str\n{\n$S:\n.b8 111,117,116,101,114\n"
                                        ".b8 0,105,110,0\n$T: .b8 122 }\n");
    const ifl_source *places = program->places;
    assert_int_equal(program->instructions[0].place, 0);
    assert_int_equal(places[0].line, 0);
    const ifl_source *one = &places[program->instructions[1].place];
    assert_string_equal(program->files[one->file], "a.cu");
    assert_int_equal(one->line, 10);
    assert_int_equal(one->column, 5);
    assert_null(one->function);
    const ifl_source *two = &places[program->instructions[2].place];
    assert_string_equal(program->files[two->file], "dir/b.cuh");
    assert_int_equal(two->line, 30);
    assert_string_equal(two->function, "in");
    const ifl_source *middle = &places[two->inlined_at];
    assert_int_equal(middle->line, 20);
    assert_string_equal(middle->function, "outer");
    assert_ptr_equal(&places[middle->inlined_at], one);
    const ifl_source *three = &places[program->instructions[3].place];
    assert_string_equal(three->function, "z");
    assert_int_equal(places[three->inlined_at].line, 11); /* never had a .loc of its own */
    assert_int_equal(places[three->inlined_at].inlined_at, 0);
    assert_string_equal(program->files[0], "");
    ifl_program_free(program);
}

/* ---- errors --------------------------------------------------------------------------------- */

static void test_truncated(void **state)
{
    (void)state;
    ifl_error error = {0};
    ifl_program *program;
    static const char text[] = HEAD ".entry foo() { .reg .b32 %r<4>; add.u32 %r1, %r2";
    assert_int_equal(ifl_ptx_read("t.ptx", text, strlen(text), &program, &error), IFL_BAD_INPUT);
    assert_string_equal(error.text, "truncated: the file ends inside function 'foo'");
    assert_int_equal(error.line, 4);
    /* Every shorter text is an error or, where a whole part ends, a program; never a crash. */
    for (size_t bytes = 0; bytes < sizeof calls; bytes++)
        if (ifl_ptx_read("t.ptx", calls, bytes, &program, &error) == IFL_OK)
            ifl_program_free(program);
}

static void test_error_place(void **state)
{
    (void)state;
    ifl_error error = {0};
    ifl_program *program;
    static const char text[] = KERNEL("add.u32 %r1,\n  %r99, %r2;");
    assert_int_equal(ifl_ptx_read("t.ptx", text, strlen(text), &program, &error), IFL_BAD_INPUT);
    assert_int_equal(error.line, BODY_LINE + 1);
    assert_int_equal(error.column, 3);
    assert_string_equal(error.source, "  %r99, %r2;");
    check_body_fails("{ .reg .pred p", "expected ';' after the registers");
    check_body_fails("{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{",
                     "too deeply");
    check_body_fails(".reg .b32 %x<1048577>;", "at most");
    check_body_fails(".reg .b32 %r<4>;", "'%r' is declared twice");
    check_fails(KERNEL(".wrong 3;"), IFL_UNSUPPORTED, "'.wrong'", BODY_LINE);
}

/* ---- real compilers' output ----------------------------------------------------------------- */

static ifl_program *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s (run from the top folder)", path);
    char *text = malloc(1 << 20);
    assert_non_null(text);
    size_t bytes = fread(text, 1, 1 << 20, file);
    fclose(file);
    ifl_program *program = NULL;
    ifl_error error = {0};
    if (ifl_ptx_read(path, text, bytes, &program, &error) != IFL_OK)
        fail_msg("%s:%d:%d: %s", path, error.line, error.column, error.text);
    free(text);
    return program;
}

static void test_nvcc_saxpy(void **state)
{
    (void)state;
    ifl_program *program = read_file("tests/ptx/reader/nvcc_saxpy.ptx");
    assert_int_equal(program->function_count, 1);
    assert_int_equal(program->functions[0].param_bytes, 24);
    assert_int_equal(program->functions[0].count, 20);
    assert_string_equal(program->files[1], "saxpy.cu");
    assert_int_equal(program->unsupported_count, 0);
    ifl_program_free(program);
}

static void test_nvcc_calls(void **state)
{
    (void)state;
    ifl_program *program = read_file("tests/ptx/reader/nvcc_calls.ptx");
    assert_int_equal(program->function_count, 4); /* twice, inverse, vprintf, apply */
    assert_int_equal(program->shared_bytes, 512);
    assert_int_equal(program->functions[3].max_threads[0], 128);
    bool is_found = false;
    for (size_t i = 1; i < program->place_count; i++) {
        const ifl_source *place = &program->places[i];
        if (!place->function || strcmp(place->function, "_Z6squaref") != 0)
            continue;
        is_found = true;
        const ifl_source *outer = &program->places[place->inlined_at];
        assert_string_equal(outer->function, "_Z4normff");
        assert_int_equal(program->places[outer->inlined_at].line, 15);
    }
    assert_true(is_found);
    ifl_program_free(program);
}

static void test_clang_switch(void **state)
{
    (void)state;
    ifl_program *program = read_file("tests/ptx/reader/clang_switch.ptx");
    assert_int_equal(program->version, 72);
    assert_int_equal(program->function_count, 3);
    assert_int_equal(program->unsupported_count, 0);
    ifl_program_free(program);
}

/* Four parameters: three arrays of a pointer, the elements, shape and strides, and the indexer. */
static void test_cupy_add(void **state)
{
    (void)state;
    ifl_program *program = read_file("tests/ptx/reader/cupy_add.ptx");
    assert_string_equal(program->functions[0].name, "cupy_add");
    assert_int_equal(program->functions[0].param_count, 4);
    assert_int_equal(program->unsupported_count, 0);
    ifl_program_free(program);
}

static void test_print(void **state)
{
    (void)state;
    ifl_program *program = read_ok(KERNEL("setp.lt.s32 %p1|%p2, %r1, 3;\n@!%p1 bra L;\n"
                                          "ld.global.v2.f32 {%f1, _}, [%rd1+8];\n"
                                          "L: mul.f32 %f1, %f2, 0.5;"));
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    ifl_program_print(program, 0, out);
    fclose(out);
    assert_non_null(strstr(text, "     0  setp.lt.s32 %p1|%p2, %r1, 3\n"));
    assert_non_null(strstr(text, "     1  @!%p1 bra → 3\n"));
    assert_non_null(strstr(text, "     2  ld.global.v2.f32 {%f1, _}, [%rd1+8]\n"));
    assert_non_null(strstr(text, "     3  mul.f32 %f1, %f2, 0f3F000000\n"));
    free(text);
    char small[6];
    ifl_instruction_name(&program->instructions[2], small, sizeof small);
    assert_string_equal(small, "ld.gl");
    ifl_program_free(program);
}

/* Every opcode's text leads to its own row, and every signature is made of known letters. */
static void test_tables(void **state)
{
    (void)state;
    for (int op = IFL_OP_NONE + 1; op < IFL_OP_COUNT; op++) {
        const ifl_opcode_info *info = ifl_opcode_get((ifl_opcode)op);
        assert_int_equal(strspn(info->signature, "dDvVspqmltfLP?aW"), strlen(info->signature));
        for (int other = op + 1; other < IFL_OP_COUNT; other++)
            assert_string_not_equal(info->name, ifl_opcode_get((ifl_opcode)other)->name);
    }
    assert_string_equal(ifl_type_text(IFL_TYPE_BF16X2), "bf16x2");
    assert_int_equal(ifl_type_bits(IFL_TYPE_F32X2), 64);
    assert_int_equal(ifl_type_class(IFL_TYPE_S8), 'S');
    assert_int_equal(ifl_type_class(IFL_TYPE_NONE), 0);
    assert_string_equal(ifl_space_text(IFL_SPACE_SHARED), "shared");
    assert_string_equal(ifl_special_text(IFL_SPECIAL_TID_X), "%tid.x");
    assert_int_equal(ifl_special_bits(IFL_SPECIAL_GRIDID), 64);
    assert_int_equal(ifl_special_changes(IFL_SPECIAL_CLOCK), IFL_WHEN_NOW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head),
        cmocka_unit_test(test_binary),
        cmocka_unit_test(test_kernel_parameters),
        cmocka_unit_test(test_initializers),
        cmocka_unit_test(test_externs),
        cmocka_unit_test(test_shared_layout),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_implicit_return),
        cmocka_unit_test(test_branch_targets),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_wrong_calls),
        cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_error_place),
        cmocka_unit_test(test_nvcc_saxpy),
        cmocka_unit_test(test_nvcc_calls),
        cmocka_unit_test(test_clang_switch),
        cmocka_unit_test(test_cupy_add),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
