/* SPDX-License-Identifier: Apache-2.0
 * Which kernels have instructions that wait for a count of arrivals: the sources are
 * tests/ptx/barriers.ptx and mbarrier_phases.ptx. A bar with a number of threads may be for some warps; one
 * without is for all, and so is bar.warp.sync. Loops may be unrolled. */
#include "base/file.h"
#include "sass/sass_lower.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static size_t count_in(const ifl_object *object, const char *kernel)
{
    const ifl_sass_lowering lowering = {.object = object,
                                        .kernel = ifl_object_find(object, kernel)};
    ifl_image image;
    size_t counted = 0;
    assert_non_null(lowering.kernel);
    assert_int_equal(ifl_sass_lower(&lowering, &image, NULL), IFL_OK);
    for (size_t i = 0; i < image.sites.count; i++) {
        const ifl_site *site = &image.sites.at[i];
        counted += site->is_counted;
        if (site->is_counted && strncmp(site->name, "BAR", 3) != 0 &&
            strncmp(site->name, "SYNCS", 5) != 0)
            fail_msg("%s of '%s' counts no arrivals", site->name, kernel);
    }
    ifl_image_free(&image);
    return counted;
}

static void check(const char *path, const char *kernel, size_t least, size_t most)
{
    enum { MOST_BYTES = 1 << 20 };
    ifl_object *object;
    char *bytes;
    size_t size;
    assert_int_equal(ifl_file_read(path, MOST_BYTES, &bytes, &size, NULL), IFL_OK);
    assert_int_equal(ifl_object_open(path, (const uint8_t *)bytes, size, &object, NULL), IFL_OK);
    ifl_object_place(object, 0);
    assert_in_range(count_in(object, kernel), least, most);
    ifl_object_close(object);
    free(bytes);
}

static void barriers_for_some_warps(void **unused)
{
    static const char path[] = "tests/ptx/machine/barriers.sm_90.cubin";
    (void)unused;
    check(path, "all", 0, 0);
    check(path, "warp_sync", 0, 0);
    check(path, "counts", 1, 2);
    check(path, "producer_consumer", 4, 16);
    check(path, "register_barrier", 1, 4);
}

static void barrier_objects(void **unused)
{
    (void)unused;
    check("tests/ptx/machine/mbarrier_phases.sm_90.cubin", "phases", 4, 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(barriers_for_some_warps),
                                       cmocka_unit_test(barrier_objects)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
