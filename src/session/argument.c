/* SPDX-License-Identifier: Apache-2.0
 * The grammar of ARG words. It knows parameters and elements, not memories, launches or files of
 * launches. */
#include "session/argument.h"

#include "base/utf8.h"
#include "session/npy.h"
#include "session/number.h"

#include <inttypes.h>
#include <string.h>

enum { POINTER_BYTES = 8, MISALIGN_LIMIT = 256, MAX_TEXT = 160, MAX_NAME = 48, SHOWN_BYTES = 16 };

typedef struct parser {
    ifl_arena *arena;
    const ifl_argument_context *context;
    const ifl_parameter *param;
    const char *word;
    const char *at;
    ifl_argument *out;
    ifl_error *error;
} parser;

static IFL_PRINTF(3, 4) ifl_status fail(parser *p, const char *at, const char *format, ...)
{
    char file[40];
    snprintf(file, sizeof file, "argument %zu", p->context->index);
    const ifl_place place = {file, 1, (int)(at - p->word) + 1, p->word};
    va_list list;
    va_start(list, format);
    ifl_fail_list(p->error, IFL_USAGE, &place, format, list);
    va_end(list);
    return IFL_USAGE;
}

static IFL_PRINTF(2, 3) ifl_status describe(parser *p, const char *format, ...)
{
    char text[MAX_TEXT];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    ifl_utf8_clean(text);
    p->out->text = ifl_arena_text(p->arena, text, strlen(text));
    return p->out->text ? IFL_OK : ifl_fail_memory(p->error, strlen(text));
}

/* " n", or "" where the parameter has no name. */
static const char *named(const parser *p, char to[MAX_NAME])
{
    const char *name = ifl_param_name(p->param);
    snprintf(to, MAX_NAME, "%s%s", name ? " " : "", name ? name : "");
    return to;
}

