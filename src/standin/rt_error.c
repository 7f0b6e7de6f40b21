/* SPDX-License-Identifier: Apache-2.0
 * Error codes and versions. */
#include "standin/gpu_bytes.h"

static const struct {
    int number;
    const char *name, *text;
} errors[] = {
#define ERROR(name, number, text) {number, #name, text},
#include "standin/cuda_error.def"
#undef ERROR
};

enum { ERRORS = sizeof errors / sizeof *errors };

IFL_SERVED const char *cudaGetErrorName(int code)
{
    for (int i = 0; i < ERRORS; i++)
        if (errors[i].number == code)
            return errors[i].name;
    return "unrecognized error code";
}

IFL_SERVED const char *cudaGetErrorString(int code)
{
    for (int i = 0; i < ERRORS; i++)
        if (errors[i].number == code)
            return errors[i].text;
    return "unrecognized error code";
}

IFL_SERVED ifl_cuda_error cudaGetLastError(void)
{
    return ifl_state_last_error(true);
}

IFL_SERVED ifl_cuda_error cudaPeekAtLastError(void)
{
    return ifl_state_last_error(false);
}

enum { RUNTIME_VERSION = IFL_CUDART == 11 ? 11080 : IFL_CUDART == 12 ? 12090 : IFL_DRIVER_VERSION };

static ifl_cuda_error tell(int *out, int version)
{
    if (!out)
        return ifl_state_end(ifl_cudaErrorInvalidValue);
    *out = version;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaRuntimeGetVersion(int *version)
{
    return tell(version, RUNTIME_VERSION);
}

IFL_SERVED ifl_cuda_error cudaDriverGetVersion(int *version)
{
    return tell(version, IFL_DRIVER_VERSION);
}
