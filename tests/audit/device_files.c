/* SPDX-License-Identifier: Apache-2.0
 * The files by which programs find out whether there is a GPU, each asked in one way. Exits with 0. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void told(const char *path, int code, const struct stat *what)
{
    printf("%s: %s\n", path, code ? "none" : S_ISCHR(what->st_mode) ? "a device" : "another");
}

int main(void)
{
    static const char *const paths[] = {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0",
                                        "/dev/nvidia17",  "/dev/nvidia0x",   "/dev/null"};
    struct stat what = {0};
    for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++)
        told(paths[i], stat(paths[i], &what), &what);
    told("lstat", lstat(paths[2], &what), &what);
    told("fstatat", fstatat(-1, paths[2], &what, 0), &what);
    told("access", access(paths[2], F_OK), &what);
    errno = 0;
    const int code = stat("/dev/nvidiaX", &what);
    printf("another file: %d %d\n", code, errno == ENOENT);
    return 0;
}
