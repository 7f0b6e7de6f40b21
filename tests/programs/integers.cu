// SPDX-License-Identifier: Apache-2.0
// Integer code: products and quotients of 128 bits, where carries and borrows meet; SHA-256 with
// its table in constant memory; Philox; searches of uneven length. The lines below are the test of
// the PTX beside this file, whose head tools/make-lab copies from here.
//
// launch: -k divide -g 1 -b 32 u64x64=zero u64x64=zero
// expect: arg0[0] = 0x00000001ec2e5e3e 0x0000000000000000 0x0000004881b46704 0x0000000000000000
// expect: arg0[4] = 0x01fffffffce821e7 0x0000000000000000 0x0000005db4b9a032 0x0000000000000000
// expect: arg0[8] = 0x000c99d8af50eb5c 0x0000000000000000 0x0000001428dad34b 0x0000000000000000
// expect: arg0[12] = 0x00000019c1f32a38 0x0000000000000000 0x03853d18eac7d952 0x0000000000000000
// expect: arg0[16] = 0x0000365db3d49df9 0x0000000000000000 0x0bf45ad34e6ac273 0x0000000000000000
// expect: arg0[20] = 0x726516bdeac63375 0x00000000000c41f3 0x0001414d024b18af 0x0000000000000000
// expect: arg0[24] = 0x0ea43659e6644a29 0x0000000000000000 0x8af9966a2a0a38a7 0x0000000000000243
// expect: arg0[28] = 0xea420df4fb86fd6e 0x00000000000cec39 0x001431dd4bc2cf94 0x0000000000000000
// expect: arg0[32] = 0x00022109f77c77c1 0x0000000000000000 0x8c92b24b206090c9 0x000000000000437e
// expect: arg0[36] = 0x919e48e137762266 0x0000000005fe19b4 0x0000001ae10ec1ed 0x0000000000000000
// expect: arg0[40] = 0x00530ecbf5bca8a3 0x0000000000000000 0x15aec046db46decd 0x0000000000000004
// expect: arg0[44] = 0xbbed7aeb2538a116 0x00000000001635da 0x738a67f637dab3f8 0x0000000001027146
// expect: arg0[48] = 0x00000003c446eea6 0x0000000000000000 0xdbfc36b89a2fa805 0x000000000001d66f
// expect: arg0[52] = 0x000001d3f19d8133 0x0000000000000000 0x2fc7e120b5549940 0x0000000000008de8
// expect: arg0[56] = 0x48b90f683a7fa261 0x00000000b9038c50 0x0a01835ae92bb055 0x0000000004e278ae
// expect: arg0[60] = 0x01b8f0db23aa3045 0x0000000000000000 0xc0cac64563f6da13 0x0000000000051b9a
// expect: arg1[0] = 0x0e4addd7936bf893 0x000000000dc192d8 0x816956a49d744d39 0x000000000244259e
// expect: arg1[4] = 0xd289027953237a68 0x000000000000000c 0x492c84b11a8e3855 0x000000000001526c
// expect: arg1[8] = 0x4bc2b66852c99dfa 0x0000000000000415 0x20ae24e7d48a4231 0x00000000024e4ebd
// expect: arg1[12] = 0x61f4ce47d8c8a60b 0x00000000052e9986 0x82eb017b6b80c64b 0x000000000000001a
// expect: arg1[16] = 0x79dc4daf33b53045 0x00000000000074a0 0x205adafa783f2a87 0x0000000000000000
// expect: arg1[20] = 0x00000051208b4936 0x0000000000000000 0x12013d60ab53325b 0x000000000000364d
// expect: arg1[24] = 0xe4decda23914512f 0x0000000000000000 0x003a8861b68f8ad8 0x0000000000000000
// expect: arg1[28] = 0x0000105405965b7d 0x0000000000000000 0xc0e746317bfed498 0x00000000000000ff
// expect: arg1[32] = 0x86e1de7011719cc2 0x0000000000000d23 0x000023bc80201ed1 0x0000000000000000
// expect: arg1[36] = 0x0000000374a8b86e 0x0000000000000000 0x9d98a18a6ca5711a 0x000000000127f233
// expect: arg1[40] = 0x1c5332761df8053a 0x00000000000000ca 0x18c9e89343c30439 0x0000000000000000
// expect: arg1[44] = 0x00000100a314c4e3 0x0000000000000000 0x0000001c9a4f6fab 0x0000000000000000
// expect: arg1[48] = 0x38b20bd9417b4b10 0x0000000000e60931 0x00003633edd50400 0x0000000000000000
// expect: arg1[52] = 0xc4a30261704ebea3 0x000000000000e9fd 0x0000010f94821f4f 0x0000000000000000
// expect: arg1[56] = 0x0000000001848b07 0x0000000000000000 0x00000007f89e3274 0x0000000000000000
// expect: arg1[60] = 0x5c68b6c4a1cc814a 0x0000000000000018 0x00000059e90dc7bf 0x0000000000000000
//
// launch: -k borrow_as_carry -g 1 -b 4 u32x8=zero
// 5 - 4, 5 - 5, 4 - 5, 0 - 0xffffffff; then 0 - 0 - borrow after 5 + 4, 5 + 5, 4 + 5, 0xffffffff +
// 0: no carry is a borrow
// expect: arg0[0] = 1 1 0 0
// expect: arg0[4] = 0xffffffff*4
//
// launch: -k sha256 -g 1 -b 16 u32x128=zero
// FIPS 180-4: the digests of the bytes 0 to 15
// expect: arg0[0] = 0x6e340b9c 0xffb37a98 0x9ca544e6 0xbb780a2c 0x78901d3f 0xb3373876 0x8511a306
// expect: arg0[7] = 0x17afa01d 0x4bf5122f 0x344554c5 0x3bde2ebb 0x8cd2b7e3 0xd1600ad6 0x31c385a5
// expect: arg0[14] = 0xd7cce23c 0x7785459a 0xdbc1b4c9 0x00ffe48d 0x575b5da5 0xc6380401 0x25f65db0
// expect: arg0[21] = 0xfe3e2449 0x4b76ea98 0x6457d986 0x084fed08 0xb978af4d 0x7d196a74 0x46a86b58
// expect: arg0[28] = 0x009e636b 0x611db162 0x11b65a9a 0xadff29c5 0xe52d9c50 0x8c502347 0x344d8c07
// expect: arg0[35] = 0xad91cbd6 0x068afc75 0xff6292f0 0x62a09ca3 0x81c89e71 0xe77b9a9a 0xe9e30b0d
// expect: arg0[42] = 0xbdb6f510 0xa264ef9d 0xe781501d 0x7b6b92ae 0x89eb059c 0x5ab743db 0x67586e98
// expect: arg0[49] = 0xfad27da0 0xb9968bc0 0x39a1ef34 0xc939b9b8 0xe523a8be 0xf89d4786 0x08c5ecf6
// expect: arg0[56] = 0xca358758 0xf6d27e6c 0xf4527293 0x7977a748 0xfd88391d 0xb679ceda 0x7dc7bf1f
// expect: arg0[63] = 0x005ee879 0xbeead779 0x94cf5733 0x41ec17b5 0x8bbf7eb3 0x4d2711c9 0x93c1d976
// expect: arg0[70] = 0xb128b318 0x8dc1829a 0x2b4c342f 0x5433ebe5 0x91a1da77 0xe013d1b7 0x2475562d
// expect: arg0[77] = 0x48578dca 0x8b84bac6 0x651c3cb9 0x01ba4719 0xc80b6fe9 0x11b091a7 0xc05124b6
// expect: arg0[84] = 0x4eeece96 0x4e09c058 0xef8f9805 0xdaca546b 0xe7cf46a0 0x78fed4fa 0xfd0b5e3a
// expect: arg0[91] = 0xff144802 0xb853f8ae 0x459a4f0c 0x14add331 0x4b7cc3a6 0xef6cbd21 0x61eaea79
// expect: arg0[98] = 0x43ce8693 0xb9824d23 0xd1793ffb 0x1c0fca05 0xb600d389 0x9b44c977 0x9d1e0e2d
// expect: arg0[105] = 0x9459d065 0x23ad13e2 0x8a4093c2 0x316baafe 0x7aec5b25 0xf30eba2e 0x113599c4
// expect: arg0[112] = 0x4d7b3ef7 0x300acf70 0xc892d832 0x7db8272f 0x54434adb 0xc61a4e13 0x0a563cb5
// expect: arg0[119] = 0x9a0d0f47 0xdc0e9c36 0x58a1a3ed 0x1ec94274 0xd8b19925 0xc93e1abb 0x7ddba294
// expect: arg0[126] = 0x923ad9bd 0xe30f8cb8
//
// launch: -k philox -g 1 -b 2 u32x8=zero
// the known answers of Random123 (kat_vectors)
// expect: arg0[0] = 0x6627e8d5 0xe169c58d 0xbc57ac4c 0x9b00dbd8 0x408f276d 0x41c83b0e 0xa20bc7c6
// expect: arg0[7] = 0x6d5451fd
//
// launch: -k collatz -g 1 -b 96 u32x96=zero
// expect: arg0[0] = 0 1 7 2 5 8 16 3 19 6 14 9 9 17 17 4 12 20 20 7 7 15 15 10 23 10 111 18*3 106 5
// expect: arg0[32] = 26 13 13 21*3 34 8 109 8 29 16*3 104 11 24*3 11 11 112 112 19 32 19 32 19 19
// expect: arg0[61] = 107 107 6 27*3 14*3 102 22 115 22 14 22 22 35 35 9 22 110 110 9 9 30 30 17 30
// expect: arg0[89] = 17 92 17 17 105 105 12

