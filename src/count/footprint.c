/* SPDX-License-Identifier: Apache-2.0
 * The footprint of a request. The lanes' accesses are taken as pieces of equal size, aligned to
 * it, and each line that is touched has a row: a mask of its 32 words. A row a line, a column a
 * bank: a piece that finds its bits set is no news, one that finds its byte of the mask empty is
 * a new sector, and the bits in a column are a bank's passes. */
#include "count/footprint.h"

#include "count/copied.h"

#include <string.h>

enum {
    MAX_PIECES = IFL_WARP_LANES * 32, /* 32 bytes at odd addresses */
    MAX_ROWS = IFL_WARP_LANES * 2,    /* a lane can reach from one line into the next */
    MAX_GROUPS = 8,
    BLOCK = 8,
    PLANES = 7 /* 64 rows */
};

typedef struct pieces {
    const uint64_t *at; /* addresses, multiples of `unit` */
    unsigned unit;      /* bytes of a piece: a power of two, at most a sector */
    unsigned count;
    unsigned group_count;           /* groups of lanes that have an active lane */
    uint16_t group_end[MAX_GROUPS]; /* pieces before it belong to the group or one before it */
    uint64_t own[MAX_PIECES];       /* room for `at` */
} pieces;

typedef struct rows {
    unsigned count;
    unsigned sectors;
    unsigned distinct; /* pieces, each address once; for pieces of a word or more */
    uint8_t row[MAX_PIECES];
    uint32_t mask[MAX_ROWS + BLOCK];
} rows;

/* ---- bits ------------------------------------------------------------------------------------ */

static unsigned count_bits(uint32_t x)
{
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* Adds two bits to a sum in every column; returns the carries. */
static inline uint32_t add_columns(uint32_t *sum, uint32_t a, uint32_t b)
{
    uint32_t half = *sum ^ a;
    uint32_t carry = (*sum & a) | (half & b);
    *sum = half ^ b;
    return carry;
}

/* Adds a block of masks to column counters that are kept as bit planes, ones first. */
static inline void add_block(uint32_t plane[PLANES], const uint32_t mask[BLOCK])
{
    uint32_t twos_a = add_columns(&plane[0], mask[0], mask[1]);
    uint32_t twos_b = add_columns(&plane[0], mask[2], mask[3]);
    uint32_t twos_c = add_columns(&plane[0], mask[4], mask[5]);
    uint32_t twos_d = add_columns(&plane[0], mask[6], mask[7]);
    uint32_t fours_a = add_columns(&plane[1], twos_a, twos_b);
    uint32_t fours_b = add_columns(&plane[1], twos_c, twos_d);
    uint32_t carry = add_columns(&plane[2], fours_a, fours_b);
    for (int p = 3; p < PLANES; p++) {
        uint32_t next = plane[p] & carry;
        plane[p] ^= carry;
        carry = next;
    }
}

/* The most bits in one column. `mask` has room for BLOCK - 1 masks more. */
static unsigned deepest_column(uint32_t *mask, unsigned count)
{
    if (count == 1)
        return 1;
    uint32_t plane[PLANES] = {0}, candidates = UINT32_MAX;
    for (unsigned i = count; i % BLOCK; i++)
        mask[i] = 0;
    for (unsigned i = 0; i < count; i += BLOCK)
        add_block(plane, mask + i);
    unsigned deepest = 0;
    for (int p = PLANES; p-- > 0;) {
        uint32_t among = candidates & plane[p];
        candidates = among ? among : candidates;
        deepest |= (unsigned)(among != 0) << p;
    }
    return deepest;
}

/* ---- lanes to pieces ------------------------------------------------------------------------- */

/* Lanes that go through the data stage together: as many as ask for 128 bytes. */
static unsigned group_lanes(unsigned bytes)
{
    return bytes <= 4 ? 32 : bytes <= 8 ? 16 : bytes <= 16 ? 8 : 4;
}

static bool partners_agree(const ifl_access *access, unsigned distance)
{
    for (uint32_t mask = access->mask; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask), partner = lane ^ distance;
        if ((access->mask >> partner & 1) && access->address[lane] != access->address[partner])
            return false;
    }
    return true;
}

