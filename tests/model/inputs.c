/* SPDX-License-Identifier: Apache-2.0
 * Profiles to lines of words and back. A counter that is 0 is written too: known differs from
 * absent. */
#include "inputs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing --------------------------------------------------------------------------------- */

/* The model asks for what is moved, not for what would do. */
static bool is_read(const char *name)
{
    const char *const unread[] = {"_ideal", "_useful_bytes", "thread_instructions", "branches"};
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        if (strstr(name, unread[i]))
            return false;
    return true;
}

static void put_counters(const ifl_counters *c, FILE *out)
{
    for (int i = 0; i < IFL_COUNTER_COUNT; i++)
        if (c->known[i] && is_read(ifl_counter_get((ifl_counter)i)->name))
            fprintf(out, " %s=%" PRIu64, ifl_counter_get((ifl_counter)i)->name, c->value[i]);
    fputc('\n', out);
}

/* One word: "bulk load" is bulk_load. */
static const char *kind_word(ifl_access_kind kind, char word[32])
{
    snprintf(word, 32, "%s", ifl_access_kind_text(kind));
    for (char *at = word; *at; at++)
        *at = *at == ' ' ? '_' : *at;
    return word;
}

static void put_lines(const ifl_profile *p, FILE *out)
{
    for (size_t i = 0; i < p->lines.count; i++) {
        const ifl_profile_line *l = &p->lines.at[i];
        char word[32];
        fprintf(out, "line %s %s %d %g", l->op, kind_word(l->kind, word), (int)l->pattern.kind,
                l->pattern.share);
        put_counters(&l->counters, out);
    }
    for (size_t i = 0; i < p->ptx_opcodes.count; i++)
        fprintf(out, "opcode %s %" PRIu64 "\n", p->ptx_opcodes.at[i].name,
                p->ptx_opcodes.at[i].count);
}

static void put_caches(const ifl_profile *p, FILE *out)
{
    for (size_t i = 0; i < p->caches.count; i++) {
        const ifl_cache_facts *f = &p->caches.at[i];
        fprintf(out, "cache %s", f->device);
#define PUT(name, unit, doc)                                                                       \
    fprintf(out, " %.8g %.8g %.8g", f->name.value, f->name.low, f->name.high);
        IFL_CACHE_ESTIMATES(PUT)
#undef PUT
        fprintf(out, " %.5g %.5g %.5g %" PRIu64 " %.8g %.8g", f->turns_in_l1, f->lines_from_dram,
                f->from_dram_together, f->l1_bytes, f->l2_read_pieces, f->l2_lone_misses);
        if (f->prefetched_sectors > 0)
            fprintf(out, " %.8g %.8g", f->prefetched_sectors, f->prefetch_misses);
        fprintf(out, "\n");
    }
}

void inputs_write(const ifl_profile *p, FILE *out)
{
    const ifl_program_facts *o = &p->program;
    fprintf(out, "kernel %s %u %u %u %u %u %u %" PRIu64 " %u\n", p->kernel, p->grid[0], p->grid[1],
            p->grid[2], p->block[0], p->block[1], p->block[2], p->shared_bytes,
            p->machine.registers);
    fprintf(out, "program %u %.10g %.10g %.10g %.10g %" PRIu64 "\n", o->registers, o->load_waits,
            o->load_spread, o->shared_waits, o->chain, o->buffer_bytes);
    for (uint32_t i = 0; i < p->work.slice_count; i++)
        fprintf(out, "%s%" PRIu64 " %" PRIu64 " %" PRIu64 "%s", i ? " " : "slices ",
                p->work.slices[i].blocks, p->work.slices[i].sum, p->work.slices[i].most,
                i + 1 < p->work.slice_count ? "" : "\n");
    fputs("counters", out);
    put_counters(&p->counters, out);
    put_lines(p, out);
    put_caches(p, out);
    fputs("end\n", out);
}

/* ---- reading --------------------------------------------------------------------------------- */

static char *next_word(char **state)
{
    return strtok_r(NULL, " \n", state);
}

static uint64_t next_count(char **state)
{
    const char *word = next_word(state);
    return word ? strtoull(word, NULL, 10) : 0;
}

static double next_number(char **state)
{
    const char *word = next_word(state);
    return word ? strtod(word, NULL) : 0;
}

static const char *keep(ifl_profile *p, const char *word)
{
    return ifl_arena_text(&p->arena, word ? word : "", word ? strlen(word) : 0);
}

static bool take_counters(ifl_counters *to, char **state)
{
    for (char *word = next_word(state); word; word = next_word(state)) {
        char *equals = strchr(word, '=');
        if (!equals)
            return false;
        *equals = '\0';
        const ifl_counter which = ifl_counter_find(word);
        if (which == IFL_COUNTER_COUNT)
            return false;
        ifl_counters_set(to, which, strtoull(equals + 1, NULL, 10));
    }
    return true;
}

