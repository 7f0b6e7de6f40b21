/* SPDX-License-Identifier: Apache-2.0
 * Cubins loaded and launched by the driver API with the words of their launch files: memory holds
 * afterwards what a GPU's did. The library reads the launch files and fills the arguments; it runs nothing.
 * usage: cubin_launches RESULTS FOLDER      lines of RESULTS: FOLDER/NAME.launch ARGUMENT HASH */
#include "cu.h"

#include "inflight.h"

#include <inttypes.h>

enum { MOST_IMAGE = 1 << 20, MOST_ARGUMENTS = 16, MOST_PATH = 512 };

typedef struct launched {
    char path[MOST_PATH];
    ifl_module *module;
    ifl_launch *launch;
    void *on_gpu; /* the module */
    ifl_launch_argument_info arguments[MOST_ARGUMENTS];
    address buffers[MOST_ARGUMENTS];
    size_t count;
} launched;

static uint64_t hash_of(const unsigned char *at,
                        size_t bytes) /* FNV-1a, as launch_results has it */
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

/* What a launch file says of KEY; empty where it does not. */
static void word_of(const char *path, const char *key, char *out)
{
    char line[MOST_PATH], name[64], value[MOST_PATH];
    FILE *in = fopen(path, "r");
    EXPECT(in != NULL, true);
    *out = 0;
    while (fgets(line, sizeof line, in))
        if (sscanf(line, "%63s = %511s", name, value) == 2 && strcmp(name, key) == 0)
            strcpy(out, value);
    fclose(in);
}

static void *load(const char *launch_path)
{
    static char image[MOST_IMAGE];
    char file[MOST_PATH], path[2 * MOST_PATH];
    void *module;
    word_of(launch_path, "file", file);
    const int folder = (int)(strrchr(launch_path, '/') - launch_path);
    snprintf(path, sizeof path, "%.*s/%s", folder, launch_path, file);
    FILE *in = fopen(path, "rb");
    EXPECT(in != NULL, true);
    const size_t bytes = fread(image, 1, sizeof image, in);
    EXPECT(bytes > 0 && bytes < sizeof image, true);
    fclose(in);
    OK(cuModuleLoadData(&module, image));
    return module;
}

/* A buffer is copied to memory of its own, a value is passed from where it lies. */
static void take_arguments(launched *l, void **params)
{
    ifl_error error = {0};
    l->count = ifl_launch_argument_count(l->launch);
    EXPECT(l->count <= MOST_ARGUMENTS, true);
    for (size_t i = 0; i < l->count; i++) {
        ifl_launch_argument_info *a = &l->arguments[i];
        OK(ifl_launch_argument_at(l->launch, i, a, &error));
        params[i] = a->data;
        if (!a->is_buffer)
            continue;
        EXPECT(a->same, i);
        OK(cuMemAlloc_v2(&l->buffers[i], a->bytes));
        OK(cuMemcpyHtoD_v2(l->buffers[i], a->data, a->bytes));
        params[i] = &l->buffers[i];
    }
}

static void run(launched *l, const char *path)
{
    ifl_error error = {0};
    char kernel[MOST_PATH], shared[MOST_PATH];
    uint32_t grid[3], block[3];
    void *function, *params[MOST_ARGUMENTS];
    *l = (launched){0};
    strcpy(l->path, path);
    OK(ifl_launch_read(path, &l->module, &l->launch, &error));
    ifl_launch_shape(l->launch, grid, block);
    word_of(path, "kernel", kernel);
    word_of(path, "shared", shared);
    l->on_gpu = load(path);
    OK(cuModuleGetFunction(&function, l->on_gpu, kernel));
    take_arguments(l, params);
    OK(cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                      (unsigned)strtoul(shared, NULL, 10), NULL, params, NULL));
    OK(cuCtxSynchronize());
}

static void drop(launched *l)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->buffers[i])
            OK(cuMemFree_v2(l->buffers[i]));
    if (l->on_gpu)
        OK(cuModuleUnload(l->on_gpu));
    ifl_launch_free(l->launch);
    ifl_module_close(l->module);
    *l = (launched){0};
}

static bool is_as_expected(const launched *l, size_t argument, uint64_t wanted)
{
    EXPECT(argument < l->count && l->buffers[argument], true);
    const size_t bytes = l->arguments[argument].bytes;
    unsigned char *got = malloc(bytes);
    EXPECT(got != NULL, true);
    OK(cuMemcpyDtoH_v2(got, l->buffers[argument], bytes));
    const bool same = hash_of(got, bytes) == wanted;
    free(got);
    return same;
}

/* Lines of one launch follow each other: it runs once. */
static int compare_all(FILE *in, const char *folder)
{
    char line[MOST_PATH], path[MOST_PATH];
    size_t argument;
    uint64_t wanted;
    launched now = {0};
    int launches = 0, compared = 0, bad = 0;
    while (fgets(line, sizeof line, in)) {
        if (sscanf(line, "%511s %zu %" SCNx64, path, &argument, &wanted) != 3 ||
            strncmp(path, folder, strlen(folder)) != 0)
            continue;
        if (strcmp(path, now.path) != 0) {
            drop(&now);
            run(&now, path);
            launches++;
        }
        compared++;
        if (is_as_expected(&now, argument, wanted))
            continue;
        printf("%s: argument %zu is not what the GPU made of it\n", path, argument);
        bad++;
    }
    drop(&now);
    printf("%d launches, %d buffers, %d failures\n", launches, compared, bad);
    return bad || !compared;
}

int main(int count, char **words)
{
    void *context;
    (void)kernels;
    FILE *in = count == 3 ? fopen(words[1], "r") : NULL;
    if (!in)
        return 2;
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    const int status = compare_all(in, words[2]);
    fclose(in);
    return status;
}
