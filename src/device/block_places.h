/* SPDX-License-Identifier: Apache-2.0
 * Where the blocks of a grid run: each goes, in the grid's order, to the place that is free
 * first; of places that are free at once, to that with the lowest number. An SM has as many
 * places as it holds blocks; those of a GPU are numbered first the first place of each SM. CUDA
 * leaves the order open: this is the one with which the times of docs/model.md and the hit rates
 * of docs/caches.md were held against GPUs. Knows numbers only. */
#ifndef IFL_DEVICE_BLOCK_PLACES_H
#define IFL_DEVICE_BLOCK_PLACES_H

#include <stddef.h>
#include <stdint.h>

/* ---- equal blocks: they end in the order in which they began --------------------------------- */

/* The SM that a place is on. It is also the SM of the block of that number, as each block takes
 * the place of one that came a full wave before. */
uint32_t ifl_place_sm(uint64_t place, uint32_t sms);
/* How many blocks ran in its place before. */
uint64_t ifl_block_wave(uint64_t block, uint64_t places);

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
