/* SPDX-License-Identifier: Apache-2.0
 * ifl_ptx_read: the module level of a PTX text. */
#include "ptx/ptx.h"

#include "ptx/parser.h"

#include <inttypes.h>
#include <string.h>

/* ---- the head of a module ------------------------------------------------------------------- */

static bool take_version(ifl_ptx_parser *parser)
{
    unsigned major, minor;
    int end = 0;
    char text[16] = "";
    if (!ifl_ptx_is_text(parser, IFL_PTX_DOT, "version"))
        return ifl_ptx_fail(parser, parser->lexer.token.at,
                            "not PTX text: it does not start with '.version'");
    ifl_ptx_next(parser);
    const ifl_ptx_token token = parser->lexer.token;
    if (token.kind == IFL_PTX_NUMBER && token.length < sizeof text)
        memcpy(text, token.at, token.length);
    if (sscanf(text, "%3u.%3u%n", &major, &minor, &end) != 2 || text[end])
        return ifl_ptx_unexpected(parser, "a version, 9.0 for instance");
    parser->program->version = major * 10 + minor;
    ifl_ptx_next(parser);
    return true;
}

/* "sm_90a" -> 90 */
static uint32_t number_of_target(const ifl_ptx_token *token)
{
    uint32_t number = 0;
    if (token->length < 4 || memcmp(token->at, "sm_", 3) != 0)
        return 0;
    for (uint32_t i = 3; i < token->length && i < 8; i++) {
        if (token->at[i] < '0' || token->at[i] > '9')
            break;
        number = number * 10 + (uint32_t)(token->at[i] - '0');
    }
    return number;
}

static bool take_target(ifl_ptx_parser *parser)
{
    ifl_program *program = parser->program;
    do {
        ifl_ptx_next(parser);
        const ifl_ptx_token token = parser->lexer.token;
        uint32_t number = number_of_target(&token), name;
        if (!ifl_ptx_take_name(parser, "a target", &name))
            return false;
        program->is_debug |= strcmp(ifl_ptx_text_of(parser, name), "debug") == 0;
        program->maps_f64 |= strcmp(ifl_ptx_text_of(parser, name), "map_f64_to_f32") == 0;
        if (number) {
            program->sm = number;
            snprintf(program->target, sizeof program->target, "%s", ifl_ptx_text_of(parser, name));
        }
    } while (ifl_ptx_is(parser, ','));
    return true;
}

static bool take_address_size(ifl_ptx_parser *parser)
{
    uint64_t bits;
    ifl_ptx_next(parser);
    const char *at = parser->lexer.token.at;
    if (!ifl_ptx_take_count(parser, 64, "the address size", &bits))
        return false;
    return bits == 64 ||
           ifl_ptx_miss(parser, at, "addresses of %" PRIu64 " bits are not supported", bits);
}

/* ---- module-level directives ---------------------------------------------------------------- */

static bool find_function(ifl_ptx_parser *parser, uint32_t *function)
{
    uint32_t name;
    const char *at = parser->lexer.token.at;
    if (!ifl_ptx_take_name(parser, "the name of a function", &name))
        return false;
    const ifl_ptx_binding *binding = ifl_ptx_find(parser, name);
    if (!binding || binding->meaning != IFL_PTX_FUNCTION)
        return ifl_ptx_fail(parser, at, "unknown function '%.200s'", ifl_ptx_text_of(parser, name));
    *function = binding->index;
    return true;
}

/* ".alias f, g;": f is another name for g. */
static bool take_alias(ifl_ptx_parser *parser)
{
    uint32_t alias, function;
    ifl_ptx_next(parser);
    if (!find_function(parser, &alias) || !ifl_ptx_expect(parser, ',', "after the alias") ||
        !find_function(parser, &function) || !ifl_ptx_expect(parser, ';', "after the alias"))
        return false;
    parser->aliases.at[alias] = function;
    return true;
}

static bool take_pragma(ifl_ptx_parser *parser)
{
    return ifl_ptx_skip_statement(parser);
}

static const struct {
    const char *text;
    bool (*take)(ifl_ptx_parser *parser);
} directives[] = {
    {"entry", ifl_ptx_take_function}, {"func", ifl_ptx_take_function},
    {"file", ifl_ptx_take_file},      {"section", ifl_ptx_take_section},
    {"pragma", take_pragma},          {"alias", take_alias},
    {"target", take_target},          {"address_size", take_address_size},
    {"version", take_version},        {"loc", ifl_ptx_take_loc},
};

/* One of the words that say who else sees a name. */
static bool accept_linkage(ifl_ptx_parser *parser, bool *is_extern)
{
    static const char *const words[] = {"extern", "visible", "weak", "common"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!ifl_ptx_is_text(parser, IFL_PTX_DOT, words[i]))
            continue;
        *is_extern |= i == 0;
        ifl_ptx_next(parser);
        return true;
    }
    return false;
}

static bool take_directive(ifl_ptx_parser *parser)
{
    bool is_extern = false;
    while (accept_linkage(parser, &is_extern)) {
    }
    const ifl_ptx_token token = parser->lexer.token;
    if (token.kind != IFL_PTX_DOT)
        return ifl_ptx_unexpected(parser, "a directive");
    bool is_variable = ifl_ptx_space(token.at, token.length) != IFL_SPACE_GENERIC;
    if (is_variable)
        return ifl_ptx_declare(parser, is_extern);
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (ifl_ptx_is_text(parser, IFL_PTX_DOT, directives[i].text))
            return directives[i].take(parser);
    return ifl_ptx_miss(parser, token.at, "the directive '.%.*s' is not supported",
                        (int)(token.length < 60 ? token.length : 60), token.at);
}

