/* SPDX-License-Identifier: Apache-2.0
 * The reference pages that are made from tables: counters from counter.def, PTX from opcode.def and
 * modifier.def. */
#include "advice/advice.h"
#include "model/model.h"
#include "profile/profile.h"
#include "ptx/program.h"
#include "report/writer.h"

#include <errno.h>
#include <string.h>

/* ---- PTX ------------------------------------------------------------------------------------- */

/* The (opcode, type) pairs that have a row of semantics; the last entry only ends the list. */
static const struct {
    uint16_t opcode;
    uint8_t type;
    uint8_t from;
} semantics[] = {
#define LANE1(op, type, ...) {IFL_OP_##op, IFL_TYPE_##type, IFL_TYPE_NONE},
#define LANE2(op, type, ...) {IFL_OP_##op, IFL_TYPE_##type, IFL_TYPE_NONE},
#define LANE3(op, type, ...) {IFL_OP_##op, IFL_TYPE_##type, IFL_TYPE_NONE},
#define LANE4(op, type, ...) {IFL_OP_##op, IFL_TYPE_##type, IFL_TYPE_NONE},
#define LANE3T(op, type, from, ...) {IFL_OP_##op, IFL_TYPE_##type, IFL_TYPE_##from},
#define TEST1(op, type, ...) {IFL_OP_##op, IFL_TYPE_##type, IFL_TYPE_NONE},
#define TEST2(op, type, ...) {IFL_OP_##op, IFL_TYPE_##type, IFL_TYPE_NONE},
#define CONVERT(op, type, from, ...) {IFL_OP_##op, IFL_TYPE_##type, IFL_TYPE_##from},
#define CONVERT2(op, type, from, ...) {IFL_OP_##op, IFL_TYPE_##type, IFL_TYPE_##from},
#include "ptx/opcode.def"
    {IFL_OP_NONE, IFL_TYPE_NONE, IFL_TYPE_NONE},
};

static const struct {
    const char *text;
    const char *field;
} modifiers[] = {
#define MODIFIER(text, field, value) {text, #field},
#include "ptx/modifier.def"
#undef MODIFIER
};

static const struct {
    uint64_t bit;
    const char *name;
    const char *title;
} fields[] = {
    {IFL_FIELD_space, "space", "state space"},
    {IFL_FIELD_rounding, "rounding", "rounding"},
    {IFL_FIELD_compare, "compare", "comparison"},
    {IFL_FIELD_combine, "combine", "combination"},
    {IFL_FIELD_operation, "operation", "operation"},
    {IFL_FIELD_mode, "mode", "mode"},
    {IFL_FIELD_wrap, "wrap", "wrap"},
    {IFL_FIELD_half, "half", "half"},
    {IFL_FIELD_order, "order", "order"},
    {IFL_FIELD_scope, "scope", "scope"},
    {IFL_FIELD_cache, "cache", "cache operator"},
    {IFL_FIELD_vector, "vector", "vector"},
    {IFL_FIELD_level, "level", "cache level"},
    {IFL_FIELD_eviction, "eviction", "L1 eviction"},
    {IFL_FIELD_eviction2, "eviction2", "L2 eviction"},
    {IFL_FIELD_prefetch, "prefetch", "prefetch size"},
    {IFL_FIELD_shape, "shape", "shape"},
    {IFL_FIELD_layout, "layout", "layout"},
    {IFL_FIELD_layout2, "layout2", "second layout"},
    {IFL_FIELD_matrices, "matrices", "matrices"},
    {IFL_FIELD_FLAG, "FLAG", "flags"},
};

enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static void print_types(ifl_opcode opcode, FILE *out)
{
    bool seen[IFL_TYPE_COUNT] = {false};
    const char *separator = "";
    for (size_t i = 0; i < sizeof semantics / sizeof *semantics; i++)
        if (semantics[i].opcode == opcode)
            seen[semantics[i].type] = seen[semantics[i].from] = true;
    for (ifl_type type = IFL_TYPE_NONE + 1; type < IFL_TYPE_COUNT; type++) {
        if (!seen[type])
            continue;
        fprintf(out, "%s%s", separator, ifl_type_text(type));
        separator = " ";
    }
}

static void print_fields(uint64_t bits, FILE *out)
{
    const char *separator = "";
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (!(bits & fields[i].bit))
            continue;
        fprintf(out, "%s%s", separator, fields[i].title);
        separator = ", ";
    }
}

/* "|" ends a cell of a Markdown table. */
static void print_cell(const char *text, FILE *out)
{
    for (; *text; text++)
        fprintf(out, *text == '|' ? "\\|" : "%c", *text);
}

static void print_opcode(ifl_opcode opcode, FILE *out)
{
    const ifl_opcode_info *info = ifl_opcode_get(opcode);
    if (!*info->name) /* a row of the engine's own that no text can name */
        return;
    fprintf(out, "| `%s` | ", info->name);
    print_cell(info->doc, out);
    fputs(" | ", out);
    print_types(opcode, out);
    fputs(" | ", out);
    print_fields(info->fields, out);
    fputs(" |\n", out);
}

static void print_modifiers(FILE *out)
{
    fputs("\n## Modifiers\n\n| kind | spellings |\n|---|---|\n", out);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (fields[i].bit == IFL_FIELD_space)
            continue;
        fprintf(out, "| %s |", fields[i].title);
        for (size_t m = 0; m < sizeof modifiers / sizeof *modifiers; m++)
            if (strcmp(modifiers[m].field, fields[i].name) == 0)
                fprintf(out, " `.%s`", modifiers[m].text);
        fputs(" |\n", out);
    }
}

static void print_opcodes(FILE *out)
{
    fputs(
        "# PTX instructions\n\n"
        "What the engine runs, made from its own tables. Types are those that the arithmetic has "
        "rows for. Where\n"
        "there are none, the instruction moves data, synchronises or branches, and PTX's own types "
        "apply. Every\n"
        "other instruction, and every other combination of these, stops the run with its name and "
        "place (exit\n"
        "status 4).\n\n"
        "| instruction | what it does | types | modifiers |\n|---|---|---|---|\n",
        out);
    for (ifl_opcode opcode = IFL_OP_NONE + 1; opcode < IFL_OP_COUNT; opcode++)
        print_opcode(opcode, out);
    print_modifiers(out);
}

/* ---- topics ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*print)(FILE *out);
} topics[] = {
    {"advice", ifl_advice_document}, {"counters", ifl_counters_document},
    {"facts", ifl_facts_document},   {"opcodes", print_opcodes},
    {"times", ifl_times_document},
};

ifl_status ifl_document(const char *topic, FILE *out, ifl_error *error)
{
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        if (strcmp(topics[i].name, topic) != 0)
            continue;
        errno = 0;
        topics[i].print(out);
        return fflush(out) != 0 || ferror(out) ? ifl_report_fail_stream("page", error) : IFL_OK;
    }
    return ifl_fail(error, IFL_USAGE,
                    "there is no page '%s': advice, counters, facts, opcodes, times", topic);
}
