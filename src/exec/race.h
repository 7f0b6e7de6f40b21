/* SPDX-License-Identifier: Apache-2.0
 * Races: accesses of different warps to the same byte of shared memory that nothing orders, and
 * lanes of one store that write different values to one address; also lanes that their own member
 * mask leaves out. What orders: barriers of the block, mbarriers, and for each word the atomic
 * operations that give a result (locks), and what acquires and releases by an order or behind a
 * fence. Within a warp all counts as ordered. */
#ifndef IFL_EXEC_RACE_H
#define IFL_EXEC_RACE_H

#include "exec/warp.h"

/* Of a worker, by site; NULL without memory. */
struct ifl_race_warning *ifl_race_warnings_new(size_t sites);
/* Says the site's race; false: it has none. */
bool ifl_race_describe(const ifl_worker *workers, unsigned count, uint32_t site, char *to,
                       size_t size);

/* What a block keeps: false without memory. The others do nothing where it keeps nothing. */
bool ifl_races_make(ifl_block *block, const ifl_grid *grid);
void ifl_races_free(ifl_block *block);
void ifl_races_start(ifl_block *block, const ifl_grid *grid);

void ifl_race_read(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t address,
                   uint64_t bytes);
/* By code->transfer, which may be an atomic operation, or a part of one. */
void ifl_race_load(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t address);
void ifl_race_write(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t address,
                    uint64_t bytes);
/* Before the lanes of a store write to `host`. */
void ifl_race_stores(ifl_warp *warp, const ifl_code *code, const char *frame, uint32_t mask,
                     const uint64_t *address, const uint8_t *space, uint8_t *const *host);
/* A lane's atomic operation on shared memory. */
void ifl_race_atomic(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t address,
                     uint64_t bytes);
/* The lanes of an atomic operation have done it, also on other memory. */
void ifl_race_update(ifl_warp *warp, const ifl_transfer *t, uint32_t mask, const uint64_t *address,
                     const uint8_t *space);
void ifl_race_fence(ifl_warp *warp);
/* What the warp knew of every warp when it issued an asynchronous copy. */
enum { IFL_RACE_WARPS = 32 };
typedef struct ifl_race_order {
    uint32_t knows[IFL_RACE_WARPS];
} ifl_race_order;
void ifl_race_issue(ifl_warp *warp, ifl_race_order *issue);
/* A lane's copy is done, which could have changed shared memory at any time since it was issued. */
void ifl_race_copy(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t address,
                   uint64_t bytes, const ifl_race_order *issue);
/* One on a barrier object, which plain loads test from then on: both order as ifl_race_meet does. */
void ifl_race_object(ifl_warp *warp, uint64_t address, uint64_t bytes);
/* An mbarrier: orders the warp behind all before it that did the same. */
void ifl_race_meet(ifl_warp *warp);
void ifl_race_arrive(ifl_warp *warp, unsigned barrier);
/* A lane executes a warp-wide operation with a member mask that does not include it. */
void ifl_race_outside(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint32_t members);
/* The warp goes on behind a barrier that opens; then, the barrier is as new. */
void ifl_race_leave(ifl_warp *warp, unsigned barrier);
void ifl_race_close(ifl_block *block, unsigned barrier);

#endif
