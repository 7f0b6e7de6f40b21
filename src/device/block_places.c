/* SPDX-License-Identifier: Apache-2.0
 * The rule of block_places.h: by arithmetic where blocks are equal, by a heap where they are
 * not. */
#include "device/block_places.h"

#include "base/shared.h"

/* ---- GPCs ------------------------------------------------------------------------------------ */

enum { MOST_GPCS = 8, FIRST_PAUSE = 5, PAUSE = 6 };

/* GPCs take turns, in which each of their SMs gets a block. SMs that are in none of them get theirs
 * first, again after five turns, and then after every sixth, until they have as many as all others
 * will have. What is too little for all SMs comes after this, to the lone ones first. */
typedef struct gpc_shape {
    uint32_t sms, gpcs;
    uint8_t sms_of[MOST_GPCS], half_of[MOST_GPCS];
    uint32_t lone;      /* SMs of no GPC, numbered behind the others */
    uint32_t lone_half; /* a bit each: those at the second half of the L2 */
} gpc_shape;

/* GPUs of Hopper with 132 SMs: place_probe on an H200 (tests/gpu/h200/block_places.txt). It takes 30
 * clusters of 4 blocks, 15 of 8 and 7 of 16, as such GPCs do; an H100 takes 15 of 8 too
 * (accel-sim/gpu-app-collection, pull request 87). Which half of the L2 they are at:
 * tests/gpu/h200/l2_halves.txt. */
static const gpc_shape SHAPES[] = {{.sms = 132,
                                    .gpcs = 8,
                                    .sms_of = {8, 16, 16, 16, 16, 16, 18, 18},
                                    .half_of = {0, 1, 1, 0, 0, 1, 1, 0},
                                    .lone = 8,
                                    .lone_half = 0x0c}};

static const gpc_shape *shape_of(uint32_t sms)
{
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++)
        if (SHAPES[i].sms == sms)
            return &SHAPES[i];
    return NULL;
}

/* Blocks of the first turns of GPCs. */
static uint64_t blocks_of_turns(const gpc_shape *s, uint32_t turns)
{
    uint64_t blocks = (uint64_t)(turns / s->gpcs) * (s->sms - s->lone);
    for (uint32_t g = 0; g < turns % s->gpcs; g++)
        blocks += s->sms_of[g];
    return blocks;
}

/* The first block of a turn of the lone SMs. */
static uint64_t first_of_lone(const gpc_shape *s, uint32_t turn)
{
    const uint32_t before = turn ? FIRST_PAUSE + (turn - 1) * PAUSE : 0;
    return blocks_of_turns(s, before) + (uint64_t)turn * s->lone;
}

/* The place of a block of a wave, in which each SM gets so many; those behind them are a round. */
static uint32_t place_by_turns(const gpc_shape *s, uint64_t each, uint64_t block)
{
    const uint32_t in_gpcs = s->sms - s->lone;
    const bool is_rest = block >= each * s->sms;
    const uint64_t number = is_rest ? block - each * s->sms : block, most = is_rest ? 1 : each;
    const uint64_t usual = in_gpcs * PAUSE / s->gpcs + s->lone, near = number / usual;
    uint32_t turns = (uint32_t)(near < most ? near : most); /* of the lone SMs that have begun */
    while (turns && first_of_lone(s, turns) > number)
        turns--;
    while (turns < most && first_of_lone(s, turns) <= number)
        turns++;
    const uint64_t in_turn = number - first_of_lone(s, turns - 1);
    return in_turn < s->lone ? in_gpcs + (uint32_t)in_turn
                             : (uint32_t)((number - (uint64_t)turns * s->lone) % in_gpcs);
}

static uint32_t gpc_of(const gpc_shape *s, uint32_t sm)
{
    uint32_t gpc = 0, end = 0;
    while (gpc < s->gpcs && (end += s->sms_of[gpc]) <= sm)
        gpc++;
    return gpc;
}

uint32_t ifl_place_gpc(uint32_t sms, uint32_t gpcs, uint32_t sm)
{
    const gpc_shape *s = shape_of(sms);
    return s ? gpc_of(s, sm) : sm * gpcs / sms;
}

uint32_t ifl_place_half(uint32_t sms, uint32_t groups, uint32_t sm)
{
    const gpc_shape *s = shape_of(sms);
    if (!s)
        return sm * groups / sms % 2;
    const uint32_t gpc = gpc_of(s, sm);
    return gpc < s->gpcs ? s->half_of[gpc] : s->lone_half >> (sm - (s->sms - s->lone)) & 1;
}

/* ---- clusters -------------------------------------------------------------------------------- */

/* Which an H200 says (tests/gpu/h200/clusters.txt): a cluster needs a GPC with as many SMs as it has
 * blocks, those of no GPC hold clusters of two at most, and no SM is taken to hold more than eight
 * blocks. */
enum { MOST_PER_SM = 8, MOST_LONE = 2 };

