/* SPDX-License-Identifier: Apache-2.0
 * Debug data: .file, .loc and the strings of .debug_str, which name inlined functions. All else of
 * DWARF is passed over. PTX ISA 9.0, chapter "Debugging Directives". */
#include "ptx/parser.h"

#include <string.h>

/* ---- files ---------------------------------------------------------------------------------- */

/* The text's number of a file -> ours. Numbers may be used before .file gives them a name. */
static bool find_file(ifl_ptx_parser *parser, uint64_t number, uint32_t *file)
{
    const uint32_t *known = ifl_ptx_map_find(&parser->file_of, number + 1);
    if (known) {
        *file = *known;
        return true;
    }
    *file = (uint32_t)parser->files.count;
    return (ifl_vec_push(&parser->files, "") &&
            ifl_ptx_map_set(&parser->file_of, number + 1, *file)) ||
           ifl_ptx_no_memory(parser);
}

bool ifl_ptx_take_file(ifl_ptx_parser *parser)
{
    uint64_t number;
    uint32_t file;
    ifl_ptx_next(parser);
    if (!ifl_ptx_take_count(parser, UINT32_MAX, "a file's number", &number) ||
        !find_file(parser, number, &file))
        return false;
    const ifl_ptx_token name = parser->lexer.token;
    if (name.kind != IFL_PTX_STRING)
        return ifl_ptx_unexpected(parser, "the name of the file");
    ifl_ptx_next(parser);
    parser->files.at[file] = ifl_arena_text(&parser->program->arena, name.at, name.length);
    if (!parser->files.at[file])
        return ifl_ptx_no_memory(parser);
    uint64_t ignored;
    while (ifl_ptx_accept(parser, ','))
        if (!ifl_ptx_take_count(parser, UINT64_MAX, "this value", &ignored))
            return false;
    return true;
}

/* ---- places --------------------------------------------------------------------------------- */

static bool take_position(ifl_ptx_parser *parser, ifl_source *to)
{
    uint64_t file, line, column = 0;
    if (!ifl_ptx_take_count(parser, UINT32_MAX, "a file's number", &file) ||
        !find_file(parser, file, &to->file) ||
        !ifl_ptx_take_count(parser, UINT32_MAX, "a line", &line))
        return false;
    if (ifl_ptx_is_kind(parser, IFL_PTX_NUMBER) &&
        !ifl_ptx_take_count(parser, UINT32_MAX, "a column", &column))
        return false;
    to->line = (uint32_t)line;
    to->column = (uint32_t)column;
    return true;
}

/* Places that share a key are told apart when they are found. */
static uint64_t key_of(const ifl_source *place)
{
    return ((uint64_t)place->file << 44 ^ (uint64_t)place->line << 12 ^ place->column) | 1;
}

static bool add_place(ifl_ptx_parser *parser, const ifl_source *place, uint32_t *index)
{
    *index = (uint32_t)parser->places.count;
    return (ifl_vec_push(&parser->places, *place) &&
            ifl_ptx_map_set(&parser->place_of, key_of(place), *index)) ||
           ifl_ptx_no_memory(parser);
}

/* The call that code was inlined at. Its own .loc came before ("inlined_at" names a location that
 * was specified earlier), so the latest place of this function with the same position is it, with
 * its own inlining. */
static bool find_call(ifl_ptx_parser *parser, const ifl_source *call, uint32_t *index)
{
    const uint32_t *known = ifl_ptx_map_find(&parser->place_of, key_of(call));
    if (known && *known >= parser->first_place) {
        const ifl_source *found = &parser->places.at[*known];
        *index = *known;
        if (found->file == call->file && found->line == call->line && found->column == call->column)
            return true;
    }
    return add_place(parser, call, index);
}

/* "function_name LABEL+8, inlined_at 1 20 3" */
static bool take_inlining(ifl_ptx_parser *parser, ifl_ptx_pending_text *text, ifl_source *to)
{
    ifl_source call = {0};
    int64_t offset = 0;
    if (!ifl_ptx_is_text(parser, IFL_PTX_WORD, "function_name"))
        return ifl_ptx_unexpected(parser, "'function_name'");
    ifl_ptx_next(parser);
    if (!ifl_ptx_take_name(parser, "a label of .debug_str", &text->name))
        return false;
    if (ifl_ptx_is(parser, '+') && !ifl_ptx_take_offset(parser, &offset))
        return false;
    text->offset = (uint64_t)offset;
    if (!ifl_ptx_expect(parser, ',', "after the function's name"))
        return false;
    if (!ifl_ptx_is_text(parser, IFL_PTX_WORD, "inlined_at"))
        return ifl_ptx_unexpected(parser, "'inlined_at'");
    ifl_ptx_next(parser);
    return take_position(parser, &call) && find_call(parser, &call, &to->inlined_at);
}

