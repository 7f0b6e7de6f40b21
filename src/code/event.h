/* SPDX-License-Identifier: Apache-2.0
 * Events: all that observers learn of an execution. The engine makes them; observers never see the
 * engine.
 *
 * Each worker thread of a launch has its own observer states, so no event needs a lock; at the end
 * the states are merged. Merging must not depend on order: every result is then the same whatever
 * the number of workers. */
#ifndef IFL_CODE_EVENT_H
#define IFL_CODE_EVENT_H

#include "arch/units.h"
#include "code/site.h"

typedef enum ifl_access_shape {
    IFL_SHAPE_ANY,        /* nothing is promised */
    IFL_SHAPE_CONTIGUOUS, /* all 32 lanes are active and lane i is at address[0] + i * bytes */
    IFL_SHAPE_UNIFORM     /* every active lane has the same address */
} ifl_access_shape;

/* One warp-level memory instruction (a request). Lanes outside `mask` have no meaning in `address`.
 * An instruction whose lanes are all predicated off makes no request; `mask` is 0 where all places
 * of a texture's or surface's request lie outside. */
typedef struct ifl_access {
    uint32_t site; /* into ifl_sites */
    uint8_t kind;  /* ifl_access_kind */
    uint8_t
        /* GLOBAL, SHARED or LOCAL; a generic instruction gives one event a space it touches */
        space;
    uint8_t bytes;  /* a lane: 1, 2, 4, 8, 16 or 32 */
    uint8_t shape;  /* ifl_access_shape */
    uint32_t mask;  /* active lanes */
    uint64_t block; /* linear index in the grid */
    uint32_t warp;  /* in the block */
    uint8_t cycles; /* of the texture unit; 0: nothing is known */
    /* Part of the texture unit's request that the access before began: no request of its own. */
    bool continues;
    bool
        of_host; /* global: its first lane's address is in memory of the host, which it reaches over the bus */
    /* Not 0: it is no atomic, all 32 lanes are active, each with an aligned word in a line of its
     * own, and of the banks that has most of these words so many. 0: nothing is known. */
    uint8_t apart;
    /* Not 0: requests to one state with the same number are of the same site, kind, space, bytes
     * and lanes, whose distances from each other are the same. 0: nothing is known. */
    uint64_t likeness;
    /* Of a side of a copy past registers (cp.async) whose lanes all have a source: where the other
     * side's lanes are, and does it keep the lines in the L1 (.ca)? NULL: of nothing else. */
    const uint64_t *other;
    bool keeps_line;
    /* Global: device addresses. Shared: byte offsets in the block's shared memory. Local: addresses
     * as the hardware lays local memory out, the 4-byte words of 32 lanes side by side; a wider
     * access is several, a word each. */
    const uint64_t *address;
} ifl_access;

/* An instruction was issued `warps` times in all, for `threads` active lanes in all. Comes once per
 * instruction and worker when the worker is done, not at each issue. */
typedef struct ifl_issue {
    uint32_t site;
    uint64_t warps;
    uint64_t threads;
    uint64_t executing; /* of them, those that its guard let execute; of PTX all */
} ifl_issue;

/* A product whose size only its operands tell (tcgen05). */
typedef struct ifl_product_event {
    uint32_t site;
    uint8_t kind;      /* ifl_matrix_kind */
    uint64_t products; /* multiply-adds, of all the tensor cores that make it */
} ifl_product_event;

/* A warp (or a part of it) issues the sites first to last - 1, one after the other: a basic block.
 * Their accesses come after it, so that the events of a warp stand in the order of issue. Comes of
 * blocks that are followed. */
typedef struct ifl_stretch {
    uint32_t first, last;
    uint32_t mask;
    uint64_t block;
    uint32_t warp;
} ifl_stretch;

/* A load of a constant bank at an address of each lane's own, of a block that is followed: so many
 * different addresses, in so many lines of 64 bytes, each 1 + (bank << 10 | line). */
typedef struct ifl_indexed {
    uint32_t site;
    uint32_t addresses;
    uint64_t block;
    uint32_t warp;
    uint32_t line_count;
    const uint16_t *lines;
} ifl_indexed;

/* Lanes of a warp part, of a block that is followed: they go to so many places more than one, or meet at one place in so many
 * groups more. */
