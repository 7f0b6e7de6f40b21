/* SPDX-License-Identifier: Apache-2.0
 * See words.h: the libraries that are called, and the objects that calls are given. */
#include "pointers.h"
#include "words.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

objects world[CLASSES];
word scratch[512];
char symbol_scale;
char module_path[] = "inflight-calls.XXXXXX";

const char module_text[] = ".version 7.0\n"
                           ".target sm_70\n"
                           ".address_size 64\n"
                           ".visible .global .align 4 .u32 scale = 3;\n"
                           ".visible .entry poke(.param .u64 at)\n"
                           "{\n"
                           "  .reg .b32 %r<2>; .reg .b64 %rd<3>;\n"
                           "  ld.param.u64 %rd1, [at]; cvta.to.global.u64 %rd2, %rd1;\n"
                           "  ld.global.u32 %r1, [scale];\n"
                           "  st.global.u32 [%rd2], %r1;\n"
                           "  ret;\n"
                           "}\n";

/* ---- the libraries --------------------------------------------------------------------------- */

static void *runtime, *driver;

static void *load(const char *name)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (library)
        return library;
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
}

void *find_call(const char *name)
{
    void *call = runtime ? dlsym(runtime, name) : NULL;
    return call ? call : driver ? dlsym(driver, name) : NULL;
}

int invoke(void *call, const word w[MOST_WORDS])
{
    int (*function)(word, word, word, word, word, word, word, word, word, word, word, word, word,
                    word, word);
    memcpy(&function, &call, sizeof function);
    return function(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12],
                    w[13], w[14]);
}

void must(const char *name, const word words[MOST_WORDS])
{
    void *call = find_call(name);
    const int code = call ? invoke(call, words) : -1;
    if (code == 0)
        return;
    printf("%s gives %d where it must succeed\n", name, code);
    exit(1);
}

/* ---- what nvcc's code registers -------------------------------------------------------------- */

/* A fat binary with one PTX text: the container's head, the entry's, the text. */
typedef struct fatbin {
    uint32_t magic;
    uint16_t version, head_bytes;
    uint64_t bytes;
    uint16_t kind, unknown;
    uint32_t entry_head_bytes;
    uint64_t payload_bytes;
    uint32_t compressed_bytes, unknown_too[2];
    uint32_t sm;
    uint32_t rest[8];
    char text[sizeof module_text];
} fatbin;

static void register_binary(void)
{
    enum { CONTAINER = 16, ENTRY = 64, PTX = 1 };
    static fatbin image = {.magic = 0xba55ed50,
                           .version = 1,
                           .head_bytes = CONTAINER,
                           .kind = PTX,
                           .entry_head_bytes = ENTRY,
                           .payload_bytes = sizeof module_text - 1,
                           .sm = 70};
    static struct {
        uint32_t magic, version;
        const void *fatbin;
        void *linked;
    } wrapper = {0x466243b1, 1, &image, NULL};
    image.bytes = ENTRY + image.payload_bytes;
    memcpy(image.text, module_text, sizeof module_text);
    void *(*begin)(void *);
    void (*variable)(void *, char *, char *, const char *, int, size_t, int, int);
    *(void **)&begin = find_call("__cudaRegisterFatBinary");
    *(void **)&variable = find_call("__cudaRegisterVar");
    variable(begin(&wrapper), &symbol_scale, NULL, "scale", 0, 4, 0, 0);
}

static void write_module(void)
{
    const int descriptor = mkstemp(module_path);
    if (descriptor < 0 || write(descriptor, module_text, sizeof module_text - 1) < 0 ||
        close(descriptor) != 0) {
        perror(module_path);
        exit(1);
    }
}

static void remove_module(void)
{
    unlink(module_path);
}

void load_libraries(int version)
{
    char name[32];
    snprintf(name, sizeof name, "libcudart.so.%s",
             version == 11   ? "11.0"
             : version == 12 ? "12"
                             : "13");
    runtime = load(name);
    driver = load("libcuda.so.1");
    write_module();
    atexit(remove_module);
    register_binary();
    MUST("cuInit", 0);
    MUST("cudaDeviceSynchronize", 0); /* makes the primary context current */
}

