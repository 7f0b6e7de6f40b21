/* SPDX-License-Identifier: Apache-2.0
 * Reading whole files and replacing them atomically. */
#include "base/file.h"

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

ifl_status ifl_file_read(const char *path, size_t limit, char **text, size_t *bytes,
                         ifl_error *error)
{
    *text = NULL;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return ifl_fail_file(error, "open", path);
    const ifl_status status = read_open(descriptor, path, limit, text, bytes, error);
    close(descriptor);
    return status;
}

static void release(ifl_file *file)
{
    free(file->path);
    free(file->beside);
    *file = (ifl_file){0};
}

/* A name of its own in the same folder, because only there rename() is atomic. */
static FILE *open_beside(const char *path, char *beside, size_t size)
{
    enum { TRIES = 100 };
    int descriptor = -1;
    for (int i = 0; i < TRIES && descriptor < 0; i++) {
        snprintf(beside, size, "%s.%ld-%d.part", path, (long)getpid(), i);
        descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST)
            return NULL;
    }
    FILE *stream = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (!stream && descriptor >= 0) {
        close(descriptor);
        unlink(beside);
    }
    return stream;
}

/* A pipe or device is written directly: to rename a file over it would replace it. */
static bool is_special(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

static ifl_status open_part(ifl_file *file, bool direct, size_t size, ifl_error *error)
{
    if (!file->path || (!direct && !file->beside))
        return ifl_fail_memory(error, size);
    file->stream = direct ? fopen(file->path, "wbe") : open_beside(file->path, file->beside, size);
    return file->stream ? IFL_OK : ifl_fail_file(error, "write", file->path);
}

ifl_status ifl_file_create(ifl_file *file, const char *path, ifl_error *error)
{
    const bool direct = is_special(path);
    const size_t size = strlen(path) + 64; /* of the name beside it */
    *file = (ifl_file){.path = strdup(path), .beside = direct ? NULL : malloc(size)};
    const ifl_status status = open_part(file, direct, size, error);
    if (status != IFL_OK)
        release(file);
    return status;
}

static void remove_part(const ifl_file *file)
{
    if (file->beside)
        unlink(file->beside);
}

ifl_status ifl_file_commit(ifl_file *file, ifl_error *error)
{
    ifl_status status = IFL_OK;
    const bool bad = ferror(file->stream) != 0;
    if (fclose(file->stream) != 0 || bad ||
        (file->beside && rename(file->beside, file->path) != 0)) {
        status = ifl_fail_file(error, "write", file->path);
        remove_part(file);
    }
    release(file);
    return status;
}

void ifl_file_abandon(ifl_file *file)
{
    if (!file->stream)
        return;
    fclose(file->stream);
    remove_part(file);
    release(file);
}
