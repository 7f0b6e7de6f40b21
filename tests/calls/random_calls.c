/* SPDX-License-Identifier: Apache-2.0
 * Random calls against the stand-in: any call, any word that a program could get hold of. It must
 * survive, give codes that CUDA has, and leave alone what it was not given. The same seed gives the
 * same calls. usage: random_calls VERSION CALLS [SEED] */
#include "pointers.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

enum {
    RENEW_EVERY = 1000, /* calls; objects and graphs grow no further */
    CAPTURES_FOR = 20,  /* calls at most: while a stream is captured, many others must fail */
    RARELY = 50,        /* what takes long is called once in so many times that it comes up */
    CANARY = 0xa5,
    LAST_CODE = 999,
    NODE_CLASSES = CLASS_FREE_NODE - CLASS_NODE + 1
};

static uint64_t state;
static const char *now = "nothing"; /* the call that is made */
static unsigned long number;
static word canary;

/* splitmix64 */
static uint64_t any(void)
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static unsigned below(unsigned bound)
{
    return (unsigned)(any() % bound);
}

static bool once_in(unsigned times)
{
    return below(times) == 0;
}

static word one_of(const word *list, unsigned count)
{
    return count ? list[below(count)] : 0;
}

/* ---- words ----------------------------------------------------------------------------------- */

static word any_number(word usual)
{
    static const word edges[] = {0,         1,
                                 2,         3,
                                 7,         8,
                                 63,        64,
                                 65,        255,
                                 256,       257,
                                 512,       4095,
                                 4096,      4097,
                                 8192,      1ul << 31,
                                 1ul << 32, (1ul << 32) + 1,
                                 1ul << 47, 1ul << 48,
                                 1ul << 62, (1ul << 63) - 1,
                                 1ul << 63, (1ul << 63) + 1,
                                 -4096ul,   -256ul,
                                 -64ul,     -8ul,
                                 -2ul,      -1ul};
    return once_in(3) ? usual : one_of(edges, sizeof edges / sizeof *edges);
}

/* Small, or such that no machine has it: a fill of what lies between would take seconds. */
static word any_size_of_memory(word usual)
{
    const word size = any_number(usual);
    return size > 512 && !(size >> 40) ? usual : size;
}

/* Mostly a live one. */
static word any_handle(object_class of)
{
    static const object_class kinds[] = {CLASS_STREAM, CLASS_EVENT,    CLASS_GRAPH,
                                         CLASS_EXEC,   CLASS_NODE,     CLASS_POOL,
                                         CLASS_MODULE, CLASS_FUNCTION, CLASS_ARRAY};
    const objects *all = &world[once_in(20) ? kinds[below(sizeof kinds / sizeof *kinds)] : of];
    const unsigned which = below(20);
    return which < 14   ? one_of(all->live, all->live_count)
           : which < 17 ? one_of(all->gone, all->gone_count)
           : which < 18 ? 0
                        : one_of(no_handles, (unsigned)no_handle_count);
}

/* Host memory that copies are given stays: a copy of a graph may run when anything else is gone. */
static word any_memory(void)
{
    static const object_class kinds[] = {CLASS_DEVICE, CLASS_DEVICE, CLASS_PINNED, CLASS_MANAGED};
    const objects *all = &world[kinds[below(4)]];
    const word at = one_of(all->live, all->live_count), device = live_object(CLASS_DEVICE);
    switch (device ? below(12) : 12) {
    case 0:
        return 0;
    case 1:
        return no_handles[0];
    case 2:
        return one_of(world[CLASS_DEVICE].gone, world[CLASS_DEVICE].gone_count);
    case 3:
        return device + DEVICE_BYTES;
    case 4:
        return device + below(DEVICE_BYTES);
    case 5:
        return live_object(CLASS_PINNED) + below(DEVICE_BYTES);
    default:
        return at;
    }
}

static unsigned any_size(void)
{
    static const unsigned sizes[] = {0, 1, 1, 1, 2, 65536, 0x80000000u, 0xffffffffu};
    return sizes[below(8)];
}

static unsigned any_grid(void)
{
    static const unsigned sizes[] = {0, 1, 1, 2, 3};
    return sizes[below(5)];
}

