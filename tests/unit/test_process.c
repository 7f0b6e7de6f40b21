/* SPDX-License-Identifier: Apache-2.0
 * Other programs and their folders (base/process.h): what they get of our environment, how they are
 * ended, and that a folder is cleared without following links. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ifl_scratch scratch;

static int enter(void **state)
{
    ifl_error error;
    (void)state;
    return ifl_scratch_make(&scratch, &error) == IFL_OK ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    ifl_scratch_remove(&scratch);
    return access(scratch.path, F_OK) == 0 ? -1 : 0;
}

static const char *path_of(const char *name)
{
    static char path[IFL_PATH_BYTES];
    assert_true(ifl_scratch_path(&scratch, name, path));
    return path;
}

/* Its exit status; the caller frees what it said. */
static int run(const char *command, ifl_process process, char **said)
{
    const char *const words[] = {"/bin/sh", "-c", command, NULL};
    ifl_error error;
    size_t bytes;
    int code = -1;
    process.words = words;
    process.log = path_of("log");
    assert_int_equal(ifl_process_run(&process, &code, &error), IFL_OK);
    if (said)
        assert_int_equal(ifl_file_read(path_of("log"), 1 << 20, said, &bytes, &error), IFL_OK);
    return code;
}

static void variables_that_are_kept(void **state)
{
    static const char *const kept[] = {"PATH", "KEPT", "ALL_*", NULL};
    char *said;
    (void)state;
    setenv("KEPT", "1", 1);
    setenv("KEPT_NOT", "2", 1);
    setenv("ALL_OF", "3", 1);
    setenv("SECRET", "4", 1);
    const ifl_process process = {.kept = kept, .temporary = "/five"};
    assert_int_equal(run("echo $KEPT,$KEPT_NOT,$ALL_OF,$SECRET,$TMPDIR", process, &said), 0);
    assert_string_equal(said, "1,,3,,/five\n");
    free(said);
    assert_int_equal(run("echo $KEPT,$KEPT_NOT,$ALL_OF,$SECRET", (ifl_process){0}, &said), 0);
    assert_string_equal(said, "1,2,3,4\n");
    free(said);
}

static void only_errors(void **state)
{
    const ifl_process process = {.errors_only = true};
    char *said;
    (void)state;
    assert_int_equal(run("echo out; echo err >&2; exit 7", process, &said), 7);
    assert_string_equal(said, "err\n");
    free(said);
}

static void one_that_is_to_end(void **state)
{
    volatile int stop = 1;
    const ifl_process process = {.stop = &stop};
    (void)state;
    assert_int_equal(run("exec sleep 1000", process, NULL), 128 + SIGTERM);
    assert_int_equal(run("trap '' TERM; while :; do sleep 1; done", process, NULL), 128 + SIGKILL);
    stop = 0;
    assert_int_equal(run("exit 3", process, NULL), 3);
}

static void one_that_takes_too_long(void **state)
{
    volatile int stop = 0;
    const ifl_process process = {.stop = &stop, .most_s = 1};
    (void)state;
    assert_int_equal(run("exec sleep 1000", process, NULL), 128 + SIGXCPU);
}

static void folder_with_links(void **state)
{
    char inner[IFL_PATH_BYTES];
    (void)state;
    assert_int_equal(run("mkdir outside && echo kept >outside/file && mkdir -p inner/a/b/c && "
                         "echo >inner/a/b/file && ln -s ../outside inner/link && "
                         "ln -s ../../outside/file inner/a/link && mkfifo inner/pipe",
                         (ifl_process){.folder = scratch.path}, NULL),
                     0);
    snprintf(inner, sizeof inner, "%s", path_of("inner"));
    ifl_folder_clear(inner);
    assert_int_equal(rmdir(inner), 0);
    assert_int_equal(access(path_of("outside/file"), F_OK), 0);
    /* Nor is a link followed that stands for the folder itself. */
    assert_int_equal(symlink("outside", inner), 0);
    ifl_folder_clear(inner);
    assert_int_equal(access(path_of("outside/file"), F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_that_are_kept), cmocka_unit_test(only_errors),
        cmocka_unit_test(one_that_is_to_end),      cmocka_unit_test(one_that_takes_too_long),
        cmocka_unit_test(folder_with_links),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