/* ---- objects --------------------------------------------------------------------------------- */

static char own_bytes[64];
const word no_handles[] = {0x100, (word)own_bytes};
const size_t no_handle_count = sizeof no_handles / sizeof *no_handles;

static void put(word *list, unsigned *count, word object)
{
    if (*count == MOST_OBJECTS)
        memmove(list, list + 1, --*count * sizeof *list);
    list[(*count)++] = object;
}

/* A stream that is not known any more would be captured for ever. */
void add_object(object_class of, word object)
{
    if (of == CLASS_STREAM && world[of].live_count == MOST_OBJECTS)
        invoke(find_call("cudaStreamDestroy"), (const word[MOST_WORDS]){world[of].live[0]});
    put(world[of].live, &world[of].live_count, object);
}

void lose_object(object_class of, word object)
{
    objects *all = &world[of];
    unsigned kept = 0;
    for (unsigned i = 0; i < all->live_count; i++)
        if (all->live[i] != object)
            all->live[kept++] = all->live[i];
    all->live_count = kept;
    put(all->gone, &all->gone_count, object);
}

word live_object(object_class of)
{
    return world[of].live_count ? world[of].live[world[of].live_count - 1] : 0;
}

void end_captures(void)
{
    enum { PER_THREAD = 2 };
    void *end = find_call("cudaStreamEndCapture");
    word graph;
    for (unsigned i = 0; i < world[CLASS_STREAM].live_count; i++)
        invoke(end, (const word[MOST_WORDS]){world[CLASS_STREAM].live[i], (word)&graph});
    invoke(end, (const word[MOST_WORDS]){PER_THREAD, (word)&graph});
}

/* Two of them, one destroyed. */
static void make_both(object_class of, const char *make, word with, const char *destroy)
{
    for (int i = 0; i < 2; i++) {
        word object = 0;
        MUST(make, (word)&object, with);
        add_object(of, object);
    }
    const word first = world[of].live[0];
    MUST(destroy, first);
    lose_object(of, first);
}

static word function_of(word module)
{
    word function = 0;
    MUST("cuModuleGetFunction", (word)&function, module, (word) "poke");
    return function;
}

static void make_modules(void)
{
    word gone = 0, live = 0;
    MUST("cuModuleLoadData", (word)&gone, (word)module_text);
    const word function = function_of(gone);
    MUST("cuModuleLoadData", (word)&live, (word)module_text);
    add_object(CLASS_MODULE, live);
    add_object(CLASS_FUNCTION, function_of(live));
    MUST("cuModuleUnload", gone);
    lose_object(CLASS_MODULE, gone);
    lose_object(CLASS_FUNCTION, function);
}

/* A text in one of them. */
static void make_links(void)
{
    static const char text[] = "//";
    for (object_class of = CLASS_LINK; of <= CLASS_LINK_WHOLE; of++)
        for (int i = 0; i < 2; i++) {
            word link = 0;
            MUST("cuLinkCreate_v2", 0, 0, 0, (word)&link);
            if (of == CLASS_LINK_WHOLE)
                MUST("cuLinkAddData_v2", link, 1, (word)text, sizeof text);
            add_object(of, link);
            if (i)
                continue;
            MUST("cuLinkDestroy", link);
            lose_object(of, link);
        }
}

static void logged(void *user, int level, char *text, size_t bytes)
{
    (void)user, (void)level, (void)text, (void)bytes;
}

static void make_logs(void)
{
    for (int i = 0; i < 2; i++) {
        word log = 0;
        MUST("cuLogsRegisterCallback", (word)logged, 0, (word)&log);
        add_object(CLASS_LOG, log);
        if (i)
            continue;
        MUST("cuLogsUnregisterCallback", log);
        lose_object(CLASS_LOG, log);
    }
}

/* An array with a texture and a surface of it. */
static void make_texture(void)
{
    word array = 0, texture = 0, surface = 0;
    MUST("cudaMallocArray", (word)&array, right_pointer(WORD_CHANNELS), 64, 8, 2);
    add_object(CLASS_ARRAY, array);
    const word of = right_pointer(WORD_SURFACE_RESOURCE);
    MUST("cudaCreateTextureObject", (word)&texture, of, right_pointer(WORD_SAMPLER));
    add_object(CLASS_TEXTURE, texture);
    MUST("cudaCreateSurfaceObject", (word)&surface, of);
    add_object(CLASS_SURFACE, surface);
}

