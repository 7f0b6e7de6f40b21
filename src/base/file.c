/* SPDX-License-Identifier: Apache-2.0
 * Reading whole files, and saying what went wrong with one. */
#include "base/file.h"

#include "base/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_BYTES = 64 * 1024 };

ifl_status ifl_fail_file(ifl_error *error, const char *verb, const char *path)
{
    const ifl_status status = errno == ENOMEM ? IFL_NO_MEMORY : IFL_NO_FILE;
    char reason[128] = "";
    const char *text = strerror_r(errno, reason, sizeof reason);
    return ifl_fail(error, status, "cannot %s '%s': %s", verb, path, text);
}

/* A buffer for the size that the system tells; pipes and the like tell 0 and the buffer grows. */
static size_t first_capacity(const struct stat *about, size_t limit)
{
    size_t capacity = FIRST_BYTES;
    if (S_ISREG(about->st_mode) && about->st_size > 0)
        capacity = (uint64_t)about->st_size < limit ? (size_t)about->st_size + 1 : limit + 1;
    return capacity + 1;
}

static ifl_status grow(char **text, size_t *capacity, ifl_error *error)
{
    char *grown = realloc(*text, *capacity * 2);
    if (!grown)
        return ifl_fail_memory(error, *capacity * 2);
    *text = grown;
    *capacity *= 2;
    return IFL_OK;
}

static ifl_status read_all(int descriptor, const char *path, size_t limit, size_t capacity,
                           char **text, size_t *bytes, ifl_error *error)
{
    for (;;) {
        if (*bytes + 1 >= capacity && grow(text, &capacity, error) != IFL_OK)
            return IFL_NO_MEMORY;
        const ssize_t got = read(descriptor, *text + *bytes, capacity - *bytes - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ifl_fail_file(error, "read", path);
        if (got == 0)
            break;
        *bytes += (size_t)got;
        if (*bytes > limit)
            return ifl_fail(error, IFL_BAD_INPUT, "'%s' is larger than %zu bytes", path, limit);
    }
    (*text)[*bytes] = '\0';
    return IFL_OK;
}

static ifl_status read_open(int descriptor, const char *path, size_t limit, char **text,
                            size_t *bytes, ifl_error *error)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0)
        return ifl_fail_file(error, "read", path);
    if (S_ISDIR(about.st_mode))
        return ifl_fail(error, IFL_NO_FILE, "cannot read '%s': it is a directory", path);
    const size_t capacity = first_capacity(&about, limit);
    *bytes = 0;
    *text = malloc(capacity);
    if (!*text)
        return ifl_fail_memory(error, capacity);
    const ifl_status status = read_all(descriptor, path, limit, capacity, text, bytes, error);
    if (status != IFL_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

static ifl_status read_path(const char *path, int flags, size_t limit, char **text, size_t *bytes,
                            ifl_error *error)
{
    *text = NULL;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | flags);
    if (descriptor < 0)
        return ifl_fail_file(error, "open", path);
    const ifl_status status = read_open(descriptor, path, limit, text, bytes, error);
    close(descriptor);
    return status;
}

ifl_status ifl_file_read(const char *path, size_t limit, char **text, size_t *bytes,
                         ifl_error *error)
{
    return read_path(path, 0, limit, text, bytes, error);
}

ifl_status ifl_file_read_plain(const char *path, size_t limit, char **text, size_t *bytes,
                               ifl_error *error)
{
    struct stat about;
    *text = NULL;
    if (lstat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return ifl_fail(error, IFL_BAD_INPUT,
                        "'%s' is a link, a folder, a pipe or a device: it has to be a plain file",
                        path);
    /* Should it have become one meanwhile: a link is an error, a pipe has nothing. */
    return read_path(path, O_NOFOLLOW | O_NONBLOCK, limit, text, bytes, error);
}

IFL_SHARED const char *ifl_file_last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
