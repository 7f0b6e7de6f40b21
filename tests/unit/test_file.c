/* SPDX-License-Identifier: Apache-2.0
 * Files that take their place when they are complete (base/file.h): links, rights, names, what is
 * left when a write ends early. Expectations are POSIX's: a path through a symbolic link names the
 * file that it leads to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "inflight-file.XXXXXX";

static int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    return chdir("..") == 0 && system("rm -r inflight-file.*") == 0 ? 0 : -1;
}

static void write_text(const char *path, const char *text)
{
    ifl_file file;
    ifl_error error;
    assert_int_equal(ifl_file_create(&file, path, &error), IFL_OK);
    fputs(text, file.stream);
    assert_int_equal(ifl_file_commit(&file, &error), IFL_OK);
}

static void expect_text(const char *path, const char *text)
{
    char *found;
    size_t bytes;
    assert_int_equal(ifl_file_read(path, 1000, &found, &bytes, NULL), IFL_OK);
    assert_string_equal(found, text);
    free(found);
}

static int entries(void)
{
    DIR *here = opendir(".");
    int count = -2; /* . and .. */
    while (readdir(here))
        count++;
    closedir(here);
    return count;
}

static bool is_link(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
}

static mode_t rights_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 07777;
}

/* ---- links ----------------------------------------------------------------------------------- */

static void links_stay(void **state)
{
    (void)state;
    mkdir("deep", 0777);
    write_text("deep/real", "old");
    assert_int_equal(symlink("real", "deep/near"), 0); /* beside the link, not beside us */
    assert_int_equal(symlink("deep/near", "far"), 0);
    write_text("far", "new");
    assert_true(is_link("far") && is_link("deep/near") && !is_link("deep/real"));
    expect_text("deep/real", "new");
}

static void links_to_nothing_make_it(void **state)
{
    (void)state;
    assert_int_equal(symlink("deep/made", "dangling"), 0);
    write_text("dangling", "made");
    assert_true(is_link("dangling"));
    expect_text("deep/made", "made");
}

static void links_in_a_circle_are_told(void **state)
{
    ifl_file file;
    ifl_error error;
    (void)state;
    assert_int_equal(symlink("circle", "circle"), 0);
    assert_int_equal(ifl_file_create(&file, "circle", &error), IFL_NO_FILE);
    assert_int_equal(ifl_file_check("circle", &error), IFL_NO_FILE);
}

/* ---- rights ---------------------------------------------------------------------------------- */

static void rights_are_kept(void **state)
{
    (void)state;
    write_text("private", "old");
    chmod("private", 0600);
    write_text("private", "new");
    assert_int_equal(rights_of("private"), 0600);
    chmod("private", 0640);
    write_text("private", "newer");
    assert_int_equal(rights_of("private"), 0640);
    expect_text("private", "newer");
}

static void a_new_file_follows_the_umask(void **state)
{
    (void)state;
    const mode_t before = umask(027);
    write_text("masked", "");
    umask(before);
    assert_int_equal(rights_of("masked"), 0640);
}

/* Only root may give a file away. */
static void the_owner_is_kept(void **state)
{
    struct stat about;
    (void)state;
    if (geteuid() != 0)
        skip();
    write_text("theirs", "old");
    assert_int_equal(chown("theirs", 4321, 1234), 0);
    write_text("theirs", "new");
    assert_int_equal(stat("theirs", &about), 0);
    assert_true(about.st_uid == 4321 && about.st_gid == 1234);
    expect_text("theirs", "new");
}

/* As another user, in a folder that is not theirs: what may be written is, in its place; what may
 * not is told. */
static void write_as_another(void)
{
    ifl_file file;
    ifl_error error;
    if (setgid(4321) != 0 || setuid(4321) != 0)
        _exit(3);
    const bool is_open = ifl_file_check("closed/open", &error) == IFL_OK &&
                         ifl_file_create(&file, "closed/open", &error) == IFL_OK &&
                         fputs("new", file.stream) >= 0 && ifl_file_commit(&file, &error) == IFL_OK;
    const bool is_told = ifl_file_check("closed/shut", &error) == IFL_NO_FILE &&
                         ifl_file_create(&file, "closed/shut", &error) == IFL_NO_FILE &&
                         ifl_file_check("closed/none", &error) == IFL_NO_FILE;
    _exit(!is_open + 2 * !is_told);
}

static void folders_that_are_closed(void **state)
{
    int status;
    (void)state;
    if (geteuid() != 0)
        skip();
    chmod(".", 0755);
    mkdir("closed", 0755);
    write_text("closed/open", "old");
    write_text("closed/shut", "old");
    chmod("closed/open", 0666);
    const pid_t child = fork();
    if (child == 0)
        write_as_another();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 0);
    expect_text("closed/open", "new");
    expect_text("closed/shut", "old");
}

/* ---- names ----------------------------------------------------------------------------------- */

static void names_may_be_as_long_as_names_can_be(void **state)
{
    char name[256];
    (void)state;
    for (size_t length = 250; length <= 255; length++) {
        memset(name, 'n', length);
        name[length] = '\0';
        write_text(name, "long");
        expect_text(name, "long");
        unlink(name);
    }
}