/* ---- structures ------------------------------------------------------------------------------ */

static word any_offset(void)
{
    return once_in(4) ? any_number(0) : 0;
}

static void any_triple(triple *t)
{
    t->x = any_number(t->x);
    t->y = any_number(t->y);
    t->z = any_number(t->z);
}

static void any_box(box *b)
{
    b->from.at = any_memory();
    b->to.at = any_memory();
    b->from.pitch = any_number(b->from.pitch);
    b->to.pitch = any_number(b->to.pitch);
    b->from.height = any_number(b->from.height);
    b->to.height = any_number(b->to.height);
    b->from_position = (triple){any_offset(), any_offset(), any_offset()};
    b->to_position = (triple){any_offset(), any_offset(), any_offset()};
    any_triple(&b->extent);
    b->kind = (int)below(6);
    b->from_array = once_in(4) ? any_handle(CLASS_ARRAY) : 0;
    b->to_array = once_in(4) ? any_handle(CLASS_ARRAY) : 0;
}

static void any_side(deep_side *s)
{
    s->type = below(6);
    s->host = s->device = any_memory();
    s->x = any_offset();
    s->y = any_offset();
    s->z = any_offset();
    s->pitch = any_number(s->pitch);
    s->height = any_number(s->height);
    s->array = any_handle(CLASS_ARRAY);
}

static void any_deep_box(deep_box *b)
{
    any_side(&b->from);
    any_side(&b->to);
    b->width = any_number(b->width);
    b->height = any_number(b->height);
    b->depth = any_number(b->depth);
}

static void any_flat_side(flat_side *s)
{
    s->type = below(6);
    s->host = s->device = any_memory();
    s->x = any_offset();
    s->y = any_offset();
    s->pitch = any_number(s->pitch);
    s->array = any_handle(CLASS_ARRAY);
}

static void any_kernel(kernel_params *k)
{
    k->function = any_handle(CLASS_FUNCTION);
    k->grid[0] = any_grid();
    k->grid[1] = once_in(4) ? any_size() % 3 : 1;
    k->block[0] = below(40);
    k->shared_bytes = once_in(4) ? (unsigned)any() : 0;
    k->arguments = once_in(8) ? 0 : k->arguments;
}

static void any_set(set_params *s)
{
    *s = (set_params){any_memory(),  any_number(256), (unsigned)any(),
                      below(6) * 1u, any_number(16),  any_number(4)};
}

/* Of any kind, conditional ones too; a child graph once in a while, for graphs grow by it. */
static void any_node(any_params *p)
{
    enum { KERNEL = 0, COPY = 1, SET = 2, HOST = 3, CHILD = 4, ALLOCATE = 10, KINDS = 15 };
    p->type = (int)below(KINDS) - 1;
    if (p->type == CHILD && !once_in(RARELY))
        p->type = KERNEL;
    if (p->type == KERNEL) {
        any_kernel(&p->of.kernel);
    } else if (p->type == SET) {
        any_set(&p->of.set);
    } else if (p->type == COPY || p->type == ALLOCATE) {
        for (size_t i = 0; i < sizeof p->of.words / sizeof *p->of.words; i++)
            p->of.words[i] = once_in(2) ? 0 : any_memory();
    } else if (p->type == HOST) {
        p->of.words[0] = once_in(4) ? 0 : right_pointer(WORD_HOST_CALL);
    } else {
        p->of.words[0] = any_handle(p->type == CHILD ? CLASS_GRAPH : CLASS_EVENT);
        p->of.words[1] = any_number(1);
    }
}

static void any_channels(channels *c)
{
    static const int bits[] = {0, 8, 16, 32, 64, -32};
    c->bits[below(4)] = bits[below(6)];
    c->kind = (int)below(5) - 1;
}

static void any_resource(resource *r)
{
    r->type = (int)below(5);
    any_channels(&r->of.rows.channels);
    if (r->type == 0) {
        r->of.array = any_handle(CLASS_ARRAY);
        return;
    }
    r->of.rows.at = any_memory();
    r->of.rows.width = any_number(16);
    r->of.rows.height = any_number(4);
    r->of.rows.pitch = any_number(256);
}

