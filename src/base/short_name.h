/* SPDX-License-Identifier: Apache-2.0
 * Names of functions for tables: short, and still told apart. */
#ifndef IFL_BASE_SHORT_NAME_H
#define IFL_BASE_SHORT_NAME_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a demangled signature without namespaces, arguments and enclosing functions' arguments, and
 * cut where it is long: "elementwise_kernel<128, fill_kernel_cuda::lambda#1#2>" of
 * "at::native::elementwise_kernel<128,
 * at::native::fill_kernel_cuda(at::TensorIterator&)::{lambda()#1}::operator()()
 * const::{lambda(int)#2}>(int)". NULL without memory. */
const char *ifl_short_name(ifl_arena *arena, const char *signature);
/* The same of several; those that are the same of different signatures have a number of their
 * signature behind them: "scale<float>~1f2e". False without memory. */
bool ifl_short_names(ifl_arena *arena, const char *const *signatures, size_t count,
                     const char **names);
/* Four hexadecimal digits that tell names apart, the same in every run. */
uint32_t ifl_short_name_number(const char *name);

#endif
