/* SPDX-License-Identifier: Apache-2.0
 * Which blocks and lines of a launch the traces must follow for given devices. */
#ifndef IFL_CACHE_CACHE_SCOPE_H
#define IFL_CACHE_CACHE_SCOPE_H

#include "cache/cache_trace.h"
#include "device/device.h"

/* Which SM a trace of this launch should follow: one of those that get blocks. */
ifl_trace_scope ifl_cache_sm_scope(const ifl_device *device, const ifl_placing *placing);
/* That of the first block. */
ifl_trace_scope ifl_cache_first_sm_scope(const ifl_device *device, const ifl_placing *placing);

/* Of the whole grid; and of so much of its beginning that the L2s of all these devices keep
 * lines enough for sets to mean something. `whole`: the place of the first among the plan's
 * scopes. */
ifl_trace_scope ifl_cache_grid_scope(void);
ifl_trace_scope ifl_cache_part_scope(const ifl_device *const *devices, size_t count, size_t whole);
/* Whether a device is to be played with the part, where so is left of the whole. */
bool ifl_cache_takes_part(const ifl_device *device, uint32_t whole_share);

#endif
