// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: tiles of a warp, groups of lanes that ask for the same label, a sum over part
// of a warp, tiles of two warps. The lanes of a converged warp execute warp-wide operations with
// several member masks at once. The lines below are the test of the PTX beside this file, whose
// head tools/make-lab copies from here.
//
// launch: -k tiles -g 1 -b 64 u32x64=zero u32x64=zero
// a ballot has the bits of its tile only, the lowest lane of the tile first
// expect: arg0[0] = 0x0100ae5c*4 0x010eae5c*4 0x030bae5c*4 0x010cae5c*4 0x0101f7cb*4 0x010cf7cb*4
// expect: arg0[24] = 0x000df7cb*4 0x0104f7cb*4 0x010df0b2*4 0x0301f0b2*4 0x0105f0b2*4 0x0106f0b2*4
// expect: arg0[48] = 0x010f1b16*4 0x01081b16*4 0x01041b16*4 0x01081b16*4
// expect: arg1[0] = 0x00011003 0x000e1003 0x000e241c 0x000e241c 0x000d241c 0x000241a0 0x000d8a40
// expect: arg1[7] = 0x000d41a0 0x000b41a0 0x000b8a40 0x0004241c 0x000b8a40 0x00091003 0x0006241c
// expect: arg1[14] = 0x000641a0 0x00098a40 0x000545c1 0x000ab20a 0x00050034 0x000ab20a 0x000d0034
// expect: arg1[21] = 0x00020034 0x000d45c1 0x000d45c1 0x000f45c1 0x000fb20a 0x000f45c1 0x000f0800
// expect: arg1[28] = 0x000bb20a 0x000bb20a 0x000445c1 0x000bb20a 0x000f050d 0x000f90a2 0x000f050d
// expect: arg1[35] = 0x000f050d 0x00016010 0x000e90a2 0x000e0a40 0x000e90a2 0x0009050d 0x00060a40
// expect: arg1[42] = 0x0006050d 0x00090a40 0x000990a2 0x00066010 0x00066010 0x000990a2 0x000d8489
// expect: arg1[49] = 0x00020006 0x000d0006 0x000d8489 0x00031b10 0x00036060 0x000c6060 0x000c8489
// expect: arg1[56] = 0x00031b10 0x00031b10 0x000c8489 0x000c1b10 0x000b1b10 0x000b6060 0x00046060
// expect: arg1[63] = 0x000b8489
//
// launch: -k labels -g 1 -b 64 u32x64=zero u32x64=zero
// 256 * lanes with this label + rank among them; the sum of the lanes of the same parity
// expect: arg0[0] = 1792 1280 1793 2304 1536 1537 1281 2305 2306 1280 2307 1281 1794 1795 1282 2308
// expect: arg0[16] = 1283 1538 1282 1796 2309 1539 1283 2310 1540 2311 1541 1284 2312 1797 1284 1798
// expect: arg0[32] = 768 1280 2816 1281 1282 2817 1536 1792 1537 1283 2818 2819 1793 1538 1539 2820
// expect: arg0[48] = 769 1284 2821 1794 2822 2823 1795 1796 2824 1540 1797 2825 770 2826 1541 1798
// expect: arg1[0] = 260*3 236*3 260 236 236 260 236 260*4 236 260 236 260 260 236 236 260 236*4 260
// expect: arg1[28] = 236 260*3 868*6 652*3 868*3 652*3 868*4 652 868 868 652 652 868 652 652 868*3
// expect: arg1[62] = 652 652
//
// launch: -k halves_apart -g 1 -b 64 u32x64=zero
// expect: arg0[0] = 0x0000b69b*16 0x09ad92da 0x1abd6013 0x24064e6e 0x495b39f2 0x8cb8610d 0x21bb05ed
// expect: arg0[22] = 0x4ca32567 0x09ad92da 0x1abd6013 0x24064e6e 0x495b39f2 0x8cb8610d 0x21bb05ed
// expect: arg0[29] = 0x4ca32567 0x09ad92da 0x1abd6013 0x00003684*16 0x6f71572d 0x197ecbaf 0x1757b11a
// expect: arg0[51] = 0x089475ea 0x1b8f9dff 0xc88be3f8 0xfb8e3ef9 0x6f71572d 0x197ecbaf 0x1757b11a
// expect: arg0[58] = 0x089475ea 0x1b8f9dff 0xc88be3f8 0xfb8e3ef9 0x6f71572d 0x197ecbaf
//
// launch: -k two_warps -g 1 -b 128 u32x128=zero
// 64 * the sum of 64 + rank
// expect: arg0[0] = 556544 556545 556546 556547 556548 556549 556550 556551 556552 556553 556554
// expect: arg0[11] = 556555 556556 556557 556558 556559 556560 556561 556562 556563 556564 556565
// expect: arg0[22] = 556566 556567 556568 556569 556570 556571 556572 556573 556574 556575 556576
// expect: arg0[33] = 556577 556578 556579 556580 556581 556582 556583 556584 556585 556586 556587
// expect: arg0[44] = 556588 556589 556590 556591 556592 556593 556594 556595 556596 556597 556598
// expect: arg0[55] = 556599 556600 556601 556602 556603 556604 556605 556606 556607 501760 501761
// expect: arg0[66] = 501762 501763 501764 501765 501766 501767 501768 501769 501770 501771 501772
// expect: arg0[77] = 501773 501774 501775 501776 501777 501778 501779 501780 501781 501782 501783
// expect: arg0[88] = 501784 501785 501786 501787 501788 501789 501790 501791 501792 501793 501794
// expect: arg0[99] = 501795 501796 501797 501798 501799 501800 501801 501802 501803 501804 501805
// expect: arg0[110] = 501806 501807 501808 501809 501810 501811 501812 501813 501814 501815 501816
// expect: arg0[121] = 501817 501818 501819 501820 501821 501822 501823

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "hash.h"

