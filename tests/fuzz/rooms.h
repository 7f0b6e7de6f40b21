/* SPDX-License-Identifier: Apache-2.0
 * The cubins of room/, which are part of the fuzz target of machine code: it runs where no file of
 * this tree is. */
#ifndef IFL_TEST_ROOM_H
#define IFL_TEST_ROOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct embedded_file {
    const uint8_t *bytes;
    size_t size;
} embedded_file;

/* Of the architectures that fuzz_machine.c lists, in its order. */
extern const embedded_file rooms[];

#endif
