/* SPDX-License-Identifier: Apache-2.0
 * Replacing files atomically (file.h). It knows names and rights, not what is written. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where a path leads ---------------------------------------------------------------------- */

/* Bytes of the folder's name with its '/', 0 where there is none. */
static size_t folder_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* What the link at `path` names; NULL with errno where it is none. A relative name is beside it. */
static char *read_link(const char *path)
{
    enum { MOST = 4096 };
    char target[MOST];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0)
        return NULL;
    target[length] = '\0';
    const size_t folder = target[0] == '/' ? 0 : folder_bytes(path);
    char *whole = malloc(folder + (size_t)length + 1);
    if (whole) {
        memcpy(whole, path, folder);
        memcpy(whole + folder, target, (size_t)length + 1);
    }
    return whole;
}

static bool is_link(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
}

/* Behind all symbolic links; the file need not be there. NULL with errno. */
static char *follow(const char *path)
{
    enum { MOST_LINKS = 40 };
    char *at = strdup(path);
    for (int i = 0; at && is_link(at); i++) {
        char *next = i < MOST_LINKS ? read_link(at) : NULL;
        if (i == MOST_LINKS)
            errno = ELOOP;
        const int kept = errno;
        free(at);
        errno = kept;
        at = next;
    }
    return at;
}

/* The folder that a file at `path` is in, or would be. */
static bool stat_folder(const char *path, struct stat *about)
{
    const size_t bytes = folder_bytes(path);
    char *folder = bytes ? strndup(path, bytes) : strdup(".");
    const bool is_there = folder && stat(folder, about) == 0;
    free(folder);
    return is_there;
}

/* Two files that are not there are one where folder and name are. */
static bool would_be_same(const char *a, const char *b)
{
    struct stat of_a, of_b;
    char *to_a = follow(a), *to_b = follow(b);
    const bool is_same = to_a && to_b && stat_folder(to_a, &of_a) && stat_folder(to_b, &of_b) &&
                         of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino &&
                         strcmp(to_a + folder_bytes(to_a), to_b + folder_bytes(to_b)) == 0;
    free(to_a);
    free(to_b);
    return is_same;
}

bool ifl_file_is_same(const char *a, const char *b)
{
    struct stat of_a, of_b;
    const bool is_a = stat(a, &of_a) == 0, is_b = stat(b, &of_b) == 0;
    if (!is_a && !is_b)
        return would_be_same(a, b);
    return is_a && is_b && S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

/* ---- what is being written ------------------------------------------------------------------- */

/* A signal's handler has no other way to know them. More at once than there are places are not
 * removed by it. */
enum { MOST_PARTS = 16 };
static _Atomic(char *) parts[MOST_PARTS];
static _Atomic pid_t writer;   /* a child that was forked has no parts */
static atomic_bool is_dropped; /* the program is ending */

static void note_part(char *path)
{
    writer = getpid();
    for (int i = 0; i < MOST_PARTS; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&parts[i], &none, path))
            return;
    }
}

static void forget_part(char *path)
{
    for (int i = 0; i < MOST_PARTS; i++) {
        char *is = path;
        if (atomic_compare_exchange_strong(&parts[i], &is, NULL))
            return;
    }
}

void ifl_files_drop(void)
{
    if (writer != getpid())
        return;
    is_dropped = true;
    for (int i = 0; i < MOST_PARTS; i++) {
        char *path = atomic_exchange(&parts[i], NULL);
        if (path)
            unlink(path);
    }
}

/* ---- creating -------------------------------------------------------------------------------- */

static void release(ifl_file *file)
{
    free(file->name);
    free(file->path);
    free(file->beside);
    *file = (ifl_file){0};
}

static void remove_part(const ifl_file *file)
{
    if (!file->beside)
        return;
    forget_part(file->beside);
    unlink(file->beside);
}

static ifl_status fail_write(const ifl_file *file, ifl_error *error)
{
    return ifl_fail_file(error, "write", file->name);
}

/* The new file as the old one is: owner, group, rights. False where that is not permitted. */
static bool take_rights(int descriptor, const struct stat *old)
{
    enum { RIGHTS = 07777 };
    struct stat now;
    if (fstat(descriptor, &now) != 0)
        return false;
    const bool is_owner = now.st_uid == old->st_uid && now.st_gid == old->st_gid;
    return (is_owner || fchown(descriptor, old->st_uid, old->st_gid) == 0) &&
           fchmod(descriptor, old->st_mode & RIGHTS) == 0;
}

/* One name that may be taken. It is noted first: a signal may come at any time. */
static int try_beside(char *beside, mode_t mode)
{
    note_part(beside);
    const int descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    const int kept = errno;
    if (descriptor < 0)
        forget_part(beside);
    else if (is_dropped)
        unlink(beside);
    errno = kept;
    return descriptor;
}

