/* SPDX-License-Identifier: Apache-2.0
 * Functions: headers, launch bounds, forward declarations; prototypes of indirect calls. */
#include "ptx/parser.h"

#include <string.h>

/* A header as it is read, before it is known to be new, repeated or the definition of an earlier
 * one. */
typedef struct header {
    ifl_function is;
    uint32_t name;
    const char *at;
    IFL_VEC(ifl_variable) variables; /* returns, then parameters */
    IFL_VEC(uint32_t) names;
} header;

/* ---- launch bounds -------------------------------------------------------------------------- */

static bool take_numbers(ifl_ptx_parser *parser, unsigned most, uint32_t *to)
{
    uint64_t value;
    unsigned count = 0;
    do {
        if (!ifl_ptx_take_count(parser, UINT32_MAX, "this value", &value))
            return false;
        if (count < most)
            to[count] = (uint32_t)value;
        count++;
    } while (ifl_ptx_accept(parser, ','));
    for (; count < most; count++)
        to[count] = 1; /* PTX ISA, ".maxntid": dimensions left out are 1 */
    return true;
}

static bool take_bound(ifl_ptx_parser *parser, ifl_function *function)
{
    uint32_t ignored[1];
    const struct {
        const char *text;
        unsigned numbers;
        uint32_t *to;
    } table[] = {
        {"maxntid", 3, function->max_threads},
        {"reqntid", 3, function->required_threads},
        {"minnctapersm", 1, &function->min_blocks},
        {"reqnctapercluster", 3, function->cluster},
        {"maxnreg", 1, ignored},
        {"maxnctapersm", 1, ignored},
        {"maxclusterrank", 1, &function->max_cluster_blocks},
        {"abi_preserve", 1, ignored},
        {"abi_preserve_control", 1, ignored},
        {"explicitcluster", 0, &function->needs_cluster},
        {"blocksareclusters", 0, NULL},
        {"noreturn", 0, NULL},
        {"unique", 0, NULL},
    };
    const ifl_ptx_token token = parser->lexer.token;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!ifl_ptx_is_text(parser, IFL_PTX_DOT, table[i].text))
            continue;
        ifl_ptx_next(parser);
        if (!table[i].numbers && table[i].to)
            *table[i].to = 1;
        return !table[i].numbers || take_numbers(parser, table[i].numbers, table[i].to);
    }
    return ifl_ptx_miss(parser, token.at, "the directive '.%.*s' is not supported here",
                        (int)(token.length < 60 ? token.length : 60), token.at);
}

static bool take_strings(ifl_ptx_parser *parser)
{
    do {
        ifl_ptx_next(parser);
        if (!ifl_ptx_is_kind(parser, IFL_PTX_STRING))
            return ifl_ptx_unexpected(parser, "a string");
        ifl_ptx_next(parser);
    } while (ifl_ptx_is(parser, ','));
    ifl_ptx_accept(parser, ';');
    return true;
}

static bool take_bounds(ifl_ptx_parser *parser, ifl_function *function)
{
    while (ifl_ptx_is_kind(parser, IFL_PTX_DOT)) {
        bool done;
        if (ifl_ptx_is_text(parser, IFL_PTX_DOT, "pragma")) {
            done = take_strings(parser);
        } else if (ifl_ptx_is_text(parser, IFL_PTX_DOT, "attribute")) {
            ifl_ptx_next(parser);
            done = ifl_ptx_skip_group(parser);
        } else {
            done = take_bound(parser, function);
        }
        if (!done)
            return false;
    }
    return true;
}

/* ---- parameter lists ------------------------------------------------------------------------ */

static bool take_list(ifl_ptx_parser *parser, header *to, uint32_t *count)
{
    if (!ifl_ptx_accept(parser, '('))
        return true;
    while (!ifl_ptx_is(parser, ')')) {
        ifl_variable variable;
        uint32_t name;
        if (to->variables.count >= IFL_PTX_MAX_LIST)
            return ifl_ptx_fail(parser, parser->lexer.token.at, "more than %d parameters",
                                IFL_PTX_MAX_LIST);
        if (!ifl_ptx_take_param(parser, &variable, &name))
            return false;
        if (!ifl_vec_push(&to->variables, variable) || !ifl_vec_push(&to->names, name))
            return ifl_ptx_no_memory(parser);
        (*count)++;
        if (!ifl_ptx_accept(parser, ','))
            break;
    }
    return ifl_ptx_expect(parser, ')', "after the parameters");
}

static bool take_header(ifl_ptx_parser *parser, header *to)
{
    const ifl_ptx_token token = parser->lexer.token;
    to->is.is_kernel = ifl_ptx_is_text(parser, IFL_PTX_DOT, "entry");
    to->is.line = token.line;
    ifl_ptx_next(parser);
    if (ifl_ptx_is_text(parser, IFL_PTX_DOT, "attribute")) {
        ifl_ptx_next(parser);
        if (!ifl_ptx_skip_group(parser))
            return false;
    }
    if (!to->is.is_kernel && !take_list(parser, to, &to->is.return_count))
        return false;
    to->at = parser->lexer.token.at;
    if (!ifl_ptx_take_name(parser, "the name of a function", &to->name))
        return false;
    to->is.name = ifl_ptx_text_of(parser, to->name);
    return take_list(parser, to, &to->is.param_count) && take_bounds(parser, &to->is);
}

