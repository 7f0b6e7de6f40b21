/* SPDX-License-Identifier: Apache-2.0
 * Short names of functions: the rule is in base/short_name.h, the signatures are those of PyTorch,
 * CUB, Numba and Thrust. */
#include "base/short_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void check(const char *signature, const char *wanted)
{
    ifl_arena arena = {0};
    assert_string_equal(ifl_short_name(&arena, signature), wanted);
    ifl_arena_free(&arena);
}

static void plain_names(void **state)
{
    (void)state;
    check("saxpy", "saxpy");
    check("scale<float>(float*, int)", "scale<float>");
    check("void scale<float>(float*, int)", "scale<float>");
    check("cudaError cudaMalloc<float>(float**, unsigned long)", "cudaMalloc<float>");
    check("a::b::scale(a::t<int>*)", "scale");
    check("", "");
    check(
        "__main__::saxpy[abi:v2][abi:cw51cXTLSUw_3d](float, Array<float, 1, C, mutable, aligned>)",
        "saxpy");
}

static void unnamed_namespaces_and_lambdas(void **state)
{
    (void)state;
    check("at::native::(anonymous namespace)::cunn_SoftMaxForward<float, float, float, int, "
          "at::native::(anonymous namespace)::SoftMaxForwardEpilogue>(float*, float const*, int, "
          "int, int)",
          "cunn_SoftMaxForward<float, float, float, int, SoftMaxForwardEpilogue>");
    check("at::native::unrolled_elementwise_kernel<at::native::ceil_kernel_cuda(at::"
          "TensorIteratorBase&)::{lambda()#1}"
          "::operator()() const::{lambda()#2}::operator()() const::{lambda(float)#1}, "
          "std::array<char*, 2ul> >(int)",
          "unrolled_elementwise_kernel<ceil_kernel_cuda::lambda#1#2#1, array<char*, 2ul>>");
    check("f<{lambda(int, char (*)(int))#3}>(int)", "f<lambda#3>");
}

static void types_and_values(void **state)
{
    (void)state;
    check("k<(cub::SortOrder)0, (bool)1, (t)-1, void (int, a::b), float [16], a::c const&>(int)",
          "k<0, 1, -1, void (int, b), float [16], c const&>");
    check("k<t<4, u<v<int> > > >(int)", "k<t<4, u<v<int>>>>");
    check("thrust::operator<< <char>(int)", "operator<< <char>");
}

/* Behind an item of a list, as many as fit into 96 bytes. */
static void long_names(void **state)
{
    (void)state;
    check("kernel_of_twenty<ten_chars, ten_chars, ten_chars, t<ten_chars, ten_chars, ten_chars>, "
          "ten_chars, ten_chars, ten_chars>(int)",
          "kernel_of_twenty<ten_chars, ten_chars, ten_chars, t<ten_chars, ten_chars, ten_chars>, "
          "ten_chars, \xe2\x80\xa6>");
    char word[200];
    memset(word, 'w', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    ifl_arena arena = {0};
    assert_int_equal(strlen(ifl_short_name(&arena, word)), 96 + 3);
    ifl_arena_free(&arena);
}

/* What no demangler writes is copied, or left out, and is never read past its end. */
static void broken_names(void **state)
{
    static const char *const broken[] = {"<",
                                         "a<",
                                         "a<b",
                                         "a<b,",
                                         "a::",
                                         "::",
                                         "{",
                                         "{}",
                                         "a::{",
                                         "a::{lambda",
                                         "(",
                                         ")",
                                         "a<)>",
                                         "a<(",
                                         "operator",
                                         "operator(",
                                         "f<{},{},{},{},{},{},{},{}>",
                                         "[abi:",
                                         "a[abi:",
                                         " ",
                                         "  a",
                                         "(anonymous namespace)",
                                         "(anonymous namespace)::",
                                         "a b c",
                                         "\xff\xfe<"};
    char deep[5000];
    (void)state;
    ifl_arena arena = {0};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        assert_non_null(ifl_short_name(&arena, broken[i]));
    for (size_t i = 0; i < sizeof deep - 1; i++)
        deep[i] = i % 2 ? '<' : 'a';
    deep[sizeof deep - 1] = '\0';
    assert_non_null(ifl_short_name(&arena, deep));
    ifl_arena_free(&arena);
}

static void names_that_are_the_same(void **state)
{
    static const char *const signatures[] = {"a::f<int>(int)", "b::f<int>(int)", "c::g()",
                                             "a::f<int>(int)"};
    const char *names[4];
    (void)state;
    ifl_arena arena = {0};
    assert_true(ifl_short_names(&arena, signatures, 4, names));
    assert_string_equal(names[2], "g");
    assert_string_equal(names[0], names[3]);
    assert_string_not_equal(names[0], names[1]);
    assert_int_equal(strncmp(names[0], "f<int>~", 7), 0);
    assert_int_equal(strlen(names[1]), strlen("f<int>~0000"));
    ifl_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_names),      cmocka_unit_test(unnamed_namespaces_and_lambdas),
        cmocka_unit_test(types_and_values), cmocka_unit_test(long_names),
        cmocka_unit_test(broken_names),     cmocka_unit_test(names_that_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