static void make_textures(void)
{
    static const struct {
        object_class of;
        const char *destroy;
    } firsts[] = {{CLASS_TEXTURE, "cudaDestroyTextureObject"},
                  {CLASS_SURFACE, "cudaDestroySurfaceObject"},
                  {CLASS_ARRAY, "cudaFreeArray"}};
    make_texture();
    make_texture();
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        const word first = world[firsts[i].of].live[0];
        MUST(firsts[i].destroy, first);
        lose_object(firsts[i].of, first);
    }
}

static void make_contexts(void)
{
    for (int i = 0; i < 2; i++) {
        word context = 0, popped;
        MUST("cuCtxCreate_v2", (word)&context);
        MUST("cuCtxPopCurrent_v2", (word)&popped);
        add_object(CLASS_CONTEXT, context);
    }
    const word first = world[CLASS_CONTEXT].live[0];
    MUST("cuCtxDestroy_v2", first);
    lose_object(CLASS_CONTEXT, first);
}

static word new_page(void)
{
    return (word)mmap(NULL, DEVICE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                      0);
}

static void make_registered(void)
{
    for (int i = 0; i < 2; i++) {
        const word page = new_page();
        MUST("cudaHostRegister", page, DEVICE_BYTES);
        add_object(CLASS_REGISTERED, page);
    }
    const word first = world[CLASS_REGISTERED].live[0];
    MUST("cudaHostUnregister", first);
    lose_object(CLASS_REGISTERED, first);
}

static void make_managed(object_class of)
{
    word at = 0;
    MUST("cudaMallocManaged", (word)&at, DEVICE_BYTES, 1);
    add_object(of, at);
}

