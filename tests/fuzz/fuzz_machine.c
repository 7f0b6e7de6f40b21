/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes machine code as it runs: the input's first byte chooses an architecture, the rest takes
 * the place of a kernel's code, which then runs for two blocks on buffers of its own. Any words run
 * or stop with their place. Endless ones are stopped after a while. */
#include "sass/sass.h"
#include "session/launch.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 1 << 18, STOP_MILLISECONDS = 50 };

#ifndef INFLIGHT_SOURCE_DIR
#error "INFLIGHT_SOURCE_DIR: where tests/machine lies"
#endif

static const struct {
    const char *path, *arch, *gpu;
} bases[] = {
    {INFLIGHT_SOURCE_DIR "/tests/machine/kernels.sm_90.cubin", "sm_90", "h200"},
    {INFLIGHT_SOURCE_DIR "/tests/machine/kernels.sm_75.cubin", "sm_75", "t4"},
    {INFLIGHT_SOURCE_DIR "/tests/machine/kernels.sm_80.cubin", "sm_80", "a100-80"},
    {INFLIGHT_SOURCE_DIR "/tests/machine/kernels.sm_100.cubin", "sm_100", "b200"},
    {INFLIGHT_SOURCE_DIR "/tests/machine/kernels.sm_120.cubin", "sm_120", "rtx-5090"},
};
enum { BASES = sizeof bases / sizeof *bases };

static const char kernel[] = "vote_in_groups";

/* A cubin whose kernel's code is at `code`. */
typedef struct base {
    uint8_t *bytes, *code;
    size_t size, code_bytes;
} base;

static volatile int stop;

static void tell(int signal)
{
    (void)signal;
    stop = 1;
}

static uint8_t *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(MOST_BYTES);
    *size = file && bytes ? fread(bytes, 1, MOST_BYTES, file) : 0;
    if (file)
        fclose(file);
    return bytes;
}

/* Where the code lies in the file: the reader's copy of it is looked for. */
static void open_base(size_t which, base *out)
{
    ifl_error error;
    ifl_machine *machine = ifl_machine_new("base");
    out->bytes = read_all(bases[which].path, &out->size);
    if (!machine ||
        ifl_machine_read_cubin("base", out->bytes, out->size, machine, &error) != IFL_OK)
        abort();
    for (size_t i = 0; i < machine->kernel_count; i++) {
        const ifl_machine_kernel *k = &machine->kernels[i];
        if (strcmp(k->name, kernel) != 0)
            continue;
        out->code = memmem(out->bytes, out->size, k->code, k->code_bytes);
        out->code_bytes = k->code_bytes;
    }
    ifl_machine_free(machine);
    if (!out->code)
        abort();
}

static const base *base_of(size_t which)
{
    static base opened[BASES]; /* for as long as the fuzzer runs */
    if (!opened[which].bytes)
        open_base(which, &opened[which]);
    return &opened[which];
}

static void wait_for(int milliseconds)
{
    const struct itimerval time = {.it_value = {.tv_usec = milliseconds * 1000}};
    static bool is_set;
    if (!is_set)
        signal(SIGVTALRM, tell);
    is_set = true;
    stop = 0;
    setitimer(ITIMER_VIRTUAL, &time, NULL);
}

static const ifl_device *device_of(size_t which)
{
    static ifl_device *opened[BASES]; /* for as long as the fuzzer runs */
    if (!opened[which] && ifl_device_open(bases[which].gpu, &opened[which], NULL) != IFL_OK)
        abort();
    return opened[which];
}

static void run(ifl_module *module, size_t which)
{
    static const char *const words[][2] = {{"grid", "2"},           {"block", "64"},
                                           {"shared", "256"},       {"arg", "u32x1024=iota"},
                                           {"arg", "u32x512=zero"}, {"arg", "i32:8"}};
    ifl_launch *launch;
    ifl_error error;
    ifl_profile *profile = NULL;
    if (ifl_launch_new(module, kernel, &launch, &error) != IFL_OK)
        return;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ifl_launch_set(launch, words[i][0], words[i][1], &error) != IFL_OK)
            abort();
    wait_for(STOP_MILLISECONDS);
    const ifl_device *device = device_of(which);
    const ifl_run_options options = {
        .threads = 1, .stop = &stop, .devices = &device, .device_count = 1};
    if (ifl_launch_run(launch, &options, &profile, &error) == IFL_INTERNAL)
        abort();
    wait_for(0);
    ifl_profile_free(profile);
    ifl_launch_free(launch);
}

/* The file whose code is `code`, without a name in any folder: modules that run machine code are
 * read from files. */
static int file_with(const base *of, const uint8_t *code, size_t size)
{
    const int file = memfd_create("fuzz", MFD_CLOEXEC);
    const off_t at = of->code - of->bytes;
    const size_t count = size < of->code_bytes ? size : of->code_bytes;
    if (file < 0 || write(file, of->bytes, of->size) != (ssize_t)of->size ||
        pwrite(file, code, count, at) != (ssize_t)count)
        abort();
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ifl_module *module;
    ifl_error error;
    char path[64];
    if (!size)
        return 0;
    const size_t which = *data % BASES;
    const int file = file_with(base_of(which), data + 1, size - 1);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (ifl_module_open(path, bases[which].arch, &module, &error) == IFL_OK) {
        run(module, which);
        ifl_module_close(module);
    }
    close(file);
    return 0;
}
