/* SPDX-License-Identifier: Apache-2.0
 * See shared_memory.h. */
#include "standin/shared_memory.h"

#include "standin/chosen_gpu.h"
#include "standin/state.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OF_MEMORY = 0x6d6c6669, OF_EVENT = 0x65746669 };

typedef struct content {
    uint32_t kind;
    int32_t process, file;
    uint64_t id, bytes, offset;
} content;

_Static_assert(sizeof(content) <= sizeof(ifl_shared_handle), "the handle's size is CUDA's");

typedef struct import {
    content of; /* what it was opened by first */
    uint8_t *map;
    unsigned users;
} import;

static IFL_VEC(import) imports;

/* ---- handles --------------------------------------------------------------------------------- */

static content content_of(const ifl_shared_handle *handle)
{
    content c;
    memcpy(&c, handle, sizeof c);
    return c;
}

static void put(ifl_shared_handle *out, content c)
{
    memset(out, 0, sizeof *out);
    memcpy(out, &c, sizeof c);
}

static ifl_cuda_error export(ifl_session *session, ifl_shared_handle *out, const void *at,
                             bool is_base)
{
    enum {
        OTHERS = IFL_ALLOCATION_FREED | IFL_ALLOCATION_ADOPTED | IFL_ALLOCATION_MODULE |
                 IFL_ALLOCATION_DEVICE
    };
    ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), (uintptr_t)at);
    if (!a || a->flags & OTHERS)
        return ifl_cudaErrorInvalidValue;
    const int file = ifl_memory_share(a);
    if (file < 0)
        return ifl_cudaErrorMemoryAllocation;
    put(out, (content){OF_MEMORY, getpid(), file, a->id, a->bytes,
                       is_base ? 0 : (uintptr_t)at - a->address});
    return ifl_cudaSuccess;
}

ifl_cuda_error ifl_shared_export(ifl_session *session, ifl_shared_handle *out, const void *at)
{
    return export(session, out, at, true);
}

ifl_cuda_error ifl_shared_export_place(ifl_session *session, ifl_shared_handle *out, const void *at)
{
    return export(session, out, at, false);
}

void ifl_shared_export_event(ifl_shared_handle *out)
{
    put(out, (content){.kind = OF_EVENT, .process = getpid()});
}

bool ifl_shared_is_event(const ifl_shared_handle *handle)
{
    return content_of(handle).kind == OF_EVENT;
}

/* ---- what was opened ------------------------------------------------------------------------- */

static import *find(const content *c)
{
    for (size_t i = 0; i < imports.count; i++)
        if (imports.at[i].of.process == c->process && imports.at[i].of.id == c->id)
            return &imports.at[i];
    return NULL;
}

static import *holding(const void *at)
{
    for (size_t i = 0; i < imports.count; i++)
        if ((uintptr_t)at - (uintptr_t)imports.at[i].map < imports.at[i].of.bytes)
            return &imports.at[i];
    return NULL;
}

/* As long as the process that made the file has it open. */
static uint8_t *map_file(const content *c)
{
    char path[64];
    struct stat about;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", c->process, c->file);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return NULL;
    void *map =
        fstat(file, &about) == 0 && S_ISREG(about.st_mode) && (uint64_t)about.st_size > c->bytes
            ? mmap(NULL, c->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
            : MAP_FAILED;
    close(file);
    return map == MAP_FAILED ? NULL : map;
}

static ifl_cuda_error open_first(ifl_session *session, const content *c)
{
    ifl_allocation *a;
    ifl_error error = {0};
    uint8_t *map = ifl_vec_reserve(&imports, 1) ? map_file(c) : NULL;
    if (!map)
        return ifl_cudaErrorMapBufferObjectFailed;
    if (ifl_memory_adopt(ifl_session_memory(session), (uintptr_t)map, map, c->bytes,
                         "another process's memory", &a, &error) != IFL_OK) {
        munmap(map, c->bytes);
        return ifl_cudaErrorMemoryAllocation;
    }
    a->gpu = (uint32_t)ifl_gpu_chosen();
    imports.at[imports.count++] = (import){.of = *c, .map = map};
    return ifl_cudaSuccess;
}

/* CUDA Runtime API, cudaIpcOpenMemHandle: a handle of this process's own cannot be opened. */
ifl_cuda_error ifl_shared_import(ifl_session *session, void **out, const ifl_shared_handle *handle)
{
    const content c = content_of(handle);
    if (c.kind != OF_MEMORY || !c.bytes || c.offset >= c.bytes)
        return ifl_cudaErrorInvalidValue;
    if (c.process == getpid())
        return ifl_cudaErrorDeviceUninitialized;
    const ifl_cuda_error code = find(&c) ? ifl_cudaSuccess : open_first(session, &c);
    if (code != ifl_cudaSuccess)
        return code;
    import *found = find(&c);
    found->users++;
    *out = found->map + c.offset;
    return ifl_cudaSuccess;
}

ifl_cuda_error ifl_shared_close(ifl_session *session, void *at)
{
    import *found = holding(at);
    if (!found)
        return ifl_cudaErrorInvalidValue;
    if (--found->users)
        return ifl_cudaSuccess;
    ifl_memory_drop(ifl_session_memory(session),
                    ifl_memory_find(ifl_session_memory(session), (uintptr_t)found->map));
    munmap(found->map, found->of.bytes);
    *found = imports.at[--imports.count];
    return ifl_cudaSuccess;
}
