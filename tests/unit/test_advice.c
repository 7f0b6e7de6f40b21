/* SPDX-License-Identifier: Apache-2.0
 * The rules of remedy.def: each speaks up on a profile with its fault, and none on a healthy one.
 * The profiles are made here, from a few figures each; that real kernels get the advice that their
 * documents give is in tests/advice. */
#include "advice/advice.h"
#include "ptx/ptx_traits.h"
#include "sass/sass_traits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* A kernel of one load instruction and one store instruction, both of neighbouring lanes unless
 * `kind` says otherwise. Counts are of a warp. */
typedef struct shape {
    const char *rule, *gpu;
    uint32_t grid, block, registers;
    uint32_t rows;           /* a block's y size, if it has any */
    ifl_pattern_kind stored; /* the stores' pattern; 0: of neighbouring lanes */
    uint64_t shared_bytes;
    uint32_t bytes; /* of a lane */
    double loads, stores, waits, loads_a_wait;
    double instructions, branches, divergent, lanes;
    ifl_pattern_kind pattern;
    int64_t stride_words;
    double sectors, lines; /* of a load; 0: as many as it needs */
    uint64_t region_bytes;
    double shared_requests, shared_wavefronts, barriers;
    double atomics, atomic_lanes; /* requests; lanes that meet on one address */
    bool atomics_in_shared;
    bool merges;      /* each block its own, to the places of all */
    bool counts;      /* each warp one, to one place */
    double divisions; /* integer ones, of a warp of machine code */
    double local_sectors;
    uint32_t spilled;           /* bytes a thread */
    double arithmetic, widened; /* fp64 where `op` or `widened` says so */
    int load_lines;             /* instructions that the loads are spread over; 0: 1 */
    const char *op;
    const char *shared_op; /* NULL: ld.shared.f32 */
    double staged;         /* stores to shared memory; 0: 1 */
    double far;  /* of the warps' standing still, the share for data from far, before STS */
    double host; /* of the SM's cycles, the share in which the bus to the host is busy */
    uint64_t buffer_bytes;   /* 0: not known */
    double l1_hit, half_hit; /* -1: not followed; with half the blocks */
    double thin_unused;
} shape;

/* float4, four loads before a wait, enough blocks: as document 001 ends. */
static const shape healthy = {.grid = 32768,
                              .block = 256,
                              .registers = 32,
                              .bytes = 16,
                              .loads = 4,
                              .stores = 2,
                              .waits = 1,
                              .loads_a_wait = 4,
                              .instructions = 40,
                              .branches = 1,
                              .lanes = 32,
                              .arithmetic = 8,
                              .pattern = IFL_PATTERN_COALESCED,
                              .op = "ld.global.nc.v4.f32",
                              .l1_hit = -1};

static void set(ifl_counters *counters, ifl_counter which, double value)
{
    ifl_counters_set(counters, which, (uint64_t)llround(value));
}

static uint16_t traits_of(const char *name)
{
    return ifl_ptx_traits(name) | ifl_sass_traits(name);
}

static void add_line(ifl_profile *p, const shape *s, double warps, bool is_store, double loads)
{
    const double ideal = s->bytes,
                 sectors = (!is_store || s->stored) && s->sectors > 0 ? s->sectors : ideal;
    const double requests = warps * (is_store ? s->stores : loads);
    const double lines = s->lines > 0 ? s->lines : ceil(sectors / 4);
    ifl_profile_line line = {
        .file = "kernel.cu",
        .line = is_store ? 20 : 10,
        .text = "",
        .op = is_store ? "st.global.v4.f32" : s->op,
        .space = IFL_SPACE_GLOBAL,
        .kind = is_store ? IFL_ACCESS_STORE : IFL_ACCESS_LOAD,
        .inlined_from = "",
        .access_bytes = s->bytes,
        .pattern = {.kind = !is_store   ? s->pattern
                            : s->stored ? s->stored
                                        : IFL_PATTERN_COALESCED,
                    .share = 1,
                    .stride_words = is_store && !s->stored ? 0 : s->stride_words,
                    .region_bytes = is_store ? 0 : s->region_bytes},
    };
    if (is_store && strstr(s->op, "f64"))
        line.op = "st.global.f64";
#define SET(name, value)                                                                           \
    do {                                                                                           \
        const ifl_counter which =                                                                  \
            is_store ? IFL_COUNTER_global_store_##name : IFL_COUNTER_global_load_##name;           \
        set(&line.counters, which, value);                                                         \
        ifl_counters_add(&p->counters, which, (uint64_t)llround(value));                           \
    } while (0)
    SET(requests, requests);
    SET(sectors, requests * sectors);
    SET(sectors_ideal, requests * ideal);
    SET(lines, requests * lines);
    SET(wavefronts, requests * ceil(ideal / 4));
    SET(useful_bytes, requests * 32 * s->bytes);
#undef SET
    line.traits = traits_of(line.op);
    assert_true(ifl_vec_push(&p->lines, line));
}

