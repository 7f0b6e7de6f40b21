/* SPDX-License-Identifier: Apache-2.0
 * Runs the launches that a GPU ran and compares every counter with what the GPU counted. Knows the
 * public header and the text of the fixtures; needs no GPU.
 *
 *     gpu_replay [--machine CUBINS] FOLDER LAUNCHES    exit status 0: every counter is equal or explained, 1: not
 *
 * FOLDER/counters.txt    counters_table.h, names as in tests/gpu/metrics.txt
 * FOLDER/explained.txt   FILE LAUNCH-INDEX NAME GPU-VALUE ENGINE-VALUE CAUSE...; with NAME "unsupported" a launch of
 *                        machine code that the engine has no code for
 *
 * With --machine the kernels' machine code runs: that of a.ptx is CUBINS/a.sm_90.cubin, that of a
 * launch of the lab lies beside its PTX, or is its file and has the PTX with it. Instructions, lanes
 * and branches are compared too, and
 * explained-machine.txt takes the place of explained.txt.
 *
 * A launch file without a folder is one of LAUNCHES: `inflight lab --reduced --write-launches` made it.
 * An explanation holds for these two values only and must be needed: an old one is a failure. */
#include "counters_table.h"
#include "expect.h"
#include "inflight.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 64, MAX_PARTS = 4 };

/* A line of counters.txt (`engine` unused) or of explained.txt (`kernel` unused). */
typedef struct row {
    int line;
    char file[128], kernel[128], name[64];
    size_t index; /* of the launch in its file */
    uint64_t gpu, engine;
    bool is_used;
} row;

typedef struct table {
    char path[256];
    row *rows;
    size_t count;
} table;

typedef struct tally {
    char name[64];
    int equal, explained, different;
} tally;

typedef struct replay {
    const char *folder; /* of launch files without one */
    const char *cubins; /* NULL: PTX runs */
    table counters, explained;
    tally tallies[MAX_NAMES];
    size_t tally_count;
    int launches, failures, left_out;
} replay;

/* One launch on the engine. */
typedef struct trial {
    ifl_module *module;
    ifl_launch *launch;
    ifl_profile *profile;
    ifl_error error;
} trial;