static bool place_header(ifl_ptx_parser *parser, header *to)
{
    uint64_t *used = to->is.is_kernel ? &to->is.param_bytes : &to->is.frame_bytes;
    for (size_t i = 0; i < to->variables.count; i++)
        if (!ifl_ptx_place(parser, &to->variables.at[i], used, to->at))
            return false;
    return true;
}

/* ---- joining with earlier declarations ------------------------------------------------------ */

static uint32_t *number_variables(ifl_ptx_parser *parser, uint32_t first, uint32_t count)
{
    uint32_t *list = ifl_arena_alloc(&parser->program->arena, (count + 1) * sizeof *list);
    for (uint32_t i = 0; list && i < count; i++)
        list[i] = first + i;
    return list;
}

static bool add_function(ifl_ptx_parser *parser, header *from, uint32_t *index)
{
    uint32_t first = (uint32_t)parser->variables.count;
    *index = (uint32_t)parser->functions.count;
    for (size_t i = 0; i < from->variables.count; i++)
        if (!ifl_vec_push(&parser->variables, from->variables.at[i]))
            return ifl_ptx_no_memory(parser);
    from->is.returns = number_variables(parser, first, from->is.return_count);
    from->is.params = number_variables(parser, first + from->is.return_count, from->is.param_count);
    if (!from->is.returns || !from->is.params || !ifl_vec_push(&parser->functions, from->is) ||
        !ifl_vec_push(&parser->aliases, *index))
        return ifl_ptx_no_memory(parser);
    return ifl_ptx_bind(parser, from->name, IFL_PTX_FUNCTION, *index, from->at);
}

static bool is_same_shape(const ifl_ptx_parser *parser, const header *new, const ifl_function *old)
{
    if (new->is.is_kernel != old->is_kernel || new->is.param_count != old->param_count ||
        new->is.return_count != old->return_count)
        return false;
    for (uint32_t i = 0; i < new->variables.count; i++) {
        uint32_t at = i < old->return_count ? old->returns[i] : old->params[i - old->return_count];
        if (new->variables.at[i].bytes != parser->variables.at[at].bytes)
            return false;
    }
    return true;
}

/* The definition's header takes the place of the declaration's, parameters included. */
static void replace_header(ifl_ptx_parser *parser, header *from, uint32_t index)
{
    ifl_function *old = &parser->functions.at[index];
    for (uint32_t i = 0; i < from->variables.count; i++) {
        uint32_t at = i < old->return_count ? old->returns[i] : old->params[i - old->return_count];
        parser->variables.at[at] = from->variables.at[i];
    }
    from->is.returns = old->returns;
    from->is.params = old->params;
    *old = from->is;
}

static bool join_header(ifl_ptx_parser *parser, header *from, bool is_definition, uint32_t *index)
{
    const ifl_ptx_binding *binding = ifl_ptx_find(parser, from->name);
    if (!binding)
        return add_function(parser, from, index);
    *index = binding->index;
    if (binding->meaning != IFL_PTX_FUNCTION ||
        (is_definition && !parser->functions.at[*index].is_extern))
        return ifl_ptx_fail(parser, from->at, "'%.200s' is declared twice", from->is.name);
    if (!is_same_shape(parser, from, &parser->functions.at[*index]))
        return ifl_ptx_fail(parser, from->at, "'%.200s' was declared with other parameters",
                            from->is.name);
    if (is_definition)
        replace_header(parser, from, *index);
    return true;
}

static bool bind_params(ifl_ptx_parser *parser, const header *from, uint32_t index)
{
    const ifl_function *function = &parser->functions.at[index];
    for (uint32_t i = 0; i < from->names.count; i++) {
        uint32_t variable = i < function->return_count
                                ? function->returns[i]
                                : function->params[i - function->return_count];
        parser->variables.at[variable].function = (int32_t)index;
        if (!ifl_ptx_bind(parser, from->names.at[i], IFL_PTX_VARIABLE, variable, from->at))
            return false;
    }
    return true;
}

/* ---- definitions ---------------------------------------------------------------------------- */

static bool keep_registers(ifl_ptx_parser *parser, ifl_function *function)
{
    size_t count = parser->registers.count;
    ifl_register *copy = ifl_arena_alloc(&parser->program->arena, (count + 1) * sizeof *copy);
    if (!copy)
        return ifl_ptx_no_memory(parser);
    if (count)
        memcpy(copy, parser->registers.at, count * sizeof *copy);
    function->registers = copy;
    function->register_count = (uint32_t)count;
    return true;
}

static bool check_labels(ifl_ptx_parser *parser)
{
    if (!parser->labels.count)
        return true;
    const ifl_ptx_pending *label = &parser->labels.at[0];
    return ifl_ptx_fail(parser, label->at, "unknown label '%.200s'",
                        ifl_ptx_text_of(parser, label->name));
}

