/* SPDX-License-Identifier: Apache-2.0
 * What an instruction can be asked for without a text: its opcode, its operands by role, the values
 * of its fields by role, its pipe and its latency class. The enums are stamped from the tables in
 * sass/table; nothing else is known here. */
#ifndef IFL_SASS_SASS_ROLE_H
#define IFL_SASS_SASS_ROLE_H

/* IFL_SASS_OP_FFMA, ...: a mnemonic without its modifiers. 0: a word of no row. */
typedef enum ifl_sass_op {
    IFL_SASS_OP_UNKNOWN,
#define INSTRUCTION(name, ...) IFL_SASS_OP_##name,
#include "sass/table/instruction.def"
    IFL_SASS_OPS
} ifl_sass_op;

/* IFL_SASS_ROLE_DESTINATION, ...: what an operand is. An instruction has at most one of each. */
typedef enum ifl_sass_role {
    IFL_SASS_ROLE_UNKNOWN,
#define OPERAND_ROLE(name, direction, doc) IFL_SASS_ROLE_##name,
#define VALUE_ROLE(name, doc)
#include "sass/table/role.def"
    IFL_SASS_ROLES
} ifl_sass_role;

/* IFL_SASS_VALUE_ROUNDING, ...: what a field tells. */
typedef enum ifl_sass_value_role {
    IFL_SASS_VALUE_UNKNOWN,
#define OPERAND_ROLE(name, direction, doc)
#define VALUE_ROLE(name, doc) IFL_SASS_VALUE_##name,
#include "sass/table/role.def"
    IFL_SASS_VALUES
} ifl_sass_value_role;

/* IFL_SASS_WORD_RN, ...: the values of fields. The same word means the same in every role. */
typedef enum ifl_sass_word {
    IFL_SASS_WORD_ABSENT,
#define WORD(name, text, ...) IFL_SASS_WORD_##name,
#include "sass/table/value_word.def"
    IFL_SASS_WORDS
} ifl_sass_word;

/* The pipelines, by Nsight Compute's names. */
typedef enum ifl_sass_pipe {
#define PIPE(name, text, doc) IFL_SASS_PIPE_##name,
#define LATENCY(name, doc)
#include "sass/table/pipe.def"
    IFL_SASS_PIPES
} ifl_sass_pipe;

typedef enum ifl_sass_latency {
#define PIPE(name, text, doc)
#define LATENCY(name, doc) IFL_SASS_LATENCY_##name,
#include "sass/table/pipe.def"
    IFL_SASS_LATENCIES
} ifl_sass_latency;

#endif