static bool accept(parser *p, const char *text)
{
    const size_t length = strlen(text);
    if (strncmp(p->at, text, length) != 0)
        return false;
    p->at += length;
    return true;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static bool is_plain(const ifl_parameter *param)
{
    return param->bytes * 8 == ifl_type_bits((ifl_type)param->type);
}

static bool is_class(const ifl_parameter *param, char class)
{
    return is_plain(param) && ifl_type_class((ifl_type)param->type) == class;
}

/* A structure of one pointer counts as one. */
static bool can_be_pointer(const ifl_parameter *param)
{
    return param->bytes == POINTER_BYTES && !is_class(param, 'F');
}

const char *ifl_param_name(const ifl_parameter *param)
{
    static const char made_up[] = "_param_";
    const char *found = NULL;
    for (const char *at = param->name; at && (at = strstr(at, made_up)); at++)
        found = at + sizeof made_up - 1;
    const bool is_made_up = found && *found && strspn(found, "0123456789") == strlen(found);
    return is_made_up || !param->name || !*param->name ? NULL : param->name;
}

const char *ifl_param_text(const ifl_parameter *param, char *to, size_t size)
{
    if (is_plain(param))
        snprintf(to, size, "%s", ifl_type_text((ifl_type)param->type));
    else
        snprintf(to, size, "%" PRIu64 " bytes", param->bytes);
    return to;
}

static ifl_status fail_param(parser *p, const char *at, const char *what)
{
    char text[32];
    return fail(p, at, "parameter %zu is %s, not %s", p->context->index,
                ifl_param_text(p->param, text, sizeof text), what);
}

const char *ifl_path_join(ifl_arena *arena, const char *directory, const char *name)
{
    if (!directory || name[0] == '/')
        return ifl_arena_text(arena, name, strlen(name));
    const size_t length = strlen(directory) + 1 + strlen(name);
    char *path = ifl_arena_alloc(arena, length + 1);
    if (path)
        snprintf(path, length + 1, "%s/%s", directory, name);
    return path;
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint8_t *new_value(parser *p, size_t bytes)
{
    p->out->kind = IFL_ARGUMENT_VALUE;
    p->out->value_bytes = bytes;
    uint8_t *value = ifl_arena_alloc(p->arena, bytes ? bytes : 1);
    p->out->value = value;
    return value;
}

static ifl_status describe_scalar(parser *p)
{
    const ifl_element *element = p->out->element;
    char name[MAX_NAME];
    int64_t integer = 0;
    memcpy(&integer, p->out->value, element->bytes);
    const unsigned unused = 64 - 8u * element->bytes;
    if (element->class == 'F') /* the word says it better than its bits */
        return describe(p, "%s%s = %s", element->name, named(p, name), p->at);
    if (element->class == 'U')
        return describe(p, "%s%s = %" PRIu64, element->name, named(p, name), (uint64_t)integer);
    return describe(p, "%s%s = %" PRId64, element->name, named(p, name),
                    (int64_t)((uint64_t)integer << unused) >> unused);
}

/* `at` is the text of the value. */
static ifl_status parse_value(parser *p, const ifl_element *element, const char *at)
{
    uint8_t *value = new_value(p, element->bytes);
    if (!value)
        return ifl_fail_memory(p->error, element->bytes);
    p->out->element = element;
    p->at = at;
    const char *problem = ifl_value_read(&at, element, value);
    if (problem)
        return fail(p, at, "%s", problem);
    return describe_scalar(p);
}

/* The class must be the same, because a float that is read as an integer gives no error but
 * nonsense. */
static ifl_status parse_typed(parser *p, const ifl_element *element, const char *at)
{
    const bool floating = element->class == 'F';
    if (element->bytes != p->param->bytes && is_plain(p->param) &&
        p->param->bytes == sizeof(uint64_t))
        return fail(p, p->word,
                    "parameter %zu is %s, not %s; a pointer takes a buffer, for instance "
                    "%sx1024=zero",
                    p->context->index, ifl_type_text((ifl_type)p->param->type), element->name,
                    element->name);
    if (element->bytes != p->param->bytes)
        return fail_param(p, p->word, element->name);
    if (floating ? is_class(p->param, 'U') || is_class(p->param, 'S') : is_class(p->param, 'F'))
        return fail_param(p, p->word, element->name);
    return parse_value(p, element, at);
}

/* A bare number takes the parameter's own type. PTX does not keep the sign of integers, so both
 * readings are open. */
static ifl_status parse_bare(parser *p)
{
    static const char integer_classes[] = "BUS";
    const char class = ifl_type_class((ifl_type)p->param->type);
    if (!is_plain(p->param) || !class || p->param->bytes > 8)
        return fail_param(p, p->at, "a number; write bytes:HEX or @FILE.npy");
    const bool integer = strchr(integer_classes, class) != NULL;
    const char wanted = !integer ? 'F' : *p->at == '-' ? 'I' : 'U';
    const ifl_element *element = ifl_element_of(wanted, p->param->bytes);
    if (p->param->type == IFL_TYPE_BF16)
        element = ifl_element_get(IFL_ELEMENT_BF16);
    return element ? parse_value(p, element, p->at) : fail_param(p, p->at, "a number");
}

static int hex_value(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) % 16 : -1;
}

static ifl_status describe_bytes(parser *p)
{
    char shown[2 * SHOWN_BYTES + 1] = "", name[MAX_NAME];
    const size_t bytes = p->out->value_bytes;
    for (size_t i = 0; i < bytes && i < SHOWN_BYTES; i++)
        snprintf(shown + 2 * i, 3, "%02x", p->out->value[i]);
    return describe(p, "%zu bytes%s = %s%s", bytes, named(p, name), shown,
                    bytes > SHOWN_BYTES ? "..." : "");
}

static ifl_status parse_bytes(parser *p)
{
    const size_t digits = strlen(p->at);
    for (size_t i = 0; i < digits; i++)
        if (hex_value(p->at[i]) < 0)
            return fail(p, p->at + i, "expected a hexadecimal digit");
    if (digits != 2 * p->param->bytes)
        return fail(p, p->at,
                    "parameter %zu has %" PRIu64 " bytes, that is %" PRIu64 " digits; here are %zu",
                    p->context->index, p->param->bytes, 2 * p->param->bytes, digits);
    uint8_t *value = new_value(p, digits / 2);
    if (!value)
        return ifl_fail_memory(p->error, digits / 2);
    for (size_t i = 0; i < digits / 2; i++)
        value[i] = (uint8_t)(hex_value(p->at[2 * i]) << 4 | hex_value(p->at[2 * i + 1]));
    return describe_bytes(p);
}

static ifl_status parse_same(parser *p)
{
    const char *at = p->at;
    uint64_t index;
    const char *problem = ifl_number_read(&at, &index);
    if (problem || *at)
        return fail(p, at, "%s", problem ? problem : "expected the number of an earlier argument");
    if (index >= p->context->index)
        return fail(p, p->at, "argument %" PRIu64 " is not an earlier one", index);
    const ifl_argument *other = &p->context->before[index];
    if (other->kind == IFL_ARGUMENT_VALUE)
        return fail(p, p->at, "argument %" PRIu64 " is not a buffer", index);
    const ifl_argument own = *p->out;
    if (!own.tensor && !can_be_pointer(p->param))
        return fail_param(p, p->word, "a pointer");
    *p->out = *other;
    p->out->parameter = own.parameter;
    p->out->offset = own.offset;
    p->out->tensor = own.tensor;
    p->out->texture = NULL;
    p->out->kind = IFL_ARGUMENT_SAME;
    p->out->same = other->kind == IFL_ARGUMENT_SAME ? other->same : (size_t)index;
    char name[MAX_NAME];
    return describe(p, "%s%s = the buffer of argument %zu", own.tensor ? "tensor" : "pointer",
                    named(p, name), p->out->same);
}

/* ---- buffers --------------------------------------------------------------------------------- */

static ifl_status end_of_fill(parser *p)
{
    return *p->at ? fail(p, p->at, "unexpected text after the fill") : IFL_OK;
}

static ifl_status read_number(parser *p, uint64_t *value)
{
    const char *problem = ifl_number_read(&p->at, value);
    return problem ? fail(p, p->at, "%s", problem) : IFL_OK;
}

static ifl_status fill_plain(parser *p)
{
    return end_of_fill(p);
}

static ifl_status fill_const(parser *p)
{
    const char *problem = ifl_value_read(&p->at, p->out->element, p->out->fill.value);
    return problem ? fail(p, p->at, "%s", problem) : IFL_OK;
}

static ifl_status read_seed(parser *p)
{
    p->out->fill.seed = 0;
    return accept(p, ":") ? read_number(p, &p->out->fill.seed) : IFL_OK;
}

static ifl_status read_limit(parser *p, uint64_t *limit)
{
    const ifl_element *element = p->out->element;
    const char *at = p->at;
    if (read_number(p, limit) != IFL_OK)
        return IFL_USAGE;
    if (element->class == 'F')
        return fail(p, at, "a limit is for integer types");
    const unsigned bits = 8u * element->bytes - (element->class == 'I');
    if (*limit == 0 || (bits < 64 && *limit > UINT64_C(1) << bits))
        return fail(p, at, "the limit is not in the range of %s", element->name);
    return IFL_OK;
}

static ifl_status read_step(parser *p, uint64_t *step)
{
    const char *at = p->at;
    const ifl_status status = read_number(p, step);
    return status == IFL_OK && *step == 0 ? fail(p, at, "the step must be at least 1") : status;
}

static ifl_status read_first(parser *p, uint64_t *first, uint64_t limit)
{
    const char *at = p->at;
    const ifl_status status = read_number(p, first);
    return status == IFL_OK && *first >= limit
               ? fail(p, at, "the first value must be below the limit")
               : status;
}

/* LIMIT[:STEP[:FIRST]]: the numbers FIRST, FIRST + STEP, ... below LIMIT. */
static ifl_status read_choices(parser *p)
{
    ifl_fill *fill = &p->out->fill;
    uint64_t limit;
    fill->first = 0;
    fill->step = 1;
    ifl_status status = read_limit(p, &limit);
    if (status == IFL_OK && accept(p, ":"))
        status = read_step(p, &fill->step);
    if (status == IFL_OK && accept(p, ":"))
        status = read_first(p, &fill->first, limit);
    if (status == IFL_OK)
        fill->limit = (limit - fill->first - 1) / fill->step + 1;
    return status;
}

static ifl_status fill_random(parser *p)
{
    ifl_status status = read_seed(p);
    if (status == IFL_OK && accept(p, ":"))
        status = read_choices(p);
    return status == IFL_OK ? end_of_fill(p) : status;
}

static ifl_status fill_permutation(parser *p)
{
    const ifl_element *element = p->out->element;
    const unsigned bits = 8u * element->bytes - (element->class == 'I');
    if (element->class == 'F')
        return fail(p, p->word, "a permutation needs an integer type");
    if (bits < 64 && p->out->count > UINT64_C(1) << bits)
        return fail(p, p->word, "%s cannot hold the indexes of %" PRIu64 " elements", element->name,
                    p->out->count);
    const ifl_status status = read_seed(p);
    return status == IFL_OK ? end_of_fill(p) : status;
}

static ifl_status open_npy(parser *p, const char *name, const ifl_element *as, ifl_npy *npy)
{
    p->out->fill.kind = IFL_FILL_FILE;
    p->out->fill.path = ifl_path_join(p->arena, p->context->directory, name);
    if (!p->out->fill.path)
        return ifl_fail_memory(p->error, strlen(name));
    return ifl_npy_open(p->out->fill.path, as, npy, p->error);
}

/* The file is looked at now, so that a wrong one is known before anything runs, and read when
 * the buffer is made. */
static ifl_status fill_file(parser *p)
{
    ifl_npy npy;
    const char *name = p->at;
    const ifl_status status = open_npy(p, name, p->out->element, &npy);
    if (status != IFL_OK)
        return status;
    ifl_npy_close(&npy);
    if (npy.count != p->out->count)
        return fail(p, p->word, "'%s' holds %" PRIu64 " elements, not %" PRIu64, name, npy.count,
                    p->out->count);
    return IFL_OK;
}

static const struct {
    const char *name;
    ifl_fill_kind kind;
    ifl_status (*parse)(parser *p);
} fills[] = {
    {"zero", IFL_FILL_ZERO, fill_plain},
    {"const:", IFL_FILL_CONST, fill_const},
    {"iota", IFL_FILL_IOTA, fill_plain},
    {"random", IFL_FILL_RANDOM, fill_random},
    {"permutation", IFL_FILL_PERMUTATION, fill_permutation},
    {"none", IFL_FILL_NONE, fill_plain},
    {"@", IFL_FILL_FILE, fill_file},
};

static ifl_status describe_buffer(parser *p, const char *fill)
{
    char moved[16] = "", name[MAX_NAME];
    if (p->out->misalign)
        snprintf(moved, sizeof moved, "+%u", p->out->misalign);
    const char *kind = p->out->tensor ? "tensor " : p->out->texture ? "texture " : "";
    return describe(p, "%s%s×%" PRIu64 "%s%s = %s", kind, p->out->element->name, p->out->count,
                    moved, named(p, name), fill);
}

static ifl_status parse_fill(parser *p)
{
    const char *start = p->at;
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
        if (!accept(p, fills[i].name))
            continue;
        p->out->fill.kind = fills[i].kind;
        const ifl_status status = fills[i].parse(p);
        return status == IFL_OK ? describe_buffer(p, start) : status;
    }
    return fail(p, start,
                "expected a fill: zero, const:V, iota, random[:SEED[:LIMIT[:STEP[:FIRST]]]], "
                "permutation[:SEED], none or @FILE.npy");
}