/* The SMs of a GPC that clusters go to; the lone ones stand behind the last. */
static uint32_t sms_for(const gpc_shape *s, uint32_t gpc, uint32_t size)
{
    const uint32_t sms = gpc < s->gpcs ? s->sms_of[gpc] : s->lone,
                   most = gpc < s->gpcs ? sms : MOST_LONE;
    return size <= most ? sms : 0;
}

/* How many it holds when each of its SMs has so many blocks at most. */
static uint32_t clusters_in(const gpc_shape *s, uint32_t gpc, uint32_t size, uint32_t each)
{
    return sms_for(s, gpc, size) * each / size;
}

static uint64_t clusters_of_all(const gpc_shape *s, uint32_t size, uint32_t each)
{
    uint64_t clusters = 0;
    for (uint32_t g = 0; g <= s->gpcs; g++)
        clusters += clusters_in(s, g, size, each);
    return clusters;
}

IFL_SHARED uint64_t ifl_place_clusters(uint32_t sms, uint32_t per_sm, uint32_t size)
{
    const gpc_shape *s = shape_of(sms);
    const uint32_t each = per_sm < MOST_PER_SM ? per_sm : MOST_PER_SM;
    return s ? clusters_of_all(s, size, each) : (uint64_t)sms * per_sm / size;
}

uint32_t ifl_place_each(uint32_t sms, uint32_t per_sm, uint32_t size)
{
    return size > 1 && shape_of(sms) && per_sm > MOST_PER_SM ? MOST_PER_SM : per_sm;
}

IFL_SHARED uint64_t ifl_place_held(uint32_t sms, uint32_t per_sm, uint32_t size)
{
    if (size <= 1)
        return (uint64_t)sms * per_sm;
    const uint64_t clusters = ifl_place_clusters(sms, per_sm, size);
    return (clusters ? clusters : 1) * size;
}

uint32_t ifl_place_used(uint32_t sms, uint32_t per_sm, uint32_t size)
{
    const gpc_shape *s = shape_of(sms);
    const uint64_t held = ifl_place_held(sms, per_sm, size);
    uint32_t used = 0;
    if (!s || size <= 1)
        return held < sms ? (uint32_t)held : sms;
    for (uint32_t g = 0; g <= s->gpcs; g++) {
        const uint32_t all = sms_for(s, g, size),
                       blocks = clusters_in(s, g, size, ifl_place_each(sms, per_sm, size)) * size;
        used += blocks < all ? blocks : all;
    }
    return used ? used : 1;
}

uint64_t ifl_place_count(const uint32_t size[3])
{
    return (uint64_t)size[0] * size[1] * size[2];
}

IFL_SHARED uint32_t ifl_cluster_size(const uint32_t cluster[3])
{
    return cluster[0] ? cluster[0] * cluster[1] * cluster[2] : 1;
}

/* Clusters start in the order of their first blocks, and a cluster's blocks in the order of the
 * grid. */
uint64_t ifl_place_nth(const ifl_placing *p, uint64_t n)
{
    const uint32_t size = ifl_cluster_size(p->cluster);
    uint64_t cluster = n / size, rank = n % size, number = 0, pitch = 1;
    for (int i = 0; i < 3 && size > 1; i++) {
        const uint64_t clusters = p->grid[i] / p->cluster[i];
        number += (cluster % clusters * p->cluster[i] + rank % p->cluster[i]) * pitch;
        cluster /= clusters;
        rank /= p->cluster[i];
        pitch *= p->grid[i];
    }
    return size > 1 ? number : n;
}

uint64_t ifl_place_turn(const ifl_placing *p, uint64_t block)
{
    const uint32_t size = ifl_cluster_size(p->cluster);
    uint64_t cluster = 0, rank = 0, clusters = 1, ranks = 1, left = block;
    for (int i = 0; i < 3 && size > 1; i++) {
        const uint64_t at = left % p->grid[i];
        cluster += at / p->cluster[i] * clusters;
        rank += at % p->cluster[i] * ranks;
        clusters *= p->grid[i] / p->cluster[i];
        ranks *= p->cluster[i];
        left /= p->grid[i];
    }
    return size > 1 ? cluster * size + rank : block;
}

/* GPCs take turns as with blocks, in which each gets as many clusters as one block more on each of its
 * SMs makes; in a turn each gets one after the other, the lone SMs theirs before all others. So an H200
 * starts them (tests/gpu/h200/cluster_places.txt), from any of its GPCs on. */
static uint32_t place_cluster(const gpc_shape *s, uint32_t size, uint64_t cluster, uint32_t *before)
{
    uint32_t turn = 1, round = 0, gpc = s->gpcs;
    while (clusters_of_all(s, size, turn) <= cluster)
        turn++;
    uint64_t left = cluster - clusters_of_all(s, size, turn - 1);
    for (;; gpc = gpc < s->gpcs ? gpc + 1 : 0, round += gpc == s->gpcs) {
        *before = clusters_in(s, gpc, size, turn - 1) + round;
        if (*before < clusters_in(s, gpc, size, turn) && left-- == 0)
            return gpc;
    }
}

