/* SPDX-License-Identifier: Apache-2.0
 * Running another program, and a private folder for its files. */
#ifndef IFL_BASE_PROCESS_H
#define IFL_BASE_PROCESS_H

#include "base/error.h"

#include <sys/types.h>

enum { IFL_PATH_BYTES = 4096 };

/* Looks a program up on PATH, then in `folder` (NULL: nowhere else). False when there is none. */
bool ifl_program_find(const char *name, const char *folder, char path[IFL_PATH_BYTES]);

typedef struct ifl_process {
    const char *const *words; /* the program's path, its arguments, NULL */
    const char *log;          /* the file for what it prints */
    const char *folder;       /* that it runs in; NULL: this process's */
    const char *temporary;    /* its TMPDIR; NULL: this process's */
    pid_t group;              /* of processes, that it joins; 0: this process's */
    bool errors_only;         /* the log has its standard error alone */
    const char *const *kept;  /* the variables that it gets, a name or "NAME*" each, then NULL;
                               * NULL: all of this process's */
    const volatile int *stop; /* not 0: it is to end; NULL: nothing stops it */
    int most_s;               /* the longest that it may take, if stop is there; 0: any time */
} ifl_process;

/* Runs it without a shell. *code is its exit status, or 128 plus the signal that ended it; 128 plus
 * SIGXCPU where it took too long; 0 where the program that this process is has taken the child's end
 * for itself (it waits for any child, or ignores SIGCHLD): what the child has made tells then. One
 * that is to end gets SIGTERM, and after IFL_PROCESS_PATIENCE_S SIGKILL. */
enum { IFL_PROCESS_PATIENCE_S = 3 };
ifl_status ifl_process_run(const ifl_process *process, int *code, ifl_error *error);

/* Whether shells and compilers take the text literally: none of its characters means anything to
 * them. */
bool ifl_shell_is_plain(const char *text);

/* A folder that only this user can read: in TMPDIR, or in /tmp where TMPDIR leads nowhere or a
 * shell would not take its path literally. */
typedef struct ifl_scratch {
    char path[IFL_PATH_BYTES];
    pid_t keeper; /* a process that removes the folder when this one has ended, whatever ended it,
                   * and ends the others of its group before */
    int line;     /* what the keeper reads the end of */
} ifl_scratch;

ifl_status ifl_scratch_make(ifl_scratch *scratch, ifl_error *error);
/* The path of a file in it; false when it would be too long. */
bool ifl_scratch_path(const ifl_scratch *scratch, const char *name, char path[IFL_PATH_BYTES]);
ifl_status ifl_scratch_write(const ifl_scratch *scratch, const char *name, const char *text,
                             ifl_error *error);
/* Removes what is in a folder; no link is followed. */
void ifl_folder_clear(const char *path);
/* Removes the folder with all that is in it. */
void ifl_scratch_remove(ifl_scratch *scratch);

#endif
