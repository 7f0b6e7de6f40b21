/* SPDX-License-Identifier: Apache-2.0
 * What the driver tells of a function. */
#include "standin/driver_served.h"

/* CUfunction_attribute, in order. */
static ifl_cuda_error attribute(int *out, int number, const void *function)
{
    ifl_function_attributes a;
    const ifl_cuda_error code = cudaFuncGetAttributes(&a, function);
    const int values[] = {
        a.max_threads,        (int)a.shared_bytes, (int)a.constant_bytes, (int)a.local_bytes,
        a.registers,          a.ptx_version,       a.binary_version,      a.cache_mode_ca,
        a.max_dynamic_shared, a.carveout,          a.cluster_must_be_set, a.cluster_width,
        a.cluster_height,     a.cluster_depth,     a.non_portable,        a.cluster_policy};
    if (code != ifl_cudaSuccess)
        return code;
    if (!out || number < 0 || (size_t)number >= sizeof values / sizeof *values)
        return ifl_cudaErrorInvalidValue;
    *out = values[number];
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuFuncGetAttribute(int *out, int number, void *function)
{
    DRIVE(attribute(out, number, function));
}

IFL_SERVED ifl_cuda_error cuKernelGetAttribute(int *out, int number, void *kernel, int device)
{
    (void)device;
    DRIVE(attribute(out, number, kernel));
}

/* ---- the block that fills an SM best --------------------------------------------------------- */

typedef size_t (*shared_bytes_of)(int threads);

static ifl_cuda_error potential(int *grid, int *block, const void *function, shared_bytes_of shared,
                                size_t bytes, int most)
{
    enum { SMS = 16, WARP = 32 };
    int sms = 0, best = 0, allowed = 0, blocks = 0;
    ifl_cuda_error code = attribute(&allowed, 0, function);
    if (code == ifl_cudaSuccess)
        code = cudaDeviceGetAttribute(&sms, SMS, 0);
    if (code != ifl_cudaSuccess || !grid || !block)
        return code != ifl_cudaSuccess ? code : ifl_cudaErrorInvalidValue;
    const int first = most > 0 && most < allowed ? most : allowed;
    for (int threads = first; threads > 0; threads = (threads - 1) / WARP * WARP) {
        const size_t wanted = shared ? shared(threads) : bytes;
        code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, wanted);
        if (code != ifl_cudaSuccess)
            return code;
        if (blocks * threads <= best)
            continue;
        best = blocks * threads;
        *block = threads;
        *grid = blocks * sms;
    }
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuOccupancyMaxPotentialBlockSize(int *grid, int *block, void *function,
                                                           shared_bytes_of shared, size_t bytes,
                                                           int most)
{
    DRIVE(potential(grid, block, function, shared, bytes, most));
}

IFL_SERVED ifl_cuda_error cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block,
                                                                    void *function,
                                                                    shared_bytes_of shared,
                                                                    size_t bytes, int most,
                                                                    unsigned flags)
{
    (void)flags;
    DRIVE(potential(grid, block, function, shared, bytes, most));
}
