/* SPDX-License-Identifier: Apache-2.0
 * The state of a running launch: workers, blocks, warps, and the fragments that a diverged warp
 * falls into.
 *
 * Divergence. A fragment is a set of lanes that execute together. At a branch that splits a
 * fragment, a meeting is made: the place where the lanes come together again (the branch's
 * immediate post-dominator) and which lanes are expected there. A fragment that gets there waits;
 * when all expected lanes that still live have arrived they go on as one fragment. A part that
 * spins (waits for memory to change, changing nothing itself) while others wait at a meeting lets
 * those others go on alone, as the hardware's independent thread scheduling does: a lock held by a
 * waiting lane is then released. */
#ifndef IFL_EXEC_WARP_H
#define IFL_EXEC_WARP_H

#include "base/cache_lines.h"
#include "code/code.h"
#include "exec/exec.h"
#include "exec/memory_internal.h"
#include "exec/slow.h"

/* Basic blocks that a fragment may run before it is looked at again: few when other lanes of the
 * warp wait for it, and fewer when it looks at memory that others change, so that a spinning one is
 * soon found out. */
enum { IFL_PLANE = 4 * IFL_WARP_LANES /* a slot of 32 bits a lane */ };
enum { IFL_MOST_PATIENCE = 512, IFL_LEAST_PATIENCE = 4 };
enum { IFL_LONG_SLICE = 4096, IFL_SHORT_SLICE = 32, IFL_WATCHING_SLICE = 8 };

typedef struct ifl_worker ifl_worker;
typedef struct ifl_grid ifl_grid;
typedef struct ifl_likenesses ifl_likenesses;
typedef struct ifl_contiguous ifl_contiguous;

/* The registers and per-thread memory of one call of a function, shared by the lanes in it. */
typedef struct ifl_frame {
    char *slots; /* predicates and registers: routine->frame_bytes */
    const ifl_routine *routine;
    struct ifl_frame *caller;      /* NULL: the kernel's own */
    struct ifl_frame *next;        /* in a free list */
    struct ifl_frame *made_before; /* in the list of all the warp's frames */
    const ifl_code *call;          /* in the caller */
    uint32_t lanes;                /* still in it */
    uint64_t local_start;          /* of its local variables, in each thread's local memory */
    uint8_t *params;               /* PARAM variables: lane * param_bytes + offset */
    uint64_t local_bytes;          /* of a thread: the routine's, or the launch's stack */
    uint8_t *local;                /* LOCAL variables: lane * local_bytes + offset */
    uint8_t *local_written;        /* like local, when reads are checked */
    uint64_t
        /* in a lane's local memory nothing below it was written since the frame was entered */
        local_low;
    uint64_t stack_top[IFL_WARP_LANES]; /* where what variables and alloca take ends */
} ifl_frame;

typedef struct ifl_meeting {
    const ifl_code *place; /* the JOIN code, or the code after a call */
    ifl_frame *frame;
    uint32_t expected;
    uint32_t arrived;
    struct ifl_meeting *outer;
    struct ifl_meeting *made_before; /* in the list of all the warp's meetings */
} ifl_meeting;

typedef enum ifl_fragment_state {
    IFL_FRAGMENT_READY,
    IFL_FRAGMENT_AT_BARRIER, /* `barrier` of the block */
    IFL_FRAGMENT_AT_WARP_OP, /* code is a warp-wide operation whose lanes are not all here */
    IFL_FRAGMENT_AT_SYNC,    /* at barrier register `barrier` */
    IFL_FRAGMENT_AT_GATHER
} ifl_fragment_state;

typedef struct ifl_fragment {
    const ifl_code *code;
    ifl_frame *frame;
    ifl_meeting *meeting;
    uint32_t mask;
    uint8_t state;
    uint8_t barrier;
    bool yields;                            /* came to a YIELD, and has not run since */
    const struct ifl_barrier_op *reduction; /* of the barrier it waits at, NULL: none */
    uint32_t executing;                     /* lanes that get its result */
    const ifl_code *
        /* of machine code: where it stood, ready to run, when others parted; NULL: none did */
        aside;
} ifl_fragment;

