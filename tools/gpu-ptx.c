/* SPDX-License-Identifier: Apache-2.0
 * Runs the .ptx files of tests/ptx on a real GPU and prints every expectation about a buffer that
 * the hardware contradicts. Counters, errors and launches that must fail are left out: they are the
 * engine's. Knows tests/ptx/expect.h and, by dlopen, the CUDA driver; nothing of the library.
 *
 *     gpu-ptx FILE.ptx ...           exit status 0: no contradiction, 1: some, 5: no GPU
 *     gpu-ptx --list FILE.ptx ...    what it would launch, in that order, one line each: the file, the
 *                                    launch's index in the file, the kernel; needs no GPU */
#include "expect.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_ARGS = 64, MAX_BYTES = 4096, SECONDS_PER_CHILD = 60, NO_GPU = 5 };

/* ---- the driver -------------------------------------------------------------------------- */

/* The few driver functions used, with the types of cuda.h spelt out: CUresult and CUdevice are int,
 * handles are pointers, CUdeviceptr is 64 bits. */
#define DRIVER_FUNCTIONS(F)                                                                        \
    F(cuInit, (unsigned))                                                                          \
    F(cuDeviceGet, (int *, int))                                                                   \
    F(cuDeviceGetName, (char *, int, int))                                                         \
    F(cuDeviceGetAttribute, (int *, int, int))                                                     \
    F(cuDevicePrimaryCtxRetain, (void **, int))                                                    \
    F(cuCtxSetCurrent, (void *))                                                                   \
    F(cuCtxSynchronize, (void))                                                                    \
    F(cuModuleLoadDataEx, (void **, const void *, unsigned, int *, void **))                       \
    F(cuModuleUnload, (void *))                                                                    \
    F(cuModuleGetFunction, (void **, void *, const char *))                                        \
    F(cuFuncSetAttribute, (void *, int, int))                                                      \
    F(cuMemAlloc_v2, (uint64_t *, size_t))                                                         \
    F(cuMemFree_v2, (uint64_t))                                                                    \
    F(cuMemcpyHtoD_v2, (uint64_t, const void *, size_t))                                           \
    F(cuMemcpyDtoH_v2, (void *, uint64_t, size_t))                                                 \
    F(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,         \
                       unsigned, void *, void **, void **))                                        \
    F(cuGetErrorName, (int, const char **))

/* Numbers from cuda.h. */
enum {
    ATTRIBUTE_MAJOR = 75,
    ATTRIBUTE_MINOR = 76,
    FUNCTION_DYNAMIC_SHARED = 8,
    JIT_ERROR_LOG = 5,
    JIT_ERROR_BYTES = 6
};

typedef struct driver {
#define FUNCTION(name, arguments) int(*name) arguments;
    DRIVER_FUNCTIONS(FUNCTION)
#undef FUNCTION
    int sm; /* 90 */
} driver;

