/* SPDX-License-Identifier: Apache-2.0
 * Footprints of random requests against a reference that lists every byte, straight from the
 * counting rules of compute capability 7.0 and later, with no regard to speed. */
#include "count/footprint.h"
#include "count/observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { LANES = IFL_WARP_LANES };

static const char *const space_texts[IFL_SPACE_COUNT] = {
    [IFL_SPACE_GLOBAL] = "global", [IFL_SPACE_SHARED] = "shared", [IFL_SPACE_LOCAL] = "local"};
static const char *const kind_texts[IFL_ACCESS_KINDS] = {
    [IFL_ACCESS_LOAD] = "load", [IFL_ACCESS_STORE] = "store", [IFL_ACCESS_ATOMIC] = "atomic"};

typedef struct figures {
    uint64_t requests, sectors, sectors_ideal, lines, lines_ideal, wavefronts, wavefronts_ideal,
        useful_bytes, serial, passed_sectors;
} figures;

static ifl_access request(ifl_space space, ifl_access_kind kind, unsigned bytes, uint32_t mask,
                          const uint64_t *address)
{
    return (ifl_access){.space = (uint8_t)space,
                        .kind = (uint8_t)kind,
                        .bytes = (uint8_t)bytes,
                        .mask = mask,
                        .address = address};
}

static void fill(uint64_t *address, uint64_t base, uint64_t stride)
{
    for (unsigned i = 0; i < LANES; i++)
        address[i] = base + i * stride;
}

/* ---- the reference ------------------------------------------------------------------------- */

typedef struct list {
    size_t count;
    uint64_t at[LANES * 32];
} list;

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* How many different values `divisor` makes of the list. */
static uint64_t distinct(const list *bytes, uint64_t divisor)
{
    static list sorted;
    sorted = *bytes;
    for (size_t i = 0; i < sorted.count; i++)
        sorted.at[i] /= divisor;
    qsort(sorted.at, sorted.count, sizeof *sorted.at, by_value);
    uint64_t count = sorted.count > 0;
    for (size_t i = 1; i < sorted.count; i++)
        count += sorted.at[i] != sorted.at[i - 1];
    return count;
}

static bool is_on(const ifl_access *a, unsigned lane)
{
    return a->mask >> lane & 1;
}

static void add_bytes(const ifl_access *a, unsigned lane, list *bytes)
{
    for (unsigned i = 0; i < a->bytes && is_on(a, lane); i++)
        bytes->at[bytes->count++] = a->address[lane] + i;
}

static uint64_t worst_bank(const list *bytes)
{
    static list bank;
    uint64_t worst = 0;
    for (unsigned b = 0; b < 32; b++) {
        bank.count = 0;
        for (size_t i = 0; i < bytes->count; i++)
            if (bytes->at[i] / 4 % 32 == b)
                bank.at[bank.count++] = bytes->at[i];
        uint64_t words = distinct(&bank, 4);
        worst = words > worst ? words : worst;
    }
    return worst;
}

static bool pairs_equal(const ifl_access *a, unsigned distance)
{
    bool equal = true;
    for (unsigned i = 0; i < LANES; i++)
        if (is_on(a, i) && is_on(a, i ^ distance))
            equal &= a->address[i] == a->address[i ^ distance];
    return equal;
}

/* Lanes of a shared atomic do not share words: each word of each lane counts. */
static uint64_t worst_atomic_bank(const ifl_access *a, unsigned from, unsigned to)
{
    static list bytes;
    uint64_t worst = 0;
    for (unsigned b = 0; b < 32; b++) {
        uint64_t passes = 0;
        for (unsigned lane = from; lane < to; lane++) {
            bytes.count = 0;
            for (unsigned i = 0; i < a->bytes && is_on(a, lane); i++)
                if ((a->address[lane] + i) / 4 % 32 == b)
                    bytes.at[bytes.count++] = a->address[lane] + i;
            passes += distinct(&bytes, 4);
        }
        worst = passes > worst ? passes : worst;
    }
    return worst;
}

