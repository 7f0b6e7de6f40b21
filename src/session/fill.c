/* SPDX-License-Identifier: Apache-2.0
 * Filling buffers: loops stamped from element.def, spread over threads. It knows nothing of
 * arguments and memories. */
#include "session/fill.h"

#include "base/crew.h"
#include "base/digest.h"

#include <string.h>

enum { MAX_THREADS = 64, CHUNK_ELEMENTS = 1 << 16, NONE_BYTE = 0xcd };

typedef struct job {
    const ifl_fill *fill;
    const ifl_element *element;
    uint8_t *to;
    uint64_t first, end;
    uint64_t count; /* of the whole buffer */
} job;

/* ---- permutations ---------------------------------------------------------------------------- */

/* A bijection of the numbers below 2^bits, made of steps that are bijections: adding,
 * multiplying by an odd number, and xor with the number's own upper half. Numbers past the end
 * walk on to the next, which keeps it a bijection of those below `count`; as 2^bits < 2 * count
 * that takes two steps at most on average. */
typedef struct permutation {
    uint64_t count, mask;
    unsigned shift;
    uint64_t add[3], odd[3];
} permutation;

static permutation make_permutation(uint64_t count, uint64_t seed)
{
    const unsigned bits = count > 1 ? 64 - (unsigned)__builtin_clzll(count - 1) : 0;
    permutation p = {.count = count,
                     .mask = bits ? UINT64_MAX >> (64 - bits) : 0,
                     .shift = bits / 2 + (bits < 2)};
    for (unsigned i = 0; i < 3; i++) {
        p.add[i] = ifl_hash_number(seed + 2 * i);
        p.odd[i] = ifl_hash_number(seed + 2 * i + 1) | 1;
    }
    return p;
}

static inline uint64_t permute(const permutation *p, uint64_t x)
{
    do {
        for (unsigned i = 0; i < 3; i++) {
            x = ((x + p->add[i]) * p->odd[i]) & p->mask;
            x ^= x >> p->shift;
        }
    } while (x >= p->count);
    return x;
}

/* The same where all numbers fit into 32 bits, one step of all and then those that are past the end:
 * without jumps that depend on numbers. */
enum { TOGETHER = 1024 };

static inline __attribute__((always_inline)) uint32_t step_32(const permutation *p, uint32_t x)
{
    for (unsigned i = 0; i < 3; i++) {
        x = ((x + (uint32_t)p->add[i]) * (uint32_t)p->odd[i]) & (uint32_t)p->mask;
        x ^= x >> p->shift;
    }
    return x;
}

static inline __attribute__((always_inline)) void permute_some(const permutation *p, uint64_t first,
                                                               unsigned count, uint32_t *to)
{
    const permutation own = *p; /* which nothing stored below changes */
    const uint32_t last = (uint32_t)(own.count - 1);
    uint16_t past[TOGETHER];
    unsigned left = 0;
    for (unsigned i = 0; i < count; i++)
        to[i] = step_32(&own, (uint32_t)first + i);
    for (unsigned i = 0; i < count; i++) {
        past[left] = (uint16_t)i;
        left += to[i] > last;
    }
    while (left) {
        const unsigned many = left;
        left = 0;
        for (unsigned k = 0; k < many; k++) {
            const uint16_t i = past[k];
            to[i] = step_32(&own, to[i]);
            past[left] = i;
            left += to[i] > last;
        }
    }
}

/* ---- loops, one set a type ------------------------------------------------------------------- */

/* 32 random bits an element for types up to 4 bytes, else 64. A limit scales them: the product's
 * upper part is below it, with a bias below limit / 2^32 (or 2^64). */
static inline uint64_t random_bits(uint64_t seed, uint64_t i, size_t bytes, uint64_t limit)
{
    const uint64_t bits = ifl_hash_number(seed + i);
    if (!limit)
        return bytes <= 4 ? bits >> 32 : bits;
    return bytes <= 4 ? ((bits >> 32) * limit) >> 32
                      : (uint64_t)(((unsigned __int128)bits * limit) >> 64);
}

/* The code in 16 bits of a value that these hold and that is 0 or normal there: that of float, without the fraction's
 * end, the exponent's bias changed. */