/* Blocks of the clusters of a GPC stand on its SMs in a row. `number`: of a block in its wave. */
static uint32_t place_in_cluster(const gpc_shape *s, uint32_t size, uint64_t number)
{
    uint32_t before, first = 0;
    const uint32_t gpc = place_cluster(s, size, number / size, &before);
    for (uint32_t g = 0; g < gpc; g++)
        first += s->sms_of[g];
    return first + (uint32_t)((before * size + number % size) % sms_for(s, gpc, size));
}

static uint32_t place_clustered(const ifl_placing *p, uint32_t size, uint64_t block)
{
    const gpc_shape *s = shape_of(p->sms);
    const uint32_t per_sm = p->per_sm ? p->per_sm : 1;
    const uint64_t number = ifl_place_turn(p, block) % ifl_place_held(p->sms, per_sm, size);
    return s && ifl_place_clusters(p->sms, per_sm, size) ? place_in_cluster(s, size, number)
                                                         : (uint32_t)(number % p->sms);
}

/* ---- equal blocks ---------------------------------------------------------------------------- */

bool ifl_places_by_gpc(uint32_t sms, uint64_t blocks, uint32_t cluster)
{
    return cluster > 1 || (shape_of(sms) && blocks > sms);
}

/* A grid of fewer blocks than SMs is spread over the GPCs. */
uint32_t ifl_place_sm(const ifl_placing *p, uint64_t block)
{
    const gpc_shape *s = shape_of(p->sms);
    const uint32_t size = ifl_cluster_size(p->cluster);
    if (size > 1)
        return place_clustered(p, size, block);
    if (s && p->blocks && p->blocks <= p->sms)
        return (uint32_t)(block * p->sms / p->blocks);
    if (!s || !p->per_sm)
        return (uint32_t)(block % p->sms);
    const uint64_t places = (uint64_t)p->sms * p->per_sm, first = block / places * places,
                   left = p->blocks - first, count = left < places ? left : places;
    return place_by_turns(s, count / p->sms, block - first);
}

/* Full waves and the last one are counted. */
static uint32_t busiest_of_clusters(const ifl_placing *p, uint32_t size, uint64_t *blocks)
{
    const uint64_t held = ifl_place_held(p->sms, p->per_sm ? p->per_sm : 1, size),
                   waves = p->blocks / held, rest = p->blocks % held;
    uint64_t of_sm[IFL_MOST_SMS] = {0};
    uint32_t count = 0, sm = 0;
    for (uint64_t n = 0; n < held && n < p->blocks; n++)
        of_sm[ifl_place_sm(p, ifl_place_nth(p, n))] += waves + (n < rest);
    *blocks = 0;
    for (uint32_t i = 0; i < p->sms; i++)
        *blocks = of_sm[i] > *blocks ? of_sm[i] : *blocks;
    for (uint32_t i = 0; i < p->sms; i++)
        count += of_sm[i] == *blocks;
    for (uint32_t left = count / 2; of_sm[sm] != *blocks || left--; sm++)
        ;
    return sm;
}

/* All SMs get as many, but for those that the last blocks go to. */
uint32_t ifl_place_busiest(const ifl_placing *p, uint64_t *blocks)
{
    const uint32_t size = ifl_cluster_size(p->cluster);
    if (size > 1)
        return busiest_of_clusters(p, size, blocks);
    const uint64_t rest = p->blocks % p->sms;
    *blocks = p->blocks / p->sms + (rest > 0);
    return ifl_place_sm(p, rest ? p->blocks - rest + rest / 2 : p->sms / 2);
}

uint64_t ifl_block_wave(const ifl_placing *p, uint32_t per_sm, uint64_t block)
{
    return ifl_place_turn(p, block) / ifl_place_held(p->sms, per_sm, ifl_cluster_size(p->cluster));
}

void ifl_block_places_init(ifl_block_places *places, size_t count)
{
    places->count = count;
    for (size_t i = 0; i < count; i++) {
        places->until[i] = 0;
        places->number[i] = (uint32_t)i;
    }
}

static bool goes_before(const ifl_block_places *p, size_t a, double until, uint32_t number)
{
    return p->until[a] < until || (p->until[a] == until && p->number[a] < number);
}

void ifl_block_places_put(ifl_block_places *places, double duration)
{
    places->until[0] += duration;
    const double until = places->until[0];
    const uint32_t number = places->number[0];
    size_t at = 0;
    for (size_t next = 1; next < places->count; next = 2 * at + 1) {
        next += next + 1 < places->count &&
                goes_before(places, next + 1, places->until[next], places->number[next]);
        if (!goes_before(places, next, until, number))
            break;
        places->until[at] = places->until[next];
        places->number[at] = places->number[next];
        at = next;
    }
    places->until[at] = until;
    places->number[at] = number;
}
