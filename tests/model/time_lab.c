/* SPDX-License-Identifier: Apache-2.0
 * The schedule of one SM against the times that were measured: runs the machine code of a case's
 * versions, of the followed blocks only, and takes counters and caches from the kept inputs. Prints
 * a line a version: measured, simulated.
 * usage: time_lab CASE.lab CASE.inputs GPU filled|zeros [VERSION]      zeros: floats decide nothing */
#include "inputs.h"

#include "lab/lab_api.h"
#include "session/launch.h"
#include "session/watch.h"
#include "time/time_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_LINE = 1 << 16 };

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The next kernel goes on with what the one before it left in the buffers. */
static void hand_over(ifl_launch *from, ifl_launch *to)
{
    ifl_error error = {0};
    for (size_t i = 0; from && i < ifl_launch_argument_count(from); i++) {
        ifl_launch_argument_info old, fresh;
        if (ifl_launch_argument_at(from, i, &old, &error) == IFL_OK &&
            ifl_launch_argument_at(to, i, &fresh, &error) == IFL_OK && old.is_buffer &&
            old.bytes == fresh.bytes)
            memcpy(fresh.data, old.data, old.bytes);
    }
}

/* That beside the PTX: FILE.cubin for FILE.ptx; or the case's file itself. Before anything asks for the launch's memory. */
static void choose_machine(ifl_launch *launch, const ifl_device *device, char *name, size_t size)
{
    const char *path = launch->module->path, *dot = strrchr(path, '.');
    const size_t bare = dot ? (size_t)(dot - path) : strlen(path);
    snprintf(name, size, "%.*s.cubin", (int)bare, path);
    launch->machine = name;
    launch->code = IFL_CHOOSE_MACHINE;
    launch->sm = ifl_session_target(device);
}

/* The schedule asks for addresses. Floats that decide nothing are left as the zeros that fresh memory
 * is, of which the followed blocks touch few pages. */
static void leave_floats(ifl_launch *launch)
{
    for (size_t i = 0; i < launch->arguments.count; i++) {
        ifl_argument *a = &launch->arguments.at[i];
        if (a->kind == IFL_ARGUMENT_BUFFER && a->element && a->element->class == 'F' &&
            a->fill.kind != IFL_FILL_FILE)
            a->fill.kind = IFL_FILL_ZERO;
    }
}

/* Warp instructions of a followed block by the kept inputs: those of its slice, on average. */
static double kept_work(const ifl_block_work *work, uint64_t blocks, const ifl_block_trace *block)
{
    const ifl_work_slice *slice = &work->slices[block->number * work->slice_count / blocks];
    return (double)slice->sum / fmax((double)slice->blocks, 1);
}

/* The kept inputs count the instructions of PTX. Those of machine code are in proportion, block by
 * block: without them the schedule does not know that the followed blocks have less to do than
 * others. */
static void set_work(const ifl_time_run *run, const ifl_time_traces *traces, ifl_profile *profile)
{
    enum { MOST = 4096 };
    const ifl_block_trace *blocks[MOST];
    const ifl_block_work *work = &profile->work;
    const size_t found = ifl_time_traces_all(traces, blocks, MOST),
                 count = found < MOST ? found : MOST;
    double kept = 0, followed = 0, all = 0;
    for (size_t i = 0; work->slice_count && i < count; i++) {
        kept += kept_work(work, run->plan.blocks, blocks[i]);
        followed += (double)ifl_block_trace_instructions(blocks[i], run->plan.warps_per_block);
    }
    for (uint32_t i = 0; kept > 0 && i < work->slice_count; i++) {
        work->slices[i].sum = (uint64_t)((double)work->slices[i].sum * followed / kept);
        work->slices[i].most = (uint64_t)((double)work->slices[i].most * followed / kept);
        all += (double)work->slices[i].sum;
    }
    if (kept > 0)
        ifl_counters_set(&profile->counters, IFL_COUNTER_instructions, (uint64_t)all);
}

static ifl_status follow(ifl_launch *launch, const ifl_device *device, ifl_profile *profile,
                         ifl_error *error)
{
    ifl_time_run run;
    ifl_session_result ran;
    ifl_status status = ifl_launch_prepare(launch, 2, NULL, error);
    if (status == IFL_OK)
        status = ifl_launch_ready(launch, error);
    if (status != IFL_OK)
        return status;
    const ifl_session_launch to = ifl_launch_shaped(launch);
    ifl_time_run_init(&run, &device, 1);
    const ifl_grid_demand shape = ifl_launch_demand(&to);
    ifl_time_run_shape(&run, &shape);
    const ifl_observer *const observers[] = {&run.observer};
    const ifl_session_way way = {.device = device, .only_followed = true};
    status = ifl_session_run(launch->session, &to, &way, observers, 1, &ran, error);
    if (status == IFL_OK && to.kernel->object)
        profile->machine.registers = to.kernel->registers;
    if (status == IFL_OK)
        set_work(&run, ran.result.states[0], profile);
    if (status == IFL_OK)
        status = ifl_time_run_report(&run, ran.result.states[0], &to.kernel->image.sites, profile,
                                     error);
    ifl_session_end(&ran);
    return status;
}

