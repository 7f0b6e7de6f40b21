/* SPDX-License-Identifier: Apache-2.0
 * Libraries that only a GPU's own driver can serve. */
#ifndef IFL_STANDIN_VENDOR_H
#define IFL_STANDIN_VENDOR_H

#include "base/error.h"

/* IFL_UNSUPPORTED, and what runs in its place, where the file is one of NVIDIA's libraries by its
 * name; else IFL_OK. */
ifl_status ifl_vendor_check(const char *path, ifl_error *error);

#endif
