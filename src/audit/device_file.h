/* SPDX-License-Identifier: Apache-2.0
 * The files of NVIDIA's kernel driver. */
#ifndef IFL_AUDIT_DEVICE_FILE_H
#define IFL_AUDIT_DEVICE_FILE_H

#include <stdint.h>

/* What a call of libc of that name, which is at `own`, is to be bound to. */
uintptr_t ifl_device_file_call(const char *name, uintptr_t own);

#endif
