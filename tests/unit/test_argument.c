/* SPDX-License-Identifier: Apache-2.0
 * Argument words, numbers, element formats, fills and .npy files. Expected bits come from IEEE
 * 754, expected words from docs/launch.md, expected headers from the description of the .npy
 * format in NumPy's manual. */
#include "base/file.h"
#include "session/argument.h"
#include "session/npy.h"
#include "session/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- numbers --------------------------------------------------------------------------------- */

static void assert_number(const char *text, uint64_t expected, const char *rest)
{
    uint64_t value = ~expected;
    assert_null(ifl_number_read(&text, &value));
    assert_int_equal(value, expected);
    assert_string_equal(text, rest);
}

static void reads_numbers(void **state)
{
    (void)state;
    assert_number("0", 0, "");
    assert_number("2^25", 33554432, "");
    assert_number("32Mi", 33554432, "");
    assert_number("4Ki=zero", 4096, "=zero");
    assert_number("1Gi", 1073741824, "");
    assert_number("3Ti", UINT64_C(3) << 40, "");
    assert_number("0xFf", 255, "");
    assert_number("1024*1024+4", 1048576, "+4");
    assert_number("2^10Ki*3", 3145728, "");
    assert_number("2^63", UINT64_C(1) << 63, "");
    assert_number("18446744073709551615", UINT64_MAX, "");
    assert_number("0^0", 1, "");
    assert_number("0^5", 0, "");
    assert_number("1^99999999999", 1, "");
    assert_number("5K", 5, "K"); /* a suffix is two letters */
}

static void assert_no_number(const char *text, const char *part, size_t column)
{
    const char *at = text;
    uint64_t value;
    const char *problem = ifl_number_read(&at, &value);
    assert_non_null(problem);
    assert_non_null(strstr(problem, part));
    assert_int_equal(at - text, column);
}

static void refuses_what_is_no_number(void **state)
{
    (void)state;
    assert_no_number("", "expected a number", 0);
    assert_no_number("x", "expected a number", 0);
    assert_no_number("-1", "expected a number", 0);
    assert_no_number("2^", "expected a number", 2);
    assert_no_number("3*", "expected a number", 2);
    assert_no_number("18446744073709551616", "64 bits", 0);
    assert_no_number("2^64", "64 bits", 0);
    assert_no_number("4*17179869184Gi", "64 bits", 2);
    assert_no_number("2^32*2^32", "64 bits", 5);
}

static const ifl_element *element_named(const char *name)
{
    const ifl_element *element = ifl_element_find(name, strlen(name));
    assert_non_null(element);
    return element;
}

static void assert_value(const char *type, const char *text, uint64_t bits)
{
    uint64_t value = 0;
    const char *problem = ifl_value_read(&text, element_named(type), &value);
    if (problem)
        fail_msg("%s of %s", problem, type);
    assert_int_equal(value, bits);
}

static void reads_values_of_every_type(void **state)
{
    (void)state;
    assert_value("i8", "-128", 0x80);
    assert_value("u8", "255", 0xff);
    assert_value("i16", "-1", 0xffff);
    assert_value("u16", "2^16*0", 0);
    assert_value("i32", "-2147483648", 0x80000000);
    assert_value("i32", "0xffffffff", 0xffffffff); /* hexadecimal is a bit pattern */
    assert_value("u32", "2^32*0", 0);
    assert_value("i64", "-2^63", UINT64_C(1) << 63);
    assert_value("u64", "2^33", UINT64_C(1) << 33);
    assert_value("f32", "2", 0x40000000);
    assert_value("f32", "-0", 0x80000000);
    assert_value("f32", "0.1", 0x3dcccccd);
    assert_value("f32", "2^25", 0x4c000000);
    assert_value("f32", "16777217", 0x4b800000); /* 2^24 + 1: ties to even */
    assert_value("f32", "0x7fc00001", 0x7fc00001);
    assert_value("f32", "0x1p-1", 0x3f000000);
    assert_value("f32", "inf", 0x7f800000);
    assert_value("f32", "1e-45", 1);
    assert_value("f64", "0.5", UINT64_C(0x3fe0000000000000));
    assert_value("f16", "1", 0x3c00);
    assert_value("f16", "-2", 0xc000);
    assert_value("bf16", "1", 0x3f80);
    assert_value("bf16", "0x7fc0", 0x7fc0);
}

static void assert_no_value(const char *type, const char *text, const char *part)
{
    uint64_t value;
    const char *problem = ifl_value_read(&text, element_named(type), &value);
    assert_non_null(problem);
    assert_non_null(strstr(problem, part));
}

