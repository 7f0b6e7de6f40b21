/* SPDX-License-Identifier: Apache-2.0
 * call: "call (results), function, (arguments), prototype;" in all its shorter forms. Whether the
 * arguments fit is checked in link.c, when every function is known. */
#include "ptx/parser.h"

static bool is_argument(const ifl_ptx_parser *parser, const ifl_ptx_written_part *part)
{
    switch ((ifl_operand_kind)part->operand.kind) {
    case IFL_OPERAND_VARIABLE:
        return parser->variables.at[part->operand.index].space == IFL_SPACE_PARAM &&
               !part->operand.value;
    case IFL_OPERAND_REGISTER:
        return !part->operand.negated && parser->registers.at[part->operand.index].bits > 1;
    case IFL_OPERAND_IMMEDIATE:
        return true;
    case IFL_OPERAND_NONE:
        return !part->name; /* the sink */
    default:
        return false;
    }
}

static bool add_argument(ifl_ptx_parser *parser, bool is_result)
{
    ifl_ptx_written_part part;
    if (!ifl_ptx_take_part(parser, &part))
        return false;
    bool is_constant = part.operand.kind == IFL_OPERAND_IMMEDIATE;
    bool is_sink = part.operand.kind == IFL_OPERAND_NONE;
    if (!is_argument(parser, &part) || (is_result ? is_constant : is_sink))
        return ifl_ptx_fail(parser, part.at, "'call' passes registers and .param variables");
    if (is_constant && !ifl_ptx_value_bits(&part.value, IFL_TYPE_B64, &part.operand.value))
        return ifl_ptx_fail(parser, part.at, "this constant cannot be passed");
    return ifl_ptx_add_operand(parser, part.operand);
}

/* "(a, b)": a VECTOR and its members. */
static bool take_list(ifl_ptx_parser *parser, bool is_result)
{
    size_t head = parser->operands.count;
    ifl_operand vector = {.kind = IFL_OPERAND_VECTOR};
    if (!ifl_ptx_add_operand(parser, vector) || !ifl_ptx_expect(parser, '(', "before the list"))
        return false;
    while (!ifl_ptx_is(parser, ')')) {
        if (parser->operands.at[head].index++ == IFL_PTX_MAX_LIST)
            return ifl_ptx_fail(parser, parser->lexer.token.at, "more than %d arguments",
                                IFL_PTX_MAX_LIST);
        if (!add_argument(parser, is_result))
            return false;
        if (!ifl_ptx_accept(parser, ','))
            break;
    }
    return ifl_ptx_expect(parser, ')', "after the list");
}

static bool add_nothing(ifl_ptx_parser *parser)
{
    return ifl_ptx_add_operand(parser, (ifl_operand){0});
}

static bool take_results(ifl_ptx_parser *parser)
{
    if (!ifl_ptx_is(parser, '('))
        return add_nothing(parser);
    return take_list(parser, true) && ifl_ptx_expect(parser, ',', "after the results");
}

static bool take_callee(ifl_ptx_parser *parser, bool *is_indirect)
{
    ifl_ptx_written_part part;
    if (!ifl_ptx_take_part(parser, &part))
        return false;
    *is_indirect = part.operand.kind == IFL_OPERAND_REGISTER;
    if (*is_indirect && parser->registers.at[part.operand.index].bits < 32)
        return ifl_ptx_fail(parser, part.at, "this register cannot hold a function's address");
    if (part.operand.kind == IFL_OPERAND_FUNCTION || (*is_indirect && !part.operand.negated))
        return ifl_ptx_add_operand(parser, part.operand);
    if (part.operand.kind != IFL_OPERAND_NONE || !part.name || part.operand.value)
        return ifl_ptx_fail(parser, part.at, "'call' needs a function");
    part.operand.kind = IFL_OPERAND_FUNCTION; /* it stands further down */
    return ifl_ptx_add_symbol(parser, &part);
}

/* A .calltargets list stands where it is used: a VECTOR of FUNCTION operands. */
static bool add_targets(ifl_ptx_parser *parser, uint32_t index, const char *at)
{
    const ifl_ptx_list list = parser->lists.at[index];
    ifl_operand head = {.kind = IFL_OPERAND_VECTOR, .index = list.count};
    bool done = ifl_ptx_add_operand(parser, head);
    for (uint32_t i = 0; done && i < list.count; i++) {
        ifl_ptx_written_part part = {.operand = {.kind = IFL_OPERAND_FUNCTION},
                                     .name = parser->list_names.at[list.first + i],
                                     .at = at};
        done = ifl_ptx_add_symbol(parser, &part);
    }
    return done;
}

static bool take_prototype(ifl_ptx_parser *parser, uint32_t *prototype)
{
    uint32_t name;
    const char *at = parser->lexer.token.at;
    if (!ifl_ptx_take_name(parser, "a prototype", &name))
        return false;
    const ifl_ptx_binding *binding = ifl_ptx_find(parser, name);
    if (binding && binding->meaning == IFL_PTX_CALL_TARGETS)
        return add_targets(parser, binding->index, at);
    if (!binding || binding->meaning != IFL_PTX_PROTOTYPE)
        return ifl_ptx_fail(parser, at, "unknown prototype '%.200s'",
                            ifl_ptx_text_of(parser, name));
    *prototype = binding->index;
    return add_nothing(parser);
}

/* What follows the callee: arguments, a prototype, both or neither. */
static bool take_rest(ifl_ptx_parser *parser, uint32_t *prototype)
{
    bool has_more = ifl_ptx_accept(parser, ',');
    if (has_more && ifl_ptx_is(parser, '(')) {
        if (!take_list(parser, false))
            return false;
        has_more = ifl_ptx_accept(parser, ',');
    } else if (!add_nothing(parser)) {
        return false;
    }
    return has_more ? take_prototype(parser, prototype) : add_nothing(parser);
}

bool ifl_ptx_take_call(ifl_ptx_parser *parser, ifl_instruction *instruction)
{
    bool is_indirect;
    ifl_ptx_call call = {.instruction = (uint32_t)parser->instructions.count,
                         .prototype = UINT32_MAX,
                         .at = parser->lexer.token.at};
    size_t first = parser->operands.count;
    if (!take_results(parser) || !take_callee(parser, &is_indirect) ||
        !take_rest(parser, &call.prototype))
        return false;
    bool has_list = parser->operands.at[parser->operands.count - 1].kind != IFL_OPERAND_NONE;
    if (is_indirect && call.prototype == UINT32_MAX && !has_list)
        return ifl_ptx_fail(parser, call.at, "a call through a register needs a prototype");
    instruction->first_operand = (uint32_t)first;
    return ifl_vec_push(&parser->calls, call) || ifl_ptx_no_memory(parser);
}
