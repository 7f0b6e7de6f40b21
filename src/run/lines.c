/* SPDX-License-Identifier: Apache-2.0
 * Describing memory instructions for people: where they are in the source, what they are, what
 * they were inlined from. It knows programs and profiles, not the engine. */
#include "run/lines.h"

#include "run/kernel_name.h"
#include "run/source_text.h"
#include "run/utf8.h"

#include <string.h>

enum { MAX_INLINING = 16, MAX_NAME = 96, MAX_CHAIN = 600 };

typedef struct builder {
    const ifl_program *program;
    ifl_profile *profile;
    ifl_arena *arena; /* the profile's */
    ifl_source_texts sources;
    ifl_error *error;
} builder;

/* ---- which instructions ---------------------------------------------------------------------- */

static const struct {
    uint16_t opcode;
    const char *kind;
} memory_opcodes[] = {
    {IFL_OP_LD, "load"},
    {IFL_OP_LDU, "load"},
    {IFL_OP_ST, "store"},
    {IFL_OP_ATOM, "atomic"},
    {IFL_OP_RED, "atomic"},
    {IFL_OP_CP_ASYNC, "load"},
    {IFL_OP_CP_ASYNC_BULK, "load"},
};

static bool is_counted_space(ifl_space space)
{
    return space == IFL_SPACE_GENERIC || space == IFL_SPACE_GLOBAL || space == IFL_SPACE_SHARED ||
           space == IFL_SPACE_LOCAL;
}

static bool is_copy(const ifl_instruction *instruction)
{
    return instruction->opcode == IFL_OP_CP_ASYNC || instruction->opcode == IFL_OP_CP_ASYNC_BULK;
}

/* A copy's modifiers name the destination first. Its line is that of its global side. */
static bool copies_to_global(const ifl_instruction *instruction)
{
    return is_copy(instruction) && instruction->modifiers.space == IFL_SPACE_GLOBAL;
}

/* "load", "store", "atomic", or NULL for an instruction that is no line. */
static const char *kind_of(const ifl_instruction *instruction)
{
    if (!is_counted_space((ifl_space)instruction->modifiers.space))
        return NULL;
    for (size_t i = 0; i < sizeof memory_opcodes / sizeof *memory_opcodes; i++)
        if (memory_opcodes[i].opcode == instruction->opcode)
            return copies_to_global(instruction) ? "store" : memory_opcodes[i].kind;
    return NULL;
}

static const char *space_of(const ifl_instruction *instruction)
{
    const ifl_modifiers *m = &instruction->modifiers;
    const bool second = is_copy(instruction) && !copies_to_global(instruction);
    return ifl_space_text((ifl_space)(second ? m->space2 : m->space));
}

static uint32_t bytes_of(const ifl_program *program, const ifl_instruction *instruction)
{
    if (is_copy(instruction)) {
        enum { SIZE_OPERAND = 2 }; /* opcode.def: "mmss?s?", "mmsm?s?" */
        const ifl_operand *size = &program->operands[instruction->first_operand + SIZE_OPERAND];
        const bool known =
            instruction->operand_count > SIZE_OPERAND && size->kind == IFL_OPERAND_IMMEDIATE;
        return known ? (uint32_t)size->value : 0;
    }
    const unsigned elements = instruction->modifiers.vector ? instruction->modifiers.vector : 1;
    return ifl_type_bits((ifl_type)instruction->type[0]) / 8 * elements;
}

/* ---- where they are -------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *file_of(const ifl_program *program, const ifl_source *place)
{
    return place->file < program->file_count ? program->files[place->file] : "";
}

/* "helper() at util.cuh:12": the function that was inlined, and where it was called. False
 * without memory. */
static bool append_call(builder *b, char chain[MAX_CHAIN], const ifl_source *inlined,
                        const ifl_source *call)
{
    ifl_arena scratch = {0};
    const char *mangled = inlined->function ? inlined->function : "a function";
    const char *name = ifl_demangle(&scratch, mangled);
    const size_t used = strlen(chain);
    if (name)
        snprintf(chain + used, MAX_CHAIN - used, "%s%.*s%s at %s:%u", used ? " in " : "",
                 (int)(ifl_name_length(name) < MAX_NAME ? ifl_name_length(name) : MAX_NAME), name,
                 inlined->function ? "()" : "", base_name(file_of(b->program, call)), call->line);
    ifl_arena_free(&scratch);
    return name != NULL;
}

static const char *inlined_from(builder *b, const ifl_source *place)
{
    char chain[MAX_CHAIN] = "";
    for (int depth = 0; place->inlined_at && place->inlined_at < b->program->place_count; depth++) {
        const ifl_source *call = &b->program->places[place->inlined_at];
        if (depth == MAX_INLINING || strlen(chain) + 1 >= MAX_CHAIN)
            break;
        if (!append_call(b, chain, place, call))
            return NULL;
        place = call;
    }
    return ifl_text_line(b->arena, chain, strlen(chain));
}

static const char *copy_text(builder *b, const char *text)
{
    char *copy = ifl_arena_text(b->arena, text, strlen(text));
    if (copy)
        ifl_utf8_clean(copy);
    return copy;
}

/* Headers of the CUDA toolkit: what is inlined from them, an atomicAdd, is to people a part of their
 * own line. The names are those of CUDA 11 to 13; "#" stands for digits. */
static const char *const toolkit_headers[] = {
    "device_atomic_functions.h*", "device_functions.h*", "sm_#_*",     "cuda_fp#.h*",
    "cuda_bf#.h*",                "math_functions.h*",   "vector_*.h*", "texture_*_functions.h*",
    "surface_*_functions.h*",     "cuda_awbarrier*.h*",  "cuda_pipeline*.h*", "crt/*",
};