bool ifl_ptx_take_loc(ifl_ptx_parser *parser)
{
    ifl_source place = {0};
    ifl_ptx_pending_text text = {0};
    ifl_ptx_next(parser);
    if (!take_position(parser, &place))
        return false;
    if (ifl_ptx_accept(parser, ',') && !take_inlining(parser, &text, &place))
        return false;
    if (!add_place(parser, &place, &parser->place))
        return false;
    text.place = parser->place;
    return !text.name || ifl_vec_push(&parser->texts, text) || ifl_ptx_no_memory(parser);
}

/* ---- .section ------------------------------------------------------------------------------- */

static bool skip_section(ifl_ptx_parser *parser)
{
    while (!ifl_ptx_is(parser, '}')) {
        if (ifl_ptx_is_kind(parser, IFL_PTX_END) || ifl_ptx_is_kind(parser, IFL_PTX_BAD))
            return ifl_ptx_unexpected(parser, "'}'");
        ifl_ptx_next(parser);
    }
    ifl_ptx_next(parser);
    return true;
}

static bool take_bytes(ifl_ptx_parser *parser)
{
    uint64_t byte;
    ifl_ptx_next(parser);
    do {
        if (!ifl_ptx_take_count(parser, UINT8_MAX, "a byte", &byte))
            return false;
        if (!ifl_vec_push(&parser->debug_text, (char)byte))
            return ifl_ptx_no_memory(parser);
    } while (ifl_ptx_accept(parser, ','));
    return true;
}

static bool take_string_label(ifl_ptx_parser *parser)
{
    uint32_t name;
    if (!ifl_ptx_take_name(parser, "a label or bytes", &name))
        return false;
    parser->names.list.at[name].value = (uint32_t)parser->debug_text.count + 1;
    return ifl_ptx_expect(parser, ':', "after the label");
}

static bool take_strings(ifl_ptx_parser *parser)
{
    while (!ifl_ptx_is(parser, '}')) {
        bool is_bytes = ifl_ptx_is_text(parser, IFL_PTX_DOT, "b8");
        if (is_bytes ? !take_bytes(parser) : !take_string_label(parser))
            return false;
    }
    ifl_ptx_next(parser);
    /* Sections may come in pieces; a string never runs on from one into the next. */
    return ifl_vec_push(&parser->debug_text, '\0') || ifl_ptx_no_memory(parser);
}

bool ifl_ptx_take_section(ifl_ptx_parser *parser)
{
    ifl_ptx_next(parser);
    bool is_strings = ifl_ptx_is_text(parser, IFL_PTX_DOT, "debug_str");
    if (!ifl_ptx_is_kind(parser, IFL_PTX_DOT) && !ifl_ptx_is_kind(parser, IFL_PTX_WORD))
        return ifl_ptx_unexpected(parser, "the name of a section");
    ifl_ptx_next(parser);
    if (!ifl_ptx_expect(parser, '{', "after the section's name"))
        return false;
    return is_strings ? take_strings(parser) : skip_section(parser);
}

/* ---- settling ------------------------------------------------------------------------------- */

bool ifl_ptx_settle_places(ifl_ptx_parser *parser)
{
    ifl_ptx_map first_use = {0}; /* start of a string + 1 -> the first place that has it */
    bool done = true;
    for (size_t i = 0; done && i < parser->texts.count; i++) {
        const ifl_ptx_pending_text *text = &parser->texts.at[i];
        uint64_t label = parser->names.list.at[text->name].value, count = parser->debug_text.count;
        if (!label || label - 1 >= count || text->offset >= count - (label - 1))
            continue; /* no such string: the place stays, its function is not known */
        uint64_t start = label - 1 + text->offset;
        const uint32_t *known = ifl_ptx_map_find(&first_use, start + 1);
        const char *string = parser->debug_text.at + start; /* every section ends with a NUL */
        const char *copy = known ? parser->places.at[*known].function
                                 : ifl_arena_text(&parser->program->arena, string, strlen(string));
        parser->places.at[text->place].function = copy;
        done = copy && (known || ifl_ptx_map_set(&first_use, start + 1, text->place));
    }
    ifl_ptx_map_free(&first_use);
    return done || ifl_ptx_no_memory(parser);
}
