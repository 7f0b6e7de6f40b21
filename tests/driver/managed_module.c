/* SPDX-License-Identifier: Apache-2.0
 * Managed variables of a module that the program loads itself (PTX ISA, .attribute(.managed)): the
 * address that the driver gives is one for the host too. A variable beside them is none. */
#include "cu.h"

enum { IS_MANAGED = 8, HOST_POINTER = 4 };

static const char module_text[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .global .attribute(.managed) .align 4 .u32 one = 10;\n"
    ".visible .global .attribute(.managed) .align 4 .u32 two[3];\n"
    ".visible .global .align 4 .u32 plain = 5;\n"
    ".visible .entry add(.param .u64 at)\n"
    "{\n"
    "  .reg .b32 %r<5>; .reg .b64 %rd<3>;\n"
    "  ld.param.u64 %rd1, [at]; cvta.to.global.u64 %rd2, %rd1;\n"
    "  ld.global.u32 %r1, [%rd2]; add.u32 %r1, %r1, 20; st.global.u32 [%rd2], %r1;\n"
    "  ld.global.u32 %r2, [two+8]; ld.global.u32 %r3, [plain];\n"
    "  add.u32 %r2, %r2, %r3; st.global.u32 [two+8], %r2;\n"
    "  ret;\n"
    "}\n";

static address variable(void *module, const char *name, size_t bytes, int is_managed)
{
    address at;
    void *host = NULL;
    size_t found;
    int managed = -1;
    OK(cuModuleGetGlobal_v2(&at, &found, module, name));
    EXPECT(found, bytes);
    OK(cuPointerGetAttribute(&managed, IS_MANAGED, at));
    EXPECT(managed, is_managed);
    EXPECT(cuPointerGetAttribute(&host, HOST_POINTER, at), is_managed ? 0 : INVALID_VALUE);
    EXPECT(host == (is_managed ? (void *)at : NULL), 1);
    return at;
}

int main(void)
{
    void *context, *module, *add;
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuModuleLoadData(&module, module_text));
    OK(cuModuleGetFunction(&add, module, "add"));
    address one_at = variable(module, "one", 4, 1);
    volatile unsigned *one = (volatile unsigned *)one_at,
                      *two = (volatile unsigned *)variable(module, "two", 12, 1);
    variable(module, "plain", 4, 0);
    EXPECT(*one, 10);
    EXPECT(two[2], 0);
    *one += 1;
    two[2] = 100;
    void *params[] = {&one_at};
    OK(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
    printf("%u %u\n", *one, two[2]);
    for (int i = 0; i < 2; i++) /* the host's writes count, though no call tells of them */
        OK(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
    printf("%u %u\n", *one, two[2]);
    OK(cuModuleUnload(module));
    return 0;
}