static bool take_kernel(ifl_profile *p, char **state)
{
    p->kernel = keep(p, next_word(state));
    for (int i = 0; i < 3; i++)
        p->grid[i] = (uint32_t)next_count(state);
    for (int i = 0; i < 3; i++)
        p->block[i] = (uint32_t)next_count(state);
    p->shared_bytes = next_count(state);
    p->machine.registers = (uint32_t)next_count(state);
    p->complete = true;
    return p->kernel && p->block[2];
}

static bool take_program(ifl_profile *p, char **state)
{
    ifl_program_facts *o = &p->program;
    o->known = true;
    o->registers = (uint32_t)next_count(state);
    o->load_waits = next_number(state);
    o->load_spread = next_number(state);
    o->shared_waits = next_number(state);
    o->chain = next_number(state);
    o->buffer_bytes = next_count(state);
    return true;
}

static bool take_slices(ifl_profile *p, char **state)
{
    p->work.slices = ifl_arena_alloc(&p->arena, IFL_WORK_SLICES * sizeof *p->work.slices);
    if (!p->work.slices)
        return false;
    p->work.known = true;
    for (uint64_t blocks = next_count(state); blocks && p->work.slice_count < IFL_WORK_SLICES;
         blocks = next_count(state)) {
        ifl_work_slice *slice = &p->work.slices[p->work.slice_count++];
        *slice = (ifl_work_slice){.blocks = blocks, .sum = next_count(state)};
        slice->most = next_count(state);
    }
    return true;
}

static bool take_launch_counters(ifl_profile *p, char **state)
{
    return take_counters(&p->counters, state);
}

static ifl_access_kind next_kind(char **state)
{
    const char *word = next_word(state);
    ifl_access_kind kind = 0;
    char text[32];
    while (word && kind < IFL_ACCESS_KINDS && strcmp(kind_word(kind, text), word) != 0)
        kind++;
    return kind;
}

static bool take_line(ifl_profile *p, char **state)
{
    ifl_profile_line l = {.op = keep(p, next_word(state)), .kind = next_kind(state)};
    l.pattern.kind = (ifl_pattern_kind)next_count(state);
    l.pattern.share = next_number(state);
    /* not kept: a region's size, which is 0 only where regions are not evenly spaced */
    l.pattern.region_bytes = l.pattern.kind == IFL_PATTERN_CONTIGUOUS;
    l.file = l.text = "";
    return take_counters(&l.counters, state) && ifl_vec_push(&p->lines, l);
}

static bool take_opcode(ifl_profile *p, char **state)
{
    ifl_opcode_count o = {.name = keep(p, next_word(state))};
    o.count = next_count(state);
    return o.name && ifl_vec_push(&p->ptx_opcodes, o);
}

static bool take_cache(ifl_profile *p, char **state)
{
    ifl_cache_facts f = {.device = keep(p, next_word(state))};
#define TAKE(name, unit, doc)                                                                      \
    f.name.value = next_number(state);                                                             \
    f.name.low = next_number(state);                                                               \
    f.name.high = next_number(state);
    IFL_CACHE_ESTIMATES(TAKE)
#undef TAKE
    f.turns_in_l1 = next_number(state);
    f.lines_from_dram = next_number(state);
    f.from_dram_together = next_number(state);
    f.l1_bytes = next_count(state);
    f.l2_read_pieces = next_number(state);
    f.l2_lone_misses = next_number(state);
    f.prefetched_sectors = next_number(state); /* not there: 0 */
    f.prefetch_misses = next_number(state);
    return f.device && ifl_vec_push(&p->caches, f);
}

static const struct {
    const char *word;
    bool (*take)(ifl_profile *p, char **state);
} takers[] = {
    {"kernel", take_kernel}, {"program", take_program}, {"counters", take_launch_counters},
    {"line", take_line},     {"opcode", take_opcode},   {"cache", take_cache},
    {"slices", take_slices},
};

static bool take(ifl_profile *p, char *line)
{
    char *state = NULL;
    const char *word = strtok_r(line, " \n", &state);
    for (size_t i = 0; word && i < sizeof takers / sizeof *takers; i++)
        if (strcmp(word, takers[i].word) == 0)
            return takers[i].take(p, &state);
    return false;
}

ifl_profile *inputs_read(FILE *in, char *line, int size)
{
    ifl_profile *p = NULL;
    while (fgets(line, size, in)) {
        if (!p && strncmp(line, "kernel ", 7) != 0)
            return NULL;
        p = p ? p : ifl_profile_new();
        if (p)
            p->repeated = true; /* as they were measured: docs/gpu.md */
        if (strcmp(line, "end\n") == 0)
            return p;
        if (!p || !take(p, line)) {
            ifl_profile_destroy(p);
            snprintf(line, (size_t)size, "?");
            return NULL;
        }
    }
    ifl_profile_destroy(p);
    line[0] = '\0';
    return NULL;
}