static void add_shared(ifl_profile *p, const shape *s, double warps)
{
    ifl_profile_line line = {
        .file = "kernel.cu",
        .line = 30,
        .text = "",
        .op = s->shared_op ? s->shared_op : "ld.shared.f32",
        .space = IFL_SPACE_SHARED,
        .kind = IFL_ACCESS_LOAD,
        .inlined_from = "",
        .access_bytes = 4,
        .pattern = {.kind = IFL_PATTERN_STRIDED, .share = 1, .stride_words = 32}};
    ifl_counters *both[] = {&line.counters, &p->counters};
    for (int i = 0; i < 2; i++) {
        set(both[i], IFL_COUNTER_shared_load_requests, warps * s->shared_requests);
        set(both[i], IFL_COUNTER_shared_load_wavefronts, warps * s->shared_wavefronts);
        set(both[i], IFL_COUNTER_shared_load_wavefronts_ideal, warps * s->shared_requests);
        set(both[i], IFL_COUNTER_shared_load_useful_bytes, warps * s->shared_requests * 128);
        set(both[i], IFL_COUNTER_shared_store_requests, warps * (s->staged > 0 ? s->staged : 1));
    }
    line.traits = traits_of(line.op);
    assert_true(ifl_vec_push(&p->lines, line));
}

static void add_atomics(ifl_profile *p, const shape *s, double warps)
{
    ifl_profile_line line = {.file = "kernel.cu",
                             .line = 40,
                             .text = "",
                             .op = s->atomics_in_shared ? "atom.shared.add.u32"
                                                        : "red.global.add.u32",
                             .space = s->atomics_in_shared ? IFL_SPACE_SHARED : IFL_SPACE_GLOBAL,
                             .kind = IFL_ACCESS_ATOMIC,
                             .inlined_from = "",
                             .access_bytes = 4,
                             .pattern = {.kind = IFL_PATTERN_IRREGULAR, .share = 1}};
    ifl_counters *both[] = {&line.counters, &p->counters};
    for (int i = 0; i < 2; i++) {
        if (s->atomics_in_shared) {
            set(both[i], IFL_COUNTER_shared_atomic_requests, warps * s->atomics);
            set(both[i], IFL_COUNTER_shared_atomic_serial, warps * s->atomics * s->atomic_lanes);
            continue;
        }
        set(both[i], IFL_COUNTER_global_atomic_requests, warps * s->atomics);
        set(both[i], IFL_COUNTER_global_atomic_sectors_touched, warps * s->atomics * 20);
        set(both[i], IFL_COUNTER_global_atomic_sectors_ideal, warps * s->atomics * 4);
        set(both[i], IFL_COUNTER_global_atomic_serial, warps * s->atomics * s->atomic_lanes);
    }
    line.pattern.kind = s->counts ? IFL_PATTERN_BROADCAST : line.pattern.kind;
    if (s->merges || s->counts)
        set(&p->counters, IFL_COUNTER_global_atomic_busiest_part, 8 * warps * s->atomics);
    line.traits = traits_of(line.op);
    assert_true(ifl_vec_push(&p->lines, line));
}

