/* SPDX-License-Identifier: Apache-2.0
 * What has no whole large page is malloc's. */
#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

void *ifl_pages_take(size_t bytes)
{
    const size_t large = bytes / IFL_LARGE_PAGE * IFL_LARGE_PAGE;
    if (!large)
        return malloc(bytes);
    void *at = bytes > SIZE_MAX - IFL_LARGE_PAGE
                   ? NULL
                   : aligned_alloc(IFL_LARGE_PAGE, large + (bytes > large ? IFL_LARGE_PAGE : 0));
    if (at)
        madvise(at, large, MADV_HUGEPAGE);
    return at;
}