/* The passes of lanes [from, to). */
static void add_pass(const ifl_access *a, unsigned from, unsigned to, figures *f)
{
    static list bytes;
    if (a->space == IFL_SPACE_SHARED && a->kind == IFL_ACCESS_ATOMIC) {
        f->wavefronts += worst_atomic_bank(a, from, to);
        return;
    }
    bytes.count = 0;
    for (unsigned lane = from; lane < to; lane++)
        add_bytes(a, lane, &bytes);
    f->wavefronts += worst_bank(&bytes);
}

static void add_passes(const ifl_access *a, figures *f)
{
    unsigned lanes = a->bytes <= 4 ? 32 : 128 / a->bytes;
    if (a->space == IFL_SPACE_SHARED && a->kind == IFL_ACCESS_LOAD &&
        (a->bytes == 8 || a->bytes == 16) && (pairs_equal(a, 1) || pairs_equal(a, 2)))
        lanes *= 2;
    for (unsigned lane = 0; lane < LANES; lane += lanes)
        add_pass(a, lane, lane + lanes, f);
}

static uint64_t most_on_one_address(const ifl_access *a)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < LANES; i++) {
        uint64_t same = 0;
        for (unsigned j = 0; j < LANES && is_on(a, i); j++)
            same += is_on(a, j) && a->address[i] == a->address[j];
        most = same > most ? same : most;
    }
    return most;
}

/* How many lanes before this one have its address. */
static unsigned pass_of(const ifl_access *a, unsigned lane)
{
    unsigned pass = 0;
    for (unsigned i = 0; i < lane; i++)
        pass += is_on(a, i) && a->address[i] == a->address[lane];
    return pass;
}