#include "hash.h"

using wide = unsigned __int128;

static __device__ void put(unsigned long long *out, wide value)
{
    out[0] = (unsigned long long)value;
    out[1] = (unsigned long long)(value >> 64);
}

extern "C" __global__ void divide(unsigned long long *quotient, unsigned long long *remainder)
{
    unsigned t = threadIdx.x;
    wide a = (wide)hash(t + 1) << 96 | (wide)hash(t + 2) << 32 | hash(t + 3);
    wide b = (wide)hash(t + 4) << (hash(t + 5) & 63) | hash(t + 6);
    put(quotient + t * 2, a / b);
    put(remainder + t * 2, a % b);
}

// sub.cc leaves the carry of a + ~b + 1 (seen on an H200), which addc shows.
extern "C" __global__ void borrow_as_carry(unsigned *out)
{
    const unsigned a[4] = {5, 5, 4, 0}, b[4] = {4, 5, 5, 0xffffffff};
    unsigned t = threadIdx.x;
    asm volatile("{ .reg .u32 x; sub.cc.u32 x, %1, %2; addc.u32 %0, 0, 0; }"
                 : "=r"(out[t])
                 : "r"(a[t]), "r"(b[t]));
    asm volatile("{ .reg .u32 x; add.cc.u32 x, %1, %2; subc.u32 %0, 0, 0; }"
                 : "=r"(out[4 + t])
                 : "r"(a[t]), "r"(b[t]));
}