/* How far a warp of a grid that keeps pace gets in a round (pace.c). */
typedef struct ifl_pace {
    int32_t left;        /* of the round; 0 or less: the warp waits for the next one */
    uint32_t turn, site; /* of its last request */
    bool has_loads;      /* that it has not waited for */
    bool only_looked;    /* the round ended with a look at memory, or asleep */
    bool has_queued;     /* its atomic has waited for others at the same words */
    uint32_t waits;      /* rounds until it has */
} ifl_pace;

struct ifl_warp {
    /* of the running fragment; handlers use these */
    ifl_reason reason;
    uint32_t taken;
    int32_t slice;         /* basic blocks until the fragment yields */
    int32_t requests_left; /* memory requests until the warp yields */
    uint32_t behind;       /* turns of one request, since it left a barrier */
    ifl_pace pace;
    const ifl_code *place; /* of the fragment's meeting, or NULL */
    ifl_frame *frame;
    ifl_worker *worker;
    struct ifl_block *block;
    bool is_followed;  /* stretches of its block are told */
    bool observed;     /* read memory in a way that may wait for others */
    bool changed;      /* wrote memory */
    bool spins;        /* in its last slice it observed and changed nothing */
    bool spun;         /* the same, and kept while the next slice runs */
    bool has_yielded;  /* came to a YIELD, or slept, since it was last asked whether it waits */
    uint32_t watching; /* how long it has observed memory while other lanes waited */
    uint32_t patience; /* how long it may before those go on */
    const ifl_fragment *running; /* whose slice it is */
    uint32_t index;              /* in the block */
    uint32_t live;               /* lanes not ended */
    uint32_t lanes;              /* that the block has in this warp */

    ifl_fragment fragments[IFL_WARP_LANES];
    uint32_t count;
    uint32_t current;
    ifl_meeting *free_meetings;
    ifl_meeting *meetings;          /* all */
    ifl_frame *frames;              /* all */
    ifl_frame **free_frames;        /* by routine */
    uint64_t clock;                 /* its last reading of %clock */
    struct ifl_sync *sync;          /* NULL: the kernel has meetings instead */
    struct ifl_lane_copies *copies; /* issued by lanes; NULL: none yet (copy.c) */
    uint32_t group_steps; /* products of its warp group that it has begun, and arrivals there */
    uint32_t
        cluster_arrived;     /* lanes that the cluster's barrier has, and whose phase is not over */
    uint32_t cluster_passed; /* lanes whose phase is over, and that have not waited for it yet */
    _Alignas(64) uint64_t address[IFL_WARP_LANES];
};

typedef struct ifl_barrier {
    uint32_t arrived;         /* threads */
    uint32_t expected;        /* 0: every live thread of the block */
    uint32_t any, all, count; /* reductions over the arrived threads */
} ifl_barrier;

/* The cluster's barrier: threads of all its blocks. */
typedef struct ifl_cluster {
    uint32_t live;    /* not ended */
    uint32_t arrived; /* of them, in this phase */
} ifl_cluster;

typedef struct ifl_block {
    uint64_t index; /* linear, in the grid */
    uint32_t position[3];
    uint32_t rank;         /* in its cluster, whose blocks lie side by side by their ranks */
    uint64_t shared_start; /* its own shared memory's first address */
    ifl_cluster cluster;   /* of the block with rank 0: its cluster's */
    uint32_t live;         /* threads not ended */
    uint64_t issued;       /* warp instructions, while others run beside it */
    bool is_running;
    ifl_warp **warps;
    uint32_t warp_count;
    uint32_t first_warp; /* whose turn it is first */
    bool is_contended;   /* a warp has compared and swapped shared memory since */
    bool is_together;    /* all its warps have met at a barrier since */
    uint8_t *shared;
    uint8_t *shared_written;
    struct ifl_race_block *races; /* when races are checked */
    ifl_barrier barriers[IFL_BARRIERS];
    struct ifl_bulk_queue *bulk;      /* copies begun, NULL: none yet (bulk_copies.c) */
    struct ifl_tensor_memory *tensor; /* NULL: not used yet (tensor_memory.c) */
    uint32_t barriers_used;           /* that some thread has arrived at */
    uint32_t *
        nested_errors; /* by thread: the last error of launching; NULL: none yet (nested_calls.c) */
} ifl_block;

