/* SPDX-License-Identifier: Apache-2.0
 * Initialisers of variables: nested lists of numbers and addresses, as bytes and relocations. */
#include "ptx/parser.h"

#include <string.h>

typedef struct filler {
    ifl_ptx_parser *parser;
    const ifl_ptx_shape *shape;
    uint32_t variable;
    ifl_type type;
    uint64_t limit; /* bytes that may be filled */
    uint64_t at;    /* where the next value goes */
    IFL_VEC(uint8_t) bytes;
} filler;

/* Bytes of one element of the array at `level` dimensions down. */
static uint64_t span_of(const ifl_ptx_shape *shape, unsigned level)
{
    uint64_t bytes = (uint64_t)shape->element_bytes * shape->vector;
    for (unsigned i = level; i < shape->count; i++)
        bytes *= shape->dimension[i];
    return bytes;
}

static bool make_room(filler *fill, uint64_t offset, unsigned bytes, const char *at)
{
    if (offset > fill->limit || bytes > fill->limit - offset)
        return ifl_ptx_fail(fill->parser, at, "more values than the variable has room for");
    if (offset + bytes <= fill->bytes.count)
        return true;
    size_t more = (size_t)(offset + bytes) - fill->bytes.count;
    if (!ifl_vec_reserve(&fill->bytes, more))
        return ifl_ptx_no_memory(fill->parser);
    memset(fill->bytes.at + fill->bytes.count, 0, more);
    fill->bytes.count += more;
    return true;
}

/* ---- addresses ------------------------------------------------------------------------------ */

static bool take_symbol(filler *fill, ifl_ptx_pending_word *word)
{
    ifl_ptx_parser *parser = fill->parser;
    word->at = parser->lexer.token.at;
    word->relocation.generic = ifl_ptx_is_text(parser, IFL_PTX_WORD, "generic");
    if (word->relocation.generic) {
        ifl_ptx_next(parser);
        if (!ifl_ptx_expect(parser, '(', "after 'generic'"))
            return false;
    }
    if (!ifl_ptx_take_name(parser, "a name", &word->name))
        return false;
    if (word->relocation.generic && !ifl_ptx_expect(parser, ')', "after the name"))
        return false;
    if (ifl_ptx_is(parser, '+') || ifl_ptx_is(parser, '-'))
        return ifl_ptx_take_offset(parser, &word->relocation.addend);
    return true;
}

static bool add_word(filler *fill, uint64_t offset, ifl_ptx_pending_word *word)
{
    ifl_ptx_parser *parser = fill->parser;
    unsigned bytes = fill->shape->element_bytes;
    bool is_masked = word->relocation.bytes == 1;
    if (!is_masked && bytes != 4 && bytes != 8)
        return ifl_ptx_fail(parser, word->at, "an address needs elements of 4 or 8 bytes");
    word->relocation.offset = offset;
    word->relocation.bytes = is_masked ? 1 : (uint8_t)bytes;
    word->variable = fill->variable;
    return make_room(fill, offset, bytes, word->at) &&
           (ifl_vec_push(&parser->words, *word) || ifl_ptx_no_memory(parser));
}

/* The mask of one byte, 0xff00 for instance: which byte it takes. PTX ISA, "Initializers", mask()
 * operator. */
static bool set_mask(filler *fill, const ifl_ptx_value *mask, const char *at,
                     ifl_ptx_pending_word *word)
{
    for (unsigned shift = 0; shift < 64 && mask->kind <= IFL_PTX_UNSIGNED; shift += 8) {
        if (mask->bits != UINT64_C(0xff) << shift)
            continue;
        word->relocation.bytes = 1;
        word->relocation.shift = (uint8_t)shift;
        return true;
    }
    return ifl_ptx_fail(fill->parser, at, "a mask takes one byte of an address: 0xff, 0xff00, ...");
}

/* "mask(0xff, symbol)" */
static bool take_mask(filler *fill, ifl_ptx_pending_word *word)
{
    ifl_ptx_parser *parser = fill->parser;
    ifl_ptx_value mask;
    ifl_ptx_next(parser);
    if (!ifl_ptx_expect(parser, '(', "after 'mask'"))
        return false;
    const char *at = parser->lexer.token.at;
    return ifl_ptx_take_expression(parser, &mask) && set_mask(fill, &mask, at, word) &&
           ifl_ptx_expect(parser, ',', "after the mask") && take_symbol(fill, word) &&
           ifl_ptx_expect(parser, ')', "after the name");
}

/* ---- values --------------------------------------------------------------------------------- */

static bool put_value(filler *fill, uint64_t offset, const ifl_ptx_value *value, const char *at)
{
    int64_t bits;
    unsigned bytes = fill->shape->element_bytes;
    if (!ifl_ptx_value_bits(value, fill->type, &bits))
        return ifl_ptx_fail(fill->parser, at, "'.%s' cannot hold this value",
                            ifl_type_text(fill->type));
    if (!make_room(fill, offset, bytes, at))
        return false;
    for (unsigned i = 0; i < bytes && i < sizeof bits; i++)
        fill->bytes.at[offset + i] = (uint8_t)((uint64_t)bits >> 8 * i);
    return true;
}

