/* SPDX-License-Identifier: Apache-2.0
 * Memory in the larger kind of pages. Pages of 4 KiB come from the system one by one, when each is
 * touched first: the traces of one launch are 100,000 of them. */
#ifndef IFL_BASE_PAGES_H
#define IFL_BASE_PAGES_H

#include <stddef.h>

/* Bytes of a page of Linux's larger kind on x86-64. */
#define IFL_LARGE_PAGE ((size_t)1 << 21)

/* As malloc, also in how it is freed; whole large pages of it are such pages where the system has
 * some to give. */
void *ifl_pages_take(size_t bytes);

#endif
