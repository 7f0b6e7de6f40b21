// SPDX-License-Identifier: Apache-2.0
// A library with kernels of its own is loaded, used, closed and loaded again (parts/library.cu).
// nvcc: -ldl
// library: parts/library.cu
#include "check.h"
#include <dlfcn.h>
#include <string>

static int use(const char *path, int value)
{
    void *library = dlopen(path, RTLD_NOW);
    if (!library) {
        printf("%s\n", dlerror());
        return -1;
    }
    int (*add)(int) = (int (*)(int))dlsym(library, "add_on_gpu");
    const int sum = add(value);
    dlclose(library);
    return sum;
}

int main(int, char **words)
{
    const std::string path = std::string(words[0]) + "-library.so";
    for (int i = 0; i < 3; i++)
        printf("%d\n", use(path.c_str(), i));
    CHECK(cudaDeviceSynchronize());
    return 0;
}