/* A name of its own in the same folder, because only there rename() is atomic; it does not grow
 * with the file's, which may be as long as names can be. -1 with errno. */
static int open_beside(ifl_file *file, mode_t mode)
{
    enum { TRIES = 100, NAME = 64 };
    const size_t folder = folder_bytes(file->path);
    int descriptor = -1;
    errno = ENOENT;
    file->beside = file->path[folder] ? malloc(folder + NAME) : NULL;
    if (!file->beside)
        return -1;
    memcpy(file->beside, file->path, folder);
    for (int i = 0; i < TRIES && descriptor < 0; i++) {
        snprintf(file->beside + folder, NAME, ".inflight-%ld-%d.part", (long)getpid(), i);
        descriptor = try_beside(file->beside, mode);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    return descriptor;
}

static void drop_beside(ifl_file *file, int descriptor)
{
    const int kept = errno;
    if (descriptor >= 0) {
        close(descriptor);
        remove_part(file);
    }
    free(file->beside);
    file->beside = NULL;
    errno = kept;
}

/* The part, with the rights of the file that it will replace (NULL: there is none). -1 with errno
 * where that cannot be. */
static int open_part(ifl_file *file, const struct stat *old)
{
    enum { PRIVATE = 0600, PUBLIC = 0666 };
    const int descriptor = open_beside(file, old ? PRIVATE : PUBLIC);
    if (descriptor >= 0 && (!old || take_rights(descriptor, old)))
        return descriptor;
    drop_beside(file, descriptor);
    return -1;
}

/* Opens what is to be written; `is_trial`: what is there is left as it is. -1 with errno. */
static int open_file(ifl_file *file, bool is_trial)
{
    struct stat about;
    const bool is_there = stat(file->path, &about) == 0;
    const int directly = O_WRONLY | O_CLOEXEC | (is_trial ? O_NONBLOCK : O_TRUNC);
    if (is_there && !S_ISREG(about.st_mode))
        return open(file->path, directly);
    if (is_there && faccessat(AT_FDCWD, file->path, W_OK, AT_EACCESS) != 0)
        return -1;
    const int descriptor = open_part(file, is_there ? &about : NULL);
    return descriptor < 0 && is_there ? open(file->path, directly) : descriptor;
}

/* Pipes and devices stay named as they are: what /dev/stdout and /dev/fd/N lead to then has no name. */
static bool is_special(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

static ifl_status find_file(ifl_file *file, const char *path, ifl_error *error)
{
    *file =
        (ifl_file){.name = strdup(path), .path = is_special(path) ? strdup(path) : follow(path)};
    if (file->name && file->path)
        return IFL_OK;
    const ifl_status status =
        file->name ? fail_write(file, error) : ifl_fail_memory(error, strlen(path));
    release(file);
    return status;
}

ifl_status ifl_file_create(ifl_file *file, const char *path, ifl_error *error)
{
    ifl_status status = find_file(file, path, error);
    if (status != IFL_OK)
        return status;
    const int descriptor = open_file(file, false);
    file->stream = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (file->stream)
        return IFL_OK;
    status = fail_write(file, error);
    drop_beside(file, descriptor);
    release(file);
    return status;
}

/* A pipe is not opened to try it: its reader would find its end. */
static bool is_pipe(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISFIFO(about.st_mode);
}

ifl_status ifl_file_check(const char *path, ifl_error *error)
{
    ifl_file file;
    if (is_pipe(path) && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0)
        return IFL_OK;
    ifl_status status = find_file(&file, path, error);
    if (status != IFL_OK)
        return status;
    const int descriptor = open_file(&file, true);
    if (descriptor < 0)
        status = fail_write(&file, error);
    if (file.beside)
        drop_beside(&file, descriptor);
    else if (descriptor >= 0)
        close(descriptor);
    release(&file);
    return status;
}

/* ---- ending ---------------------------------------------------------------------------------- */

static bool take_place(const ifl_file *file)
{
    if (!file->beside)
        return true;
    if (rename(file->beside, file->path) != 0)
        return false;
    forget_part(file->beside);
    return true;
}

ifl_status ifl_file_commit(ifl_file *file, ifl_error *error)
{
    ifl_status status = IFL_OK;
    const bool bad = ferror(file->stream) != 0;
    if (fclose(file->stream) != 0 || bad || !take_place(file)) {
        status = fail_write(file, error);
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

/* ---- folders --------------------------------------------------------------------------------- */

bool ifl_file_make_folders(const char *path)
{
    enum { MOST = 4096 };
    char folder[MOST];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *at = folder + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            return false;
        *at = '/';
    }
    return true;
}
