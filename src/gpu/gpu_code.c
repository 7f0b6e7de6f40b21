/* SPDX-License-Identifier: Apache-2.0
 * Code and memory on the GPU: modules, functions, launches, buffers. */
#include "gpu/gpu.h"
#include "gpu/gpu_kernels.h"

#include <inttypes.h>
#include <string.h>

/* Of cuda.h. */
enum { JIT_ERROR_LOG = 5, JIT_ERROR_LOG_BYTES = 6, ATTRIBUTE_CLUSTER = 4 };
enum { PLAIN_SHARED_BYTES = 48 * 1024 };

/* ---- modules --------------------------------------------------------------------------------- */

ifl_status ifl_gpu_load(const ifl_gpu *gpu, const void *image, const char *name, void **module,
                        ifl_error *error)
{
    char log[700] = "", what[300];
    int option[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES};
    void *value[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    *module = NULL;
    snprintf(what, sizeof what, "loading '%.200s' on the GPU", name);
    const ifl_status status =
        ifl_gpu_check(gpu, gpu->cu.module_load(module, image, 2, option, value), error, what);
    if (status != IFL_OK && error && *log) {
        const size_t used = strlen(error->text);
        snprintf(error->text + used, sizeof error->text - used, "\n%s", log);
    }
    return status;
}

void ifl_gpu_unload(const ifl_gpu *gpu, void *module)
{
    if (module)
        gpu->cu.module_unload(module);
}

ifl_status ifl_gpu_load_once(ifl_gpu *gpu, const void *image, size_t bytes, const char *name,
                             void **module, ifl_error *error)
{
    ifl_gpu_kept kept = {.module = NULL};
    ifl_sha256 hash;
    ifl_sha256_start(&hash);
    ifl_sha256_add(&hash, image, bytes);
    ifl_sha256_end(&hash, kept.digest);
    *module = NULL;
    for (size_t i = 0; i < gpu->kept.count; i++)
        if (strcmp(gpu->kept.at[i].digest, kept.digest) == 0)
            *module = gpu->kept.at[i].module;
    if (*module)
        return IFL_OK;
    if (!ifl_vec_reserve(&gpu->kept, 1))
        return ifl_fail_memory(error, sizeof kept);
    const ifl_status status = ifl_gpu_load(gpu, image, name, &kept.module, error);
    if (status == IFL_OK)
        ifl_vec_push(&gpu->kept, kept);
    *module = kept.module;
    return status;
}

ifl_status ifl_gpu_function(const ifl_gpu *gpu, void *module, const char *name, void **function,
                            ifl_error *error)
{
    char what[300];
    *function = NULL;
    snprintf(what, sizeof what, "finding kernel '%.200s' on the GPU", name);
    return ifl_gpu_check(gpu, gpu->cu.module_function(function, module, name), error, what);
}

ifl_status ifl_gpu_kernel(ifl_gpu *gpu, const char *name, void **function, ifl_error *error)
{
    ifl_status status = IFL_OK;
    if (!gpu->kernels)
        status = ifl_gpu_load(gpu, ifl_gpu_kernels, "kernels.ptx", &gpu->kernels, error);
    return status == IFL_OK ? ifl_gpu_function(gpu, gpu->kernels, name, function, error) : status;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Static memory, which counts too. */
static uint32_t shared_bytes_of(const ifl_gpu *gpu, const ifl_gpu_launch *l)
{
    int fixed = 0;
    const bool known = gpu->cu.function_get(&fixed, IFL_FUNCTION_SHARED_BYTES, l->function) == 0;
    return l->shared_bytes + (known && fixed > 0 ? (uint32_t)fixed : 0);
}

static ifl_status allow_shared(const ifl_gpu *gpu, const ifl_gpu_launch *l, ifl_error *error)
{
    char what[160];
    const int most = ifl_gpu_attribute(gpu, IFL_GPU_BLOCK_SHARED_BYTES);
    if (l->shared_bytes == 0 || shared_bytes_of(gpu, l) <= PLAIN_SHARED_BYTES)
        return IFL_OK;
    if (most && l->shared_bytes > (uint32_t)most)
        return ifl_fail(error, IFL_UNSUPPORTED,
                        "a block wants %" PRIu32 " bytes of dynamic shared memory; on %s it has at "
                        "most %d, static memory included",
                        l->shared_bytes, gpu->name, most);
    snprintf(what, sizeof what, "allowing %" PRIu32 " bytes of dynamic shared memory per block",
             l->shared_bytes);
    return ifl_gpu_check(
        gpu, gpu->cu.function_set(l->function, IFL_FUNCTION_DYNAMIC_SHARED, (int)l->shared_bytes),
        error, what);
}

ifl_status ifl_gpu_launch_prepare(const ifl_gpu *gpu, const ifl_gpu_launch *l, ifl_error *error)
{
    ifl_status status = allow_shared(gpu, l, error);
    if (status == IFL_OK && l->carveout >= 0)
        status = ifl_gpu_check(
            gpu, gpu->cu.function_set(l->function, IFL_FUNCTION_CARVEOUT, l->carveout), error,
            "setting the share of shared memory");
    if (status == IFL_OK && l->cooperative && !ifl_gpu_attribute(gpu, IFL_GPU_COOPERATIVE))
        status =
            ifl_fail(error, IFL_UNSUPPORTED, "%s cannot launch cooperative kernels", gpu->name);
    if (status == IFL_OK && l->cluster[0] && !gpu->cu.launch_ex)
        status = ifl_fail(error, IFL_UNSUPPORTED,
                          "the driver is too old for clusters: it has no cuLaunchKernelEx");
    return status;
}

static int put_cluster(const ifl_gpu *gpu, const ifl_gpu_launch *l)
{
    ifl_cuda_attribute attribute = {.id = ATTRIBUTE_CLUSTER};
    ifl_cuda_launch to = {.shared_bytes = l->shared_bytes,
                          .stream = gpu->stream,
                          .attributes = &attribute,
                          .attribute_count = 1};
    memcpy(attribute.value.cluster, l->cluster, sizeof attribute.value.cluster);
    memcpy(to.grid, l->grid, sizeof to.grid);
    memcpy(to.block, l->block, sizeof to.block);
    return gpu->cu.launch_ex(&to, l->function, l->params, NULL);
}

static int put(const ifl_gpu *gpu, const ifl_gpu_launch *l)
{
    const uint32_t *g = l->grid, *b = l->block;
    if (l->cluster[0])
        return put_cluster(gpu, l);
    if (l->cooperative)
        return gpu->cu.launch_cooperative(l->function, g[0], g[1], g[2], b[0], b[1], b[2],
                                          l->shared_bytes, gpu->stream, l->params);
    return gpu->cu.launch(l->function, g[0], g[1], g[2], b[0], b[1], b[2], l->shared_bytes,
                          gpu->stream, l->params, NULL);
}

ifl_status ifl_gpu_launch_put(const ifl_gpu *gpu, const ifl_gpu_launch *l, ifl_error *error)
{
    char what[300];
    const int result = put(gpu, l);
    if (result == 0)
        return IFL_OK;
    snprintf(what, sizeof what, "launching '%.200s'", l->name);
    return ifl_gpu_check(gpu, result, error, what);
}

ifl_status ifl_gpu_wait(const ifl_gpu *gpu, const char *what, ifl_error *error)
{
    return ifl_gpu_check(gpu, gpu->cu.stream_wait(gpu->stream), error, what);
}

/* ---- memory ---------------------------------------------------------------------------------- */

ifl_status ifl_gpu_allocate(const ifl_gpu *gpu, uint64_t bytes, uint64_t *address, ifl_error *error)
{
    char what[80];
    *address = 0;
    const int result = gpu->cu.allocate(address, bytes);
    if (result == 0)
        return IFL_OK;
    snprintf(what, sizeof what, "allocating %" PRIu64 " bytes on the GPU", bytes);
    return ifl_gpu_check(gpu, result, error, what);
}

void ifl_gpu_release(const ifl_gpu *gpu, uint64_t address)
{
    if (address)
        gpu->cu.release(address);
}

ifl_status ifl_gpu_write(const ifl_gpu *gpu, uint64_t to, const void *from, size_t bytes,
                         ifl_error *error)
{
    return ifl_gpu_check(gpu, gpu->cu.to_device(to, from, bytes), error, "copying to the GPU");
}

ifl_status ifl_gpu_read(const ifl_gpu *gpu, void *to, uint64_t from, size_t bytes, ifl_error *error)
{
    return ifl_gpu_check(gpu, gpu->cu.to_host(to, from, bytes), error, "copying from the GPU");
}

uint64_t ifl_gpu_free_bytes(const ifl_gpu *gpu)
{
    size_t free_bytes = 0, bytes = 0;
    return gpu->cu.memory_info(&free_bytes, &bytes) == 0 ? free_bytes : 0;
}
