/* SPDX-License-Identifier: Apache-2.0
 * Traits by names, for those who read PTX or machine code. */
#include "code/trait.h"

#include <string.h>

uint16_t ifl_traits_of(const ifl_trait_row *rows, size_t count, const char *name)
{
    uint16_t traits = 0;
    for (size_t i = 0; i < count; i++)
        if (strncmp(name, rows[i].start, strlen(rows[i].start)) == 0 &&
            strstr(name, rows[i].within))
            traits |= rows[i].traits;
    return traits;
}
