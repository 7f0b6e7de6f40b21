/* SPDX-License-Identifier: Apache-2.0
 * Eleven launches from one place, of which the eighth has most to do: it is the one to show. */
#include "cu.h"

static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry walk(.param .u64 at, .param .u32 turns) {\n"
    ".reg .u64 %d<3>; .reg .u32 %r<4>; .reg .pred %p;\n"
    "ld.param.u64 %d0, [at]; ld.param.u32 %r0, [turns];\n"
    "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.u64 %d0, %d0, %d1;\n"
    "again: ld.global.u32 %r2, [%d0]; add.u32 %r2, %r2, 1; st.global.u32 [%d0], %r2;\n"
    "add.u64 %d0, %d0, 128; sub.u32 %r0, %r0, 1; setp.ne.u32 %p, %r0, 0; @%p bra again;\n"
    "ret; }\n";

enum { LAUNCHES = 11, WORST = 8, BLOCK = 32, TURNS = 64 };

/* One place, whatever the compiler makes of the loop around it. */
static __attribute__((noinline)) void launch(void *function, address at, uint32_t turns)
{
    void *arguments[] = {&at, &turns};
    OK(cuLaunchKernel(function, 1, 1, 1, BLOCK, 1, 1, 0, NULL, arguments, NULL));
}

int main(void)
{
    void *context, *module, *function;
    address at;
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&function, module, "walk"));
    OK(cuMemAlloc_v2(&at, BLOCK * sizeof(uint32_t) * TURNS));
    for (int i = 1; i <= LAUNCHES; i++)
        launch(function, at, i == WORST ? TURNS : 1);
    OK(cuCtxSynchronize());
    return 0;
}