typedef struct ifl_block_count {
    uint64_t warps;
    uint64_t threads;
} ifl_block_count;

/* A fault: what happened, with everything the message needs. */
typedef struct ifl_fault {
    bool is_set;
    uint64_t block;
    ifl_fault_kind kind;
    uint32_t site;
    char text[768];
} ifl_fault;

typedef struct ifl_read_warning {
    bool is_set;
    uint64_t block;
    uint32_t warp, lane;
    uint64_t address;
    uint64_t times;
    uint8_t space;
} ifl_read_warning;

/* Pairs of barriers that a worker tells of (parted.h). */
enum { IFL_WORKER_PARTED = 4 };

/* The first of its kind, and how many there are: accesses below the kernel's own shared memory, copies to
 * it that were on their way when the block ended. */
typedef struct ifl_noted_access {
    ifl_read_warning first;
    uint32_t site;
    bool is_write;
} ifl_noted_access;

typedef struct ifl_listener {
    void (*access)(void *state, const ifl_access *access);
    void *state;
} ifl_listener;

/* What is expected of the next request of an instruction. */
typedef struct ifl_hint {
    ifl_allocation *allocation; /* where the last one went; NULL: unknown */
    uintptr_t side_by_side;     /* in it, here: the last load with lanes side by side; 0: none */
    uint8_t side_by_side_bytes; /* of a lane: 4 or 8 */
    /* Of lanes that lie apart (width/fetch.h). */
    uint8_t index_shift;    /* to an index that leads to so many bytes */
    uint32_t indices_from;  /* site that loads their indices */
    uintptr_t indices;      /* of the last request, here; 0: none are known */
    uintptr_t next_indices; /* that were taken to be the next one's */
    uint32_t searches;      /* for indices, and what could have been one */
    uint64_t first, step;   /* address of lane 0, and from the one before it */
} ifl_hint;

/* Lanes that are yet to be fetched (fetching.h): the first of 32, by their indices. */
typedef struct ifl_fetching {
    uintptr_t to, indices; /* host addresses: of what index 0 leads to, of lane 0's index */
    uint8_t bytes, shift;  /* of an index */
    uint8_t lanes;
    bool is_even; /* they are as far apart as others were */
} ifl_fetching;

/* A word of global memory that a block has compared and swapped. */
typedef struct ifl_swapped {
    uint64_t address, block; /* its index + 1; 0: none yet */
} ifl_swapped;
enum { IFL_SWAPPED = 64 };

/* Atomics of a sector whose old values are wanted, in a grid that keeps pace. */
typedef struct ifl_queue {
    uint64_t sector, free; /* when the next is served: pace.c */
} ifl_queue;
enum { IFL_QUEUES = 128 };

