/* SPDX-License-Identifier: Apache-2.0
 * Kernel names: demangling, and finding the kernel that somebody means. It knows names only. */
#ifndef IFL_SESSION_KERNEL_NAME_H
#define IFL_SESSION_KERNEL_NAME_H

#include "base/demangle.h"
#include "base/error.h"

typedef struct ifl_kernel_name {
    const char *mangled;
    const char *signature; /* demangled, without the return type; else the mangled name */
} ifl_kernel_name;

/* The part before the parameters: "ns::axpy<float>". */
size_t ifl_name_length(const char *signature);

/* Whether `wanted` means the kernel, in one of the ways of ifl_kernel_find. `mangled` may be
 * NULL. */
bool ifl_kernel_is(const char *mangled, const char *signature, const char *wanted);

/* IFL_USAGE where it is "regex:" before what is no regular expression. */
ifl_status ifl_kernel_check(const char *wanted, ifl_error *error);

/* Finds the kernel that `wanted` means: the mangled name; the signature, blanks and a return type
 * apart; the name with or without template arguments and namespaces. The first of these that fits
 * anything must fit one only. "regex:EXPRESSION", as Nsight Compute has it, is a POSIX extended
 * regular expression that is found in the name without template arguments and namespaces, or else,
 * where no kernel's has it, in the signature. NULL: the only kernel there is.
 * An error lists the kernels, the closest first. `file` is for messages. */
ifl_status ifl_kernel_find(const ifl_kernel_name *names, size_t count, const char *wanted,
                           const char *file, size_t *index, ifl_error *error);

#endif
