/* SPDX-License-Identifier: Apache-2.0
 * One lane of a warp leaves a loop early and waits at the BSYNC behind it; the others end. make.sh of tests/cubin tells how such
 * files are made. */
extern "C" __global__ void find(const int *in, int *out, int count, int wanted)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        if (in[i] == wanted) {
            atomicMin(out, i);
            return;
        }
}
