/* SPDX-License-Identifier: Apache-2.0
 * The model against measured times: reads tests/model/measured.txt, runs each launch on the engine
 * once, prints the table of docs/model.md, and fails where the model is worse than it must be. */
#include <inflight.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 256, MOST_GPUS = 8 };

typedef struct row {
    char family[32], version[32], gpu[32], set[16];
    double measured, modelled, utilization;
    const char *limiter;
} row;

typedef struct run {
    char family[32], version[32], file[160], grid[32];
    size_t first, count; /* rows */
} run;

static row rows[MOST_ROWS];
static size_t row_count;
static int failures;

static void fail(const char *what, const char *detail)
{
    printf("FAILED: %s: %s\n", what, detail);
    failures++;
}

/* Document 001's profiler counts all that naive axpy moves, three words of 2^25: 0.93 of 1344 GB/s
 * in 326 µs are 407 MB. dram_bytes lacks what stays in the L2 when the launch ends. */
static double share_of_peak(const ifl_model *m)
{
    const double all = 3 * 4.0 * (1 << 25), peak = m->dram_bytes_per_s / m->dram_utilization;
    return all / (m->time_us.mid * 1e-6) / peak;
}

/* ---- running --------------------------------------------------------------------------------- */

static void take_models(const run *r, const ifl_profile *profile, ifl_device *const *devices)
{
    for (size_t i = 0; i < r->count; i++) {
        ifl_model m;
        ifl_error error = {0};
        row *to = &rows[r->first + i];
        if (ifl_profile_model(profile, devices[i], &m, &error) != IFL_OK) {
            fail(to->gpu, error.text);
            continue;
        }
        to->modelled = m.time_us.mid;
        to->limiter = ifl_term_name(m.limiter);
        to->utilization = share_of_peak(&m); /* read for naive axpy only */
    }
}

static ifl_status run_launch(const run *r, ifl_launch *launch, ifl_device *const *devices,
                             ifl_error *error)
{
    const ifl_run_options options = {
        .repeated = true, .devices = (const ifl_device *const *)devices, .device_count = r->count};
    ifl_profile *profile = NULL;
    ifl_status status = *r->grid ? ifl_launch_set(launch, "grid", r->grid, error) : IFL_OK;
    if (status == IFL_OK)
        status = ifl_launch_run(launch, &options, &profile, error);
    if (status == IFL_OK)
        take_models(r, profile, devices);
    ifl_profile_free(profile);
    return status;
}

static void do_run(const run *r)
{
    ifl_error error = {0};
    ifl_module *module = NULL;
    ifl_launch *launch = NULL;
    ifl_device *devices[MOST_GPUS] = {NULL};
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < r->count && status == IFL_OK; i++)
        status = ifl_device_open(rows[r->first + i].gpu, &devices[i], &error);
    if (status == IFL_OK)
        status = ifl_launch_read(r->file, &module, &launch, &error);
    if (status == IFL_OK)
        status = run_launch(r, launch, devices, &error);
    if (status != IFL_OK)
        fail(r->file, error.text);
    ifl_launch_free(launch);
    ifl_module_close(module);
    for (size_t i = 0; i < r->count; i++)
        ifl_device_close(devices[i]);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void read_line(const char *line, run *r)
{
    char word[32];
    if (sscanf(line, "%31s", word) != 1 || *word == '#')
        return;
    if (strcmp(word, "launch") == 0) {
        if (r->count)
            do_run(r);
        *r = (run){.first = row_count};
        if (sscanf(line, "%*s %31s %31s %159s %31s", r->family, r->version, r->file, r->grid) < 3)
            fail("measured.txt", line);
        return;
    }
    if (row_count == MOST_ROWS || r->count == MOST_GPUS) {
        fail("measured.txt", "too many rows");
        return;
    }
    row *to = &rows[row_count];
    snprintf(to->family, sizeof to->family, "%s", r->family);
    snprintf(to->version, sizeof to->version, "%s", r->version);
    if (sscanf(line, "%31s %lf %15s", to->gpu, &to->measured, to->set) != 3)
        fail("measured.txt", line);
    row_count++;
    r->count++;
}

