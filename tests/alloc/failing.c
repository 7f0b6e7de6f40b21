/* SPDX-License-Identifier: Apache-2.0
 * The allocator that fails on order. Worker threads allocate too: every number is atomic. */
#include "failing.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

static atomic_bool active;
static atomic_uint_fast64_t count, failed, first_failure;
static atomic_int_fast64_t mapped;
static atomic_int how;

void failing_start(uint64_t first, failing_mode mode)
{
    count = failed = 0;
    mapped = 0;
    first_failure = first;
    how = mode;
    active = true;
}

uint64_t failing_stop(void)
{
    active = false;
    return failed;
}

int64_t failing_mapped_bytes(void)
{
    return mapped;
}

static bool must_fail(void)
{
    if (!active)
        return false;
    uint64_t number = atomic_fetch_add(&count, 1) + 1;
    bool fails = how == FAILING_ONCE ? number == first_failure : number >= first_failure;
    if (fails) {
        atomic_fetch_add(&failed, 1);
        errno = ENOMEM;
    }
    return fails;
}

static int64_t whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (int64_t)((bytes + page - 1) / page * page);
}

#define WRAP(result, name, parameters, arguments, failure)                                         \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters                                                                \
    {                                                                                              \
        return must_fail() ? (failure) : __real_##name arguments;                                  \
    }

WRAP(void *, malloc, (size_t bytes), (bytes), NULL)
WRAP(void *, calloc, (size_t items, size_t bytes), (items, bytes), NULL)
WRAP(void *, realloc, (void *old, size_t bytes), (old, bytes), NULL)
WRAP(void *, aligned_alloc, (size_t align, size_t bytes), (align, bytes), NULL)
WRAP(int, posix_memalign, (void **to, size_t align, size_t bytes), (to, align, bytes), ENOMEM)
WRAP(char *, strdup, (const char *text), (text), NULL)
WRAP(char *, strndup, (const char *text, size_t length), (text, length), NULL)

void *failing_malloc(size_t bytes)
{
    return __wrap_malloc(bytes);
}

void *__real_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    if (must_fail())
        return MAP_FAILED;
    void *result = __real_mmap(at, bytes, protection, flags, file, offset);
    if (result != MAP_FAILED &&
        !(flags & MAP_FIXED)) /* a fixed one lies in pages that are mapped already */
        atomic_fetch_add(&mapped, whole_pages(bytes));
    return result;
}

int __real_munmap(void *at, size_t bytes);
int __wrap_munmap(void *at, size_t bytes);
int __wrap_munmap(void *at, size_t bytes)
{
    atomic_fetch_sub(&mapped, whole_pages(bytes));
    return __real_munmap(at, bytes);
}
