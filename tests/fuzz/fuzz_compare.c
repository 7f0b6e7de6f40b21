/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes what `compare` and `--counters` read: two reports, separated by a NUL (one without), and
 * Nsight Compute's page. */
#include "profile/compare_reports.h"
#include "session/ncu.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compare(const char *text, size_t size)
{
    const char *second = memchr(text, '\0', size);
    const size_t bytes = second ? (size_t)(second - text) : size;
    ifl_comparison comparison;
    ifl_error error;
    const ifl_status status =
        ifl_reports_compare("a.json", text, bytes, "b.json", second ? second + 1 : NULL,
                            second ? size - bytes - 1 : 0, 0.01, &comparison, &error);
    if (status != IFL_OK && status != IFL_BAD_INPUT)
        abort();
    if (status != IFL_OK)
        return;
    if (comparison.differing > comparison.compared)
        abort();
    ifl_comparison_free(&comparison);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ifl_counters counters = {0};
    ifl_error error;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    compare(text, size);
    ifl_ncu_read(text, &counters, &error);
    free(text);
    return 0;
}
