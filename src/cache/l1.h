/* SPDX-License-Identifier: Apache-2.0
 * The L1 of an SM: what a request of one line does to it. Knows the rules and lines; not where
 * requests come from. Sectors are masks of four bits. */
#ifndef IFL_CACHE_L1_H
#define IFL_CACHE_L1_H

#include "arch/cache_rules.h"
#include "base/room.h"
#include "code/site.h"

#include <stdbool.h>

typedef struct ifl_l1_line {
    uint64_t line;
    uint64_t touched; /* when it was last used */
    uint32_t number;
    uint32_t stored;      /* words of sectors that are not valid, a bit each */
    uint8_t valid, dirty; /* a bit a sector */
    uint8_t given;        /* sectors of whose stored words some were loaded */
} ifl_l1_line;

/* Lines stand in sets, in each from the one used last to the one unused for longest, which is
 * the one that has to go: to use a line is to move it to the front. A set that was not looked at
 * since the L1 was emptied has an old stamp, and counts as empty. */
typedef struct ifl_l1_sets {
    ifl_l1_line *lines; /* set s has its own from s × ways on, `count` of them */
    struct ifl_l1_set {
        uint32_t stamp, count;
    } * set;
    uint32_t ways, set_count, stamp;
    struct ifl_l1_set *last; /* that a line was looked for in */
    ifl_room line_room, set_room;
} ifl_l1_sets;

/* One L1 after the other is played in the same memory. It has sets; or, where it stands for an
 * L1 that sees a sample of its lines, a limit of age: it holds all lines, by number, and a line
 * unused for longer is no longer there. */
typedef struct ifl_l1 {
    const ifl_cache_rules *rules;
    ifl_l1_sets lines;
    ifl_l1_sets read_only;     /* no ways: it has none of its own */
    ifl_l1_line *by_number[2]; /* with an age limit: of both */
    ifl_room number_room[2];
    uint64_t owner; /* with an age limit: lines of another are not there */
    uint64_t age_limit;
    uint64_t same_from, same_to; /* with any age limit between, all would have been the same */
    uint64_t evictions,
        ages; /* lines that had to go, and for how long they had been unused, summed */
} ifl_l1;

/* Of so many lines of 128 bytes, in sets. A zeroed ifl_l1 may be opened, and one that was opened
 * again, either way, with the memory that it has. False without memory; freed by ifl_l1_free in
 * every case. */
bool ifl_l1_open(ifl_l1 *l1, const ifl_cache_rules *rules, uint32_t lines,
                 uint32_t read_only_lines);
/* For lines whose numbers are less than `line_count`. */
bool ifl_l1_open_aging(ifl_l1 *l1, const ifl_cache_rules *rules, uint32_t line_count,
                       uint64_t age_limit);
/* It holds nothing: the L1 of another SM. */
void ifl_l1_empty(ifl_l1 *l1);
void ifl_l1_free(ifl_l1 *l1);

/* A line as who asks knows it. The number is needed with an age limit, and for victims. */
typedef struct ifl_l1_key {
    uint64_t line;
    uint32_t number;
    uint32_t words; /* a bit each: that a load asks for or a store fills; 0: not known */
} ifl_l1_key;

typedef struct ifl_l1_answer {
    uint8_t hits;    /* sectors found */
    uint8_t given;   /* of them, those of which only words that were stored are there */
    uint8_t fetched; /* that the L2 is asked for: not only those missed where whole lines are */
    uint8_t written_back; /* sectors of local memory that had to make room, and of which line */
    uint32_t victim;      /* the number */
} ifl_l1_answer;

/* Loads, stores and atomics all go on to the L2: loads with what `fetched` says, stores with
 * what they came with unless *stays is set (local memory, where it is written back). `whole`: of
 * a store's sectors those that it fills. */
/* The line with this number will be asked for soon. */
void ifl_l1_expect(const ifl_l1 *l1, uint32_t number);
ifl_l1_answer ifl_l1_load(ifl_l1 *l1, const ifl_l1_key *key, uint8_t sectors, ifl_path path,
                          uint64_t now);
ifl_l1_answer ifl_l1_store(ifl_l1 *l1, const ifl_l1_key *key, uint8_t sectors, uint8_t whole,
                           ifl_path path, uint64_t now, bool *stays);
/* What a load fetches that finds nothing. */
uint8_t ifl_l1_miss(const ifl_cache_rules *rules, uint8_t sectors, ifl_path path);
void ifl_l1_atomic(ifl_l1 *l1, const ifl_l1_key *key);

#endif
