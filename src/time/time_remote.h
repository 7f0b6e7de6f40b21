/* SPDX-License-Identifier: Apache-2.0
 * Requests to the shared memory of other blocks of the cluster. */
#ifndef IFL_TIME_TIME_REMOTE_H
#define IFL_TIME_TIME_REMOTE_H

#include "time/time_memory.h"

ifl_served ifl_time_remote_take(ifl_time_memory *m, const ifl_site_access *access,
                                ifl_request_cost cost, double now);

#endif
