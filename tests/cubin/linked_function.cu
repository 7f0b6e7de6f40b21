// SPDX-License-Identifier: Apache-2.0
// The function that linked_kernel.cu calls, and the program.
__device__ int weigh(int v)
{
    return __popc(v) * v;
}

int main()
{
    return 0;
}
