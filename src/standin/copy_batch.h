/* SPDX-License-Identifier: Apache-2.0
 * Several copies at once, as calls of both interfaces describe them. */
#ifndef IFL_STANDIN_COPY_BATCH_H
#define IFL_STANDIN_COPY_BATCH_H

#include "standin/state.h"

/* cudaMemcpyAttributes: when the source is read, and where both sides may be. */
typedef struct ifl_copy_attributes {
    int order;
    int places[4];
    unsigned flags;
} ifl_copy_attributes;

bool ifl_copy_is_order(int order);

typedef struct ifl_copy_batch {
    void *const *to;
    const void *const *from;
    const size_t *bytes;
    size_t count;
    const ifl_copy_attributes *attributes;
    const size_t *first; /* copy that each of them is for */
    size_t attribute_count;
} ifl_copy_batch;

/* The copies in their order; *failed, which may be NULL: the one that cannot be, SIZE_MAX: none. */
ifl_cuda_error ifl_copy_batch_give(ifl_session *session, const ifl_copy_batch *batch, void *stream,
                                   size_t *failed);

#endif