static void add_counts(ifl_profile *p, const shape *s, double warps)
{
    ifl_counters *c = &p->counters;
    const bool wide = strstr(s->op, "f64") || s->widened > 0;
    set(c, s->divisions > 0 ? IFL_COUNTER_instructions : IFL_COUNTER_ptx_instructions,
        warps * s->instructions);
    set(c, IFL_COUNTER_thread_instructions, warps * s->instructions * s->lanes);
    set(c, IFL_COUNTER_branches, warps * s->branches);
    set(c, IFL_COUNTER_divergent_branches, warps * s->divergent);
    set(c, IFL_COUNTER_barriers, warps * s->barriers);
    set(c, IFL_COUNTER_local_load_sectors, warps * s->local_sectors / 2);
    set(c, IFL_COUNTER_local_store_sectors, warps * s->local_sectors / 2);
    const ifl_opcode_count compute = {
        wide ? "fma.rn.f64" : "fma.rn.f32", (uint64_t)(warps * s->arithmetic), {0}, 0};
    const ifl_opcode_count convert = {
        "cvt.f64.f32", (uint64_t)(warps * s->widened), {0}, IFL_TRAIT_WIDENS};
    assert_true(ifl_vec_push(&p->ptx_opcodes, compute));
    if (s->widened > 0)
        assert_true(ifl_vec_push(&p->ptx_opcodes, convert));
    const ifl_opcode_count reciprocal = {
        "I2F.U32.RP", (uint64_t)(warps * s->divisions), {0}, IFL_TRAIT_DIVISOR};
    if (s->divisions > 0)
        assert_true(ifl_vec_push(&p->opcodes, reciprocal));
    p->machine.ran = s->divisions > 0;
}

static void add_caches(ifl_profile *p, const shape *s)
{
    const double sectors = (double)p->counters.value[IFL_COUNTER_global_load_sectors];
    const double misses = sectors * (1 - s->l1_hit);
    ifl_cache_facts f = {.device = s->gpu,
                         .sample = "",
                         .l1_load_sectors = {sectors, sectors, sectors},
                         .l1_load_hits = {sectors * s->l1_hit, 0, sectors},
                         .l2_read_sectors = {misses, misses, misses},
                         .dram_read_bytes = {32 * misses, 32 * misses, 32 * misses}};
    f.half_l1_load_hits = sectors * s->half_hit;
    f.thin_unused = s->thin_unused;
    if (s->l1_hit >= 0)
        assert_true(ifl_vec_push(&p->caches, f));
}

/* A tenth of the time without the host's memory, and as much as now with any other change. */
static void find_ratios(void *state, int threads, const ifl_change *const *changes, size_t count,
                        double *ratios)
{
    (void)state, (void)threads;
    for (size_t i = 0; i < count; i++)
        ratios[i] = changes[i]->known && changes[i]->no_host ? 0.1 : 1;
}

static void keep_nothing(void *state)
{
    (void)state;
}

/* An SM that was followed for so long that the DRAM is not busy. */
static void add_schedule(ifl_profile *p, const shape *s)
{
    static ifl_stalled_site store = {
        .op = "STS", .space = IFL_SPACE_SHARED, .kind = IFL_ACCESS_STORE};
    store.share = s->far;
    ifl_time_facts f = {
        .device = s->gpu,
        .cycles = 1e6,
        .seconds = 1e6 / 1.98e9,
        .sites = &store,
        .site_count = 1,
        .stalls = {[IFL_STALL_long_scoreboard] = s->far, [IFL_STALL_wait] = 1 - s->far},
        .host_share = s->host};
    if (s->far > 0 || s->host > 0)
        assert_true(ifl_vec_push(&p->sm_times, f));
    const ifl_what_if what_if = {.device = s->gpu, .find = find_ratios, .free = keep_nothing};
    if (s->host > 0)
        assert_true(ifl_vec_push(&p->what_ifs, what_if));
}

static ifl_profile *make(const shape *s)
{
    ifl_profile *p = ifl_profile_new();
    const uint32_t rows = s->rows ? s->rows : 1;
    const double warps = (double)s->grid * (s->block * rows / 32.0);
    const int lines = s->load_lines ? s->load_lines : 1;
    assert_non_null(p);
    p->grid[0] = s->grid;
    p->block[0] = s->block;
    p->grid[1] = p->grid[2] = p->block[2] = 1;
    p->block[1] = rows;
    p->shared_bytes = s->shared_bytes;
    p->complete = true;
    p->blocks_done = s->grid;
    p->backend = "engine";
    p->machine.registers = s->registers;
    p->machine.known = true;
    p->machine.stack_bytes = s->local_sectors > 0 ? 128 : 0;
    p->machine.spill_store_bytes = p->machine.spill_load_bytes = s->spilled;
    p->program.known = true;
    p->program.load_waits = warps * s->waits;
    p->program.load_spread = warps * s->waits * log2(s->loads_a_wait);
    for (int i = 0; i < lines; i++)
        add_line(p, s, warps, false, s->loads / lines);
    if (s->stores > 0)
        add_line(p, s, warps, true, 0);
    if (s->shared_requests > 0)
        add_shared(p, s, warps);
    if (s->atomics > 0)
        add_atomics(p, s, warps);
    add_counts(p, s, warps);
    add_caches(p, s);
    add_schedule(p, s);
    p->program.buffer_bytes = s->buffer_bytes;
    return p;
}

