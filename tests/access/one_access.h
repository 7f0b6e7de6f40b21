/* SPDX-License-Identifier: Apache-2.0
 * One access of a warp to 256 bytes: as a kernel, and whether it stays inside by the PTX ISA. For
 * sweeps and for fuzzing. */
#ifndef IFL_TEST_ACCESS_H
#define IFL_TEST_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROOM_BYTES = 256 };

typedef enum access_space {
    IN_GLOBAL,
    IN_SHARED,
    IN_LOCAL,
    IN_CONST,
    GENERIC_GLOBAL,
    GENERIC_SHARED,
    GENERIC_LOCAL,
    ACCESS_SPACES
} access_space;

typedef enum access_kind {
    LOADS,
    STORES,
    ADDS,
    REDUCES,
    SWAPS,
    COPIES_TO,
    COPIES_FROM,
    ACCESS_KINDS
} access_kind;

/* The address: a register of 64 or 32 bits with a number added, or the name of the memory with a
 * number. */
typedef enum access_form { IN_64_BITS, IN_32_BITS, BY_NAME, ACCESS_FORMS } access_form;

typedef struct access {
    access_space space;
    access_kind kind;
    access_form form;
    unsigned element_bytes, elements; /* 1..16, and 1, 2 or 4 of them */
    int32_t folded;                   /* the number added */
    uint64_t base, step; /* lane i goes to base + i × step from the start; by name they are 0 */
    unsigned threads;    /* 1..32 */
} access;

/* What PTX has: widths, spaces and forms that go together. */
bool access_is_one(const access *a);
/* The text of a module with the kernel k(.param .u64 buffer, base, step): `buffer` has
 * ROOM_BYTES. */
void access_write(const access *a, char *text, size_t size);

/* Whether all lanes stay inside, aligned. UNSPECIFIED: an address of 64 bits in a space whose
 * addresses have 32 is cut off by the PTX ISA ("Addresses as Operands"); that it is reported
 * instead is as good. */
typedef enum access_verdict { INSIDE, OUTSIDE, UNSPECIFIED } access_verdict;
access_verdict access_judge(const access *a);

/* Runs it on the engine; `width` as in ifl_run_options. False where it neither ran nor was a
 * finding: `why` says. */
bool access_run(const access *a, const char *width, bool *is_finding, char *why, size_t size);
/* The same for many with one kernel: opened once. */
typedef struct access_kernel access_kernel;
access_kernel *access_open(const access *a, char *why, size_t size);
bool access_run_in(access_kernel *kernel, const access *a, const char *width, bool *is_finding,
                   char *why, size_t size);
void access_close(access_kernel *kernel);

#endif
