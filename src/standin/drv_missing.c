/* SPDX-License-Identifier: Apache-2.0
 * Calls of the CUDA driver that nothing here serves: each stops the program with its name. The
 * definitions are weak, so that a call that is served hides the one here. */
#include "standin/driver_served.h"

#define CALL(name, since)                                                                          \
    __attribute__((weak, visibility("default"))) void name(void);                                  \
    void name(void)                                                                                \
    {                                                                                              \
        ifl_state_stop_at(#name, __builtin_return_address(0));                                     \
    }
#include "standin/driver_call.def"
#undef CALL

const ifl_driver_entry ifl_driver_entries[] = {
#define CALL(name, since) {#name, since, name},
#include "standin/driver_call.def"
#undef CALL
};
const size_t ifl_driver_entry_count = sizeof ifl_driver_entries / sizeof *ifl_driver_entries;
