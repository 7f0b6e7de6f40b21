/* SPDX-License-Identifier: Apache-2.0
 * SHA-256 as FIPS 180-4 defines it, for keys of what is kept by its content. */
#ifndef IFL_BASE_SHA256_H
#define IFL_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct ifl_sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
} ifl_sha256;

enum { IFL_SHA256_TEXT = 65 }; /* hexadecimal digits and a NUL */

void ifl_sha256_start(ifl_sha256 *hash);
void ifl_sha256_add(ifl_sha256 *hash, const void *data, size_t bytes);
/* The text with its NUL, so that "ab" "c" and "a" "bc" differ. */
void ifl_sha256_add_text(ifl_sha256 *hash, const char *text);
void ifl_sha256_end(ifl_sha256 *hash, char text[IFL_SHA256_TEXT]);

#endif
