/* SPDX-License-Identifier: Apache-2.0
 * The driver's error codes, and its version. */
#include "standin/driver_served.h"
#include "standin/gpu_bytes.h"

static const struct {
    int number;
    const char *name;
} errors[] = {
#define DRIVER_ERROR(name, number) {number, #name},
#include "standin/driver_error.def"
#undef DRIVER_ERROR
};

/* Codes of the runtime that the driver does not have, and what it says instead. */
static const struct {
    ifl_cuda_error runtime;
    int driver;
} others[] = {{ifl_cudaErrorInvalidConfiguration, ifl_cudaErrorInvalidValue},
              {ifl_cudaErrorInvalidPitchValue, ifl_cudaErrorInvalidValue},
              {ifl_cudaErrorInvalidHostPointer, ifl_cudaErrorInvalidValue},
              {ifl_cudaErrorInvalidDevicePointer, ifl_cudaErrorInvalidValue},
              {ifl_cudaErrorInvalidMemcpyDirection, ifl_cudaErrorInvalidValue},
              {ifl_cudaErrorInvalidSymbol, IFL_CUDA_NOT_FOUND},
              {ifl_cudaErrorInvalidDeviceFunction, IFL_CUDA_INVALID_HANDLE}};

static ifl_cuda_error driver_code(ifl_cuda_error code)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].runtime == code)
            return (ifl_cuda_error)others[i].driver;
    return code;
}

ifl_cuda_error ifl_driver_end(const char *call, ifl_cuda_error code)
{
    const ifl_cuda_error given = driver_code(code);
    ifl_state_driver_end();
    ifl_state_driver_gave(call, (int)given);
    return given;
}

static const char *name_of(int code)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == code)
            return errors[i].name;
    return NULL;
}

IFL_SERVED int cuGetErrorName(int code, const char **name)
{
    if (!name)
        return ifl_cudaErrorInvalidValue;
    *name = name_of(code);
    return *name ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
}

IFL_SERVED int cuGetErrorString(int code, const char **text)
{
    if (!text)
        return ifl_cudaErrorInvalidValue;
    *text = name_of(code) ? cudaGetErrorString(code) : NULL;
    return *text ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
}

IFL_SERVED int cuDriverGetVersion(int *version)
{
    if (!version)
        return ifl_cudaErrorInvalidValue;
    *version = IFL_DRIVER_VERSION;
    return ifl_cudaSuccess;
}
