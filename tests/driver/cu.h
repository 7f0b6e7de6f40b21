/* SPDX-License-Identifier: Apache-2.0
 * What the programs of this folder use of the CUDA Driver API, declared as its reference has it, so
 * that no header of CUDA is needed to build them. */
#ifndef IFL_TEST_CU_H
#define IFL_TEST_CU_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uintptr_t address;

enum {
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    INVALID_PTX = 218,
    FILE_NOT_FOUND = 301,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    OUT_OF_RESOURCES = 701,
    NOT_SUPPORTED = 801
};

extern int cuInit(unsigned flags);
extern int cuDriverGetVersion(int *version);
extern int cuGetErrorName(int code, const char **name);
extern int cuGetErrorString(int code, const char **text);
extern int cuDeviceGet(int *device, int ordinal);
extern int cuDeviceGetCount(int *count);
extern int cuDeviceGetAttribute(int *value, int attribute, int device);
extern int cuDeviceTotalMem_v2(size_t *bytes, int device);
extern int cuCtxCreate_v2(void **out, unsigned flags, int device);
extern int cuCtxDestroy_v2(void *context);
extern int cuCtxAttach(void **out, unsigned flags);
extern int cuCtxDetach(void *context);
extern int cuCtxGetCurrent(void **out);
extern int cuCtxSetCurrent(void *context);
extern int cuCtxPushCurrent_v2(void *context);
extern int cuCtxPopCurrent_v2(void **out);
extern int cuCtxSynchronize(void);
extern int cuDevicePrimaryCtxRetain(void **out, int device);
extern int cuDevicePrimaryCtxRelease_v2(int device);
extern int cuModuleLoad(void **out, const char *path);
extern int cuModuleLoadData(void **out, const void *image);
extern int cuModuleLoadDataEx(void **out, const void *image, unsigned count, int *options,
                              void **values);
extern int cuLinkCreate_v2(unsigned count, int *options, void **values, void **out);
extern int cuLinkAddData_v2(void *state, int type, const void *data, size_t bytes, const char *name,
                            unsigned count, int *options, void **values);
extern int cuLinkAddFile_v2(void *state, int type, const char *path, unsigned count, int *options,
                            void **values);
extern int cuLinkComplete(void *state, void **image, size_t *bytes);
extern int cuLinkDestroy(void *state);
extern int cuModuleUnload(void *module);
extern int cuModuleGetFunction(void **out, void *module, const char *name);
extern int cuDeviceGetDefaultMemPool(void **out, int device);
extern int cuMemPoolSetAttribute(void *pool, int attribute, const void *value);
extern int cuMemPoolGetAttribute(void *pool, int attribute, void *value);
extern int cuEventQuery(void *event);
extern int cuFuncSetBlockShape(void *function, int x, int y, int z);
extern int cuFuncSetSharedSize(void *function, unsigned bytes);
extern int cuParamSetSize(void *function, unsigned bytes);
extern int cuParamSetv(void *function, int offset, const void *from, unsigned bytes);
extern int cuParamSeti(void *function, int offset, unsigned value);
extern int cuParamSetf(void *function, int offset, float value);
extern int cuLaunch(void *function);
extern int cuLaunchGrid(void *function, int width, int height);
extern int cuLaunchGridAsync(void *function, int width, int height, void *stream);
extern int cuModuleGetFunctionCount(unsigned *out, void *module);
extern int cuFuncGetModule(void **out, void *function);
extern int cuGetExportTable(const void **table, const void *id);
extern int cuModuleGetGlobal_v2(address *at, size_t *bytes, void *module, const char *name);
extern int cuLibraryLoadData(void **out, const void *image, int *options, void **values,
                             unsigned count, int *more, void **more_values, unsigned more_count);
extern int cuLibraryGetKernel(void **out, void *library, const char *name);
extern int cuKernelGetFunction(void **out, void *kernel);
extern int cuLibraryUnload(void *library);
extern int cuFuncGetAttribute(int *out, int attribute, void *function);
extern int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, void *function,
                                            size_t (*bytes_of)(int), size_t bytes, int most);
extern int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z,
                          unsigned shared_bytes, void *stream, void **params, void **extra);
extern int cuMemAlloc_v2(address *out, size_t bytes);
extern int cuMemAllocPitch_v2(address *out, size_t *pitch, size_t width, size_t height,
                              unsigned element);