static void refuses_values_out_of_range(void **state)
{
    (void)state;
    assert_no_value("u8", "256", "range");
    assert_no_value("u8", "-1", "range");
    assert_no_value("i8", "128", "range");
    assert_no_value("i8", "-129", "range");
    assert_no_value("i32", "0x100000000", "range");
    assert_no_value("u32", "5x", "unexpected");
    assert_no_value("f32", "1.5kg", "unexpected");
    assert_no_value("f32", "abc", "expected a number");
    assert_no_value("f16", "0x10000", "range");
    assert_no_value("f64", "", "expected a number");
}

static void rounds_to_half_once_and_to_even(void **state)
{
    (void)state;
    assert_int_equal(ifl_f16_bits(65504), 0x7bff);
    assert_int_equal(ifl_f16_bits(65519.999), 0x7bff);
    assert_int_equal(ifl_f16_bits(65520), 0x7c00); /* half way to 2^16: even is infinity */
    assert_int_equal(ifl_f16_bits(-1e300), 0xfc00);
    assert_int_equal(ifl_f16_bits(0x1p-24), 0x0001);
    assert_int_equal(ifl_f16_bits(0x1p-25), 0x0000);
    assert_int_equal(ifl_f16_bits(0x1.8p-25), 0x0001);
    assert_int_equal(ifl_f16_bits(0x1.ffcp-15),
                     0x0400); /* 1023.5 of 2^-24 rounds into the normal numbers */
    assert_int_equal(ifl_f16_bits(1 + 0x1p-11), 0x3c00);
    assert_int_equal(ifl_f16_bits(1 + 0x3p-11), 0x3c02);
    assert_int_equal(ifl_f16_bits(-0.0), 0x8000);
    assert_int_equal(ifl_f16_bits(__builtin_nan("")) & 0x7fff, 0x7e00);
    assert_int_equal(ifl_bf16_bits(1 + 0x1p-8), 0x3f80);
    assert_int_equal(ifl_bf16_bits(1 + 0x3p-8), 0x3f82);
    assert_int_equal(ifl_bf16_bits(3.4e38), 0x7f80);
    assert_int_equal(ifl_bf16_bits(0x1p-133), 0x0001);
}

/* Every f16 value must come back from the double that it is. */
static void f16_round_trips(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 0x7c00; bits++) {
        const unsigned exponent = bits >> 10, fraction = bits & 0x3ff;
        const double value = exponent ? __builtin_ldexp(1024 + fraction, (int)exponent - 25)
                                      : __builtin_ldexp(fraction, -24);
        assert_int_equal(ifl_f16_bits(value), bits);
        assert_int_equal(ifl_f16_bits(-value), bits | 0x8000);
    }
}

/* ---- words ----------------------------------------------------------------------------------- */

static const ifl_parameter u32_param = {.type = IFL_TYPE_U32, .bytes = 4};
static const ifl_parameter f32_param = {.type = IFL_TYPE_F32, .bytes = 4};
static const ifl_parameter u64_param = {.type = IFL_TYPE_U64, .bytes = 8};
static const ifl_parameter b32_param = {.type = IFL_TYPE_B32, .bytes = 4};
static const ifl_parameter map_param = {.type = IFL_TYPE_B8, .bytes = 128};
static const ifl_parameter struct_param = {.type = IFL_TYPE_B8, .bytes = 12};
static const ifl_parameter half_param = {.type = IFL_TYPE_B8, .bytes = 2};

static ifl_arena arena;

static int free_arena(void **state)
{
    (void)state;
    ifl_arena_free(&arena);
    return 0;
}

static ifl_argument parse(const ifl_parameter *param, const char *word)
{
    const ifl_argument_context context = {.param = param};
    ifl_argument argument;
    ifl_error error;
    if (ifl_argument_parse(&arena, &context, word, &argument, &error) != IFL_OK)
        fail_msg("%s: %s", word, error.text);
    return argument;
}

static void assert_scalar(const ifl_parameter *param, const char *word, uint64_t bits,
                          const char *text)
{
    const ifl_argument argument = parse(param, word);
    uint64_t value = 0;
    assert_int_equal(argument.kind, IFL_ARGUMENT_VALUE);
    assert_int_equal(argument.value_bytes, param->bytes);
    memcpy(&value, argument.value, argument.value_bytes);
    assert_int_equal(value, bits);
    assert_string_equal(argument.text, text);
}

