/* SPDX-License-Identifier: Apache-2.0
 * Growing arrays. IFL_VEC(T) declares one, a zeroed one is empty:
 *     IFL_VEC(int) v = {0};
 *     if (!ifl_vec_push(&v, 7)) ...no memory...
 *     for (size_t i = 0; i < v.count; i++) use(v.at[i]);
 *     ifl_vec_free(&v); */
#ifndef IFL_BASE_VEC_H
#define IFL_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define IFL_VEC(type)                                                                              \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t count;                                                                              \
        size_t capacity;                                                                           \
    }

/* Makes room for `more` further elements of `size` bytes; false without memory, the array as it
 * was. */
bool ifl_vec_reserve_bytes(void **at, size_t *capacity, size_t count, size_t more, size_t size);

#define ifl_vec_reserve(v, more)                                                                   \
    ifl_vec_reserve_bytes((void **)&(v)->at, &(v)->capacity, (v)->count, (more), sizeof *(v)->at)
#define ifl_vec_push(v, ...)                                                                       \
    (ifl_vec_reserve((v), 1) ? ((v)->at[(v)->count++] = (__VA_ARGS__), true) : false)
#define ifl_vec_free(v) (free((v)->at), (v)->at = NULL, (v)->count = (v)->capacity = 0)

#endif
