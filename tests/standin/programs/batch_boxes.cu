// SPDX-License-Identifier: Apache-2.0
// Boxes that are copied in batches, managed memory that is prefetched and discarded in batches, and pools by their location.
// CUDA Runtime API, cudaMemcpy3DBatchAsync, cudaMemPrefetchBatchAsync, cudaMemGetMemPool.
#include "check.h"
#include <cstring>

static cudaStream_t stream;

static const char *name(cudaError_t code)
{
    cudaGetLastError();
    return cudaGetErrorName(code);
}

static cudaMemLocation at(cudaMemLocationType type)
{
    cudaMemLocation location;
    location.type = type;
    location.id = 0;
    return location;
}

static cudaMemcpy3DOperand memory(void *start, size_t row, size_t rows)
{
    cudaMemcpy3DOperand side;
    memset(&side, 0, sizeof side);
    side.type = cudaMemcpyOperandTypePointer;
    side.op.ptr.ptr = start;
    side.op.ptr.rowLength = row;
    side.op.ptr.layerHeight = rows;
    side.op.ptr.locHint = at(cudaMemLocationTypeInvalid);
    return side;
}

static cudaMemcpy3DBatchOp copy(cudaMemcpy3DOperand to, cudaMemcpy3DOperand from, size_t width, size_t height, size_t depth)
{
    cudaMemcpy3DBatchOp op;
    memset(&op, 0, sizeof op);
    op.src = from;
    op.dst = to;
    op.extent = make_cudaExtent(width, height, depth);
    op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    return op;
}

static void show(const char *what, const unsigned char *from, size_t count)
{
    unsigned char got[64];
    from_gpu(got, from, count);
    printf("%s:", what);
    for (size_t i = 0; i < count; i++)
        printf(" %d", got[i]);
    printf("\n");
}

// Bytes: two layers of 2 x 3 of the host, into rows of 5 and layers of 3 rows.
static void boxes()
{
    unsigned char *pinned, *wide, *packed;
    CHECK(cudaMallocHost(&pinned, 12));
    CHECK(cudaMalloc(&wide, 30));
    CHECK(cudaMalloc(&packed, 12));
    for (int i = 0; i < 12; i++)
        pinned[i] = i + 1;
    CHECK(cudaMemset(wide, 0, 30));
    cudaMemcpy3DBatchOp out = copy(memory(wide, 5, 3), memory(pinned, 0, 0), 3, 2, 2);
    CHECK(cudaMemcpy3DBatchAsync(1, &out, 0, stream));
    cudaMemcpy3DBatchOp both[2] = {copy(memory(packed, 0, 0), memory(wide + 15, 5, 3), 3, 2, 1),
                                   copy(memory(packed + 6, 0, 0), memory(wide, 5, 3), 3, 2, 1)};
    CHECK(cudaMemcpy3DBatchAsync(2, both, 0, stream));
    CHECK(cudaStreamSynchronize(stream));
    show("wide", wide, 30);
    show("turned", packed, 12);

    cudaArray_t array;
    const cudaChannelFormatDesc channels = cudaCreateChannelDesc<short>();
    CHECK(cudaMallocArray(&array, &channels, 8, 4));
    cudaMemcpy3DOperand in_array;
    memset(&in_array, 0, sizeof in_array);
    in_array.type = cudaMemcpyOperandTypeArray;
    in_array.op.array.array = array;
    in_array.op.array.offset = {2, 1, 0};
    cudaMemcpy3DBatchOp into = copy(in_array, memory(pinned, 0, 0), 3, 2, 1),
                        back = copy(memory(wide, 4, 0), in_array, 3, 2, 1);
    CHECK(cudaMemset(wide, 0, 30));
    CHECK(cudaMemcpy3DBatchAsync(1, &into, 0, stream));
    CHECK(cudaMemcpy3DBatchAsync(1, &back, 0, stream));
    CHECK(cudaStreamSynchronize(stream));
    show("by an array of shorts", wide, 16);

    printf("the legacy stream: %s\n", name(cudaMemcpy3DBatchAsync(1, &out, 0, 0)));
    printf("none: %s\n", name(cudaMemcpy3DBatchAsync(0, &out, 0, stream)));
    printf("flags: %s\n", name(cudaMemcpy3DBatchAsync(1, &out, 1, stream)));
    out.dst.op.ptr.rowLength = 2;
    printf("short rows: %s\n", name(cudaMemcpy3DBatchAsync(1, &out, 0, stream)));
    out.dst.op.ptr.rowLength = 0;
    out.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    printf("in no order: %s\n", name(cudaMemcpy3DBatchAsync(1, &out, 0, stream)));
    out.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    out.extent.depth = 0;
    printf("no layers: %s\n", name(cudaMemcpy3DBatchAsync(1, &out, 0, stream)));
}

