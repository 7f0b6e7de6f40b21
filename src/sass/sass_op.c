/* SPDX-License-Identifier: Apache-2.0
 * What is known of each opcode, of pipes and of latency classes, made from sass/table. Data and its
 * look-up only. */
#include "sass/sass_table.h"

/* Pipes and latency classes by their bare names. */
enum {
#define PIPE(name, text, doc) name = IFL_SASS_PIPE_##name,
#include "sass/table/pipe.def"
};
enum {
#define LATENCY(name, doc) name = IFL_SASS_LATENCY_##name,
#include "sass/table/pipe.def"
};

/* The usual one, but another one on some architectures. */
#define BUT(usual, architectures, other) ((usual) | (other) << 8 | (architectures) << 16)

static const struct {
    const char *name;
    uint32_t pipe, latency; /* as BUT packs them */
    uint8_t sass_class;
    uint8_t flops;   /* of a lane */
    bool is_uniform; /* one result for the lanes that are there, whichever of them execute */
    uint16_t as;     /* computes as another does; 0: as itself */
} ops[] = {
#define INSTRUCTION(name_, pipe_, latency_, class_, function_, meaning_, ...)                      \
    [IFL_SASS_OP_##name_] = {.name = #name_,                                                       \
                             .pipe = pipe_,                                                        \
                             .latency = latency_,                                                  \
                             .sass_class = IFL_SASS_##class_,                                      \
                             __VA_ARGS__},
#include "sass/table/instruction.def"
};

static unsigned pick(uint32_t packed, uint32_t sm)
{
    enum { BYTE = 0xff, OTHER_AT = 8, ARCHITECTURES_AT = 16 };
    return packed >> ARCHITECTURES_AT & ifl_sass_architecture_bit(sm) ? packed >> OTHER_AT & BYTE
                                                                      : packed & BYTE;
}

const char *ifl_sass_op_text(unsigned op)
{
    return op < IFL_SASS_OPS ? ops[op].name : NULL;
}

ifl_sass_class ifl_sass_op_class(unsigned op)
{
    return op < IFL_SASS_OPS ? ops[op].sass_class : IFL_SASS_OTHER;
}

unsigned ifl_sass_op_flops(unsigned op)
{
    return op < IFL_SASS_OPS ? ops[op].flops : 0;
}

bool ifl_sass_op_is_uniform(unsigned op)
{
    return op < IFL_SASS_OPS && ops[op].is_uniform;
}

unsigned ifl_sass_op_as(unsigned op)
{
    return op < IFL_SASS_OPS && ops[op].as ? ops[op].as : op;
}

ifl_sass_pipe ifl_sass_op_pipe(unsigned op, uint32_t sm)
{
    return op < IFL_SASS_OPS ? (ifl_sass_pipe)pick(ops[op].pipe, sm) : IFL_SASS_PIPE_UNKNOWN;
}

ifl_sass_latency ifl_sass_op_latency(unsigned op, uint32_t sm)
{
    return op < IFL_SASS_OPS ? (ifl_sass_latency)pick(ops[op].latency, sm)
                             : IFL_SASS_LATENCY_VARIABLE;
}

uint16_t ifl_sass_architecture_bit(uint32_t sm)
{
    static const uint16_t bits[] = {
#define X(sm) [sm] = SM_##sm,
        IFL_SASS_ARCHITECTURES(X)
#undef X
    };
    return sm < sizeof bits / sizeof *bits ? bits[sm] : 0;
}
