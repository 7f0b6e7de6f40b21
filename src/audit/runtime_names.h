/* SPDX-License-Identifier: Apache-2.0
 * The calls of a stripped runtime of a build that nothing names (runtime_layout.h), by its code: from 12 on nearly each
 * call loads the address of its own name, for profilers. Those that do not, as __cudaRegisterFatBinary, lie in one group
 * with __cudaInitModule, which does, as far from it as in the builds that are known. Nothing here knows how a call is
 * led elsewhere. */
#ifndef IFL_AUDIT_RUNTIME_NAMES_H
#define IFL_AUDIT_RUNTIME_NAMES_H

#include "audit/own_runtime_calls.h"
#include "audit/runtime_archive.h"

/* All calls of a known build, or none: at most `most`, each with `room` bytes to the next function. */
bool ifl_names_find(const ifl_object_file *file, size_t room, ifl_known_call *known,
                    ifl_own_call *calls, size_t most, size_t *count);

#endif
