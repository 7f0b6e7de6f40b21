/* SPDX-License-Identifier: Apache-2.0
 * The one growth rule of every IFL_VEC: at least double. */
#include "base/vec.h"

#include "base/shared.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* A page of Linux's larger kind on x86-64; and what an array that needs one gets at once, of
 * addresses: what is not touched takes no memory, and it is not copied while it grows. */
enum { LARGE = 1 << 21, ROOM = 1 << 25 };

/* Pages of 4 KiB come from the system one by one, when each is touched first: the traces of one
 * launch are 100,000 of them. Nothing is lost where the system has no larger ones to give. */
static void *grow_large(void *old, size_t used, size_t bytes)
{
    const size_t whole = (bytes + LARGE - 1) / LARGE * LARGE;
    void *grown = aligned_alloc(LARGE, whole);
    if (!grown)
        return NULL;
    madvise(grown, whole, MADV_HUGEPAGE);
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
    if (wanted * size >= LARGE && wanted * size < ROOM)
        wanted = ROOM / size;
    /* `at` points to a pointer of another type: copy the representation, do not alias it. */
    void *old, *grown;
    memcpy(&old, at, sizeof old);
    grown = wanted * size < LARGE ? realloc(old, wanted * size)
                                  : grow_large(old, count * size, wanted * size);
    if (!grown)
        return false;
    memcpy(at, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}
