/* SPDX-License-Identifier: Apache-2.0
 * All attributes of pointers to each kind of memory. pointer_attributes.expected is what an H200 gave (driver
 * 580.159.04), but for two things: its memory can be reached by other devices (15), of which there are none
 * here, and a pool takes 32 MiB of the GPU's at a time (18). */
#include "cu.h"

extern int cuMemAllocAsync(address *out, size_t bytes, void *stream);
extern int cuMemAddressReserve(address *out, size_t bytes, size_t alignment, address wish,
                               unsigned long long flags);
extern int cuMemCreate(unsigned long long *out, size_t bytes, const void *properties,
                       unsigned long long flags);
extern int cuMemMap(address at, size_t bytes, size_t offset, unsigned long long handle,
                    unsigned long long flags);
extern int cuMemSetAccess(address at, size_t bytes, const void *wishes, size_t count);

enum { MEBIBYTE = 1 << 20, FILE_HANDLE = 1, ATTRIBUTES = 21, P2P_TOKENS = 5 };

/* Whether it is an address or a number of the system's own, of which only that it is there can be said. */
static int is_own(int number)
{
    return number == 1 || number == 3 || number == 4 || number == 7 || number == 11 ||
           number == 17 || number == 19 || number == 20;
}

static void tell(const char *what, address at)
{
    printf("%s:", what);
    for (int number = 1; number <= ATTRIBUTES; number++) {
        unsigned char bytes[16];
        unsigned long long value = 0;
        size_t count = 0;
        if (number == P2P_TOKENS)
            continue;
        memset(bytes, 0xee, sizeof bytes);
        const int code = cuPointerGetAttribute(bytes, number, at);
        for (size_t i = 0; i < sizeof bytes; i++)
            count = bytes[i] != 0xee ? i + 1 : count;
        memcpy(&value, bytes, count < sizeof value ? count : sizeof value);
        if (code)
            printf(" %d=error %d", number, code);
        else if (is_own(number))
            printf(" %d=%s", number, value ? "set" : "null");
        else
            printf(" %d=%llx", number, value);
    }
    printf("\n");
}

static void tell_virtual(int handle_types)
{
    const struct {
        int type, handle_types, place, id;
        void *windows;
        unsigned char flags[8];
    } properties = {.type = 1, .handle_types = handle_types, .place = 1};
    const struct {
        int place, id, flags;
    } may = {1, 0, 3};
    unsigned long long memory;
    address at;
    OK(cuMemCreate(&memory, 4 * MEBIBYTE, &properties, 0));
    OK(cuMemAddressReserve(&at, 8 * MEBIBYTE, 0, 0, 0));
    OK(cuMemMap(at, 4 * MEBIBYTE, 0, memory, 0));
    tell("mapped, without access", at);
    OK(cuMemSetAccess(at, 4 * MEBIBYTE, &may, 1));
    tell(handle_types ? "mapped, to be shared" : "mapped", at);
    tell("reserved", at + 5 * MEBIBYTE);
}

int main(void)
{
    static int mine[64];
    int device;
    void *context, *host;
    address at;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuMemAlloc_v2(&at, 3 * MEBIBYTE));
    tell("allocated", at);
    OK(cuMemAllocManaged(&at, 3 * MEBIBYTE, 1));
    tell("managed", at);
    OK(cuMemAllocHost_v2(&host, 3 * MEBIBYTE));
    tell("host", (address)host);
    OK(cuMemAllocAsync(&at, 3 * MEBIBYTE, NULL));
    OK(cuCtxSynchronize());
    tell("of a pool", at);
    tell_virtual(0);
    tell_virtual(FILE_HANDLE);
    tell("the program's", (address)mine);
    return 0;
}