/* An array of what lies between would take seconds to clear, and there are many. */
static word any_elements(word usual)
{
    const word size = any_number(usual);
    return size > 512 && size < 1ul << 31 ? usual : size;
}

static void change_of_texture(word_kind kind, pointed *p)
{
    switch (kind) {
    case WORD_CHANNELS:
        any_channels(&p->channels);
        break;
    case WORD_RESOURCE:
    case WORD_SURFACE_RESOURCE:
        any_resource(&p->resource);
        break;
    case WORD_SAMPLER:
        p->sampler.modes[below(3)] = (int)below(6) - 1;
        p->sampler.filter = (int)below(3);
        p->sampler.reads = (int)below(2);
        p->sampler.more[below(13)] = (int)any();
        break;
    case WORD_DRIVER_RESOURCE:
        p->driver_resource.type = (int)below(5);
        p->driver_resource.at = once_in(3) ? any_handle(CLASS_ARRAY) : any_memory();
        p->driver_resource.format = below(0x30);
        p->driver_resource.channels = below(6);
        p->driver_resource.width = any_number(16);
        p->driver_resource.pitch = any_number(256);
        break;
    case WORD_DRIVER_SAMPLER:
        p->driver_sampler.modes[below(3)] = (int)below(6) - 1;
        p->driver_sampler.filter = (int)below(3);
        p->driver_sampler.flags = below(128);
        p->driver_sampler.more[below(21)] = (unsigned)any();
        break;
    case WORD_FLAT_ARRAY:
        p->flat_array = (flat_array){any_elements(16), any_elements(4), below(40), below(6)};
        break;
    case WORD_DEEP_ARRAY:
        p->deep_array = (deep_array){any_elements(16), any_elements(4), any_elements(2),
                                     below(40),        below(6),        below(20)};
        break;
    default:
        break;
    }
}

static void change(word_kind kind, pointed *p)
{
    switch (kind) {
    case WORD_AFTER:
    case WORD_LATER:
    case WORD_EDGE_FROM:
    case WORD_EDGE_TO:
        p->nodes[0] = any_handle((object_class)(CLASS_NODE + below(NODE_CLASSES)));
        break;
    case WORD_BOX:
    case WORD_LINE_BOX:
        any_box(&p->box);
        break;
    case WORD_DEEP_BOX:
    case WORD_DEEP_LINE_BOX:
        any_deep_box(&p->deep_box);
        break;
    case WORD_FLAT_BOX:
        any_flat_side(&p->flat_box.from);
        any_flat_side(&p->flat_box.to);
        p->flat_box.width = any_number(p->flat_box.width);
        p->flat_box.height = any_number(p->flat_box.height);
        break;
    case WORD_KERNEL_PARAMS:
        any_kernel(&p->kernel_params);
        break;
    case WORD_SET_PARAMS:
        any_set(&p->set_params);
        break;
    case WORD_ANY_PARAMS:
        any_node(&p->any_params);
        break;
    case WORD_INSTANTIATION:
        p->instantiation.flags = any_number(0);
        break;
    case WORD_MEMORY_PARAMS:
        p->memory_params.bytes = any_size_of_memory(64);
        break;
    case WORD_POOL_PARAMS:
        p->pool_params.location = (int)below(3);
        p->pool_params.gpu = (int)any();
        break;
    case WORD_CONFIGURATION:
        p->configuration.stream = any_handle(CLASS_STREAM);
        break;
    case WORD_DRIVER_CONFIGURATION:
        p->driver_configuration.stream = any_handle(CLASS_STREAM);
        break;
    case WORD_ARGUMENTS:
        p->arguments[0] = once_in(10) ? 0 : p->arguments[0];
        break;
    case WORD_NUMBERS:
        p->numbers[0] = (int)below(20) - 2;
        break;
    case WORD_MODE:
        p->mode = (int)below(5) - 1;
        break;
    default:
        change_of_texture(kind, p);
    }
    kernel_argument = once_in(50) ? no_handles[0] : any_memory() & ~(word)3;
}