static void parses_scalars(void **state)
{
    (void)state;
    assert_scalar(&u32_param, "i32:-5", 0xfffffffb, "i32 = -5");
    assert_scalar(&u32_param, "u32:2^25", 1 << 25, "u32 = 33554432");
    assert_scalar(&f32_param, "f32:2", 0x40000000, "f32 = 2");
    assert_scalar(&u64_param, "u64:2^33", UINT64_C(1) << 33, "u64 = 8589934592");
    assert_scalar(&u64_param, "null", 0, "null pointer");
    assert_scalar(&half_param, "bf16:1", 0x3f80, "bf16 = 1");
    /* A bare number takes the parameter's type; integers of PTX have no sign of their own. */
    assert_scalar(&u32_param, "5", 5, "u32 = 5");
    assert_scalar(&u32_param, "-5", 0xfffffffb, "i32 = -5");
    assert_scalar(&f32_param, "0.5", 0x3f000000, "f32 = 0.5");
    assert_scalar(&f32_param, ".5", 0x3f000000, "f32 = .5");
    assert_scalar(&b32_param, "f32:1", 0x3f800000, "f32 = 1");
}

static void parses_structures(void **state)
{
    (void)state;
    static const uint8_t expected[12] = {0, 1, 2, 0xff, 0xAB};
    const ifl_argument argument = parse(&struct_param, "bytes:000102ffAb00000000000000");
    assert_int_equal(argument.value_bytes, 12);
    assert_memory_equal(argument.value, expected, 12);
}

static void assert_refused(const ifl_parameter *param, const char *word, int column,
                           const char *part)
{
    const ifl_argument value = {.kind = IFL_ARGUMENT_VALUE};
    const ifl_argument_context context = {.param = param, .index = 1, .before = &value};
    ifl_argument argument;
    ifl_error error = {0};
    assert_int_equal(ifl_argument_parse(&arena, &context, word, &argument, &error), IFL_USAGE);
    assert_string_equal(error.file, "argument 1");
    assert_string_equal(error.source, word);
    assert_int_equal(error.line, 1);
    if (!strstr(error.text, part))
        fail_msg("%s: %s", word, error.text);
    assert_int_equal(error.column, column);
}

/* CUDA Driver API reference, cuTensorMapEncodeTiled: strides are of whole rows, in bytes; the
 * innermost comes first. */
static void parses_tensors(void **state)
{
    (void)state;
    ifl_argument argument;
    assert_refused(&map_param, "tensor:64,128:bf16x4096,512,3=zero", 20, "3 dimensions, its box 2");
    assert_non_null(strstr(parse(&map_param, "tensor:4:f32x4=zero").text, "tensor f32"));
    argument = parse(&map_param, "tensor:64,128,1,swizzle=128,nan:bf16x4096,512,3=random:1");
    assert_int_equal(argument.kind, IFL_ARGUMENT_BUFFER);
    assert_int_equal(argument.count, 4096 * 512 * 3);
    assert_string_equal(argument.element->name, "bf16");
    assert_int_equal(argument.fill.kind, IFL_FILL_RANDOM);
    const ifl_tensor_map *map = argument.tensor;
    assert_non_null(map);
    assert_int_equal(map->rank, 3);
    assert_int_equal(map->type, IFL_TYPE_BF16);
    assert_int_equal(map->swizzle, IFL_TENSOR_SWIZZLE_128);
    assert_true(map->fills_nan);
    assert_int_equal(map->size[1], 512);
    assert_int_equal(map->stride[0], 8192);
    assert_int_equal(map->stride[1], 8192 * 512);
    assert_int_equal(map->box[1], 128);
    assert_refused(&u64_param, "tensor:64:f32x64=zero", 1, "not a tensor map");
    assert_refused(&map_param, "tensor:257:u8x1024=zero", 8, "1 to 256");
    assert_refused(&map_param, "tensor:1,1,1,1,1,1:u8x16=zero", 18, "at most 5 dimensions");
    assert_refused(&map_param, "tensor:3:f32x64=zero", 1, "12 bytes; it is a multiple of 16");
    assert_refused(&map_param, "tensor:64,swizzle=128:f32x64=zero", 1, "256 bytes");
    assert_refused(&map_param, "tensor:64,swizzle=99:f32x64=zero", 10, "swizzle=32");
    assert_refused(&map_param, "tensor:4,4:f32x5,4=zero", 16, "rows of 20 bytes");
    assert_refused(&map_param, "tensor:4:f32x2^20*4,zero", 20, "expected '='");
    assert_refused(&map_param, "tensor:4:f99x4=zero", 10, "expected a type");
    assert_refused(&map_param, "tensor:4:f32x4=same:1", 21, "not an earlier one");
}

/* Of arrays the rows are whole blocks of 64 bytes by 8 rows; CUDA Driver API reference,
 * cuTexObjectCreate: integers are not filtered, and rows in memory are aligned. */
