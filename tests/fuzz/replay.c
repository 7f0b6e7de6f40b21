/* SPDX-License-Identifier: Apache-2.0
 * Runs a fuzz target once over every file of the folders given: the corpus as a test for any
 * compiler. Files are read into memory of exactly their size, so that AddressSanitizer sees a read
 * past the end. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *read_file(const char *path, size_t *size)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &status) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    *size = (size_t)status.st_size;
    uint8_t *data = malloc(*size ? *size : 1);
    if (!data || fread(data, 1, *size, file) != *size) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    fclose(file);
    return data;
}

static int replay_folder(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    if (!folder) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        size_t size;
        uint8_t *data = read_file(name, &size);
        printf("%s: %zu bytes\n", entry->d_name, size);
        fflush(stdout); /* the last name printed is the one that crashed */
        LLVMFuzzerTestOneInput(data, size);
        free(data);
        count++;
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++)
        count += replay_folder(argv[i]);
    printf("%d inputs\n", count);
    return count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