static const ifl_advice *find(const ifl_advices *advices, const char *rule)
{
    for (size_t i = 0; i < advices->list.count; i++)
        if (strcmp(advices->list.at[i].rule, rule) == 0)
            return &advices->list.at[i];
    return NULL;
}

static ifl_status find_advice(const ifl_profile *profile, const ifl_device *device,
                              ifl_arena *arena, ifl_advices *out, ifl_error *error)
{
    ifl_modelled modelled;
    const ifl_status status = ifl_model_find(profile, device, &modelled, error);
    return status == IFL_OK ? ifl_advice_find(profile, device, &modelled, arena, out, error)
                            : status;
}

static void advise(const shape *s, const char *gpu, ifl_arena *arena, ifl_advices *out)
{
    ifl_device *device = NULL;
    ifl_error error = {0};
    ifl_profile *profile = make(s);
    assert_int_equal(ifl_device_open(gpu, &device, &error), IFL_OK);
    if (find_advice(profile, device, arena, out, &error) != IFL_OK)
        fail_msg("%s: %s", s->rule, error.text);
    ifl_profile_destroy(profile);
    ifl_device_close(device);
}

#define FAULT(name, on, ...)                                                                       \
    (shape)                                                                                        \
    {                                                                                              \
        .grid = 32768, .block = 256, .registers = 32, .bytes = 16, .loads = 4, .stores = 2,        \
        .waits = 1, .loads_a_wait = 4, .instructions = 40, .branches = 1, .lanes = 32,             \
        .arithmetic = 8, .pattern = IFL_PATTERN_COALESCED, .op = "ld.global.nc.v4.f32",            \
        .l1_hit = -1, .rule = #name, .gpu = on, __VA_ARGS__                                        \
    }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#ifdef __clang__