static void fail(replay *r, const table *t, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void fail(replay *r, const table *t, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s:%d: ", t->path, line);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    r->failures++;
}

/* ---- the fixtures ------------------------------------------------------------------------ */

/* A cause of one word explains nothing. */
static bool read_explanation(const char *text, row *out)
{
    int end = 0;
    return sscanf(text, "%127s %zu %63s %" SCNu64 " %" SCNu64 " %*s %*s %n", out->file, &out->index,
                  out->name, &out->gpu, &out->engine, &end) == 5 &&
           end;
}

static row *add_row(table *t)
{
    if ((t->count & (t->count - 1)) == 0) {
        row *more = realloc(t->rows, (t->count ? 2 * t->count : 1) * sizeof *more);
        if (!more)
            return NULL;
        t->rows = more;
    }
    return memset(&t->rows[t->count++], 0, sizeof *t->rows);
}

static bool keep_counter(void *user, const gpu_counter *c)
{
    row *next = add_row(user);
    if (!next)
        return false;
    *next = (row){.line = c->line, .index = c->index, .gpu = c->value};
    snprintf(next->file, sizeof next->file, "%s", c->file);
    snprintf(next->kernel, sizeof next->kernel, "%s", c->kernel);
    snprintf(next->name, sizeof next->name, "%s", c->name);
    return true;
}

static void read_counters(replay *r, const char *folder)
{
    table *t = &r->counters;
    snprintf(t->path, sizeof t->path, "%s/counters.txt", folder);
    const int bad = gpu_counters_read(t->path, keep_counter, t);
    if (bad)
        fail(r, t, bad, "cannot be read");
}

static void read_explanations(replay *r, const char *folder)
{
    char text[1024];
    table *t = &r->explained;
    snprintf(t->path, sizeof t->path, "%s/%s.txt", folder,
             r->cubins ? "explained-machine" : "explained");
    FILE *file = fopen(t->path, "r");
    if (!file) {
        fail(r, t, 0, "cannot be read");
        return;
    }
    for (int line = 1; fgets(text, sizeof text, file); line++) {
        if (text[0] == '#' || text[0] == '\n')
            continue;
        row *next = add_row(t);
        if (!next || !read_explanation(text, next))
            fail(r, t, line, "cannot be read: %s", text);
        else
            next->line = line;
    }
    fclose(file);
}

/* ---- the engine -------------------------------------------------------------------------- */

static ifl_status set(trial *t, ifl_status status, const char *key, const char *value)
{
    return status == IFL_OK && value ? ifl_launch_set(t->launch, key, value, &t->error) : status;
}

static ifl_status open_expected(trial *t, const char *path, const ifl_expect_launch *l)
{
    ifl_status status = ifl_module_open(path, NULL, &t->module, &t->error);
    if (status == IFL_OK)
        status = ifl_launch_new(t->module, l->kernel, &t->launch, &t->error);
    status = set(t, status, "grid", l->grid ? l->grid : "1");
    status = set(t, status, "block", l->block ? l->block : "32");
    status = set(t, status, "shared", l->shared);
    for (size_t i = 0; i < l->arg_count; i++)
        status = set(t, status, "arg", l->args[i]);
    return status;
}

/* The launch of that index in a .ptx file. It must still be the launch that the GPU ran. */
static ifl_status open_ptx(trial *t, const row *is)
{
    ifl_expect_file file;
    ifl_status status = IFL_BAD_INPUT;
    bool is_read = ifl_expect_read(is->file, &file);
    const ifl_expect_launch *l =
        is_read && is->index < file.launch_count ? &file.launches[is->index] : NULL;
    if (l && l->kernel && strcmp(l->kernel, is->kernel) == 0)
        status = open_expected(t, is->file, l);
    else
        snprintf(t->error.text, sizeof t->error.text, "the file has no such launch %s",
                 file.message);
    ifl_expect_free(&file);
    return status;
}

/* "a/b.ptx" and "c" -> "c/b.sm_90.cubin" */
static void cubin_of(const char *ptx, const char *folder, char *to, size_t size)
{
    const char *slash = strrchr(ptx, '/'), *name = slash ? slash + 1 : ptx,
               *end = strrchr(name, '.');
    snprintf(to, size, "%s/%.*s.sm_90.cubin", folder, (int)(end - name), name);
}

/* The line "file = FOLDER/NAME.ptx" of a launch file, that ending asked for -> FOLDER/NAME.cubin. */
static bool cubin_of_launch(const char *launch, const char *ending, char *to, size_t size)
{
    char line[4096];
    FILE *in = fopen(launch, "r");
    bool found = false;
    while (in && !found && fgets(line, sizeof line, in)) {
        char *end = strstr(line, ending);
        found = strncmp(line, "file = ", 7) == 0 && end;
        if (found)
            snprintf(to, size, "%.*s.cubin", (int)(end - line - 7), line + 7);
    }
    if (in)
        fclose(in);
    return found;
}

static ifl_status open_launch(const replay *r, trial *t, const row *is)
{
    char path[4096], cubin[4096];
    const char *end = strrchr(is->file, '.');
    if (!end || strcmp(end, ".launch") != 0) {
        const ifl_status status = open_ptx(t, is);
        cubin_of(is->file, r->cubins ? r->cubins : "", cubin, sizeof cubin);
        return set(t, status, "machine", r->cubins ? cubin : NULL);
    }
    snprintf(path, sizeof path, "%s%s%s", strchr(is->file, '/') ? "" : r->folder,
             strchr(is->file, '/') ? "" : "/", is->file);
    ifl_status status = ifl_launch_read(path, &t->module, &t->launch, &t->error);
    const bool has_cubin = r->cubins && cubin_of_launch(path, ".ptx", cubin, sizeof cubin);
    const bool has_ptx = !r->cubins && cubin_of_launch(path, ".cubin", cubin, sizeof cubin);
    status = set(t, status, "code", has_cubin ? "machine" : has_ptx ? "ptx" : NULL);
    return set(t, status, "machine", has_cubin ? cubin : NULL);
}

static void close_trial(trial *t)
{
    if (t->profile)
        ifl_profile_free(t->profile);
    if (t->launch)
        ifl_launch_free(t->launch);
    if (t->module)
        ifl_module_close(t->module);
}

/* ---- comparison -------------------------------------------------------------------------- */

/* Nsight Compute's source counters do not tell loads from stores. */
static const struct {
    const char *name;
    const char *parts[MAX_PARTS];
} sums[] = {
    {"fact:instructions", {"instructions"}},
    {"fact:thread_instructions", {"thread_instructions"}},
    {"fact:thread_instructions_on", {"thread_instructions_on"}},
    {"fact:branches", {"branches"}},
    {"fact:divergent_branches", {"divergent_branches"}},
    {"sum:global_loads_executed", {"global_load_requests"}},
    {"sum:global_stores_executed", {"global_store_requests"}},
    {"sum:global_atomics_executed", {"global_atomic_requests"}},
    {"sum:shared_load_wavefronts", {"shared_load_wavefronts"}},
    {"sum:shared_store_wavefronts", {"shared_store_wavefronts"}},
    {"sum:shared_atomic_wavefronts", {"shared_atomic_wavefronts"}},
    {"sum:shared_wavefronts",
     {"shared_load_wavefronts", "shared_store_wavefronts", "shared_atomic_wavefronts",
      "shared_product_wavefronts"}},
    {"sum:shared_wavefronts_ideal",
     {"shared_load_wavefronts_ideal", "shared_store_wavefronts_ideal",
      "shared_atomic_wavefronts_ideal", "shared_product_wavefronts"}},
    {"sum:global_sectors",
     {"global_load_sectors", "global_store_sectors", "global_atomic_sectors_touched"}},
    {"sum:global_sectors_ideal",
     {"global_load_sectors_ideal", "global_store_sectors_ideal", "global_atomic_sectors_ideal"}},
};

/* Copies whose lanes all fill with zeros store to shared memory and ask nothing of global memory,
 * which l1tex counts; smsp__sass_inst_executed_op_ldgsts counts them as well. */
static uint64_t copies_of_zeros(const ifl_profile *profile)
{
    uint64_t copies = 0, loads, stores;
    for (size_t i = 0; i < ifl_profile_line_count(profile); i++)
        if (ifl_profile_line_counter(profile, i, "global_load_requests", &loads) &&
            ifl_profile_line_counter(profile, i, "shared_store_requests", &stores) &&
            stores > loads)
            copies += stores - loads;
    return copies;
}

static bool engine_value(const ifl_profile *profile, const char *name, uint64_t *out)
{
    const char *const alone[MAX_PARTS] = {name};
    const char *const *parts = alone;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (strcmp(sums[i].name, name) == 0)
            parts = sums[i].parts;
    *out = 0;
    for (size_t i = 0; i < MAX_PARTS && parts[i]; i++) {
        uint64_t value = 0;
        if (!ifl_profile_counter(profile, parts[i], &value))
            return false;
        *out += value;
    }
    if (strcmp(name, "sum:global_loads_executed") == 0)
        *out += copies_of_zeros(profile);
    return true;
}

static bool is_explained(replay *r, const row *is, uint64_t engine)
{
    for (size_t i = 0; i < r->explained.count; i++) {
        row *e = &r->explained.rows[i];
        if (strcmp(e->file, is->file) == 0 && e->index == is->index &&
            strcmp(e->name, is->name) == 0 && e->gpu == is->gpu && e->engine == engine)
            return e->is_used = true;
    }
    return false;
}

/* "FILE INDEX unsupported 0 0 CAUSE" */
static bool is_left_out(replay *r, const row *is)
{
    for (size_t i = 0; i < r->explained.count; i++) {
        row *e = &r->explained.rows[i];
        if (strcmp(e->file, is->file) == 0 && e->index == is->index &&
            strcmp(e->name, "unsupported") == 0)
            return e->is_used = true;
    }
    return false;
}

static tally *tally_of(replay *r, const char *name)
{
    for (size_t i = 0; i < r->tally_count; i++)
        if (strcmp(r->tallies[i].name, name) == 0)
            return &r->tallies[i];
    if (r->tally_count == MAX_NAMES)
        return &r->tallies[MAX_NAMES - 1];
    tally *t = &r->tallies[r->tally_count++];
    snprintf(t->name, sizeof t->name, "%s", name);
    return t;
}

static void compare(replay *r, const row *is, const ifl_profile *profile)
{
    uint64_t engine = 0;
    tally *t = tally_of(r, is->name);
    bool is_known = engine_value(profile, is->name, &engine);
    if (is_known && engine == is->gpu) {
        t->equal++;
    } else if (is_known && is_explained(r, is, engine)) {
        t->explained++;
    } else {
        t->different++;
        if (is_known)
            fail(r, &r->counters, is->line, "%s: the engine counts %" PRIu64 ", the GPU %" PRIu64,
                 is->name, engine, is->gpu);
        else
            fail(r, &r->counters, is->line, "the engine does not know %s", is->name);
    }
}

static bool is_same_launch(const row *a, const row *b)
{
    return strcmp(a->file, b->file) == 0 && a->index == b->index &&
           strcmp(a->kernel, b->kernel) == 0;
}

/* Facts are told apart from counters: only machine code has what they count. */
static bool is_compared(const replay *r, const char *name)
{
    static const char *const of_machine_code[] = {"fact:instructions", "fact:thread_instructions",
                                                  "fact:thread_instructions_on", "fact:branches",
                                                  "fact:divergent_branches"};
    if (strncmp(name, "fact:", 5) != 0)
        return true;
    for (size_t i = 0; r->cubins && i < sizeof of_machine_code / sizeof *of_machine_code; i++)
        if (strcmp(name, of_machine_code[i]) == 0)
            return true;
    return false;
}

/* The rows from `first` on that belong to one launch; returns how many. */
static size_t replay_launch(replay *r, size_t first)
{
    trial t = {0};
    const row *is = &r->counters.rows[first];
    size_t end = first;
    ifl_status status = open_launch(r, &t, is);
    if (status == IFL_OK)
        status = ifl_launch_run(t.launch, NULL, &t.profile, &t.error);
    if (status == IFL_UNSUPPORTED && r->cubins && is_left_out(r, is))
        r->left_out++;
    else if (status != IFL_OK)
        fail(r, &r->counters, is->line, "%s %zu: %s: %s", is->file, is->index,
             ifl_status_text(status), t.error.text);
    r->launches++;
    for (; end < r->counters.count && is_same_launch(is, &r->counters.rows[end]); end++)
        if (status == IFL_OK && is_compared(r, r->counters.rows[end].name))
            compare(r, &r->counters.rows[end], t.profile);
    close_trial(&t);
    return end - first;
}

static void report_unused(replay *r)
{
    for (size_t i = 0; i < r->explained.count; i++)
        if (!r->explained.rows[i].is_used)
            fail(r, &r->explained, r->explained.rows[i].line, "explains no difference");
}

static void report(const replay *r)
{
    int compared = 0;
    printf("%-28s %6s %10s %10s\n", "counter", "equal", "explained", "different");
    for (size_t i = 0; i < r->tally_count; i++) {
        const tally *t = &r->tallies[i];
        printf("%-28s %6d %10d %10d\n", t->name, t->equal, t->explained, t->different);
        compared += t->equal + t->explained + t->different;
    }
    printf("%d launches, %d left out, %d counters compared, %d failures\n", r->launches,
           r->left_out, compared, r->failures);
}

int main(int count, char **words)
{
    static replay r;
    if (count == 5 && strcmp(words[1], "--machine") == 0) {
        r.cubins = words[2];
        count -= 2, words += 2;
    }
    if (count != 3) {
        fprintf(stderr, "usage: gpu_replay [--machine CUBINS] FOLDER LAUNCHES\n");
        return 2;
    }
    r.folder = words[2];
    read_counters(&r, words[1]);
    read_explanations(&r, words[1]);
    for (size_t i = 0; i < r.counters.count;)
        i += replay_launch(&r, i);
    if (r.launches)
        report_unused(&r);
    else
        fail(&r, &r.counters, 0, "nothing to replay");
    report(&r);
    free(r.counters.rows);
    free(r.explained.rows);
    return r.failures != 0;
}
