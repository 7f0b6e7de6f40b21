/* SPDX-License-Identifier: Apache-2.0
 * Spawning other programs. No shell stands between, so no file name can be taken for anything else. */
#include "base/process.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static bool is_program(const char *folder, size_t length, const char *name,
                       char path[IFL_PATH_BYTES])
{
    const int printed = snprintf(path, IFL_PATH_BYTES, "%.*s/%s", (int)length, folder, name);
    return length && printed > 0 && printed < IFL_PATH_BYTES && access(path, X_OK) == 0;
}

bool ifl_program_find(const char *name, const char *folder, char path[IFL_PATH_BYTES])
{
    const char *at = getenv("PATH");
    for (size_t length; at && *at; at += length + (at[length] == ':')) {
        length = strcspn(at, ":");
        if (is_program(at, length, name, path))
            return true;
    }
    return folder && is_program(folder, strlen(folder), name, path);
}

/* "NAME=..." by a list of names, where "NAME*" stands for all that begin so. */
static bool is_kept(const char *variable, const char *const *kept)
{
    for (; kept && *kept; kept++) {
        const size_t length = strcspn(*kept, "*");
        if (strncmp(variable, *kept, length) == 0 &&
            ((*kept)[length] == '*' || variable[length] == '='))
            return true;
    }
    return !kept;
}

/* This process's variables that are kept, with TMPDIR replaced, and without LD_AUDIT: what audits a
 * program under `inflight run` has nothing to do in another. The caller frees the list, `own` is in
 * it. */
static char **environment_of(const ifl_process *process, char *own)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **list = calloc(count + 2, sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        if (is_kept(environ[i], process->kept) && strncmp(environ[i], "LD_AUDIT=", 9) != 0 &&
            !(process->temporary && strncmp(environ[i], "TMPDIR=", 7) == 0))
            list[kept++] = environ[i];
    if (list && process->temporary)
        list[kept] = own;
    return list;
}

static int add_actions(posix_spawn_file_actions_t *actions, const ifl_process *process)
{
    int code = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!code)
        code = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, process->log,
                                                O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!code && process->errors_only)
        code = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    else if (!code)
        code = posix_spawn_file_actions_adddup2(actions, STDERR_FILENO, STDOUT_FILENO);
    if (!code && process->folder)
        code = posix_spawn_file_actions_addchdir_np(actions, process->folder);
    return code;
}

/* Its group; and signals that this process may ignore, as a program finds them. */
static int set_attributes(posix_spawnattr_t *attributes, const ifl_process *process)
{
    sigset_t plain;
    sigemptyset(&plain);
    sigaddset(&plain, SIGPIPE);
    sigaddset(&plain, SIGXFSZ);
    int code = posix_spawnattr_setsigdefault(attributes, &plain);
    if (!code && process->group)
        code = posix_spawnattr_setpgroup(attributes, process->group);
    const int flags = POSIX_SPAWN_SETSIGDEF | (process->group ? POSIX_SPAWN_SETPGROUP : 0);
    return code ? code : posix_spawnattr_setflags(attributes, (short)flags);
}

static int spawn(const ifl_process *process, char **variables, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);
    if (code)
        return code;
    code = posix_spawnattr_init(&attributes);
    if (!code)
        code = set_attributes(&attributes, process);
    if (!code)
        code = add_actions(&actions, process);
    if (!code)
        code = posix_spawn(child, process->words[0], &actions, &attributes,
                           (char *const *)process->words, variables);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static int spawn_with(const ifl_process *process, pid_t *child)
{
    char own[IFL_PATH_BYTES + 8];
    snprintf(own, sizeof own, "TMPDIR=%s", process->temporary ? process->temporary : "");
    char **variables = environment_of(process, own);
    const int code = variables ? spawn(process, variables, child) : ENOMEM;
    free(variables);
    return code;
}

typedef enum how { ENDED, STOPPED, TOO_LONG } how;

/* How it is with the child whose descriptor this is, after `ms` at most. */
static how look_at(int descriptor, const volatile int *stop, int ms)
{
    enum { STEP_MS = 100 };
    struct pollfd child = {.fd = descriptor, .events = POLLIN};
    for (; ms > 0; ms -= STEP_MS)
        if (poll(&child, 1, STEP_MS) > 0)
            return ENDED;
        else if (stop && *stop)
            return STOPPED;
    return TOO_LONG;
}

/* Waits until the child has ended, and ends it where it is to end. A kernel without descriptors of
 * processes (before 5.3) leaves it to the child. */
static how attend(pid_t child, const ifl_process *process)
{
    const int most_ms = process->most_s ? process->most_s * 1000 : INT_MAX;
    const int descriptor = process->stop ? (int)syscall(SYS_pidfd_open, child, 0) : -1;
    if (descriptor < 0)
        return ENDED;
    how it = look_at(descriptor, process->stop, most_ms);
    while (it == TOO_LONG && !process->most_s)
        it = look_at(descriptor, process->stop, most_ms);
    if (it != ENDED) {
        kill(child, SIGTERM);
        if (look_at(descriptor, NULL, IFL_PROCESS_PATIENCE_S * 1000) != ENDED)
            kill(child, SIGKILL);
    }
    close(descriptor);
    return it;
}