static void parses_textures(void **state)
{
    (void)state;
    ifl_argument argument = parse(&u64_param, "texture:linear,border:f32x64,16=random:1");
    assert_int_equal(argument.kind, IFL_ARGUMENT_BUFFER);
    assert_int_equal(argument.count, 64 * 16);
    assert_string_equal(argument.element->name, "f32");
    assert_non_null(strstr(argument.text, "texture f32"));
    const ifl_texture *texture = argument.texture;
    assert_non_null(texture);
    assert_true(texture->filters && texture->is_blocks);
    assert_int_equal(texture->mode[0], IFL_OUTSIDE_BORDER);
    assert_int_equal(texture->size[1], 16);
    assert_int_equal(texture->pitch, 256);
    texture = parse(&u64_param, "texture:point,rows:u8x32,3=iota").texture;
    assert_true(!texture->filters && !texture->is_blocks);
    assert_int_equal(texture->mode[1], IFL_OUTSIDE_CLAMP);
    assert_refused(&map_param, "texture:linear:f32x64,16=zero", 1, "not a texture object");
    assert_refused(&u64_param, "texture:f32x64,16=zero", 9, "expected 'linear' or 'point'");
    assert_refused(&u64_param, "texture:linear:u8x64,16=zero", 16, "expected f32 or f16");
    assert_refused(&u64_param, "texture:point:f64x64,16=zero", 15, "8 to 32 bits");
    assert_refused(&u64_param, "texture:point:f32x64,12=zero", 19, "a multiple of 8");
    assert_refused(&u64_param, "texture:point,rows:f32x4,12=zero", 24, "a multiple of 32");
    assert_refused(&u64_param, "texture:point:f32x64=zero", 19, "not 1 sizes");
    assert_refused(&u64_param, "texture:point:f32x64,16", 24, "expected '='");
}

static void parses_buffers(void **state)
{
    (void)state;
    ifl_argument argument = parse(&u64_param, "f32x1000=random");
    assert_int_equal(argument.kind, IFL_ARGUMENT_BUFFER);
    assert_int_equal(argument.count, 1000);
    assert_int_equal(argument.misalign, 0);
    assert_int_equal(argument.fill.kind, IFL_FILL_RANDOM);
    assert_string_equal(argument.text, "f32×1000 = random");
    argument = parse(&u64_param, "f64x2^10*3+8=const:1.5");
    assert_int_equal(argument.count, 3072);
    assert_int_equal(argument.misalign, 8);
    assert_int_equal(argument.fill.kind, IFL_FILL_CONST);
    assert_string_equal(argument.text, "f64×3072+8 = const:1.5");
    argument = parse(&u64_param, "i32x8=permutation:7");
    assert_int_equal(argument.fill.kind, IFL_FILL_PERMUTATION);
    assert_int_equal(argument.fill.seed, 7);
    argument = parse(&u64_param, "u32x8=random:3:1Mi");
    assert_int_equal(argument.fill.seed, 3);
    assert_int_equal(argument.fill.limit, 1 << 20);
    assert_int_equal(parse(&u64_param, "u8x8=none").fill.kind, IFL_FILL_NONE);
    assert_int_equal(parse(&u64_param, "bf16x8=iota").fill.kind, IFL_FILL_IOTA);
    assert_int_equal(parse(&u64_param, "u8x8=zero").fill.kind, IFL_FILL_ZERO);
}

static void passes_a_buffer_again(void **state)
{
    (void)state;
    static const char *const words[] = {"same:0", "@0", "same:1"};
    const ifl_argument before[2] = {
        {.kind = IFL_ARGUMENT_BUFFER,
         .element = ifl_element_get(IFL_ELEMENT_F32),
         .count = 9,
         .text = ""},
        {.kind = IFL_ARGUMENT_SAME,
         .element = ifl_element_get(IFL_ELEMENT_F32),
         .count = 9,
         .text = ""},
    };
    const ifl_argument_context context = {
        .param = &u64_param, .parameter = 2, .index = 2, .before = before};
    for (size_t i = 0; i < 3; i++) {
        ifl_argument argument;
        assert_int_equal(ifl_argument_parse(&arena, &context, words[i], &argument, NULL), IFL_OK);
        assert_int_equal(argument.kind, IFL_ARGUMENT_SAME);
        assert_int_equal(argument.same, 0);
        assert_int_equal(argument.count, 9);
        assert_int_equal(argument.parameter, 2); /* not that of the buffer */
    }
}

