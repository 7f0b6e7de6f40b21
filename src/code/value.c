/* SPDX-License-Identifier: Apache-2.0
 * The tables of types, spaces and special registers as functions. */
#include "code/value.h"

#include "base/shared.h"

static const struct {
    const char *text;
    uint16_t bits;
    char class;
} types[IFL_TYPE_COUNT] = {
    [IFL_TYPE_NONE] = {"", 0, 0},
#define TYPE(name, text, bits, class) [IFL_TYPE_##name] = {text, bits, #class[0]},
#include "code/type.def"
#undef TYPE
};

static const char *const spaces[IFL_SPACE_COUNT] = {
#define SPACE(name, text) [IFL_SPACE_##name] = text,
#include "code/space.def"
#undef SPACE
};

static const struct {
    const char *text;
    uint16_t bits;
    uint8_t when;
} specials[IFL_SPECIAL_COUNT] = {
#define SPECIAL(name, text, bits, when, value) [IFL_SPECIAL_##name] = {text, bits, IFL_WHEN_##when},
#include "code/special.def"
#undef SPECIAL
};

const char *ifl_type_text(ifl_type type)
{
    return (unsigned)type < IFL_TYPE_COUNT ? types[type].text : "";
}

IFL_SHARED unsigned ifl_type_bits(ifl_type type)
{
    return (unsigned)type < IFL_TYPE_COUNT ? types[type].bits : 0;
}

char ifl_type_class(ifl_type type)
{
    return (unsigned)type < IFL_TYPE_COUNT ? types[type].class : '\0';
}

const char *ifl_space_text(ifl_space space)
{
    return (unsigned)space < IFL_SPACE_COUNT ? spaces[space] : "";
}

const char *ifl_special_text(ifl_special special)
{
    return (unsigned)special < IFL_SPECIAL_COUNT ? specials[special].text : "";
}

unsigned ifl_special_bits(ifl_special special)
{
    return (unsigned)special < IFL_SPECIAL_COUNT ? specials[special].bits : 0;
}

ifl_special_when ifl_special_changes(ifl_special special)
{
    return (unsigned)special < IFL_SPECIAL_COUNT ? (ifl_special_when)specials[special].when
                                                 : IFL_WHEN_NOW;
}
