/* SPDX-License-Identifier: Apache-2.0
 * Addresses that a program reserves, and memory that it maps there (cuMemAddressReserve,
 * cuMemCreate, cuMemMap), that of several GPUs at once too (cuMulticastCreate). Reserved addresses
 * are the host's own, and memory is a file without a name, so that it may be mapped at several of
 * them. What is accessible is told to the GPU's memory in runs as long as they are: a copy may pass
 * over the end of one mapping into the next. */
#include "standin/chosen_gpu.h"
#include "standin/driver_served.h"
#include "standin/virtual_place.h"

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

typedef struct memory memory;

/* A part of a multicast object that is a GPU's memory. */
typedef struct binding {
    memory *of;
    unsigned member;
    uint64_t first, bytes;
} binding;

/* What a multicast object stands for: the memory of each member, side by side as the object has it.
 * It may be accessed when all of it is bound for all GPUs. */
enum { MOST_MEMBERS = 16 };
typedef struct group {
    unsigned wanted, count;
    int gpu[MOST_MEMBERS];
    uint8_t *copy[MOST_MEMBERS];
    uint64_t bound; /* bytes of all */
    IFL_VEC(binding) bindings;
} group;

struct memory {
    group *group; /* NULL: memory of its own */
    int file;
    uint64_t bytes;
    properties properties;
    unsigned handles, mappings; /* that refer to it; without handles it is none for the program */
};

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
    const int file = bytes / (uint64_t)sysconf(_SC_PAGESIZE) <= (uint64_t)sysconf(_SC_PHYS_PAGES)
                         ? memfd_create(FILE_NAME, MFD_CLOEXEC)
                         : -1;
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
    if (m->group) {
        for (unsigned i = 0; i < m->group->count; i++)
            munmap(m->group->copy[i], m->bytes);
        for (size_t i = 0; i < m->group->bindings.count; i++) {
            m->group->bindings.at[i].of->mappings--;
            free_unused(m->group->bindings.at[i].of);
        }
        ifl_vec_free(&m->group->bindings);
        free(m->group);
    } else
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
    if (!out || !m || m->group || type != FILE_HANDLE ||
        !(m->properties.handle_types & FILE_HANDLE) || flags)
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

/* The mapping that holds a granule; NULL: nothing is mapped there. */
static const mapping *mapping_at(const reservation *r, uint64_t granule)
{
    for (size_t i = 0; i < r->mappings.count; i++)
        if (granule - r->mappings.at[i].first < r->mappings.at[i].count)
            return &r->mappings.at[i];
    return NULL;
}

/* The mapping of a multicast object that holds a granule; NULL: none does. */
static const mapping *group_at(const reservation *r, uint64_t granule)
{
    const mapping *m = mapping_at(r, granule);
    return m && m->of->group ? m : NULL;
}

static ifl_status adopt(ifl_session *session, const reservation *r, uint64_t first, uint64_t count,
                        ifl_allocation **out)
{
    const mapping *m = group_at(r, first);
    const uintptr_t at = r->at + first * GRANULE;
    ifl_error error = {0};
    return m ? ifl_memory_adopt_copies(ifl_session_memory(session), at, m->of->group->copy,
                                       m->of->group->count, count * GRANULE, "cuMulticastCreate",
                                       out, &error)
             : ifl_memory_adopt(ifl_session_memory(session), at, (void *)at, count * GRANULE,
                                "cuMemMap", out, &error);
}

/* Is a run that begins there to be told? Of a multicast object only all that is mapped, once it is
 * bound. */
static bool may_tell(const reservation *r, uint64_t first, uint64_t count)
{
    const mapping *m = group_at(r, first);
    const memory *of = m ? m->of : NULL;
    return !of ||
           (m->first == first && m->count == count && of->group->count == of->group->wanted &&
            of->group->bound == of->bytes * of->group->wanted);
}

static bool tell_run(ifl_session *session, reservation *r, uint64_t first, uint64_t count)
{
    ifl_allocation *a;
    if (!may_tell(r, first, count))
        return true;
    if (!ifl_vec_reserve(&r->told, 1) || adopt(session, r, first, count, &a) != IFL_OK)
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
        for (end = first + 1; end < r->count && r->access[end] == r->access[first] &&
                              group_at(r, end) == group_at(r, first);)
            end++;
        if (r->access[first] != NO_ACCESS)
            done &= tell_run(session, r, first, end - first);
    }
    return done ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation;
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
    if (!ifl_vec_reserve(&r->mappings, 1) ||
        (!m->group && mmap((void *)at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                           m->file, 0) == MAP_FAILED))
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

