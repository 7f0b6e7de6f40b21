/* SPDX-License-Identifier: Apache-2.0
 * What a kernel's demangled signature says of its parameters. */
#ifndef IFL_SESSION_SIGNATURE_H
#define IFL_SESSION_SIGNATURE_H

#include <stddef.h>

/* The type of a parameter as words of arguments name it (docs/launch.md): "f32" of a float, "f32*" of a
 * pointer to floats, const or not; "" of a type that words do not have. NULL: there is no such
 * parameter, or the signature has no types. */
const char *ifl_signature_type(const char *signature, size_t parameter);

#endif
