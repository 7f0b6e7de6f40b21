/* SPDX-License-Identifier: Apache-2.0
 * A real GPU through NVIDIA's driver: context, code, memory, launches. It knows nothing of PTX,
 * profiles or the purpose of the kernels. libcuda is loaded at run time; nothing of CUDA is needed
 * to build. */
#ifndef IFL_GPU_GPU_H
#define IFL_GPU_GPU_H

#include "base/cuda_words.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/vec.h"

/* CUlaunchConfig and CUlaunchAttribute of cuda.h. */
typedef struct ifl_cuda_attribute {
    int id;
    int padding;
    union {
        char bytes[64];
        uint32_t cluster[3];
    } value;
} ifl_cuda_attribute;

typedef struct ifl_cuda_launch {
    unsigned grid[3], block[3], shared_bytes;
    void *stream;
    ifl_cuda_attribute *attributes;
    unsigned attribute_count;
} ifl_cuda_launch;

typedef struct ifl_driver {
#define FUNCTION(name, symbol, needed, arguments) int(*name) arguments;
#include "gpu/driver.def"
} ifl_driver;

/* Of CUdevice_attribute and CUfunction_attribute in cuda.h. */
enum {
    IFL_GPU_BLOCK_THREADS = 1,
    IFL_GPU_CLOCK_KHZ = 13,
    IFL_GPU_SMS = 16,
    IFL_GPU_MEMORY_CLOCK_KHZ = 36,
    IFL_GPU_MEMORY_BUS_BITS = 37,
    IFL_GPU_L2_BYTES = 38,
    IFL_GPU_SM_THREADS = 39,
    IFL_GPU_MAJOR = 75,
    IFL_GPU_MINOR = 76,
    IFL_GPU_SM_SHARED_BYTES = 81,
    IFL_GPU_SM_REGISTERS = 82,
    IFL_GPU_COOPERATIVE = 95,
    IFL_GPU_BLOCK_SHARED_BYTES = 97, /* with opt-in */
    IFL_GPU_SM_BLOCKS = 106,
    IFL_GPU_PERSISTING_BYTES = 108,
    IFL_GPU_WINDOW_BYTES = 109,
    IFL_GPU_RESERVED_SHARED_BYTES = 111,
    IFL_GPU_CLUSTERS = 120
};
enum {
    IFL_FUNCTION_SHARED_BYTES = 1, /* static */
    IFL_FUNCTION_LOCAL_BYTES = 3,
    IFL_FUNCTION_REGISTERS = 4,
    IFL_FUNCTION_DYNAMIC_SHARED = 8,
    IFL_FUNCTION_CARVEOUT = 9
};

typedef struct ifl_blas ifl_blas;

/* Code that stays loaded, found by its bytes. */
typedef struct ifl_gpu_kept {
    char digest[IFL_SHA256_TEXT];
    void *module;
} ifl_gpu_kept;

struct ifl_gpu {
    void *library;
    ifl_driver cu;
    int device;
    bool has_context;
    void *stream;
    IFL_VEC(ifl_gpu_kept) kept;
    void *kernels;    /* module of cuda/kernels.ptx, NULL until one is wanted */
    uint64_t scratch; /* memory to read the L2 full with, 0: none yet */
    ifl_blas *blas;   /* cuda/blas.h; NULL: none, or not looked for yet */
    bool blas_sought;
    char name[128];
    int driver; /* CUDA version that the driver supports: 13000 is 13.0 */
    int sm;     /* 90 */
    int sms;
    uint64_t l2_bytes, memory_bytes;
};

/* IFL_OK for a CUresult of 0; else a status that fits, and "WHAT: CUDA_ERROR_NAME: text" with what
 * to do where that is known. A fault of the kernel is IFL_FINDING. */
ifl_status ifl_gpu_check(const ifl_gpu *gpu, int result, ifl_error *error, const char *what);
/* 0 where the driver does not know it. */
int ifl_gpu_attribute(const ifl_gpu *gpu, int attribute);

/* ---- code ------------------------------------------------------------------------------------ */

/* PTX text (NUL-terminated; compiled by the driver, whose log is in the error) or a cubin. `name`
 * is for messages. */
ifl_status ifl_gpu_load(const ifl_gpu *gpu, const void *image, const char *name, void **module,
                        ifl_error *error);
void ifl_gpu_unload(const ifl_gpu *gpu, void *module);
/* Likewise, but what has the same bytes is loaded once, and stays so until the GPU is closed. Its
 * variables hold what the launches before have left in them. */
ifl_status ifl_gpu_load_once(ifl_gpu *gpu, const void *image, size_t bytes, const char *name,
                             void **module, ifl_error *error);
ifl_status ifl_gpu_function(const ifl_gpu *gpu, void *module, const char *name, void **function,
                            ifl_error *error);
/* A kernel of our own, cuda/kernels.ptx. */
ifl_status ifl_gpu_kernel(ifl_gpu *gpu, const char *name, void **function, ifl_error *error);

typedef struct ifl_gpu_launch {
    void *function;
    const char *name; /* for messages */
    uint32_t grid[3], block[3];
    uint32_t shared_bytes; /* dynamic */
    uint32_t cluster[3];   /* 0: as the kernel itself says */
    int carveout; /* percent of the L1 that is to be shared memory; -1: as the driver likes */
    bool cooperative;
    void **params; /* where each parameter's value is */
} ifl_gpu_launch;

/* Once before the first launch: attributes of the function. */
ifl_status ifl_gpu_launch_prepare(const ifl_gpu *gpu, const ifl_gpu_launch *launch,
                                  ifl_error *error);
/* Puts it into the GPU's stream. */
ifl_status ifl_gpu_launch_put(const ifl_gpu *gpu, const ifl_gpu_launch *launch, ifl_error *error);
/* Waits for what is in the stream; a kernel's fault shows here. */
ifl_status ifl_gpu_wait(const ifl_gpu *gpu, const char *what, ifl_error *error);

/* ---- memory ---------------------------------------------------------------------------------- */

ifl_status ifl_gpu_allocate(const ifl_gpu *gpu, uint64_t bytes, uint64_t *address,
                            ifl_error *error);
void ifl_gpu_release(const ifl_gpu *gpu, uint64_t address);
ifl_status ifl_gpu_write(const ifl_gpu *gpu, uint64_t to, const void *from, size_t bytes,
                         ifl_error *error);
ifl_status ifl_gpu_read(const ifl_gpu *gpu, void *to, uint64_t from, size_t bytes,
                        ifl_error *error);
/* Bytes that can still be allocated; 0 unknown. */
uint64_t ifl_gpu_free_bytes(const ifl_gpu *gpu);

#endif
