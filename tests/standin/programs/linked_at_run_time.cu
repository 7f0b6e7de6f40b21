// SPDX-License-Identifier: Apache-2.0
// The driver's linker: a kernel in one PTX text calls a function of another (nvJitLink links them).
#include "check.h"

#include <cuda.h>

#define CALL_OF(name)                                                                                                             \
    decltype(&name) name##_of;                                                                                                    \
    CHECK(cudaGetDriverEntryPointByVersion(#name, (void **)&name##_of, 12000, cudaEnableDefault, NULL))

static const char kernel[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                             ".extern .func (.param .b32 result) twice(.param .b32 of);\n"
                             ".visible .entry fill(.param .u64 to) {\n"
                             ".reg .b64 %a; .reg .b32 %r<3>;\n"
                             "ld.param.u64 %a, [to];\nmov.u32 %r1, 21;\n"
                             "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1;\n"
                             "call.uni (y), twice, (x); ld.param.b32 %r2, [y]; }\n"
                             "st.global.u32 [%a], %r2;\nret; }\n";
static const char function[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".visible .func (.param .b32 result) twice(.param .b32 of) {\n"
                               ".reg .b32 %r<2>;\n"
                               "ld.param.b32 %r1, [of]; add.u32 %r1, %r1, %r1; st.param.b32 [result], %r1; ret; }\n";

int main()
{
    int *to, value = 0;
    CHECK(cudaMalloc(&to, sizeof *to));
    CALL_OF(cuLinkCreate);
    CALL_OF(cuLinkAddData);
    CALL_OF(cuLinkComplete);
    CALL_OF(cuLinkDestroy);
    CALL_OF(cuModuleLoadData);
    CALL_OF(cuModuleGetFunction);
    CALL_OF(cuLaunchKernel);
    CUlinkState state;
    CUmodule module;
    CUfunction fill;
    void *image, *arguments[] = {&to};
    size_t bytes;
    printf("%d", cuLinkCreate_of(0, NULL, NULL, &state));
    printf(" %d", cuLinkAddData_of(state, CU_JIT_INPUT_PTX, (void *)kernel, sizeof kernel, "kernel", 0, NULL, NULL));
    printf(" %d", cuLinkAddData_of(state, CU_JIT_INPUT_PTX, (void *)function, sizeof function, "function", 0, NULL, NULL));
    printf(" %d", cuLinkComplete_of(state, &image, &bytes));
    printf(" %d", cuModuleLoadData_of(&module, image));
    printf(" %d\n", cuLinkDestroy_of(state));
    printf("%d", cuModuleGetFunction_of(&fill, module, "fill"));
    printf(" %d\n", cuLaunchKernel_of(fill, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cudaMemcpy(&value, to, sizeof value, cudaMemcpyDeviceToHost));
    printf("%d\n", value);
    return 0;
}