static void make_memory(void)
{
    make_both(CLASS_DEVICE, "cudaMalloc", DEVICE_BYTES, "cudaFree");
    make_both(CLASS_PINNED_OWN, "cudaMallocHost", DEVICE_BYTES, "cudaFreeHost");
    make_managed(CLASS_MANAGED_OWN);
    make_registered();
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* A node that allocates, and another that frees it: in a graph of their own, from which nothing
 * can be removed. */
static word add_memory_nodes(void)
{
    struct {
        char pool[88];
        word access, access_count, bytes, address;
    } params = {.bytes = DEVICE_BYTES};
    word node = 0, graph = 0;
    MUST("cudaGraphCreate", (word)&graph);
    MUST("cudaGraphAddMemAllocNode", (word)&node, graph, 0, 0, (word)&params);
    add_object(CLASS_ALLOCATE_NODE, node);
    MUST("cudaGraphAddMemFreeNode", (word)&node, graph, (word)&node, 1, params.address);
    add_object(CLASS_FREE_NODE, node);
    add_object(CLASS_GRAPH_MEMORY, params.address);
    return graph;
}

static void add_nodes(word graph)
{
    word node = 0, child = 0;
    MUST("cudaGraphAddEmptyNode", (word)&node, graph);
    add_object(CLASS_NODE, node);
    MUST("cudaGraphAddKernelNode", (word)&node, graph, 0, 0, right_pointer(WORD_KERNEL_PARAMS));
    add_object(CLASS_KERNEL_NODE, node);
    MUST("cudaGraphAddMemcpyNode", (word)&node, graph, (word)&node, 1, right_pointer(WORD_BOX));
    add_object(CLASS_COPY_NODE, node);
    MUST("cudaGraphAddMemcpyNode", (word)&node, graph, 0, 0, right_pointer(WORD_LINE_BOX));
    add_object(CLASS_LINE_NODE, node);
    MUST("cudaGraphAddMemsetNode", (word)&node, graph, 0, 0, right_pointer(WORD_SET_PARAMS));
    add_object(CLASS_SET_NODE, node);
    MUST("cudaGraphAddHostNode", (word)&node, graph, 0, 0, right_pointer(WORD_HOST_PARAMS));
    add_object(CLASS_HOST_NODE, node);
    MUST("cudaGraphAddEventRecordNode", (word)&node, graph, 0, 0, live_object(CLASS_EVENT));
    add_object(CLASS_RECORD_NODE, node);
    MUST("cudaGraphAddEventWaitNode", (word)&node, graph, 0, 0, live_object(CLASS_EVENT));
    add_object(CLASS_WAIT_NODE, node);
    MUST("cudaGraphCreate", (word)&child);
    MUST("cudaGraphAddChildGraphNode", (word)&node, graph, 0, 0, child);
    add_object(CLASS_CHILD_NODE, node);
    MUST("cudaGraphDestroy", child);
}

static void lose_all(object_class of)
{
    while (world[of].live_count)
        lose_object(of, world[of].live[0]);
}

static void make_user_objects(void)
{
    for (int i = 0; i < 2; i++) {
        word object = 0;
        MUST("cudaUserObjectCreate", (word)&object, 0, right_pointer(WORD_DESTROY), 1, 1);
        add_object(CLASS_USER_OBJECT, object);
    }
    const word first = world[CLASS_USER_OBJECT].live[0];
    MUST("cudaUserObjectRelease", first, 1);
    lose_object(CLASS_USER_OBJECT, first);
}

static word make_graph(void)
{
    word graph = 0, exec = 0;
    MUST("cudaGraphCreate", (word)&graph);
    add_object(CLASS_GRAPH, graph);
    add_nodes(graph);
    MUST("cudaGraphInstantiateWithFlags", (word)&exec, graph);
    add_object(CLASS_EXEC, exec);
    return exec;
}

static void make_graphs(void)
{
    const word exec = make_graph(), graph = live_object(CLASS_GRAPH),
               memory_graph = add_memory_nodes();
    for (object_class of = CLASS_NODE; of <= CLASS_FREE_NODE; of++)
        lose_all(of);
    make_graph();
    add_memory_nodes();
    MUST("cudaGraphDestroy", memory_graph);
    MUST("cudaGraphExecDestroy", exec);
    MUST("cudaGraphDestroy", graph);
    lose_object(CLASS_EXEC, exec);
    lose_object(CLASS_GRAPH, graph);
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool is_live(word address)
{
    for (object_class of = 0; of < CLASSES; of++)
        for (unsigned i = 0; i < world[of].live_count; i++)
            if (world[of].live[i] == address)
                return true;
    return false;
}

/* An address that was given out again is not gone. */
static void drop_reused(object_class of)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < world[of].gone_count; i++)
        if (!is_live(world[of].gone[i]))
            world[of].gone[kept++] = world[of].gone[i];
    world[of].gone_count = kept;
}

/* Memory that copies are given is made once: nothing that is freed later can have its addresses. */
static void keep_memory(void)
{
    static objects pinned, managed;
    memset(world, 0, sizeof world);
    world[CLASS_PINNED] = pinned;
    world[CLASS_MANAGED] = managed;
    if (pinned.live_count)
        return;
    make_both(CLASS_PINNED, "cudaMallocHost", DEVICE_BYTES, "cudaFreeHost");
    make_managed(CLASS_MANAGED);
    pinned = world[CLASS_PINNED];
    managed = world[CLASS_MANAGED];
}

void renew_world(void)
{
    end_captures();
    keep_memory();
    make_both(CLASS_STREAM, "cudaStreamCreateWithFlags", 0, "cudaStreamDestroy");
    make_both(CLASS_EVENT, "cudaEventCreateWithFlags", 0, "cudaEventDestroy");
    MUST("cudaEventRecord", live_object(CLASS_EVENT), 0);
    static pool_params of_gpu = {.allocation = 1, .location = 1};
    make_both(CLASS_POOL, "cudaMemPoolCreate", (word)&of_gpu, "cudaMemPoolDestroy");
    make_memory();
    make_modules();
    make_links();
    make_logs();
    make_textures();
    make_contexts();
    make_graphs();
    make_user_objects();
    for (object_class of = 0; of < CLASSES; of++)
        drop_reused(of);
}