static bool fits(const char *pattern, const char *name)
{
    for (; *pattern && *pattern != '*'; pattern++) {
        const size_t digits = strspn(name, "0123456789");
        if (*pattern == '#' ? !digits : *name != *pattern)
            return false;
        name += *pattern == '#' ? digits : 1;
    }
    if (!*pattern)
        return !*name;
    for (; *name; name++)
        if (fits(pattern + 1, name))
            return true;
    return fits(pattern + 1, name);
}

bool ifl_lines_is_toolkit(const char *path)
{
    const char *include = NULL;
    for (const char *at = path; (at = strstr(at, "/include/")); at++)
        include = at + strlen("/include/");
    for (size_t i = 0; include && i < sizeof toolkit_headers / sizeof *toolkit_headers; i++)
        if (fits(toolkit_headers[i], include))
            return true;
    return false;
}

/* The place that people wrote: from inside the toolkit's headers out to the call. */
static const ifl_source *own_place(const ifl_program *program, const ifl_source *place)
{
    for (int depth = 0; depth < MAX_INLINING && ifl_lines_is_toolkit(file_of(program, place)); depth++) {
        if (!place->inlined_at || place->inlined_at >= program->place_count)
            break;
        place = &program->places[place->inlined_at];
    }
    return place;
}

/* Without line information the PTX itself is the source. */
static void place_in_ptx(builder *b, const ifl_instruction *instruction, ifl_profile_line *line)
{
    const ifl_place place = ifl_program_place(b->program, instruction);
    line->file = copy_text(b, b->program->file);
    line->line = instruction->line;
    line->column = instruction->column;
    line->inlined_from = "";
    line->text = place.line_text
                     ? ifl_text_line(b->arena, place.line_text, strcspn(place.line_text, "\r\n"))
                     : "";
}

static void place_in_source(builder *b, const ifl_source *place, ifl_profile_line *line)
{
    const char *file = file_of(b->program, place);
    line->file = copy_text(b, file);
    line->line = place->line;
    line->column = place->column;
    line->inlined_from = inlined_from(b, place);
    line->text = ifl_source_line(&b->sources, b->arena, file, place->line);
}

static ifl_status add_line(builder *b, const ifl_instruction *instruction, const char *kind)
{
    char op[128];
    ifl_profile_line line = {
        .space = space_of(instruction), .kind = kind, .ptx_line = instruction->line};
    const ifl_source *place = instruction->place < b->program->place_count
                                  ? &b->program->places[instruction->place]
                                  : NULL;
    if (place && place->line)
        place_in_source(b, own_place(b->program, place), &line);
    else
        place_in_ptx(b, instruction, &line);
    line.op = copy_text(b, ifl_instruction_name(instruction, op, sizeof op));
    line.access_bytes = bytes_of(b->program, instruction);
    const bool whole = line.file && line.text && line.inlined_from && line.op;
    if (!whole || !ifl_vec_push(&b->profile->lines, line))
        return ifl_fail_memory(b->error, sizeof line);
    return IFL_OK;
}

static ifl_status add_function(builder *b, const ifl_function *function, int32_t *line_of)
{
    ifl_status status = IFL_OK;
    for (uint32_t i = function->first; i < function->first + function->count && status == IFL_OK;
         i++) {
        const char *kind = kind_of(&b->program->instructions[i]);
        if (!kind)
            continue;
        line_of[i] = (int32_t)b->profile->lines.count;
        status = add_line(b, &b->program->instructions[i], kind);
    }
    return status;
}

ifl_status ifl_lines_build(const ifl_program *program, const bool *reached, const char *module_path,
                           int32_t *line_of, ifl_profile *profile, ifl_error *error)
{
    builder b = {program, profile, &profile->arena, {.module_path = module_path}, error};
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < program->instruction_count; i++)
        line_of[i] = -1;
    for (size_t f = 0; f < program->function_count && status == IFL_OK; f++)
        if (reached[f])
            status = add_function(&b, &program->functions[f], line_of);
    ifl_source_texts_free(&b.sources);
    return status;
}

/* ---- generic accesses ------------------------------------------------------------------------ */

static const struct {
    const char *space;
    ifl_counter requests[3];
} spaces[] = {
    {"global",
     {IFL_COUNTER_global_load_requests, IFL_COUNTER_global_store_requests,
      IFL_COUNTER_global_atomic_requests}},
    {"shared",
     {IFL_COUNTER_shared_load_requests, IFL_COUNTER_shared_store_requests,
      IFL_COUNTER_shared_atomic_requests}},
    {"local",
     {IFL_COUNTER_local_load_requests, IFL_COUNTER_local_store_requests,
      IFL_COUNTER_local_store_requests}},
};

static const char *space_seen(const ifl_counters *counters)
{
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        for (size_t j = 0; j < sizeof spaces->requests / sizeof *spaces->requests; j++)
            if (counters->known[spaces[i].requests[j]] && counters->value[spaces[i].requests[j]])
                return spaces[i].space;
    return NULL;
}

void ifl_lines_settle(ifl_profile *profile)
{
    for (size_t i = 0; i < profile->lines.count; i++) {
        ifl_profile_line *line = &profile->lines.at[i];
        const char *seen = strcmp(line->space, "generic") == 0 ? space_seen(&line->counters) : NULL;
        if (seen)
            line->space = seen;
    }
}
