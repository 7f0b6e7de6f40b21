/* SPDX-License-Identifier: Apache-2.0
 * A confined process: what it still may do, and what not, where the system can see to that. */
#include "check/check_api.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    READS_OWN = 1,
    WRITES_OWN = 2,
    READS_OTHER = 4,
    WRITES_READ_ONLY = 8,
    HAS_SOCKET = 16,
    FOLLOWS_LINK = 32,
    READS_PROCESSES = 64
};

static bool can_open(const char *folder, const char *name, int flags)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int file = open(path, flags, 0600);
    if (file >= 0)
        close(file);
    return file >= 0;
}

/* socket(AF_INET, SOCK_STREAM, 0) by its number among the calls of 32-bit programs, which a kernel
 * for 64 bits may serve too. */
static int socket_of_32_bits(void)
{
#if defined __x86_64__
    enum { SOCKET_OF_I386 = 359 };
    int result = SOCKET_OF_I386;
    __asm__ volatile("int $0x80"
                     : "+a"(result)
                     : "b"(AF_INET), "c"(SOCK_STREAM), "d"(0)
                     : "memory", "r8", "r9", "r10", "r11");
    return result;
#else
    return -1;
#endif
}

/* A kernel that serves no 32-bit programs ends who tries with a signal: tried in a child. */
static bool serves_32_bits(void)
{
    int how = 0;
    const pid_t child = fork();
    if (child == 0)
        _exit(socket_of_32_bits() < 0);
    return child > 0 && waitpid(child, &how, 0) == child && WIFEXITED(how);
}

/* In a child, since it cannot be undone. */
static int try_all(const char *read, const char *write, const char *other)
{
    const bool has_32_bits = serves_32_bits();
    if (!ifl_confine(read, read, write, "/proc/self/exe", 100))
        return 0;
    int network = socket(AF_INET, SOCK_STREAM, 0);
    if (network < 0)
        network = socket(AF_UNIX, SOCK_STREAM, 0);
    if (network < 0 && has_32_bits)
        network = socket_of_32_bits();
    return (can_open(read, "file", O_RDONLY) ? READS_OWN : 0) |
           (can_open(write, "new", O_WRONLY | O_CREAT) ? WRITES_OWN : 0) |
           (can_open(other, "file", O_RDONLY) ? READS_OTHER : 0) |
           (can_open(read, "new", O_WRONLY | O_CREAT) ? WRITES_READ_ONLY : 0) |
           (can_open(read, "link", O_RDONLY) ? FOLLOWS_LINK : 0) |
           (can_open("/proc/1", "cmdline", O_RDONLY) ? READS_PROCESSES : 0) |
           (network >= 0 ? HAS_SOCKET : 0);
}

static void make_folder(char path[32], bool with_file)
{
    strcpy(path, "/tmp/ifl-confine.XXXXXX");
    assert_non_null(mkdtemp(path));
    if (with_file)
        assert_true(can_open(path, "file", O_WRONLY | O_CREAT));
}

static void remove_folder(const char *path)
{
    static const char *const names[] = {"file", "new", "link"};
    char file[64];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(file, sizeof file, "%.40s/%s", path, names[i]);
        unlink(file);
    }
    rmdir(path);
}

static void sees_its_folders_only(void **state)
{
    char read[32], write[32], other[32], link[64], target[64];
    const char *files, *network;
    int how;
    (void)state;
    make_folder(read, true);
    make_folder(write, false);
    make_folder(other, true);
    snprintf(link, sizeof link, "%s/link", read);
    snprintf(target, sizeof target, "%s/file", other);
    assert_int_equal(symlink(target, link), 0);
    const pid_t child = fork();
    if (child == 0)
        _exit(try_all(read, write, other));
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    ifl_confinement(&files, &network);
    const int can = WEXITSTATUS(how);
    assert_true(can & READS_OWN);
    assert_true(can & WRITES_OWN);
    if (strcmp(files, "landlock") == 0)
        assert_false(can & (READS_OTHER | WRITES_READ_ONLY | FOLLOWS_LINK | READS_PROCESSES));
    if (strcmp(network, "seccomp") == 0)
        assert_false(can & HAS_SOCKET);
    remove_folder(read);
    remove_folder(write);
    remove_folder(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sees_its_folders_only)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
