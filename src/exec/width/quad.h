/* SPDX-License-Identifier: Apache-2.0
 * Four words of four lanes as four lanes of four words. Compiled for each vector width. */
#ifndef IFL_EXEC_WIDTH_QUAD_H
#define IFL_EXEC_WIDTH_QUAD_H

#include "exec/width/dispatch.h"

typedef uint32_t ifl_quad __attribute__((vector_size(16)));

IFL_INLINE void ifl_transpose(ifl_quad q[4])
{
    const ifl_quad a = __builtin_shufflevector(q[0], q[1], 0, 4, 1, 5),
                   b = __builtin_shufflevector(q[0], q[1], 2, 6, 3, 7),
                   c = __builtin_shufflevector(q[2], q[3], 0, 4, 1, 5),
                   d = __builtin_shufflevector(q[2], q[3], 2, 6, 3, 7);
    q[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    q[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    q[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    q[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

#endif
