/* SPDX-License-Identifier: Apache-2.0
 * A reference that is a program: it finds each buffer as argN.npy in a folder, writes what a correct
 * kernel would write into the same files, and ends with 0. */
#include "check/against_task.h"

#include "base/process.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FILE_BYTES = 1 << 30, MAX_LOG_BYTES = 1 << 20 };

typedef struct exchange {
    const ifl_task *task;
    ifl_launch *launch;
    ifl_scratch scratch;
} exchange;

static ifl_status path_of(const exchange *e, size_t i, char path[IFL_PATH_BYTES], ifl_error *error)
{
    char name[32];
    snprintf(name, sizeof name, "arg%zu.npy", i);
    return ifl_scratch_path(&e->scratch, name, path)
               ? IFL_OK
               : ifl_fail(error, IFL_NO_FILE, "the path in TMPDIR is too long");
}

static ifl_status save(const exchange *e, size_t i, ifl_error *error)
{
    char path[IFL_PATH_BYTES];
    const ifl_status status = path_of(e, i, path, error);
    return status == IFL_OK ? ifl_launch_save(e->launch, i, path, error) : status;
}

/* The contents of a NumPy file are its last bytes. */
static ifl_status load(const exchange *e, size_t i, const ifl_launch_argument_info *info,
                       ifl_error *error)
{
    char path[IFL_PATH_BYTES], *text;
    size_t bytes;
    ifl_status status = path_of(e, i, path, error);
    if (status == IFL_OK)
        status = ifl_file_read(path, MAX_FILE_BYTES, &text, &bytes, error);
    if (status != IFL_OK)
        return status;
    if (bytes < info->bytes)
        status = ifl_fail(error, IFL_BAD_INPUT,
                          "'%.200s' left arg%zu.npy with fewer bytes than the buffer has",
                          e->task->program, i);
    else
        memcpy(info->data, text + bytes - info->bytes, info->bytes);
    free(text);
    return status;
}

/* All buffers one way or the other. */
static ifl_status each_buffer(const exchange *e, bool is_back, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < e->task->arguments.count && status == IFL_OK; i++) {
        ifl_launch_argument_info info;
        status = ifl_launch_argument_at(e->launch, i, &info, error);
        if (status == IFL_OK && info.is_buffer)
            status = is_back ? load(e, i, &info, error) : save(e, i, error);
    }
    return status;
}

static ifl_status fail_with(const exchange *e, const char *log, int code, ifl_error *error)
{
    char *said = NULL;
    size_t bytes = 0;
    ifl_error ignored;
    if (ifl_file_read(log, MAX_LOG_BYTES, &said, &bytes, &ignored) != IFL_OK)
        said = NULL;
    while (bytes && said[bytes - 1] == '\n')
        said[--bytes] = '\0';
    const char *last = said ? strrchr(said, '\n') : NULL;
    const ifl_status status =
        ifl_fail(error, IFL_BAD_INPUT, "the reference '%.200s' ended with exit status %d: %.300s",
                 e->task->program, code,
                 last            ? last + 1
                 : said && *said ? said
                                 : "no message");
    free(said);
    return status;
}

/* PROGRAM FOLDER, then the arguments as the launch file has them: numbers are found there. */
static ifl_status start(const exchange *e, ifl_error *error)
{
    IFL_VEC(const char *) words = {0};
    char log[IFL_PATH_BYTES], program[IFL_PATH_BYTES];
    int code = 0;
    const bool is_bare = !strchr(e->task->program, '/');
    snprintf(program, sizeof program, "%s%s", is_bare ? "./" : "", e->task->program);
    bool is_made = ifl_vec_push(&words, (const char *)program) &&
                   ifl_vec_push(&words, (const char *)e->scratch.path);
    for (size_t i = 0; i < e->task->arguments.count && is_made; i++)
        is_made = ifl_vec_push(&words, e->task->arguments.at[i].text);
    is_made = is_made && ifl_vec_push(&words, NULL) && ifl_scratch_path(&e->scratch, "log", log);
    const ifl_process process = {
        .words = words.at, .log = log, .group = e->scratch.keeper, .stop = e->task->stop};
    ifl_status status =
        is_made ? ifl_process_run(&process, &code, error) : ifl_fail_memory(error, 1);
    ifl_vec_free(&words);
    if (status == IFL_OK && e->task->stop && *e->task->stop)
        return ifl_fail(error, IFL_INTERRUPTED, "stopped");
    return status == IFL_OK && code ? fail_with(e, log, code, error) : status;
}

ifl_status ifl_task_run_program(const ifl_task *task, ifl_launch *launch, ifl_error *error)
{
    exchange e = {.task = task, .launch = launch};
    ifl_status status = ifl_scratch_make(&e.scratch, error);
    if (status != IFL_OK)
        return status;
    status = each_buffer(&e, false, error);
    if (status == IFL_OK)
        status = start(&e, error);
    if (status == IFL_OK)
        status = each_buffer(&e, true, error);
    ifl_scratch_remove(&e.scratch);
    return status;
}