extern int cuMemAllocManaged(address *out, size_t bytes, unsigned flags);
extern int cuMemAllocHost_v2(void **out, size_t bytes);
extern int cuMemHostAlloc(void **out, size_t bytes, unsigned flags);
extern int cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags);
extern int cuMemFree_v2(address at);
extern int cuMemFreeHost(void *at);
extern int cuMemGetAddressRange_v2(address *start, size_t *bytes, address at);
extern int cuPointerGetAttribute(void *to, int attribute, address at);
extern int cuMemcpyHtoD_v2(address to, const void *from, size_t bytes);
extern int cuMemcpyDtoH_v2(void *to, address from, size_t bytes);
extern int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes, void *stream);
extern int cuMemcpyDtoHAsync_v2(void *to, address from, size_t bytes, void *stream);
extern int cuMemcpy2D_v2(const void *copy);
extern int cuMemsetD8_v2(address to, unsigned char value, size_t count);
extern int cuMemsetD32_v2(address to, unsigned value, size_t count);
extern int cuMemsetD2D16_v2(address to, size_t pitch, unsigned short value, size_t width,
                            size_t height);
extern int cuStreamCreate(void **out, unsigned flags);
extern int cuStreamDestroy_v2(void *stream);
extern int cuStreamSynchronize(void *stream);
extern int cuStreamBeginCapture_v2(void *stream, int mode);
extern int cuStreamEndCapture(void *stream, void **graph);
extern int cuLaunchHostFunc(void *stream, void (*call)(void *), void *user);
extern int cuEventCreate(void **out, unsigned flags);
extern int cuEventRecord(void *event, void *stream);
extern int cuEventSynchronize(void *event);
extern int cuEventElapsedTime(float *milliseconds, void *start, void *end);
extern int cuEventDestroy_v2(void *event);
extern int cuGraphCreate(void **out, unsigned flags);
extern int cuGraphAddMemcpyNode(void **out, void *graph, void *const *after, size_t count,
                                const void *copy, void *context);
extern int cuGraphAddMemAllocNode(void **out, void *graph, void *const *after, size_t count,
                                  void *params);
extern int cuGraphAddMemFreeNode(void **out, void *graph, void *const *after, size_t count,
                                 address at);
extern int cuGraphMemFreeNodeGetParams(void *node, address *at);
extern int cuGraphAddKernelNode_v2(void **out, void *graph, void *const *after, size_t count,
                                   const void *params);
extern int cuGraphKernelNodeGetParams_v2(void *node, void *params);
extern int cuGraphKernelNodeSetParams_v2(void *node, const void *params);
extern int cuGraphInstantiateWithFlags(void **out, void *graph, unsigned long long flags);
extern int cuGraphLaunch(void *exec, void *stream);
extern int cuGraphExecDestroy(void *exec);
extern int cuGraphDestroy(void *graph);
extern int cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags,
                               int *found);

/* Stops where the expression is not what it should be. */
#define EXPECT(expression, wanted)                                                                 \
    do {                                                                                           \
        const long long is = (long long)(expression);                                              \
        if (is != (long long)(wanted)) {                                                           \
            fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #expression, is,  \
                    (long long)(wanted));                                                          \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define OK(expression) EXPECT(expression, 0)

/* y[i] = a x[i] + y[i] for the threads below n; __device__ int scale; and a kernel that stores
 * where it is told. */
static const char kernels[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .global .align 4 .u32 scale = 3;\n"
    ".visible .entry axpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)\n"
    "{\n"
    "  .reg .pred %p<2>; .reg .f32 %f<5>; .reg .b32 %r<6>; .reg .b64 %rd<8>;\n"
    "  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y];\n"
    "  ld.param.f32 %f1, [a]; ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "  setp.ge.u32 %p1, %r5, %r1;\n"
    "  @%p1 bra DONE;\n"
    "  cvta.to.global.u64 %rd3, %rd1; cvta.to.global.u64 %rd4, %rd2;\n"
    "  mul.wide.u32 %rd5, %r5, 4;\n"
    "  add.s64 %rd6, %rd3, %rd5; add.s64 %rd7, %rd4, %rd5;\n"
    "  ld.global.f32 %f2, [%rd6]; ld.global.f32 %f3, [%rd7];\n"
    "  fma.rn.f32 %f4, %f1, %f2, %f3;\n"
    "  st.global.f32 [%rd7], %f4;\n"
    "DONE:\n"
    "  ret;\n"
    "}\n"
    ".visible .entry poke(.param .u64 at)\n"
    "{\n"
    "  .reg .b32 %r<2>; .reg .b64 %rd<3>;\n"
    "  ld.param.u64 %rd1, [at]; cvta.to.global.u64 %rd2, %rd1;\n"
    "  ld.global.u32 %r1, [scale];\n"
    "  st.global.u32 [%rd2], %r1;\n"
    "  ret;\n"
    "}\n";

#endif
