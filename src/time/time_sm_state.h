/* SPDX-License-Identifier: Apache-2.0
 * One SM at work: its blocks, their warps, and the schedulers that these stand on. Its own files look in here, nobody
 * else. */
#ifndef IFL_TIME_TIME_SM_STATE_H
#define IFL_TIME_TIME_SM_STATE_H

#include "time/time_board.h"
#include "time/time_constants.h"
#include "time/time_object.h"
#include "time/time_ports.h"
#include "time/time_sm.h"
#include "time/time_walk.h"

enum { IFL_SM_WARPS = 64, IFL_SM_MOST_QUEUED = 16, IFL_PIPE_HALVES = 2 };
#define IFL_NEVER UINT64_MAX

/* Which of the two halves of its pipe an instruction takes. */
typedef enum ifl_takes { IFL_TAKES_FIRST, IFL_TAKES_EITHER, IFL_TAKES_BOTH } ifl_takes;

/* What is looked at each time that a warp may issue comes first: the lines of all warps that hold it stay near. */
typedef struct ifl_sm_warp {
    ifl_walk walk;        /* through its trace */
    const ifl_site *site; /* that it is at */
    size_t block;         /* in the order in which they started */
    uint64_t issued;      /* cycle of the last issue, or of its start */
    uint64_t *ready;      /* the earliest cycle of its next issue, in its scheduler; IFL_NEVER: at a
                             barrier, or there is none */
    uint64_t held_since;  /* by what has held it since: */
    uint64_t held;        /* cycles in all, which are counted */
    uint8_t held_why;     /* ifl_stall, not_selected: nothing */
    bool queues, is_far;  /* that instruction goes to a queue; to memory beyond the SM's own */
    uint8_t pipe, takes;  /* of that instruction: ifl_pipe, ifl_takes */
    uint8_t carried;      /* scoreboards that what it passed would have waited for */
    uint8_t board_why;    /* why it waits for scoreboards: */
    uint64_t boarded;     /* until then */
    uint64_t stalled;     /* until then by the stall of the last instruction */
    uint64_t turned;      /* until then by the branch that it took */
    size_t code_line;     /* + 1: that it issues from; 0: it has not begun */
    uint64_t fetched;     /* until then by its code */
    uint64_t supplied;    /* until then by a constant */
    uint64_t opened;      /* when the last barrier that it came to has opened */
    uint64_t barred;      /* until then by it */
    uint64_t fenced;      /* until then by a fence */
    uint64_t earliest;    /* as `ready`, but for the barrier or the object that it is held at */
    uint64_t copies;      /* end of the copies of no group yet */
    uint64_t left, taken; /* until then what it wrote is in the SM, and not in the L2 */
    double data_free;     /* when its next wavefront in shared memory or the L1 may begin */
    uint32_t place;       /* of its block */
    bool at_barrier, defers;  /* it goes on until what it comes to is blocked there */
    ifl_object_count awaited; /* what a barrier object must have had before it goes on */
    bool awaits;
    bool has_stored;   /* since its last fence */
    bool is_of_some;   /* that object is a barrier, which some warps of the block have */
    uint32_t waits;    /* for global, local or texture memory */
    uint32_t launches; /* of kernels, that its lanes make */
    /* Groups, more than one, into which the instruction parts its lanes, or values that it tells apart. */
    uint32_t parts;
    ifl_board boards[IFL_GROUP_BOARD + 1];
} ifl_sm_warp;

typedef struct ifl_sm_place {
    uint32_t live, waiting; /* warps; of them, at the barrier */
    uint64_t free_at;
    uint64_t left; /* what its warps wrote has left the SM */
    uint64_t done; /* the L2 has it */
    bool is_taken;
    ifl_time_objects objects;
} ifl_sm_place;

/* When the last requests left a queue to the memory. */
typedef struct ifl_sm_ring {
    uint64_t left[IFL_SM_MOST_QUEUED]; /* as many as it has room for */
    uint32_t at;
} ifl_sm_ring;

typedef struct ifl_sm_scheduler {
    ifl_sm_warp *warps[IFL_SM_WARPS];
    uint64_t ready[IFL_SM_WARPS]; /* of each, side by side: they are looked at each time */
    uint64_t order[IFL_SM_WARPS]; /* of each, likewise: ifl_sm_order_of */
    uint64_t awake;               /* a bit for each that was ready when it was looked at */
    uint64_t wakes;               /* when the first of the others is */
    bool is_stale;                /* these two are not known */
    uint32_t count, last;
    uint64_t next;                             /* no warp of it is ready before; 0: not known */
    uint64_t pipe[IFL_PIPES][IFL_PIPE_HALVES]; /* when it is free */
    ifl_register_ports ports;
    uint64_t dispatch;     /* when the next instruction may issue */
    uint64_t match_free;   /* when the next MATCH may begin */
    double products_owed;  /* cycles of its tensor core, beyond whole ones */
    double owed;           /* cycles that instructions took of it, beyond whole ones */
    ifl_sm_ring queues[2]; /* of instructions within the SM, and beyond it: is_far */
} ifl_sm_scheduler;

typedef struct ifl_sm {
    const ifl_sm_case *of;
    const ifl_arch *arch;
    ifl_sm_outcome *out;
    ifl_time_memory memory;
    ifl_code_cache code;
    ifl_constant_cache operands[IFL_SM_SUBCORES]; /* of constants, of each scheduler */
    ifl_sm_scheduler schedulers[IFL_SM_SUBCORES];
    ifl_sm_warp *warps; /* by place, then by index in the block */
    ifl_sm_place *places;
    size_t next;           /* block */
    uint64_t starter;      /* when the next block may start */
    uint64_t barrier_free; /* when the unit that counts the warps at barriers is */
    uint64_t fence_free;   /* when the next fence may begin */
    uint64_t now;
    uint32_t running; /* blocks */
    uint32_t waits;   /* of the warp that ended last */
    uint32_t queue;   /* instructions that it has room for */
} ifl_sm;

#endif