static void ranges()
{
    enum { BYTES = 1 << 20 };
    void *one, *other;
    CHECK(cudaMallocManaged(&one, BYTES));
    CHECK(cudaMallocManaged(&other, BYTES));
    void *both[2] = {one, other};
    size_t bytes[2] = {BYTES, BYTES}, first[2] = {0, 1}, wrong[2] = {1, 0};
    cudaMemLocation to[2] = {at(cudaMemLocationTypeDevice), at(cudaMemLocationTypeHost)};
    memset(one, 1, BYTES);
    CHECK(cudaMemPrefetchBatchAsync(both, bytes, 2, to, first, 2, 0, stream));
    cudaMemLocationType where[2];
    for (int i = 0; i < 2; i++)
        CHECK(cudaMemRangeGetAttribute(&where[i], sizeof where[i], cudaMemRangeAttributeLastPrefetchLocationType, both[i],
                                       BYTES));
    printf("prefetched to the GPU and the host: %d %d\n", where[0] == cudaMemLocationTypeDevice,
           where[1] == cudaMemLocationTypeHost);
    CHECK(cudaMemDiscardBatchAsync(both, bytes, 2, 0, stream));
    CHECK(cudaMemDiscardAndPrefetchBatchAsync(both, bytes, 2, to, first, 1, 0, stream));
    CHECK(cudaMemsetAsync(one, 3, BYTES, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("written again: %d\n", ((char *)one)[BYTES - 1]);
    printf("the legacy stream: %s\n", name(cudaMemPrefetchBatchAsync(both, bytes, 2, to, first, 2, 0, 0)));
    printf("flags: %s\n", name(cudaMemDiscardBatchAsync(both, bytes, 2, 1, stream)));
    printf("wrong places: %s\n", name(cudaMemPrefetchBatchAsync(both, bytes, 2, to, wrong, 2, 0, stream)));
}

static void pools()
{
    cudaMemPool_t own, first, now;
    cudaMemLocation here = at(cudaMemLocationTypeDevice);
    CHECK(cudaDeviceGetDefaultMemPool(&first, 0));
    CHECK(cudaMemGetDefaultMemPool(&now, &here, cudaMemAllocationTypePinned));
    printf("the default pool: %d\n", now == first);
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = here;
    CHECK(cudaMemPoolCreate(&own, &properties));
    CHECK(cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, own));
    CHECK(cudaMemGetMemPool(&now, &here, cudaMemAllocationTypePinned));
    printf("the own one: %d", now == own);
    CHECK(cudaDeviceGetMemPool(&now, 0));
    printf(" %d\n", now == own);
    printf("none: %s\n", name(cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, NULL)));
    printf("nowhere: %s\n", name(cudaMemGetDefaultMemPool(&now, NULL, cudaMemAllocationTypePinned)));
    printf("no place: %s\n", name(cudaMemGetDefaultMemPool(NULL, &here, cudaMemAllocationTypePinned)));
}

int main()
{
    CHECK(cudaStreamCreate(&stream));
    boxes();
    ranges();
    pools();
}