#pragma clang diagnostic ignored "-Winitializer-overrides"
#endif
/* The fault of each rule, upon what is healthy otherwise; on a GPU where it costs time. */
static const shape *faults(size_t *count)
{
    static shape all[48];
    size_t n = 0;
    const shape rows[] = {
        FAULT(wide_loads, "b200", .bytes = 4, .loads = 2, .stores = 1, .loads_a_wait = 2,
              .instructions = 19),
        FAULT(coarsening, "b200", .bytes = 4, .loads = 2, .stores = 1, .loads_a_wait = 2,
              .instructions = 19),
        FAULT(persistent_grid, "b200", .bytes = 4, .loads = 2, .stores = 1, .loads_a_wait = 2,
              .instructions = 19),
        FAULT(hoisted_bounds, "b200", .bytes = 4, .loads = 8, .stores = 4, .waits = 4,
              .loads_a_wait = 2, .branches = 5),
        FAULT(restrict_pointers, "b200", .bytes = 4, .loads = 8, .stores = 4, .waits = 4,
              .loads_a_wait = 2, .op = "ld.global.f32"),
        FAULT(launch_bounds, "b200", .bytes = 4, .loads = 16, .stores = 1, .waits = 16,
              .loads_a_wait = 1, .registers = 132),
        FAULT(block_size, "k20x", .block = 32, .bytes = 4, .loads = 16, .waits = 16,
              .loads_a_wait = 1, .grid = 262144),
        FAULT(less_shared, "b200", .bytes = 4, .loads = 16, .waits = 16, .loads_a_wait = 1,
              .shared_bytes = 60000),
        FAULT(more_loads_in_flight, "h200", .bytes = 4, .loads = 64, .waits = 64, .loads_a_wait = 1,
              .grid = 2048, .registers = 128),
        FAULT(prefetch, "h200", .bytes = 4, .loads = 64, .waits = 64, .loads_a_wait = 1,
              .grid = 2048, .registers = 128),
        FAULT(alignment, "v100", .pattern = IFL_PATTERN_OFFSET, .bytes = 4, .sectors = 5,
              .loads = 16, .loads_a_wait = 16),
        FAULT(non_caching_loads, "m2090", .pattern = IFL_PATTERN_IRREGULAR, .bytes = 4,
              .sectors = 32, .lines = 32),
        FAULT(grouped_indexes, "h200", .pattern = IFL_PATTERN_IRREGULAR, .bytes = 4, .sectors = 32,
              .lines = 32),
        FAULT(structure_of_arrays, "v100", .pattern = IFL_PATTERN_CONTIGUOUS, .bytes = 8,
              .sectors = 32, .load_lines = 4, .region_bytes = 160),
        FAULT(threads_per_region, "v100", .pattern = IFL_PATTERN_CONTIGUOUS, .bytes = 8,
              .sectors = 32),
        FAULT(threads_per_region, "v100", .pattern = IFL_PATTERN_CONTIGUOUS, .bytes = 8,
              .sectors = 32, .load_lines = 4, .region_bytes = 4096),
        FAULT(exchange_indexes, "h200", .block = 16, .rows = 16, .pattern = IFL_PATTERN_STRIDED,
              .stored = IFL_PATTERN_STRIDED, .stride_words = 1024, .bytes = 4, .sectors = 16,
              .lines = 16),
        FAULT(stage_through_shared, "h200", .pattern = IFL_PATTERN_STRIDED, .stride_words = 1024,
              .bytes = 8, .sectors = 32),
        FAULT(pad_shared, "h200", .shared_requests = 16, .shared_wavefronts = 512,
              .instructions = 80),
        FAULT(swizzle_shared, "h200", .shared_requests = 16, .shared_wavefronts = 512,
              .instructions = 80, .shared_op = "LDSM.16.M88.4"),
        FAULT(deeper_pipeline, "h200", .bytes = 4, .loads = 64, .waits = 64, .loads_a_wait = 1,
              .grid = 2048, .registers = 128, .shared_bytes = 8192, .op = "LDGSTS.E", .far = 0.5),
        FAULT(bulk_copies, "h200", .bytes = 4, .loads = 64, .waits = 64, .loads_a_wait = 1,
              .grid = 2048, .registers = 128, .shared_bytes = 8192, .shared_requests = 64,
              .shared_wavefronts = 64, .staged = 64, .far = 0.5),
        FAULT(wider_tiles, "h200", .loads = 64, .waits = 8, .loads_a_wait = 8, .stores = 1,
              .grid = 8192, .shared_requests = 8, .shared_wavefronts = 8, .shared_bytes = 8192,
              .buffer_bytes = 20000000),
        FAULT(smaller_cache_share, "k40c", .pattern = IFL_PATTERN_IRREGULAR, .bytes = 4,
              .sectors = 32, .loads = 64, .loads_a_wait = 64, .l1_hit = 0.1, .half_hit = 0.6),
        FAULT(local_arrays, "v100", .local_sectors = 160),
        FAULT(register_passes, "v100", .local_sectors = 160, .spilled = 64, .registers = 250),
        FAULT(more_registers, "v100", .local_sectors = 160, .spilled = 64, .registers = 32),
        FAULT(wider_rows, "h200", .pattern = IFL_PATTERN_ROWS, .bytes = 4, .sectors = 16),
        FAULT(tail, "v100", .grid = 700, .bytes = 4, .loads = 256, .waits = 256, .loads_a_wait = 1,
              .stores = 0),
        FAULT(narrower_types, "v100", .bytes = 8, .op = "ld.global.nc.f64", .loads = 16,
              .loads_a_wait = 16),
        FAULT(accidental_double, "t4", .widened = 2, .arithmetic = 40, .instructions = 90),
        FAULT(divergence, "h200", .branches = 100, .divergent = 50, .lanes = 10,
              .instructions = 4000, .arithmetic = 2000),
        FAULT(more_threads, "h200", .grid = 32, .bytes = 4, .loads = 64, .waits = 64,
              .loads_a_wait = 1),
        FAULT(share_lone_work, "h200", .bytes = 4, .loads = 1, .stores = 0, .loads_a_wait = 1,
              .lanes = 2, .instructions = 4000, .arithmetic = 2000, .branches = 300),
        FAULT(reduce_first, "h200", .bytes = 4, .loads = 1, .stores = 0, .loads_a_wait = 1,
              .barriers = 9, .instructions = 100, .shared_requests = 8, .shared_wavefronts = 8),
        FAULT(results_a_thread, "h200", .bytes = 4, .loads = 1, .stores = 0, .loads_a_wait = 1,
              .shared_requests = 512, .shared_wavefronts = 512, .instructions = 700),
        FAULT(reduce_in_warp, "h200", .bytes = 4, .loads = 1, .stores = 0, .atomics = 16,
              .atomic_lanes = 32, .atomics_in_shared = true),
        FAULT(fewer_atomics, "h200", .bytes = 4, .loads = 4, .stores = 0, .atomics = 4,
              .atomic_lanes = 2, .l1_hit = 0),
        FAULT(merge_once, "h100", .bytes = 4, .loads = 1, .stores = 0, .atomics = 1,
              .atomic_lanes = 1, .merges = true, .shared_requests = 4, .shared_wavefronts = 4,
              .barriers = 2),
        FAULT(copy_to_gpu, "h200", .host = 0.9),
        FAULT(integer_division, "h100", .bytes = 4, .divisions = 20, .instructions = 800),
    };
    for (; n < sizeof rows / sizeof *rows; n++)
        all[n] = rows[n];
    *count = n;
    return all;
}
#pragma GCC diagnostic pop

