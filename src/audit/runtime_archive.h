/* SPDX-License-Identifier: Apache-2.0
 * Reads libcudart_static.a: a CUDA toolkit or NVIDIA's package for Python has it, and its symbols
 * name what a stripped copy of the same build has without names. */
#ifndef IFL_AUDIT_RUNTIME_ARCHIVE_H
#define IFL_AUDIT_RUNTIME_ARCHIVE_H

#include "audit/runtime_layout.h"

#include <glob.h>

/* The name as it is kept for good, or NULL where nothing leads there. */
typedef const char *ifl_known_call(const char *name);

/* The layout of the runtime in an archive, of the calls that are known. False where there is none,
 * memory is short, or a call has no `room` bytes to the next function. `out->calls` is for
 * free(). */
bool ifl_archive_layout(const uint8_t *archive, size_t size, size_t room, ifl_known_call *known,
                        ifl_runtime_layout *out);
bool ifl_archive_open(const char *path, size_t room, ifl_known_call *known,
                      ifl_runtime_layout *out);

/* The archives of this machine that may name the runtime of an object: those in
 * INFLIGHT_CUDART_STATIC (paths, with ':' between them), one in the object's folder, and those of
 * CUDA toolkits. For globfree(). */
glob_t ifl_archive_places(const char *object);

#endif
