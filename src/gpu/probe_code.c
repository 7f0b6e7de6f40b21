/* SPDX-License-Identifier: Apache-2.0
 * See probe_code.h. Since Volta an instruction has 16 bytes; the loop's own are few beside. */
#include "gpu/probe_code.h"

#include "gpu/probe_shot.h"

#include <stdlib.h>

enum { INSTRUCTION_BYTES = 16, TRIPS = 16, OLDEST_SM = 70 };

static const uint32_t kib_of[] = {16, 20, 24,  28,  32,  36,  40,  48,  64,
                                  80, 96, 112, 120, 128, 136, 144, 160, 192};
enum { SIZES = sizeof kib_of / sizeof *kib_of };

static const char head[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry ifl_code(.param .u64 out, .param .u32 trips, .param .u32 count)\n"
    "{\n"
    ".reg .pred %p;\n.reg .b32 %r<4>;\n.reg .f32 %f<4>;\n.reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd0, [out];\ncvta.to.global.u64 %rd0, %rd0;\n"
    "mov.u32 %r1, %tid.x;\ncvt.rn.f32.u32 %f0, %r1;\n"
    "mov.f32 %f1, %f0;\nmov.f32 %f2, %f0;\nmov.f32 %f3, %f0;\n"
    "mov.u32 %r2, 2;\n"
    "round:\nld.param.u32 %r0, [trips];\nbar.sync 0;\nmov.u64 %rd1, %clock64;\n"
    "trip:\n";
static const char tail[] =
    "sub.u32 %r0, %r0, 1;\nsetp.ne.u32 %p, %r0, 0;\n@%p bra trip;\n"
    "bar.sync 0;\nmov.u64 %rd2, %clock64;\n"
    "sub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p, %r2, 0;\n@%p bra round;\n"
    "sub.u64 %rd2, %rd2, %rd1;\n"
    "add.f32 %f0, %f0, %f1;\nadd.f32 %f2, %f2, %f3;\nadd.f32 %f0, %f0, %f2;\n"
    "mov.b32 %r0, %f0;\nst.global.u32 [%rd0 + 8], %r0;\nst.global.u64 [%rd0], %rd2;\n"
    "ret;\n}\n";

/* A loop of so many multiply-adds, of which four in a row do not wait for each other, gone through twice. NULL without
 * memory. */
static char *text_of(uint32_t count)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fputs(head, out);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "fma.rn.f32 %%f%u, %%f%u, %%f%u, 0f3F800000;\n", i % 4, i % 4, i % 4);
    fputs(tail, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static ifl_status run_loop(ifl_gpu *gpu, void *module, uint64_t to, uint32_t count, double *cycles,
                           ifl_error *error)
{
    uint64_t told = 0;
    uint32_t trips = TRIPS;
    void *params[] = {&to, &trips, &count};
    ifl_shot s = {.gpu = gpu,
                  .launch = {.name = "ifl_code",
                             .grid = {1, 1, 1},
                             .block = {32, 1, 1},
                             .carveout = -1,
                             .params = params}};
    ifl_status status = ifl_gpu_function(gpu, module, "ifl_code", &s.launch.function, error);
    if (status == IFL_OK)
        status = ifl_shot_put(&s, error);
    if (status == IFL_OK)
        status = ifl_gpu_wait(gpu, "a long loop", error);
    if (status == IFL_OK)
        status = ifl_gpu_read(gpu, &told, to, sizeof told, error);
    *cycles = (double)told / TRIPS / count;
    return status;
}

/* Cycles for an instruction of a loop of so many. */
static ifl_status time_loop(ifl_gpu *gpu, uint64_t to, uint32_t kib, double *cycles,
                            ifl_error *error)
{
    const uint32_t count = kib * 1024 / INSTRUCTION_BYTES;
    char *text = text_of(count);
    void *module = NULL;
    if (!text)
        return ifl_fail_memory(error, kib * 1024);
    ifl_status status = ifl_gpu_load(gpu, text, "a long loop", &module, error);
    if (status == IFL_OK)
        status = run_loop(gpu, module, to, count, cycles, error);
    if (module)
        ifl_gpu_unload(gpu, module);
    free(text);
    return status;
}

/* Between the last size that takes no longer than `most` and the next one, in bytes; 0: all or none do. */
static double end_of(const double *cycles, double most)
{
    size_t i = 0;
    while (i < SIZES && cycles[i] <= most)
        i++;
    return i == 0 || i == SIZES ? 0 : 1024.0 * (kib_of[i - 1] + kib_of[i]) / 2;
}

/* A fifth longer than the shortest loop: the smaller cache lacks it. Half as long again as one of 64 KiB: the larger one
 * does. */
ifl_status ifl_probe_code(ifl_gpu *gpu, uint64_t to, ifl_code_sizes *out, ifl_error *error)
{
    const double near_times = 1.2, times = 1.5;
    double cycles[SIZES] = {0};
    size_t middle = 0;
    ifl_status status = IFL_OK;
    *out = (ifl_code_sizes){0, 0};
    if (gpu->sm < OLDEST_SM)
        return IFL_OK;
    for (size_t i = 0; i < SIZES && status == IFL_OK; i++)
        status = time_loop(gpu, to, kib_of[i], &cycles[i], error);
    if (status != IFL_OK)
        return status;
    while (kib_of[middle] < 64)
        middle++;
    out->near_bytes = end_of(cycles, near_times * cycles[0]);
    out->bytes = end_of(cycles, times * cycles[middle]);
    return IFL_OK;
}
