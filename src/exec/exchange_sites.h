/* SPDX-License-Identifier: Apache-2.0
 * One warp-wide operation that lanes reach at several sites. */
#ifndef IFL_EXEC_EXCHANGE_SITES_H
#define IFL_EXEC_EXCHANGE_SITES_H

#include "exec/warp.h"

/* Whether lanes at the one may meet lanes at the other. */
bool ifl_exchange_is_alike(const ifl_exchange *a, const ifl_exchange *b);
/* ifl_exchange_run where the lanes of `group` wait in several fragments, whose operations are
 * alike. */
void ifl_exchange_run_across(ifl_warp *warp, const ifl_fragment *const *parts, uint32_t count,
                             uint32_t group);

#endif