static inline uint16_t short_code(float value, int dropped, uint32_t rebias)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits ? (uint16_t)((bits - rebias) >> dropped) : 0;
}

static inline uint16_t exact_f16(float value)
{
    return short_code(value, 13, (UINT32_C(127) - 15) << 23);
}

static inline uint16_t exact_bf16(float value)
{
    return short_code(value, 16, 0);
}

/* memcpy, because a misaligned buffer is no array of the type; compilers make plain stores of
 * it. */
#define EACH_ELEMENT(storage, ...)                                                                 \
    for (uint64_t i = j->first, end = j->end; i < end; i++) {                                      \
        const storage value = __VA_ARGS__;                                                         \
        memcpy(to + i * sizeof value, &value, sizeof value);                                       \
    }

#define ELEMENT(name, text, storage, class, npy, iota, random)                                     \
    static void iota_##name(const job *j)                                                          \
    {                                                                                              \
        uint8_t *to = j->to;                                                                       \
        EACH_ELEMENT(storage, iota)                                                                \
    }
#include "session/element.def"

/* Most elements have no limit: what it takes stays out of their loop. */
#define RANDOM_FILLER(name, target, storage, random)                                               \
    target static void name(const job *j)                                                          \
    {                                                                                              \
        const uint64_t seed = ifl_hash_number(j->fill->seed), limit = j->fill->limit;              \
        const uint64_t first = j->fill->first, step = j->fill->step;                               \
        uint8_t *to = j->to;                                                                       \
        if (!limit)                                                                                \
            EACH_ELEMENT(storage, ({                                                               \
                             const uint64_t bits = random_bits(seed, i, sizeof(storage), 0);       \
                             random;                                                               \
                         }))                                                                       \
        else                                                                                       \
            EACH_ELEMENT(storage, ({                                                               \
                             const uint64_t bits =                                                 \
                                 first + step * random_bits(seed, i, sizeof(storage), limit);      \
                             random;                                                               \
                         }))                                                                       \
    }
