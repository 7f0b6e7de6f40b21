/* SPDX-License-Identifier: Apache-2.0
 * Numbers as launch descriptions write them: 5, -1, 0xff, 2^25, 32Mi, 1024*1024, 0.5. */
#ifndef IFL_SESSION_NUMBER_H
#define IFL_SESSION_NUMBER_H

#include "session/element.h"

/* Both readers move *at past what they read. They return NULL, or what is wrong with the text at
 * *at. */

/* A number without sign or fraction: TERM * TERM ..., TERM one of 12, 0xff, 2^25, each with Ki,
 * Mi, Gi or Ti. */
const char *ifl_number_read(const char **at, uint64_t *value);
/* A value of an element type, its bits into `to` (element->bytes long). It must reach to the end
 * of the text. Integers: a number with an optional sign, within the type's range; hexadecimal
 * ones may use all bits of a signed type. Floating point: as C writes it, inf, nan, or a number
 * as above; a hexadecimal integer gives the bits. */
const char *ifl_value_read(const char **at, const ifl_element *element, void *to);

#endif
