/* SPDX-License-Identifier: Apache-2.0
 * Allocations of the simulated global memory, kept in ascending order of device address. */
#include "exec/memory.h"

#include "base/shared.h"
#include "exec/memory_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Device addresses start above 4 GiB, so that a 32-bit value or a small offset from null never hits
 * one, and stay below 2^47 as on a GPU. Each allocation starts at a multiple of 2 MiB, as large
 * ones of cudaMalloc do, with a gap of at least 1 MiB behind it. */
#define FIRST_ADDRESS (UINT64_C(1) << 36)
#define LAST_ADDRESS (UINT64_C(1) << 47)
#define ALIGNMENT (UINT64_C(2) << 20)
#define GAP (UINT64_C(1) << 20)

/* Kernel malloc packs small blocks: 1 GiB apart from everything else would waste addresses. */
#define DEVICE_ALIGNMENT UINT64_C(512)
#define DEVICE_GAP UINT64_C(512)

typedef struct block {
    ifl_allocation allocation; /* first: an ifl_allocation * is a block * */
    void *map;                 /* what the system gave */
    size_t map_bytes;
    bool is_shared; /* the pages are those of `file`, which other processes may map */
    int file;
    uint8_t *written; /* one byte a byte: has anything written it; NULL when nobody asked */
    ifl_memory_copy copy;
} block;

struct ifl_memory {
    block **blocks;
    size_t count, capacity;
    uint64_t next;
    uint64_t total; /* bytes allocated, adopted ones left out */
    size_t dropped; /* places that are remembered, without bytes */
    uint64_t versions, launches;
    uint64_t pinned_low, pinned_end; /* what is the host's lies between them; equal: nothing is */
    bool has_copies;                 /* some allocation stands for several, or did */
    bool track;                      /* new and existing allocations have `written` */
};

ifl_status ifl_memory_new(ifl_memory **out, ifl_error *error)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return ifl_fail_memory(error, sizeof **out);
    (*out)->next = FIRST_ADDRESS;
    return IFL_OK;
}

static void unmap(block *b)
{
    if (b->map)
        munmap(b->map, b->map_bytes);
    if (b->written)
        munmap(b->written, b->allocation.bytes + 1);
    if (b->is_shared)
        close(b->file);
    free(b->copy.bytes);
    b->copy = (ifl_memory_copy){0};
    b->is_shared = false;
    b->map = NULL;
    b->written = NULL;
}

static void free_block(block *b)
{
    if (!b)
        return;
    unmap(b);
    free(b);
}

void ifl_memory_free(ifl_memory *memory)
{
    if (!memory)
        return;
    for (size_t i = 0; i < memory->count; i++)
        free_block(memory->blocks[i]);
    free(memory->blocks);
    free(memory);
}

size_t ifl_memory_count(const ifl_memory *memory)
{
    return memory->count;
}

ifl_allocation *ifl_memory_at(const ifl_memory *memory, size_t index)
{
    return &memory->blocks[index]->allocation;
}

/* Pages come on first touch; big ones where the system has them. */
static void *map_zeroed(size_t bytes)
{
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    if (bytes >= ALIGNMENT)
        madvise(map, bytes, MADV_HUGEPAGE);
    return map;
}

static bool write_all(int file, const uint8_t *from, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        const ssize_t written = pwrite(file, from + at, bytes - at, (off_t)at);
        if (written <= 0)
            return false;
        at += (size_t)written;
    }
    return true;
}

/* The file takes the place of the pages, where they lie. */
static bool move_to_file(block *b, int file)
{
    return ftruncate(file, (off_t)b->map_bytes) == 0 && write_all(file, b->map, b->map_bytes) &&
           mmap(b->map, b->map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) ==
               b->map;
}

IFL_SHARED int ifl_memory_share(ifl_allocation *allocation)
{
    block *b = (block *)allocation;
    if (b->is_shared || !b->map)
        return b->is_shared ? b->file : -1;
    b->file = memfd_create("inflight", MFD_CLOEXEC);
    if (b->file < 0 || !move_to_file(b, b->file)) {
        if (b->file >= 0)
            close(b->file);
        return -1;
    }
    b->is_shared = true;
    allocation->flags |= IFL_ALLOCATION_HOST;
    ifl_memory_note_written(allocation, 0, allocation->bytes); /* others do not tell */
    return b->file;
}

/* Device addresses are below those that the system gives by itself; where one is taken, the bytes
 * stay where they are. */