static void test_each_rule(void **unused)
{
    size_t count;
    const shape *rows = faults(&count);
    (void)unused;
    for (size_t i = 0; i < count; i++) {
        ifl_arena arena = {0};
        ifl_advices advices;
        advise(&rows[i], rows[i].gpu, &arena, &advices);
        const ifl_advice *a = find(&advices, rows[i].rule);
        if (!a)
            print_error("%s: no advice on its fault\n", rows[i].rule);
        else if (!(a->gain_high >= 1.05) || a->gain_low > a->gain_high || !*a->remedy ||
                 !*a->symptom)
            print_error("%s: gain %g to %g: %s: %s\n", rows[i].rule, a->gain_low, a->gain_high,
                        a->symptom, a->remedy);
        assert_non_null(a);
        assert_true(a->gain_high >= 1.05 && a->gain_low <= a->gain_high);
        ifl_advice_free(&advices);
        ifl_arena_free(&arena);
    }
}

/* A warp that waits for words that are the same for all lanes, as tables of a function have them, has
 * no elements to test together. */
static void test_words_of_tables_are_no_elements(void **unused)
{
    size_t count;
    const shape *rows = faults(&count);
    (void)unused;
    for (size_t i = 0; i < count; i++) {
        ifl_arena arena = {0};
        ifl_advices advices;
        shape s = rows[i];
        if (strcmp(s.rule, "hoisted_bounds") != 0)
            continue;
        s.pattern = IFL_PATTERN_BROADCAST;
        advise(&s, s.gpu, &arena, &advices);
        assert_null(find(&advices, s.rule));
        ifl_advice_free(&advices);
        ifl_arena_free(&arena);
    }
}

static bool is_staged(double thin_unused)
{
    ifl_arena arena = {0};
    ifl_advices advices;
    shape s = healthy;
    s.pattern = IFL_PATTERN_STRIDED;
    s.stride_words = 1024;
    s.bytes = 8;
    s.sectors = 32;
    s.l1_hit = 0;
    s.gpu = s.rule = "h200";
    s.thin_unused = thin_unused;
    advise(&s, "h200", &arena, &advices);
    const bool is = find(&advices, "stage_through_shared");
    ifl_advice_free(&advices);
    ifl_arena_free(&arena);
    return is;
}

/* A tile of whole lines moves four times what one sector of each is. */
static void test_lone_sectors_are_not_staged(void **unused)
{
    (void)unused;
    assert_true(is_staged(0));
    assert_true(is_staged(0.25));
    assert_false(is_staged(0.75));
}

static void test_atomics_on_one_word(void **unused)
{
    ifl_arena arena = {0};
    ifl_advices advices;
    shape s = healthy;
    (void)unused;
    s.gpu = s.rule = "h200";
    s.loads = s.stores = 0;
    s.atomics = s.atomic_lanes = 1;
    s.counts = true;
    advise(&s, "h200", &arena, &advices);
    const ifl_advice *a = find(&advices, "fewer_atomics");
    assert_non_null(a);
    assert_string_equal(a->symptom,
                        "8 atomics per block, each of one word, all in the same 512 bytes");
    ifl_advice_free(&advices);
    ifl_arena_free(&arena);
}

