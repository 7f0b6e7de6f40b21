/* SPDX-License-Identifier: Apache-2.0
 * inflight devices and inflight occupancy: the GPUs that are known, and how many blocks they hold. */
#include "commands.h"
#include "terminal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int end_with(ifl_status status, const ifl_error *error)
{
    return status == IFL_OK ? 0 : ifl_cli_fail(error);
}

/* ---- devices --------------------------------------------------------------------------------- */

typedef struct devices_words {
    bool fields, probe;
    int device;
} devices_words;

static ifl_status set_fields(void *user, const char *value, ifl_error *error)
{
    (void)value;
    (void)error;
    ((devices_words *)user)->fields = true;
    return IFL_OK;
}

static ifl_status set_probe(void *user, const char *value, ifl_error *error)
{
    (void)value;
    (void)error;
    ((devices_words *)user)->probe = true;
    return IFL_OK;
}

static ifl_status set_device(void *user, const char *value, ifl_error *error)
{
    return ifl_cli_number("--device", value, 0, 255, &((devices_words *)user)->device, error);
}

static const ifl_cli_option devices_options[] = {
    {0, "fields", NULL, "list what a description can hold", set_fields},
    {0, "probe", NULL,
     "measure the GPU of this machine, and write its description: about a minute", set_probe},
    {0, "device", "N", "which GPU to probe, as nvidia-smi numbers them (0)", set_device},
};

static ifl_status print_device(const char *name, ifl_error *error)
{
    ifl_device *device;
    ifl_status status = ifl_device_open(name, &device, error);
    if (status == IFL_OK) {
        status = ifl_devices_write(device, stdout, error);
        ifl_device_close(device);
    }
    return status;
}

static ifl_status probe(int device, ifl_error *error)
{
    ifl_gpu *gpu;
    ifl_status status = ifl_gpu_open(device, &gpu, error);
    if (status == IFL_OK) {
        status = ifl_device_probe(gpu, stdout, error);
        ifl_gpu_close(gpu);
    }
    return status;
}

static int run_devices(int word_count, char **words)
{
    ifl_error error = {0};
    devices_words asked = {0};
    bool help = false;
    int first = 0;
    ifl_status status =
        ifl_cli_parse(&ifl_cli_devices, word_count, words, &asked, &first, &help, &error);
    if (status != IFL_OK || help)
        return end_with(status, &error);
    if (asked.probe)
        status = probe(asked.device, &error);
    else if (asked.fields)
        status = ifl_device_fields_write(stdout, &error);
    else if (first == word_count)
        status = ifl_devices_write(NULL, stdout, &error);
    for (int i = first; i < word_count && status == IFL_OK && !asked.fields; i++)
        status = print_device(words[i], &error);
    return end_with(status, &error);
}

const ifl_cli_command ifl_cli_devices = {
    .name = "devices",
    .usage = {"[NAME...]", "--fields", "--probe [--device N] > MINE.gpu", NULL},
    .summary = "list the GPUs that are known, with the source of every figure",
    .text = "A NAME is one of the list, a file PATH.gpu, or a file of your own in "
            "$XDG_CONFIG_HOME/inflight/devices (~/.config/inflight/devices).",
    .examples = {"inflight devices h200"},
    .options = devices_options,
    .option_count = sizeof devices_options / sizeof *devices_options,
    .run = run_devices,
};

/* ---- occupancy ------------------------------------------------------------------------------- */

enum { MOST_DEVICES = 256 };

typedef struct occupancy_words {
    ifl_occupancy_request request;
    ifl_device *devices[MOST_DEVICES];
    size_t count;
} occupancy_words;

static ifl_status set_gpu(void *user, const char *value, ifl_error *error)
{
    occupancy_words *w = user;
    if (w->count == MOST_DEVICES)
        return ifl_cli_error(error, IFL_USAGE, "at most %d GPUs at once", MOST_DEVICES);
    ifl_status status = ifl_device_open(value, &w->devices[w->count], error);
    w->count += status == IFL_OK;
    return status;
}

