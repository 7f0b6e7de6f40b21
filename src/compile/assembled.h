/* SPDX-License-Identifier: Apache-2.0
 * Machine code that was assembled before, kept by the content of its PTX, as a driver keeps what it
 * compiled. The folder ($XDG_CACHE_HOME/inflight/assembled, or in ~/.cache) may be shared and
 * deleted at any time. */
#ifndef IFL_COMPILE_ASSEMBLED_H
#define IFL_COMPILE_ASSEMBLED_H

#include "base/sha256.h"

#include <stdbool.h>

/* *cubin is of malloc. False: nothing is kept under the key, or the user has no folder. */
bool ifl_assembled_read(const char key[IFL_SHA256_TEXT], char **cubin, size_t *bytes);
/* What cannot be kept is assembled once more next time. */
void ifl_assembled_write(const char key[IFL_SHA256_TEXT], const char *cubin, size_t bytes);

#endif
