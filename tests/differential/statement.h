/* SPDX-License-Identifier: Apache-2.0
 * Statements of PTX that need more than one instruction and registers: a carry, an address, a
 * partner. In them $r, $d and $p stand for any register of 32 bits, of 64 bits, of a predicate, and
 * $n for a number that no other statement has. */
#ifndef IFL_TEST_STATEMENT_H
#define IFL_TEST_STATEMENT_H

#include <stddef.h>

const char *statement_at(size_t index); /* NULL past the end */
size_t statement_count(void);

/* Functions that statements call: the head of a module. */
extern const char statement_functions[];

#endif
