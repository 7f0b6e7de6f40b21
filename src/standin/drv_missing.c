/* SPDX-License-Identifier: Apache-2.0
 * Calls of the CUDA driver that nothing here serves: each stops the program with its name. The
 * definitions are weak, so that a call that is served hides the one here. */
#include "standin/driver_served.h"

#include <stdlib.h>

static void stop(const char *name, const void *from)
{
    char site[160];
    ifl_state_site(from, site, sizeof site);
    ifl_state_tell("error: %s is not served yet (called from %s)", name, site);
    exit(ifl_status_exit_code(IFL_UNSUPPORTED));
}

#define CALL(name, since)                                                                          \
    __attribute__((weak, visibility("default"))) void name(void);                                  \
    void name(void)                                                                                \
    {                                                                                              \
        stop(#name, __builtin_return_address(0));                                                  \
    }
#include "standin/driver_call.def"
#undef CALL

const ifl_driver_entry ifl_driver_entries[] = {
#define CALL(name, since) {#name, since, name},
#include "standin/driver_call.def"
#undef CALL
};
const size_t ifl_driver_entry_count = sizeof ifl_driver_entries / sizeof *ifl_driver_entries;
