/* SPDX-License-Identifier: Apache-2.0
 * The one growth rule of every IFL_VEC: at least double. */
#include "base/vec.h"

#include "base/shared.h"

#include <stdint.h>
#include <string.h>

IFL_SHARED bool ifl_vec_reserve_bytes(void **at, size_t *capacity, size_t count, size_t more,
                                      size_t size)
{
    if (more > SIZE_MAX / 4 / size || count > SIZE_MAX / 4 / size)
        return false;
    if (*capacity - count >= more)
        return true;
    size_t wanted = *capacity ? *capacity * 2 : 8;
    if (wanted < count + more)
        wanted = count + more;
    /* `at` points to a pointer of another type: copy the representation, do not alias it. */
    void *old, *grown;
    memcpy(&old, at, sizeof old);
    grown = realloc(old, wanted * size);
    if (!grown)
        return false;
    memcpy(at, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}
