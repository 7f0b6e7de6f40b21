/* SPDX-License-Identifier: Apache-2.0
 * What one memory request costs the access and pattern observers, by the shape of its addresses.
 * The lowest of several rounds is printed with the spread to the highest: other work on the
 * machine only ever adds. */
#include "count/observe.h"

#include <time.h>

enum { LANES = IFL_WARP_LANES, VARIANTS = 64, REQUESTS = 1 << 20, ROUNDS = 7 };

typedef struct shape {
    const char *name;
    uint8_t bytes;
    uint8_t space;
    uint8_t promise; /* ifl_access_shape */
    uint64_t window; /* addresses at random in so many bytes; 0: strided */
    uint64_t stride; /* bytes from lane to lane */
} shape;

static const shape shapes[] = {
    {"contiguous, 4 B", 4, IFL_SPACE_GLOBAL, IFL_SHAPE_CONTIGUOUS, 0, 4},
    {"contiguous, 16 B", 16, IFL_SPACE_GLOBAL, IFL_SHAPE_CONTIGUOUS, 0, 16},
    {"uniform, 4 B", 4, IFL_SPACE_GLOBAL, IFL_SHAPE_UNIFORM, 0, 0},
    {"contiguous, not promised", 4, IFL_SPACE_GLOBAL, IFL_SHAPE_ANY, 0, 4},
    {"strided, 4 B every 64", 4, IFL_SPACE_GLOBAL, IFL_SHAPE_ANY, 0, 64},
    {"strided, 8 B every 4096", 8, IFL_SPACE_GLOBAL, IFL_SHAPE_ANY, 0, 4096},
    {"scattered, 4 B in 1 GiB", 4, IFL_SPACE_GLOBAL, IFL_SHAPE_ANY, 1 << 30, 0},
    {"scattered, 4 B in 4 KiB", 4, IFL_SPACE_GLOBAL, IFL_SHAPE_ANY, 4096, 0},
    {"scattered, 8 B in 1 GiB", 8, IFL_SPACE_GLOBAL, IFL_SHAPE_ANY, 1 << 30, 0},
    {"scattered, 16 B in 1 GiB", 16, IFL_SPACE_GLOBAL, IFL_SHAPE_ANY, 1 << 30, 0},
    {"scattered, 2 B in 1 GiB", 2, IFL_SPACE_GLOBAL, IFL_SHAPE_ANY, 1 << 30, 0},
    {"shared, column of doubles", 8, IFL_SPACE_SHARED, IFL_SHAPE_ANY, 0, 256},
    {"shared, scattered 4 B", 4, IFL_SPACE_SHARED, IFL_SHAPE_ANY, 48 << 10, 0},
};

static uint64_t addresses[VARIANTS][LANES];

static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 24;
}

static void prepare(const shape *s)
{
    uint64_t seed = 1;
    for (uint64_t v = 0; v < VARIANTS; v++)
        for (uint64_t i = 0; i < LANES; i++)
            addresses[v][i] = s->window ? draw(&seed) % s->window / s->bytes * s->bytes
                                        : v * LANES * s->stride + i * s->stride;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Nanoseconds a request. */
static double play(const ifl_observation *observation, void *state, const shape *s)
{
    double start = seconds();
    for (uint32_t r = 0; r < REQUESTS; r++) {
        ifl_access access = {.space = s->space,
                             .bytes = s->bytes,
                             .shape = s->promise,
                             .mask = UINT32_MAX,
                             .block = r / 8,
                             .warp = r % 8,
                             .likeness = s->window ? r + 1 : 1, /* as the engine gives it */
                             .address = addresses[r % VARIANTS]};
        observation->observer->access(state, &access);
    }
    return (seconds() - start) * 1e9 / REQUESTS;
}

typedef struct range {
    double low, high;
} range;

static range measure(const ifl_observation *observation, const shape *s)
{
    static ifl_site site;
    static const ifl_sites sites = {.at = &site, .count = 1};
    range result = {1e30, 0};
    for (int round = 0; round < ROUNDS; round++) {
        void *state = ifl_observer_new(observation->observer, &sites, NULL);
        if (!state)
            exit(EXIT_FAILURE);
        double time = play(observation, state, s);
        ifl_observer_free(observation->observer, state);
        result.low = time < result.low ? time : result.low;
        result.high = time > result.high ? time : result.high;
    }
    return result;
}

int main(void)
{
    printf("%-28s %16s %16s   ns a request, lowest (highest) of %d\n", "requests", "access",
           "pattern", ROUNDS);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        prepare(&shapes[i]);
        range access = measure(&ifl_observe_access, &shapes[i]);
        range pattern = measure(&ifl_observe_pattern, &shapes[i]);
        printf("%-28s %8.1f (%5.1f) %8.1f (%5.1f)\n", shapes[i].name, access.low, access.high,
               pattern.low, pattern.high);
    }
    return 0;
}