static word any_pointer(word_kind kind, int at)
{
    static pointed kept[MOST_WORDS];
    if (once_in(20))
        return 0;
    if (kind == WORD_IMAGE && once_in(4))
        return (word)(module_text + below(20));
    if (!fill_pointed(kind, &kept[at]))
        return right_pointer(kind);
    if (!once_in(3))
        change(kind, &kept[at]);
    return (word)&kept[at];
}

static bool is_of_memory(word_kind kind)
{
    return kind == WORD_NEW_BYTES || kind == WORD_NEW_PITCH || kind == WORD_NEW_ROWS ||
           kind == WORD_SLICES;
}

static word any_word(word_kind kind, int at)
{
    const word_about *about = &word_abouts[kind];
    switch (about->role) {
    case ROLE_USE:
    case ROLE_GONE:
    case ROLE_FRESH:
    case ROLE_CAPTURED:
        return any_handle(about->of);
    case ROLE_MEMORY:
    case ROLE_ANY_MEMORY:
        return any_memory();
    case ROLE_MAY_OUT:
    case ROLE_MAY_IN:
        return once_in(2) ? 0 : (word)scratch;
    case ROLE_NEW:
    case ROLE_OUT:
    case ROLE_IN:
        return once_in(20) ? 0 : (word)scratch;
    case ROLE_POINTER:
        return any_pointer(kind, at);
    case ROLE_NUMBER:
        return is_of_memory(kind) ? any_size_of_memory(about->number) : any_number(about->number);
    case ROLE_CHOICE:
        return once_in(4) ? any_number(0) : right_word(kind);
    case ROLE_SIZE_XY:
        return any_grid() | (word)(once_in(4) ? any_size() % 3 : 1) << 32;
    case ROLE_SIZE_X:
        return any_grid();
    case ROLE_SIZE_Z:
        return once_in(6) ? any_size() : 1;
    default:
        break;
    }
    wrong_word wrong[MOST_WRONG];
    const size_t count = once_in(3) ? wrong_words(kind, wrong) : 0;
    return count ? wrong[below((unsigned)count)].is : right_word(kind);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* A text is read, a file is looked at, a page is mapped, or a graph grows by a whole graph. */
static bool takes_long(const call_row *row)
{
    for (int i = 0; i < MOST_WORDS && row->words[i]; i++)
        if (row->words[i] == WORD_MODULE_NEW || row->words[i] == WORD_MODULE_GONE ||
            row->words[i] == WORD_PAGES)
            return true;
    return strstr(row->name, "ChildGraph") || strstr(row->name, "ExportTable") ||
           strstr(row->name, "cudaGetDriverEntry");
}

static void note(const call_row *row, const word words[MOST_WORDS])
{
    for (int i = 0; i < MOST_WORDS && row->words[i]; i++) {
        const word_about *about = &word_abouts[row->words[i]];
        if (about->role == ROLE_NEW && words[i] &&
            *(word *)words[i]) /* a capture into a graph may end without a place */
            add_object(about->of, *(word *)words[i]);
        else if (about->role == ROLE_GONE)
            lose_object(about->of, words[i]);
    }
}

static void call_once(const call_row *row)
{
    word words[MOST_WORDS] = {0};
    for (int i = 0; i < MOST_WORDS && row->words[i]; i++)
        words[i] = any_word(row->words[i], i);
    scratch[0] = 0;
    now = row->name;
    const int code = invoke(find_call(row->name), words);
    if (code < 0 || code > LAST_CODE) {
        printf("call %lu: %s gives %d\n", number, row->name, code);
        exit(1);
    }
    if (code == 0)
        note(row, words);
}

/* A kernel's fault stays until its context is gone, and contexts that a thread took stay
 * current. */
static void recover(void)
{
    word context;
    MUST("cuDevicePrimaryCtxReset_v2", 0);
    while (invoke(find_call("cuCtxPopCurrent_v2"), (const word[MOST_WORDS]){(word)&context}) == 0)
        ;
}

static void check_canary(void)
{
    static unsigned char bytes[DEVICE_BYTES];
    MUST("cudaMemcpy", (word)bytes, canary, DEVICE_BYTES, 2);
    for (int i = 0; i < DEVICE_BYTES; i++)
        if (bytes[i] != CANARY) {
            printf("call %lu: byte %d of memory that no call was given is %d\n", number, i,
                   bytes[i]);
            exit(1);
        }
}

/* All that lives goes, through the calls for it. */
static void clear_world(void)
{
    static const struct {
        object_class of;
        const char *call;
    } ends[] = {{CLASS_STREAM, "cudaStreamDestroy"},
                {CLASS_EVENT, "cudaEventDestroy"},
                {CLASS_EXEC, "cudaGraphExecDestroy"},
                {CLASS_GRAPH, "cudaGraphDestroy"},
                {CLASS_POOL, "cudaMemPoolDestroy"},
                {CLASS_CONTEXT, "cuCtxDestroy_v2"},
                {CLASS_MODULE, "cuModuleUnload"},
                {CLASS_LINK, "cuLinkDestroy"},
                {CLASS_LOG, "cuLogsUnregisterCallback"},
                {CLASS_DEVICE, "cudaFree"},
                {CLASS_PINNED_OWN, "cudaFreeHost"},
                {CLASS_MANAGED_OWN, "cudaFree"},
                {CLASS_LINK_WHOLE, "cuLinkDestroy"},
                {CLASS_REGISTERED, "cudaHostUnregister"},
                {CLASS_TEXTURE, "cudaDestroyTextureObject"},
                {CLASS_SURFACE, "cudaDestroySurfaceObject"},
                {CLASS_ARRAY, "cudaFreeArray"}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (unsigned o = 0; o < world[ends[i].of].live_count; o++)
            invoke(find_call(ends[i].call), (const word[MOST_WORDS]){world[ends[i].of].live[o]});
}

static void begin(void)
{
    static bool is_begun;
    recover();
    end_captures();
    if (is_begun) {
        check_canary();
        clear_world();
    }
    is_begun = true;
    renew_world();
}

static const call_row *any_row(int version)
{
    for (;;) {
        const call_row *row = &call_rows[below((unsigned)call_row_count)];
        if (version >= row->first && version <= row->last && (!takes_long(row) || once_in(RARELY)))
            return row;
    }
}

/* ---- telling --------------------------------------------------------------------------------- */

static void tell(int signal_number)
{
    char text[200];
    const int length =
        snprintf(text, sizeof text, "signal %d in call %lu, %s\n", signal_number, number, now);
    if (write(STDOUT_FILENO, text, (size_t)length) < 0)
        _exit(2);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void __sanitizer_set_report_fd(void *descriptor) __attribute__((weak));
void __sanitizer_set_death_callback(void (*call)(void)) __attribute__((weak));

static void tell_death(void)
{
    printf("in call %lu, %s\n", number, now);
    fflush(stdout);
}

/* What the stand-in says of each mistake is not kept; what a sanitizer says is. */
static void silence(void)
{
    const int kept = dup(STDERR_FILENO), nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDERR_FILENO);
    if (__sanitizer_set_report_fd)
        __sanitizer_set_report_fd((void *)(intptr_t)kept);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(tell_death);
    else
        signal(SIGSEGV, tell), signal(SIGABRT, tell), signal(SIGBUS, tell);
}

/* Once more without random addresses, which decide whose place a new object takes. */
static void begin_anew(char **argv)
{
    const int before = personality(0xffffffff);
    if (before & ADDR_NO_RANDOMIZE || personality((unsigned long)before | ADDR_NO_RANDOMIZE) < 0)
        return;
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    begin_anew(argv);
    const int version = argc > 1 ? atoi(argv[1]) : 13;
    const unsigned long calls = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
    state = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    load_libraries(version);
    silence();
    MUST("cudaMalloc", (word)&canary, DEVICE_BYTES);
    MUST("cudaMemset", canary, CANARY, DEVICE_BYTES);
    for (number = 0; number < calls; number++) {
        if (number % RENEW_EVERY == 0)
            begin();
        if (number % CAPTURES_FOR == 0)
            end_captures();
        call_once(any_row(version));
    }
    recover();
    end_captures();
    check_canary();
    printf("%lu calls\n", calls);
    return 0;
}
