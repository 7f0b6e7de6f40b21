/* SPDX-License-Identifier: Apache-2.0
 * The memory of one SM: the L1's tags and data stage, and what is behind it, as servers that
 * process requests one after the other. The end of a request is known when it arrives. Knows rates,
 * costs and lines; not warps. */
#ifndef IFL_TIME_TIME_MEMORY_H
#define IFL_TIME_TIME_MEMORY_H

#include "base/room.h"
#include "time/time_constants.h"
#include "time/time_costs.h"
#include "time/time_host.h"
#include "time/time_lacking.h"
#include "time/time_trace.h"

enum {
    IFL_TIME_IN_FLIGHT = 4096,
    IFL_TIME_ARRIVALS = 2048,
    IFL_TIME_PLACES = 1024,
    IFL_TIME_MOST_OPEN_LINES = 64
};

/* A line of the L1: when its sectors are there. */
typedef struct ifl_time_line {
    uint64_t line; /* + 1; 0: none */
    double used;
    double there[IFL_LINE_SECTORS]; /* by sector; HUGE_VAL: it is not asked for */
    double sent[IFL_LINE_SECTORS];  /* when a store of the sector was last sent on; 0: none was */
    uint64_t last_send; /* of all lines that the SM sent on, the last time that it was this one */
    unsigned lost;      /* sectors that the next load does not find, behind several stores */
} ifl_time_line;

/* Takes one request after the other. */
typedef struct ifl_time_server {
    double free;       /* when the next one may begin */
    double load, seen; /* the share of the last cycles in which it was busy, as of `seen` */
    double most_load;  /* a load beyond this counts as this */
    double slack; /* cycles that it may be ahead of its share of the pace before an SM feels it */
    double
        share; /* of the whole server's time that all SMs together can take, 1 at most: few SMs do not fill it */
} ifl_time_server;

/* When the L2 has what was fetched of a line from DRAM last. */
typedef struct ifl_time_arrival {
    uint64_t line;
    double at;
} ifl_time_arrival;

/* When the lines of a place come from DRAM: earlier or later than others, 0 to 1. */
typedef struct ifl_time_place {
    uint64_t place; /* + 1; 0: none */
    double drawn;
} ifl_time_place;

/* On their way from an SM to the L2 at a time: lines that are stored, sectors of atomics, or lanes of
 * those where they are added one after the other. */
enum { IFL_TIME_MOST_SENT = 1024 };

typedef struct ifl_time_memory {
    const ifl_sm_rates *rates;
    const ifl_arch *arch;
    double l1_free, turn_free, remote_free; /* when the next request may begin */
    double fill_free;            /* when the next sector that is copied past the L1 may come */
    double last_wavefront;       /* of shared memory: when it passes */
    double barrier_passed;       /* until then what comes behind the last barrier waits */
    ifl_constants_behind behind; /* the caches of constants */
    ifl_constant_cache indexed;  /* constants that loads ask for */
    double miss_free;            /* when the L1 may ask for the next line */
    double port_free;            /* when the next sector may leave the SM */
    /* when the slice of the L2 that does most atomics may do the next; that gets most stores of one
     * sector */
    double atomics_free, stores_free, past_free;
    double sent[IFL_TIME_MOST_SENT]; /* when the L2 takes the last of them, in a ring */
    uint32_t sent_at, sent_most;
    double added; /* when it takes the last of atomics */
    ifl_time_server l2, dram;
    ifl_time_host host;
    ifl_time_server written; /* of the DRAM, only its load */
    ifl_time_line *lines;
    uint32_t sets, ways;
    double passed_use; /* when a line was used last in a gap of the trace */
    uint64_t sends;    /* of stored lines */
    uint64_t fetches,
        first_fetches; /* of lines, and of those that this SM had not asked for before */
    uint8_t *asked;    /* bit by half of a line: this SM has asked for it */
    int phase;         /* of ifl_cache_phases; -1: not known */
    bool
        /* blocks have ended: what is asked for now, others may have asked for long before */
        is_later;
    double in_flight[IFL_TIME_IN_FLIGHT]; /* when the last lines come, in a ring */
    uint32_t in_flight_at;
    ifl_time_lacking lacking;
    uint32_t open_lines
        [IFL_TIME_MOST_OPEN_LINES]; /* that stores are gathered in, as in a trace; a ring */
    uint32_t open_at, open_most;
    double stored_until;                          /* the last store has passed the L1 */
    ifl_time_arrival arrivals[IFL_TIME_ARRIVALS]; /* by line */
    ifl_time_place places[IFL_TIME_PLACES];
    uint64_t places_drawn;
    uint64_t drawn; /* for what only a share is known of */
    uint64_t l1_sectors, l1_hits, l2_sectors, dram_sectors;
    bool holds; /* the L1 has something */
    ifl_room room;
} ifl_time_memory;

