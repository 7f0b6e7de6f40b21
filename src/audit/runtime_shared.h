/* SPDX-License-Identifier: Apache-2.0
 * The layout of libcudart_static.a as the shared library of the same build tells it. NVIDIA compiles
 * both from the same sources: the functions of libcudart.so that programs call lie in two groups,
 * which lie in the archive with the same distances, between others that do not. Where both were at
 * hand (12.9.79, 13.0, 13.1, 13.3, 13.5), each of their calls was where the archive has it. So it is in
 * 12.0 to 12.2. From 12.3 to 12.6 functions of the archive are as long or 16 bytes shorter (one of
 * 12.4 is longer), in the same order: there the distances are those of a copy, any object with the
 * archive's code, whose functions are so in one place only. All 416 calls of 12.4.127 that nvJPEG's
 * copy tells are where the archive has them. */
#ifndef IFL_AUDIT_RUNTIME_SHARED_H
#define IFL_AUDIT_RUNTIME_SHARED_H

#include "audit/runtime_archive.h"

enum { IFL_SHARED_PARTS = 2 };

/* The parts of the library, as they lie in the object `copy` or, where that is NULL, in itself; false
 * where its functions do not lie so. Their calls are for free(). */
bool ifl_shared_layout(const uint8_t *library, size_t size, const ifl_object_file *copy,
                       size_t room, ifl_known_call *known,
                       ifl_runtime_layout out[IFL_SHARED_PARTS]);
bool ifl_shared_open(const char *path, const ifl_object_file *copy, size_t room,
                     ifl_known_call *known, ifl_runtime_layout out[IFL_SHARED_PARTS]);

#endif
