/* SPDX-License-Identifier: Apache-2.0
 * The one growth rule of every IFL_VEC: at least double. */
#include "base/vec.h"

#include "base/pages.h"
#include "base/shared.h"

#include <stdint.h>
#include <string.h>

/* What an array that needs a large page gets at once, of addresses: what is not touched takes no
 * memory, and it is not copied while it grows. */
enum { ROOM = 1 << 25 };

static void *grow_large(void *old, size_t used, size_t bytes)
{
    void *grown = ifl_pages_take(bytes);
    if (!grown)
        return NULL;
    if (used)
        memcpy(grown, old, used);
    free(old);
    return grown;
}

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
    if (wanted * size >= IFL_LARGE_PAGE && wanted * size < ROOM)
        wanted = ROOM / size;
    /* `at` points to a pointer of another type: copy the representation, do not alias it. */
    void *old, *grown;
    memcpy(&old, at, sizeof old);
    grown = wanted * size < IFL_LARGE_PAGE ? realloc(old, wanted * size)
                                           : grow_large(old, count * size, wanted * size);
    if (!grown)
        return false;
    memcpy(at, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}