static void print_stalls(const ifl_time_facts *f)
{
    printf("   ");
    for (int s = 0; s < IFL_STALLS; s++)
        if (f->stalls[s] >= 0.05)
            printf(" %s=%.2f", ifl_stall_name((ifl_stall)s), f->stalls[s]);
    printf("\n");
}

static bool run_version(ifl_lab *lab, const ifl_device *device, size_t version, bool zeros,
                        FILE *in, char *line)
{
    const ifl_lab_point point = {.version = version};
    ifl_error error = {0};
    ifl_launch *before = NULL;
    char machine[1024];
    size_t kernels = 0;
    double sum = 0, cycles = 0, instructions = 0, followed = 1, formula = 0;
    const double start = seconds_now();
    ifl_status status = ifl_lab_kernel_count(lab, &point, &kernels, &error);
    for (size_t k = 0; k < kernels && status == IFL_OK; k++) {
        ifl_launch *launch = NULL;
        ifl_profile *profile = inputs_read(in, line, MOST_LINE);
        ifl_model model;
        if (!profile)
            break;
        status = ifl_lab_launch(lab, &point, k, &launch, &error);
        if (status == IFL_OK && ifl_profile_model(profile, device, &model, &error) == IFL_OK)
            formula += model.time_us.mid;
        if (status == IFL_OK) {
            choose_machine(launch, device, machine, sizeof machine);
            if (zeros)
                leave_floats(launch);
            hand_over(before, launch);
            status = follow(launch, device, profile, &error);
        }
        if (status == IFL_OK && !profile->sm_times.count)
            status = ifl_fail(&error, IFL_UNSUPPORTED, "kernel %zu was not followed", k);
        if (status == IFL_OK && profile->sm_times.count) {
            const ifl_time_facts *f = &profile->sm_times.at[0];
            if (ifl_profile_model(profile, device, &model, &error) == IFL_OK)
                sum += model.sm_time_us;
            cycles += f->cycles;
            instructions += f->instructions;
            followed = f->followed;
            printf("  # %s blocks %llu followed %.3f active %.2f |",
                   ifl_lab_version_name(lab, version), (unsigned long long)f->blocks, f->followed,
                   f->issue_active);
            print_stalls(f);
            for (size_t c = 0; c < profile->caches.count; c++) {
                const ifl_cache_facts *g = &profile->caches.at[c];
                if (strcmp(g->device, f->device) == 0)
                    printf("  # l1 hit %.3f facts %.3f | l2 sectors %.3g facts %.3g | dram read MB "
                           "%.1f facts %.1f | written %.1f dirty %.1f l2hit %.3f\n",
                           f->l1_hits / f->l1_sectors,
                           g->l1_load_hits.value / g->l1_load_sectors.value,
                           f->l2_sectors * 132 / f->followed, g->l2_read_sectors.value,
                           f->dram_sectors * 132 * 32e-6 / f->followed,
                           g->dram_read_bytes.value * 1e-6, g->dram_write_bytes.value * 1e-6,
                           g->dirty_bytes.value * 1e-6, 1 - g->lines_from_dram);
            }
        }
        ifl_profile_destroy(profile);
        ifl_launch_free(before);
        before = launch;
    }
    ifl_launch_free(before);
    if (status != IFL_OK)
        fprintf(stderr, "%s: %s\n", ifl_lab_version_name(lab, version), error.text);
    printf("row %s %.3f formula %.3f cycles %.0f instr %.0f followed %.3f took %.1f\n",
           ifl_lab_version_name(lab, version), sum, formula, cycles, instructions, followed,
           seconds_now() - start);
    fflush(stdout);
    return status == IFL_OK;
}

int main(int count, char **words)
{
    static char line[MOST_LINE];
    ifl_error error = {0};
    ifl_lab *lab = NULL;
    ifl_device *device = NULL;
    FILE *in = count >= 5 ? fopen(words[2], "r") : NULL;
    if (!in || ifl_lab_open(words[1], &lab, &error) != IFL_OK ||
        ifl_device_open(words[3], &device, &error) != IFL_OK) {
        fprintf(stderr, "usage: time_lab CASE.lab CASE.inputs GPU filled|zeros [VERSION]\n%s\n",
                error.text);
        return 2;
    }
    bool fine = true, is_fresh = false;
    for (;;) {
        ifl_profile *p = is_fresh ? NULL : inputs_read(in, line, MOST_LINE);
        is_fresh = false;
        if (p)
            ifl_profile_destroy(p);
        char version[64];
        if (!p && strncmp(line, "row ", 4) == 0 && sscanf(line + 4, "%63s", version) == 1) {
            const size_t v = ifl_lab_version_find(lab, version);
            if (count < 6 || strcmp(words[5], version) == 0)
                fine &= run_version(lab, device, v, strcmp(words[4], "zeros") == 0, in, line);
        } else if (!p && line[0] != '#') {
            break;
        }
    }
    fclose(in);
    ifl_lab_close(lab);
    ifl_device_close(device);
    return fine ? 0 : 1;
}
