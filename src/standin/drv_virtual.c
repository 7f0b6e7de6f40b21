/* SPDX-License-Identifier: Apache-2.0
 * Addresses that a program reserves, and memory that it maps there (cuMemAddressReserve,
 * cuMemCreate, cuMemMap). Reserved addresses are the host's own, and memory is a file without a
 * name, so that it may be mapped at several of them. What is accessible is told to the GPU's memory
 * in runs as long as they are: a copy may pass over the end of one mapping into the next. */
#include "standin/chosen_gpu.h"
#include "standin/driver_served.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What an H200 asks for, at least and best. */
#define GRANULE (UINT64_C(2) << 20)
#define FILE_NAME "inflight memory"

/* CUmemAccess_flags; CUmemAllocationType; CUmemLocationType */
enum { NO_ACCESS = 0, READS = 1, READS_AND_WRITES = 3 };
enum { TYPE_PINNED = 1 };
enum { GENERIC_COMPRESSION = 1 };
enum { FILE_HANDLE = 1 }; /* CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR */
enum { AT_DEVICE = 1, AT_CURRENT_NODE = 4 };

typedef struct location {
    int type, id;
} location;

typedef struct properties {
    int type, handle_types;
    location location;
    void *windows;
    uint8_t compression; /* CUmemAllocationCompType: none or generic */
    uint8_t flags[7];
} properties;

typedef struct access_wish {
    location location;
    int flags;
} access_wish;

typedef struct memory {
    int file;
    uint64_t bytes;
    properties properties;
    unsigned handles, mappings; /* that refer to it; without handles it is none for the program */
} memory;

typedef struct mapping {
    uint64_t first, count; /* granules */
    memory *of;
} mapping;

typedef struct reservation {
    uintptr_t at;
    uint64_t count;  /* granules */
    uint8_t *access; /* of each */
    IFL_VEC(mapping) mappings;
    IFL_VEC(ifl_allocation *) told; /* to the GPU's memory */
} reservation;

static IFL_VEC(reservation *) reservations;

/* ---- addresses ------------------------------------------------------------------------------- */

static bool is_whole(uint64_t bytes)
{
    return bytes && bytes % GRANULE == 0;
}

/* The reservation that holds a whole range; NULL: none. */
static reservation *holding(uintptr_t at, uint64_t bytes, size_t *index)
{
    for (size_t i = 0; i < reservations.count; i++) {
        reservation *r = reservations.at[i];
        if (at >= r->at && at - r->at < r->count * GRANULE &&
            bytes <= r->count * GRANULE - (at - r->at)) {
            if (index)
                *index = i;
            return r;
        }
    }
    return NULL;
}

/* `bytes` addresses at a multiple of `alignment`, of which nothing may be touched. */
static void *reserve_aligned(uint64_t bytes, uint64_t alignment)
{
    uint64_t all;
    if (__builtin_add_overflow(bytes, alignment, &all))
        return MAP_FAILED;
    char *at = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return at;
    const uint64_t before = (alignment - (uintptr_t)at % alignment) % alignment;
    if (before)
        munmap(at, before);
    if (all - before - bytes)
        munmap(at + before + bytes, all - before - bytes);
    return at + before;
}