static void names_what_is_wrong_and_where(void **state)
{
    (void)state;
    assert_refused(&u32_param, "", 1, "expected a scalar");
    assert_refused(&u32_param, "i33:5", 1, "expected a scalar");
    assert_refused(&u32_param, "i32", 4, "expected ':'");
    assert_refused(&u32_param, "i32=5", 4, "expected ':'");
    assert_refused(&u32_param, "i32:", 5, "expected a number");
    assert_refused(&u32_param, "i32:5000000000", 5, "range");
    assert_refused(&u32_param, "u64:5", 1, "parameter 1 is u32, not u64");
    assert_refused(&u32_param, "f32:5", 1, "parameter 1 is u32, not f32");
    assert_refused(&f32_param, "i32:5", 1, "parameter 1 is f32, not i32");
    assert_refused(&u64_param, "f32:5", 1,
                   "parameter 1 is u64, not f32; a pointer takes a buffer, for instance "
                   "f32x1024=zero");
    assert_refused(&f32_param, "null", 1, "not a pointer");
    assert_refused(&f32_param, "f32x10=zero", 1, "not a pointer");
    assert_refused(&struct_param, "5", 1, "12 bytes");
    assert_refused(&struct_param, "bytes:0011", 7, "24 digits");
    assert_refused(&struct_param, "bytes:00112x", 12, "hexadecimal");
    assert_refused(&u64_param, "f32x=zero", 5, "expected a number");
    assert_refused(&u64_param, "f32x0=zero", 5, "at least one");
    assert_refused(&u64_param, "f32x10", 7, "expected '='");
    assert_refused(&u64_param, "f32x10=", 8, "expected a fill");
    assert_refused(&u64_param, "f32x10=zeros", 12, "unexpected");
    assert_refused(&u64_param, "f32x10=const:", 14, "expected a number");
    assert_refused(&u64_param, "f32x10+256=zero", 8, "must be below 256");
    assert_refused(&u64_param, "f64x2^61=zero", 5, "64 bits");
    assert_refused(&u64_param, "f32x10=permutation", 1, "integer type");
    assert_refused(&u64_param, "i8x129=permutation", 1, "cannot hold");
    assert_refused(&u64_param, "f32x10=random:1:5", 17, "integer types");
    assert_refused(&u64_param, "u8x10=random:1:257", 16, "range");
    assert_refused(&u64_param, "u8x10=random:1:9:0", 18, "the step must be");
    assert_refused(&u64_param, "u8x10=random:1:9:1:9", 20, "below the limit");
    assert_refused(&u64_param, "u8x10=random:1:9:1:8:7", 21, "unexpected");
    assert_refused(&u64_param, "same:0", 6, "not a buffer");
    assert_refused(&u64_param, "same:1", 6, "not an earlier one");
    assert_refused(&u64_param, "same:x", 6, "expected a number");
}

static void cleans_texts_that_are_no_utf8(void **state)
{
    (void)state;
    const ifl_argument_context context = {.param = &u64_param};
    ifl_argument argument;
    ifl_error error;
    assert_int_equal(ifl_argument_parse(&arena, &context, "f32x8=\xff", &argument, &error),
                     IFL_USAGE);
    assert_int_equal(error.column, 7);
}

/* ---- fills ----------------------------------------------------------------------------------- */

enum { MANY = 300000 };

static void *filled(const char *word, int threads, uint64_t *count, const ifl_element **element)
{
    const ifl_argument argument = parse(&u64_param, word);
    uint8_t *bytes = calloc(argument.count + 1, argument.element->bytes);
    assert_non_null(bytes);
    /* One byte off: fills must not rely on alignment. */
    ifl_fill_run(&argument.fill, argument.element, bytes + 1, argument.count, threads, NULL);
    memmove(bytes, bytes + 1, argument.count * argument.element->bytes);
    *count = argument.count;
    *element = argument.element;
    return bytes;
}

static void fills_do_not_depend_on_threads(void **state)
{
    (void)state;
    static const char *const words[] = {"u8x300000=random",    "i16x300000=iota",
                                        "f16x300000=random:5", "bf16x300000=iota",
                                        "f32x300000=random",   "u32x300000=permutation:9",
                                        "f64x300000=random",   "u64x300000=random:1:99",
                                        "i32x300000=const:-3", "u8x300000=none"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        uint64_t count;
        const ifl_element *element;
        void *one = filled(words[i], 1, &count, &element),
             *five = filled(words[i], 5, &count, &element);
        assert_memory_equal(one, five, count * element->bytes);
        free(one);
        free(five);
    }
}

static void iota_counts(void **state)
{
    (void)state;
    uint64_t count;
    const ifl_element *element;
    uint16_t *i16 = filled("i16x70000=iota", 2, &count, &element);
    float *f32 = filled("f32x70000=iota", 2, &count, &element);
    uint16_t *f16 = filled("f16x70000=iota", 2, &count, &element);
    for (uint32_t i = 0; i < 70000; i++) {
        assert_int_equal(i16[i], (uint16_t)i);
        assert_true(f32[i] == (float)i);
    }
    assert_int_equal(f16[3], 0x4200);
    assert_int_equal(f16[69999], 0x7c00);
    free(i16);
    free(f32);
    free(f16);
}

