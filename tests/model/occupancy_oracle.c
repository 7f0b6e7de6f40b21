/* SPDX-License-Identifier: Apache-2.0
 * Occupancy against NVIDIA's own calculator, cuda_occupancy.h of a CUDA toolkit: `occupancy_oracle
 * COUNT` compares COUNT random shapes of block for each compute capability; `occupancy_oracle
 * capture COUNT` prints shapes and answers as tests/model/occupancy.txt keeps them. Built only
 * where the header is found. */
#include <cuda_occupancy.h>
#include <inflight.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *gpu;
    int major, minor, threads_per_sm, shared_per_sm_kib, shared_optin_kib, reserved, block_barriers;
} targets[] = {
    {"k10", 3, 0, 2048, 48, 48, 0, 0},
    {"k40c", 3, 5, 2048, 48, 48, 0, 0},
    {"v100", 7, 0, 2048, 96, 96, 0, 0},
    {"t4", 7, 5, 1024, 64, 64, 0, 0},
    {"a100-80", 8, 0, 2048, 164, 163, 1024, 0},
    {"rtx-3090", 8, 6, 1536, 100, 99, 1024, 0},
    {"rtx-4090", 8, 9, 1536, 100, 99, 1024, 0},
    {"h200", 9, 0, 2048, 228, 227, 1024, 1},
    {"b200", 10, 0, 2048, 228, 227, 1024, 1},
    {"rtx-5090", 12, 0, 1536, 100, 99, 1024, 1},
    {"jetson-agx-orin", 8, 7, 1536, 164, 163, 1024, 0},
    {"b300", 10, 3, 2048, 228, 227, 1024, 1},
    {"jetson-thor", 11, 0, 1536, 228, 227, 1024, 1},
};

static uint64_t state = 1;

static int pick(int least, int most)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return least + (int)(state % (uint64_t)(most - least + 1));
}

static int oracle(size_t t, const ifl_occupancy_request *r)
{
    cudaOccDeviceProp p = {.computeMajor = targets[t].major,
                           .computeMinor = targets[t].minor,
                           .maxThreadsPerBlock = 1024,
                           .maxThreadsPerMultiprocessor = targets[t].threads_per_sm,
                           .regsPerBlock = 65536,
                           .regsPerMultiprocessor = 65536,
                           .warpSize = 32,
                           .sharedMemPerBlock = 48 * 1024,
                           .sharedMemPerMultiprocessor =
                               (size_t)targets[t].shared_per_sm_kib * 1024,
                           .numSms = 1,
                           .sharedMemPerBlockOptin = (size_t)targets[t].shared_optin_kib * 1024,
                           .reservedSharedMemPerBlock = (size_t)targets[t].reserved};
    cudaOccFuncAttributes a = {.maxThreadsPerBlock = 1024,
                               .numRegs = r->registers,
                               .partitionedGCConfig = PARTITIONED_GC_OFF,
                               .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
                               .maxDynamicSharedSizeBytes = (size_t)r->shared_bytes,
                               .numBlockBarriers = r->barriers};
    cudaOccDeviceState s = {.cacheConfig = CACHE_PREFER_NONE,
                            .carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
    cudaOccResult result;
    cudaOccError e = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &p, &a, &s, r->threads,
                                                             (size_t)r->shared_bytes);
    return e == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

static ifl_occupancy_request random_shape(size_t t)
{
    ifl_occupancy_request r = {.threads = pick(1, 1024), .registers = pick(1, t < 1 ? 63 : 255)};
    /* Half of the shapes use little shared memory, so that every limit comes into its own. */
    r.shared_bytes = pick(0, 1) ? pick(0, targets[t].shared_optin_kib * 1024 - targets[t].reserved)
                                : pick(0, 4096);
    r.barriers = targets[t].block_barriers ? pick(0, 16) : 0;
    return r;
}

static int check_target(size_t t, long count, int capture)
{
    ifl_error error;
    ifl_device *device;
    int wrong = 0;
    if (ifl_device_open(targets[t].gpu, &device, &error) != IFL_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    for (long i = 0; i < count; i++) {
        ifl_occupancy_request r = random_shape(t);
        ifl_occupancy o;
        int wanted = oracle(t, &r);
        if (capture) {
            printf("%s %d %d %d %d %d\n", targets[t].gpu, r.threads, r.registers, r.shared_bytes,
                   r.barriers, wanted);
            continue;
        }
        bool is_right =
            ifl_occupancy_compute(device, &r, &o, &error) == IFL_OK && o.blocks_per_sm == wanted;
        if (!is_right && wrong++ < 5)
            printf(
                "%s: %d threads, %d registers, %d bytes, %d barriers: %d blocks, NVIDIA says %d\n",
                targets[t].gpu, r.threads, r.registers, r.shared_bytes, r.barriers, o.blocks_per_sm,
                wanted);
    }
    ifl_device_close(device);
    if (!capture)
        printf("%s: %ld shapes, %d differ\n", targets[t].gpu, count, wrong);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    int capture = argc > 2 && strcmp(argv[1], "capture") == 0, failed = 0;
    long count = argc > 1 ? atol(argv[argc - 1]) : 100000;
    if (capture)
        printf("# NVIDIA's answers (cuda_occupancy.h, CUDA 13.0): GPU threads registers "
               "shared_bytes barriers blocks\n");
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
        failed |= check_target(t, count, capture);
    return failed;
}
