/* SPDX-License-Identifier: Apache-2.0
 * The L1 of an SM and the L2 of a GPU: what a request of one line does to them. Knows the rules and
 * lines; not where requests come from. Sectors are masks of four bits. */
#ifndef IFL_OBSERVE_CACHE_LEVELS_H
#define IFL_OBSERVE_CACHE_LEVELS_H

#include "observe/cache_rules.h"
#include "code/site.h"
#include "observe/lru.h"

typedef struct ifl_l1 {
    const ifl_cache_rules *rules;
    ifl_lru lines;
    ifl_lru read_only; /* no ways: it has none of its own */
    uint64_t age_limit; /* a line unused for longer is no longer there; UINT64_MAX: none */
    uint64_t evictions, ages; /* lines that had to go, and for how long they had been unused, summed */
} ifl_l1;

/* `lines` and `read_only_lines`: 128 bytes each, in sets; with an age limit it stands for many L1s, and has no sets. */
bool ifl_l1_init(ifl_l1 *l1, const ifl_cache_rules *rules, uint32_t lines, uint32_t read_only_lines,
                 uint64_t age_limit);
void ifl_l1_free(ifl_l1 *l1);

typedef struct ifl_l1_answer {
    uint8_t hits;    /* sectors found */
    uint8_t fetched; /* sectors that the L2 is asked for: more than those missed where whole lines are */
    uint8_t written_back; /* sectors of local memory that had to make room, of `victim` */
    uint64_t victim;
} ifl_l1_answer;

/* Loads, stores and atomics all go on to the L2: loads with what `fetched` says, stores with what they came with
 * unless *stays is set (local memory, where it is written back). `whole`: of a store's sectors those that it fills. */
ifl_l1_answer ifl_l1_load(ifl_l1 *l1, uint64_t line, uint8_t sectors, ifl_path path,
                          uint64_t now);
ifl_l1_answer ifl_l1_store(ifl_l1 *l1, uint64_t line, uint8_t sectors, uint8_t whole,
                           ifl_path path, uint64_t now, bool *stays);
void ifl_l1_atomic(ifl_l1 *l1, uint64_t line, uint8_t sectors);

typedef struct ifl_l2_half {
    ifl_lru lines;
    uint32_t dirty, most_dirty; /* lines */
    uint64_t chance;
} ifl_l2_half;

/* One, or two halves. A line has its home in one of them, by its number; an SM asks the half that it is at, and that
 * one the home and keeps a copy. Stores go to the home as well, atomics are done there. */
typedef struct ifl_l2 {
    const ifl_cache_rules *rules;
    ifl_l2_half half[2];
    uint32_t halves;
} ifl_l2;

/* `share`: of a sample's lines, as in ifl_trace. */
bool ifl_l2_init(ifl_l2 *l2, const ifl_cache_rules *rules, uint32_t lines, uint32_t share);
void ifl_l2_free(ifl_l2 *l2);

/* In sectors. */
typedef struct ifl_l2_answer {
    uint8_t hits; /* in the half that was asked */
    uint8_t dram_reads;
    uint8_t dram_writes; /* of lines that had to make room, or were one too many to be written */
    bool from_dram; /* some of what is read comes from DRAM, not from either half */
} ifl_l2_answer;

/* Who asks, and when. */
typedef struct ifl_l2_asker {
    uint32_t near; /* the half that it is at, where there are two */
    uint64_t now;
    uint64_t ends; /* the line's contents mean nothing from then on (local memory of a block that is done), or
                      UINT64_MAX */
} ifl_l2_asker;

ifl_l2_answer ifl_l2_read(ifl_l2 *l2, uint64_t line, uint8_t sectors, const ifl_l2_asker *by);
/* `whole`: those of `sectors` that are written in full; of the others `bytes` each. */
ifl_l2_answer ifl_l2_write(ifl_l2 *l2, uint64_t line, uint8_t sectors, uint8_t whole, uint8_t bytes,
                           const ifl_l2_asker *by);
ifl_l2_answer ifl_l2_atomic(ifl_l2 *l2, uint64_t line, uint8_t sectors, const ifl_l2_asker *by);

#endif
