/* SPDX-License-Identifier: Apache-2.0
 * Fuzz target: one access to memory, its space, width, form and addresses from the input. It runs
 * where it stays inside and is a finding where it does not; the sanitizers see what the engine
 * itself reaches. */
#include "one_access.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Six bytes that choose, then the number added, the base and the step, little endian. */
enum { CHOICES = 6, INPUT_BYTES = CHOICES + 4 + 8 + 8 };

static access read_access(const uint8_t *data)
{
    access a = {.space = (access_space)(data[0] % ACCESS_SPACES),
                .kind = (access_kind)(data[1] % ACCESS_KINDS),
                .form = (access_form)(data[2] % ACCESS_FORMS),
                .element_bytes = 1u << data[3] % 5,
                .elements = 1u << data[4] % 3,
                .threads = 1 + data[5] % 32};
    memcpy(&a.folded, data + CHOICES, 4);
    memcpy(&a.base, data + CHOICES + 4, 8);
    memcpy(&a.step, data + CHOICES + 12, 8);
    if (a.form == BY_NAME)
        a.base = a.step = 0;
    return a;
}

/* A generic address may lead to any memory that the kernel has; how those lie is not said. */
static bool is_known(const access *a)
{
    return a->space < GENERIC_GLOBAL && a->space != IN_GLOBAL && a->space != IN_CONST;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[512];
    bool is_finding;
    if (size < INPUT_BYTES)
        return 0;
    const access a = read_access(data);
    if (!access_is_one(&a))
        return 0;
    if (!access_run(&a, NULL, &is_finding, why, sizeof why))
        abort();
    const access_verdict verdict = access_judge(&a);
    if (verdict == INSIDE ? is_finding : verdict == OUTSIDE && is_known(&a) && !is_finding)
        abort();
    return 0;
}
