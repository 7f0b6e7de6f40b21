/* SPDX-License-Identifier: Apache-2.0
 * What a kernel is to compute: the arguments of a reference's launch file, filled anew for each
 * trial, and what the reference makes of them. */
#ifndef IFL_CHECK_AGAINST_TASK_H
#define IFL_CHECK_AGAINST_TASK_H

#include "base/arena.h"
#include "base/file.h"
#include "base/vec.h"
#include "check/check_api.h"

typedef struct ifl_task_argument {
    const char *text;          /* of the launch file: "f32x1024=random" */
    bool is_buffer, is_output; /* is_output: the reference changes it; else it must stay */
    bool
        /* an output whose contents before do not matter: filled with what cannot be guessed */
        is_fresh;
    const char *type;     /* "f32" */
    void *before, *after; /* of malloc: the bytes before and after the reference; scalars too */
    size_t bytes;
} ifl_task_argument;

/* The keys of a launch file, without its arguments. */
typedef struct ifl_launch_words {
    const char *path, *folder;
    const char *file, *kernel, *grid, *block, *cluster, *shared, *machine, *code;
    /* NULL: not given */
    IFL_VEC(const char *) arguments;
} ifl_launch_words;

typedef struct ifl_task {
    ifl_arena arena;
    ifl_launch_words words;
    const char *library, *program; /* of the reference; both NULL: the launch's own kernel */
    IFL_VEC(ifl_task_argument) arguments;
    uint64_t seed;
    const volatile int *stop; /* not 0: the reference is to end */
} ifl_task;

ifl_status ifl_launch_words_read(ifl_arena *arena, const char *path, ifl_file_reader *read,
                                 ifl_launch_words *out, ifl_error *error);
/* "dir/file" of a path that the launch file names; NULL without memory. */
const char *ifl_launch_words_path(ifl_arena *arena, const ifl_launch_words *words,
                                  const char *name);
ifl_status ifl_task_read(const char *reference, uint64_t seed, const volatile int *stop,
                         ifl_task *out, ifl_error *error);
/* Fills the arguments for a trial, saves buffers as FOLDER/inN.npy, and runs the reference. */
ifl_status ifl_task_prepare(ifl_task *task, int trial, const char *folder, ifl_error *error);
/* against_program.c: the reference is a program, which reads and writes the launch's buffers as
 * files. */
ifl_status ifl_task_run_program(const ifl_task *task, ifl_launch *launch, ifl_error *error);
void ifl_task_free(ifl_task *task);

#endif