static bool load_driver(driver *cu)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        return false;
#define FUNCTION(name, arguments)                                                                  \
    if (!(cu->name = (int(*) arguments)dlsym(library, #name)))                                     \
        return false;
    DRIVER_FUNCTIONS(FUNCTION)
#undef FUNCTION
    return true;
}

static bool open_gpu(driver *cu, char *name, int size)
{
    int device = 0, major = 0, minor = 0;
    void *context = NULL;
    if (!load_driver(cu) || cu->cuInit(0) != 0 || cu->cuDeviceGet(&device, 0) != 0)
        return false;
    if (cu->cuDeviceGetName(name, size, device) != 0 ||
        cu->cuDevicePrimaryCtxRetain(&context, device) != 0)
        return false;
    cu->cuDeviceGetAttribute(&major, ATTRIBUTE_MAJOR, device);
    cu->cuDeviceGetAttribute(&minor, ATTRIBUTE_MINOR, device);
    cu->sm = 10 * major + minor;
    return cu->cuCtxSetCurrent(context) == 0;
}

/* ---- a run's tally, shared with the children --------------------------------------------- */

typedef struct tally {
    int files, launches, elements, skipped, contradictions, failures;
    size_t next; /* launch of the file at hand; SIZE_MAX when it is done */
} tally;

typedef struct session {
    driver cu;
    tally *tally;
    const ifl_expect_file *file;
} session;

static void say(session *s, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(session *s, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s:%d: ", s->file->path, line);
    vprintf(format, arguments);
    printf("\n");
    fflush(stdout);
    va_end(arguments);
}

/* False, and said, when a driver call did not succeed. */
static bool good(session *s, int line, const char *what, int result)
{
    const char *name = "?";
    if (result == 0)
        return true;
    s->cu.cuGetErrorName(result, &name);
    say(s, line, "%s: %s", what, name);
    s->tally->failures++;
    return false;
}

/* ---- arguments --------------------------------------------------------------------------- */

typedef struct argument {
    const ifl_expect_element *element; /* NULL: bytes, null or same */
    unsigned char value[MAX_BYTES];    /* what the kernel gets: a scalar, a structure, an address */
    uint64_t allocation;               /* 0: not a buffer of its own */
    size_t count;                      /* elements of a buffer */
    size_t offset;                     /* bytes off the allocation's start */
} argument;

static bool parse_number(const char **at, uint64_t *out)
{
    char *end;
    uint64_t value = strtoull(*at, &end, 0);
    if (end == *at)
        return false;
    if (*end == '^') {
        uint64_t power = strtoull(end + 1, &end, 10), base = value;
        for (value = 1; power > 0; power--)
            value *= base;
    }
    *at = end;
    *out = value;
    return true;
}

static bool fill_element(const ifl_expect_element *element, const char *fill, size_t i, void *to)
{
    char word[32];
    uint64_t bits = i;
    if (strcmp(fill, "zero") == 0)
        return memset(to, 0, element->bytes), true;
    if (strcmp(fill, "none") == 0)
        return memset(to, 0xcd, element->bytes), true;
    if (strncmp(fill, "const:", 6) == 0)
        return ifl_expect_element_write(element, fill + 6, to);
    if (strcmp(fill, "iota") != 0)
        return false;
    if (element->kind != 'f')
        return memcpy(to, &bits, element->bytes), true;
    snprintf(word, sizeof word, "%zu", i);
    return ifl_expect_element_write(element, word, to);
}

static bool fill_buffer(const argument *a, const char *fill, unsigned char *host)
{
    size_t width = a->element->bytes;
    bool is_iota = strcmp(fill, "iota") == 0;
    bool done = !a->count || fill_element(a->element, fill, 0, host);
    for (size_t i = 1; done && i < a->count; i++)
        if (is_iota)
            done = fill_element(a->element, fill, i, host + i * width);
        else
            memcpy(host + i * width, host, width);
    return done;
}

static bool make_buffer(session *s, int line, argument *a, const char *fill)
{
    size_t bytes = a->count * a->element->bytes;
    unsigned char *host = malloc(bytes + 1);
    bool done = host && fill_buffer(a, fill, host);
    if (!done) {
        say(s, line, "skipped: no fill %s here", fill);
        s->tally->skipped++;
    }
    done =
        done &&
        good(s, line, "cuMemAlloc", s->cu.cuMemAlloc_v2(&a->allocation, a->offset + bytes + 1)) &&
        good(s, line, "cuMemcpyHtoD",
             s->cu.cuMemcpyHtoD_v2(a->allocation + a->offset, host, bytes));
    uint64_t address = a->allocation + a->offset;
    memcpy(a->value, &address, sizeof address);
    free(host);
    return done;
}

static bool make_bytes(argument *a, const char *hex)
{
    size_t count = strlen(hex) / 2;
    for (size_t i = 0; i < count && i < MAX_BYTES; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], 0};
        a->value[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    return count <= MAX_BYTES;
}

/* TYPExCOUNT[+BYTES]=FILL, after the type. */
static bool make_from_count(session *s, int line, argument *a, const char *at)
{
    uint64_t count = 0, offset = 0;
    if (!parse_number(&at, &count) || (*at == '+' && (at++, !parse_number(&at, &offset))) ||
        *at != '=')
        return say(s, line, "cannot read the argument at %s", at), s->tally->failures++, false;
    a->count = count;
    a->offset = offset;
    return make_buffer(s, line, a, at + 1);
}

static bool make_argument(session *s, int line, argument *args, size_t index, const char *word)
{
    argument *a = &args[index];
    size_t type = strcspn(word, "x:");
    if (strcmp(word, "null") == 0)
        return true;
    if (strncmp(word, "bytes:", 6) == 0)
        return make_bytes(a, word + 6);
    if (strncmp(word, "same:", 5) == 0 && strtoul(word + 5, NULL, 10) < index)
        return memcpy(a->value, args[strtoul(word + 5, NULL, 10)].value, 8), true;
    a->element = ifl_expect_element_find(word);
    if (a->element && word[type] == ':' &&
        ifl_expect_element_write(a->element, word + type + 1, a->value))
        return true;
    if (a->element && word[type] == 'x')
        return make_from_count(s, line, a, word + type + 1);
    say(s, line, "cannot read the argument %s", word);
    s->tally->failures++;
    return false;
}

/* ---- a launch ---------------------------------------------------------------------------- */

static void compare_element(session *s, const ifl_expectation *e, const ifl_expect_element *element,
                            size_t i, const unsigned char *at)
{
    char got[64];
    s->tally->elements++;
    if (ifl_expect_element_matches(element, e->values[i], at))
        return;
    ifl_expect_element_print(element, at, got, sizeof got);
    say(s, e->line, "arg%zu[%zu] expected %s hardware %s", e->argument, e->element + i,
        e->values[i], got);
    s->tally->contradictions++;
}

static void compare(session *s, const ifl_expectation *e, const argument *a)
{
    size_t width = a->element->bytes;
    size_t count = e->value_count;
    unsigned char *host = malloc(count * width + 1);
    if (host && e->element + count <= a->count &&
        good(s, e->line, "cuMemcpyDtoH",
             s->cu.cuMemcpyDtoH_v2(host, a->allocation + a->offset + e->element * width,
                                   count * width)))
        for (size_t i = 0; i < count; i++)
            compare_element(s, e, a->element, i, host + i * width);
    else
        say(s, e->line, "cannot be compared"), s->tally->failures++;
    free(host);
}

static void read_dimensions(const char *text, unsigned out[3])
{
    out[0] = out[1] = out[2] = 1;
    if (text)
        sscanf(text, "%u,%u,%u", &out[0], &out[1], &out[2]);
}

static bool run_kernel(session *s, void *module, const ifl_expect_launch *l, argument *args)
{
    void *function = NULL, *pointers[MAX_ARGS];
    unsigned g[3], b[3], shared = l->shared ? (unsigned)strtoul(l->shared, NULL, 0) : 0;
    read_dimensions(l->grid, g);
    read_dimensions(l->block ? l->block : "32", b);
    for (size_t i = 0; i < l->arg_count; i++)
        pointers[i] = args[i].value;
    if (!good(s, l->line, "cuModuleGetFunction",
              s->cu.cuModuleGetFunction(&function, module, l->kernel)))
        return false;
    if (shared > 48 * 1024)
        s->cu.cuFuncSetAttribute(function, FUNCTION_DYNAMIC_SHARED, (int)shared);
    return good(s, l->line, "cuLaunchKernel",
                s->cu.cuLaunchKernel(function, g[0], g[1], g[2], b[0], b[1], b[2], shared, NULL,
                                     pointers, NULL)) &&
           good(s, l->line, "the kernel", s->cu.cuCtxSynchronize());
}

static void compare_all(session *s, const ifl_expect_launch *l, const argument *args)
{
    for (size_t i = 0; i < l->expectation_count; i++)
        if (l->expectations[i].kind == IFL_EXPECT_BUFFER)
            compare(s, &l->expectations[i], &args[l->expectations[i].argument]);
}

static void run_launch(session *s, void *module, const ifl_expect_launch *l)
{
    bool made = l->arg_count <= MAX_ARGS && l->kernel;
    argument *args = calloc(MAX_ARGS, sizeof *args);
    for (size_t i = 0; args && made && i < l->arg_count; i++)
        made = make_argument(s, l->line, args, i, l->args[i]);
    if (args && made && run_kernel(s, module, l, args)) {
        s->tally->launches++;
        compare_all(s, l, args);
    }
    for (size_t i = 0; args && i < l->arg_count && i < MAX_ARGS; i++)
        if (args[i].allocation)
            s->cu.cuMemFree_v2(args[i].allocation);
    free(args);
}

/* ---- a file ------------------------------------------------------------------------------ */

static int target_of(const ifl_expect_file *file)
{
    int sm = 0;
    const char *at = strstr(file->text, "\n.target sm_");
    if (at)
        sscanf(at, "\n.target sm_%d", &sm);
    return sm;
}

static void *load_module(session *s)
{
    static char log[4096];
    int options[] = {JIT_ERROR_LOG, JIT_ERROR_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    void *module = NULL;
    if (!good(s, 0, "cuModuleLoadDataEx",
              s->cu.cuModuleLoadDataEx(&module, s->file->text, 2, options, values)))
        printf("%s\n", log);
    return module;
}

/* The module is loaded anew for each launch, as the engine does: variables begin with their
 * initialisers. */
static bool run_alone(session *s, const ifl_expect_launch *l)
{
    int failures = s->tally->failures;
    void *module = load_module(s);
    if (!module) {
        s->tally->next = SIZE_MAX;
        return false;
    }
    run_launch(s, module, l);
    s->cu.cuModuleUnload(module);
    return s->tally->failures == failures;
}

/* From tally->next on; ends early after a failure, which may have cost the process its context. */
static void run_launches(session *s)
{
    if (target_of(s->file) > s->cu.sm) {
        say(s, 0, "skipped: it wants sm_%d, this is sm_%d", target_of(s->file), s->cu.sm);
        s->tally->skipped++;
        s->tally->next = SIZE_MAX;
    }
    while (s->tally->next < s->file->launch_count) {
        const ifl_expect_launch *l = &s->file->launches[s->tally->next++];
        if (strcmp(ifl_expect_status(l), "ok") != 0)
            s->tally->skipped++;
        else if (!run_alone(s, l))
            return;
    }
    s->tally->next = SIZE_MAX;
}

static void run_file(const char *path, tally *t)
{
    char name[128];
    ifl_expect_file file;
    session s = {.tally = t, .file = &file};
    if (!ifl_expect_read(path, &file)) {
        printf("%s\n", file.message);
        t->failures++;
        t->next = SIZE_MAX;
    } else if (open_gpu(&s.cu, name, sizeof name)) {
        run_launches(&s);
    } else {
        say(&s, 0, "no GPU");
        t->failures++;
    }
    fflush(stdout);
    ifl_expect_free(&file);
}

static void run_child(const char *path, tally *t)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS_PER_CHILD);
        run_file(path, t);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
        printf("%s:0: launch %zu ended by signal %d\n", path, t->next,
               WIFSIGNALED(status) ? WTERMSIG(status) : 0);
        t->failures++;
    }
}

/* A kernel that faults takes its process's context with it, so each file has a process of its own,
 * and what is left of the file after a fault another one. */
static void fork_file(const char *path, tally *t)
{
    size_t begun;
    t->next = 0;
    do {
        begun = t->next;
        run_child(path, t);
    } while (t->next != SIZE_MAX && t->next > begun);
    t->files++;
}

/* In a child too: a process that has used the driver must not fork. */
static bool find_gpu(void)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        char name[128];
        driver cu;
        bool found = open_gpu(&cu, name, sizeof name);
        if (found)
            printf("%s, sm_%d\n", name, cu.sm);
        fflush(stdout);
        _exit(found ? 0 : NO_GPU);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

/* Without a GPU the files are still read, so that a typing error shows everywhere. */
static int only_read(int count, char **paths)
{
    int bad = 0;
    for (int i = 1; i < count; i++) {
        ifl_expect_file file;
        if (!ifl_expect_read(paths[i], &file))
            printf("%s\n", file.message), bad++;
        ifl_expect_free(&file);
    }
    printf("no GPU: %d files read, %d of them bad, nothing run\n", count - 1, bad);
    return NO_GPU;
}

static int list(int count, char **paths)
{
    int bad = 0;
    for (int i = 0; i < count; i++) {
        ifl_expect_file file;
        if (!ifl_expect_read(paths[i], &file))
            fprintf(stderr, "%s\n", file.message), bad++;
        for (size_t l = 0; l < file.launch_count; l++)
            if (strcmp(ifl_expect_status(&file.launches[l]), "ok") == 0)
                printf("%s %zu %s\n", paths[i], l, file.launches[l].kernel);
        ifl_expect_free(&file);
    }
    return bad != 0;
}

int main(int count, char **paths)
{
    if (count > 2 && strcmp(paths[1], "--list") == 0)
        return list(count - 2, paths + 2);
    tally *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (count < 2 || t == MAP_FAILED) {
        fprintf(stderr, "usage: gpu-ptx [--list] FILE.ptx ...\n");
        return 2;
    }
    if (!find_gpu())
        return only_read(count, paths);
    for (int i = 1; i < count; i++)
        fork_file(paths[i], t);
    printf(
        "%d files, %d launches, %d elements compared: %d contradictions, %d failures, %d skipped\n",
        t->files, t->launches, t->elements, t->contradictions, t->failures, t->skipped);
    return t->contradictions || t->failures;
}