static void test_every_rule_has_a_fault(void **unused)
{
    size_t count;
    const shape *rows = faults(&count);
    (void)unused;
#define REMEDY(name, ...)                                                                          \
    do {                                                                                           \
        bool has = false;                                                                          \
        for (size_t i = 0; i < count; i++)                                                         \
            has |= strcmp(rows[i].rule, #name) == 0;                                               \
        assert_true(has);                                                                          \
    } while (0);
#include "advice/remedy.def"
}

static void test_nothing_is_wrong(void **unused)
{
    static const char *const gpus[] = {"v100", "a100-80", "t4", "rtx-3090", "l40s", "h100", "h200"};
    (void)unused;
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
        ifl_arena arena = {0};
        ifl_advices advices;
        shape s = healthy;
        s.rule = "healthy";
        advise(&s, gpus[i], &arena, &advices);
        for (size_t a = 0; a < advices.list.count; a++)
            print_error("%s: %s, gain %g: %s\n", gpus[i], advices.list.at[a].rule,
                        advices.list.at[a].gain_high, advices.list.at[a].symptom);
        assert_int_equal(advices.list.count, 0);
        ifl_advice_free(&advices);
        ifl_arena_free(&arena);
    }
}

/* Wider words take away requests and their addresses, not the work itself: an image that is
 * computed point by point. */
static void test_arithmetic_is_not_for_wide_loads(void **unused)
{
    ifl_arena arena = {0};
    ifl_advices advices;
    shape s = healthy;
    (void)unused;
    s.rule = "computes";
    s.bytes = 4;
    s.loads = s.stores = 1;
    s.instructions = 4000;
    s.arithmetic = 3000;
    advise(&s, "h200", &arena, &advices);
    assert_int_equal(advices.list.count, 0);
    ifl_advice_free(&advices);
    ifl_arena_free(&arena);
}

/* ptxas kept the array in registers: there is nothing to do. */
static void test_array_in_registers(void **unused)
{
    ifl_arena arena = {0};
    ifl_error error = {0};
    ifl_advices advices;
    ifl_device *device = NULL;
    size_t count;
    const shape *rows = faults(&count);
    (void)unused;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].rule, "local_arrays") != 0)
            continue;
        ifl_profile *profile = make(&rows[i]);
        profile->machine.stack_bytes = 0;
        assert_int_equal(ifl_device_open(rows[i].gpu, &device, &error), IFL_OK);
        assert_int_equal(find_advice(profile, device, &arena, &advices, &error), IFL_OK);
        assert_null(find(&advices, "local_arrays"));
        ifl_advice_free(&advices);
        ifl_profile_destroy(profile);
        ifl_device_close(device);
    }
    ifl_arena_free(&arena);
}

static double middle_of(const ifl_advice *a)
{
    return a->gain_low * a->gain_high;
}

/* By the middle of the range: in one of these a remedy may give more than the one before it, and is less sure to. */
static void test_most_gain_first(void **unused)
{
    size_t count, unsure = 0;
    const shape *rows = faults(&count);
    (void)unused;
    for (size_t r = 0; r < count; r++) {
        ifl_arena arena = {0};
        ifl_advices advices;
        advise(&rows[r], rows[r].gpu, &arena, &advices);
        for (size_t i = 1; i < advices.list.count; i++) {
            const ifl_advice *a = &advices.list.at[i - 1], *b = &advices.list.at[i];
            assert_true(middle_of(a) >= middle_of(b));
            unsure += b->gain_high > a->gain_high;
        }
        ifl_advice_free(&advices);
        ifl_arena_free(&arena);
    }
    assert_true(unsure > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_rule),
        cmocka_unit_test(test_words_of_tables_are_no_elements),
        cmocka_unit_test(test_every_rule_has_a_fault),
        cmocka_unit_test(test_lone_sectors_are_not_staged),
        cmocka_unit_test(test_atomics_on_one_word),
        cmocka_unit_test(test_nothing_is_wrong),
        cmocka_unit_test(test_arithmetic_is_not_for_wide_loads),
        cmocka_unit_test(test_array_in_registers),
        cmocka_unit_test(test_most_gain_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
