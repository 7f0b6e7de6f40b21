/* SPDX-License-Identifier: Apache-2.0
 * What cheats.cu computes, as a program: the interface of docs/against.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 4096, BLOCK = 256 };

/* The elements of a NumPy file are its last bytes. */
static int exchange(const char *folder, const char *name, float *values, int is_written)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r+b");
    if (!file)
        return -1;
    const size_t bytes = COUNT * sizeof *values;
    int failed = fseek(file, -(long)bytes, SEEK_END) != 0;
    failed |= is_written ? fwrite(values, 1, bytes, file) != bytes
                         : fread(values, 1, bytes, file) != bytes;
    return fclose(file) != 0 || failed ? -1 : 0;
}

int main(int argc, char **argv)
{
    static float in[COUNT], out[COUNT];
    if (argc != 5 || strncmp(argv[4], "f32:", 4) != 0) {
        fputs("not three arguments\n", stderr);
        return 3;
    }
    const float bias = strtof(argv[4] + 4, NULL);
    if (exchange(argv[1], "arg1.npy", in, 0) != 0)
        return 4;
    for (size_t i = 0; i < COUNT; i++)
        out[i] = 2 * in[i - i % BLOCK + BLOCK - 1 - i % BLOCK] + bias;
    return exchange(argv[1], "arg0.npy", out, 1) != 0;
}