ifl_status ifl_process_run(const ifl_process *process, int *code, ifl_error *error)
{
    pid_t child;
    int status = 0;
    const int spawned = spawn_with(process, &child);
    if (spawned) {
        errno = spawned;
        return ifl_fail_file(error, "run", process->words[0]);
    }
    const how ended = attend(child, process);
    while (waitpid(child, &status, 0) < 0 && errno != ECHILD)
        if (errno != EINTR)
            return ifl_fail_file(error, "wait for", process->words[0]);
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (ended == TOO_LONG)
        *code = 128 + SIGXCPU;
    return IFL_OK;
}

/* ---- the folder ------------------------------------------------------------------------------ */

bool ifl_shell_is_plain(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./+,:=%-";
    while (*text && (strchr(plain, *text) || (unsigned char)*text >= 0x80)) /* bytes of UTF-8 */
        text++;
    return !*text;
}

/* Where the links of TMPDIR lead: a program's working folder is told to it without links. */
static void find_temporary(char folder[PATH_MAX])
{
    const char *base = getenv("TMPDIR");
    if (!base || !*base || !realpath(base, folder) || !ifl_shell_is_plain(folder))
        strcpy(folder, "/tmp");
}

/* All that is in the folder, which is closed. Whoever puts a link in the place of a folder meanwhile
 * leads nowhere. */
static void remove_entries(int folder)
{
    DIR *list = fdopendir(folder);
    if (!list)
        close(folder);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            unlinkat(folder, entry->d_name, 0) == 0)
            continue;
        const int below =
            openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below >= 0)
            remove_entries(below);
        unlinkat(folder, entry->d_name, AT_REMOVEDIR);
    }
    if (list)
        closedir(list);
}

void ifl_folder_clear(const char *path)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0)
        remove_entries(folder);
}

/* A compiler that is ending may still make files. */
static void remove_folder(const ifl_scratch *scratch)
{
    enum { TRIES = 100 };
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    for (int i = 0; i < TRIES; i++) {
        ifl_folder_clear(scratch->path);
        if (rmdir(scratch->path) == 0 || errno == ENOENT)
            return;
        nanosleep(&pause, NULL);
    }
}

/* The keeper: nothing but the end of its maker, or the call of ifl_scratch_remove, ends its wait.
 * It holds nothing open that others might wait for the end of. */
static void keep(const ifl_scratch *scratch, int line)
{
    char byte;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setpgid(0, 0);
    for (int standard = STDIN_FILENO; standard <= STDERR_FILENO; standard++)
        if (standard != line)
            close(standard);
    while (read(line, &byte, 1) < 0 && errno == EINTR)
        ;
    kill(0, SIGTERM); /* which is blocked here */
    remove_folder(scratch);
    _exit(0);
}

static bool start_keeper(ifl_scratch *scratch)
{
    int line[2];
    if (pipe2(line, O_CLOEXEC) != 0)
        return false;
    scratch->keeper = fork();
    if (scratch->keeper == 0) {
        close(line[1]);
        keep(scratch, line[0]);
    }
    close(line[0]);
    scratch->line = line[1];
    if (scratch->keeper > 0)
        setpgid(scratch->keeper, scratch->keeper); /* whoever comes first */
    else
        close(line[1]);
    return scratch->keeper > 0;
}

ifl_status ifl_scratch_make(ifl_scratch *scratch, ifl_error *error)
{
    char base[PATH_MAX];
    find_temporary(base);
    const int printed = snprintf(scratch->path, sizeof scratch->path, "%s/inflight.XXXXXX", base);
    if (printed < 0 || (size_t)printed >= sizeof scratch->path)
        return ifl_fail(error, IFL_NO_FILE, "the path in TMPDIR is too long");
    if (!mkdtemp(scratch->path))
        return ifl_fail_file(error, "make the folder", scratch->path);
    if (start_keeper(scratch))
        return IFL_OK;
    const ifl_status status = ifl_fail_file(error, "start a process for", scratch->path);
    rmdir(scratch->path);
    return status;
}

bool ifl_scratch_path(const ifl_scratch *scratch, const char *name, char path[IFL_PATH_BYTES])
{
    const int printed = snprintf(path, IFL_PATH_BYTES, "%s/%s", scratch->path, name);
    return printed > 0 && printed < IFL_PATH_BYTES;
}

ifl_status ifl_scratch_write(const ifl_scratch *scratch, const char *name, const char *text,
                             ifl_error *error)
{
    char path[IFL_PATH_BYTES];
    FILE *stream = ifl_scratch_path(scratch, name, path) ? fopen(path, "we") : NULL;
    if (!stream)
        return ifl_fail_file(error, "write", name);
    const bool bad = fputs(text, stream) < 0;
    return fclose(stream) != 0 || bad ? ifl_fail_file(error, "write", path) : IFL_OK;
}

void ifl_scratch_remove(ifl_scratch *scratch)
{
    close(scratch->line);
    while (waitpid(scratch->keeper, NULL, 0) < 0 && errno == EINTR)
        ;
}