static void constants_repeat(void **state)
{
    (void)state;
    uint64_t count;
    const ifl_element *element;
    double *f64 = filled("f64x200001=const:-2.5", 3, &count, &element);
    uint8_t *none = filled("u8x1000=none", 3, &count, &element);
    for (uint32_t i = 0; i < 200001; i++)
        assert_true(f64[i] == -2.5);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(none[i], 0xcd);
    free(f64);
    free(none);
}

/* Uniform on [0, 1): the mean of 300000 is within 5 standard errors (0.2887 / sqrt(n)) of 1/2. */
static void random_floats_are_uniform(void **state)
{
    (void)state;
    uint64_t count;
    const ifl_element *element;
    float *f32 = filled("f32x300000=random", 2, &count, &element),
          *other = filled("f32x300000=random:1", 2, &count, &element);
    double sum = 0;
    unsigned same = 0, low = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        assert_true(f32[i] >= 0 && f32[i] < 1);
        sum += f32[i];
        same += f32[i] == other[i];
        low += f32[i] < 0.25f;
    }
    assert_true(sum / MANY > 0.4973 && sum / MANY < 0.5027);
    assert_true(low > MANY / 4 - 1200 && low < MANY / 4 + 1200);
    assert_true(same < 3);
    free(f32);
    free(other);
}

/* Formats of 16 bits have the first bits of what f32 has of the same seed, rounded by nothing. */
static void random_floats_of_16_bits_begin_like_f32(void **state)
{
    (void)state;
    uint64_t count;
    const ifl_element *element;
    float *f32 = filled("f32x300000=random:3", 2, &count, &element);
    uint16_t *f16 = filled("f16x300000=random:3", 2, &count, &element),
             *bf16 = filled("bf16x300000=random:3", 2, &count, &element);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(f16[i], ifl_f16_bits(floor((double)f32[i] * 0x1p11) * 0x1p-11));
        assert_int_equal(bf16[i], ifl_bf16_bits(floor((double)f32[i] * 0x1p8) * 0x1p-8));
    }
    free(f32);
    free(f16);
    free(bf16);
}

/* SplitMix64 as its paper gives it: an increment, then two products. */
static uint64_t split_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* However many are made side by side. With a limit, the upper part of a product: 332 numbers, 5, 8, ... 998, are below 1000. */
static void random_values_are_those_of_their_generator(void **state)
{
    enum { BELOW = 332 };
    (void)state;
    uint64_t count;
    const ifl_element *element;
    uint8_t *u8 = filled("u8x300000=random:6", 2, &count, &element);
    uint32_t *u32 = filled("u32x300000=random:6", 2, &count, &element),
             *below = filled("u32x300000=random:6:1000:3:5", 2, &count, &element);
    uint64_t *u64 = filled("u64x300000=random:6", 2, &count, &element),
             *far_below = filled("u64x300000=random:6:1000:3:5", 2, &count, &element);
    float *f32 = filled("f32x300000=random:6", 2, &count, &element);
    double *f64 = filled("f64x300000=random:6", 2, &count, &element);
    for (uint32_t i = 0; i < MANY; i++) {
        const uint64_t bits = split_mix(split_mix(6) + i), upper = bits >> 32;
        assert_true(u8[i] == (uint8_t)upper && u32[i] == upper && u64[i] == bits);
        assert_true(f32[i] == (float)(upper >> 8) / 0x1p24f);
        assert_true(f64[i] == (double)(bits >> 11) / 0x1p53);
        assert_true(below[i] == 5 + 3 * (upper * BELOW >> 32));
        assert_true(far_below[i] == 5 + 3 * (uint64_t)((unsigned __int128)bits * BELOW >> 64));
    }
    void *const all[] = {u8, u32, below, u64, far_below, f32, f64};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void random_integers_keep_their_limit(void **state)
{
    (void)state;
    unsigned seen[10] = {0};
    uint64_t count;
    const ifl_element *element;
    uint32_t *u32 = filled("u32x300000=random:4:10", 2, &count, &element);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_true(u32[i] < 10);
        seen[u32[i]]++;
    }
    for (int i = 0; i < 10; i++)
        assert_true(seen[i] > 29000 && seen[i] < 31000);
    free(u32);
}

