/* SPDX-License-Identifier: Apache-2.0
 * The types of values, the state spaces and the special registers, from their tables; and what can
 * be done to memory in one step. PTX and machine code both use these words. */
#ifndef IFL_CODE_VALUE_H
#define IFL_CODE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ifl_type {
    IFL_TYPE_NONE,
#define TYPE(name, text, bits, class) IFL_TYPE_##name,
#include "code/type.def"
#undef TYPE
    IFL_TYPE_COUNT
} ifl_type;

typedef enum ifl_space {
#define SPACE(name, text) IFL_SPACE_##name,
#include "code/space.def"
#undef SPACE
    IFL_SPACE_COUNT
} ifl_space;

typedef enum ifl_special {
#define SPECIAL(name, text, bits, when, value) IFL_SPECIAL_##name,
#include "code/special.def"
#undef SPECIAL
    IFL_SPECIAL_COUNT
} ifl_special;

/* How often a special register can change. */
typedef enum ifl_special_when {
    IFL_WHEN_LAUNCH,
    IFL_WHEN_BLOCK,
    IFL_WHEN_WARP,
    IFL_WHEN_LANE,
    IFL_WHEN_NOW
} ifl_special_when;

const char *ifl_type_text(ifl_type type);
unsigned ifl_type_bits(ifl_type type);
char ifl_type_class(ifl_type type); /* 'B' 'U' 'S' 'F' 'P', 0 for NONE */
const char *ifl_space_text(ifl_space space);
const char *ifl_special_text(ifl_special special);
unsigned ifl_special_bits(ifl_special special);
ifl_special_when ifl_special_changes(ifl_special special);

/* What an atomic does to memory, and a reduction to the values of lanes. 0: nothing. */
enum {
    IFL_OPERATION_ADD = 1,
    IFL_OPERATION_MIN,
    IFL_OPERATION_MAX,
    IFL_OPERATION_INC,
    IFL_OPERATION_DEC,
    IFL_OPERATION_AND,
    IFL_OPERATION_OR,
    IFL_OPERATION_XOR,
    IFL_OPERATION_EXCH,
    IFL_OPERATION_CAS,
    IFL_OPERATION_POPC,
    IFL_OPERATION_ARRIVE /* at a barrier object as the machine code of sm_80 to sm_89 keeps it */
};

/* How two truth values are combined. 0: not. */
enum { IFL_COMBINE_AND = 1, IFL_COMBINE_OR, IFL_COMBINE_XOR };

#endif