/* Seen on compute capability 7.x and 8.6 for 128 bits, on 9.0 for 64 bits as well
 * (tests/patterns/lanes.ptx): when every lane of a shared load has the address of lane n^1, or
 * every lane that of lane n^2 (inactive partners do not matter), two phases go as one. */
static bool phases_pack(const ifl_access *access)
{
    return access->space == IFL_SPACE_SHARED && access->kind == IFL_ACCESS_LOAD &&
           (access->bytes == 8 || access->bytes == 16) &&
           (partners_agree(access, 1) || partners_agree(access, 2));
}

static unsigned lanes_of(const ifl_access *access)
{
    return group_lanes(access->bytes) << phases_pack(access);
}

/* Groups without an active lane are left out: they need no pass. */
static void take_groups(pieces *p, uint32_t mask, unsigned lanes)
{
    unsigned taken = 0;
    p->group_count = 1;
    p->group_end[0] = (uint16_t)p->count;
    if (lanes == IFL_WARP_LANES)
        return;
    p->group_count = 0;
    for (unsigned lane = 0; lane < IFL_WARP_LANES; lane += lanes) {
        unsigned active = count_bits(mask >> lane & ((1u << lanes) - 1));
        taken += active;
        if (active)
            p->group_end[p->group_count++] = (uint16_t)taken;
    }
}

static void take_lanes(pieces *p, const ifl_access *access)
{
    p->at = access->address;
    p->count = IFL_WARP_LANES;
    if (access->mask == UINT32_MAX)
        return;
    p->at = p->own;
    p->count = 0;
    for (uint32_t mask = access->mask; mask; mask &= mask - 1)
        p->own[p->count++] = access->address[__builtin_ctz(mask)];
}

/* The largest size that every access is aligned to and can be cut into. */
static unsigned common_unit(const pieces *p, unsigned bytes)
{
    uint64_t bits = bytes;
    for (unsigned i = 0; i < p->count; i++)
        bits |= p->at[i];
    return (unsigned)(bits & -bits);
}

/* Cuts unaligned accesses; the pieces of a lane stay together. */
static void cut_lanes(pieces *p, unsigned bytes)
{
    unsigned parts = bytes / p->unit;
    for (unsigned i = p->count; i-- > 0;) {
        uint64_t address = p->at[i];
        for (unsigned part = parts; part-- > 0;)
            p->own[i * parts + part] = address + part * p->unit;
    }
    for (unsigned g = 0; g < p->group_count; g++)
        p->group_end[g] = (uint16_t)(p->group_end[g] * parts);
    p->at = p->own;
    p->count *= parts;
}

static void take(pieces *p, const ifl_access *access)
{
    unsigned bytes = access->bytes;
    take_lanes(p, access);
    p->unit = common_unit(p, bytes);
    take_groups(p, access->mask, lanes_of(access));
    if (p->unit != bytes)
        cut_lanes(p, bytes);
}

/* ---- pieces to rows -------------------------------------------------------------------------- */

/* The words of a piece at the start of a line. */
static inline uint32_t unit_words(unsigned unit)
{
    return (1u << (unit + 3) / 4) - 1;
}

static inline uint32_t words_at(uint64_t at, uint32_t unit)
{
    return unit << (at / 4 % 32);
}

static inline uint32_t sector_of(uint64_t at)
{
    return 0xffu << (at / 4 % 32 / 8 * 8);
}

/* Lines in order, up or down, which most requests have, are told apart without a table. False
 * when they are not. What the loops use is kept in locals: stores of bytes could change anything
 * else. */
static bool ordered_rows(const pieces *p, rows *r)
{
    const uint64_t *at = p->at;
    const uint32_t unit = unit_words(p->unit);
    uint64_t line = at[0] / IFL_LINE_BYTES;
    uint32_t mask = 0;
    unsigned count = 0, sectors = 0, distinct = 0;
    bool up = false;
    for (unsigned i = 0, n = p->count; i < n; i++) {
        uint64_t here = at[i] / IFL_LINE_BYTES;
        uint32_t words = words_at(at[i], unit);
        if (here != line) {
            if (count && up != (here > line))
                return false;
            up = here > line;
            line = here;
            r->mask[count++] = mask;
            mask = 0;
        }
        distinct += !(mask & words);
        sectors += !(mask & sector_of(at[i]));
        mask |= words;
        r->row[i] = (uint8_t)count;
    }
    r->mask[count] = mask;
    r->count = count + 1;
    r->sectors = sectors;
    r->distinct = distinct;
    return true;
}

