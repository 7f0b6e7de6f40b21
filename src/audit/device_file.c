/* SPDX-License-Identifier: Apache-2.0
 * Some programs look for the files of NVIDIA's kernel driver before they load anything of CUDA: JAX
 * runs on the CPU, without a word, where neither /dev/nvidia0 nor /dev/nvidiactl is there. So libc's
 * calls that tell of a file are answered for these as for /dev/null, a character device too, where
 * the system has none. Nobody can open them: that is the driver's own business. */
#include "audit/device_file.h"

#include "inflight.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char before[] = "/dev/nvidia", instead[] = "/dev/null";

/* nvidiactl, nvidia-uvm, and nvidia0 to that of the last GPU. */
static bool is_device_file(const char *path)
{
    const size_t length = sizeof before - 1;
    if (!path || strncmp(path, before, length) != 0)
        return false;
    const char *which = path + length, *gpus = getenv(IFL_RUN_GPUS);
    char *end;
    const unsigned long number = strtoul(which, &end, 10),
                        count = gpus ? strtoul(gpus, NULL, 10) : 1;
    if (strcmp(which, "ctl") == 0 || strcmp(which, "-uvm") == 0)
        return true;
    return *which >= '0' && *which <= '9' && !*end && number < count;
}

/* CALL(name, parameters, what the program gives, the same for the other file). To glibc 2.32
 * programs called __xstat where they now call stat. */
#define CALLS                                                                                      \
    CALL(stat, (const char *path, void *to), (path, to), (instead, to))                            \
    CALL(stat64, (const char *path, void *to), (path, to), (instead, to))                          \
    CALL(lstat, (const char *path, void *to), (path, to), (instead, to))                           \
    CALL(lstat64, (const char *path, void *to), (path, to), (instead, to))                         \
    CALL(__xstat, (int version, const char *path, void *to), (version, path, to),                  \
         (version, instead, to))                                                                   \
    CALL(__xstat64, (int version, const char *path, void *to), (version, path, to),                \
         (version, instead, to))                                                                   \
    CALL(fstatat, (int in, const char *path, void *to, int flags), (in, path, to, flags),          \
         (in, instead, to, flags))                                                                 \
    CALL(fstatat64, (int in, const char *path, void *to, int flags), (in, path, to, flags),        \
         (in, instead, to, flags))                                                                 \
    CALL(access, (const char *path, int mode), (path, mode), (instead, mode))

/* The program's own libc sets the program's errno. */
#define CALL(name, parameters, as_given, for_other)                                                \
    static int(*name##_own) parameters;                                                            \
    static int name##_led parameters                                                               \
    {                                                                                              \
        const int code = name##_own as_given;                                                      \
        return code != 0 && is_device_file(path) ? name##_own for_other : code;                    \
    }
CALLS
#undef CALL

#define CALL(name, ...)                                                                            \
    if (strcmp(asked, #name) == 0) {                                                               \
        memcpy(&name##_own, &own, sizeof own);                                                     \
        return (uintptr_t)name##_led;                                                              \
    }

uintptr_t ifl_device_file_call(const char *asked, uintptr_t own)
{
    CALLS
    return own;
}
