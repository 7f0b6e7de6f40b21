/* SPDX-License-Identifier: Apache-2.0
 * See managed_range.h. Spans of whole pages, in the order of their addresses; what lies between two
 * was never spoken of. */
#include "standin/managed_range.h"

#include "base/vec.h"
#include "standin/chosen_gpu.h"
#include "standin/host_block.h"
#include "standin/stream.h"

#include <string.h>

enum { PAGE = 4096, CPU_DEVICE = -1, NO_DEVICE = -2 };
_Static_assert(IFL_MOST_GPUS < 32, "a bit each, and one for the host");
enum { HOST_BIT = 31 };

typedef struct advice {
    bool reads_mostly;
    uint32_t users; /* a bit for each GPU and for the host */
    ifl_location preferred, brought;
} advice;

typedef struct span {
    uintptr_t start, end;
    advice is;
} span;

static IFL_VEC(span) spans;

ifl_location ifl_location_of_device(int device)
{
    return device == CPU_DEVICE ? (ifl_location){IFL_LOCATION_HOST, 0}
                                : (ifl_location){IFL_LOCATION_GPU, device};
}

/* ---- spans ----------------------------------------------------------------------------------- */

/* The first that ends behind the address. */
static size_t find(uintptr_t at)
{
    size_t i = 0;
    while (i < spans.count && spans.at[i].end <= at)
        i++;
    return i;
}

static void insert(size_t at, span new)
{
    memmove(&spans.at[at + 1], &spans.at[at], (spans.count++ - at) * sizeof new);
    spans.at[at] = new;
}

/* No span goes on across the address then. */
static void split(uintptr_t at)
{
    const size_t i = find(at);
    if (i == spans.count || spans.at[i].start >= at)
        return;
    const span rest = {at, spans.at[i].end, spans.at[i].is};
    spans.at[i].end = at;
    insert(i + 1, rest);
}

/* All that lies between the two has spans of its own, from the one that is told on. False without
 * memory. */
static bool cover(uintptr_t start, uintptr_t end, size_t *first)
{
    if (!ifl_vec_reserve(&spans, spans.count + 3)) /* two that are split, and the gaps */
        return false;
    split(start);
    split(end);
    *first = find(start);
    for (size_t i = *first; start < end; i++) {
        const bool is_next = i < spans.count && spans.at[i].start < end;
        const uintptr_t next = is_next ? spans.at[i].start : end;
        if (next > start)
            insert(i, (span){.start = start, .end = next});
        start = spans.at[i].end;
    }
    return true;
}

void ifl_managed_forget(const void *at, size_t bytes)
{
    const uintptr_t start = (uintptr_t)at, end = start + bytes;
    size_t kept = 0;
    for (size_t i = 0; i < spans.count; i++)
        if (spans.at[i].end <= start || spans.at[i].start >= end)
            spans.at[kept++] = spans.at[i];
    spans.count = kept;
}

/* ---- changing them --------------------------------------------------------------------------- */

static bool is_managed(ifl_session *session, const void *at, size_t bytes)
{
    const ifl_host_block *b = ifl_block_find(at);
    const ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), (uintptr_t)at);
    const bool is_variable =
        a && a->flags & IFL_ALLOCATION_MODULE && a->flags & IFL_ALLOCATION_HOST;
    const bool is = is_variable || (b && b->origin == BY_MANAGED);
    return a && is && bytes && bytes <= a->bytes - ((uintptr_t)at - a->address);
}

/* Pages that hold some of the bytes. */
static void pages_of(const void *at, size_t bytes, uintptr_t *start, uintptr_t *end)
{
    *start = (uintptr_t)at / PAGE * PAGE;
    *end = ((uintptr_t)at + bytes + PAGE - 1) / PAGE * PAGE;
}

/* cudaErrorInvalidValue for a GPU that is not there too (an H100, runtime 13.0, driver 580). */
static ifl_cuda_error check_location(const ifl_location *l)
{
    const bool is_there = l->type == IFL_LOCATION_GPU
                              ? ifl_gpu_exists(l->id)
                              : l->type > IFL_LOCATION_NONE && l->type <= IFL_LOCATIONS;
    return is_there ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
}

/* cudaMemoryAdvise */
enum { READS = 1, NOT_READS, PREFERS, NOT_PREFERS, USED_BY, NOT_USED_BY, BROUGHT };

/* Of a location that is there: advice of reads takes any. */
static uint32_t user_of(const ifl_location *l)
{
    return UINT32_C(1) << (l->type == IFL_LOCATION_GPU ? l->id : HOST_BIT);
}

static ifl_cuda_error note(const void *at, size_t bytes, int what, const ifl_location *l)
{
    uintptr_t start, end;
    size_t i;
    pages_of(at, bytes, &start, &end);
    if (!cover(start, end, &i))
        return ifl_cudaErrorMemoryAllocation;
    for (; i < spans.count && spans.at[i].start < end; i++) {
        if (what == READS || what == NOT_READS)
            spans.at[i].is.reads_mostly = what == READS;
        else if (what == PREFERS || what == NOT_PREFERS)
            spans.at[i].is.preferred = what == PREFERS ? *l : (ifl_location){0};
        else if (what == USED_BY)
            spans.at[i].is.users |= user_of(l);
        else if (what == NOT_USED_BY)
            spans.at[i].is.users &= ~user_of(l);
        else
            spans.at[i].is.brought = *l;
    }
    return ifl_cudaSuccess;
}