static void start(ifl_lookup *lookup)
{
    lookup->stamp += 256;
    if (lookup->stamp == 0) {
        memset(lookup->entry, 0, sizeof lookup->entry);
        lookup->stamp = 256;
    }
}

/* The number of `key`: its own if it was seen since start(), else `next`. */
static inline unsigned look_up(ifl_lookup *lookup, uint64_t *keys, uint64_t key, unsigned next)
{
    uint32_t stamp = lookup->stamp;
    uint64_t at = key * 0x9e3779b97f4a7c15u >> (64 - IFL_LOOKUP_BITS);
    for (;; at = (at + 1) % IFL_LOOKUP_SLOTS) {
        uint32_t number = lookup->entry[at] - stamp;
        if (number > 255) {
            lookup->entry[at] = stamp + next;
            keys[next] = key;
            return next;
        }
        if (keys[number] == key)
            return number;
    }
}

static void hashed_rows(ifl_lookup *lookup, const pieces *p, rows *r)
{
    const uint64_t *at = p->at;
    const uint32_t unit = unit_words(p->unit);
    uint64_t keys[MAX_ROWS];
    unsigned count = 0, sectors = 0, distinct = 0;
    start(lookup);
    for (unsigned i = 0, n = p->count; i < n; i++) {
        uint32_t words = words_at(at[i], unit);
        r->mask[count] = 0;
        unsigned row = look_up(lookup, keys, at[i] / IFL_LINE_BYTES, count);
        uint32_t mask = r->mask[row];
        count += row == count;
        distinct += !(mask & words);
        sectors += !(mask & sector_of(at[i]));
        r->mask[row] = mask | words;
        r->row[i] = (uint8_t)row;
    }
    r->count = count;
    r->sectors = sectors;
    r->distinct = distinct;
}

/* ---- rows to figures ------------------------------------------------------------------------- */

/* Distinct pieces that are narrower than a word. */
static unsigned distinct_narrow(const pieces *p, const rows *r)
{
    uint64_t mask[MAX_ROWS][2]; /* a bit a byte */
    unsigned distinct = 0;
    memset(mask, 0, r->count * sizeof *mask);
    for (unsigned i = 0; i < p->count; i++) {
        unsigned byte = p->at[i] % IFL_LINE_BYTES;
        uint64_t *half = &mask[r->row[i]][byte / 64], bit = 1ull << byte % 64;
        distinct += !(*half & bit);
        *half |= bit;
    }
    return distinct;
}

typedef struct group_rows {
    uint8_t owner[MAX_ROWS]; /* 1 + the group that used the row last */
    uint8_t place[MAX_ROWS]; /* of the row in `mask`, for that group */
    uint32_t mask[MAX_ROWS + BLOCK];
} group_rows;

static unsigned first_of(const pieces *p, unsigned group)
{
    return group ? p->group_end[group - 1] : 0;
}

/* Do two pieces of the group meet in a bank? Often none do. */
static bool banks_meet(const uint64_t *at, unsigned count, uint32_t unit)
{
    uint32_t banks = 0, twice = 0;
    for (unsigned i = 0; i < count; i++) {
        uint32_t words = words_at(at[i], unit);
        twice |= banks & words;
        banks |= words;
    }
    return twice != 0;
}

/* A mask for each line that the group touches; a word that several lanes ask for is one bit. */
static unsigned join_group(const pieces *p, const rows *r, unsigned group, group_rows *g)
{
    const uint64_t *at = p->at;
    const uint32_t unit = unit_words(p->unit);
    unsigned count = 0;
    for (unsigned i = first_of(p, group), end = p->group_end[group]; i < end; i++) {
        unsigned row = r->row[i];
        if (g->owner[row] != group + 1) {
            g->owner[row] = (uint8_t)(group + 1);
            g->place[row] = (uint8_t)count;
            g->mask[count++] = 0;
        }
        g->mask[g->place[row]] |= words_at(at[i], unit);
    }
    return count;
}