#define ELEMENT(name, text, storage, class, npy, iota, random)                                     \
    RANDOM_FILLER(random_##name, , storage, random)
#include "session/element.def"

/* AVX-512 DQ multiplies words of 64 bits side by side, which mixing is made of. */
#ifdef __x86_64__
#define HAS_WIDE __builtin_cpu_supports("avx512dq")
#define WIDE __attribute__((target("avx512f,avx512dq")))
#define HAS_AVX2 __builtin_cpu_supports("avx2")
#define AVX2 __attribute__((target("avx2")))
#else
#define HAS_WIDE false
#define WIDE
#define HAS_AVX2 false
#define AVX2
#endif
#define ELEMENT(name, text, storage, class, npy, iota, random)                                     \
    RANDOM_FILLER(wide_random_##name, WIDE, storage, random)
#include "session/element.def"

typedef void (*filler)(const job *);

static const filler iotas[IFL_ELEMENT_COUNT] = {
#define ELEMENT(name, text, storage, class, npy, iota, random) [IFL_ELEMENT_##name] = iota_##name,
#include "session/element.def"
};
static const filler randoms[2][IFL_ELEMENT_COUNT] = {{
#define ELEMENT(name, text, storage, class, npy, iota, random) [IFL_ELEMENT_##name] = random_##name,
#include "session/element.def"
                                                     },
                                                     {
#define ELEMENT(name, text, storage, class, npy, iota, random)                                     \
    [IFL_ELEMENT_##name] = wide_random_##name,
#include "session/element.def"
                                                     }};

static void fill_zero(const job *j)
{
    (void)j; /* fresh memory is zero: a buffer that is never touched costs no page */
}

static void fill_none(const job *j)
{
    const size_t bytes = j->element->bytes;
    memset(j->to + j->first * bytes, NONE_BYTE, (j->end - j->first) * bytes);
}

/* The pattern doubles itself: the copies soon run at the speed of memcpy. */
static void fill_const(const job *j)
{
    const size_t bytes = j->element->bytes;
    uint8_t *to = j->to + j->first * bytes;
    const uint64_t all = (j->end - j->first) * bytes;
    static const uint8_t zero[sizeof j->fill->value];
    if (memcmp(j->fill->value, zero, bytes) == 0)
        return;
    memcpy(to, j->fill->value, bytes);
    for (uint64_t done = bytes; done < all;) {
        const uint64_t more = done < all - done ? done : all - done;
        memcpy(to + done, to, more);
        done += more;
    }
}

static void fill_iota(const job *j)
{
    iotas[j->element->type](j);
}

static void fill_random(const job *j)
{
    /* Words of 64 bits are scaled by a product of 128, which has no vectors. */
    const bool is_wide = HAS_WIDE && (!j->fill->limit || j->element->bytes <= 4);
    randoms[is_wide][j->element->type](j);
}

#define PUT_NUMBERS(storage)                                                                       \
    for (unsigned i = 0; i < count; i++) {                                                         \
        const storage value = (storage)from[i];                                                    \
        memcpy(to + i * sizeof value, &value, sizeof value);                                       \
    }

static void put_numbers(const uint32_t *from, unsigned count, size_t bytes, uint8_t *to)
{
    switch (bytes) {
    case 1:
        PUT_NUMBERS(uint8_t)
        break;
    case 2:
        PUT_NUMBERS(uint16_t)
        break;
    case 4:
        PUT_NUMBERS(uint32_t)
        break;
    default:
        PUT_NUMBERS(uint64_t)
    }
}

AVX2 static void permute_wide(const permutation *p, uint64_t first, unsigned count, uint32_t *to)
{
    permute_some(p, first, count, to);
}

static void permute_plain(const permutation *p, uint64_t first, unsigned count, uint32_t *to)
{
    permute_some(p, first, count, to);
}

static void fill_permutation(const job *j)
{
    const permutation p = make_permutation(j->count, j->fill->seed);
    const size_t bytes = j->element->bytes;
    uint32_t some[TOGETHER];
    if (p.mask > UINT32_MAX) {
        for (uint64_t i = j->first; i < j->end; i++) {
            const uint64_t value = permute(&p, i);
            memcpy(j->to + i * bytes, &value, bytes);
        }
        return;
    }
    for (uint64_t i = j->first; i < j->end; i += TOGETHER) {
        const unsigned count = j->end - i < TOGETHER ? (unsigned)(j->end - i) : TOGETHER;
        (HAS_AVX2 ? permute_wide : permute_plain)(&p, i, count, some);
        put_numbers(some, count, bytes, j->to + i * bytes);
    }
}

static const filler fillers[] = {
    [IFL_FILL_ZERO] = fill_zero, [IFL_FILL_CONST] = fill_const,
    [IFL_FILL_IOTA] = fill_iota, [IFL_FILL_RANDOM] = fill_random,
    [IFL_FILL_NONE] = fill_none, [IFL_FILL_PERMUTATION] = fill_permutation,
    [IFL_FILL_FILE] = fill_zero,
};

/* ---- threads --------------------------------------------------------------------------------- */

typedef struct team {
    job whole;
    uint64_t next; /* the first element of the next chunk */
    const volatile int *stop;
    bool stopped; /* with chunks left */
} team;

static void *work(void *user)
{
    team *t = user;
    for (;;) {
        job part = t->whole;
        part.first = __atomic_fetch_add(&t->next, CHUNK_ELEMENTS, __ATOMIC_RELAXED);
        if (part.first >= part.count)
            return NULL;
        if (t->stop && *t->stop) {
            __atomic_store_n(&t->stopped, true, __ATOMIC_RELAXED);
            return NULL;
        }
        part.end =
            part.count - part.first < CHUNK_ELEMENTS ? part.count : part.first + CHUNK_ELEMENTS;
        fillers[part.fill->kind](&part);
    }
}

static unsigned crew_size(uint64_t count, int threads)
{
    const unsigned size = ifl_crew_size(threads, (count - 1) / CHUNK_ELEMENTS + 1);
    return size < MAX_THREADS ? size : MAX_THREADS;
}

bool ifl_fill_run(const ifl_fill *fill, const ifl_element *element, void *to, uint64_t count,
                  int threads, const volatile int *stop)
{
    if (!count || fillers[fill->kind] == fill_zero)
        return true;
    team t = {.whole = {.fill = fill, .element = element, .to = to, .count = count}, .stop = stop};
    ifl_crew_work(crew_size(count, threads), work, &t);
    return !t.stopped;
}