IFL_SHARED bool ifl_memory_show_at_address(ifl_allocation *allocation)
{
    block *b = (block *)allocation;
    const uint64_t before = b->map ? (uint64_t)(allocation->host - (uint8_t *)b->map) : 0;
    uint8_t *place = (uint8_t *)(uintptr_t)(allocation->address - before);
    if (!b->map || b->map == place)
        return b->map != NULL;
    if (mmap(place, b->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
             0) != place ||
        mremap(b->map, b->map_bytes, b->map_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place) != place)
        return false;
    b->map = place;
    allocation->host = place + before;
    return true;
}

IFL_SHARED uint64_t ifl_memory_of_machine(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
}

static bool grow(ifl_memory *memory)
{
    if (memory->count < memory->capacity)
        return true;
    size_t capacity = memory->capacity ? memory->capacity * 2 : 16;
    block **blocks = realloc(memory->blocks, capacity * sizeof *blocks);
    if (!blocks)
        return false;
    memory->blocks = blocks;
    memory->capacity = capacity;
    return true;
}

static bool track_block(block *b)
{
    if (b->written)
        return true;
    b->written = map_zeroed(b->allocation.bytes + 1);
    if (b->written && !(b->allocation.flags & IFL_ALLOCATION_UNWRITTEN))
        memset(b->written, 1, b->allocation.bytes);
    return b->written != NULL;
}

