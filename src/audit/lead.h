/* SPDX-License-Identifier: Apache-2.0
 * Leads the calls of a runtime inside an object to another library, which is loaded when the first
 * of them is made. x86-64. */
#ifndef IFL_AUDIT_LEAD_H
#define IFL_AUDIT_LEAD_H

#include "audit/own_runtime_calls.h"

/* The bytes at the start of a function that are written over. */
enum { IFL_LEAD_BYTES = 13 };

/* Nothing of the object may have run. `base` is what the loader added to its addresses; `library`
 * is a path, which is kept. False, with nothing changed, without memory and where the system does
 * not let code be written. */
bool ifl_lead_calls(const ifl_object_file *file, const ifl_own_runtime *runtime, uintptr_t base,
                    const char *library);

#endif
