/* SPDX-License-Identifier: Apache-2.0
 * Where the blocks of a grid run: each goes, in the grid's order, to the place that is free
 * first; of places that are free at once, to that with the lowest number. An SM has as many
 * places as it holds blocks; the grid's first blocks go to the SMs of one GPC after the other, if the
 * GPCs of such a GPU are known, and otherwise to SM after SM. CUDA leaves the order open: this is the
 * one with which the times of docs/model.md and the hit rates of docs/caches.md were held against
 * GPUs. Clusters start as a whole, in one GPC. Knows numbers only. */
#ifndef IFL_DEVICE_BLOCK_PLACES_H
#define IFL_DEVICE_BLOCK_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IFL_MOST_SMS = 1024 }; /* field.def: sms */

/* ---- equal blocks: they end in the order in which they began --------------------------------- */

/* A grid on a GPU. The SMs of a GPC have numbers in a row. */
typedef struct ifl_placing {
    uint32_t sms;
    uint32_t per_sm; /* blocks that an SM holds; 0: not known, or it does not matter */
    uint64_t blocks;
    uint32_t cluster[3]; /* blocks of a cluster; 0: of one */
    uint32_t grid[3];    /* its blocks; where there are clusters */
} ifl_placing;

/* Whether it matters how many an SM holds. */
bool ifl_places_by_gpc(uint32_t sms, uint64_t blocks, uint32_t cluster);
/* The SM of a block of the first wave, and of each block that takes the place of one that came a
 * full wave before. */
uint32_t ifl_place_sm(const ifl_placing *placing, uint64_t block);
/* The SM in the middle of those that get most blocks, and how many these are. */
uint32_t ifl_place_busiest(const ifl_placing *placing, uint64_t *blocks);
/* How many clusters of `size` blocks the GPU holds, of which an SM holds `per_sm` blocks by itself. */
uint64_t ifl_place_clusters(uint32_t sms, uint32_t per_sm, uint32_t size);
/* The same for launches with and without clusters: the blocks that the GPU holds, at least a cluster;
 * those that an SM holds; the SMs that have some. */
uint64_t ifl_place_held(uint32_t sms, uint32_t per_sm, uint32_t size);
uint32_t ifl_place_each(uint32_t sms, uint32_t per_sm, uint32_t size);
uint32_t ifl_place_used(uint32_t sms, uint32_t per_sm, uint32_t size);
/* Threads of a block, blocks of a grid. */
uint64_t ifl_place_count(const uint32_t size[3]);
/* Blocks of a cluster, 1 where there are none. */
uint32_t ifl_cluster_size(const uint32_t cluster[3]);
/* Which block of the grid starts nth, and when a block does: cluster after cluster. */
uint64_t ifl_place_nth(const ifl_placing *placing, uint64_t n);
uint64_t ifl_place_turn(const ifl_placing *placing, uint64_t block);
/* The GPC of an SM: of `gpcs` equal ones, if those of GPUs with so many SMs are not known. SMs that
 * are in none have the number behind the last. */
uint32_t ifl_place_gpc(uint32_t sms, uint32_t gpcs, uint32_t sm);
/* The half of the L2 that an SM is at: if it is not known, `groups` of SMs in a row are at the one
 * and at the other by turns. */
uint32_t ifl_place_half(uint32_t sms, uint32_t groups, uint32_t sm);
/* How many blocks ran in its place before, of a GPU whose SMs hold so many. */
uint64_t ifl_block_wave(const ifl_placing *placing, uint32_t per_sm, uint64_t block);

/* ---- blocks that differ ---------------------------------------------------------------------- */

enum { IFL_MOST_PLACES = 8192 };

/* A heap: the place that is free first stands first. */
typedef struct ifl_block_places {
    double until[IFL_MOST_PLACES]; /* when it is free */
    uint32_t number[IFL_MOST_PLACES];
    size_t count;
} ifl_block_places;

/* All places are free at 0. `count` is at most IFL_MOST_PLACES. */
void ifl_block_places_init(ifl_block_places *places, size_t count);
/* The next block of the grid, which takes so long. */
void ifl_block_places_put(ifl_block_places *places, double duration);

#endif