bool ifl_virtual_find(uintptr_t at, ifl_virtual_place *out)
{
    const reservation *r = holding(at, 1, NULL);
    const uint64_t granule = r ? (at - r->at) / GRANULE : 0;
    const mapping *m = r ? mapping_at(r, granule) : NULL;
    if (!m)
        return false;
    *out = (ifl_virtual_place){.reserved = r->at,
                               .reserved_bytes = r->count * GRANULE,
                               .mapped = r->at + m->first * GRANULE,
                               .mapped_bytes = m->count * GRANULE,
                               .handle_types = m->of->properties.handle_types,
                               .access = r->access[granule],
                               .memory = m->of,
                               .gpu = (int)gpu_at(r, granule)};
    return true;
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

/* ---- memory of several GPUs ------------------------------------------------------------------ */

/* CUmulticastObjectProp */
typedef struct group_properties {
    unsigned gpus;
    size_t bytes;
    unsigned long long handle_types, flags;
} group_properties;

static bool is_group_right(const group_properties *p)
{
    return p && p->gpus >= 1 && p->gpus <= (unsigned)ifl_gpu_count() && p->gpus <= MOST_MEMBERS &&
           is_whole(p->bytes) && !p->flags;
}

static ifl_cuda_error create_group(uint64_t *out, const group_properties *p)
{
    if (!out || !is_group_right(p))
        return ifl_cudaErrorInvalidValue;
    memory *m = calloc(1, sizeof *m);
    group *g = calloc(1, sizeof *g);
    if (!m || !g || !ifl_handle_add(IFL_HANDLE_MEMORY, m)) {
        free(m);
        free(g);
        return ifl_cudaErrorMemoryAllocation;
    }
    g->wanted = p->gpus;
    *m = (memory){.group = g,
                  .file = -1,
                  .bytes = p->bytes,
                  .properties = {.type = TYPE_PINNED, .location = {.type = AT_DEVICE}},
                  .handles = 1};
    *out = (uintptr_t)m;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuMulticastCreate(uint64_t *out, const group_properties *p)
{
    DRIVE_EARLY(create_group(out, p));
}

static ifl_cuda_error group_granularity(size_t *out, const group_properties *p)
{
    if (!out || !p || !p->gpus || p->flags)
        return ifl_cudaErrorInvalidValue;
    *out = GRANULE;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuMulticastGetGranularity(size_t *out, const group_properties *p,
                                                    int option)
{
    (void)option; /* least or best: the same */
    DRIVE_EARLY(group_granularity(out, p));
}

/* The member that is the GPU; the count of members: none is. */
static unsigned member_of(const group *g, int gpu)
{
    unsigned i = 0;
    while (i < g->count && g->gpu[i] != gpu)
        i++;
    return i;
}

static ifl_cuda_error join(memory *m, int gpu)
{
    group *g = m ? m->group : NULL;
    if (!ifl_gpu_exists(gpu))
        return ifl_cudaErrorInvalidDevice;
    if (!g || g->count == g->wanted || member_of(g, gpu) < g->count)
        return ifl_cudaErrorInvalidValue;
    void *at = reserve_aligned(m->bytes, GRANULE);
    if (at == MAP_FAILED)
        return ifl_cudaErrorMemoryAllocation;
    g->gpu[g->count] = gpu;
    g->copy[g->count++] = at;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuMulticastAddDevice(uint64_t handle, int gpu)
{
    DRIVE_EARLY(join(memory_of(handle), gpu));
}

/* Tells the GPU's memory anew of what a multicast object is mapped at. */
static ifl_cuda_error tell_group(ifl_session *session, const memory *m)
{
    ifl_cuda_error code = ifl_cudaSuccess;
    for (size_t i = 0; i < reservations.count && code == ifl_cudaSuccess; i++)
        for (size_t k = 0; k < reservations.at[i]->mappings.count; k++)
            if (reservations.at[i]->mappings.at[k].of == m) {
                code = tell(session, reservations.at[i]);
                break;
            }
    return code;
}

static bool is_bound(const group *g, unsigned member, uint64_t first, uint64_t bytes)
{
    for (size_t i = 0; i < g->bindings.count; i++) {
        const binding *b = &g->bindings.at[i];
        if (b->member == member && first < b->first + b->bytes && b->first < first + bytes)
            return true;
    }
    return false;
}

/* Every GPU has joined before memory is bound (CUDA Driver API, "cuMulticastBindMem"). */
static ifl_cuda_error bind(ifl_session *session, memory *m, uint64_t first, memory *of,
                           uint64_t offset, uint64_t bytes, uint64_t flags)
{
    group *g = m ? m->group : NULL;
    if (!g || !of || of->group || flags || !is_whole(bytes) || first % GRANULE ||
        offset % GRANULE || first > m->bytes || bytes > m->bytes - first || offset > of->bytes ||
        bytes > of->bytes - offset || g->count != g->wanted)
        return ifl_cudaErrorInvalidValue;
    const unsigned member = member_of(g, of->properties.location.id);
    if (of->properties.location.type != AT_DEVICE || member == g->count ||
        is_bound(g, member, first, bytes))
        return ifl_cudaErrorInvalidValue;
    if (!ifl_vec_reserve(&g->bindings, 1) ||
        mmap(g->copy[member] + first, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             of->file, (off_t)offset) == MAP_FAILED)
        return ifl_cudaErrorMemoryAllocation;
    g->bindings.at[g->bindings.count++] = (binding){of, member, first, bytes};
    g->bound += bytes;
    of->mappings++;
    return tell_group(session, m);
}

static ifl_cuda_error serve_bind(uint64_t handle, uint64_t first, uint64_t of, uint64_t offset,
                                 uint64_t bytes, uint64_t flags)
{
    SERVE(bind(session, memory_of(handle), first, memory_of(of), offset, bytes, flags));
}

IFL_SERVED ifl_cuda_error cuMulticastBindMem(uint64_t handle, size_t first, uint64_t of,
                                             size_t offset, size_t bytes, unsigned long long flags)
{
    DRIVE_EARLY(serve_bind(handle, first, of, offset, bytes, flags));
}

static ifl_cuda_error bind_address(ifl_session *session, memory *m, uint64_t first, uintptr_t at,
                                   uint64_t bytes, uint64_t flags)
{
    const reservation *r = holding(at, bytes, NULL);
    const mapping *of = r ? mapping_at(r, (at - r->at) / GRANULE) : NULL;
    if (!of)
        return ifl_cudaErrorInvalidValue;
    return bind(session, m, first, of->of, at - r->at - of->first * GRANULE, bytes, flags);
}

static ifl_cuda_error serve_bind_address(uint64_t handle, uint64_t first, uintptr_t at,
                                         uint64_t bytes, uint64_t flags)
{
    SERVE(bind_address(session, memory_of(handle), first, at, bytes, flags));
}

IFL_SERVED ifl_cuda_error cuMulticastBindAddr(uint64_t handle, size_t first, uintptr_t at,
                                              size_t bytes, unsigned long long flags)
{
    DRIVE_EARLY(serve_bind_address(handle, first, at, bytes, flags));
}

/* Whole bindings of the GPU's that lie in the range. */
static ifl_cuda_error unbind(ifl_session *session, memory *m, int gpu, uint64_t first,
                             uint64_t bytes)
{
    group *g = m ? m->group : NULL;
    const unsigned member = g ? member_of(g, gpu) : 0;
    if (!ifl_gpu_exists(gpu))
        return ifl_cudaErrorInvalidDevice;
    if (!g || member == g->count || !is_bound(g, member, first, bytes))
        return ifl_cudaErrorInvalidValue;
    for (size_t i = g->bindings.count; i-- > 0;) {
        const binding b = g->bindings.at[i];
        if (b.member != member || b.first < first || b.first + b.bytes > first + bytes)
            continue;
        g->bindings.at[i] = g->bindings.at[--g->bindings.count];
        g->bound -= b.bytes;
        mmap(g->copy[member] + b.first, b.bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        b.of->mappings--;
        free_unused(b.of);
    }
    return tell_group(session, m);
}

static ifl_cuda_error serve_unbind(uint64_t handle, int gpu, uint64_t first, uint64_t bytes)
{
    SERVE(unbind(session, memory_of(handle), gpu, first, bytes));
}

IFL_SERVED ifl_cuda_error cuMulticastUnbind(uint64_t handle, int gpu, size_t first, size_t bytes)
{
    DRIVE_EARLY(serve_unbind(handle, gpu, first, bytes));
}