static bool take_definition(ifl_ptx_parser *parser, const header *from, uint32_t index)
{
    ifl_ptx_scope scope;
    parser->function = (int32_t)index;
    parser->registers.count = 0;
    parser->frame = parser->functions.at[index].frame_bytes;
    parser->place = 0;
    parser->first_place = (uint32_t)parser->places.count;
    uint32_t first = (uint32_t)parser->instructions.count;
    if (!ifl_ptx_open_scope(parser, &scope) || !bind_params(parser, from, index) ||
        !ifl_ptx_take_body(parser))
        return false;
    ifl_ptx_close_scope(parser, &scope);
    ifl_function *function = &parser->functions.at[index];
    function->first = first;
    function->count = (uint32_t)parser->instructions.count - first;
    if (!check_labels(parser) || !keep_registers(parser, function))
        return false;
    if (!ifl_vec_push(&parser->definitions, index))
        return ifl_ptx_no_memory(parser);
    parser->function = -1;
    return true;
}

static bool take_function(ifl_ptx_parser *parser, header *from)
{
    uint32_t index;
    if (!take_header(parser, from) || !place_header(parser, from))
        return false;
    bool is_definition = ifl_ptx_is(parser, '{');
    from->is.is_extern = !is_definition;
    if (!join_header(parser, from, is_definition, &index))
        return false;
    for (uint32_t i = 0; i < from->is.param_count + from->is.return_count; i++) {
        const ifl_function *function = &parser->functions.at[index];
        uint32_t variable = i < function->return_count
                                ? function->returns[i]
                                : function->params[i - function->return_count];
        parser->variables.at[variable].function = (int32_t)index;
    }
    if (!is_definition)
        return ifl_ptx_expect(parser, ';', "or a body after the function's header");
    return take_definition(parser, from, index);
}

bool ifl_ptx_take_function(ifl_ptx_parser *parser)
{
    header from = {0};
    bool done = take_function(parser, &from);
    ifl_vec_free(&from.variables);
    ifl_vec_free(&from.names);
    return done;
}

/* ---- prototypes and target lists ------------------------------------------------------------ */

static bool keep_prototype(ifl_ptx_parser *parser, const header *from, uint32_t name,
                           const char *at)
{
    ifl_ptx_prototype prototype = {(uint32_t)parser->sizes.count, from->is.return_count,
                                   from->is.param_count};
    for (size_t i = 0; i < from->variables.count; i++)
        if (!ifl_vec_push(&parser->sizes, from->variables.at[i].bytes))
            return ifl_ptx_no_memory(parser);
    uint32_t index = (uint32_t)parser->prototypes.count;
    return (ifl_vec_push(&parser->prototypes, prototype) || ifl_ptx_no_memory(parser)) &&
           ifl_ptx_bind(parser, name, IFL_PTX_PROTOTYPE, index, at);
}

static bool take_prototype(ifl_ptx_parser *parser, header *to)
{
    uint32_t ignored;
    return take_list(parser, to, &to->is.return_count) &&
           ifl_ptx_take_name(parser, "'_'", &ignored) &&
           take_list(parser, to, &to->is.param_count) && take_bounds(parser, &to->is) &&
           ifl_ptx_expect(parser, ';', "after the prototype");
}

static bool take_names(ifl_ptx_parser *parser, ifl_ptx_meaning meaning, uint32_t name,
                       const char *at)
{
    ifl_ptx_list list = {.first = (uint32_t)parser->list_names.count, .at = at};
    do {
        uint32_t target;
        if (list.count++ == IFL_PTX_MAX_LIST)
            return ifl_ptx_fail(parser, at, "more than %d targets", IFL_PTX_MAX_LIST);
        if (!ifl_ptx_take_name(parser, "a target", &target))
            return false;
        if (!ifl_vec_push(&parser->list_names, target))
            return ifl_ptx_no_memory(parser);
    } while (ifl_ptx_accept(parser, ','));
    uint32_t index = (uint32_t)parser->lists.count;
    return (ifl_vec_push(&parser->lists, list) || ifl_ptx_no_memory(parser)) &&
           ifl_ptx_bind(parser, name, meaning, index, at) &&
           ifl_ptx_expect(parser, ';', "after the targets");
}

bool ifl_ptx_take_targets(ifl_ptx_parser *parser, uint32_t name, const char *at)
{
    bool is_prototype = ifl_ptx_is_text(parser, IFL_PTX_DOT, "callprototype");
    bool is_branch = ifl_ptx_is_text(parser, IFL_PTX_DOT, "branchtargets");
    ifl_ptx_next(parser);
    if (!is_prototype)
        return take_names(parser, is_branch ? IFL_PTX_BRANCH_TARGETS : IFL_PTX_CALL_TARGETS, name,
                          at);
    header from = {0};
    bool done = take_prototype(parser, &from) && keep_prototype(parser, &from, name, at);
    ifl_vec_free(&from.variables);
    ifl_vec_free(&from.names);
    return done;
}