static bool read_file(const char *path)
{
    char line[512];
    run r = {.count = 0};
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    while (fgets(line, sizeof line, file))
        read_line(line, &r);
    if (r.count)
        do_run(&r);
    fclose(file);
    return true;
}

/* ---- judging --------------------------------------------------------------------------------- */

static double error_of(const row *r)
{
    return r->modelled / r->measured - 1;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_table(void)
{
    printf("| launch | GPU | measured µs | model µs | error | limited by | set "
           "|\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < row_count; i++)
        printf("| %s %s | %s | %.1f | %.1f | %+.1f %% | %s | %s |\n", rows[i].family,
               rows[i].version, rows[i].gpu, rows[i].measured, rows[i].modelled,
               100 * error_of(&rows[i]), rows[i].limiter ? rows[i].limiter : "", rows[i].set);
}

/* Median and worst over the rows of a GPU and, where `set` is given, of that set. */
static size_t summarise(const char *gpu, const char *set, double *median, double *worst)
{
    double errors[MOST_ROWS];
    size_t count = 0;
    for (size_t i = 0; i < row_count; i++)
        if (strcmp(rows[i].gpu, gpu) == 0 && (!set || strcmp(rows[i].set, set) == 0))
            errors[count++] = fabs(error_of(&rows[i]));
    if (!count)
        return 0;
    qsort(errors, count, sizeof *errors, by_value);
    *median = errors[count / 2];
    *worst = errors[count - 1];
    return count;
}

static void check_errors(const char *gpu, const char *set, double most_median, double most_worst)
{
    double median, worst;
    const size_t count = summarise(gpu, set, &median, &worst);
    if (!count)
        return;
    printf("%s, %s: %zu times, median error %.1f %%, worst %.1f %%\n", gpu, set ? set : "all",
           count, 100 * median, 100 * worst);
    if (median > most_median || worst > most_worst)
        fail(gpu, "the errors are larger than they may be");
}

/* Of the pairs of a family whose measured times differ by more than 5 %, how many are in order? */
static void check_order(const char *gpu, double least)
{
    size_t pairs = 0, right = 0;
    for (size_t i = 0; i < row_count; i++)
        for (size_t j = 0; j < i; j++) {
            const row *a = &rows[i], *b = &rows[j];
            if (strcmp(a->gpu, gpu) != 0 || strcmp(b->gpu, gpu) != 0 ||
                strcmp(a->family, b->family) != 0 ||
                fabs(log(a->measured / b->measured)) <= log(1.05))
                continue;
            pairs++;
            right += (a->measured < b->measured) == (a->modelled < b->modelled);
        }
    if (!pairs)
        return;
    printf("%s: %zu of %zu pairs in order\n", gpu, right, pairs);
    if ((double)right < least * (double)pairs)
        fail(gpu, "pairs out of order");
}

static void check_utilization(const char *gpu, double least, double most)
{
    for (size_t i = 0; i < row_count; i++)
        if (strcmp(rows[i].gpu, gpu) == 0 && strcmp(rows[i].version, "naive") == 0 &&
            strcmp(rows[i].family, "axpy") == 0) {
            printf("%s: naive axpy at %.1f %% of the bandwidth\n", gpu, 100 * rows[i].utilization);
            if (rows[i].utilization < least || rows[i].utilization > most)
                fail(gpu, "naive axpy's share of the bandwidth");
        }
}

int main(int count, char **words)
{
    if (count != 2 || !read_file(words[1])) {
        fprintf(stderr, "usage: model_measured measured.txt\n");
        return 2;
    }
    print_table();
    check_errors("h200", "calibrate", 0.12, 0.35);
    check_errors("h200", "judge", 0.12, 0.35);
    check_errors("b200@1155", NULL, 0.15, 0.15);
    check_order("h200", 0.95);
    check_order("b200@1155", 1);
    /* Document 001: healthy on one GPU, starved on the other. */
    check_utilization("rtx-pro-5000", 0.88, 0.95);
    check_utilization("b200@1155", 0.30, 0.45);
    return failures != 0;
}
