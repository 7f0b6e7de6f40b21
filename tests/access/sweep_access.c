/* SPDX-License-Identifier: Apache-2.0
 * Every space, kind, width and form of address with addresses around everything that could wrap:
 * the start and the end of the memory, 2^31, 2^32, 2^45 and 2^63. What stays inside must run, what
 * does not must be a finding. usage: sweep_access WIDTH [STRIDE]; only every STRIDE-th kernel */
#include "one_access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int32_t folded[] = {0,          16,        -16,           -4, -1, ROOM_BYTES - 16,
                                 ROOM_BYTES, INT32_MIN, INT32_MAX - 15};
static const uint64_t bases[] = {0,
                                 16,
                                 ROOM_BYTES - 32 * 4,
                                 ROOM_BYTES - 16,
                                 ROOM_BYTES - 4,
                                 ROOM_BYTES,
                                 (uint64_t)-4,
                                 (uint64_t)-16,
                                 (uint64_t)-64,
                                 (uint64_t)-ROOM_BYTES,
                                 UINT64_C(1) << 31,
                                 UINT64_C(1) << 32,
                                 (UINT64_C(1) << 32) - 16,
                                 UINT64_C(1) << 45,
                                 UINT64_C(1) << 63};
static const unsigned sizes[][2] = {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {16, 1},
                                    {4, 2}, {4, 4}, {8, 2}, {1, 4}, {2, 4}};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static unsigned long runs, failures;

static void complain(const access *a, const char *what)
{
    char text[2048];
    if (failures++ > 10)
        return;
    access_write(a, text, sizeof text);
    printf("%s: %u threads, base 0x%llx, step 0x%llx\n%s\n", what, a->threads,
           (unsigned long long)a->base, (unsigned long long)a->step, text);
}

static void run_one(access_kernel *kernel, const access *a, const char *width)
{
    char why[512];
    bool is_finding;
    const access_verdict verdict = access_judge(a);
    runs++;
    if (!access_run_in(kernel, a, width, &is_finding, why, sizeof why))
        complain(a, why);
    else if (verdict != UNSPECIFIED && is_finding != (verdict == OUTSIDE))
        complain(a,
                 is_finding ? "a finding, but it stays inside" : "no finding, but it goes outside");
}

static void run_steps(access_kernel *kernel, access a, const char *width)
{
    const uint64_t bytes = a.element_bytes * a.elements,
                   steps[] = {0, bytes, (uint64_t)0 - bytes, 2 * bytes};
    const unsigned threads[] = {32, 20, 1};
    for (size_t s = 0; s < COUNT(steps); s++)
        for (size_t t = 0; t < COUNT(threads); t++) {
            a.step = a.form == BY_NAME ? 0 : steps[s];
            a.threads = threads[t];
            if (a.step == steps[s] && (s || t < 2))
                run_one(kernel, &a, width);
        }
}

static void run_kernel(access a, const char *width)
{
    char why[512];
    access_kernel *kernel = access_open(&a, why, sizeof why);
    if (!kernel) {
        complain(&a, why);
        return;
    }
    for (size_t b = 0; b < COUNT(bases); b++) {
        a.base = a.form == BY_NAME ? 0 : bases[b];
        if (a.base == bases[b])
            run_steps(kernel, a, width);
    }
    access_close(kernel);
}

static void sweep(const char *width, unsigned long stride)
{
    const unsigned long all =
        (unsigned long)ACCESS_SPACES * ACCESS_KINDS * ACCESS_FORMS * COUNT(sizes) * COUNT(folded);
    for (unsigned long i = 0; i < all; i += stride) {
        unsigned long n = i;
        access a = {.threads = 32};
        a.space = (access_space)(n % ACCESS_SPACES), n /= ACCESS_SPACES;
        a.kind = (access_kind)(n % ACCESS_KINDS), n /= ACCESS_KINDS;
        a.form = (access_form)(n % ACCESS_FORMS), n /= ACCESS_FORMS;
        a.element_bytes = sizes[n % COUNT(sizes)][0], a.elements = sizes[n % COUNT(sizes)][1],
        n /= COUNT(sizes);
        a.folded = folded[n];
        if (access_is_one(&a))
            run_kernel(a, width);
    }
}

int main(int argc, char **argv)
{
    const char *width = argc > 1 && strcmp(argv[1], "best") != 0 ? argv[1] : NULL;
    sweep(width, argc > 2 ? strtoul(argv[2], NULL, 10) : 1);
    printf("%lu runs, %lu failures\n", runs, failures);
    return failures || !runs;
}
