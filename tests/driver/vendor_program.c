/* SPDX-License-Identifier: Apache-2.0
 * usage: vendor_program LIBRARY: opens it twice, as a program that calls it does, and says what it
 * was answered. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int (*ask)(void) = library ? (int (*)(void))dlsym(library, "ask") : NULL;
    if (!ask)
        return puts("no library");
    const int first = ask();
    printf("went on with %d %d\n", first, ask());
    return 0;
}