__constant__ unsigned sha_table[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static __device__ unsigned rotate(unsigned x, int by)
{
    return x >> by | x << (32 - by);
}

static __device__ void expand(unsigned *w)
{
    for (int i = 16; i < 64; i++) {
        unsigned s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        unsigned s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
}

// The digest (FIPS 180-4) of the thread's number, one byte.
extern "C" __global__ void sha256(unsigned *out)
{
    const unsigned start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned w[64] = {threadIdx.x << 24 | 0x800000}, s[8];
    w[15] = 8;
    expand(w);
    for (int i = 0; i < 8; i++)
        s[i] = start[i];
    for (int i = 0; i < 64; i++) {
        unsigned choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        unsigned majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        unsigned e = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
        unsigned a = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
        unsigned t = s[7] + e + choice + sha_table[i] + w[i];
        for (int k = 7; k > 0; k--)
            s[k] = s[k - 1];
        s[4] += t;
        s[0] = t + a + majority;
    }
    for (int i = 0; i < 8; i++)
        out[threadIdx.x * 8 + i] = start[i] + s[i];
}

// Philox 4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3") of counter (t, t, t, t), key (t, t).
extern "C" __global__ void philox(unsigned *out)
{
    unsigned t = threadIdx.x ? 0xffffffff : 0, c[4] = {t, t, t, t}, key[2] = {t, t};
    for (int round = 0; round < 10; round++) {
        unsigned long long p = 0xd2511f53ull * c[0], q = 0xcd9e8d57ull * c[2];
        c[0] = unsigned(q >> 32) ^ c[1] ^ key[0];
        c[2] = unsigned(p >> 32) ^ c[3] ^ key[1];
        c[1] = unsigned(q);
        c[3] = unsigned(p);
        key[0] += 0x9e3779b9;
        key[1] += 0xbb67ae85;
    }
    for (int i = 0; i < 4; i++)
        out[threadIdx.x * 4 + i] = c[i];
}

// Steps of 3 n + 1 down to 1: a lane's loop has its own length.
extern "C" __global__ void collatz(unsigned *steps)
{
    unsigned long long n = threadIdx.x + 1;
    unsigned count = 0;
    for (; n != 1; count++)
        n = n & 1 ? 3 * n + 1 : n / 2;
    steps[threadIdx.x] = count;
}
