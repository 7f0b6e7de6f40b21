/* SPDX-License-Identifier: Apache-2.0
 * The lines that one request touches, each once: its sectors, and which of them are stored to.
 * Knows addresses only. */
#ifndef IFL_CACHE_REQUEST_LINES_H
#define IFL_CACHE_REQUEST_LINES_H

#include "cache/line.h"
#include "code/alike.h"
#include "code/event.h"

/* A lane reaches from one line into the next at most. */
enum { IFL_REQUEST_LINES = 2 * IFL_WARP_LANES, IFL_REQUEST_SLOTS = 2 * IFL_REQUEST_LINES };

typedef struct ifl_request_line {
    uint64_t line, place; /* place: ifl_line_place */
    uint64_t stored[2];   /* its bytes, a bit each; of loads none */
    uint8_t sectors;      /* a bit each; << 4: of them, those that are stored in full */
    uint8_t part_bytes;   /* stored in each of the others, on average, rounded up */
    uint32_t words;       /* a bit each: that are loaded, or stored in full */
} ifl_request_line;

/* Where a request touches lines without order, a hash table of twice as many slots as there can
 * be lines tells which of them are there already. It is cleared with the first line of a
 * request: in a sample most have none. */
typedef struct ifl_request_lines {
    uint32_t count;
    uint32_t share;      /* only every 2^share-th line is wanted: */
    uint64_t most_place; /* those of no higher place */
    ifl_line_row row;    /* of the line that was last looked at */
    ifl_request_line at[IFL_REQUEST_LINES];
    uint8_t slot[IFL_REQUEST_SLOTS]; /* 1 + index */
    ifl_alike known;                 /* of requests that are alike: all lines, wanted or not */
} ifl_request_lines;

/* Freed by ifl_request_lines_free. */
void ifl_request_lines_init(ifl_request_lines *lines);
void ifl_request_lines_free(ifl_request_lines *lines);
void ifl_request_lines_want(ifl_request_lines *lines, uint32_t share);
/* The request has an active lane. */
void ifl_request_lines_find(ifl_request_lines *lines, const ifl_access *access);

#endif