struct ifl_worker {
    _Alignas(IFL_CACHE_LINE) ifl_grid *grid;
    void **states;           /* of the observers */
    ifl_listener *listeners; /* those that want accesses */
    size_t listener_count;
    size_t keen_count;       /* of them, the first: those that want each contiguous one too */
    ifl_block_count *counts; /* by basic block of the image */
    ifl_hint *hint;          /* by site */
    ifl_fetching fetching;
    ifl_likenesses **likeness;   /* by site: its requests of any shape; NULL: nobody is told */
    uint64_t likenesses;         /* given so far */
    ifl_contiguous **contiguous; /* by site: its contiguous requests; NULL: nobody is told */
    uint64_t *tallies;           /* by site: lanes that executed it, of those that are tallied */
    ifl_block *blocks;           /* resident */
    uint32_t block_count, block_capacity;
    ifl_swapped swapped[IFL_SWAPPED]; /* lately, by address */
    ifl_queue queues[IFL_QUEUES];
    uint64_t rounds; /* of the resident blocks */
    uint32_t begins; /* the block with which the next round does: those before it had their turn */
    ifl_fault fault;
    uint64_t remote_requests;       /* to shared memory of another block of the cluster */
    uint64_t prints;                /* of lanes */
    uint64_t heap_calls;            /* of lanes */
    bool uses_host;                 /* memory of the host, in place */
    ifl_read_warning *unwritten;    /* by site, when reads or races are checked */
    struct ifl_race_warning *races; /* by site, when races are checked */
    ifl_noted_access low, outstanding;
    ifl_parted_pair *parted[IFL_WORKER_PARTED]; /* of the launch's, those that it has found */
    uint32_t parted_count;
    uint64_t done;
    uint64_t told;            /* warp instructions of the blocks that observers were told of */
    bool tells_ends;          /* some observer asks for them */
    bool follows;             /* some observer wants stretches of some blocks */
    bool tells_barriers;      /* some observer wants them */
    uint64_t at_grid_barrier; /* threads */
    uint64_t ended_threads;
    uint64_t clock;       /* readings of it, since the engine was made */
    uint32_t idle_rounds; /* rounds in which every warp only waited for memory to change */
    uint32_t
        /* of resident clusters, since a block ended, in rounds in which some warp observed
         * memory */
        stale_turns;
    uint32_t waiting_rounds; /* idle ones, since all that can be resident was */
    bool has_waited;         /* for others than the blocks of the grid */
    bool waits;              /* does so now */
    bool has_advanced;       /* since it last went on */
    bool is_first;           /* runs in the caller's thread: reports progress */
    bool seeks_help;         /* the first: other threads may still be started */
};

struct ifl_grid {
    const ifl_exec_launch *launch;
    const ifl_image *image;
    uint64_t blocks;
    uint32_t cluster[3]; /* blocks of a cluster */
    uint32_t cluster_blocks;
    bool is_explicit; /* the launch or the kernel asks for clusters */
    bool has_ranks;   /* clusters of more than one block, and the kernel's addresses hold ranks */
    uint64_t clusters;
    uint64_t fault_block; /* lowest that faulted, atomic; UINT64_MAX none */
    bool is_stopped;      /* atomic */
    uint32_t threads_per_block;
    uint32_t warps_per_block;
    uint64_t shared_bytes; /* of a block, all */
    uint64_t own_shared; /* of it the kernel's; behind that, where it is used, the system's part */
    uint64_t reserved_first; /* of it the system's, where that lies before the kernel's */
    uint32_t resident;       /* clusters that a worker holds at once */
    bool may_widen;          /* more, when those only wait for others */
    bool keeps_pace;    /* its blocks wait for each other, or deal out work among them (pace.c) */
    bool looks_only;    /* ... but only since the kernel looks first (ifl_demands) */
    bool has_lost_pace; /* they looked too often */
    uint64_t looks;
    struct ifl_exec_run *run; /* grid.c */
    uint64_t launch_number;   /* of the memory's launches */
    uint64_t workspace;       /* device address of the grid barrier's memory, 0 none */
    uint64_t
        parameters; /* device address of the parameters; 0: the kernel takes no address of them */
    /* All workers write these for each block, and only read what stands above for each warp. */
    _Alignas(IFL_CACHE_LINE) uint64_t next; /* cluster to start, atomic */
    uint64_t done;                          /* atomic, for progress */
};

/* The shared memory that the system reserves in a block: 1 KiB from compute capability 8.0 on (CUDA
 * C++ Programming Guide). Cooperative groups use it for tiles of several warps. Here it lies behind
 * the kernel's own, which takes whole units of 128 bytes; on hardware it lies before it. */
enum { IFL_RESERVED_SHARED = 1024, IFL_SHARED_UNIT = 128 };
/* %reserved_smem_offset_end of an H200: what the system's own code uses of it. */
enum { IFL_RESERVED_IN_USE = 288 };

