/* SPDX-License-Identifier: Apache-2.0
 * 130 launches of three kernels from three places: the steps of a wavefront, with a grid each that
 * is also the number of their turns, there and back, and two kernels whose long names differ in
 * their middle, one of them with two grids. With a word: 43 launches of the first, with a block
 * each. */
#include "cu.h"

#define ENTRY(name)                                                                                \
    ".visible .entry " name "(.param .u64 at) {\n"                                                 \
    ".reg .u64 %d<2>; .reg .u32 %r<3>; .reg .pred %p;\n"                                           \
    "ld.param.u64 %d0, [at]; mov.u32 %r0, %ctaid.x; mul.wide.u32 %d1, %r0, 4096;\n"                \
    "add.u64 %d0, %d0, %d1; mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 128;\n"                    \
    "add.u64 %d0, %d0, %d1; mov.u32 %r2, %nctaid.x;\n"                                             \
    "again: ld.volatile.global.u32 %r0, [%d0]; add.u32 %r0, %r0, 1; st.volatile.global.u32 "       \
    "[%d0], %r0;\n"                                                                                \
    "sub.u32 %r2, %r2, 1; setp.ne.u32 %p, %r2, 0; @%p bra again;\n"                                \
    "ret; }\n"
#define START "sweep_over_all_cells_of_the_matrix"
#define END "that_are_computed_step_by_step_in_place"

static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n" ENTRY("needle")
    ENTRY(START "_left_" END) ENTRY(START "_down_" END);

enum { SIZES = 43, STEPS = 64, BLOCK = 32, BYTES = STEPS * 4096 };

static int steps_there, steps_back; /* no linker makes one function of the two */

static __attribute__((noinline)) int there(void *function, void **arguments, unsigned grid,
                                           unsigned block)
{
    steps_there++;
    return cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, NULL, arguments, NULL);
}

static __attribute__((noinline)) int back(void *function, void **arguments, unsigned grid)
{
    steps_back++;
    return cuLaunchKernel(function, grid, 1, 1, BLOCK, 1, 1, 0, NULL, arguments, NULL);
}

static __attribute__((noinline)) int sweep(void *module, const char *name, void **arguments,
                                           unsigned grid)
{
    void *function;
    OK(cuModuleGetFunction(&function, module, name));
    return cuLaunchKernel(function, grid, 1, 1, BLOCK, 1, 1, 0, NULL, arguments, NULL);
}

int main(int count, char **words)
{
    void *context, *module, *function;
    address at;
    void *arguments[] = {&at};
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&function, module, "needle"));
    OK(cuMemAlloc_v2(&at, BYTES));
    for (unsigned block = 1; count > 1 && block <= SIZES; block++)
        OK(there(function, arguments, 1, block));
    if (count > 1)
        return words == NULL;
    for (unsigned grid = 1; grid <= STEPS; grid++)
        OK(there(function, arguments, grid, BLOCK));
    for (unsigned grid = STEPS - 1; grid >= 1; grid--)
        OK(back(function, arguments, grid));
    OK(sweep(module, START "_left_" END, arguments, 2));
    OK(sweep(module, START "_left_" END, arguments, 3));
    OK(sweep(module, START "_down_" END, arguments, 2));
    OK(cuCtxSynchronize());
    return steps_there - steps_back - 1;
}