#define REQUEST_OPTION(field, name, least)                                                         \
    static ifl_status set_##field(void *user, const char *value, ifl_error *error)                 \
    {                                                                                              \
        occupancy_words *w = user;                                                                 \
        return ifl_cli_number("--" name, value, least, INT_MAX, &w->request.field, error);         \
    }
REQUEST_OPTION(registers, "regs", 0)
REQUEST_OPTION(shared_bytes, "shared", 0)
REQUEST_OPTION(threads, "block", 1)
REQUEST_OPTION(barriers, "barriers", 0)

/* "X[,Y[,Z]]": their product. */
static ifl_status set_grid(void *user, const char *value, ifl_error *error)
{
    occupancy_words *w = user;
    const char *at = value;
    uint64_t blocks = 1;
    for (int i = 0; i < 3; i++) {
        char *end;
        const unsigned long long size = *at >= '0' && *at <= '9' ? strtoull(at, &end, 10) : 0;
        if (size < 1 || size > INT_MAX || blocks > UINT64_MAX / size)
            break;
        blocks *= size;
        at = end + (*end == ',');
        if (*end == '\0') {
            w->request.blocks = blocks;
            return IFL_OK;
        }
    }
    return ifl_cli_error(error, IFL_USAGE, "--grid takes blocks, X[,Y[,Z]], not '%s'", value);
}

static const ifl_cli_option occupancy_options[] = {
    {0, "gpu", "NAME", "a GPU; may be given several times (all that are known)", set_gpu},
    {0, "block", "N", "threads of a block", set_threads},
    {0, "regs", "N", "registers of a thread (no limit)", set_registers},
    {0, "shared", "B", "bytes of shared memory of a block, static and dynamic (0)",
     set_shared_bytes},
    {0, "grid", "X[,Y[,Z]]", "blocks of the grid: its waves too, and what the last one costs", set_grid},
    {0, "barriers", "N", "named barriers of a block (no limit)", set_barriers},
};

static ifl_status add_all(occupancy_words *w, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; ifl_device_id(i) && status == IFL_OK; i++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(strlen(ifl_device_id(i)) - strlen(".gpu")),
                 ifl_device_id(i));
        status = set_gpu(w, name, error);
    }
    return status;
}

static ifl_status print_occupancy(occupancy_words *w, ifl_error *error)
{
    if (!w->request.threads)
        return ifl_cli_error(error, IFL_USAGE, "--block is missing: the threads of a block");
    ifl_status status = w->count ? IFL_OK : add_all(w, error);
    if (status != IFL_OK)
        return status;
    return ifl_occupancy_write((const ifl_device *const *)w->devices, w->count, &w->request, stdout,
                               error);
}

static int run_occupancy(int word_count, char **words)
{
    ifl_error error = {0};
    occupancy_words w = {0};
    bool help = false;
    int first = 0;
    ifl_status status =
        ifl_cli_parse(&ifl_cli_occupancy, word_count, words, &w, &first, &help, &error);
    if (status == IFL_OK && !help && first < word_count)
        status = ifl_cli_error(&error, IFL_USAGE, "occupancy takes options only, not '%s'",
                               words[first]);
    if (status == IFL_OK && !help)
        status = print_occupancy(&w, &error);
    while (w.count)
        ifl_device_close(w.devices[--w.count]);
    return end_with(status, &error);
}

const ifl_cli_command ifl_cli_occupancy = {
    .name = "occupancy",
    .usage = {"[--gpu NAME]... --block N [--regs N] [--shared B] [--grid X[,Y[,Z]]]", NULL},
    .summary = "how many blocks of a shape a GPU holds, and what limits it",
    .text = "The rules are those of NVIDIA's occupancy calculator; no kernel is needed.",
    .examples = {"inflight occupancy --gpu h200 --gpu rtx-4090 --block 256 --regs 40 --grid 1184",
                 "inflight occupancy --gpu m2090 --block 32 --regs 63 --shared 3840"},
    .options = occupancy_options,
    .option_count = sizeof occupancy_options / sizeof *occupancy_options,
    .run = run_occupancy,
};
