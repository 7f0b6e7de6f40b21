/* SPDX-License-Identifier: Apache-2.0
 * The rows of modifier.def as data, and the fields of ifl_modifiers by name. */
#ifndef IFL_PTX_MODIFIER_H
#define IFL_PTX_MODIFIER_H

#include "ptx/program.h"

typedef struct ifl_modifier_row {
    const char *text; /* without the dot */
    uint64_t field;   /* one IFL_FIELD_* */
    uint32_t value;
} ifl_modifier_row;

/* The row at an index; NULL past the end. */
const ifl_modifier_row *ifl_modifier_get(size_t index);

/* The value of one field, 0 when it is not written. Not for IFL_FIELD_space and IFL_FIELD_FLAG. */
uint32_t ifl_modifiers_field(const ifl_modifiers *modifiers, uint64_t field);
/* Sets what a row says: for a flag its bit. */
void ifl_modifiers_set(ifl_modifiers *modifiers, const ifl_modifier_row *row);

#endif
