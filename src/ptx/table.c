/* SPDX-License-Identifier: Apache-2.0
 * The tables of opcodes and modifiers as functions. */
#include "ptx/modifier.h"

#include <string.h>

#define FIELD(name) IFL_FIELD_##name

static const ifl_opcode_info opcodes[IFL_OP_COUNT] = {
    [IFL_OP_NONE] = {"none", 0, "", "no instruction"},
#define OPCODE(name, text, fields, signature, doc) [IFL_OP_##name] = {text, fields, signature, doc},
#include "ptx/opcode.def"
};

static const ifl_modifier_row modifiers[] = {
#define MODIFIER(text, field, value) {text, IFL_FIELD_##field, value},
#include "ptx/modifier.def"
#undef MODIFIER
};

const ifl_opcode_info *ifl_opcode_get(ifl_opcode opcode)
{
    return &opcodes[(unsigned)opcode < IFL_OP_COUNT ? opcode : IFL_OP_NONE];
}

const ifl_modifier_row *ifl_modifier_get(size_t index)
{
    return index < sizeof modifiers / sizeof *modifiers ? &modifiers[index] : NULL;
}

/* Where each field of one number lies in ifl_modifiers. `prefetch` has two bytes and is apart. */
static const struct {
    uint64_t field;
    size_t offset;
} places[] = {
#define PLACE(name)                                                                                \
    {                                                                                              \
        IFL_FIELD_##name, offsetof(ifl_modifiers, name)                                            \
    }
    PLACE(rounding),  PLACE(compare),    PLACE(combine),   PLACE(operation), PLACE(mode),
    PLACE(wrap),      PLACE(half),       PLACE(order),     PLACE(scope),     PLACE(cache),
    PLACE(vector),    PLACE(level),      PLACE(eviction),  PLACE(eviction2), PLACE(layout),
    PLACE(layout2),   PLACE(matrices),   PLACE(group),     PLACE(part),      PLACE(repeat),
    PLACE(pack),      PLACE(kind),       PLACE(scaling),   PLACE(scales),    PLACE(collector),
    PLACE(format),    PLACE(geometry),   PLACE(detail),    PLACE(channels),  PLACE(component),
    PLACE(outside),   PLACE(query),      PLACE(increment), PLACE(object),    PLACE(region),
    PLACE(receivers), PLACE(scale_type),
#undef PLACE
};

static size_t offset_of(uint64_t field)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].field == field)
            return places[i].offset;
    return SIZE_MAX;
}

uint32_t ifl_modifiers_field(const ifl_modifiers *from, uint64_t field)
{
    size_t offset = offset_of(field);
    if (field == IFL_FIELD_prefetch)
        return from->prefetch;
    return offset == SIZE_MAX ? 0 : ((const uint8_t *)from)[offset];
}

void ifl_modifiers_set(ifl_modifiers *to, const ifl_modifier_row *row)
{
    size_t offset = offset_of(row->field);
    if (row->field == IFL_FIELD_FLAG)
        to->flags |= row->value;
    else if (row->field == IFL_FIELD_prefetch)
        to->prefetch = (uint16_t)row->value;
    else if (offset != SIZE_MAX)
        ((uint8_t *)to)[offset] = (uint8_t)row->value;
}