static inline uint64_t ifl_reserved_shared_at(const ifl_grid *grid)
{
    return (grid->own_shared + IFL_SHARED_UNIT - 1) / IFL_SHARED_UNIT * IFL_SHARED_UNIT;
}

/* ---- warp.c: fragments and meetings ---------------------------------------------------------- */

ifl_fragment *ifl_fragment_add(ifl_warp *warp, ifl_fragment fragment);
void ifl_fragment_remove(ifl_warp *warp, uint32_t index);
/* Tells observers that some lanes of `active` took a branch and some did not. */
void ifl_warp_tell_divergence(ifl_warp *warp, const ifl_code *code, uint32_t active,
                              uint32_t taken);
/* Runs the warp until it waits, ends, yields or faults. */
void ifl_warp_run(ifl_warp *warp);
bool ifl_warp_is_done(const ifl_warp *warp);
bool ifl_warp_has_ready(const ifl_warp *warp);
/* Lets lanes that wait at a meeting go on alone; false when none wait. */
bool ifl_warp_release(ifl_warp *warp);
/* Puts fragments that are at the same place in the same situation together. */
void ifl_warp_merge(ifl_warp *warp);

/* The member mask that a lane gives to a warp-wide operation. PTX ISA leaves undefined what a lane
 * does that its mask does not include. An H100 stops with an illegal instruction at the WARPSYNC
 * that the compiler makes of a mask in a register (ifl_exchange.is_checked); of a constant mask it
 * makes none, and the lane runs on (tests/ptx/outside_mask.ptx). Then it waits for nobody here, and
 * takes part with those that do the same. */
typedef struct ifl_membership {
    uint32_t members;
    bool is_member;
} ifl_membership;
static inline uint32_t ifl_awaited(ifl_membership of)
{
    return of.is_member ? of.members : 0;
}
ifl_membership ifl_warp_membership(const ifl_exchange *op, const char *frame, uint32_t lane);
/* Lanes of `mask` that execute the operation with that membership (exchange.c). */
uint32_t ifl_warp_group(const ifl_exchange *op, const char *frame, uint32_t mask,
                        ifl_membership of);

/* ---- frame.c --------------------------------------------------------------------------------- */

ifl_frame *ifl_frame_enter(ifl_warp *warp, const ifl_routine *routine, ifl_frame *caller,
                           uint32_t mask);
void ifl_frame_leave(ifl_warp *warp, ifl_frame *frame, uint32_t mask);
void ifl_frames_free(ifl_warp *warp);
/* Puts this launch's parameters and special registers into the frames that another launch of the same
 * kernel and size of block has left. */
void ifl_frames_renew(ifl_warp *warp);
size_t ifl_frames_bytes(const ifl_warp *warp);
void ifl_meetings_free(ifl_warp *warp);
void ifl_warp_call(ifl_warp *warp, ifl_fragment *fragment);
void ifl_warp_return(ifl_warp *warp, ifl_fragment *fragment, uint32_t mask);
void ifl_meeting_add(ifl_warp *warp, ifl_fragment *fragment, const ifl_code *place,
                     ifl_frame *frame);

/* ---- memory seen from a warp: access.c ------------------------------------------------------- */

/* Tells the observers about a request, whose likeness it finds. */
void ifl_warp_tell(ifl_warp *warp, ifl_access *access);
/* The same where the likeness has been looked for. */
void ifl_warp_tell_found(ifl_warp *warp, ifl_access *access);
void ifl_warp_tell_product(ifl_warp *warp, const ifl_product_event *event);
/* likeness.c: of a request with an active lane; 0: it is like none that is known, or there is no
 * memory. */
uint64_t ifl_likeness_of(ifl_worker *worker, const ifl_access *access);
/* With room for more layouts where it is full and has few; without memory as it was. */
ifl_likenesses *ifl_likenesses_widen(ifl_likenesses **of);
void ifl_likenesses_free(ifl_worker *worker);
/* contiguous.c: counts a contiguous request, of which the keen listeners alone need to be told then;
 * false where there is no memory. */
