/* SPDX-License-Identifier: Apache-2.0
 * What the L2 is asked for by copies of the TMA, told to observers: a request an event. As an
 * H200's counters have it (tools/gpu/bulk_probe.cu, tests/gpu/h200/bulk.txt): the bytes of a copy,
 * or of a row of a box, are taken 128 at a time from their start, and these are split at lines. Of
 * what is loaded, each half of a sector is a request of its own; where several blocks get it, a
 * request has two sectors at least instead. */
#include "exec/bulk_copies.h"

enum { PIECE = 16, SECTOR = 32, LINE = 128 };

static void tell_request(ifl_warp *warp, const ifl_code *code, ifl_access_kind kind, uint64_t first,
                         uint64_t end)
{
    uint64_t address[IFL_WARP_LANES] = {0}; /* observers may look at all */
    uint32_t lanes = 0;
    for (uint64_t at = first; at < end; at += PIECE)
        address[lanes++] = at;
    ifl_access access = {.site = code->site,
                         .kind = (uint8_t)kind,
                         .space = IFL_SPACE_GLOBAL,
                         .bytes = PIECE,
                         .shape = IFL_SHAPE_ANY,
                         .mask = (UINT32_C(1) << lanes) - 1,
                         .block = warp->block->index,
                         .warp = warp->index,
                         .address = address};
    ifl_warp_tell(warp, &access);
}

/* Within a line. */
static void tell_loads(ifl_warp *warp, const ifl_code *code, uint64_t first, uint64_t end)
{
    const uint64_t whole = (first + SECTOR - 1) / SECTOR * SECTOR,
                   whole_end = end / SECTOR * SECTOR;
    if (first < whole && first < end)
        tell_request(warp, code, IFL_ACCESS_COPY_LOAD, first, whole < end ? whole : end);
    if (whole < whole_end)
        tell_request(warp, code, IFL_ACCESS_COPY_LOAD, whole, whole_end);
    if (whole_end < end && whole_end >= whole)
        tell_request(warp, code, IFL_ACCESS_COPY_LOAD, whole_end, end);
}

/* Within a line. */
static void tell_multicast(ifl_warp *warp, const ifl_code *code, uint64_t first, uint64_t end)
{
    enum { PAIR = 2 * SECTOR };
    const bool is_one = first / SECTOR == (end - 1) / SECTOR;
    const uint64_t pair = first / PAIR * PAIR;
    tell_request(warp, code, IFL_ACCESS_COPY_LOAD, is_one ? pair : first,
                 is_one ? pair + PAIR : end);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void ifl_bulk_tell(ifl_warp *warp, const ifl_code *code, ifl_access_kind kind, uint64_t address,
                   uint64_t bytes)
{
    const ifl_bulk_op *op = code->extra;
    const uint64_t end = address + bytes;
    for (uint64_t chunk = address; chunk < end; chunk += LINE)
        for (uint64_t at = chunk, next; at < least(chunk + LINE, end); at = next) {
            next = least(least((at / LINE + 1) * LINE, chunk + LINE), end);
            if (kind == IFL_ACCESS_COPY_LOAD && op->multicast)
                tell_multicast(warp, code, at, next);
            else if (kind == IFL_ACCESS_COPY_LOAD)
                tell_loads(warp, code, at, next);
            else
                tell_request(warp, code, kind, at, next);
        }
}
