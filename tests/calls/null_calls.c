/* SPDX-License-Identifier: Apache-2.0
 * The calls that have no row of words yet (without_words.txt), with NULL and 0 for everything: each
 * gives a code back.
 * usage: null_calls LIST LIBRARY...      the libraries that stand in for CUDA's */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LIBRARIES = 8, NAME_BYTES = 128 };

typedef int any_call(const void *, const void *, const void *, const void *, const void *,
                     const void *, const void *, const void *, const void *, const void *);

/* It gives a structure back by value, and takes numbers only. */
static const char by_value[] = "cudaCreateChannelDesc";

int main(int argc, char **argv)
{
    char name[NAME_BYTES];
    int made = 0, missing = 0;
    void *library[MOST_LIBRARIES] = {NULL};
    FILE *list = argc > 2 ? fopen(argv[1], "r") : NULL;
    if (!list || argc - 2 > MOST_LIBRARIES)
        return 2;
    for (int i = 2; i < argc; i++)
        if (!(library[i - 2] = dlopen(argv[i], RTLD_NOW | RTLD_GLOBAL))) {
            fprintf(stderr, "null_calls: %s\n", dlerror());
            return 2;
        }
    while (fgets(name, sizeof name, list)) {
        name[strcspn(name, "\n")] = '\0';
        if (name[0] == '#' || strcmp(name, by_value) == 0)
            continue;
        any_call *call = NULL;
        for (int i = 0; i < argc - 2 && !call; i++)
            *(void **)&call = dlsym(library[i], name);
        if (!call) {
            fprintf(stderr, "null_calls: no library has %s\n", name);
            missing++;
            continue;
        }
        fprintf(stderr, "%s\n", name); /* the last one, where it ends the program */
        call(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        made++;
    }
    fclose(list);
    return missing || !made;
}
