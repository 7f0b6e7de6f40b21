/* SPDX-License-Identifier: Apache-2.0
 * The formula for PTX against what lab/ holds: times of an H200, and the ratios that were published.
 * Reads the kept inputs of the cases in lab.txt, prints the tables of docs/model.md, and fails
 * where the model is worse than it was.
 * usage: model_lab ROOT [terms]      terms: of each row */
#include "inputs.h"

#include "lab/lab_api.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 400, MOST_KERNELS = 16, MOST_LINE = 1 << 16, MOST_DEVICES = 16 };

/* Constants were chosen by a row, or it judges them, or nobody had looked at it. */
typedef enum row_set { CALIBRATE, JUDGE, UNSEEN, SETS } row_set;
static const struct {
    const char *name, *folder;
    double most_median, least_close; /* errors: the median; the share within 35 % */
} sets[SETS] = {
    [CALIBRATE] = {"calibrate", "lab", 0.12, 1},
    [JUDGE] = {"judge", "lab", 0.12, 0.99}, /* 114 of 115: bank-width split_8 is 39 % too fast */
    [UNSEEN] = {"unseen", "tests/model", 0.1, 0.93},
};

typedef struct row {
    char family[64], version[64];
    size_t index, baseline; /* versions of its case */
    row_set set;
    bool is_left_out;
    double measured, dram; /* H200: microseconds; share of the DRAM's peak; 0: not known */
    ifl_profile *kernels[MOST_KERNELS];
    size_t kernel_count;
    double modelled;
    const char *limiter;
    ifl_model model; /* of the longest kernel */
} row;

typedef struct held {
    row rows[MOST_ROWS];
    size_t count;
    ifl_lab *labs[64];
    size_t lab_of[MOST_ROWS], lab_count;
    int failures;
    bool in_full;
} held;