static bool take_module(ifl_ptx_parser *parser)
{
    if (!take_version(parser))
        return false;
    if (!ifl_ptx_is_text(parser, IFL_PTX_DOT, "target"))
        return ifl_ptx_unexpected(parser, "'.target' after the version");
    while (!ifl_ptx_is_kind(parser, IFL_PTX_END)) {
        if (ifl_ptx_accept(parser, ';'))
            continue;
        if (!take_directive(parser))
            return false;
    }
    return true;
}

/* ---- the text ------------------------------------------------------------------------------- */

/* Bytes that no text has. The bytes of UTF-8 may stand in comments and file names. */
static bool is_binary(unsigned char byte)
{
    return (byte < ' ' && (byte < '\t' || byte > '\r')) || byte == 0x7f;
}

static ifl_status check_text(const char *file, const char *text, size_t bytes, ifl_error *error)
{
    ifl_place place = {.file = file, .line = 1, .column = 1};
    if (bytes > INT32_MAX)
        return ifl_fail_at(error, IFL_BAD_INPUT, &place, "larger than 2 GiB");
    for (size_t i = 0; i < bytes; i++) {
        if (is_binary((unsigned char)text[i]))
            return ifl_fail_at(error, IFL_BAD_INPUT, &place,
                               "not PTX text: byte 0x%02x at offset %zu", (unsigned char)text[i],
                               i);
        place.column++;
        if (text[i] == '\n') {
            place.line++;
            place.column = 1;
        }
    }
    return IFL_OK;
}

static ifl_status report(const ifl_ptx_parser *parser, ifl_error *error)
{
    ifl_place place = {.file = parser->program->file};
    if (parser->fault) {
        const char *start = parser->program->text;
        place.line = 1;
        place.line_text = start;
        for (const char *at = start; at < parser->fault; at++)
            if (*at == '\n') {
                place.line++;
                place.line_text = at + 1;
            }
        place.column = (int)(parser->fault - place.line_text + 1);
    }
    return ifl_fail_at(error, parser->status, &place, "%s", parser->message);
}

/* ---- reading -------------------------------------------------------------------------------- */

static void free_parser(ifl_ptx_parser *parser)
{
    ifl_ptx_names_free(&parser->names);
    ifl_ptx_map_free(&parser->members);
    ifl_ptx_map_free(&parser->file_of);
    ifl_ptx_map_free(&parser->place_of);
    ifl_ptx_map_free(&parser->mnemonic_of);
    ifl_ptx_map_free(&parser->missing_of);
    ifl_vec_free(&parser->bindings);
    ifl_vec_free(&parser->ranges);
    ifl_vec_free(&parser->instructions);
    ifl_vec_free(&parser->operands);
    ifl_vec_free(&parser->variables);
    ifl_vec_free(&parser->functions);
    ifl_vec_free(&parser->aliases);
    ifl_vec_free(&parser->definitions);
    ifl_vec_free(&parser->unsupported);
    ifl_vec_free(&parser->labels);
    ifl_vec_free(&parser->symbols);
    ifl_vec_free(&parser->words);
    ifl_vec_free(&parser->texts);
    ifl_vec_free(&parser->calls);
    ifl_vec_free(&parser->prototypes);
    ifl_vec_free(&parser->sizes);
    ifl_vec_free(&parser->lists);
    ifl_vec_free(&parser->list_names);
    ifl_vec_free(&parser->places);
    ifl_vec_free(&parser->files);
    ifl_vec_free(&parser->debug_text);
    ifl_vec_free(&parser->registers);
    ifl_vec_free(&parser->mnemonics);
}

static bool start(ifl_ptx_parser *parser)
{
    parser->function = -1;
    ifl_ptx_lex_start(&parser->lexer, parser->program->text);
    if (!ifl_vec_push(&parser->places, (ifl_source){0}) || !ifl_vec_push(&parser->files, ""))
        return ifl_ptx_no_memory(parser);
    return ifl_ptx_bind_specials(parser);
}

static ifl_status read_program(ifl_program *program, ifl_error *error)
{
    ifl_ptx_parser *parser = calloc(1, sizeof *parser);
    if (!parser)
        return ifl_fail_memory(error, sizeof *parser);
    parser->program = program;
    bool done = start(parser) && take_module(parser) && ifl_ptx_link(parser);
    ifl_status status = done ? IFL_OK : report(parser, error);
    free_parser(parser);
    free(parser);
    return status;
}

ifl_status ifl_ptx_read(const char *file, const char *text, size_t bytes, ifl_program **out,
                        ifl_error *error)
{
    *out = NULL;
    while (bytes && text[bytes - 1] == '\0')
        bytes--; /* fat binaries pad their texts */
    ifl_status status = check_text(file, text, bytes, error);
    if (status != IFL_OK)
        return status;
    ifl_program *program = calloc(1, sizeof *program);
    if (!program)
        return ifl_fail_memory(error, sizeof *program);
    program->file = ifl_arena_text(&program->arena, file, strlen(file));
    program->text = ifl_arena_text(&program->arena, text, bytes);
    program->text_bytes = bytes;
    if (!program->file || !program->text)
        status = ifl_fail_memory(error, bytes);
    else
        status = read_program(program, error);
    if (status == IFL_OK)
        *out = program;
    else
        ifl_program_free(program);
    return status;
}
