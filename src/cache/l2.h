/* SPDX-License-Identifier: Apache-2.0
 * The L2 of a GPU: what a request of one line does to it. Knows the rules and lines; not where
 * requests come from. Sectors are masks of four bits. */
#ifndef IFL_CACHE_L2_H
#define IFL_CACHE_L2_H

#include "arch/cache_rules.h"
#include "arch/units.h"
#include "base/room.h"

#include <stdbool.h>

/* What a half holds of a line; where the half does not hold it, all 0. */
typedef struct ifl_l2_line {
    uint32_t place;                    /* 1 + where it stands in the half's sets */
    uint8_t valid, dirty;              /* a bit a sector */
    uint8_t written[IFL_LINE_SECTORS]; /* bytes of a sector that is dirty and not valid */
} ifl_l2_line;

/* A set has `ways` places, of which the first `count` are taken. A stamp is the time of use, and
 * behind it the place's number in the set: the lowest one of a set names the line that is unused
 * for longest, which has to go for a new one. */
typedef struct ifl_l2_half {
    uint32_t *number,
        *stamp;     /* by place: 1 + the entry that is there, and its stamp; only there with sets */
    uint8_t *count; /* by set */
    uint32_t clock;
    uint32_t dirty, most_dirty; /* lines */
    uint32_t parts, most_parts; /* of them, those that have sectors that were stored in part */
    uint32_t fills;             /* because they were too many */
    uint64_t chance;
    ifl_room number_room, stamp_room, count_room;
} ifl_l2_half;

/* One, or two halves. A line has its home in one of them, by its number; an SM asks the half
 * that it is at, and that one the home and keeps a copy. Stores go to the home as well, atomics
 * are done there.
 *
 * What is held of a line is found by the line's number. Sets are there only where one of them
 * can be too small, or too many lines dirty: for the lines of a small launch nothing but the
 * numbers is needed. */
typedef struct ifl_l2 {
    const ifl_cache_rules *rules;
    uint32_t halves, share;
    uint32_t set_count, ways;
    const uint64_t *lines; /* by number */
    uint32_t line_count;
    uint32_t *set;     /* of an entry: number n, or n × 4 + sector; only there with sets */
    ifl_l2_line *held; /* of an entry e in half h: e × halves + h */
    uint64_t *ends;    /* the same: when the contents mean nothing any more; NULL: they always do */
    ifl_l2_half half[2];
    ifl_room held_room, ends_room, set_room;
} ifl_l2;

/* An empty L2 of so many lines of 128 bytes. `share`: of a sample's lines, as in ifl_trace.
 * `lines`, by number, are all that it will be asked for; they stay the caller's. `has_ends`:
 * some contents end (ifl_l2_asker). A zeroed ifl_l2 may be opened, and one that was opened
 * again, with the memory that it has. False without memory; freed by ifl_l2_free in every case. */
bool ifl_l2_open(ifl_l2 *l2, const ifl_cache_rules *rules, uint32_t capacity, uint32_t share,
                 const uint64_t *lines, uint32_t line_count, bool has_ends);
/* It holds nothing again. */
void ifl_l2_empty(ifl_l2 *l2);
void ifl_l2_free(ifl_l2 *l2);
/* Some line may have to go, or be cleaned, for another. */
bool ifl_l2_has_sets(const ifl_l2 *l2);

/* In sectors. */
typedef struct ifl_l2_answer {
    uint8_t hits; /* in the half that was asked */
    uint8_t dram_reads;
    uint8_t dram_writes;  /* of lines that had to make room, or were one too many to be written */
    uint8_t dram_padding; /* what single sectors of these lack to the piece that the DRAM moves */
    bool from_dram;       /* some of what is read comes from DRAM, not from either half */
} ifl_l2_answer;

/* What is asked of a line; `whole` and `bytes` are of writes. */
typedef struct ifl_l2_request {
    uint32_t number;
    uint8_t sectors;
    uint8_t whole;    /* of them, those that are written in full */
    uint8_t bytes;    /* of each of the others */
    bool brings_line; /* of a read: the DRAM gives all of the line */
    uint8_t home;     /* ifl_line_home of the line */
    /* Who asks, and when. */
    uint32_t near; /* the half that it is at, where there are two */
    uint64_t now;
    /* The line's contents mean nothing from then on (local memory of a block that is done), or
     * UINT64_MAX. */
    uint64_t ends;
} ifl_l2_request;

/* The line will be asked for soon. */
void ifl_l2_expect(const ifl_l2 *l2, uint32_t number);
ifl_l2_answer ifl_l2_read(ifl_l2 *l2, const ifl_l2_request *request);
ifl_l2_answer ifl_l2_write(ifl_l2 *l2, const ifl_l2_request *request);
ifl_l2_answer ifl_l2_atomic(ifl_l2 *l2, const ifl_l2_request *request);

/* Adds the sectors that are dirty and still mean something: `groups` are sums by ifl_line_group. */
void ifl_l2_count_dirty(const ifl_l2 *l2, uint64_t now, uint64_t *groups);

#endif