static ifl_status parse_count(parser *p)
{
    const char *at = p->at;
    uint64_t misalign = 0, bytes;
    ifl_status status = read_number(p, &p->out->count);
    if (status != IFL_OK)
        return status;
    if (p->out->count == 0)
        return fail(p, at, "a buffer has at least one element");
    if (__builtin_mul_overflow(p->out->count, (uint64_t)p->out->element->bytes, &bytes) ||
        bytes > INT64_MAX)
        return fail(p, at, "the buffer's size does not fit 64 bits");
    if (accept(p, "+")) {
        at = p->at;
        status = read_number(p, &misalign);
        if (status == IFL_OK && misalign >= MISALIGN_LIMIT)
            return fail(p, at, "the offset of a buffer must be below %d bytes", MISALIGN_LIMIT);
    }
    p->out->misalign = (uint32_t)misalign;
    return status;
}

/* After "TYPEx". */
static ifl_status parse_buffer(parser *p, const ifl_element *element)
{
    if (!can_be_pointer(p->param))
        return fail_param(p, p->word, "a pointer");
    p->out->kind = IFL_ARGUMENT_BUFFER;
    p->out->element = element;
    const ifl_status status = parse_count(p);
    if (status != IFL_OK)
        return status;
    if (!accept(p, "="))
        return fail(p, p->at, "expected '=' and a fill, for instance %sx1000=zero", element->name);
    return parse_fill(p);
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* Numbers with commas between them, `most` at most. */
static ifl_status read_numbers(parser *p, uint64_t limit, uint64_t *numbers, unsigned most,
                               unsigned *count)
{
    *count = 0;
    do {
        const char *at = p->at;
        const ifl_status status = *count < most
                                      ? read_number(p, &numbers[*count])
                                      : fail(p, at, "there are at most %u dimensions", most);
        if (status != IFL_OK)
            return status;
        if (!numbers[*count] || numbers[*count] > limit)
            return fail(p, at, "it can be 1 to %" PRIu64, limit);
        ++*count;
    } while (p->at[0] == ',' && p->at[1] >= '0' && p->at[1] <= '9' && accept(p, ","));
    return IFL_OK;
}

static ifl_status read_tensor_options(parser *p, ifl_tensor_map *map)
{
    static const struct {
        const char *text;
        uint8_t swizzle;
        bool nan;
    } options[] = {{",swizzle=32", IFL_TENSOR_SWIZZLE_32, false},
                   {",swizzle=64", IFL_TENSOR_SWIZZLE_64, false},
                   {",swizzle=128", IFL_TENSOR_SWIZZLE_128, false},
                   {",nan", 0, true}};
    for (size_t i = 0; i < sizeof options / sizeof *options;) {
        const bool has = accept(p, options[i].text);
        if (has && options[i].swizzle)
            map->swizzle = options[i].swizzle;
        map->fills_nan |= has && options[i].nan;
        i = has ? 0 : i + 1;
    }
    return accept(p, ":") ? IFL_OK
                          : fail(p, p->at,
                                 "expected ',swizzle=32', 64 or 128, ',nan', or ':' and the "
                                 "tensor, for instance bf16x4096,4096=random");
}

static ifl_status read_box(parser *p, ifl_tensor_map *map)
{
    enum { MOST_BOX = 256 }; /* CUDA Driver API reference, cuTensorMapEncodeTiled */
    uint64_t box[IFL_TENSOR_RANKS];
    unsigned rank;
    const ifl_status status = read_numbers(p, MOST_BOX, box, IFL_TENSOR_RANKS, &rank);
    for (unsigned i = 0; status == IFL_OK && i < rank; i++) {
        map->box[i] = (uint16_t)box[i];
        map->element_stride[i] = 1;
    }
    map->rank = (uint8_t)rank;
    return status;
}

/* Sizes, the innermost first; rows lie one after the other. */
static ifl_status read_sizes(parser *p, ifl_tensor_map *map, uint64_t *count)
{
    enum { UNIT = 16, STRIDE_BITS = 40 };
    const char *at = p->at;
    uint64_t size[IFL_TENSOR_RANKS], bytes = map->element_bytes;
    unsigned rank;
    const ifl_status status = read_numbers(p, UINT32_MAX, size, IFL_TENSOR_RANKS, &rank);
    if (status != IFL_OK)
        return status;
    if (rank != map->rank)
        return fail(p, at, "the tensor has %u dimensions, its box %u", rank, map->rank);
    for (unsigned i = 0; i < rank; i++) {
        map->size[i] = (uint32_t)size[i];
        if (i && bytes % UNIT)
            return fail(p, at, "rows of %" PRIu64 " bytes; a tensor's are a multiple of %d", bytes,
                        UNIT);
        if (i)
            map->stride[i - 1] = bytes;
        if (__builtin_mul_overflow(bytes, size[i], &bytes) || bytes >> STRIDE_BITS)
            return fail(p, at, "the tensor is larger than 2^%d bytes", STRIDE_BITS);
    }
    *count = bytes / map->element_bytes;
    return IFL_OK;
}

/* By class and size, as cuTensorMapEncodeTiled has them; 0: none. */
static uint8_t tensor_type(const ifl_element *element)
{
    static const struct {
        ifl_element_type from;
        uint8_t to;
    } types[] = {{IFL_ELEMENT_U8, IFL_TYPE_U8},   {IFL_ELEMENT_I8, IFL_TYPE_U8},
                 {IFL_ELEMENT_U16, IFL_TYPE_U16}, {IFL_ELEMENT_I16, IFL_TYPE_U16},
                 {IFL_ELEMENT_U32, IFL_TYPE_U32}, {IFL_ELEMENT_I32, IFL_TYPE_S32},
                 {IFL_ELEMENT_U64, IFL_TYPE_U64}, {IFL_ELEMENT_I64, IFL_TYPE_S64},
                 {IFL_ELEMENT_F16, IFL_TYPE_F16}, {IFL_ELEMENT_BF16, IFL_TYPE_BF16},
                 {IFL_ELEMENT_F32, IFL_TYPE_F32}, {IFL_ELEMENT_F64, IFL_TYPE_F64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].from == element->type)
            return types[i].to;
    return 0;
}

/* After the box: "TYPExSIZES". */
static ifl_status read_tensor(parser *p, ifl_tensor_map *map)
{
    const size_t length = strcspn(p->at, "x");
    const ifl_element *element = ifl_element_find(p->at, length);
    if (!element || p->at[length] != 'x')
        return fail(p, p->at,
                    "expected a type, 'x' and the tensor's sizes, for instance bf16x4096,4096");
    map->type = tensor_type(element);
    map->element_bytes = element->bytes;
    p->out->element = element;
    if (!ifl_tensor_map_takes_row(map, map->box[0]))
        return fail(p, p->word,
                    "a row of the box has %u bytes; it is a multiple of 16, and at most the "
                    "swizzle's width",
                    (unsigned)map->box[0] * element->bytes);
    p->at += length + 1;
    return read_sizes(p, map, &p->out->count);
}

static ifl_status share_buffer(parser *p)
{
    const uint64_t wanted = p->out->count * p->out->element->bytes;
    const ifl_status status = parse_same(p);
    if (status == IFL_OK && p->out->count * p->out->element->bytes < wanted)
        return fail(p, p->word,
                    "the tensor has %" PRIu64 " bytes, the buffer of argument %zu only %" PRIu64,
                    wanted, p->out->same, p->out->count * p->out->element->bytes);
    return status;
}

/* "BOX[,swizzle=N][,nan]:TYPExSIZES=FILL" or "...=same:N". */
static ifl_status parse_tensor(parser *p)
{
    ifl_tensor_map *map = ifl_arena_alloc(p->arena, sizeof *map);
    if (!map)
        return ifl_fail_memory(p->error, sizeof *map);
    if (p->param->bytes != IFL_TENSOR_MAP_BYTES)
        return fail_param(p, p->word, "a tensor map of 128 bytes (CUtensorMap)");
    *map = (ifl_tensor_map){0};
    p->out->tensor = map;
    ifl_status status = read_box(p, map);
    if (status == IFL_OK)
        status = read_tensor_options(p, map);
    if (status == IFL_OK)
        status = read_tensor(p, map);
    if (status != IFL_OK)
        return status;
    if (!accept(p, "="))
        return fail(p, p->at, "expected '=' and a fill, or =same:N");
    p->out->kind = IFL_ARGUMENT_BUFFER;
    return accept(p, "same:") ? share_buffer(p) : parse_fill(p);
}

/* ---- textures -------------------------------------------------------------------------------- */

/* "point" or "linear", then ",border" and ",rows" in any order. */
static ifl_status read_texture_options(parser *p, ifl_texture *t)
{
    const uint8_t outside[] = {IFL_OUTSIDE_CLAMP, IFL_OUTSIDE_BORDER};
    t->filters = accept(p, "linear");
    bool is_known = t->filters || accept(p, "point"), has_border = false;
    t->is_blocks = true;
    for (bool goes_on = is_known; goes_on;) {
        goes_on = accept(p, ",border");
        has_border |= goes_on;
        if (accept(p, ",rows")) {
            t->is_blocks = false;
            goes_on = true;
        }
    }
    for (unsigned i = 0; i < IFL_TEXTURE_RANKS; i++)
        t->mode[i] = outside[has_border];
    is_known &= accept(p, ":");
    return is_known ? IFL_OK
                    : fail(p, p->at,
                           "expected 'linear' or 'point', then ',border', ',rows', or ':' and the "
                           "image, for instance texture:linear:f32x1024,1024=random");
}

/* CUDA Driver API reference, cuArrayCreate and cuTexObjectCreate: elements of 8, 16 and 32 bits;
 * what is filtered is read as a float. */
static bool takes_texel(const ifl_element *element, ifl_texture *t)
{
    enum { BYTE = 8, MOST_BYTES = 4 };
    const bool is_float = element->type == IFL_ELEMENT_F16 || element->type == IFL_ELEMENT_F32,
               is_signed = element->type == IFL_ELEMENT_I8 || element->type == IFL_ELEMENT_I16 ||
                           element->type == IFL_ELEMENT_I32;
    t->texel = (ifl_texel){.of = is_float    ? IFL_TEXEL_FLOAT
                                 : is_signed ? IFL_TEXEL_SIGNED
                                             : IFL_TEXEL_UNSIGNED,
                           .bits = (uint8_t)(element->bytes * BYTE),
                           .channels = 1};
    return element->bytes <= MOST_BYTES && element->type != IFL_ELEMENT_BF16 &&
           (is_float || !t->filters);
}

/* Rows lie one after the other, in memory as in an array: an array's end with a block of 64 bytes by
 * 8 rows, and those in memory with cudaDeviceProp's texturePitchAlignment. */
static ifl_status read_image(parser *p, ifl_texture *t)
{
    enum { ROW = 64, ROWS = 8, PITCH = 32, MOST = 65000 };
    const char *at = p->at;
    uint64_t size[IFL_TENSOR_RANKS];
    unsigned rank;
    const ifl_status status = read_numbers(p, MOST, size, IFL_TENSOR_RANKS, &rank);
    if (status != IFL_OK)
        return status;
    const uint64_t row = size[0] * p->out->element->bytes, unit = t->is_blocks ? ROW : PITCH;
    if (rank != 2)
        return fail(p, at, "expected the image's width and height, not %u sizes", rank);
    if (row % unit || (t->is_blocks && size[1] % ROWS))
        return fail(p, at, "rows of %" PRIu64 " bytes; they are a multiple of %" PRIu64 "%s", row,
                    unit, t->is_blocks ? ", and the rows a multiple of 8 (or ',rows')" : "");
    t->rank = 2;
    t->layers = 1;
    t->size[0] = (uint32_t)size[0];
    t->size[1] = (uint32_t)size[1];
    t->size[2] = 1;
    t->pitch = row;
    t->slice = t->bytes = row * size[1];
    p->out->count = size[0] * size[1];
    return IFL_OK;
}

/* "OPTIONS:TYPExWIDTH,HEIGHT=FILL". */
static ifl_status parse_texture(parser *p)
{
    ifl_texture *t = ifl_arena_alloc(p->arena, sizeof *t);
    if (!t)
        return ifl_fail_memory(p->error, sizeof *t);
    if (!can_be_pointer(p->param))
        return fail_param(p, p->word, "a texture object of 8 bytes (cudaTextureObject_t)");
    memset(t, 0, sizeof *t);
    ifl_status status = read_texture_options(p, t);
    if (status != IFL_OK)
        return status;
    const size_t length = strcspn(p->at, "x");
    const ifl_element *element = ifl_element_find(p->at, length);
    if (!element || p->at[length] != 'x' || !takes_texel(element, t))
        return fail(p, p->at, "expected %s, 'x' and the image's width and height",
                    t->filters ? "f32 or f16" : "a type of 8 to 32 bits");
    p->out->element = element;
    p->out->texture = t;
    p->at += length + 1;
    status = read_image(p, t);
    if (status != IFL_OK)
        return status;
    p->out->kind = IFL_ARGUMENT_BUFFER;
    return accept(p, "=") ? parse_fill(p) : fail(p, p->at, "expected '=' and a fill");
}

/* ---- @ --------------------------------------------------------------------------------------- */

static ifl_status read_bytes_from(parser *p, ifl_npy *npy)
{
    const uint64_t bytes = npy->count * npy->element->bytes;
    if (bytes != p->param->bytes)
        return fail(p, p->word, "the file holds %" PRIu64 " bytes, parameter %zu has %" PRIu64,
                    bytes, p->context->index, p->param->bytes);
    uint8_t *value = new_value(p, bytes);
    if (!value)
        return ifl_fail_memory(p->error, bytes);
    const ifl_status status = ifl_npy_read(npy, p->out->fill.path, value, p->error);
    return status == IFL_OK ? describe_bytes(p) : status;
}

static ifl_status make_file_buffer(parser *p, const ifl_npy *npy)
{
    if (npy->count == 0)
        return fail(p, p->word, "the file holds no element");
    p->out->kind = IFL_ARGUMENT_BUFFER;
    p->out->element = npy->element;
    p->out->count = npy->count;
    char name[MAX_NAME];
    return describe(p, "%s×%" PRIu64 "%s = %s", npy->element->name, npy->count, named(p, name),
                    p->word);
}

/* A file alone: a buffer of its type and size for a pointer, the structure's bytes for anything
 * else. */
static ifl_status parse_file(parser *p)
{
    ifl_npy npy;
    ifl_status status = open_npy(p, p->at, NULL, &npy);
    if (status != IFL_OK)
        return status;
    const bool pointer = is_plain(p->param) && can_be_pointer(p->param);
    status = pointer ? make_file_buffer(p, &npy) : read_bytes_from(p, &npy);
    ifl_npy_close(&npy);
    return status;
}

/* ---- words ----------------------------------------------------------------------------------- */

static const char expected[] =
    "expected a scalar (i32:5), a buffer (f32x1000=random), bytes:HEX, "
    "a structure (struct:...), a tensor map (tensor:...), a texture (texture:...), same:N or null";

static bool starts_number(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

static ifl_status parse_element(parser *p)
{
    const size_t length = strcspn(p->at, ":x=+");
    const ifl_element *element = ifl_element_find(p->at, length);
    if (!element)
        return fail(p, p->at, "%s", expected);
    const char *separator = p->at + length;
    if (*separator != ':' && *separator != 'x')
        return fail(p, separator, "expected ':' and a value, or 'x' and a count");
    p->at = separator + 1;
    return *separator == ':' ? parse_typed(p, element, p->at) : parse_buffer(p, element);
}

static ifl_status parse_word(parser *p)
{
    if (strcmp(p->at, "null") == 0) {
        if (!can_be_pointer(p->param))
            return fail_param(p, p->word, "a pointer");
        if (!new_value(p, POINTER_BYTES))
            return ifl_fail_memory(p->error, POINTER_BYTES);
        char name[MAX_NAME];
        return describe(p, "null pointer%s", named(p, name));
    }
    if (accept(p, "same:"))
        return parse_same(p);
    if (accept(p, "tensor:"))
        return parse_tensor(p);
    if (accept(p, "texture:"))
        return parse_texture(p);
    if (accept(p, "bytes:"))
        return parse_bytes(p);
    if (accept(p, "@"))
        return p->at[0] && strspn(p->at, "0123456789") == strlen(p->at) ? parse_same(p)
                                                                        : parse_file(p);
    return starts_number(*p->at) ? parse_bare(p) : parse_element(p);
}

ifl_status ifl_argument_parse(ifl_arena *arena, const ifl_argument_context *context,
                              const char *word, ifl_argument *out, ifl_error *error)
{
    *out = (ifl_argument){.parameter = context->parameter};
    parser p = {arena, context, context->param, word, word, out, error};
    return parse_word(&p);
}
