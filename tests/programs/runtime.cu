// SPDX-License-Identifier: Apache-2.0
// What a kernel asks of CUDA's runtime on the device: lists from malloc, objects from new, printf,
// assert. The lines below are the test of the PTX beside this file, whose head tools/make-lab
// copies from here.
//
// launch: -k lists -g 1 -b 32 u32x32=zero
// expect: arg0[0] = 0x00000000 0x9b897ace 0x6a5dd6d3 0x98fa472b 0xedd176c3 0x7271bd2f 0x9f116fc8
// expect: arg0[7] = 0xcb5b56a7 0xff03e9b2 0x5be17def 0x19eb000e 0xdfa535ef 0x64735c57 0x22ec18fb
// expect: arg0[14] = 0xd153173b 0xa43d3427 0xfd518615 0x6462d0e0 0x3c2ece89 0x24ffcf8c 0xd7a9d6ff
// expect: arg0[21] = 0xf5b831cf 0xc3d45b2f 0xe0f73490 0x4668dd5e 0x4c410960 0x53ac7638 0xe7eaac71
// expect: arg0[28] = 0x34313d29 0x45d6f838 0x704cfc5a 0x9f5927cf
//
// launch: -k objects -g 1 -b 64 u32x64=zero
// expect: arg0[0] = 0 1 5 14 30 55 91 0 1 5 14 30 55 91 0 1 5 14 30 55 91 0 1 5 14 30 55 91 0 1 5
// expect: arg0[31] = 14 30 55 91 0 1 5 14 30 55 91 0 1 5 14 30 55 91 0 1 5 14 30 55 91 0 1 5 14 30
// expect: arg0[61] = 55 91 0
//
// launch: -k print -g 1 -b 1 i32x3=zero
// CUDA C++ Programming Guide, "Formatted Output": the result is the number of arguments
// expect: arg0[0] = 0 6 1
// expect: print contains "no arguments\n-3  1.50 text|42  |x -5000000000%\n[(null)]\n"
//
// launch: -k check -g 1 -b 64 u32x64=zero
// expect: status = finding
// expect: error contains "assertion failed: `threadIdx.x < 40 || out == nullptr` in "
// expect: error contains "thread (40,0,0)"

#include <cassert>
#include <cstdio>

#include "hash.h"

struct node {
    unsigned value;
    node *next;
};

extern "C" __global__ void lists(unsigned *out)
{
    node *list = nullptr;
    for (unsigned i = 0; i <= threadIdx.x % 9; i++) {
        node *first = (node *)malloc(sizeof(node));
        first->value = hash(threadIdx.x * 9 + i);
        first->next = list;
        list = first;
    }
    unsigned sum = 0;
    while (list) {
        node *next = list->next;
        sum = sum * 31 + list->value;
        free(list);
        list = next;
    }
    out[threadIdx.x] = sum;
}

struct squares {
    unsigned *at, count;
    __device__ squares(unsigned n) : at(new unsigned[n]), count(n)
    {
        for (unsigned i = 0; i < n; i++)
            at[i] = i * i;
    }
    __device__ ~squares()
    {
        delete[] at;
    }
};

extern "C" __global__ void objects(unsigned *out)
{
    squares *s = new squares(threadIdx.x % 7 + 1);
    unsigned sum = 0;
    for (unsigned i = 0; i < s->count; i++)
        sum += s->at[i];
    out[threadIdx.x] = sum;
    delete s;
}

extern "C" __global__ void print(int *results)
{
    results[0] = printf("no arguments\n");
    results[1] = printf("%d %5.2f %s|%-4d|%c %lld%%\n", -3, 1.5, "text", 42, 'x', -5000000000ll);
    results[2] = printf("[%s]\n", (const char *)nullptr);
}

extern "C" __global__ void check(unsigned *out)
{
    assert(threadIdx.x < 40 || out == nullptr);
    out[threadIdx.x] = 1;
}