namespace cg = cooperative_groups;

extern "C" __global__ void tiles(unsigned *votes, unsigned *matches)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> half = cg::tiled_partition<16>(block);
    cg::thread_block_tile<4> four = cg::tiled_partition<4>(block);
    unsigned t = threadIdx.x, value = hash(t);
    votes[t] = half.ballot(value & 1) | four.ballot(value & 2) << 16 |
               unsigned(four.any(value & 4)) << 24 | unsigned(four.all(value & 8)) << 25;
    matches[t] = half.match_any(value & 3) | four.match_any(value >> 7 & 1) << 16;
}

extern "C" __global__ void labels(unsigned *ranks, unsigned *sums)
{
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    unsigned t = threadIdx.x, label = hash(t) % 5;
    cg::coalesced_group alike = cg::labeled_partition(warp, label);
    ranks[t] = alike.size() * 256 + alike.thread_rank();
    cg::coalesced_group same_bit = cg::binary_partition(warp, (label & 1) != 0);
    sums[t] = cg::reduce(same_bit, t, cg::plus<unsigned>());
}

// The halves of a warp go different ways, and each exchanges values on its own.
extern "C" __global__ void halves_apart(unsigned *out)
{
    cg::thread_block_tile<16> half = cg::tiled_partition<16>(cg::this_thread_block());
    unsigned t = threadIdx.x, value = hash(t), result;
    if (half.meta_group_rank() & 1) {
        result = cg::reduce(half, value & 0xffff, cg::plus<unsigned>());
        half.sync();
        result ^= half.shfl(value, t % 7);
    } else {
        for (unsigned i = 0; i <= t % 5; i++)
            value = value * 5 + i;
        half.sync();
        result = half.ballot(value & 1);
        half.sync();
        result += half.any(value % 7 == 0);
    }
    out[t] = result;
}

extern "C" __global__ void two_warps(unsigned *out)
{
    cg::thread_block_tile<64> pair = cg::tiled_partition<64>(cg::this_thread_block());
    unsigned t = threadIdx.x;
    out[t] = cg::reduce(pair, hash(t) & 0xff, cg::plus<unsigned>()) * 64 + pair.thread_rank();
}