bool ifl_contiguous_add(ifl_worker *worker, const ifl_access *access);
/* Tells the other listeners of all that were counted. */
void ifl_contiguous_tell(ifl_worker *worker);
void ifl_contiguous_free(ifl_worker *worker);
/* Of a warp that is followed: a basic block, and a load at addresses of the lanes' own from a
 * constant bank. */
void ifl_warp_tell_stretch(ifl_warp *warp, const ifl_code *block, uint32_t active);
void ifl_warp_tell_indexed(ifl_warp *warp, const ifl_code *code, uint32_t addresses,
                           const uint16_t *lines, uint32_t line_count);
/* ... and its lanes have parted at a site: into so many groups more than one. */
void ifl_warp_tell_parting(ifl_warp *warp, uint32_t site, uint32_t more);
void ifl_warp_tell_nested(ifl_warp *warp, uint32_t site);
/* ... and what it does to a barrier object, at `object` here. One of another block is not told
 * of. */
void ifl_warp_tell_object(ifl_warp *warp, const ifl_code *code, ifl_object_step step,
                          const uint8_t *object, uint32_t count);
/* ... and that `count` threads come to barrier `id`, which `expected` of the block's have. */
void ifl_warp_tell_some(ifl_warp *warp, const ifl_code *code, bool waits, uint32_t id,
                        uint32_t count, uint32_t expected);
typedef enum ifl_purpose {
    IFL_PURPOSE_READS,
    IFL_PURPOSE_STORES, /* and what was there does not matter */
    IFL_PURPOSE_CHANGES /* what is there, or it is not known */
} ifl_purpose;
/* Host address of `bytes` bytes at a generic device address, for one lane, checked; NULL after a
 * fault. `what` is "read" or "write". */
uint8_t *ifl_warp_reach(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t address,
                        uint64_t bytes, bool is_write);
/* The same in a known space. */
uint8_t *ifl_warp_reach_in(ifl_warp *warp, const ifl_code *code, ifl_space space, uint32_t lane,
                           uint64_t address, uint64_t bytes, bool is_write);
/* The same of bytes side by side that need no alignment as a whole. */
uint8_t *ifl_warp_reach_run(ifl_warp *warp, const ifl_code *code, ifl_space space, uint32_t lane,
                            uint64_t address, uint64_t bytes, bool is_write);
/* The same of bytes that change, where an address that stands for the memory of several GPUs is right:
 * those of the first. */
uint8_t *ifl_warp_reach_each(ifl_warp *warp, const ifl_code *code, ifl_space space, uint32_t lane,
                             uint64_t address, uint64_t bytes);
/* The same for a lane of `t`. */
uint8_t *ifl_warp_reach_for(ifl_warp *warp, const ifl_code *code, const ifl_transfer *t,
                            ifl_space space, uint32_t lane, uint64_t address, ifl_purpose use);
/* Is such a run there? Nothing is noted as read or written; false after a fault. */
bool ifl_warp_has(ifl_warp *warp, const ifl_code *code, ifl_space space, uint32_t lane,
                  uint64_t address, uint64_t bytes, bool is_write);
ifl_space ifl_space_of(uint64_t generic_address);
/* The address within the space that it lies in, which is changed to that: GENERIC to the one of its
 * window, CLUSTER to SHARED where it is the block's own, whose addresses become offsets. */
uint64_t ifl_warp_place(const ifl_warp *warp, uint8_t *space, uint64_t address);
/* Of a generic address; all that is SHARED is CLUSTER too. */
bool ifl_warp_lies_in(const ifl_warp *warp, ifl_space space, uint64_t address);
/* Notes that the launch reads or changes bytes of the allocation. */
void ifl_warp_note_use(const ifl_warp *warp, ifl_allocation *a, ifl_purpose use);

/* The next time the instruction probably goes to the same allocation: the handlers then need not
 * look for it. */