/* 2, 5, 8 and 11: all of them, none else, about as often. */
static void random_integers_keep_their_step_and_first(void **state)
{
    (void)state;
    unsigned seen[12] = {0};
    uint64_t count;
    const ifl_element *element;
    int64_t *i64 = filled("i64x300000=random:4:12:3:2", 2, &count, &element);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_true(i64[i] >= 0 && i64[i] < 12);
        seen[i64[i]]++;
    }
    for (int i = 0; i < 12; i++)
        assert_true(i % 3 == 2 ? seen[i] > 73000 && seen[i] < 77000 : seen[i] == 0);
    free(i64);
}

static void permutations_hold_every_index_once(void **state)
{
    (void)state;
    static const unsigned counts[] = {1, 2, 3, 5, 64, 1000, 65536, 65537};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        char word[64];
        uint64_t count;
        const ifl_element *element;
        snprintf(word, sizeof word, "u32x%u=permutation:%zu", counts[c], c);
        uint32_t *values = filled(word, 2, &count, &element);
        uint8_t *seen = calloc(counts[c], 1);
        unsigned fixed = 0;
        for (unsigned i = 0; i < counts[c]; i++) {
            assert_true(values[i] < counts[c]);
            assert_int_equal(seen[values[i]]++, 0);
            fixed += values[i] == i;
        }
        if (counts[c] >= 1000)
            assert_true(fixed < 10); /* a random permutation has one fixed point on average */
        free(values);
        free(seen);
    }
}

/* ---- .npy ------------------------------------------------------------------------------------ */

static char folder[] = "/tmp/inflight-test.XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/a.npy", folder);
    return 0;
}

static int remove_folder(void **state)
{
    unlink(path);
    rmdir(folder);
    return free_arena(state);
}

