/* SPDX-License-Identifier: Apache-2.0
 * What models and advice are told of an instruction of machine code beside its access (code/trait.h). */
#include "sass/sass_traits.h"

uint16_t ifl_sass_traits(const char *name)
{
    static const ifl_trait_row rows[] = {
        {"LDSM", "", IFL_TRAIT_MATRIX},        {"STSM", "", IFL_TRAIT_MATRIX},
        {"LDGSTS", "", IFL_TRAIT_COPY},        {"UTMALDG", "", IFL_TRAIT_TENSOR_COPY},
        {"", ".CAS", IFL_TRAIT_SWAP},          {"F2F.", "F64", IFL_TRAIT_CONVERTS},
        {"F2F.F64.F32", "", IFL_TRAIT_WIDENS}, {"F2F.F32.F64", "", IFL_TRAIT_NARROWS},
        {"DSETP", "", IFL_TRAIT_COMPARES},     {"MOV", "", IFL_TRAIT_MOVES},
        {"UMOV", "", IFL_TRAIT_MOVES},         {"IMAD.MOV", "", IFL_TRAIT_MOVES},
        {"I2F", ".RP", IFL_TRAIT_DIVISOR},
    };
    return ifl_traits_of(rows, sizeof rows / sizeof *rows, name);
}
