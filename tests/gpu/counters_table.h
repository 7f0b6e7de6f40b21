/* SPDX-License-Identifier: Apache-2.0
 * What a GPU counted, as tools/gpu-counters.awk writes it: a line "names NAME..." and for each
 * launch a line "FILE INDEX KERNEL VALUE...", "-" for no value; "names" may come again with
 * others. */
#ifndef INFLIGHT_TESTS_COUNTERS_TABLE_H
#define INFLIGHT_TESTS_COUNTERS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gpu_counter {
    int line;
    const char *file, *kernel, *name; /* until the visitor returns */
    size_t index;                     /* of the launch in its file */
    uint64_t value;
} gpu_counter;

/* Calls `visit` with every value until it says false. Returns 0, or the line that cannot be read, 1
 * where it is the file. */
int gpu_counters_read(const char *path, bool (*visit)(void *user, const gpu_counter *counter),
                      void *user);

#endif
