/* SPDX-License-Identifier: Apache-2.0
 * A program that compiles its kernel when it runs: NVRTC's PTX, loaded and launched through the
 * driver. */
#include "cu.h"

#include <dlfcn.h>

static const char source[] = "extern \"C\" __global__ void twice(float *x, int n)\n"
                             "{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n)\n"
                             "        x[i] *= 2;\n"
                             "}\n";

static void *find(void *library, const char *name)
{
    void *found = dlsym(library, name);
    EXPECT(found != NULL, 1);
    return found;
}

/* NVRTC's reference: a program is made, compiled, and gives its PTX. */
static char *compile(const char *path)
{
    void *library = dlopen(path, RTLD_NOW), *program;
    EXPECT(library != NULL, 1);
    int (*create)(void **, const char *, const char *, int, const char **, const char **);
    int (*run)(void *, int, const char *const *), (*size)(void *, size_t *), (*get)(void *, char *);
    const char *options[] = {"--gpu-architecture=compute_90", "-lineinfo"};
    size_t bytes;
    *(void **)&create = find(library, "nvrtcCreateProgram");
    *(void **)&run = find(library, "nvrtcCompileProgram");
    *(void **)&size = find(library, "nvrtcGetPTXSize");
    *(void **)&get = find(library, "nvrtcGetPTX");
    OK(create(&program, source, "twice.cu", 0, NULL, NULL));
    OK(run(program, 2, options));
    OK(size(program, &bytes));
    char *ptx = malloc(bytes);
    OK(get(program, ptx));
    return ptx;
}

int main(int count, char **words)
{
    enum { N = 100 };
    float host[N];
    address x;
    void *context, *module, *twice;
    int n = N;
    EXPECT(count, 2);
    (void)kernels;
    char *ptx = compile(words[1]);
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxPushCurrent_v2(context));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&twice, module, "twice"));
    OK(cuMemAlloc_v2(&x, sizeof host));
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    OK(cuMemcpyHtoD_v2(x, host, sizeof host));
    void *params[] = {&x, &n};
    OK(cuLaunchKernel(twice, 1, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    OK(cuMemcpyDtoH_v2(host, x, sizeof host));
    for (int i = 0; i < N; i++)
        EXPECT(host[i] == 2 * (float)i, 1);
    OK(cuMemFree_v2(x));
    OK(cuModuleUnload(module));
    OK(cuDevicePrimaryCtxRelease_v2(0));
    free(ptx);
    puts("compiled, loaded and launched");
    return 0;
}
