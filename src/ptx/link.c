/* SPDX-License-Identifier: Apache-2.0
 * The end of reading: names that stood further down, calls against their callees, shared memory,
 * and the move of all that was gathered into the program. */
#include "ptx/parser.h"

#include <string.h>

static const ifl_ptx_binding *find_symbol(ifl_ptx_parser *parser, uint32_t name, const char *at)
{
    const ifl_ptx_binding *binding = ifl_ptx_find(parser, name);
    if (binding && (binding->meaning == IFL_PTX_VARIABLE || binding->meaning == IFL_PTX_FUNCTION))
        return binding;
    ifl_ptx_fail(parser, at, "unknown name '%.200s'", ifl_ptx_text_of(parser, name));
    return NULL;
}

/* ---- operands ------------------------------------------------------------------------------- */

static bool settle_address(ifl_ptx_parser *parser, const ifl_ptx_pending *symbol,
                           const ifl_ptx_binding *binding, ifl_operand *operand)
{
    const ifl_modifiers *m = &parser->instructions.at[symbol->instruction].modifiers;
    if (binding->meaning != IFL_PTX_VARIABLE)
        return ifl_ptx_fail(parser, symbol->at, "'%.200s' is not a variable",
                            ifl_ptx_text_of(parser, symbol->name));
    const ifl_variable *variable = &parser->variables.at[binding->index];
    bool fits = variable->space == m->space || variable->space == m->space2 ||
                (variable->space == IFL_SPACE_SHARED && m->space2);
    operand->index = binding->index;
    return !m->space_written || fits ||
           ifl_ptx_check_space(parser, variable, (ifl_space)m->space, symbol->at);
}

static bool settle_symbol(ifl_ptx_parser *parser, const ifl_ptx_pending *symbol)
{
    ifl_operand *operand = &parser->operands.at[symbol->operand];
    const ifl_ptx_binding *binding = find_symbol(parser, symbol->name, symbol->at);
    if (!binding)
        return false;
    if (operand->kind == IFL_OPERAND_MEMORY)
        return settle_address(parser, symbol, binding, operand);
    bool is_function = binding->meaning == IFL_PTX_FUNCTION;
    if (operand->kind == IFL_OPERAND_FUNCTION && !is_function)
        return ifl_ptx_fail(parser, symbol->at, "'%.200s' is not a function",
                            ifl_ptx_text_of(parser, symbol->name));
    operand->kind = is_function ? IFL_OPERAND_FUNCTION : IFL_OPERAND_VARIABLE;
    operand->index = binding->index;
    return true;
}

static bool settle_symbols(ifl_ptx_parser *parser)
{
    for (size_t i = 0; i < parser->symbols.count; i++)
        if (!settle_symbol(parser, &parser->symbols.at[i]))
            return false;
    return true;
}

/* ---- initialisers --------------------------------------------------------------------------- */

static bool settle_word(ifl_ptx_parser *parser, ifl_ptx_pending_word *word)
{
    const ifl_ptx_binding *binding = find_symbol(parser, word->name, word->at);
    if (!binding)
        return false;
    word->relocation.index = binding->index;
    word->relocation.is_function = binding->meaning == IFL_PTX_FUNCTION;
    uint8_t space = word->relocation.is_function ? IFL_SPACE_GLOBAL
                                                 : parser->variables.at[binding->index].space;
    if (space == IFL_SPACE_PARAM || space == IFL_SPACE_LOCAL)
        return ifl_ptx_fail(parser, word->at, "'%.200s' has no address before the kernel runs",
                            ifl_ptx_text_of(parser, word->name));
    return true;
}