/* A number, or 0xff00(symbol): a byte of its address. */
static bool take_number(filler *fill, uint64_t offset)
{
    ifl_ptx_parser *parser = fill->parser;
    ifl_ptx_value value;
    ifl_ptx_pending_word word = {0};
    const char *at = parser->lexer.token.at;
    if (!ifl_ptx_take_expression(parser, &value))
        return false;
    if (!ifl_ptx_accept(parser, '('))
        return put_value(fill, offset, &value, at);
    return set_mask(fill, &value, at, &word) && take_symbol(fill, &word) &&
           ifl_ptx_expect(parser, ')', "after the name") && add_word(fill, offset, &word);
}

static bool take_element(filler *fill, uint64_t offset)
{
    ifl_ptx_pending_word word = {0};
    if (ifl_ptx_is_expression_start(fill->parser))
        return take_number(fill, offset);
    bool is_mask = ifl_ptx_is_text(fill->parser, IFL_PTX_WORD, "mask");
    return (is_mask ? take_mask(fill, &word) : take_symbol(fill, &word)) &&
           add_word(fill, offset, &word);
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* A level of braces: one a dimension, and one more for a vector. */
static unsigned levels_of(const ifl_ptx_shape *shape)
{
    return shape->count + (shape->vector > 1);
}

/* Entries that a list at `level` has room for. */
static uint64_t room_at(const ifl_ptx_shape *shape, unsigned level)
{
    if (level == 0 && shape->is_open)
        return IFL_PTX_MAX_DATA / (span_of(shape, 1) ? span_of(shape, 1) : 1);
    return level < shape->count ? shape->dimension[level] : shape->vector;
}

static bool take_list(filler *fill, unsigned level, uint64_t *count);

static bool take_entry(filler *fill, unsigned level)
{
    ifl_ptx_parser *parser = fill->parser;
    uint64_t count;
    bool is_list = ifl_ptx_is(parser, '{'), is_wanted = level + 1 < levels_of(fill->shape);
    if (is_list != is_wanted)
        return ifl_ptx_fail(parser, parser->lexer.token.at,
                            "%s braces than the variable has dimensions",
                            is_list ? "more" : "fewer");
    if (is_list)
        return take_list(fill, level + 1, &count);
    if (!take_element(fill, fill->at))
        return false;
    fill->at += fill->shape->element_bytes;
    return true;
}

/* A list that is too short for its dimension leaves no gap: ptxas (CUDA 13.0) lays the values of
 * all lists behind one another and the zeros behind the last, so {{1}, {2}} of [2][3] is
 * 1 2 0 0 0 0. The PTX ISA ("Initializers") has zeros at the end of each list; hardware runs what
 * ptxas lays out. Like ptxas, we want a level of braces for each dimension and all values of a
 * vector. */
static bool take_list(filler *fill, unsigned level, uint64_t *count)
{
    ifl_ptx_parser *parser = fill->parser;
    const ifl_ptx_shape *shape = fill->shape;
    *count = 0;
    if (!ifl_ptx_expect(parser, '{', "before the values"))
        return false;
    bool is_more = !ifl_ptx_is(parser, '}');
    while (is_more) {
        if (++*count > room_at(shape, level))
            return ifl_ptx_fail(parser, parser->lexer.token.at,
                                "more values than the variable has room for");
        if (!take_entry(fill, level))
            return false;
        is_more = ifl_ptx_accept(parser, ',');
    }
    if (level == shape->count && *count != shape->vector)
        return ifl_ptx_fail(parser, parser->lexer.token.at,
                            "a vector of %u elements takes %u values", shape->vector,
                            shape->vector);
    return ifl_ptx_expect(parser, '}', "after the values");
}

static bool keep(filler *fill, ifl_variable *variable)
{
    ifl_ptx_parser *parser = fill->parser;
    uint64_t total = variable->bytes;
    parser->data_bytes += total;
    if (parser->data_bytes > IFL_PTX_MAX_DATA)
        return ifl_ptx_fail(parser, parser->lexer.token.at,
                            "initialised variables of more than 256 MiB");
    uint8_t *data = ifl_arena_alloc(&parser->program->arena, total ? total : 1);
    if (!data)
        return ifl_ptx_no_memory(parser);
    if (fill->bytes.count)
        memcpy(data, fill->bytes.at, fill->bytes.count);
    variable->data = data;
    return true;
}

bool ifl_ptx_take_initializer(ifl_ptx_parser *parser, const ifl_ptx_shape *shape, uint32_t index,
                              ifl_variable *variable)
{
    uint64_t most = IFL_PTX_MAX_DATA;
    filler fill = {
        .parser = parser, .shape = shape, .variable = index, .type = (ifl_type)variable->type};
    fill.limit = shape->is_open || variable->bytes > most ? most : variable->bytes;
    bool is_list = ifl_ptx_is(parser, '{');
    uint64_t entries = 0;
    if (is_list && !levels_of(shape))
        return ifl_ptx_fail(parser, parser->lexer.token.at,
                            "more braces than the variable has dimensions");
    bool done = is_list ? take_list(&fill, 0, &entries) : take_element(&fill, 0);
    if (done && shape->is_open)
        variable->bytes = entries * span_of(shape, 1);
    done = done && keep(&fill, variable);
    ifl_vec_free(&fill.bytes);
    return done;
}