/* ---- what is left ---------------------------------------------------------------------------- */

static void nothing_is_left_of_what_is_not_complete(void **state)
{
    ifl_file file;
    ifl_error error;
    (void)state;
    write_text("kept", "old");
    const int before = entries();
    assert_int_equal(ifl_file_create(&file, "kept", &error), IFL_OK);
    fputs("half", file.stream);
    assert_int_equal(entries(), before + 1);
    ifl_file_abandon(&file);
    assert_int_equal(entries(), before);
    assert_int_equal(ifl_file_check("kept", &error), IFL_OK);
    assert_int_equal(ifl_file_check("other", &error), IFL_OK);
    assert_int_equal(entries(), before);
    expect_text("kept", "old");
}

/* What a handler of signals does, before the program ends. */
static void signals_leave_nothing(void **state)
{
    int status;
    ifl_file file, second;
    ifl_error error;
    (void)state;
    const int before = entries();
    const pid_t child = fork();
    if (child == 0) {
        const bool is_open = ifl_file_create(&file, "first", &error) == IFL_OK;
        ifl_files_drop();
        /* In another thread one may be begun just then. */
        _exit(!is_open || entries() != before ||
              ifl_file_create(&second, "second", &error) != IFL_OK || entries() != before);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* The parent's are not the child's to remove. */
static void children_remove_nothing(void **state)
{
    ifl_file file;
    ifl_error error;
    (void)state;
    const int before = entries();
    assert_int_equal(ifl_file_create(&file, "of-parent", &error), IFL_OK);
    const pid_t child = fork();
    if (child == 0) {
        ifl_files_drop();
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(entries(), before + 1);
    assert_int_equal(ifl_file_commit(&file, &error), IFL_OK);
    expect_text("of-parent", "");
}

static void what_cannot_be_written_is_told(void **state)
{
    ifl_error error;
    (void)state;
    assert_int_equal(ifl_file_check("missing/file", &error), IFL_NO_FILE);
    assert_non_null(strstr(error.text, "cannot write 'missing/file': No such file"));
    assert_int_equal(ifl_file_check("deep", &error), IFL_NO_FILE);
    assert_int_equal(ifl_file_check("/dev/null", &error), IFL_OK);
    assert_int_equal(ifl_file_check("", &error), IFL_NO_FILE);
}

/* ---- the same -------------------------------------------------------------------------------- */

static void files_are_known_by_what_they_are(void **state)
{
    (void)state;
    write_text("one", "");
    assert_int_equal(link("one", "hard"), 0);
    assert_int_equal(symlink("one", "soft"), 0);
    assert_int_equal(symlink("deep/later", "soon"), 0);
    assert_true(ifl_file_is_same("one", "./one"));
    assert_true(ifl_file_is_same("one", "hard"));
    assert_true(ifl_file_is_same("soft", "deep/../one"));
    assert_true(ifl_file_is_same("soon", "deep/later"));
    assert_true(ifl_file_is_same("none", "deep/../none"));
    assert_false(ifl_file_is_same("one", "none"));
    assert_false(ifl_file_is_same("none", "deep/none"));
    assert_false(ifl_file_is_same("/dev/null", "/dev/null")); /* both may write to it */
}

/* What somebody else has put there. */
static void plain_files(void **state)
{
    char *text;
    size_t bytes;
    ifl_error error;
    (void)state;
    write_text("plain", "words");
    assert_int_equal(ifl_file_read_plain("plain", 100, &text, &bytes, &error), IFL_OK);
    assert_string_equal(text, "words");
    free(text);
    assert_int_equal(ifl_file_read_plain("plain", 4, &text, &bytes, &error), IFL_BAD_INPUT);
    assert_int_equal(symlink("plain", "to_plain"), 0);
    assert_int_equal(ifl_file_read_plain("to_plain", 100, &text, &bytes, &error), IFL_BAD_INPUT);
    assert_non_null(strstr(error.text, "'to_plain' is a link"));
    assert_int_equal(mkfifo("fifo", S_IRWXU), 0);
    assert_int_equal(ifl_file_read_plain("fifo", 100, &text, &bytes, &error), IFL_BAD_INPUT);
    assert_int_equal(ifl_file_read_plain("nowhere", 100, &text, &bytes, &error), IFL_NO_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_files),
        cmocka_unit_test(links_stay),
        cmocka_unit_test(links_to_nothing_make_it),
        cmocka_unit_test(links_in_a_circle_are_told),
        cmocka_unit_test(rights_are_kept),
        cmocka_unit_test(a_new_file_follows_the_umask),
        cmocka_unit_test(the_owner_is_kept),
        cmocka_unit_test(folders_that_are_closed),
        cmocka_unit_test(names_may_be_as_long_as_names_can_be),
        cmocka_unit_test(nothing_is_left_of_what_is_not_complete),
        cmocka_unit_test(signals_leave_nothing),
        cmocka_unit_test(children_remove_nothing),
        cmocka_unit_test(what_cannot_be_written_is_told),
        cmocka_unit_test(files_are_known_by_what_they_are),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
