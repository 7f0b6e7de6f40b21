/* SPDX-License-Identifier: Apache-2.0
 * An allocator that fails on order. It stands in front of malloc and its kin, and of mmap (linked
 * with --wrap). */
#ifndef IFL_TESTS_FAILING_H
#define IFL_TESTS_FAILING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum failing_mode {
    FAILING_ONCE,   /* only the allocation with that number */
    FAILING_FOREVER /* that one and all after it */
} failing_mode;

/* From now on allocations are counted from 1, and number `first` fails. */
void failing_start(uint64_t first, failing_mode mode);
/* Allocations succeed again; returns how many failed. */
uint64_t failing_stop(void);
/* Bytes of mmap less bytes of munmap since failing_start, in whole pages. */
int64_t failing_mapped_bytes(void);
/* malloc by its own name, for jansson's json_set_alloc_funcs. */
void *failing_malloc(size_t bytes);

#endif
