/* SPDX-License-Identifier: Apache-2.0
 * The instructions of a launch and the pipes that they use. If the machine code does not tell how
 * many were issued, those of the PTX are counted, each as what it is compiled to. Knows the names
 * of PTX instructions. */
#include "model/model.h"

#include <math.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

static bool has_type(const char *name, const char *type)
{
    const char *at = strstr(name, type);
    return at && (at[strlen(type)] == '\0' || at[strlen(type)] == '.' || at[strlen(type)] == 'x');
}

static bool starts(const char *name, const char *base)
{
    const size_t length = strlen(base);
    return strncmp(name, base, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

static bool is_one_of(const char *name, const char *const *bases)
{
    for (; *bases; bases++)
        if (starts(name, *bases))
            return true;
    return false;
}

static bool is_wide_integer(const char *name)
{
    return has_type(name, ".s64") || has_type(name, ".u64") || has_type(name, ".b64");
}

/* ---- what becomes of them -------------------------------------------------------------------- */

static const struct {
    const char *base, *type;
    double machine;
} becomes[] = {
#define MACHINE(name, type, instructions) {name, type, instructions},
#include "model/instruction_mix.def"
};

static double machine_count(const char *name)
{
    for (size_t i = 0; i < sizeof becomes / sizeof *becomes; i++)
        if (starts(name, becomes[i].base) && (!*becomes[i].type || has_type(name, becomes[i].type)))
            return becomes[i].machine;
    return is_wide_integer(name) ? 2 : 1;
}

/* ---- pipes ----------------------------------------------------------------------------------- */

static void add_opcode(const char *name, double times, ifl_work *out)
{
    static const char *const special[] = {"rcp", "sqrt", "rsqrt", "sin", "cos",
                                          "lg2", "ex2",  "tanh",  NULL};
    static const char *const arithmetic[] = {"add",  "sub",  "mul", "mad", "fma", "min",
                                             "max",  "setp", "set", "abs", "neg", "selp",
                                             "slct", "div",  "rem", NULL};
    static const char *const integer[] = {"shl",  "shr",  "and",  "or",   "xor",
                                          "not",  "lop3", "shf",  "bfe",  "bfi",
                                          "prmt", "popc", "dp4a", "dp2a", NULL};
    const bool computes = is_one_of(name, arithmetic);
    const double machine = times * machine_count(name);
    if (starts(name, "cvt"))
        out->convert += has_type(name, ".f64") ? times : 0;
    else if (is_one_of(name, special) && !has_type(name, ".f64"))
        out->special += times;
    else if (has_type(name, ".f64"))
        out->fp64 += computes || is_one_of(name, special) ? machine : 0;
    else if (computes &&
             (has_type(name, ".f32") || has_type(name, ".f16") || has_type(name, ".bf16")))
        out->fp32 += machine;
    else if (computes || is_one_of(name, integer))
        out->int32 += machine;
}

/* Machine code ran: its pipelines are known. */
static void take_pipes(const ifl_counters *c, ifl_work *out)
{
    out->instructions = (double)c->value[IFL_COUNTER_instructions];
    out->fp32 = (double)c->value[IFL_COUNTER_pipe_fma];
    out->int32 = (double)c->value[IFL_COUNTER_pipe_alu];
    out->fp64 = (double)c->value[IFL_COUNTER_pipe_fp64];
    out->special = (double)c->value[IFL_COUNTER_pipe_xu];
}

static void take_products(const ifl_opcode_list *list, const ifl_rates *rates, ifl_work *out)
{
    for (size_t i = 0; i < list->count; i++)
        out->tensor_cycles +=
            (double)list->at[i].count * ifl_matrix_cycles(&rates->matrix, &list->at[i].matrix);
}

void ifl_mix_find(const ifl_profile *p, const ifl_rates *rates, ifl_work *out)
{
    take_products(p->opcodes.count ? &p->opcodes : &p->ptx_opcodes, rates, out);
    const ifl_counters *c = &p->counters;
    out->instructions_known = c->known[IFL_COUNTER_instructions];
    out->pipes_known = c->known[IFL_COUNTER_pipe_alu] && out->instructions_known;
    if (out->pipes_known) {
        take_pipes(c, out);
        return;
    }
    for (size_t i = 0; i < p->ptx_opcodes.count; i++) {
        const char *name = p->ptx_opcodes.at[i].name;
        const double times = (double)p->ptx_opcodes.at[i].count;
        out->instructions += times * machine_count(name);
        add_opcode(name, times, out);
    }
    if (c->known[IFL_COUNTER_instructions]) /* a GPU counted them */
        out->instructions = (double)c->value[IFL_COUNTER_instructions];
    else if (!p->ptx_opcodes.count && c->known[IFL_COUNTER_ptx_instructions])
        out->instructions = (double)c->value[IFL_COUNTER_ptx_instructions];
}
