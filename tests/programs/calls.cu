// SPDX-License-Identifier: Apache-2.0
// Calls: recursion whose depth differs by lane, virtual functions, tables of functions, structures
// by value, a switch by jump table, ways out of nested loops. The lines below are the test of the
// PTX beside this file, whose head tools/make-lab copies from here.
//
// launch: -k ackermann -g 1 -b 45 u32x45=zero
// expect: arg0[0] = 1 2 3 2 3 5 3 4 7 4 5 9 5 6 11 1 2 3 2 3 5 3 4 7 4 5 9 5 6 11 1 2 3 2 3 5 3 4 7
// expect: arg0[39] = 4 5 9 5 6 11
//
// launch: -k quicksort -g 1 -b 16 u32x256=zero
// expect: arg0[0] = 0x00000000*16 0x21bd4a6f 0x4ca56ae5 0x00000000*14 0x0c7be3c1 0x14fd6ad2
// expect: arg0[34] = 0x994ad5ca 0x00000000*13 0x089d3153 0x175ef5a3 0x19778f16 0x1b86d946
// expect: arg0[52] = 0x00000000*12 0x15e7abd3 0x7faae6aa 0x8bca2c94 0x9d64189b 0xdce420ba
// expect: arg0[69] = 0x00000000*11 0x2d2b1310 0x519090c1 0x5be17def 0xa385e3e9 0xb4d1bb91 0xe138a8f2
// expect: arg0[86] = 0x00000000*10 0x0471d73c 0x13624ad0 0x2ebdeb47 0x370db28d 0x489152b6 0x52115b15
// expect: arg0[102] = 0x87b2d803 0x00000000*9 0x119de4ff 0x18841344 0x3712610b 0x398e4be4 0x70ced18b
// expect: arg0[117] = 0x844f1afc 0xc39f27c4 0xcc8bb4cf 0x00000000*8 0x2bcf57a7 0x807cde5e 0x87df8c21
// expect: arg0[131] = 0x87fc4fd0 0x8b4c140b 0x8d233896 0x9c016946 0xb23f803f 0xdf564e95 0x00000000*7
// expect: arg0[144] = 0x3a7445ca 0x3b5a6f7f 0x52941ad4 0x5c12c72b 0x5c146b09 0x633770c6 0x778e225a
// expect: arg0[151] = 0xab78b0a3 0xd3a95c1f 0xf17bcde3 0x00000000*6 0x0219ca6f 0x0af0715c 0x0d407136
// expect: arg0[163] = 0x3c2ece89 0x51a91b4e 0x69a27722 0x93f3a9ec 0x942014f8 0xa3212183 0xb9704783
// expect: arg0[170] = 0xfec25073 0x00000000*5 0x00a4148b 0x031fbb0c 0x4fd3d53f 0x5a213fe8 0x75b49e21
// expect: arg0[181] = 0x80af746f 0xc6c8a855 0xd231c729 0xd256b434 0xe1917bb8 0xef22a454 0xf06f29d4
// expect: arg0[188] = 0x00000000*4 0x02ef5e56 0x0f64b006 0x0fe588d8 0x87a62422 0x94d2a6ad 0xa422b62a
// expect: arg0[198] = 0xab31f2de 0xbb31b031 0xc87812a1 0xda669743 0xdb2eb824 0xe53d1dfe 0xffda5206
// expect: arg0[205] = 0x00000000*3 0x041fc34e 0x3e2d3265 0x50488dbe 0x5c5f699a 0x666ee575 0x6aa15ddc
// expect: arg0[214] = 0x73b8485b 0x7dfb22ac 0x8f64155f 0x91a54fc9 0xa108a614 0xad28b852 0xddcdd1ef
// expect: arg0[221] = 0xe4621522 0x00000000 0x00000000 0x1953f410 0x20f6d140 0x210e8d3c 0x2e3cfb31
// expect: arg0[228] = 0x31082688 0x449fcfc0 0x4c00bc88 0x66098f1c 0x8d0b6efa 0xa4428ea8 0xa7a836e7
// expect: arg0[235] = 0xbc93e327 0xc11f388e 0xca970793 0xd4551ce3 0x00000000 0x01767f82 0x1118dfa9
// expect: arg0[242] = 0x11d791ae 0x406d2f13 0x43475f5f 0x43b37179 0x61f64e73 0x7ecd12be 0x8dcc12f0
// expect: arg0[249] = 0xa2593214 0xb3443e84 0xb7d5656e 0xdb0db7a4 0xe7eaac71 0xeeaf60b8 0xf509477f
//
// launch: -k virtual_functions -g 1 -b 64 i32x64=zero
// expect: arg0[0] = -4 149 680 1075 1598 2741 2858 5561 6134 3389 4316 6647 14054 8225 17660 5945
// expect: arg0[16] = 7874 13571 31640 17873 43976 38183 7928 8759 10184 14003 25580 62231 10814
// expect: arg0[29] = 12749 18976 38183 97916 47651 127232 106745 24934 52451 138818 70375 192170
// expect: arg0[41] = 197201 192146 154871 17726 21965 34478 74969 198824 40313 91022 248629 118298
// expect: arg0[53] = 329321 319792 260165 47018 106879 292172 64373 158638 446753 450524 434893
//
// launch: -k function_table -g 1 -b 48 i32x48=zero
// expect: arg0[0] = 24 16 2 16 326 84 170 219 121 11 300 271 73 12 33 65 1105 114 37 159 320 266 68
// expect: arg0[23] = 652 402 135 1664 548 222 31 125 124 337 25 1905 454 40 224 5 162 5 169 348 45
// expect: arg0[44] = 231 28 326 136
//
// launch: -k structures -g 1 -b 33 bytes:0100000002000000000000000000f03f0300000000000000 i32x33=zero f64x33=zero
// {1, 2, 1.0, 3, {0}}
// expect: arg1[0] = 7 608 1209 1810 2411 3012 3613 4210 4815 5416 6017 6610 7219 7820 8421 9010
// expect: arg1[16] = 9623 10224 10825 11410 12027 12628 13229 13810 14431 15032 15633 16210 16835
// expect: arg1[29] = 17436 18037 18610 19239
// expect: arg2[0] = 0x3fd0000000000000 0x3fc0000000000000 0x3fb5555555555555 0x3fb0000000000000
// expect: arg2[4] = 0x3fa999999999999a 0x3fa5555555555555 0x3fa2492492492492 0x3fa0000000000000
// expect: arg2[8] = 0x3f9c71c71c71c71c 0x3f9999999999999a 0x3f9745d1745d1746 0x3f95555555555555
// expect: arg2[12] = 0x3f93b13b13b13b14 0x3f92492492492492 0x3f91111111111111 0x3f90000000000000
// expect: arg2[16] = 0x3f8e1e1e1e1e1e1e 0x3f8c71c71c71c71c 0x3f8af286bca1af28 0x3f8999999999999a
// expect: arg2[20] = 0x3f88618618618618 0x3f8745d1745d1746 0x3f8642c8590b2164 0x3f85555555555555
// expect: arg2[24] = 0x3f847ae147ae147b 0x3f83b13b13b13b14 0x3f82f684bda12f68 0x3f82492492492492
// expect: arg2[28] = 0x3f81a7b9611a7b96 0x3f81111111111111 0x3f80842108421084 0x3f80000000000000
// expect: arg2[32] = 0x3f7f07c1f07c1f08
//
// launch: -k jump_table -g 1 -b 64 u32x64=zero
// expect: arg0[0] = 0x00000020 0x688b2d5b 0x000016b0 0x0000178a 0xfffff838 0x000003ca 0xfffffc21
// expect: arg0[7] = 0xe6ba3d11 0x00000000 0x00000001 0xffffffff 0x01eb30a5 0x0000006f 0x00000151
// expect: arg0[14] = 0x00017768 0xf9f63c24 0x21bd4e59 0x000003e9 0x00000003 0x00000058 0x00009c00
// expect: arg0[21] = 0xb5144cfe 0x000538d2 0x00000123 0xf56eeebc 0x00000001 0xaaaaae92 0x00000000
// expect: arg0[28] = 0x000000fe 0xfc91ea1a 0xb777d9a2 0x1011b133 0x000000fa 0x000003c8 0x00000000
// expect: arg0[35] = 0x00004b7a 0xc0db9323 0xffffffa6 0xfffffffe 0x8f1db5ae 0x00000196 0x00000047
// expect: arg0[42] = 0x0000007e 0xdcda02e0 0x00000326 0x0000f8c9 0x000000e8 0xfffffff8 0x289fa716
// expect: arg0[49] = 0xfffffffa 0x00000315 0x9fa7fcad 0xfffffff7 0x00000021 0x6f7816b9 0x0000035f
// expect: arg0[56] = 0xf63cd2f5 0x0000141a 0x000001ad 0x000f5946 0x00000006 0x000000f8 0x4595344e
// expect: arg0[63] = 0x00000002
//
// launch: -k nested_exits -g 1 -b 64 u32x64=zero
// expect: arg0[0] = 0x00000000 0x00000ef4 0x7396b9c3 0x56be4c97 0x0d2f3cb2 0x92e73916 0xc60bb3a2
// expect: arg0[7] = 0x00000000 0x6e18f3e9 0x477b75a5 0x698b7074 0x618a50e7 0x2e5c6a4b 0x2085aa27
// expect: arg0[14] = 0x2b1b95c9 0x43c70d92 0x5153e735 0xb9fd6b79 0x58c55889 0x14166843 0x91b0c5de
// expect: arg0[21] = 0x1bc6ff6d 0x10721ae8 0x5fed8734 0x00000000 0x0000c9a2 0xff0f701a 0x0043c26c
// expect: arg0[28] = 0x0001660b 0x5f967cd8 0x7dc9b9b7 0x0333b574 0x69c5c668 0xa1a11f21 0xdade188a
// expect: arg0[35] = 0xd117da9e 0x001f04ee 0x5d765917 0xa3fe38f5 0x00002c97 0x62a07c54 0xdfa6c6c9
// expect: arg0[42] = 0x02cc0798 0x2eb04779 0x437b8b74 0xbffb7d83 0x1fe5acf5 0x2b265818 0xd1b3055d
// expect: arg0[49] = 0x00000000 0x404dda7f 0xab618db2 0xb581255a 0x99391c1a 0xdbfcd9bf 0xd423db4f
// expect: arg0[56] = 0x8ea25cef 0x24c52e53 0xfbce7765 0x648436f3 0x6867739b 0xb7546fa0 0x83d6abd7
// expect: arg0[63] = 0xd544b9f7