void ifl_warp_remember(ifl_warp *warp, const ifl_code *code, bool is_write, uint64_t address);
/* Atomic operations in their general form: as an ifl_slow. */
ifl_reason ifl_slow_atomic(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                           uint32_t active);

/* Where the GPU keeps the local memory of a warp, which interleaves the 4-byte words of its 32
 * lanes. */
uint64_t ifl_warp_local_start(const ifl_warp *warp);

static inline uint64_t ifl_interleaved(uint64_t start, uint32_t lane, uint64_t address)
{
    return start + (address & ~UINT64_C(3)) * IFL_WARP_LANES + lane * UINT64_C(4) + (address & 3);
}

/* A lane's address, and every lane's, by a transfer's registers and offset. */
uint64_t ifl_lane_address(const ifl_transfer *t, const char *frame, uint32_t lane);
void ifl_lane_addresses(const ifl_transfer *t, const char *frame, uint64_t address[IFL_WARP_LANES]);
/* The space of each lane's address, and the address within it. */
void ifl_warp_split_spaces(const ifl_warp *warp, const ifl_transfer *t, uint32_t mask,
                           uint64_t *address, uint8_t *space);
/* Tells of a request whose lanes may be in different spaces. */
void ifl_warp_tell_lanes(ifl_warp *warp, const ifl_code *code, const ifl_transfer *t, uint32_t mask,
                         const uint64_t *address, const uint8_t *space);
/* Of one side of a copy past registers: `other` is where the other side is, NULL where some lanes
 * have no source. */
void ifl_warp_tell_side(ifl_warp *warp, const ifl_code *code, const ifl_transfer *t, uint32_t mask,
                        const uint64_t *address, const uint64_t *other);
/* A whole request at warp->address in its general form. Returns false after a fault. */
bool ifl_warp_transfer(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask);

/* ---- copies by lanes: copy.c ----------------------------------------------------------------- */

/* Does all that the warp has issued; false after a fault. */
bool ifl_copies_finish(ifl_warp *warp);
/* Forgets it. */
void ifl_copies_start(ifl_warp *warp);
void ifl_copies_free(ifl_warp *warp);

/* ---- faults: fault.c ------------------------------------------------------------------------- */

/* Warps of a GPU compare and swap shared memory side by side: between a warp's read of a word and its
 * swap all others have theirs, and of those that read the same, one succeeds (HeCBench expdist: a
 * float's atomic addition by a block of 256 threads takes each of them 128 attempts on average). So
 * the warp's next request is its last in this turn, and another warp comes first in the next. */
static inline void ifl_warp_contend(ifl_warp *warp)
{
    if (warp->block->warp_count > 1) {
        warp->requests_left = 2; /* this one, and the next */
        warp->block->is_contended = true;
    }
}

/* The lane that its member mask leaves out. */
ifl_reason ifl_fault_outside(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint32_t members);
ifl_reason ifl_fault_raise(ifl_warp *warp, const ifl_code *code, ifl_fault_kind kind, uint32_t lane,
                           const char *format, ...) IFL_PRINTF(5, 6);
/* Of what is not aligned, or not there at all. */
void ifl_fault_outside_of_memory(ifl_warp *warp, const ifl_code *code, ifl_space space,
                                 uint32_t lane, uint64_t address, uint64_t bytes, bool is_write);
void ifl_fault_access(ifl_warp *warp, const ifl_code *code, ifl_space space, uint32_t lane,
                      uint64_t address, uint64_t bytes, bool is_write);
void ifl_warn_unwritten(ifl_warp *warp, const ifl_code *code, ifl_space space, uint32_t lane,
                        uint64_t address);
void ifl_warn_low(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t address,
                  bool is_write);
void ifl_warn_outstanding(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t bytes);

/* ---- clusters: cluster.c --------------------------------------------------------------------- */

/* The clusters of a launch. IFL_BAD_INPUT: the grid is no multiple of them, they are too large, or
 * not those of the kernel. */