/* The same where no two pieces are equal: columns come out alike without joining. */
static unsigned list_group(const pieces *p, unsigned group, group_rows *g)
{
    const uint64_t *at = p->at + first_of(p, group);
    const uint32_t unit = unit_words(p->unit);
    unsigned count = p->group_end[group] - first_of(p, group);
    for (unsigned i = 0; i < count; i++)
        g->mask[i] = words_at(at[i], unit);
    return count;
}

/* Passes of one group: most distinct words in a bank. */
static unsigned group_passes(const pieces *p, const rows *r, unsigned group, group_rows *g)
{
    unsigned first = first_of(p, group);
    bool all_distinct =
        p->unit >= 4 && r->distinct == p->count && p->group_end[group] - first <= IFL_WARP_LANES;
    if (!banks_meet(p->at + first, p->group_end[group] - first, unit_words(p->unit)))
        return 1;
    return deepest_column(g->mask,
                          all_distinct ? list_group(p, group, g) : join_group(p, r, group, g));
}

static unsigned all_passes(const pieces *p, rows *r)
{
    if (p->group_count == 1)
        return deepest_column(r->mask, r->count);
    group_rows g;
    unsigned passes = 0;
    memset(g.owner, 0, r->count);
    for (unsigned group = 0; group < p->group_count; group++)
        passes += group_passes(p, r, group, &g);
    return passes;
}

/* Nsight Compute's memory_l1_wavefronts_shared_ideal: as many passes as the active lanes' bytes
 * fill, though never more than there are (tests/patterns/lanes.ptx). */
static unsigned ideal_passes(const ifl_footprint *f)
{
    return ifl_at_best(f->asked_bytes, IFL_LINE_BYTES, f->wavefronts);
}

static unsigned asked_bytes(const ifl_access *access)
{
    return count_bits(access->mask) * access->bytes;
}

/* Any addresses. */
static void measure_pieces(ifl_lookup *lookup, const ifl_access *access, ifl_footprint *out)
{
    pieces p;
    rows r;
    take(&p, access);
    if (!ordered_rows(&p, &r))
        hashed_rows(lookup, &p, &r);
    unsigned distinct = p.unit < 4 ? distinct_narrow(&p, &r) : r.distinct;
    *out = (ifl_footprint){.sectors = r.sectors,
                           .lines = r.count,
                           .useful_bytes = distinct * p.unit,
                           .asked_bytes = asked_bytes(access),
                           .wavefronts = all_passes(&p, &r)};
    out->wavefronts_ideal = ideal_passes(out);
}

/* One address for all lanes, aligned: one sector, and a pass for every group that has an active
 * lane. */
static bool measure_uniform(const ifl_access *access, ifl_footprint *out)
{
    unsigned bytes = access->bytes;
    uint64_t address = access->address[__builtin_ctz(access->mask)];
    if (access->shape != IFL_SHAPE_UNIFORM || (bytes & (bytes - 1)) || (address & (bytes - 1)))
        return false;
    unsigned lanes = lanes_of(access), groups = 1;
    if (lanes < IFL_WARP_LANES) {
        groups = 0;
        for (unsigned lane = 0; lane < IFL_WARP_LANES; lane += lanes)
            groups += (access->mask >> lane & ((1u << lanes) - 1)) != 0;
    }
    *out = (ifl_footprint){.sectors = 1,
                           .lines = 1,
                           .useful_bytes = bytes,
                           .asked_bytes = asked_bytes(access),
                           .wavefronts = groups};
    out->wavefronts_ideal = ideal_passes(out);
    return true;
}

/* Counts a lane's words in their banks; returns the most that a bank has. */
static unsigned add_words(const ifl_access *access, unsigned lane, uint8_t bank[IFL_WARP_LANES],
                          unsigned most)
{
    const uint64_t first = access->address[lane] / 4;
    const uint64_t last = (access->address[lane] + access->bytes - 1) / 4;
    for (uint64_t word = first; word <= last; word++) {
        const unsigned passes = ++bank[word % 32];
        most = passes > most ? passes : most;
    }
    return most;
}