static ifl_cuda_error reserve(uintptr_t *out, uint64_t bytes, uint64_t alignment, uint64_t flags)
{
    if (!out || !is_whole(bytes) || flags || alignment & (alignment - 1))
        return ifl_cudaErrorInvalidValue;
    void *at = reserve_aligned(bytes, alignment > GRANULE ? alignment : GRANULE);
    reservation *r = at == MAP_FAILED ? NULL : calloc(1, sizeof *r);
    uint8_t *access = r ? calloc(bytes / GRANULE, 1) : NULL;
    if (!access || !ifl_vec_push(&reservations, r)) {
        if (at != MAP_FAILED)
            munmap(at, bytes);
        free(access);
        free(r);
        return ifl_cudaErrorMemoryAllocation;
    }
    r->at = (uintptr_t)at;
    r->count = bytes / GRANULE;
    r->access = access;
    *out = r->at;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuMemAddressReserve(uintptr_t *out, size_t bytes, size_t alignment,
                                              uintptr_t wish, unsigned long long flags)
{
    (void)wish; /* a hint */
    DRIVE_EARLY(reserve(out, bytes, alignment, flags));
}

static ifl_cuda_error give_back(uintptr_t at, uint64_t bytes)
{
    size_t index;
    reservation *r = holding(at, bytes, &index);
    if (!r || r->at != at || r->count * GRANULE != bytes || r->mappings.count)
        return ifl_cudaErrorInvalidValue;
    munmap((void *)at, bytes);
    reservations.at[index] = reservations.at[--reservations.count];
    ifl_vec_free(&r->mappings);
    ifl_vec_free(&r->told);
    free(r->access);
    free(r);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuMemAddressFree(uintptr_t at, size_t bytes)
{
    DRIVE_EARLY(give_back(at, bytes));
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool fits_machine(uint64_t bytes)
{
    return bytes / (uint64_t)sysconf(_SC_PAGESIZE) <= (uint64_t)sysconf(_SC_PHYS_PAGES);
}

static bool is_place(const location *l)
{
    return l->type >= AT_DEVICE && l->type <= AT_CURRENT_NODE &&
           (l->type != AT_DEVICE || ifl_gpu_exists(l->id));
}

/* Takes the file over. */
static ifl_cuda_error make(uint64_t *out, int file, uint64_t bytes, const properties *p)
{
    memory *m = file >= 0 ? malloc(sizeof *m) : NULL;
    if (!m || !ifl_handle_add(IFL_HANDLE_MEMORY, m)) {
        if (file >= 0)
            close(file);
        free(m);
        return ifl_cudaErrorMemoryAllocation;
    }
    *m = (memory){.file = file, .bytes = bytes, .properties = *p, .handles = 1};
    *out = (uintptr_t)m;
    return ifl_cudaSuccess;
}

static int file_of(uint64_t bytes)
{
    const int file = fits_machine(bytes) ? memfd_create(FILE_NAME, MFD_CLOEXEC) : -1;
    if (file < 0 || ftruncate(file, (off_t)bytes) == 0)
        return file;
    close(file);
    return -1;
}

static ifl_cuda_error create(uint64_t *out, uint64_t bytes, const properties *p, uint64_t flags)
{
    if (!out || !p || !is_whole(bytes) || flags || p->type != TYPE_PINNED ||
        !is_place(&p->location) || p->compression > GENERIC_COMPRESSION)
        return ifl_cudaErrorInvalidValue;
    return make(out, file_of(bytes), bytes, p);
}

IFL_SERVED ifl_cuda_error cuMemCreate(uint64_t *out, size_t bytes, const properties *p,
                                      unsigned long long flags)
{
    DRIVE_EARLY(create(out, bytes, p, flags));
}

static memory *memory_of(uint64_t handle)
{
    memory *m = ifl_handle_find(IFL_HANDLE_MEMORY, (const void *)(uintptr_t)handle);
    return m && m->handles ? m : NULL;
}

static void free_unused(memory *m)
{
    if (m->handles || m->mappings)
        return;
    ifl_handle_remove(m);
    close(m->file);
    free(m);
}

static ifl_cuda_error release(memory *m)
{
    if (!m)
        return ifl_cudaErrorInvalidValue;
    m->handles--;
    free_unused(m);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuMemRelease(uint64_t handle)
{
    DRIVE_EARLY(release(memory_of(handle)));
}

static ifl_cuda_error granularity(size_t *out, const properties *p)
{
    if (!out || !p || p->type != TYPE_PINNED || !is_place(&p->location))
        return ifl_cudaErrorInvalidValue;
    *out = GRANULE;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuMemGetAllocationGranularity(size_t *out, const properties *p,
                                                        int option)
{
    (void)option; /* least or best: the same */
    DRIVE_EARLY(granularity(out, p));
}

static ifl_cuda_error properties_of(properties *out, const memory *m)
{
    if (!out || !m)
        return ifl_cudaErrorInvalidValue;
    *out = m->properties;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuMemGetAllocationPropertiesFromHandle(properties *out, uint64_t handle)
{
    DRIVE_EARLY(properties_of(out, memory_of(handle)));
}

/* ---- memory of several processes ------------------------------------------------------------- */

static ifl_cuda_error share(int *out, const memory *m, int type, uint64_t flags)
{
    if (!out || !m || type != FILE_HANDLE || !(m->properties.handle_types & FILE_HANDLE) || flags)
        return ifl_cudaErrorInvalidValue;
    *out = fcntl(m->file, F_DUPFD_CLOEXEC, 0);
    return *out < 0 ? ifl_cudaErrorMemoryAllocation : ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuMemExportToShareableHandle(void *out, uint64_t handle, int type,
                                                       unsigned long long flags)
{
    DRIVE_EARLY(share(out, memory_of(handle), type, flags));
}

/* A file that `file_of` made, in whichever process. */
static bool is_ours(int file, uint64_t *bytes)
{
    static const char begins[] = "/memfd:" FILE_NAME;
    char link[64], name[sizeof begins] = "";
    struct stat about;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (fstat(file, &about) != 0 || readlink(link, name, sizeof name - 1) < 0)
        return false;
    *bytes = (uint64_t)about.st_size;
    return strcmp(name, begins) == 0;
}

/* It lies at the chosen GPU: a file does not say where the other process has it. */
static ifl_cuda_error take_over(uint64_t *out, int file, int type)
{
    const properties here = {.type = TYPE_PINNED,
                             .handle_types = FILE_HANDLE,
                             .location = {.type = AT_DEVICE, .id = ifl_gpu_chosen()}};
    uint64_t bytes;
    if (!out || type != FILE_HANDLE || !is_ours(file, &bytes))
        return ifl_cudaErrorInvalidValue;
    return make(out, fcntl(file, F_DUPFD_CLOEXEC, 0), bytes, &here);
}

IFL_SERVED ifl_cuda_error cuMemImportFromShareableHandle(uint64_t *out, void *file, int type)
{
    DRIVE_EARLY(take_over(out, (int)(intptr_t)file, type));
}

/* ---- mappings -------------------------------------------------------------------------------- */

static uint32_t gpu_at(const reservation *r, uint64_t granule)
{
    for (size_t i = 0; i < r->mappings.count; i++) {
        const mapping *m = &r->mappings.at[i];
        if (granule >= m->first && granule - m->first < m->count &&
            m->of->properties.location.type == AT_DEVICE)
            return (uint32_t)m->of->properties.location.id;
    }
    return 0;
}

static bool tell_run(ifl_session *session, reservation *r, uint64_t first, uint64_t count)
{
    const uintptr_t at = r->at + first * GRANULE;
    ifl_allocation *a;
    ifl_error error = {0};
    if (!ifl_vec_reserve(&r->told, 1) ||
        ifl_memory_adopt(ifl_session_memory(session), at, (void *)at, count * GRANULE, "cuMemMap",
                         &a, &error) != IFL_OK)
        return false;
    if (r->access[first] == READS)
        a->flags |= IFL_ALLOCATION_READ_ONLY;
    a->gpu = gpu_at(r, first);
    r->told.at[r->told.count++] = a;
    return true;
}

/* Tells the GPU's memory anew what of the reservation may be accessed. */
static ifl_cuda_error tell(ifl_session *session, reservation *r)
{
    bool done = true;
    for (size_t i = 0; i < r->told.count; i++)
        ifl_memory_drop(ifl_session_memory(session), r->told.at[i]);
    r->told.count = 0;
    for (uint64_t first = 0, end; first < r->count; first = end) {
        for (end = first + 1; end < r->count && r->access[end] == r->access[first];)
            end++;
        if (r->access[first] != NO_ACCESS)
            done &= tell_run(session, r, first, end - first);
    }
    return done ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation;
}

/* The mapping that holds a granule; NULL: nothing is mapped there. */
static const mapping *mapping_at(const reservation *r, uint64_t granule)
{
    for (size_t i = 0; i < r->mappings.count; i++)
        if (granule - r->mappings.at[i].first < r->mappings.at[i].count)
            return &r->mappings.at[i];
    return NULL;
}

static bool is_mapped(const reservation *r, uint64_t first, uint64_t count, bool wanted)
{
    for (uint64_t g = first; g < first + count; g++)
        if ((mapping_at(r, g) != NULL) != wanted)
            return false;
    return true;
}

static ifl_cuda_error map(uintptr_t at, uint64_t bytes, uint64_t offset, memory *m, uint64_t flags)
{
    reservation *r = holding(at, bytes, NULL);
    if (!r || !m || !is_whole(bytes) || (at - r->at) % GRANULE || offset || bytes > m->bytes ||
        flags)
        return ifl_cudaErrorInvalidValue;
    const mapping new = {(at - r->at) / GRANULE, bytes / GRANULE, m};
    if (!is_mapped(r, new.first, new.count, false))
        return ifl_cudaErrorInvalidValue;
    if (!ifl_vec_reserve(&r->mappings, 1) || mmap((void *)at, bytes, PROT_READ | PROT_WRITE,
                                                  MAP_SHARED | MAP_FIXED, m->file, 0) == MAP_FAILED)
        return ifl_cudaErrorMemoryAllocation;
    r->mappings.at[r->mappings.count++] = new;
    m->mappings++;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuMemMap(uintptr_t at, size_t bytes, size_t offset, uint64_t handle,
                                   unsigned long long flags)
{
    DRIVE_EARLY(map(at, bytes, offset, memory_of(handle), flags));
}

/* Whether the range is made of whole mappings. */
static bool is_of_mappings(const reservation *r, uint64_t first, uint64_t count)
{
    uint64_t covered = 0;
    for (size_t i = 0; i < r->mappings.count; i++) {
        const mapping *one = &r->mappings.at[i];
        covered += one->first >= first && one->first + one->count <= first + count ? one->count : 0;
    }
    return covered == count;
}

static ifl_cuda_error unmap(ifl_session *session, uintptr_t at, uint64_t bytes)
{
    reservation *r = holding(at, bytes, NULL);
    const uint64_t first = r ? (at - r->at) / GRANULE : 0, count = bytes / GRANULE;
    if (!r || !is_whole(bytes) || (at - r->at) % GRANULE || !is_of_mappings(r, first, count))
        return ifl_cudaErrorInvalidValue;
    memset(r->access + first, NO_ACCESS, count);
    const ifl_cuda_error code = tell(session, r);
    for (size_t i = r->mappings.count; i-- > 0;) {
        const mapping one = r->mappings.at[i];
        if (one.first < first || one.first >= first + count)
            continue;
        r->mappings.at[i] = r->mappings.at[--r->mappings.count];
        one.of->mappings--;
        free_unused(one.of);
    }
    mmap((void *)at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
         0);
    return code;
}

static ifl_cuda_error serve_unmap(uintptr_t at, uint64_t bytes)
{
    SERVE(unmap(session, at, bytes));
}

IFL_SERVED ifl_cuda_error cuMemUnmap(uintptr_t at, size_t bytes)
{
    DRIVE_EARLY(serve_unmap(at, bytes));
}

static ifl_cuda_error give_access(ifl_session *session, uintptr_t at, uint64_t bytes,
                                  const access_wish *wishes, size_t count)
{
    reservation *r = holding(at, bytes, NULL);
    const uint64_t first = r ? (at - r->at) / GRANULE : 0;
    if (!r || !wishes || !count || !is_whole(bytes) || (at - r->at) % GRANULE ||
        !is_mapped(r, first, bytes / GRANULE, true))
        return ifl_cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        const int flags = wishes[i].flags;
        if (!is_place(&wishes[i].location) ||
            (flags != NO_ACCESS && flags != READS && flags != READS_AND_WRITES))
            return ifl_cudaErrorInvalidValue;
        if (wishes[i].location.type == AT_DEVICE)
            memset(r->access + first, flags, bytes / GRANULE);
    }
    return tell(session, r);
}

static ifl_cuda_error serve_access(uintptr_t at, uint64_t bytes, const access_wish *wishes,
                                   size_t count)
{
    SERVE(give_access(session, at, bytes, wishes, count));
}

IFL_SERVED ifl_cuda_error cuMemSetAccess(uintptr_t at, size_t bytes, const access_wish *wishes,
                                         size_t count)
{
    DRIVE_EARLY(serve_access(at, bytes, wishes, count));
}

static ifl_cuda_error access_of(unsigned long long *out, const location *l, uintptr_t at)
{
    const reservation *r = holding(at, 1, NULL);
    if (!out || !l || !is_place(l) || !r || !mapping_at(r, (at - r->at) / GRANULE))
        return ifl_cudaErrorInvalidValue;
    *out = r->access[(at - r->at) / GRANULE];
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuMemGetAccess(unsigned long long *out, const location *l, uintptr_t at)
{
    DRIVE_EARLY(access_of(out, l, at));
}

static ifl_cuda_error retain(uint64_t *out, uintptr_t at)
{
    const reservation *r = holding(at, 1, NULL);
    const mapping *m = r ? mapping_at(r, (at - r->at) / GRANULE) : NULL;
    if (!out || !m)
        return ifl_cudaErrorInvalidValue;
    m->of->handles++;
    *out = (uintptr_t)m->of;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuMemRetainAllocationHandle(uint64_t *out, void *at)
{
    DRIVE_EARLY(retain(out, (uintptr_t)at));
}