/* The words of one variable stand together: it was initialised in one go. */
static bool settle_words(ifl_ptx_parser *parser)
{
    size_t count = parser->words.count;
    ifl_relocation *list = ifl_arena_alloc(&parser->program->arena, (count + 1) * sizeof *list);
    if (!list)
        return ifl_ptx_no_memory(parser);
    for (size_t i = 0; i < count; i++) {
        ifl_ptx_pending_word *word = &parser->words.at[i];
        ifl_variable *variable = &parser->variables.at[word->variable];
        if (!settle_word(parser, word))
            return false;
        list[i] = word->relocation;
        if (!variable->relocations)
            variable->relocations = &list[i];
        variable->relocation_count++;
    }
    return true;
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* The operands of a call, as opcode.def orders them. */
typedef struct call_operands {
    const ifl_operand *results, *callee, *arguments;
    uint32_t result_count, argument_count;
} call_operands;

static uint32_t members_of(const ifl_operand *list)
{
    return list->kind == IFL_OPERAND_VECTOR ? list->index : 0;
}

static call_operands operands_of(const ifl_ptx_parser *parser, const ifl_instruction *call)
{
    call_operands of;
    of.results = &parser->operands.at[call->first_operand];
    of.result_count = members_of(of.results);
    of.callee = of.results + 1 + of.result_count;
    of.arguments = of.callee + 1;
    of.argument_count = members_of(of.arguments);
    return of;
}

/* Bytes that an argument has; UINT64_MAX: as many as are wanted. */
static uint64_t argument_bytes(const ifl_ptx_parser *parser, const ifl_function *caller,
                               const ifl_operand *argument)
{
    if (argument->kind == IFL_OPERAND_VARIABLE)
        return parser->variables.at[argument->index].bytes;
    if (argument->kind == IFL_OPERAND_REGISTER)
        return caller->registers[argument->index].bits / 8;
    return UINT64_MAX;
}

static bool check_argument(ifl_ptx_parser *parser, const ifl_function *caller,
                           const ifl_operand *argument, uint64_t wanted, const char *at)
{
    uint64_t bytes = argument_bytes(parser, caller, argument);
    bool is_variable = argument->kind == IFL_OPERAND_VARIABLE;
    /* A parameter without a size takes what is left: only in variadic functions. */
    bool fits = is_variable ? bytes == wanted || !wanted : bytes >= wanted;
    if (argument->kind == IFL_OPERAND_IMMEDIATE)
        fits = wanted <= 8;
    return fits || ifl_ptx_fail(parser, at, "an argument of %llu bytes where the function has %llu",
                                (unsigned long long)bytes, (unsigned long long)wanted);
}

/* Where the wanted size of a result or argument comes from: a function's variables or a
 * prototype's list. */
typedef struct wanted_sizes {
    const ifl_function *function; /* or NULL */
    const uint64_t *sizes;
    uint32_t return_count, param_count;
} wanted_sizes;

static uint64_t size_at(const ifl_ptx_parser *parser, const wanted_sizes *wanted, uint32_t i)
{
    if (!wanted->function)
        return wanted->sizes[i];
    uint32_t variable = i < wanted->return_count
                            ? wanted->function->returns[i]
                            : wanted->function->params[i - wanted->return_count];
    return parser->variables.at[variable].bytes;
}

static bool check_counts(ifl_ptx_parser *parser, const call_operands *of,
                         const wanted_sizes *wanted, const char *at)
{
    const char *name = wanted->function ? wanted->function->name : "the prototype";
    if (of->argument_count != wanted->param_count)
        return ifl_ptx_fail(parser, at, "'%.200s' takes %u arguments, %u given", name,
                            wanted->param_count, of->argument_count);
    if (of->result_count != wanted->return_count)
        return ifl_ptx_fail(parser, at, "'%.200s' gives %u results, %u taken", name,
                            wanted->return_count, of->result_count);
    return true;
}

static bool check_sizes(ifl_ptx_parser *parser, const ifl_function *caller, const call_operands *of,
                        const wanted_sizes *wanted, const char *at)
{
    for (uint32_t i = 0; i < of->result_count; i++)
        if (of->results[1 + i].kind != IFL_OPERAND_NONE &&
            !check_argument(parser, caller, &of->results[1 + i], size_at(parser, wanted, i), at))
            return false;
    for (uint32_t i = 0; i < of->argument_count; i++)
        if (!check_argument(parser, caller, &of->arguments[1 + i],
                            size_at(parser, wanted, of->result_count + i), at))
            return false;
    return true;
}

static bool check_against(ifl_ptx_parser *parser, const ifl_function *caller,
                          const call_operands *of, const wanted_sizes *wanted, const char *at)
{
    return check_counts(parser, of, wanted, at) && check_sizes(parser, caller, of, wanted, at);
}

static bool check_function(ifl_ptx_parser *parser, const ifl_function *caller,
                           const call_operands *of, uint32_t callee, const char *at)
{
    const ifl_function *function = &parser->functions.at[callee];
    if (function->is_kernel)
        return ifl_ptx_fail(parser, at, "'%.200s' is a kernel: it cannot be called",
                            function->name);
    wanted_sizes wanted = {function, NULL, function->return_count, function->param_count};
    return check_against(parser, caller, of, &wanted, at);
}

static bool check_call(ifl_ptx_parser *parser, const ifl_ptx_call *call, const ifl_function *caller)
{
    call_operands of = operands_of(parser, &parser->instructions.at[call->instruction]);
    const ifl_operand *targets = of.arguments + 1 + of.argument_count;
    if (call->prototype != UINT32_MAX) {
        const ifl_ptx_prototype *is = &parser->prototypes.at[call->prototype];
        wanted_sizes wanted = {NULL, parser->sizes.at + is->first, is->return_count,
                               is->param_count};
        return check_against(parser, caller, &of, &wanted, call->at);
    }
    if (of.callee->kind == IFL_OPERAND_FUNCTION &&
        !check_function(parser, caller, &of, of.callee->index, call->at))
        return false;
    for (uint32_t i = 0; i < members_of(targets); i++)
        if (!check_function(parser, caller, &of, targets[1 + i].index, call->at))
            return false;
    return true;
}

static bool check_calls(ifl_ptx_parser *parser)
{
    for (size_t i = 0; i < parser->calls.count; i++) {
        const ifl_ptx_call *call = &parser->calls.at[i];
        const ifl_function *caller = ifl_program_function_of(parser->program, call->instruction);
        if (caller && !check_call(parser, call, caller))
            return false;
    }
    return true;
}

/* ---- aliases -------------------------------------------------------------------------------- */

static uint32_t final_function(const ifl_ptx_parser *parser, uint32_t function)
{
    /* An alias of an alias ends after as many steps as there are functions, or never. */
    for (size_t steps = 0; steps < 16 && parser->aliases.at[function] != function; steps++)
        function = parser->aliases.at[function];
    return function;
}

static void follow_aliases(ifl_ptx_parser *parser)
{
    for (size_t i = 0; i < parser->operands.count; i++)
        if (parser->operands.at[i].kind == IFL_OPERAND_FUNCTION)
            parser->operands.at[i].index = final_function(parser, parser->operands.at[i].index);
    for (size_t i = 0; i < parser->words.count; i++)
        if (parser->words.at[i].relocation.is_function)
            parser->words.at[i].relocation.index =
                final_function(parser, parser->words.at[i].relocation.index);
}

/* ---- shared memory -------------------------------------------------------------------------- */

static uint64_t round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

static bool is_dynamic(const ifl_variable *variable)
{
    return variable->is_extern && !variable->bytes;
}

/* 0: of the module, 1: of functions, 2: of kernels. */
static int owner_of(const ifl_ptx_parser *parser, const ifl_variable *variable)
{
    if (variable->function < 0)
        return 0;
    return parser->functions.at[variable->function].is_kernel ? 2 : 1;
}

static bool place_owner(ifl_ptx_parser *parser, int owner, uint64_t start, uint64_t *end)
{
    uint64_t at = start;
    int32_t kernel = -1;
    for (size_t i = 0; i < parser->variables.count; i++) {
        ifl_variable *variable = &parser->variables.at[i];
        if (variable->space != IFL_SPACE_SHARED || is_dynamic(variable) ||
            owner_of(parser, variable) != owner)
            continue;
        /* Two kernels never run in one launch: the variables of each start at the same offset. A
         * kernel's variables follow each other, for functions are not nested. */
        if (owner == 2 && variable->function != kernel)
            at = start;
        kernel = variable->function;
        if (!ifl_ptx_place(parser, variable, &at, NULL))
            return false;
        *end = at > *end ? at : *end;
    }
    return true;
}

static bool place_shared(ifl_ptx_parser *parser)
{
    uint64_t end = 0, align = 16; /* PTX leaves it open; 16 bytes serve every access */
    for (int owner = 0; owner < 3; owner++)
        if (!place_owner(parser, owner, end, &end))
            return false;
    parser->program->shared_bytes = end;
    for (size_t i = 0; i < parser->variables.count; i++)
        if (parser->variables.at[i].space == IFL_SPACE_SHARED &&
            is_dynamic(&parser->variables.at[i]) && align < parser->variables.at[i].align)
            align = parser->variables.at[i].align;
    for (size_t i = 0; i < parser->variables.count; i++)
        if (parser->variables.at[i].space == IFL_SPACE_SHARED &&
            is_dynamic(&parser->variables.at[i]))
            parser->variables.at[i].offset = round_up(end, align);
    return true;
}

/* ---- into the program ----------------------------------------------------------------------- */

static bool move(ifl_ptx_parser *parser, const void *from, size_t count, size_t size, void *to,
                 size_t *to_count)
{
    void *copy = ifl_arena_alloc(&parser->program->arena, count * size + 1);
    if (!copy)
        return ifl_ptx_no_memory(parser);
    if (count)
        memcpy(copy, from, count * size);
    memcpy(to, &copy, sizeof copy);
    *to_count = count;
    return true;
}

#define MOVE(from, to, to_count)                                                                   \
    move(parser, parser->from.at, parser->from.count, sizeof *parser->from.at,                     \
         &parser->program->to, &parser->program->to_count)

/* Bodies were read one after the other: the order of their definitions is that of their code. */
static bool order_code(ifl_ptx_parser *parser)
{
    ifl_program *program = parser->program;
    uint32_t *order =
        ifl_arena_alloc(&program->arena, (parser->functions.count + 1) * sizeof *order);
    if (!order)
        return ifl_ptx_no_memory(parser);
    for (size_t i = 0; i < parser->definitions.count; i++)
        order[i] = parser->definitions.at[i];
    program->code_order = order;
    program->code_count = parser->definitions.count;
    program->functions = parser->functions.at; /* for ifl_program_function_of, until they move */
    return true;
}

bool ifl_ptx_link(ifl_ptx_parser *parser)
{
    bool done = settle_symbols(parser) && order_code(parser) && check_calls(parser);
    if (!done)
        return false;
    if (!settle_words(parser) || !ifl_ptx_settle_places(parser) || !place_shared(parser))
        return false;
    follow_aliases(parser);
    return MOVE(instructions, instructions, instruction_count) &&
           MOVE(operands, operands, operand_count) && MOVE(places, places, place_count) &&
           MOVE(files, files, file_count) && MOVE(variables, variables, variable_count) &&
           MOVE(functions, functions, function_count) &&
           MOVE(unsupported, unsupported, unsupported_count);
}
