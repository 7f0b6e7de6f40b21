/* SPDX-License-Identifier: Apache-2.0
 * A process that reads its folder and what programs need, writes into one folder, and opens no
 * socket: Landlock for files, a seccomp filter for sockets. Both need no rights, and cannot be
 * taken back. */
#include "check/check_api.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The rights of Landlock's first version, which every later one has. */
enum {
    READING =
        LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
    FILE_RIGHTS =
        LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE,
    ALL = (1 << 13) - 1
};

enum { MOST_FILE_BYTES = 1 << 30 }; /* of a file that it writes */

static long landlock_version(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

static void allow(int rules, const char *path, uint64_t rights)
{
    const int file = open(path, O_PATH | O_CLOEXEC);
    struct landlock_path_beneath_attr beneath = {.allowed_access = rights, .parent_fd = file};
    if (file < 0)
        return;
    /* Rights of folders are refused for files. */
    if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) != 0 &&
        errno == EINVAL) {
        beneath.allowed_access &= FILE_RIGHTS;
        syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
    }
    close(file);
}

static bool confine_files(const char *folder, const char *inputs, const char *own,
                          const char *program)
{
    static const char *const needed[] = {"/usr",
                                         "/lib",
                                         "/lib32",
                                         "/lib64",
                                         "/bin",
                                         "/sbin",
                                         "/opt",
                                         "/proc/self",
                                         "/proc/cpuinfo",
                                         "/proc/meminfo",
                                         "/proc/sys/vm",
                                         "/etc/ld.so.cache",
                                         "/etc/alternatives",
                                         "/etc/localtime",
                                         "/sys/devices/system/cpu",
                                         "/dev/urandom"};
    const struct landlock_ruleset_attr handled = {.handled_access_fs = ALL};
    const int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
    if (rules < 0)
        return false;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        allow(rules, needed[i], READING);
    allow(rules, "/dev/null", READING | LANDLOCK_ACCESS_FS_WRITE_FILE);
    allow(rules, program, READING);
    allow(rules, folder, READING);
    allow(rules, inputs, READING);
    allow(rules, own, ALL);
    const bool is_restricted = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return is_restricted;
}

#if defined __x86_64__
enum { OWN_ARCHITECTURE = AUDIT_ARCH_X86_64 };
#elif defined __aarch64__
enum { OWN_ARCHITECTURE = AUDIT_ARCH_AARCH64 };
#else
#error                                                                                             \
    "The filter of system calls knows x86-64 and aarch64 only: add the AUDIT_ARCH of this architecture here."
#endif

/* No socket of any kind, as those of this machine reach services that are not confined; io_uring
 * would open them unseen. System calls of another architecture have other numbers: none of them
 * (int 0x80, x32). */
static bool confine_sockets(void)
{
    enum { X32_CALLS = 0x40000000 };
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_CALLS, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {sizeof code / sizeof *code, code};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

static bool can_filter(void)
{
    /* Known to be possible where the mode can be asked for: EFAULT, not EINVAL. */
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) != 0 && errno == EFAULT;
}

bool ifl_confine(const char *folder, const char *inputs, const char *own, const char *program,
                 int seconds)
{
    const struct rlimit time = {(rlim_t)seconds, (rlim_t)seconds},
                        bytes = {MOST_FILE_BYTES, MOST_FILE_BYTES};
    return setrlimit(RLIMIT_CPU, &time) == 0 && setrlimit(RLIMIT_FSIZE, &bytes) == 0 &&
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           (landlock_version() < 1 || confine_files(folder, inputs, own, program)) &&
           (!can_filter() || confine_sockets());
}

void ifl_confinement(const char **files, const char **network)
{
    *files = landlock_version() >= 1 ? "landlock" : "none";
    *network = can_filter() ? "seccomp" : "none";
}