/* Lanes of an atomic that share a word go one after the other: a bank's passes are its lanes'
 * words, equal ones too (tests/patterns/atomics.ptx). */
static unsigned atomic_passes(const ifl_access *access)
{
    const unsigned lanes = group_lanes(access->bytes);
    unsigned passes = 0;
    for (unsigned first = 0; first < IFL_WARP_LANES; first += lanes) {
        uint8_t bank[IFL_WARP_LANES] = {0};
        unsigned most = 0;
        for (unsigned lane = first; lane < first + lanes; lane++)
            if (access->mask >> lane & 1)
                most = add_words(access, lane, bank, most);
        passes += most;
    }
    return passes;
}

/* The other side decides how a store passes, and which sectors of a load past the L1 come twice. */
static void measure_copied(const ifl_access *access, ifl_footprint *out)
{
    if (access->kind == IFL_ACCESS_LOAD) {
        out->sectors = access->keeps_line ? out->sectors : ifl_copied_sectors(access);
        return;
    }
    out->wavefronts = ifl_copied_passes(access);
    out->wavefronts_ideal = ideal_passes(out);
}

void ifl_footprint_measure(ifl_lookup *lookup, const ifl_access *access, ifl_footprint *out)
{
    if (!measure_uniform(access, out))
        measure_pieces(lookup, access, out);
    if (access->other)
        measure_copied(access, out);
    out->merged = out->wavefronts;
    if (access->space != IFL_SPACE_SHARED || access->kind != IFL_ACCESS_ATOMIC)
        return;
    out->wavefronts = atomic_passes(access);
    out->wavefronts_ideal = ideal_passes(out);
}

/* Distinct addresses, and how many lanes have each. */
typedef struct meetings {
    uint64_t address[IFL_WARP_LANES];
    uint8_t lanes[IFL_WARP_LANES];
    unsigned count;
} meetings;

static void find_meetings(ifl_lookup *lookup, const ifl_access *access, meetings *m)
{
    *m = (meetings){.count = 0};
    start(lookup);
    for (uint32_t mask = access->mask; mask; mask &= mask - 1) {
        const uint64_t address = access->address[__builtin_ctz(mask)];
        const unsigned number = look_up(lookup, m->address, address, m->count);
        m->count += number == m->count;
        m->lanes[number]++;
    }
}

/* A sector takes as many passes as its busiest address has lanes; which is the most of all? */
static void find_passes(ifl_lookup *lookup, const meetings *m, ifl_measure *to)
{
    uint64_t sector[IFL_WARP_LANES];
    uint8_t passes[IFL_WARP_LANES] = {0};
    unsigned count = 0;
    start(lookup);
    for (unsigned i = 0; i < m->count; i++) {
        const unsigned number = look_up(lookup, sector, m->address[i] / IFL_SECTOR_BYTES, count);
        count += number == count;
        passes[number] = m->lanes[i] > passes[number] ? m->lanes[i] : passes[number];
    }
    for (unsigned s = 0; s < count; s++) {
        to->passed_sectors += passes[s];
        to->serial = passes[s] > to->serial ? passes[s] : to->serial;
    }
}

static ifl_measure measure(ifl_lookup *lookup, const ifl_access *access)
{
    ifl_measure m = {.serial = 0};
    meetings met;
    ifl_footprint_measure(lookup, access, &m.footprint);
    if (access->kind != IFL_ACCESS_ATOMIC)
        return m;
    find_meetings(lookup, access, &met);
    find_passes(lookup, &met, &m);
    return m;
}

ifl_measure ifl_footprint_find(ifl_alike *known, ifl_lookup *lookup, const ifl_access *access)
{
    bool is_new = true;
    ifl_measure *m = access->likeness
                         ? ifl_alike_find(known, sizeof *m, access->likeness,
                                          ifl_first_address(access) % IFL_LINE_BYTES, &is_new)
                         : NULL;
    if (!m)
        return measure(lookup, access);
    if (is_new)
        *m = measure(lookup, access);
    return *m;
}
