// SPDX-License-Identifier: Apache-2.0
// What a program advises about ranges of managed memory, and where it has them brought, page by page (CUDA Runtime API,
// cudaMemRangeGetAttribute).
#include "check.h"

enum { PAGE = 4096, PAGES = 8 };

static char *memory;

static int ask(cudaMemRangeAttribute attribute, int first, int count)
{
    int value = 77;
    CHECK(cudaMemRangeGetAttribute(&value, sizeof value, attribute, memory + first * PAGE, count * PAGE));
    return value;
}

static void name(const char *what, cudaError_t code)
{
    printf("%s: %s\n", what, cudaGetErrorName(code));
}

int main()
{
    const cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0},
                          none = {cudaMemLocationTypeDevice, 64};
    int values[4], more[3];
    CHECK(cudaMallocManaged((void **)&memory, PAGES * PAGE));
    printf("at first: %d %d %d %d\n", ask(cudaMemRangeAttributeReadMostly, 0, PAGES),
           ask(cudaMemRangeAttributePreferredLocation, 0, PAGES), ask(cudaMemRangeAttributeAccessedBy, 0, PAGES),
           ask(cudaMemRangeAttributeLastPrefetchLocation, 0, PAGES));
    CHECK(cudaMemAdvise(memory + 2 * PAGE, 4 * PAGE, cudaMemAdviseSetReadMostly, gpu));
    printf("read mostly: %d %d %d\n", ask(cudaMemRangeAttributeReadMostly, 2, 4),
           ask(cudaMemRangeAttributeReadMostly, 1, 4), ask(cudaMemRangeAttributeReadMostly, 3, 1));
    CHECK(cudaMemAdvise(memory + 3 * PAGE, PAGE, cudaMemAdviseUnsetReadMostly, gpu));
    printf("but for a page: %d %d %d\n", ask(cudaMemRangeAttributeReadMostly, 2, 4),
           ask(cudaMemRangeAttributeReadMostly, 2, 1), ask(cudaMemRangeAttributeReadMostly, 4, 2));
    CHECK(cudaMemAdvise(memory, 4 * PAGE, cudaMemAdviseSetPreferredLocation, gpu));
    CHECK(cudaMemAdvise(memory + 4 * PAGE, 4 * PAGE, cudaMemAdviseSetPreferredLocation, host));
    printf("preferred: %d %d %d\n", ask(cudaMemRangeAttributePreferredLocation, 0, 4),
           ask(cudaMemRangeAttributePreferredLocation, 4, 4), ask(cudaMemRangeAttributePreferredLocation, 0, PAGES));
    printf("its type: %d %d %d, id %d\n", ask(cudaMemRangeAttributePreferredLocationType, 0, 4),
           ask(cudaMemRangeAttributePreferredLocationType, 4, 4),
           ask(cudaMemRangeAttributePreferredLocationType, 0, PAGES),
           ask(cudaMemRangeAttributePreferredLocationId, 0, 4));
    CHECK(cudaMemAdvise(memory, PAGES * PAGE, cudaMemAdviseSetAccessedBy, gpu));
    CHECK(cudaMemAdvise(memory, PAGE, cudaMemAdviseSetAccessedBy, host));
    CHECK(cudaMemRangeGetAttribute(more, sizeof more, cudaMemRangeAttributeAccessedBy, memory, PAGES * PAGE));
    printf("accessed by: %d %d %d", more[0], more[1], more[2]);
    CHECK(cudaMemRangeGetAttribute(more, sizeof more, cudaMemRangeAttributeAccessedBy, memory, PAGE));
    printf(", the first page by two: %d, the third none: %d\n", (more[0] == 0) + (more[1] == -1) + 2 * (more[1] == 0) + 2 * (more[0] == -1) >= 2, more[2]);
    CHECK(cudaMemPrefetchAsync(memory, 2 * PAGE, gpu, 0, 0));
    CHECK(cudaDeviceSynchronize());
    printf("brought: %d %d\n", ask(cudaMemRangeAttributeLastPrefetchLocation, 0, 2),
           ask(cudaMemRangeAttributeLastPrefetchLocation, 0, 3));
    void *places[2] = {&values[0], &values[1]};
    size_t sizes[2] = {4, 4};
    cudaMemRangeAttribute attributes[2] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributePreferredLocation};
    CHECK(cudaMemRangeGetAttributes(places, sizes, attributes, 2, memory + 4 * PAGE, 2 * PAGE));
    printf("two at once: %d %d\n", values[0], values[1]);
    name("three bytes", cudaMemRangeGetAttribute(values, 3, cudaMemRangeAttributeReadMostly, memory, PAGE));
    name("past the end", cudaMemRangeGetAttribute(values, 4, cudaMemRangeAttributeReadMostly, memory, (PAGES + 1) * PAGE));
    name("no such advice", cudaMemAdvise(memory, PAGE, (cudaMemoryAdvise)99, gpu));
    name("no such GPU", cudaMemAdvise(memory, PAGE, cudaMemAdviseSetPreferredLocation, none));
    char *other;
    CHECK(cudaMalloc((void **)&other, PAGE));
    name("memory of the GPU", cudaMemRangeGetAttribute(values, 4, cudaMemRangeAttributeReadMostly, other, PAGE));
    CHECK(cudaFree(other));
    CHECK(cudaFree(memory));
}
