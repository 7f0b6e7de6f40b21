/* SPDX-License-Identifier: Apache-2.0 */
/* Two lanes meet under the full mask while the others wait for them behind their branch: what Numba's cuda.reduce does. */
extern "C" __global__ void partial_meeting(float *out, int n)
{
    __shared__ float values[32];
    int lane = threadIdx.x;
    values[lane] = lane;
    __syncwarp();
    if (lane < n) {
        if (lane < 2) {
            values[lane] += values[lane + 2];
            __syncwarp();
        }
        if (lane == 0)
            out[1] = values[0] + values[1];
    }
    if (lane == blockIdx.x)
        out[0] = out[2] + 1;
}
