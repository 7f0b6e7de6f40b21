/* SPDX-License-Identifier: Apache-2.0
 * What models and advice are told of a PTX instruction beside its access (code/trait.h). */
#include "ptx/ptx_traits.h"

uint16_t ifl_ptx_traits(const char *name)
{
    static const ifl_trait_row rows[] = {
        {"ldmatrix", "", IFL_TRAIT_MATRIX},
        {"stmatrix", "", IFL_TRAIT_MATRIX},
        {"wmma", "", IFL_TRAIT_MATRIX},
        {"cp.async", "", IFL_TRAIT_COPY},
        {"cp.async.bulk.tensor", "", IFL_TRAIT_TENSOR_COPY},
        {"ld", ".nc", IFL_TRAIT_READ_ONLY},
        {"atom", ".cas", IFL_TRAIT_SWAP},
        {"", "f64", IFL_TRAIT_DOUBLE},
        {"cvt.f64.f32", "", IFL_TRAIT_CONVERTS | IFL_TRAIT_WIDENS},
        {"cvt", "f32.f64", IFL_TRAIT_CONVERTS | IFL_TRAIT_NARROWS},
        {"prefetch", "", IFL_TRAIT_PREFETCHES},
    };
    return ifl_traits_of(rows, sizeof rows / sizeof *rows, name);
}