/* What a request waits for. */
typedef struct ifl_served {
    double begins; /* the L1 takes it: its sources are free, its place in the queue too */
    double ends;   /* its result is there */
    double leaves; /* what it writes has left the SM; 0: it writes nothing there */
    double done;   /* the L2 has it */
} ifl_served;

/* So many of all instructions have been issued; `all` 0: that is not known. */
void ifl_time_memory_come_to(ifl_time_memory *memory, double issued, double all);
/* A zeroed memory may be begun, and one that was begun again. False without memory. */
bool ifl_time_memory_begin(ifl_time_memory *memory, const ifl_sm_rates *rates);
void ifl_time_memory_free(ifl_time_memory *memory);
/* A number from 0 to 1, the same ones in every run. */
double ifl_time_memory_draw(ifl_time_memory *memory);
/* The L1 has nothing any more. */
void ifl_time_memory_forget(ifl_time_memory *memory);

/* Of a request to shared memory that came at `now`: a warp's wavefronts are as far apart from one
 * request to the next as within one, and those of other warps pass between them. `free`: when the
 * warp's next one may begin. An H100: four loads in a row whose lanes all meet in one bank take
 * 4 x 64 + 35 cycles with one warp, and no more with two. */
void ifl_time_memory_keep_apart(ifl_time_memory *m, double *free, double now, ifl_served *served);
/* A barrier opens: what is asked of shared memory from now on passes behind all that was asked before,
 * and not between its wavefronts. An H200 (tools/gpu/shared_order_probe.cu): a store of 32 wavefronts and
 * a barrier take a block of one or two warps 66 cycles, and eight such blocks 506 and 586. */
void ifl_time_memory_open_barrier(ifl_time_memory *m, double now);
/* The same of a load through the L1 whose words meet in banks: of 16 and 32 lanes in one bank, an
 * H100's warp alone takes 34 and 65 cycles a load, four warps 17 and 34 (tools/gpu/scatter_probe.cu,
 * own_lines). */
void ifl_time_memory_keep_conflicts_apart(const ifl_time_memory *m, const ifl_site_access *access,
                                          double passes, double *free, ifl_served *served);

/* A request that comes at `now`; `words`: its lines. */
ifl_served ifl_time_memory_take(ifl_time_memory *memory, const ifl_site_access *access,
                                ifl_request_cost cost, const uint32_t *words, double now);
/* What asks for nothing passes where data do, so many times: a shuffle, one a cycle (CUDA C++ Programming Guide, throughput:
 * 32 lanes; an H200's l1tex__data_pipe_lsu_wavefronts_mem_shared counts one for each). Returns when it
 * begins. */
double ifl_time_memory_exchange(ifl_time_memory *memory, double passes, double now);
/* Lines that were asked for in a gap of the trace: nothing waits for them, and they are there. */
void ifl_time_memory_pass(ifl_time_memory *memory, const ifl_site_access *access,
                          ifl_time_lines lines, double now);
/* When all that was asked for has been done. */
double ifl_time_memory_ends(const ifl_time_memory *memory);

#endif
