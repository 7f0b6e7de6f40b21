/* SPDX-License-Identifier: Apache-2.0
 * What names mean where: scopes, registers, labels. A name's innermost binding is found at once;
 * each binding knows the one that it hides. */
#include "ptx/parser.h"

#include <string.h>

const ifl_ptx_binding *ifl_ptx_find(const ifl_ptx_parser *parser, uint32_t name)
{
    uint32_t binding = parser->names.list.at[name].binding;
    return binding ? &parser->bindings.at[binding] : NULL;
}

static uint32_t *place_of(ifl_ptx_parser *parser, uint32_t name, ifl_ptx_meaning meaning)
{
    ifl_ptx_name *of = &parser->names.list.at[name];
    return meaning == IFL_PTX_RANGE ? &of->range : &of->binding;
}

bool ifl_ptx_bind(ifl_ptx_parser *parser, uint32_t name, ifl_ptx_meaning meaning, uint32_t index,
                  const char *at)
{
    uint32_t *place = place_of(parser, name, meaning);
    if (*place && parser->bindings.at[*place].depth == parser->depth)
        return ifl_ptx_fail(parser, at, "'%.200s' is declared twice",
                            ifl_ptx_text_of(parser, name));
    ifl_ptx_binding binding = {.name = name,
                               .outer = *place,
                               .index = index,
                               .meaning = (uint16_t)meaning,
                               .depth = parser->depth};
    if (!parser->bindings.count && !ifl_vec_push(&parser->bindings, (ifl_ptx_binding){0}))
        return ifl_ptx_no_memory(parser);
    if (!ifl_vec_push(&parser->bindings, binding))
        return ifl_ptx_no_memory(parser);
    *place = (uint32_t)(parser->bindings.count - 1);
    return true;
}

/* %tid.x is bound under %tid; .y and .z follow it in special.def. */
bool ifl_ptx_bind_specials(ifl_ptx_parser *parser)
{
    for (uint32_t i = 0; i < IFL_SPECIAL_COUNT; i++) {
        const char *text = ifl_special_text((ifl_special)i);
        size_t length = strcspn(text, ".");
        if (text[0] != '%' || (text[length] && strcmp(text + length, ".x")))
            continue;
        uint32_t name = ifl_ptx_name_of(&parser->names, &parser->program->arena, text, length);
        if (!name)
            return ifl_ptx_no_memory(parser);
        if (!ifl_ptx_bind(parser, name, IFL_PTX_SPECIAL, i, NULL))
            return false;
    }
    return true;
}

/* ---- registers ------------------------------------------------------------------------------ */

bool ifl_ptx_add_register(ifl_ptx_parser *parser, const char *text, unsigned bits, const char *at,
                          uint32_t *index)
{
    if (parser->registers.count >= IFL_PTX_MAX_REGISTERS)
        return ifl_ptx_fail(parser, at, "a function has at most %d registers",
                            IFL_PTX_MAX_REGISTERS);
    *index = (uint32_t)parser->registers.count;
    ifl_register new = {.name = text, .bits = (uint16_t)bits};
    return ifl_vec_push(&parser->registers, new) || ifl_ptx_no_memory(parser);
}

/* Splits "%r12" into the name of its range and its number; 0 when it cannot belong to one. */
static uint32_t range_name(const ifl_ptx_parser *parser, const ifl_ptx_name *name, uint32_t *number)
{
    size_t start = name->length;
    uint64_t value = 0, scale = 1;
    while (start && name->text[start - 1] >= '0' && name->text[start - 1] <= '9' &&
           scale < 1000000000) {
        value += (uint64_t)(name->text[--start] - '0') * scale;
        scale *= 10;
    }
    bool has_leading_zero = name->text[start] == '0' && start + 1 < name->length;
    if (start == name->length || has_leading_zero)
        return 0;
    *number = (uint32_t)value;
    return ifl_ptx_name_find(&parser->names, name->text, start);
}

static const ifl_ptx_binding *find_range(const ifl_ptx_parser *parser, uint32_t name,
                                         uint32_t *number)
{
    uint32_t prefix = range_name(parser, &parser->names.list.at[name], number);
    const uint32_t range = prefix ? parser->names.list.at[prefix].range : 0;
    const ifl_ptx_binding *binding = &parser->bindings.at[range];
    return range && *number < parser->ranges.at[binding->index].count ? binding : NULL;
}

static bool find_member(ifl_ptx_parser *parser, uint32_t range, uint32_t number, uint32_t name,
                        uint32_t *index)
{
    uint64_t key = (uint64_t)(range + 1) << 32 | number;
    const uint32_t *known = ifl_ptx_map_find(&parser->members, key);
    if (known) {
        *index = *known;
        return true;
    }
    if (!ifl_ptx_add_register(parser, ifl_ptx_text_of(parser, name), parser->ranges.at[range].bits,
                              parser->lexer.token.at, index))
        return false;
    return ifl_ptx_map_set(&parser->members, key, *index) || ifl_ptx_no_memory(parser);
}

bool ifl_ptx_find_register(ifl_ptx_parser *parser, uint32_t name, bool *found, uint32_t *index)
{
    uint32_t number;
    const ifl_ptx_binding *exact = ifl_ptx_find(parser, name);
    const ifl_ptx_binding *range = find_range(parser, name, &number);
    *found = true;
    if (range && (!exact || exact->depth < range->depth))
        return find_member(parser, range->index, number, name, index);
    *found = exact && exact->meaning == IFL_PTX_REGISTER;
    *index = *found ? exact->index : 0;
    return true;
}

/* ---- scopes --------------------------------------------------------------------------------- */

bool ifl_ptx_open_scope(ifl_ptx_parser *parser, ifl_ptx_scope *scope)
{
    if (parser->depth >= IFL_PTX_MAX_SCOPES)
        return ifl_ptx_fail(parser, parser->lexer.token.at, "blocks are nested too deeply");
    parser->depth++;
    *scope = (ifl_ptx_scope){parser->bindings.count, parser->labels.count, parser->frame};
    return true;
}

static void settle_labels(ifl_ptx_parser *parser, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < parser->labels.count; i++) {
        ifl_ptx_pending label = parser->labels.at[i];
        const ifl_ptx_binding *binding = ifl_ptx_find(parser, label.name);
        if (binding && binding->meaning == IFL_PTX_LABEL && binding->depth == parser->depth)
            parser->operands.at[label.operand].value = binding->index;
        else
            parser->labels.at[kept++] = label;
    }
    parser->labels.count = kept;
}

void ifl_ptx_close_scope(ifl_ptx_parser *parser, const ifl_ptx_scope *scope)
{
    settle_labels(parser, scope->labels);
    while (parser->bindings.count > scope->bindings) {
        const ifl_ptx_binding *binding = &parser->bindings.at[--parser->bindings.count];
        *place_of(parser, binding->name, (ifl_ptx_meaning)binding->meaning) = binding->outer;
    }
    parser->frame = scope->frame;
    parser->depth--;
}
