/* SPDX-License-Identifier: Apache-2.0
 * Words of memory that streams write and wait for (CUDA Driver API, "Stream Memory Operations"):
 * written by the host, by another stream, each way of comparing, and what the reference refuses. */
#include "cu.h"

extern int cuStreamWriteValue32_v2(void *stream, address at, uint32_t value, unsigned flags);
extern int cuStreamWriteValue64_v2(void *stream, address at, uint64_t value, unsigned flags);
extern int cuStreamWaitValue32_v2(void *stream, address at, uint32_t value, unsigned flags);
extern int cuStreamWaitValue64_v2(void *stream, address at, uint64_t value, unsigned flags);
extern int cuStreamBatchMemOp_v2(void *stream, unsigned count, const void *steps, unsigned flags);
extern int cuStreamQuery(void *stream);
extern int cuStreamBeginCapture_v2(void *stream, int mode);
extern int cuStreamEndCapture(void *stream, void **graph);
extern int cuGraphInstantiateWithFlags(void **out, void *graph, unsigned long long flags);
extern int cuGraphLaunch(void *exec, void *stream);
extern int cuGraphGetNodes(void *graph, void **nodes, size_t *count);
extern int cuGraphBatchMemOpNodeGetParams(void *node, void *out);

enum { AT_LEAST, EQUAL, AND, NOR, FLUSH = 1 << 30, NOT_READY = 600 };
enum { WAIT_32 = 1, WRITE_32 = 2, WAIT_64 = 4, WRITE_64 = 5 };

typedef struct step { /* CUstreamBatchMemOpParams */
    int operation;
    address at;
    uint64_t value;
    unsigned flags;
    uint64_t unused[2];
} step;

static void *one, *two;
static volatile uint32_t *word; /* of the host's, and of the GPU's too */
static address at;

static void host_writes(void)
{
    *word = 0;
    OK(cuStreamWaitValue32_v2(one, at, 5, EQUAL));
    OK(cuStreamWriteValue32_v2(one, at + 4, 6, 0));
    EXPECT(cuStreamQuery(one), NOT_READY);
    EXPECT(cuStreamQuery(two), 0);
    EXPECT(word[1], 0);
    *word = 5;
    OK(cuStreamSynchronize(one));
    EXPECT(word[1], 6);
    puts("the host writes");
}

/* Two streams write what the other waits for. */
static void streams_write(void)
{
    const step answer[] = {{WAIT_32, at, 11, EQUAL, {0}},
                           {WRITE_32, at, 12, 0, {0}},
                           {WAIT_64, at + 8, 13, AT_LEAST, {0}},
                           {WRITE_64, at + 8, UINT64_C(1) << 40, 0, {0}}};
    OK(cuStreamBatchMemOp_v2(one, 4, answer, 0));
    EXPECT(cuStreamQuery(one), NOT_READY);
    OK(cuStreamWriteValue32_v2(two, at, 11, 0));
    OK(cuStreamWaitValue32_v2(two, at, 12, EQUAL | FLUSH));
    OK(cuStreamWriteValue64_v2(two, at + 8, 14, 1));
    OK(cuStreamSynchronize(two));
    OK(cuStreamSynchronize(one));
    EXPECT(*word, 12);
    EXPECT(word[2], 0);
    EXPECT(word[3], 256);
    puts("streams write");
}

/* A graph waits between two words that it writes; the stream's words are a node each, a batch is
 * one. */
static void graphs_wait(void)
{
    const step steps[] = {
        {WRITE_32, at, 21, 0, {0}}, {WAIT_32, at + 4, 22, EQUAL, {0}}, {WRITE_32, at, 23, 0, {0}}};
    struct {
        void *context;
        unsigned count;
        const step *steps;
        unsigned flags;
    } told;
    void *graph, *exec, *nodes[4];
    size_t count = 4;
    OK(cuStreamBeginCapture_v2(one, 0));
    OK(cuStreamBatchMemOp_v2(one, 3, steps, 0));
    OK(cuStreamWriteValue32_v2(one, at + 8, 24, 0));
    OK(cuStreamEndCapture(one, &graph));
    OK(cuGraphGetNodes(graph, nodes, &count));
    EXPECT(count, 2);
    OK(cuGraphBatchMemOpNodeGetParams(nodes[1], &told));
    EXPECT(told.count == 1 && told.steps->operation == WRITE_32 && told.steps->value == 24, 1);
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    word[0] = word[1] = word[2] = 0;
    OK(cuGraphLaunch(exec, one));
    EXPECT(cuStreamQuery(one), NOT_READY);
    EXPECT(word[0], 21);
    EXPECT(word[2], 0);
    word[1] = 22;
    OK(cuStreamSynchronize(one));
    EXPECT(word[0], 23);
    EXPECT(word[2], 24);
    puts("graphs wait");
}

/* Whether a wait of that kind for the value is over with the word at `holds`. */
static int is_over(uint32_t holds, uint32_t value, unsigned kind)
{
    *word = holds;
    OK(cuStreamWaitValue32_v2(one, at, value, kind));
    const int code = cuStreamQuery(one);
    *word = kind == AND ? UINT32_MAX : kind == NOR ? 0 : value;
    OK(cuStreamSynchronize(one));
    return code == 0;
}

static void compares(void)
{
    EXPECT(is_over(7, 7, AT_LEAST), 1);
    EXPECT(is_over(8, 7, AT_LEAST), 1);
    EXPECT(is_over(6, 7, AT_LEAST), 0);
    EXPECT(is_over(0x80000006, 7, AT_LEAST), 1);
    EXPECT(is_over(0x80000007, 7, AT_LEAST), 0);
    EXPECT(is_over(8, 7, EQUAL), 0);
    EXPECT(is_over(12, 4, AND), 1);
    EXPECT(is_over(8, 4, AND), 0);
    EXPECT(is_over(0xfffffff0, 0xf, NOR), 0);
    EXPECT(is_over(0xfffffff0, 0xe, NOR), 1);
    puts("ways to compare");
}

static void refuses(void)
{
    EXPECT(cuStreamWaitValue32_v2(one, at + 2, 0, EQUAL), INVALID_VALUE);
    EXPECT(cuStreamWriteValue64_v2(one, at + 4, 0, 0), INVALID_VALUE);
    EXPECT(cuStreamWriteValue32_v2(one, at + 64, 0, 0), INVALID_VALUE);
    EXPECT(cuStreamWriteValue32_v2(one, at, 0, 2), INVALID_VALUE);
    EXPECT(cuStreamWaitValue32_v2(one, at, 0, 4), INVALID_VALUE);
    EXPECT(cuStreamWaitValue32_v2((void *)77, at, 0, EQUAL), INVALID_HANDLE);
    EXPECT(cuStreamBatchMemOp_v2(one, 1, NULL, 0), INVALID_VALUE);
    puts("what is refused");
}

int main(void)
{
    void *context, *host;
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuStreamCreate(&one, 1));
    OK(cuStreamCreate(&two, 1));
    OK(cuMemAllocHost_v2(&host, 64));
    word = host;
    at = (address)host;
    host_writes();
    streams_write();
    graphs_wait();
    compares();
    refuses();
    return 0;
}