ifl_status ifl_clusters_shape(ifl_grid *grid, const ifl_exec_launch *launch, ifl_error *error);
/* Where in the grid the block of a cluster with that rank is. */
void ifl_cluster_position(const ifl_grid *grid, uint64_t cluster, uint32_t rank,
                          uint32_t position[3]);
/* The first block of the worker's that lie side by side in the cluster of this one. */
ifl_block *ifl_cluster_first(ifl_block *block);
/* The block of a rank in the warp's cluster; NULL: there is none. */
ifl_block *ifl_cluster_block(const ifl_warp *warp, uint64_t rank);
void ifl_cluster_start(ifl_block *first, const ifl_grid *grid);
/* A fragment at the cluster's barrier. */
void ifl_cluster_arrive(ifl_warp *warp, ifl_fragment *fragment);
void ifl_cluster_lanes_ended(ifl_warp *warp, uint32_t mask);

/* ---- blocks: block.c ------------------------------------------------------------------------- */

void ifl_block_free(ifl_block *block);
void ifl_block_arrive(ifl_warp *warp, ifl_fragment *fragment);
void ifl_block_lanes_ended(ifl_warp *warp, uint32_t mask);
void ifl_block_tell_barrier(ifl_warp *warp, const ifl_code *code, uint32_t mask);
/* Runs blocks until there are none left or the launch ends. */
void ifl_worker_run(ifl_worker *worker);
/* Copies the text to the launch's warnings; false without memory. */
bool ifl_exec_warn(ifl_exec_result *result, const char *text);
/* Starts the other workers once the launch has taken a while. */
void ifl_worker_seek_help(ifl_worker *first);

/* ---- blocks that wait for each other: pace.c -------------------------------------------------- */

/* The warp has looked whether others have stored something: its round is over, and from now on the
 * grid keeps pace. */
void ifl_pace_look(ifl_warp *warp);
/* So many blocks have ended: need the others keep pace? */
void ifl_pace_leave(ifl_grid *grid, uint64_t done);
/* A warp of a grid that keeps pace has only looked in a round. */
void ifl_pace_count(ifl_grid *grid);
/* The warp sleeps: its round is over. */
void ifl_pace_sleep(ifl_warp *warp);
/* Before an atomic in global memory of the lanes of `mask`, at warp->address: must it wait for the next
 * round, for what the warp has loaded or for atomics of others on these words? */
bool ifl_pace_holds(ifl_warp *warp, uint32_t mask, const ifl_atomic *a);
/* The warp had one whose old values are wanted. `swapped`: the lanes that compared and then stored. */
void ifl_pace_fetched(ifl_warp *warp, uint32_t swapped);
/* Another round begins for the warp; false: it waits for an earlier one's atomic. */
bool ifl_pace_begin(ifl_warp *warp);
/* It has had a request: may it have another one in this round? */
bool ifl_pace_goes_on(ifl_warp *warp, uint32_t site);

/* ---- reading slots --------------------------------------------------------------------------- */

static inline void ifl_warp_shorten_slice(ifl_warp *warp, int32_t to)
{
    if (warp->slice > to)
        warp->slice = to;
}

/* The warp looked at memory in a way that may wait for others. */
static inline void ifl_warp_observe(ifl_warp *warp)
{
    warp->observed = true;
    ifl_warp_shorten_slice(warp, IFL_WATCHING_SLICE);
}

static inline uint32_t ifl_predicate(const char *frame, uint32_t at)
{
    return *(const uint32_t *)(const void *)(frame + at);
}

static inline uint32_t ifl_lane_u32(const char *frame, uint32_t slot, uint32_t lane)
{
    return ((const uint32_t *)(const void *)(frame + slot))[lane];
}

static inline uint64_t ifl_lane_u64(const char *frame, uint32_t slot, uint32_t lane)
{
    return ((const uint64_t *)(const void *)(frame + slot))[lane];
}

static inline void *ifl_slot(char *frame, uint32_t slot)
{
    return frame + slot;
}

#endif
