/* SPDX-License-Identifier: Apache-2.0
 * Calls of the CUDA runtime that nothing here serves: each stops the program with its name. The
 * definitions are weak, so that a call that is served hides the one here. */
#include "standin/state.h"

#define CALL(name)                                                                                 \
    __attribute__((weak, visibility("default"))) void name(void);                                  \
    void name(void)                                                                                \
    {                                                                                              \
        ifl_state_stop_at(#name, __builtin_return_address(0));                                     \
    }
#include "standin/cudart_call.def"
#undef CALL
