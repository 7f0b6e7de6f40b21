/* SPDX-License-Identifier: Apache-2.0
 * Spawning compilers. No shell stands between, so no file name can be taken for anything else. */
#include "compile/process.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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

static int spawn(const char *const argv[], const char *log, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code)
        return code;
    code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!code)
        code = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log,
                                                O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!code)
        code = posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    if (!code)
        code = posix_spawn(child, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

ifl_status ifl_process_run(const char *const argv[], const char *log, int *code, ifl_error *error)
{
    pid_t child;
    int status = 0;
    const int spawned = spawn(argv, log, &child);
    if (spawned) {
        errno = spawned;
        return ifl_fail_file(error, "run", argv[0]);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return ifl_fail_file(error, "wait for", argv[0]);
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return IFL_OK;
}

/* ---- the folder ------------------------------------------------------------------------------ */

ifl_status ifl_scratch_make(ifl_scratch *scratch, ifl_error *error)
{
    const char *base = getenv("TMPDIR");
    const int printed = snprintf(scratch->path, sizeof scratch->path, "%s/inflight.XXXXXX",
                                 base && *base ? base : "/tmp");
    if (printed < 0 || (size_t)printed >= sizeof scratch->path)
        return ifl_fail(error, IFL_NO_FILE, "the path in TMPDIR is too long");
    if (!mkdtemp(scratch->path))
        return ifl_fail_file(error, "make the folder", scratch->path);
    return IFL_OK;
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
    DIR *folder = opendir(scratch->path);
    char path[IFL_PATH_BYTES];
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (ifl_scratch_path(scratch, entry->d_name, path))
            unlink(path); /* "." and ".." refuse it */
    if (folder)
        closedir(folder);
    rmdir(scratch->path);
}
