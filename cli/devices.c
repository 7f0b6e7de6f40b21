/* SPDX-License-Identifier: Apache-2.0
 * inflight devices and inflight occupancy: the GPUs that are known, and how many blocks they
 * hold. */
#include "commands.h"
#include "outputs.h"
#include "terminal.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int end_with(ifl_status status, const ifl_error *error)
{
    return status == IFL_OK ? 0 : ifl_cli_fail(error);
}

/* ---- devices --------------------------------------------------------------------------------- */

typedef struct devices_words {
    const char *json;
    char **names;
    int count;
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

static ifl_status set_devices_json(void *user, const char *value, ifl_error *error)
{
    (void)error;
    ((devices_words *)user)->json = value;
    return IFL_OK;
}

static const ifl_cli_option devices_options[] = {
    {IFL_CLI_OPTION_json, NULL, set_devices_json},
    {IFL_CLI_OPTION_fields, NULL, set_fields},
    {IFL_CLI_OPTION_probe, NULL, set_probe},
    {IFL_CLI_OPTION_device, "the one that --probe measures", set_device},
};

static ifl_status print_device(const char *name, ifl_error *error)
{
    ifl_device *device;
    ifl_status status = ifl_device_open(name, &device, error);
    if (status == IFL_OK) {
        status = ifl_devices_write(device, ifl_cli_width(), stdout, error);
        ifl_device_close(device);
    }
    return status;
}

/* The GPUs that are named, or all. */
static ifl_status devices_json(const void *user, FILE *out, ifl_error *error)
{
    const devices_words *asked = user;
    ifl_device **devices = calloc((size_t)asked->count + 1, sizeof *devices);
    ifl_status status = devices ? IFL_OK : ifl_cli_error(error, IFL_NO_MEMORY, "out of memory");
    int opened = 0;
    while (opened < asked->count && status == IFL_OK) {
        status = ifl_device_open(asked->names[opened], &devices[opened], error);
        opened += status == IFL_OK;
    }
    if (status == IFL_OK)
        status =
            ifl_devices_json((const ifl_device *const *)devices, (size_t)asked->count, out, error);
    while (opened)
        ifl_device_close(devices[--opened]);
    free(devices);
    return status;
}

/* As text: what is listed without a name, and each that is named. */
static ifl_status print_devices(const devices_words *asked, ifl_error *error)
{
    ifl_status status =
        asked->count ? IFL_OK : ifl_devices_write(NULL, ifl_cli_width(), stdout, error);
    for (int i = 0; i < asked->count && status == IFL_OK; i++)
        status = print_device(asked->names[i], error);
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
    asked.names = words + first;
    asked.count = word_count - first;
    if (asked.probe)
        status = probe(asked.device, &error);
    else if (asked.fields)
        status = ifl_device_fields_write(ifl_cli_width(), stdout, &error);
    else if (!ifl_cli_is_dash(asked.json))
        status = print_devices(&asked, &error);
    if (status == IFL_OK && asked.json)
        status = ifl_cli_output_write(asked.json, devices_json, &asked, &error);
    return end_with(status, &error);
}

const ifl_cli_command ifl_cli_devices = {
    .name = "devices",
    .usage = {"[NAME...] [--json FILE]", "--fields", "--probe [--device N] > MINE.gpu", NULL},
    .summary = "list the known GPUs, with the source of every figure",
    .text = "NAME is a name from the list, a file PATH.gpu, or a file of your own in "
            "$XDG_CONFIG_HOME/inflight/devices (~/.config/inflight/devices).",
    .examples = {"inflight devices h200"},
    .operands = ":gpus",
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
    const char *json; /* NULL: not asked for; "-": in place of the text */
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

/* Of a thread and of a block: CUDA C++ Programming Guide, Compute Capabilities; PTX ISA, bar. */
enum { MOST_REGISTERS = 255, MOST_BARRIERS = 16 };

#define REQUEST_OPTION(field, name, least, most)                                                   \
    static ifl_status set_##field(void *user, const char *value, ifl_error *error)                 \
    {                                                                                              \
        occupancy_words *w = user;                                                                 \
        return ifl_cli_number("--" name, value, least, most, &w->request.field, error);            \
    }
REQUEST_OPTION(registers, "regs", 0, MOST_REGISTERS)
REQUEST_OPTION(barriers, "barriers", 0, MOST_BARRIERS)

enum { MOST_SIZE = INT_MAX };

/* MOST_SIZE + 1 where it is more. */
static uint64_t read_digits(const char **at, unsigned base)
{
    uint64_t number = 0;
    for (; isxdigit((unsigned char)**at); ++*at) {
        const char c = **at;
        const unsigned digit = c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
        if (digit >= base)
            break;
        number = number > MOST_SIZE ? number : base * number + digit;
    }
    return number;
}

static uint64_t product(uint64_t a, uint64_t b)
{
    return b && a > MOST_SIZE / b ? (uint64_t)MOST_SIZE + 1 : a * b;
}

/* "256", "0x100", "2^8", "48Ki". */
static uint64_t read_factor(const char **at)
{
    static const char *const units[] = {"Ki", "Mi", "Gi"};
    const bool is_hex = (*at)[0] == '0' && (*at)[1] == 'x' && isxdigit((unsigned char)(*at)[2]);
    *at += is_hex ? 2 : 0;
    uint64_t number = read_digits(at, is_hex ? 16 : 10);
    if (**at == '^') {
        const uint64_t base = number;
        ++*at;
        uint64_t exponent = read_digits(at, 10);
        for (number = 1; exponent && number <= MOST_SIZE && base != 1; exponent--)
            number = product(number, base);
    }
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
        if (strncmp(*at, units[i], 2) == 0) {
            *at += 2;
            return product(number, 1ull << 10 * (i + 1));
        }
    return number;
}

static uint64_t read_product_of_factors(const char **at)
{
    uint64_t number = read_factor(at);
    while (**at == '*' && isdigit((unsigned char)(*at)[1])) {
        ++*at;
        number = product(number, read_factor(at));
    }
    return number;
}

/* As a launch file has them (docs/launch.md): products, or a difference of two. More than MOST_SIZE
 * where it is none, or that large. */
static uint64_t read_size(const char **at)
{
    if (!isdigit((unsigned char)**at))
        return UINT64_MAX;
    const uint64_t number = read_product_of_factors(at);
    if (**at != '-' || !isdigit((unsigned char)(*at)[1]))
        return number;
    ++*at;
    const uint64_t less = read_product_of_factors(at);
    return less <= number ? number - less : UINT64_MAX;
}

/* "X[,Y[,Z]]" or "XxYxZ": their product; 0 where it is none. */
static uint64_t read_product(const char *value)
{
    const char *at = value;
    uint64_t product = 1;
    for (int i = 0; i < 3; i++, at++) {
        const uint64_t size = read_size(&at);
        if (size < 1 || size > MOST_SIZE || product > UINT64_MAX / size)
            return 0;
        product *= size;
        if (*at == '\0')
            return product;
        if (*at != ',' && *at != 'x')
            return 0;
    }
    return 0;
}

static ifl_status set_grid(void *user, const char *value, ifl_error *error)
{
    occupancy_words *w = user;
    w->request.blocks = read_product(value);
    return w->request.blocks
               ? IFL_OK
               : ifl_cli_error(error, IFL_USAGE, "--grid takes blocks, X[,Y[,Z]], not '%s'", value);
}

/* As `--cluster` of analyze takes them; CUDA C++ Programming Guide: 8 blocks, 16 where a function allows
 * what is not portable. */
static ifl_status set_cluster(void *user, const char *value, ifl_error *error)
{
    enum { MOST_CLUSTER_BLOCKS = 16 };
    occupancy_words *w = user;
    const uint64_t blocks = read_product(value);
    if (!blocks)
        return ifl_cli_error(error, IFL_USAGE, "--cluster takes blocks, X[,Y[,Z]], not '%s'",
                             value);
    if (blocks > MOST_CLUSTER_BLOCKS)
        return ifl_cli_error(error, IFL_USAGE, "--cluster %s: a cluster has at most %d blocks",
                             value, MOST_CLUSTER_BLOCKS);
    w->request.cluster = (int)blocks;
    return IFL_OK;
}

enum { MOST_THREADS = 1024 }; /* of a block: CUDA C++ Programming Guide, Compute Capabilities */

static ifl_status set_block(void *user, const char *value, ifl_error *error)
{
    occupancy_words *w = user;
    const uint64_t threads = read_product(value);
    if (!threads)
        return ifl_cli_error(error, IFL_USAGE, "--block takes threads, X[,Y[,Z]], not '%s'", value);
    if (threads > MOST_THREADS)
        return ifl_cli_error(error, IFL_USAGE, "--block %s: a block has at most 1,024 threads",
                             value);
    w->request.threads = (int)threads;
    return IFL_OK;
}

/* "3840", "48Ki", "48KiB". */
static ifl_status set_shared(void *user, const char *value, ifl_error *error)
{
    occupancy_words *w = user;
    const char *at = value;
    const uint64_t bytes = read_size(&at);
    const bool has_unit = *at == 'B' && at > value && at[-1] == 'i';
    if (bytes > MOST_SIZE || at[has_unit])
        return ifl_cli_error(error, IFL_USAGE, "--shared takes bytes, 49152 or 48Ki, not '%s'",
                             value);
    w->request.shared_bytes = (int)bytes;
    return IFL_OK;
}

static ifl_status set_occupancy_json(void *user, const char *value, ifl_error *error)
{
    (void)error;
    ((occupancy_words *)user)->json = value;
    return IFL_OK;
}

static const ifl_cli_option occupancy_options[] = {
    {IFL_CLI_OPTION_gpu, "may be given several times (all known GPUs)", set_gpu},
    {IFL_CLI_OPTION_block, NULL, set_block},
    {IFL_CLI_OPTION_regs, NULL, set_registers},
    {IFL_CLI_OPTION_shared, "static and dynamic together (0)", set_shared},
    {IFL_CLI_OPTION_grid, "also shows its waves, and what the last one costs", set_grid},
    {IFL_CLI_OPTION_cluster, "also shows how many the GPU holds at once", set_cluster},
    {IFL_CLI_OPTION_barriers, NULL, set_barriers},
    {IFL_CLI_OPTION_json, NULL, set_occupancy_json},
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

static ifl_status occupancy_json(const void *user, FILE *out, ifl_error *error)
{
    const occupancy_words *w = user;
    return ifl_occupancy_json((const ifl_device *const *)w->devices, w->count, &w->request, out,
                              error);
}

static ifl_status print_occupancy(occupancy_words *w, ifl_error *error)
{
    if (!w->request.threads)
        return ifl_cli_error(error, IFL_USAGE,
                             "--block is missing: the threads per block\n"
                             "'inflight help occupancy' says more");
    if (w->request.cluster && w->request.blocks % (unsigned)w->request.cluster)
        return ifl_cli_error(error, IFL_USAGE,
                             "--cluster: a grid of %llu blocks is no multiple of %d",
                             (unsigned long long)w->request.blocks, w->request.cluster);
    ifl_status status = w->count ? IFL_OK : add_all(w, error);
    if (status != IFL_OK)
        return status;
    if (!ifl_cli_is_dash(w->json))
        status = ifl_occupancy_write((const ifl_device *const *)w->devices, w->count, &w->request,
                                     ifl_cli_width(), stdout, error);
    return status == IFL_OK && w->json ? ifl_cli_output_write(w->json, occupancy_json, w, error)
                                       : status;
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
    .usage = {"[--gpu NAME]... -b X[,Y[,Z]] [-r N] [-s BYTES] [-g X[,Y[,Z]]] "
              "[--cluster X[,Y[,Z]]] [--json FILE]",
              NULL},
    .summary = "how many blocks of a given size a GPU holds, and what limits them",
    .text = "The rules are those of NVIDIA's occupancy calculator; no kernel is needed.",
    .examples = {"inflight occupancy --gpu h200 --gpu rtx-4090 --block 256 --regs 40 --grid 1184",
                 "inflight occupancy --gpu m2090 --block 32 --regs 63 --shared 3840"},
    .options = occupancy_options,
    .option_count = sizeof occupancy_options / sizeof *occupancy_options,
    .run = run_occupancy,
};
