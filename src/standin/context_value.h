/* SPDX-License-Identifier: Apache-2.0
 * Values that libraries keep for each context, by a key of their own, as the driver keeps them:
 * what to do with a value when its context goes comes with it. NULL is the current context. */
#ifndef IFL_STANDIN_CONTEXT_VALUE_H
#define IFL_STANDIN_CONTEXT_VALUE_H

#include "standin/abi.h"

typedef void ifl_context_value_end(void *context, void *key, void *value);

ifl_cuda_error ifl_context_value_put(void *context, void *key, void *value,
                                     ifl_context_value_end *end);
ifl_cuda_error ifl_context_value_remove(void *context, void *key);
ifl_cuda_error ifl_context_value_get(void **value, void *context, void *key);
/* The context goes. */
void ifl_context_values_end(void *context);

#endif