/* Each address takes one lane a pass, and each pass touches its sectors anew. */
static uint64_t sectors_of_passes(const ifl_access *a)
{
    static list sectors;
    uint64_t sum = 0;
    for (unsigned pass = 0; pass < LANES; pass++) {
        sectors.count = 0;
        for (unsigned lane = 0; lane < LANES; lane++)
            if (is_on(a, lane) && pass_of(a, lane) == pass)
                sectors.at[sectors.count++] = a->address[lane];
        sum += distinct(&sectors, 32);
    }
    return sum;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Nsight Compute's ideals: what the active lanes' bytes would fill, lane for lane, at most what the
 * request takes. */
static void add_ideals(const ifl_access *a, figures *f)
{
    uint64_t asked = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        asked += is_on(a, lane) ? a->bytes : 0;
    f->sectors_ideal = least(f->sectors, (asked + 31) / 32);
    f->lines_ideal = least(f->lines, (asked + 127) / 128);
    f->wavefronts_ideal = least(f->wavefronts, (asked + 127) / 128);
}

static figures reference(const ifl_access *a)
{
    static list bytes;
    figures f = {.requests = 1};
    bytes.count = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        add_bytes(a, lane, &bytes);
    f.useful_bytes = distinct(&bytes, 1);
    add_passes(a, &f);
    if (a->kind == IFL_ACCESS_ATOMIC) {
        f.serial = most_on_one_address(a);
        f.passed_sectors = sectors_of_passes(a);
    }
    f.sectors = distinct(&bytes, 32);
    f.lines = distinct(&bytes, 128);
    add_ideals(a, &f);
    return f;
}

/* ---- random requests ------------------------------------------------------------------------- */

static uint64_t random_state = 0x2545f4914f6cdd1du;

static uint64_t draw(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (random_state >> 11) % below;
}

/* Addresses of every sort: scattered over windows from one sector to everything, strided, in
 * runs, equal. */
static void draw_addresses(uint64_t *address, unsigned bytes)
{
    static const uint64_t windows[] = {32, 128, 300, 1024, 4096, 65536, 1u << 30, 1ull << 44};
    uint64_t base = (1 << 20) + bytes * draw(64), window = windows[draw(8)];
    uint64_t stride = draw(2) ? bytes * draw(5) : draw(window);
    unsigned mode = (unsigned)draw(5), run = 1 + (unsigned)draw(9);
    for (unsigned i = 0; i < LANES; i++) {
        uint64_t steps = mode == 1 ? i : mode == 2 ? LANES - i : i / run;
        address[i] = base + (mode == 0 ? draw(window) : steps * stride);
        if (mode == 4)
            address[i] += i % run * bytes;
    }
}

static uint32_t draw_mask(void)
{
    uint32_t mask = (uint32_t)draw(1ull << 32);
    switch (draw(4)) {
    case 0:
        return mask | 1;
    case 1:
        return UINT32_MAX >> draw(32);
    default:
        return UINT32_MAX;
    }
}

static void settle_shape(ifl_access *a, uint64_t *address)
{
    unsigned pick = (unsigned)draw(8);
    if (pick == 0 && a->mask == UINT32_MAX) {
        fill(address, address[0], a->bytes);
        a->shape = IFL_SHAPE_CONTIGUOUS;
    } else if (pick == 1) {
        fill(address, address[0], 0);
        a->shape = IFL_SHAPE_UNIFORM;
    }
}

static ifl_access draw_request(uint64_t *address)
{
    static const ifl_space spaces[] = {IFL_SPACE_GLOBAL, IFL_SPACE_SHARED, IFL_SPACE_LOCAL};
    ifl_access a =
        request(spaces[draw(3)], (ifl_access_kind)draw(3), 1u << draw(6), draw_mask(), address);
    uint64_t align = draw(4) ? a.bytes : 1;
    if (a.space == IFL_SPACE_LOCAL)
        a.kind = (uint8_t)draw(2); /* there are no local atomics */
    draw_addresses(address, a.bytes);
    for (unsigned lane = 0; lane < LANES; lane++)
        address[lane] -= address[lane] % align;
    settle_shape(&a, address);
    return a;
}

static figures footprint_of(ifl_lookup *lookup, const ifl_access *a)
{
    const ifl_measure m = ifl_footprint_find(NULL, lookup, a);
    const ifl_footprint f = m.footprint;
    return (figures){.requests = 1,
                     .sectors = f.sectors,
                     .sectors_ideal = ifl_at_best(f.asked_bytes, 32, f.sectors),
                     .lines = f.lines,
                     .lines_ideal = ifl_at_best(f.asked_bytes, 128, f.lines),
                     .wavefronts = f.wavefronts,
                     .wavefronts_ideal = f.wavefronts_ideal,
                     .useful_bytes = f.useful_bytes,
                     .serial = m.serial,
                     .passed_sectors = m.passed_sectors};
}

static void random_requests_equal_the_reference(void **unused)
{
    (void)unused;
    static ifl_lookup lookup;
    for (int i = 0; i < 20000; i++) {
        uint64_t address[LANES];
        ifl_access a = draw_request(address);
        figures got = footprint_of(&lookup, &a), wanted = reference(&a);
        if (memcmp(&got, &wanted, sizeof got) != 0)
            print_error("case %d: %s %s of %u bytes, mask %08x, shape %u\n", i,
                        space_texts[a.space], kind_texts[a.kind], a.bytes, a.mask, a.shape);
        assert_memory_equal(&got, &wanted, sizeof got);
        assert_true(got.sectors_ideal <= got.sectors && got.lines_ideal <= got.lines);
        assert_true(got.wavefronts_ideal <= got.wavefronts);
    }
}

/* The table of lines is not cleared between requests but stamped; the stamps run out after 2^24
 * of them. */
static void stamps_may_run_out(void **unused)
{
    (void)unused;
    static ifl_lookup lookup;
    lookup.stamp = UINT32_MAX - 255 - 256 * 100;
    for (int i = 0; i < 300; i++) {
        uint64_t address[LANES];
        ifl_access a = draw_request(address);
        figures got = footprint_of(&lookup, &a), wanted = reference(&a);
        assert_memory_equal(&got, &wanted, sizeof got);
    }
}

/* ---- the observer ---------------------------------------------------------------------------- */

static uint64_t counter(const ifl_counters *counters, int space, int kind, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%s_%s", space_texts[space], kind_texts[kind], what);
    ifl_counter found = ifl_counter_find(name);
    return found == IFL_COUNTER_COUNT ? 0 : counters->value[found];
}

static void check_counters(const ifl_counters *c, int space, int kind, const figures *wanted)
{
    bool shared = space == IFL_SPACE_SHARED, atomic = kind == IFL_ACCESS_ATOMIC;
    assert_int_equal(counter(c, space, kind, "requests"), wanted->requests);
    assert_int_equal(counter(c, space, kind, "wavefronts"), wanted->wavefronts);
    assert_int_equal(counter(c, space, kind, "wavefronts_ideal"), wanted->wavefronts_ideal);
    assert_int_equal(counter(c, space, kind, "useful_bytes"), wanted->useful_bytes);
    assert_int_equal(counter(c, space, kind, "serial"), atomic ? wanted->serial : 0);
    assert_int_equal(counter(c, space, kind, "sectors"), shared   ? 0
                                                         : atomic ? wanted->passed_sectors
                                                                  : wanted->sectors);
    if (atomic && !shared)
        assert_int_equal(counter(c, space, kind, "sectors_touched"), wanted->sectors);
    assert_int_equal(counter(c, space, kind, "sectors_ideal"), shared ? 0 : wanted->sectors_ideal);
    assert_int_equal(counter(c, space, kind, "lines"), shared ? 0 : wanted->lines);
    assert_int_equal(counter(c, space, kind, "lines_ideal"), shared ? 0 : wanted->lines_ideal);
}

static void add_figures(figures *sum, figures f)
{
    uint64_t *to = (uint64_t *)sum, *from = (uint64_t *)&f;
    for (size_t i = 0; i < sizeof f / sizeof *to; i++)
        to[i] += from[i];
}

/* Requests in one session, most of them several times with the whole warp moved: nothing that is
 * remembered from one request to the next may show. */
static void sequences_equal_the_sum_of_the_references(void **unused)
{
    (void)unused;
    static ifl_site all_sites[3];
    static const ifl_sites sites = {.at = all_sites, .count = 3};
    static const int32_t line_of[3] = {-1, -1, -1};
    figures wanted[IFL_SPACE_COUNT][IFL_ACCESS_KINDS];
    const ifl_observer *observer = ifl_observe_access.observer;
    void *state = ifl_observer_new(observer, &sites, NULL);
    memset(wanted, 0, sizeof wanted);
    for (int i = 0; i < 4000; i++) {
        uint64_t address[LANES], shift = 4 * draw(64);
        ifl_access a = draw_request(address);
        a.site = (uint32_t)draw(3);
        for (uint64_t again = 1 + draw(3); again-- > 0;) {
            observer->access(state, &a);
            add_figures(&wanted[a.space][a.kind], reference(&a));
            for (unsigned lane = 0; lane < LANES; lane++)
                address[lane] += shift;
        }
    }
    ifl_profile *profile = ifl_profile_new();
    assert_int_equal(ifl_observe_access.report(state, &sites, line_of, profile, NULL), IFL_OK);
    for (int space = 0; space < IFL_SPACE_COUNT; space++)
        for (int kind = 0; kind < IFL_ACCESS_KINDS; kind++)
            if (wanted[space][kind].requests)
                check_counters(&profile->counters, space, kind, &wanted[space][kind]);
    ifl_profile_destroy(profile);
    ifl_observer_free(observer, state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_requests_equal_the_reference),
        cmocka_unit_test(stamps_may_run_out),
        cmocka_unit_test(sequences_equal_the_sum_of_the_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
