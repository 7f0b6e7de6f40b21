/* SPDX-License-Identifier: Apache-2.0
 * The table of constants, as values and as rows for the documentation. */
#include "model/model.h"

const ifl_model_values ifl_model_constants = {
#define CONSTANT(name, value, unit, doc) .name = (value),
#include "model/constant.def"
#undef CONSTANT
};

static const ifl_model_constant_row rows[] = {
#define CONSTANT(name, value, unit, doc) {#name, value, unit, doc},
#include "model/constant.def"
#undef CONSTANT
};

const ifl_model_constant_row *ifl_model_constant(size_t index)
{
    return index < sizeof rows / sizeof *rows ? &rows[index] : NULL;
}