#include "hash.h"

static __device__ __noinline__ unsigned ackermann_of(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    return ackermann_of(m - 1, n == 0 ? 1 : ackermann_of(m, n - 1));
}

extern "C" __global__ void ackermann(unsigned *out)
{
    out[threadIdx.x] = ackermann_of(threadIdx.x % 3, threadIdx.x / 3 % 5);
}

static __device__ __noinline__ void sort(unsigned *a, int low, int high)
{
    if (low >= high)
        return;
    unsigned middle = a[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
        while (a[i] < middle)
            i++;
        while (a[j] > middle)
            j--;
        if (i <= j) {
            unsigned other = a[i];
            a[i++] = a[j];
            a[j--] = other;
        }
    }
    sort(a, low, j);
    sort(a, i, high);
}

// Thread t sorts t + 1 numbers.
extern "C" __global__ void quicksort(unsigned *out)
{
    unsigned *mine = out + threadIdx.x * 16;
    for (unsigned i = 0; i <= threadIdx.x; i++)
        mine[i] = hash(threadIdx.x * 16 + i);
    sort(mine, 0, int(threadIdx.x));
}

struct shape {
    __device__ virtual int area(int k) const = 0;
};

struct square : shape {
    int side;
    __device__ square(int s) : side(s)
    {
    }
    __device__ int area(int k) const override
    {
        return side * side + k;
    }
};

