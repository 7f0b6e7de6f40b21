// SPDX-License-Identifier: Apache-2.0
// Ctrl-C while a kernel runs that would run for hours: the program ends as a shell expects it to.
#include "check.h"
#include <csignal>
#include <thread>
#include <unistd.h>

__global__ void count_on(unsigned long long *x, unsigned long long to)
{
    for (unsigned long long i = 0; i < to; i++)
        *(volatile unsigned long long *)x = *x + 1;
}

int main()
{
    unsigned long long *x;
    CHECK(cudaMalloc(&x, sizeof *x));
    std::thread presses([] {
        usleep(300000);
        kill(getpid(), SIGINT);
    });
    printf("started\n");
    fflush(stdout);
    count_on<<<1, 32>>>(x, 1ull << 50);
    presses.join();
    printf("not reached\n");
    return 0;
}