static void write_bytes(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void npy_has_the_documented_bytes(void **state)
{
    (void)state;
    static const float data[3] = {1, 2, 3};
    char *text;
    size_t bytes;
    assert_int_equal(ifl_npy_write(path, element_named("f32"), data, 3, NULL), IFL_OK);
    assert_int_equal(ifl_file_read(path, 1000, &text, &bytes, NULL), IFL_OK);
    /* NumPy: magic, version 1.0, u16 length; the whole header is a multiple of 64 bytes and ends
     * with a newline. */
    assert_memory_equal(text, "\x93NUMPY\x01\x00", 8);
    const size_t length = (uint8_t)text[8] | (size_t)(uint8_t)text[9] << 8;
    assert_int_equal((10 + length) % 64, 0);
    assert_int_equal(text[10 + length - 1], '\n');
    assert_non_null(strstr(text + 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"));
    assert_int_equal(bytes, 10 + length + sizeof data);
    assert_memory_equal(text + 10 + length, data, sizeof data);
    free(text);
}

static void npy_round_trips_every_type(void **state)
{
    (void)state;
    for (int i = 0; i < IFL_ELEMENT_COUNT; i++) {
        const uint8_t data[40] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
        uint8_t back[40];
        ifl_npy npy;
        const ifl_element *element = ifl_element_get(i);
        const uint64_t count = sizeof data / element->bytes;
        assert_int_equal(ifl_npy_write(path, element, data, count, NULL), IFL_OK);
        assert_int_equal(ifl_npy_open(path, NULL, &npy, NULL), IFL_OK);
        assert_ptr_equal(npy.element, element);
        assert_int_equal(npy.count, count);
        assert_int_equal(ifl_npy_read(&npy, path, back, NULL), IFL_OK);
        assert_memory_equal(back, data, sizeof data);
        ifl_npy_close(&npy);
    }
}

static void assert_npy_refused(const char *dictionary, size_t data_bytes, const char *part)
{
    uint8_t bytes[512] = "\x93NUMPY\x01";
    const size_t length = strlen(dictionary);
    ifl_npy npy;
    ifl_error error = {0};
    bytes[8] = (uint8_t)length;
    memcpy(bytes + 10, dictionary, length);
    write_bytes(bytes, 10 + length + data_bytes);
    assert_int_equal(ifl_npy_open(path, element_named("f32"), &npy, &error), IFL_BAD_INPUT);
    if (!strstr(error.text, part))
        fail_msg("%s: %s", dictionary, error.text);
}

static void npy_refuses_what_it_cannot_hold(void **state)
{
    (void)state;
    assert_npy_refused("{'descr': '>f4', 'fortran_order': False, 'shape': (3,), }", 12, "type");
    assert_npy_refused("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", 24, "type");
    assert_npy_refused("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }", 24, "Fortran");
    assert_npy_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 11, "shorter");
    assert_npy_refused(
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }", 12,
        "shape");
    assert_npy_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }", 12, "shape");
    assert_npy_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (3", 12, "shape");
    assert_npy_refused("", 12, "type");
    ifl_npy npy;
    write_bytes("\x93NUMPY\x01\x00\xff\x00{", 11);
    assert_int_equal(ifl_npy_open(path, NULL, &npy, NULL), IFL_BAD_INPUT);
    write_bytes("hello", 5);
    assert_int_equal(ifl_npy_open(path, NULL, &npy, NULL), IFL_BAD_INPUT);
    assert_int_equal(ifl_npy_open(folder, NULL, &npy, NULL), IFL_BAD_INPUT);
    assert_int_equal(ifl_npy_open("/nonexistent/a.npy", NULL, &npy, NULL), IFL_NO_FILE);
}

static void npy_files_become_arguments(void **state)
{
    (void)state;
    static const float data[3] = {1, 2, 3};
    char word[128];
    assert_int_equal(ifl_npy_write(path, element_named("f32"), data, 3, NULL), IFL_OK);
    snprintf(word, sizeof word, "f32x3=@%s", path);
    assert_int_equal(parse(&u64_param, word).fill.kind, IFL_FILL_FILE);
    snprintf(word, sizeof word, "@%s", path);
    const ifl_argument buffer = parse(&u64_param, word);
    assert_int_equal(buffer.kind, IFL_ARGUMENT_BUFFER);
    assert_int_equal(buffer.count, 3);
    const ifl_argument value = parse(&struct_param, word);
    assert_int_equal(value.kind, IFL_ARGUMENT_VALUE);
    assert_memory_equal(value.value, data, sizeof data);
    /* A name is relative to the launch file's folder. */
    const ifl_argument_context context = {.param = &u64_param, .directory = folder};
    ifl_argument argument;
    assert_int_equal(ifl_argument_parse(&arena, &context, "f32x3=@a.npy", &argument, NULL), IFL_OK);
    snprintf(word, sizeof word, "f32x4=@%s", path);
    assert_refused(&u64_param, word, 1, "holds 3 elements, not 4");
}

/* ---- files ----------------------------------------------------------------------------------- */

static void a_failed_write_leaves_the_old_file(void **state)
{
    (void)state;
    char *text;
    size_t bytes;
    ifl_file file;
    write_bytes("old", 3);
    assert_int_equal(ifl_file_create(&file, path, NULL), IFL_OK);
    fputs("new", file.stream);
    ifl_file_abandon(&file);
    assert_int_equal(ifl_file_read(path, 10, &text, &bytes, NULL), IFL_OK);
    assert_string_equal(text, "old");
    free(text);
    assert_int_equal(ifl_npy_write("/nonexistent/a.npy", element_named("f32"), "", 0, NULL),
                     IFL_NO_FILE);
    assert_int_equal(ifl_npy_write("/dev/full", element_named("u8"), "x", 1, NULL), IFL_NO_FILE);
    assert_int_equal(ifl_file_read(folder, 10, &text, &bytes, NULL), IFL_NO_FILE);
    assert_int_equal(ifl_file_read(path, 2, &text, &bytes, NULL), IFL_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_numbers),
        cmocka_unit_test(refuses_what_is_no_number),
        cmocka_unit_test(reads_values_of_every_type),
        cmocka_unit_test(refuses_values_out_of_range),
        cmocka_unit_test(rounds_to_half_once_and_to_even),
        cmocka_unit_test(f16_round_trips),
        cmocka_unit_test(parses_scalars),
        cmocka_unit_test(parses_structures),
        cmocka_unit_test(parses_tensors),
        cmocka_unit_test(parses_textures),
        cmocka_unit_test(parses_buffers),
        cmocka_unit_test(passes_a_buffer_again),
        cmocka_unit_test(names_what_is_wrong_and_where),
        cmocka_unit_test(cleans_texts_that_are_no_utf8),
        cmocka_unit_test(fills_do_not_depend_on_threads),
        cmocka_unit_test(iota_counts),
        cmocka_unit_test(constants_repeat),
        cmocka_unit_test(random_floats_are_uniform),
        cmocka_unit_test(random_floats_of_16_bits_begin_like_f32),
        cmocka_unit_test(random_values_are_those_of_their_generator),
        cmocka_unit_test(random_integers_keep_their_limit),
        cmocka_unit_test(random_integers_keep_their_step_and_first),
        cmocka_unit_test(permutations_hold_every_index_once),
        cmocka_unit_test(npy_has_the_documented_bytes),
        cmocka_unit_test(npy_round_trips_every_type),
        cmocka_unit_test(npy_refuses_what_it_cannot_hold),
        cmocka_unit_test(npy_files_become_arguments),
        cmocka_unit_test(a_failed_write_leaves_the_old_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