struct rectangle : shape {
    int a, b;
    __device__ rectangle(int x, int y) : a(x), b(y)
    {
    }
    __device__ int area(int k) const override
    {
        return a * b - k;
    }
};

extern "C" __global__ void virtual_functions(int *out)
{
    square s(threadIdx.x);
    rectangle r(threadIdx.x, 3);
    const shape *shapes[2] = {&s, &r};
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum = sum * 3 + shapes[hash(threadIdx.x + i) % 2]->area(i);
    out[threadIdx.x] = sum;
}

static __device__ __noinline__ int increment(int x)
{
    return x + 1;
}

static __device__ __noinline__ int twice(int x)
{
    return x * 2;
}

static __device__ __noinline__ int flip(int x)
{
    return x ^ 0x55;
}

typedef int function(int);
__device__ function *functions[3] = {increment, twice, flip};

extern "C" __global__ void function_table(int *out)
{
    int value = threadIdx.x;
    for (int i = 0; i < 6; i++)
        value = functions[hash(threadIdx.x * 6 + i) % 3](value);
    out[threadIdx.x] = value;
}

struct record {
    int a, b;
    double c;
    short d;
    char e[4];
};

static __device__ __noinline__ record change(record r, int k)
{
    r.a += k;
    r.b *= k;
    r.c /= k + 1;
    r.d -= k;
    r.e[k & 3] = k;
    return r;
}

extern "C" __global__ void structures(record r, int *out, double *c)
{
    r = change(change(r, threadIdx.x), 3);
    out[threadIdx.x] = r.a + r.b * 100 + r.d + r.e[threadIdx.x & 3] + r.e[3];
    c[threadIdx.x] = r.c;
}

extern "C" __global__ void jump_table(unsigned *out)
{
    unsigned value = hash(threadIdx.x), r = 0;
    for (int i = 0; i < 8; i++) {
        switch (value >> (4 * i) & 15) {
        case 0:
            r += 3;
            break;
        case 1:
            r *= 5;
            break;
        case 2:
            r ^= 0xff; // and on
        case 3:
            r -= 7;
            break;
        case 4:
            r = r << 3 | r >> 29;
            break;
        case 5:
            continue;
        case 6:
            r += value;
            break;
        case 7:
            r = ~r;
            break;
        case 8:
            r *= r;
            break;
        case 9:
            r += i;
            break;
        case 10:
            goto out;
        case 11:
            r /= 3;
            break;
        case 12:
            r %= 1000;
            break;
        case 13:
            r |= i;
            break;
        default:
            r += 1000;
        }
        r++;
    }
out:
    out[threadIdx.x] = r;
}

extern "C" __global__ void nested_exits(unsigned *out)
{
    unsigned sum = 0, h = hash(threadIdx.x);
    for (unsigned i = 0; i < h % 50; i++) {
        for (unsigned j = i; j < h % 17; j++) {
            if ((i * j + h) % 13 == 0)
                break;
            sum += i ^ j;
        }
        unsigned k = i;
        do {
            sum = sum * 3 + k;
            if (sum % 101 == 7)
                goto next;
        } while (k-- > 0 && k < 20);
        if (sum % 977 == 5)
            return;
    next:;
    }
    out[threadIdx.x] = sum;
}
