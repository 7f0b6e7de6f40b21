/* SPDX-License-Identifier: Apache-2.0
 * Copies of a block that a unit of its own does: what is begun is done when somebody waits for it,
 * so that whoever does not wait finds memory as it was before. */
#ifndef IFL_EXEC_BULK_H
#define IFL_EXEC_BULK_H

#include "code/bulk.h"
#include "exec/warp.h"

/* Of what the barrier object at `object` counts, has some begun so lately that other warps may still be
 * at work with what was there before? A copy takes longer than they do. */
bool ifl_bulk_is_early(const ifl_warp *warp, const uint8_t *object);
/* Does what it counts; false after a fault. */
bool ifl_bulk_finish_counted(ifl_warp *warp, const uint8_t *object);
/* Does all that is left of a block that has ended. */
void ifl_bulk_finish_all(ifl_block *block);
/* Forgets it. */
void ifl_bulk_free(ifl_block *block);

/* The object at an address; NULL after a fault. */
uint8_t *ifl_mbarrier_in(ifl_warp *warp, const ifl_code *code, uint8_t space, uint64_t address,
                         uint32_t lane);
/* Makes one, whose phase has a parity. */
void ifl_mbarrier_make(uint8_t *object, uint32_t arrivals, bool parity);
/* One arrives. */
void ifl_mbarrier_arrive(uint8_t *object);
/* Bytes have come. */
void ifl_mbarrier_complete(uint8_t *object, uint32_t bytes);

/* tensor_copy.c: a lane's box; false after a fault. `bytes`: what its barrier counts. */
typedef struct ifl_box {
    uint64_t description; /* address */
    int32_t coordinates[IFL_BULK_RANKS];
    uint16_t offsets[IFL_BULK_RANKS - 2];
    uint64_t shared; /* address, in `space`: SHARED, or CLUSTER of another block */
    uint8_t space;
} ifl_box;
bool ifl_box_bytes(ifl_warp *warp, const ifl_code *code, uint32_t lane, const ifl_box *box,
                   uint32_t *bytes);
bool ifl_box_copy(ifl_warp *warp, const ifl_code *code, uint32_t lane, const ifl_box *box);
/* Tells observers what the L2 is asked for. */
void ifl_box_tell(ifl_warp *warp, const ifl_code *code, uint32_t lane, const ifl_box *box,
                  ifl_access_kind kind);

/* bulk_pieces.c: the same of bytes side by side. */
void ifl_bulk_tell(ifl_warp *warp, const ifl_code *code, ifl_access_kind kind, uint64_t address,
                   uint64_t bytes);

/* bytes at `to` = those combined with bytes at `from`: of a reduction in bulk (atomic.c). `flushes`: sums of f32
 * take denormals as 0 and give none. */
void ifl_reduce_bytes(uint8_t operation, uint8_t type, bool flushes, uint8_t *to,
                      const uint8_t *from, uint64_t bytes);

#endif
