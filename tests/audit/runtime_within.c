/* SPDX-License-Identifier: Apache-2.0
 * A CUDA runtime as nvcc links it into programs, of functions that give 999: each must be led to
 * ours, which it can only be before anything runs. VERSION is what its code says; ALIGN is what its
 * functions are aligned to. As a library: -DLIBRARY. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TEXT(x) #x
#define WORDS(x) TEXT(x)

__attribute__((section(".nv_fatbin"), used)) static const char kernels_here[8] = "kernels";

/* Local functions, as in an executable of nvcc. Those of the versions 11 and 12 alone are left out
 * below. */
#define CALL(name) DEFINE(name)
#define DEFINE(name)                                                                               \
    __asm__(                                                                                       \
        ".text\n.balign " WORDS(ALIGN) "\n.type " #name ", @function\n" #name                      \
                                       ": .cfi_startproc\n mov $999, %eax\n ret\n .cfi_endproc\n"  \
                                       ".size " #name ", . - " #name "\n");
#define cudaGetDeviceProperties_v2 not_in_13_a
#define cudaBindTexture not_in_13_b
#define cudaRuntimeGetVersion other_version
#include "standin/cudart_call.def"
#undef cudaRuntimeGetVersion
#undef DEFINE
#undef CALL

__asm__(".text\n.balign " WORDS(
    ALIGN) "\n.type write_version, @function\n"
           "write_version: .cfi_startproc\n test %rdi, %rdi\n movl $" WORDS(
               VERSION) ", (%rdi)\n xor %eax, %eax\n ret\n"
                        ".cfi_endproc\n"
                        ".size write_version, . - write_version\n"
                        ".balign 16\n.type cudaRuntimeGetVersion, @function\n"
                        "cudaRuntimeGetVersion: .cfi_startproc\n call write_version\n mov $999, "
                        "%eax\n ret\n .fill 256, 1, 0x90\n"
                        ".cfi_endproc\n"
                        ".size cudaRuntimeGetVersion, . - cudaRuntimeGetVersion\n");

extern int cudaRuntimeGetVersion(int *version);
extern int cudaMalloc(void **out, size_t bytes);
extern int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
extern int cudaMemset(void *at, int value, size_t bytes);
extern const char *cudaGetErrorName(int code);
extern int cudaFree(void *at);
/* Six words and a seventh on the stack; floating-point arguments of the caller must survive the
 * first call too. */
extern int cudaMemcpy2D(void *to, size_t pitch_to, const void *from, size_t pitch_from,
                        size_t width, size_t height, int kind);

static int before_main;

__attribute__((constructor)) static void begin(void)
{
    int version = 0;
    before_main = cudaRuntimeGetVersion(&version);
    if (before_main == 0)
        before_main = version / 1000;
}

int run(void);
int run(void)
{
    enum { WIDTH = 6, HEIGHT = 3, PITCH = 8, TO_GPU = 1, FROM_GPU = 2, OWN = 999 };
    char from[PITCH * HEIGHT] = "abcdef__ghijkl__mnopqr_", to[PITCH * HEIGHT] = "";
    void *at = NULL;
    printf("before main: %d\n", before_main);
    if (cudaMalloc(&at, sizeof from) == OWN) {
        puts("its own");
        return 0;
    }
    printf("cudaMemset: %d\n", cudaMemset(at, '.', sizeof from));
    printf("cudaMemcpy2D: %d\n", cudaMemcpy2D(at, PITCH, from, PITCH, WIDTH, HEIGHT, TO_GPU));
    printf("cudaMemcpy: %d, '%.24s'\n", cudaMemcpy(to, at, sizeof to, FROM_GPU), to);
    printf("cudaFree: %s\n", cudaGetErrorName(cudaFree(from)));
    return cudaFree(at);
}

#ifndef LIBRARY
int main(void)
{
    return run();
}
#endif