ifl_cuda_error ifl_managed_advise(ifl_session *session, const void *at, size_t bytes, int what,
                                  ifl_location l)
{
    const bool has_location = what == PREFERS || what == USED_BY || what == NOT_USED_BY;
    const bool is_used = what == USED_BY || what == NOT_USED_BY;
    if (!is_managed(session, at, bytes) || what < READS || what > NOT_USED_BY ||
        (is_used && l.type > IFL_LOCATION_HOST))
        return ifl_cudaErrorInvalidValue;
    const ifl_cuda_error code = has_location ? check_location(&l) : ifl_cudaSuccess;
    return code == ifl_cudaSuccess ? note(at, bytes, what, &l) : code;
}

ifl_cuda_error ifl_managed_check(ifl_session *session, const void *at, size_t bytes, void *stream)
{
    const ifl_stream *in = ifl_stream_of(stream);
    const ifl_cuda_error code = in ? ifl_stream_check_idle(in) : ifl_cudaErrorInvalidResourceHandle;
    return code == ifl_cudaSuccess && !is_managed(session, at, bytes) ? ifl_cudaErrorInvalidValue
                                                                      : code;
}

ifl_cuda_error ifl_managed_prefetch(ifl_session *session, const void *at, size_t bytes,
                                    ifl_location l, void *stream)
{
    ifl_cuda_error code = ifl_managed_check(session, at, bytes, stream);
    if (code == ifl_cudaSuccess)
        code = check_location(&l);
    return code == ifl_cudaSuccess ? note(at, bytes, BROUGHT, &l) : code;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void merge_location(ifl_location *all, const ifl_location *one)
{
    if (all->type != one->type || (all->type != IFL_LOCATION_HOST && all->id != one->id))
        *all = (ifl_location){0};
}

static void merge(advice *all, const advice *one)
{
    all->reads_mostly &= one->reads_mostly;
    all->users &= one->users;
    merge_location(&all->preferred, &one->preferred);
    merge_location(&all->brought, &one->brought);
}

/* What is true of each page. */
static advice common(const void *at, size_t bytes)
{
    static const advice none;
    uintptr_t start, end;
    pages_of(at, bytes, &start, &end);
    size_t i = find(start);
    advice all = i < spans.count && spans.at[i].start <= start ? spans.at[i].is : none;
    for (; i < spans.count && start < end; i++) {
        if (spans.at[i].start > start)
            break;
        merge(&all, &spans.at[i].is);
        start = spans.at[i].end;
    }
    if (start < end)
        merge(&all, &none);
    return all;
}

static int device_of(const ifl_location *l)
{
    return l->type == IFL_LOCATION_GPU    ? l->id
           : l->type == IFL_LOCATION_HOST ? CPU_DEVICE
                                          : NO_DEVICE;
}

static void tell_users(uint32_t users, int *out, size_t room)
{
    size_t told = 0;
    for (int gpu = 0; gpu < IFL_MOST_GPUS && told < room; gpu++)
        if (users >> gpu & 1)
            out[told++] = gpu;
    if (users >> HOST_BIT && told < room)
        out[told++] = CPU_DEVICE;
    while (told < room)
        out[told++] = NO_DEVICE;
}

/* cudaMemRangeAttribute */
enum {
    READ_MOSTLY = 1,
    PREFERRED,
    ACCESSED_BY,
    LAST_PREFETCH,
    PREFERRED_TYPE,
    PREFERRED_ID,
    PREFETCH_TYPE,
    PREFETCH_ID,
    ATTRIBUTES
};

static int value_of(const advice *is, int attribute)
{
    const int values[ATTRIBUTES] = {[READ_MOSTLY] = is->reads_mostly,
                                    [PREFERRED] = device_of(&is->preferred),
                                    [LAST_PREFETCH] = device_of(&is->brought),
                                    [PREFERRED_TYPE] = is->preferred.type,
                                    [PREFERRED_ID] = is->preferred.id,
                                    [PREFETCH_TYPE] = is->brought.type,
                                    [PREFETCH_ID] = is->brought.id};
    return values[attribute];
}

ifl_cuda_error ifl_managed_tell(ifl_session *session, void *out, size_t room, int attribute,
                                const void *at, size_t bytes)
{
    const bool is_list = attribute == ACCESSED_BY;
    const bool is_room = is_list ? room && room % sizeof(int) == 0 : room == sizeof(int);
    if (!out || !is_room || attribute < READ_MOSTLY || attribute >= ATTRIBUTES ||
        !is_managed(session, at, bytes))
        return ifl_cudaErrorInvalidValue;
    const advice is = common(at, bytes);
    if (is_list)
        tell_users(is.users, out, room / sizeof(int));
    else
        *(int *)out = value_of(&is, attribute);
    return ifl_cudaSuccess;
}

ifl_cuda_error ifl_managed_tell_all(ifl_session *session, void *const *out, const size_t *rooms,
                                    const int *attributes, size_t count, const void *at,
                                    size_t bytes)
{
    ifl_cuda_error code =
        out && rooms && attributes && count ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
    for (size_t i = 0; i < count && code == ifl_cudaSuccess; i++)
        code = ifl_managed_tell(session, out[i], rooms[i], attributes[i], at, bytes);
    return code;
}