/* The last allocation that starts at or before the address; -1 when all start behind it. */
static ptrdiff_t last_before(const ifl_memory *memory, uint64_t address)
{
    size_t low = 0, high = memory->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (memory->blocks[middle]->allocation.address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return (ptrdiff_t)low - 1;
}

/* There is room for it: see grow. */
static void insert(ifl_memory *memory, block *b)
{
    size_t at = (size_t)(last_before(memory, b->allocation.address) + 1);
    memmove(memory->blocks + at + 1, memory->blocks + at,
            (memory->count - at) * sizeof *memory->blocks);
    memory->blocks[at] = b;
    memory->count++;
    b->allocation.id = b->allocation.version = ++memory->versions;
}

IFL_SHARED ifl_status ifl_memory_allocate(ifl_memory *memory, uint64_t bytes, uint32_t misalign,
                                          uint32_t flags, const char *label, ifl_allocation **out,
                                          ifl_error *error)
{
    bool is_device = flags & IFL_ALLOCATION_DEVICE;
    uint64_t alignment = is_device ? DEVICE_ALIGNMENT : ALIGNMENT,
             gap = is_device ? DEVICE_GAP : GAP;
    uint64_t start = (memory->next + alignment - 1) / alignment * alignment + misalign;
    if (bytes > LAST_ADDRESS - FIRST_ADDRESS || start + bytes > LAST_ADDRESS)
        return ifl_fail(error, IFL_NO_MEMORY,
                        "%s: %llu bytes do not fit into a GPU's address space", label,
                        (unsigned long long)bytes);
    if (memory->total + bytes > ifl_memory_of_machine())
        return ifl_fail(error, IFL_NO_MEMORY,
                        "%s: with it the buffers need %.1f GB, more than this machine has", label,
                        (double)(memory->total + bytes) / 1e9);
    block *b = grow(memory) ? calloc(1, sizeof *b) : NULL;
    if (!b)
        return ifl_fail_memory(error, sizeof *b);
    /* A vector load of the last element may be done with whole-warp copies only when all lanes are
     * inside, so no padding is needed behind the data; `misalign` keeps host and device alignment
     * the same. */
    b->map_bytes = bytes + misalign + 1;
    b->map = map_zeroed(b->map_bytes);
    b->allocation = (ifl_allocation){.address = start, .bytes = bytes, .flags = flags};
    snprintf(b->allocation.label, sizeof b->allocation.label, "%s", label);
    if (b->map)
        b->allocation.host = (uint8_t *)b->map + misalign;
    if (!b->map || (memory->track && !track_block(b))) {
        free_block(b);
        return ifl_fail(error, IFL_NO_MEMORY, "cannot allocate %.1f MB for %s", (double)bytes / 1e6,
                        label);
    }
    memory->next = start + bytes + gap;
    memory->total += bytes;
    insert(memory, b);
    *out = &b->allocation;
    return IFL_OK;
}

static bool overlaps(const ifl_memory *memory, uint64_t address, uint64_t bytes)
{
    const ptrdiff_t before = last_before(memory, address);
    const size_t after = (size_t)(before + 1);
    const ifl_allocation *a = before >= 0 ? &memory->blocks[before]->allocation : NULL;
    return (a && address - a->address < a->bytes) ||
           (after < memory->count && memory->blocks[after]->allocation.address - address < bytes);
}

IFL_SHARED ifl_status ifl_memory_adopt(ifl_memory *memory, uint64_t address, void *host,
                                       uint64_t bytes, const char *label, ifl_allocation **out,
                                       ifl_error *error)
{
    if (address > LAST_ADDRESS || bytes > LAST_ADDRESS - address ||
        overlaps(memory, address, bytes))
        return ifl_fail(error, IFL_USAGE, "%s: %llu bytes at 0x%llx lie over another allocation",
                        label, (unsigned long long)bytes, (unsigned long long)address);
    block *b = grow(memory) ? calloc(1, sizeof *b) : NULL;
    if (!b)
        return ifl_fail_memory(error, sizeof *b);
    b->allocation = (ifl_allocation){
        .address = address, .bytes = bytes, .host = host, .flags = IFL_ALLOCATION_ADOPTED};
    snprintf(b->allocation.label, sizeof b->allocation.label, "%s", label);
    if (memory->track && !track_block(b)) {
        free_block(b);
        return ifl_fail_memory(error, bytes);
    }
    insert(memory, b);
    *out = &b->allocation;
    return IFL_OK;
}

IFL_SHARED void ifl_memory_pin(ifl_memory *memory, ifl_allocation *a)
{
    const uint64_t end = a->address + a->bytes;
    const bool is_first = memory->pinned_low == memory->pinned_end;
    a->flags |= IFL_ALLOCATION_PINNED;
    memory->pinned_low =
        is_first || a->address < memory->pinned_low ? a->address : memory->pinned_low;
    memory->pinned_end = is_first || end > memory->pinned_end ? end : memory->pinned_end;
}

/* Most programs have some that only copies use: kernels' own addresses lie elsewhere. */
bool ifl_memory_is_pinned(const ifl_memory *memory, uint64_t address)
{
    if (address < memory->pinned_low || address >= memory->pinned_end)
        return false;
    const ifl_allocation *a = ifl_memory_find(memory, address);
    return a && a->flags & IFL_ALLOCATION_PINNED;
}

IFL_SHARED ifl_status ifl_memory_adopt_copies(ifl_memory *memory, uint64_t address,
                                              uint8_t *const *copies, uint32_t count,
                                              uint64_t bytes, const char *label,
                                              ifl_allocation **out, ifl_error *error)
{
    const ifl_status status =
        ifl_memory_adopt(memory, address, copies[0], bytes, label, out, error);
    if (status != IFL_OK)
        return status;
    (*out)->flags |= IFL_ALLOCATION_MULTICAST;
    (*out)->copies = copies;
    (*out)->copy_count = count;
    memory->has_copies = true;
    return IFL_OK;
}

IFL_SHARED bool ifl_memory_has_copies(const ifl_memory *memory)
{
    return memory->has_copies;
}

const ifl_allocation *ifl_memory_copies(const ifl_memory *memory, uint64_t address)
{
    const ifl_allocation *a = memory->has_copies ? ifl_memory_find(memory, address) : NULL;
    return a && a->flags & IFL_ALLOCATION_MULTICAST && !(a->flags & IFL_ALLOCATION_FREED) ? a
                                                                                          : NULL;
}

static void forget(ifl_memory *memory, size_t index)
{
    free_block(memory->blocks[index]);
    memmove(memory->blocks + index, memory->blocks + index + 1,
            (--memory->count - index) * sizeof *memory->blocks);
}

/* Addresses of our own choosing only grow, so that the first freed place is the oldest. */
static void forget_oldest(ifl_memory *memory)
{
    for (size_t i = 0; i < memory->count; i++)
        if (memory->blocks[i]->allocation.flags & IFL_ALLOCATION_FREED && !memory->blocks[i]->map) {
            forget(memory, i);
            memory->dropped--;
            return;
        }
}

IFL_SHARED void ifl_memory_drop(ifl_memory *memory, ifl_allocation *allocation)
{
    enum { MOST_DROPPED = 1024 };
    block *b = (block *)allocation;
    if (allocation->flags & IFL_ALLOCATION_ADOPTED) {
        forget(memory, (size_t)last_before(memory, allocation->address));
        return;
    }
    unmap(b);
    allocation->host = NULL;
    allocation->flags |= IFL_ALLOCATION_FREED;
    memory->total -= allocation->bytes;
    if (++memory->dropped > MOST_DROPPED)
        forget_oldest(memory);
}

void ifl_memory_forget(ifl_memory *memory, ifl_allocation *allocation)
{
    if (!(allocation->flags & IFL_ALLOCATION_FREED))
        memory->total -= allocation->bytes;
    forget(memory, (size_t)last_before(memory, allocation->address));
}

IFL_SHARED void ifl_memory_changed(ifl_memory *memory, ifl_allocation *allocation)
{
    allocation->version = ++memory->versions;
}

uint64_t ifl_memory_launch(const ifl_memory *memory)
{
    return memory->launches;
}

void ifl_memory_launch_begin(ifl_memory *memory)
{
    memory->launches++;
}

void ifl_memory_launch_end(ifl_memory *memory)
{
    for (size_t i = 0; i < memory->count; i++)
        if (memory->blocks[i]->allocation.changed_by == memory->launches)
            ifl_memory_changed(memory, &memory->blocks[i]->allocation);
}

void ifl_memory_changed_all(ifl_memory *memory)
{
    for (size_t i = 0; i < memory->count; i++)
        ifl_memory_changed(memory, &memory->blocks[i]->allocation);
}

IFL_SHARED uint64_t ifl_memory_total(const ifl_memory *memory)
{
    return memory->total;
}

bool ifl_memory_track(ifl_memory *memory)
{
    memory->track = true;
    for (size_t i = 0; i < memory->count; i++)
        if (memory->blocks[i]->allocation.host && !track_block(memory->blocks[i]))
            return false;
    return true;
}

IFL_SHARED void ifl_memory_note_written(ifl_allocation *allocation, uint64_t offset, uint64_t bytes)
{
    uint8_t *written = ((block *)allocation)->written;
    if (written)
        memset(written + offset, 1, bytes);
}

uint8_t *ifl_memory_written(const ifl_allocation *allocation)
{
    return ((const block *)allocation)->written;
}

ifl_memory_copy *ifl_memory_copy_of(ifl_allocation *allocation)
{
    return &((block *)allocation)->copy;
}

bool ifl_memory_has_version(const ifl_allocation *allocation)
{
    const uint32_t untold = IFL_ALLOCATION_ADOPTED | IFL_ALLOCATION_HOST | IFL_ALLOCATION_MANAGED |
                            IFL_ALLOCATION_MULTICAST;
    return !(allocation->flags & untold) && !((const block *)allocation)->is_shared;
}

void ifl_memory_release(ifl_memory *memory, ifl_allocation *allocation)
{
    block *b = (block *)allocation;
    memory->total -= allocation->bytes;
    allocation->flags |= IFL_ALLOCATION_FREED;
    madvise(b->map, b->map_bytes,
            MADV_DONTNEED); /* the addresses stay, so that later accesses are told what they meet */
}

IFL_SHARED void ifl_memory_clear(ifl_allocation *allocation, uint64_t offset, uint64_t bytes)
{
    enum { LARGE = 8 << 20, PAGE = 2 << 20 };
    const block *b = (const block *)allocation;
    uint8_t *first = allocation->host + offset, *end = first + bytes;
    uint8_t *page = (uint8_t *)(((uintptr_t)first + PAGE - 1) / PAGE * PAGE);
    uint8_t *last = (uint8_t *)((uintptr_t)end / PAGE * PAGE);
    if (!b->map || b->is_shared || bytes < LARGE ||
        madvise(page, (size_t)(last - page), MADV_DONTNEED) != 0) {
        memset(first, 0, bytes);
        return;
    }
    memset(first, 0, (size_t)(page - first));
    memset(last, 0, (size_t)(end - last));
}

IFL_SHARED ifl_allocation *ifl_memory_find(const ifl_memory *memory, uint64_t address)
{
    ptrdiff_t i = last_before(memory, address);
    if (i < 0)
        return NULL;
    ifl_allocation *found = &memory->blocks[i]->allocation;
    return address - found->address < found->bytes ? found : NULL;
}

IFL_SHARED bool ifl_memory_spans(const ifl_memory *memory, uint64_t address)
{
    return address >= FIRST_ADDRESS && address < memory->next;
}

static uint64_t distance(const ifl_allocation *a, uint64_t address)
{
    return address < a->address ? a->address - address : address - (a->address + a->bytes);
}

ifl_allocation *ifl_memory_nearest(const ifl_memory *memory, uint64_t address)
{
    ptrdiff_t i = last_before(memory, address);
    ifl_allocation *before = i >= 0 ? &memory->blocks[i]->allocation : NULL;
    ifl_allocation *after =
        i + 1 < (ptrdiff_t)memory->count ? &memory->blocks[i + 1]->allocation : NULL;
    if (!before || !after)
        return before ? before : after;
    return distance(before, address) <= distance(after, address) ? before : after;
}
