/* SPDX-License-Identifier: Apache-2.0
 * What a GPU's driver says of each attribute of a device, a line "number value" each, to be held
 * against src/standin/device_attribute.def; attributes that the driver does not know are left out.
 * Needs a GPU and no toolkit.
 * usage: cc -o gpu-attributes tools/gpu-attributes.c -ldl && ./gpu-attributes */
#include <dlfcn.h>
#include <stdio.h>

typedef int (*call)();

static call find(void *driver, const char *name)
{
    call found = NULL;
    *(void **)&found = dlsym(driver, name);
    return found;
}

int main(void)
{
    enum { MOST = 200 };
    int device = 0, value = 0;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    const call init = find(driver, "cuInit"), get = find(driver, "cuDeviceGet"),
               attribute = find(driver, "cuDeviceGetAttribute");
    if (!init || !get || !attribute || init(0) != 0 || get(&device, 0) != 0) {
        fprintf(stderr, "no GPU\n");
        return 1;
    }
    for (int number = 1; number <= MOST; number++)
        if (attribute(&value, number, device) == 0)
            printf("%d %d\n", number, value);
    return 0;
}