typedef struct ifl_parting {
    uint32_t site;
    uint32_t more;
    uint64_t block;
    uint32_t warp;
} ifl_parting;

/* A lane launches a kernel, of a block that is followed. */
typedef struct ifl_nested_launch_event {
    uint32_t site;
    uint64_t block;
    uint32_t warp;
} ifl_nested_launch_event;

/* What happens to a barrier object (mbarrier) in shared memory of the block, which is followed: a
 * warp arrives, begins a copy that it counts, or goes on since it has waited for its phase long
 * enough. Or to a barrier of the block that is for so many threads: some come and wait, or
 * come and go on. */
typedef enum ifl_object_step {
    IFL_OBJECT_ARRIVAL,
    IFL_OBJECT_COPY,
    IFL_OBJECT_WAIT,
    IFL_OBJECT_MEETING,
    IFL_OBJECT_PASSING
} ifl_object_step;
enum { IFL_OBJECT_OF_SOME = 1 << 30 };
typedef struct ifl_object_event {
    uint32_t site;
    uint32_t object;   /* its byte offset; of a barrier of some IFL_OBJECT_OF_SOME and its number */
    uint32_t count;    /* arrivals; at a barrier of some, of threads */
    uint32_t expected; /* threads, at a barrier of some */
    uint8_t step;      /* ifl_object_step */
    uint64_t block;
    uint32_t warp;
} ifl_object_event;

/* A branch split a warp: some lanes of `active` took it, some did not. */
typedef struct ifl_divergence {
    uint32_t site;
    uint32_t active;
    uint32_t taken;
} ifl_divergence;

/* A warp (or a part of it) arrived at a barrier of the block, or made the L1 of its SM forget all that
 * it holds, as what acquires does. */
typedef struct ifl_barrier_arrival {
    uint32_t site;
    uint32_t mask;
    bool forgets;
    uint64_t block;
    uint32_t warp;
} ifl_barrier_arrival;

/* A block has ended. */
typedef struct ifl_block_end {
    uint64_t block, blocks; /* linear index in the grid; blocks of the grid */
    uint64_t instructions;  /* warp instructions that it issued */
    bool was_alone; /* since the end before this one nothing of another block was told here */
} ifl_block_end;

/* One kind of observer. Any event function may be NULL. */
typedef struct ifl_observer {
    const char *name;
    size_t state_bytes; /* of a worker's state, which begins zeroed, */
    size_t site_bytes;  /* and as much behind it for each site */
    /* Makes a state ready; false without memory. NULL: it is. */
    bool (*begin)(void *state, const ifl_sites *sites, const void *settings);
    void (*end)(
        void
            *state); /* frees what a state holds, whether or not it was made ready; NULL: nothing */
    const void *settings; /* of one launch */
    void (*access)(void *state, const ifl_access *access);
    /* To shared memory of other blocks of the cluster: `space` is CLUSTER. */
    void (*remote)(void *state, const ifl_access *access);
    /* Requests of the shape CONTIGUOUS that are no atomics: so many that begin at the same place of
     * a line, which is all that `address` tells of them; block and warp are not told. Comes when
     * the worker is done, or at any time. NULL: each of them comes by `access`. */
    void (*contiguous)(void *state, const ifl_access *access, uint64_t times);
    void (*issue)(void *state, const ifl_issue *issue);
    bool (*follows)(
        void *state,
        uint64_t block); /* asked when a block starts: stretch to object come of this one */
    void (*stretch)(void *state, const ifl_stretch *stretch);
    void (*indexed)(void *state, const ifl_indexed *indexed);
    void (*parting)(void *state, const ifl_parting *parting);
    void (*nested)(void *state, const ifl_nested_launch_event *launch);
    void (*object)(void *state, const ifl_object_event *event);
    void (*product)(void *state, const ifl_product_event *event);
    void (*divergence)(void *state, const ifl_divergence *divergence);
    void (*barrier)(void *state, const ifl_barrier_arrival *arrival);
    void (*block_end)(void *state, const ifl_block_end *end);
    void (*merge)(void *state, const void *other); /* adds `other`, of another worker, to `state` */
} ifl_observer;

/* A worker's state; NULL without memory. */
void *ifl_observer_new(const ifl_observer *observer, const ifl_sites *sites, const void *settings);
/* NULL is none. */
void ifl_observer_free(const ifl_observer *observer, void *state);

#endif
