// SPDX-License-Identifier: Apache-2.0
// Kernels for check_both.sh, whose PTX (compute_80) and machine code (sm_90) are made of different sources where it says so:
// nvcc -fatbin -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=sm_90 two_codes.cu -o two_codes.fatbin

// One word of 64 is another.
extern "C" __global__ void differs(unsigned *out)
{
#if __CUDA_ARCH__ >= 900
    out[threadIdx.x] = threadIdx.x;
#else
    out[threadIdx.x] = threadIdx.x == 7 ? 1000 : threadIdx.x;
#endif
}

// A product and a sum that ptxas may fuse.
extern "C" __global__ void fuses(float *out)
{
    float product, sum, x = 1.0f + threadIdx.x / 7.0f;
    asm("mul.f32 %0, %1, %1;" : "=f"(product) : "f"(x));
    asm("add.f32 %0, %1, 0f3f000003;" : "=f"(sum) : "f"(product));
    out[threadIdx.x] = sum;
}

// What it reads nothing has written, each time.
extern "C" __global__ void counts(unsigned *out)
{
    out[threadIdx.x]++;
}

// Until somebody else writes a word.
extern "C" __global__ void waits(volatile unsigned *word)
{
    while (!word[0])
        continue;
    word[1] = 2;
}

extern "C" __global__ void allocates(unsigned *out)
{
    unsigned *own = (unsigned *)malloc(sizeof *own);
    *own = threadIdx.x;
    out[threadIdx.x] = *own;
    free(own);
}

// The machine code alone ends.
extern "C" __global__ void faults(unsigned *out)
{
#if __CUDA_ARCH__ >= 900
    out[threadIdx.x] = 5;
#else
    out[threadIdx.x - 64] = 5;
#endif
}

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void only_machine(unsigned *out)
{
    out[threadIdx.x] = 3;
}
#else
extern "C" __global__ void only_ptx(unsigned *out)
{
    out[threadIdx.x] = 4;
}
#endif