static void fail(held *h, const char *what, const char *detail)
{
    printf("FAILED: %s: %s\n", what, detail);
    h->failures++;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void find_versions(row *r, const ifl_lab *lab)
{
    r->index = ifl_lab_version_find(lab, r->version);
    const char *baseline = ifl_lab_text(lab, r->index, "baseline");
    r->baseline = baseline ? ifl_lab_version_find(lab, baseline) : 0;
}

static void read_inputs(held *h, const char *path, const char *family, row_set set)
{
    char line[MOST_LINE];
    FILE *in = fopen(path, "r");
    if (!in) {
        fail(h, path, "cannot be read");
        return;
    }
    for (;;) {
        ifl_profile *p = inputs_read(in, line, sizeof line);
        row *r = &h->rows[h->count ? h->count - 1 : 0];
        if (p && h->count && r->kernel_count < MOST_KERNELS)
            r->kernels[r->kernel_count++] = p;
        else if (!p && strncmp(line, "row ", 4) == 0 && h->count < MOST_ROWS) {
            r = &h->rows[h->count];
            snprintf(r->family, sizeof r->family, "%s", family);
            sscanf(line + 4, "%63s", r->version);
            r->set = set;
            h->lab_of[h->count++] = h->lab_count - 1;
            find_versions(r, h->labs[h->lab_count - 1]);
        } else if (!p && line[0] != '#') {
            break;
        }
    }
    if (line[0])
        fail(h, path, line);
    fclose(in);
}

static row *find_row(held *h, const char *family, const char *version)
{
    for (size_t i = 0; i < h->count; i++)
        if (strcmp(h->rows[i].family, family) == 0 && strcmp(h->rows[i].version, version) == 0)
            return &h->rows[i];
    return NULL;
}

static void read_measured(held *h, const char *path, const char *family)
{
    char line[MOST_LINE], version[64];
    row *r = NULL;
    FILE *in = fopen(path, "r");
    while (in && fgets(line, sizeof line, in)) {
        if (sscanf(line, "row = %63s", version) == 1)
            r = strchr(line + 6, '=') ? NULL : find_row(h, family, version);
        if (r) {
            sscanf(line, "time_us = %lf", &r->measured);
            sscanf(line, "dram_utilization = %lf", &r->dram);
        }
    }
    if (in)
        fclose(in);
}

static void leave_out(held *h, const char *family, const char *version)
{
    row *r = find_row(h, family, version);
    if (r)
        r->is_left_out = true;
    else
        fail(h, version, "is no version that is held");
}

/* SETS: there is none. */
static row_set set_named(const char *word)
{
    row_set set = 0;
    while (set < SETS && strcmp(sets[set].name, word) != 0)
        set++;
    return set;
}

static void read_case(held *h, const char *root, const char *family, row_set set)
{
    if (set == SETS) {
        fail(h, family, "its set is unknown");
        return;
    }
    char path[600];
    const char *folder = sets[set].folder;
    ifl_error error = {0};
    snprintf(path, sizeof path, "%s/%s/%s/%s.lab", root, folder, family, family);
    if (ifl_lab_open(path, &h->labs[h->lab_count], &error) != IFL_OK) {
        fail(h, path, error.text);
        return;
    }
    h->lab_count++;
    snprintf(path, sizeof path, "%s/tests/model/inputs/%s.inputs", root, family);
    read_inputs(h, path, family, set);
    snprintf(path, sizeof path, "%s/%s/%s/%s.h200.txt", root, folder, family, family);
    read_measured(h, path, family);
}

/* ---- modelling ------------------------------------------------------------------------------- */

/* Microseconds; below 0 where a block does not fit. */
static double model_time(const row *r, const ifl_device *device, ifl_model *longest)
{
    double sum = 0;
    for (size_t i = 0; i < r->kernel_count; i++) {
        ifl_model m;
        ifl_error error = {0};
        if (ifl_profile_model(r->kernels[i], device, &m, &error) != IFL_OK)
            return -1;
        if (!i || m.time_us.mid > longest->time_us.mid)
            *longest = m;
        sum += m.time_us.mid;
    }
    return r->kernel_count ? sum : -1;
}

static void model_rows(held *h)
{
    ifl_error error = {0};
    ifl_device *device = NULL;
    if (ifl_device_open("h200", &device, &error) != IFL_OK)
        fail(h, "h200", error.text);
    for (size_t i = 0; device && i < h->count; i++) {
        row *r = &h->rows[i];
        r->modelled = model_time(r, device, &r->model);
        r->limiter = ifl_term_name(r->model.limiter);
    }
    ifl_device_close(device);
}

/* ---- judging times --------------------------------------------------------------------------- */

static bool is_held(const row *r)
{
    return r->measured > 0 && r->modelled > 0 && !r->is_left_out;
}

static const char *set_of(const row *r)
{
    return r->is_left_out ? "not modelled" : sets[r->set].name;
}

static double error_of(const row *r)
{
    return r->modelled / r->measured - 1;
}

static void print_terms(const row *r)
{
    printf("   ");
    for (int t = 0; t < IFL_TERM_COUNT; t++)
        printf(" %s=%.1f", ifl_term_name((ifl_term)t), r->model.term_us[t]);
    printf(" occ=%d/%.2f waits=%.1f lat=%.0f dram=%.2f/%.2f waves=%.2f regs=%d\n",
           r->model.occupancy.blocks_per_sm, r->model.occupancy.theoretical,
           r->model.waits_per_warp, r->model.latency_ns, r->model.dram_utilization, r->dram,
           r->model.waves.waves, r->model.registers);
}

static void print_times(const held *h)
{
    printf("| kernel | measured µs | model µs | error | limited by | set |\n"
           "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < h->count; i++) {
        const row *r = &h->rows[i];
        if (r->measured <= 0 || r->modelled <= 0)
            continue;
        printf("| %s %s | %.1f | %.1f | %+.0f %% | %s | %s |\n", r->family, r->version, r->measured,
               r->modelled, 100 * error_of(r), r->limiter, set_of(r));
        if (h->in_full)
            print_terms(r);
    }
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void judge_errors(held *h, row_set set)
{
    double errors[MOST_ROWS];
    size_t count = 0, close = 0;
    for (size_t i = 0; i < h->count; i++)
        if (is_held(&h->rows[i]) && h->rows[i].set == set)
            errors[count++] = fabs(error_of(&h->rows[i]));
    if (!count)
        return;
    qsort(errors, count, sizeof *errors, by_value);
    for (size_t i = 0; i < count; i++)
        close += errors[i] <= 0.35;
    printf("%s: %zu times, median error %.1f %%, worst %.0f %%, %zu within 35 %%\n", sets[set].name,
           count, 100 * errors[count / 2], 100 * errors[count - 1], close);
    if (errors[count / 2] > sets[set].most_median ||
        (double)close < sets[set].least_close * (double)count)
        fail(h, sets[set].name, "the errors are larger than they may be");
}

/* Of versions of a case; of the unseen ones, which are many problems, of those with the same
 * baseline. */
static bool is_pair(const held *h, size_t i, size_t j)
{
    const row *a = &h->rows[i], *b = &h->rows[j];
    return is_held(a) && is_held(b) && h->lab_of[i] == h->lab_of[j] &&
           (a->set != UNSEEN || a->baseline == b->baseline) &&
           fabs(log(a->measured / b->measured)) > log(1.05);
}

static void judge_order(held *h, bool unseen, double least)
{
    size_t pairs = 0, right = 0;
    for (size_t f = 0; f < h->lab_count; f++) {
        size_t own = 0, own_right = 0;
        for (size_t i = 0; i < h->count; i++)
            for (size_t j = 0; j < i; j++) {
                if (h->lab_of[i] != f || (h->rows[i].set == UNSEEN) != unseen || !is_pair(h, i, j))
                    continue;
                const row *a = &h->rows[i], *b = &h->rows[j];
                const bool is_right = (a->measured < b->measured) == (a->modelled < b->modelled);
                own++;
                own_right += is_right;
            }
        if (h->in_full && own != own_right)
            printf("  %s: %zu of %zu\n", ifl_lab_name(h->labs[f]), own_right, own);
        pairs += own;
        right += own_right;
    }
    printf("%s%zu of %zu pairs in order, %.1f %%\n", unseen ? "unseen: " : "", right, pairs,
           100 * (double)right / (double)(pairs ? pairs : 1));
    if ((double)right < least * (double)pairs)
        fail(h, "pairs", "out of order");
}

/* Nsight Compute leaves no doubt where the DRAM is busy nearly all of the time, or hardly. (At 77 %
 * the L2's tags can be as busy: lookup lanes.) */
static void judge_limiter(held *h, bool unseen, double least)
{
    static const double busy = 0.80, idle = 0.30;
    size_t clear = 0, right = 0;
    for (size_t i = 0; i < h->count; i++) {
        const row *r = &h->rows[i];
        if (!is_held(r) || (r->set == UNSEEN) != unseen ||
            (r->dram < busy && (r->dram > idle || r->dram == 0)))
            continue;
        const bool is_dram = r->model.limiter == IFL_TERM_DRAM;
        clear++;
        right += is_dram == (r->dram >= busy);
        if (is_dram != (r->dram >= busy))
            printf("  %s %s: DRAM busy %.0f %%, the model says %s\n", r->family, r->version,
                   100 * r->dram, r->limiter);
    }
    printf("%slimiter: %zu of %zu clear ones\n", unseen ? "unseen: " : "", right, clear);
    if ((double)right < least * (double)clear)
        fail(h, "limiter", "not as counted");
}

/* ---- judging published ratios ---------------------------------------------------------------- */

typedef struct asked {
    char name[64];
    ifl_device *device;
} asked;

static ifl_device *device_named(const ifl_lab *lab, const char *name)
{
    static asked devices[MOST_DEVICES];
    static size_t count;
    char key[80];
    ifl_error error = {0};
    snprintf(key, sizeof key, "gpu.%s", name);
    const char *told = ifl_lab_text(lab, IFL_LAB_COMMON, key);
    const char *full = told ? told : name;
    for (size_t i = 0; i < count; i++)
        if (strcmp(devices[i].name, full) == 0)
            return devices[i].device;
    if (count == MOST_DEVICES || ifl_device_open(full, &devices[count].device, &error) != IFL_OK)
        return NULL;
    snprintf(devices[count].name, sizeof devices->name, "%s", full);
    return devices[count++].device;
}

static bool published(const ifl_lab *lab, size_t version, const char *gpu, const char *metric,
                      double *value)
{
    const ifl_lab_point point = {.version = version};
    ifl_lab_figure f;
    ifl_error error = {0};
    bool found = true;
    for (size_t i = 0; found; i++) {
        if (ifl_lab_figure_at(lab, &point, IFL_LAB_PUBLISHED, i, &f, &found, &error) != IFL_OK)
            return false;
        if (found && strcmp(f.gpu, gpu) == 0 && strcmp(f.metric, metric) == 0) {
            *value = f.value;
            return true;
        }
    }
    return false;
}

/* A speedup, or what follows from times or rates of a version and its baseline. */
static bool published_ratio(const ifl_lab *lab, size_t version, size_t base, const char *gpu,
                            double *ratio)
{
    double a, b;
    if (published(lab, version, gpu, "speedup", ratio))
        return true;
    if (published(lab, version, gpu, "time_us", &a) && published(lab, base, gpu, "time_us", &b))
        *ratio = b / a;
    else if (published(lab, version, gpu, "useful_gb_per_s", &a) &&
             published(lab, base, gpu, "useful_gb_per_s", &b))
        *ratio = a / b;
    else
        return false;
    return true;
}

typedef struct tally {
    size_t ratios, close;
} tally;

static void judge_ratio(held *h, const row *r, const char *gpu, tally *t)
{
    const ifl_lab *lab = h->labs[h->lab_of[r - h->rows]];
    const row *from = find_row(h, r->family, ifl_lab_version_name(lab, r->baseline));
    const ifl_device *device = device_named(lab, gpu);
    double ratio;
    ifl_model m[2];
    if (r->baseline == r->index || !from || !device ||
        !published_ratio(lab, r->index, r->baseline, gpu, &ratio))
        return;
    const double before = model_time(from, device, &m[0]), after = model_time(r, device, &m[1]);
    const double modelled = before > 0 && after > 0 ? before / after : 0;
    t->ratios++;
    t->close += fabs(modelled / ratio - 1) <= 0.25;
    printf("| %s %s | %s | %.2f | %.2f | %+.0f %% |\n", r->family, r->version, gpu, ratio, modelled,
           100 * (modelled / ratio - 1));
    if (h->in_full) {
        row full = *from;
        full.model = m[0];
        print_terms(&full);
        full.model = m[1];
        print_terms(&full);
    }
}

static void judge_ratios(held *h, double least)
{
    static const char *const gpus[] = {"m2090", "k10", "k20x", "k40c", "a100-40", "b200"};
    tally t = {0};
    printf("\n| speedup | GPU | published | model | error |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < h->count; i++)
        for (size_t g = 0; g < sizeof gpus / sizeof *gpus; g++)
            judge_ratio(h, &h->rows[i], gpus[g], &t);
    printf("%zu of %zu published ratios within 25 %%\n", t.close, t.ratios);
    if ((double)t.close < least * (double)t.ratios)
        fail(h, "ratios", "fewer than have to be");
}

int main(int count, char **words)
{
    static held h;
    char family[64], version[64], word[16], path[512], line[200];
    if (count < 2)
        return 2;
    h.in_full = count > 2 && strcmp(words[2], "terms") == 0;
    snprintf(path, sizeof path, "%s/tests/model/lab.txt", words[1]);
    FILE *list = fopen(path, "r");
    while (list && fgets(line, sizeof line, list))
        if (sscanf(line, "without %63s %63s", family, version) == 2)
            leave_out(&h, family, version);
        else if (line[0] != '#' && sscanf(line, "%63s %15s", family, word) == 2 &&
                 strcmp(word, "schedule") != 0) /* what time_lab alone holds */
            read_case(&h, words[1], family, set_named(word));
    if (list)
        fclose(list);
    model_rows(&h);
    print_times(&h);
    for (int set = 0; set < SETS; set++)
        judge_errors(&h, (row_set)set);
    judge_order(&h, false, 0.95);
    judge_order(&h, true, 0.9);
    judge_limiter(&h, false, 1);
    judge_limiter(&h, true, 0.95);
    judge_ratios(&h, 0.75);
    return h.failures != 0;
}
