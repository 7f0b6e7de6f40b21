/* SPDX-License-Identifier: Apache-2.0
 * CUPTI, by which profilers watch a program (CUPTI reference). There is nothing to watch here, so that every call tells
 * that the library is not initialized, as NVIDIA's does where the driver lacks its tables: PyTorch's profiler and XLA go
 * on without the GPU's part. NVIDIA's own library of CUDA 13.2 does not end in that case. */
#include "standin/abi.h"

#ifndef IFL_CUPTI
#define IFL_CUPTI 13
#endif

enum { INVALID_PARAMETER = 1, NOT_INITIALIZED = 15 };

/* Of CUDA 12.9 and 13.0, as that of the calls that are served. */
enum { API_VERSION = IFL_CUPTI >= 13 ? 130000 : 28 };

#define CALL(name)                                                                                 \
    IFL_SERVED int name(void)                                                                      \
    {                                                                                              \
        return NOT_INITIALIZED;                                                                    \
    }
#include "standin/cupti_call.def"
#undef CALL

IFL_SERVED int cuptiGetVersion(uint32_t *version)
{
    if (!version)
        return INVALID_PARAMETER;
    *version = API_VERSION;
    return 0;
}

static int tell(int code, const char **text)
{
    if (!text)
        return INVALID_PARAMETER;
    *text = code == 0                   ? "CUPTI_SUCCESS"
            : code == INVALID_PARAMETER ? "CUPTI_ERROR_INVALID_PARAMETER"
            : code == NOT_INITIALIZED   ? "CUPTI_ERROR_NOT_INITIALIZED"
                                        : "<unknown>";
    return 0;
}

IFL_SERVED int cuptiGetResultString(int code, const char **text)
{
    return tell(code, text);
}

IFL_SERVED int cuptiGetErrorMessage(int code, const char **text)
{
    return tell(code, text);
}
