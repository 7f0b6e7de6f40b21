/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes machine code as it runs: the input's first byte chooses an architecture, the rest is the
 * code of a kernel, which runs for two blocks on buffers of its own and is watched as analyze
 * watches it. Any words run or stop with their place. Endless ones are stopped after a while.
 * Memory, engine, GPU and the opened cubin are those of the executions before. */
#include "rooms.h"
#include "sass/sass_lower.h"
#include "session/machine_code.h"
#include "session/session_internal.h"
#include "session/watch.h"

#include <elf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MOST_CODE_BYTES = 4096,
    BUFFER_BYTES = 8192,
    STOP_NANOSECONDS = 500 * 1000,
    WORD_BYTES = 16
};

static const char kernel_name[] = "room", section_name[] = ".text.room";

/* The GPUs whose machine code rooms[] holds, in its order: what the CMake file lists. */
static const char *const gpus[] = {"h200", "t4", "a100-80", "b200", "rtx-5090"};
enum { ROOMS = sizeof gpus / sizeof *gpus };

/* What stays for as long as the fuzzer runs. */
typedef struct place {
    ifl_session *session;
    ifl_allocation *buffers[2];
    uint8_t *file; /* the cubin, with MOST_CODE_BYTES behind it */
    size_t size;   /* of the cubin alone */
    Elf64_Shdr *section;
    Elf64_Sym *symbol;
    const uint8_t *own; /* code that the kernel has in the file */
    size_t own_bytes;
    ifl_object *object;
    ifl_machine_kernel *kernel; /* of the object, with MOST_CODE_BYTES of code */
    uint8_t *code;
} place;

/* ---- the cubin ------------------------------------------------------------------------------- */

static void find_symbol(place *at, const Elf64_Shdr *table, unsigned section)
{
    Elf64_Sym *symbols = (Elf64_Sym *)(at->file + table->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++)
        if (symbols[i].st_shndx == section && ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC)
            at->symbol = &symbols[i];
}

static void find_code(place *at)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)at->file;
    Elf64_Shdr *sections = (Elf64_Shdr *)(at->file + head->e_shoff), *table = NULL;
    const char *names = (const char *)at->file + sections[head->e_shstrndx].sh_offset;
    for (unsigned i = 0; i < head->e_shnum; i++) {
        if (sections[i].sh_type == SHT_SYMTAB)
            table = &sections[i];
        if (strcmp(names + sections[i].sh_name, section_name) == 0)
            at->section = &sections[i];
    }
    if (table && at->section)
        find_symbol(at, table, (unsigned)(at->section - sections));
    if (!at->symbol)
        abort();
    at->own = at->file + at->section->sh_offset;
    at->own_bytes = at->section->sh_size;
}

/* Leads the kernel to code behind the end of the file, and opens that. */
static void open_object(place *at)
{
    ifl_error error;
    at->section->sh_offset = at->size;
    at->section->sh_size = at->symbol->st_size = MOST_CODE_BYTES;
    memcpy(at->file + at->size, at->own, at->own_bytes);
    if (ifl_object_open("fuzz.cubin", at->file, at->size + MOST_CODE_BYTES, &at->object, &error) !=
        IFL_OK)
        abort();
    ifl_object_place(at->object, 0);
    const ifl_object_text *text = ifl_object_find(at->object, kernel_name);
    if (!text)
        abort();
    at->kernel = &at->object->machine->kernels[text - at->object->texts];
    at->code = text->code;
    at->kernel->code = at->code;
}

/* It is not shorter than the kernel's own, whose last instructions follow: the file says where its
 * EXITs are. */
static void set_code(const place *at, const uint8_t *code, size_t bytes)
{
    memcpy(at->code, at->own, at->own_bytes);
    memcpy(at->code, code, bytes);
    at->kernel->code_bytes = bytes > at->own_bytes ? bytes : at->own_bytes;
}

/* ---- what stays ------------------------------------------------------------------------------ */

static void open_place(size_t which, place *out)
{
    enum { ALIGNMENT = 128 };
    const ifl_session_options options = {.gpu = gpus[which], .threads = 1};
    const embedded_file *room = &rooms[which];
    out->size = (room->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    out->file = calloc(1, out->size + MOST_CODE_BYTES);
    if (!out->file || ifl_session_new(&options, &out->session, NULL) != IFL_OK)
        abort();
    memcpy(out->file, room->bytes, room->size);
    find_code(out);
    open_object(out);
    for (int i = 0; i < 2; i++)
        if (ifl_memory_allocate(ifl_session_memory(out->session), BUFFER_BYTES, 0, 0, "a buffer",
                                &out->buffers[i], NULL) != IFL_OK)
            abort();
}

static const place *place_of(size_t which)
{
    static place opened[ROOMS];
    if (!opened[which].session)
        open_place(which, &opened[which]);
    return &opened[which];
}

static volatile int stop;

static void tell(int signal)
{
    (void)signal;
    stop = 1;
}

static void wait_for(long nanoseconds)
{
    static timer_t timer;
    static bool is_set;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGVTALRM};
    const struct itimerspec time = {.it_value = {.tv_nsec = nanoseconds}};
    if (!is_set &&
        (signal(SIGVTALRM, tell) == SIG_ERR || timer_create(CLOCK_MONOTONIC, &event, &timer) != 0))
        abort();
    is_set = true;
    stop = 0;
    timer_settime(timer, 0, &time, NULL);
}

/* ---- running --------------------------------------------------------------------------------- */

typedef struct parameters {
    uint64_t in, out;
    int32_t n;
} parameters;

static parameters fill(const place *at)
{
    uint32_t *in = (uint32_t *)at->buffers[0]->host;
    for (uint32_t i = 0; i < BUFFER_BYTES / sizeof *in; i++)
        in[i] = i;
    memset(at->buffers[1]->host, 0, BUFFER_BYTES);
    return (parameters){at->buffers[0]->address, at->buffers[1]->address, 8};
}

static void report(const ifl_watch *watch, const ifl_session_launch *launch, void *const *states)
{
    ifl_error error;
    ifl_profile *profile = ifl_profile_new();
    if (!profile)
        return;
    ifl_status status = ifl_profile_count_states(launch->kernel, states, profile, &error);
    if (status == IFL_OK)
        status = ifl_watch_report(watch, launch, states, 0, profile, &error);
    if (status == IFL_INTERNAL)
        abort();
    ifl_profile_free(profile);
}

static void launch(const place *at, ifl_ready_kernel *kernel)
{
    const parameters words = fill(at);
    const ifl_device *device = ifl_session_device(at->session);
    const ifl_session_way way = {.threads = 1, .stop = &stop};
    const ifl_session_launch to = {.kernel = kernel,
                                   .grid = {2, 1, 1},
                                   .block = {64, 1, 1},
                                   .dynamic_shared_bytes = 2048,
                                   .params = (const uint8_t *)&words};
    ifl_watch watch;
    ifl_session_result ran = {0};
    ifl_error error;
    ifl_status status =
        ifl_watch_begin(&watch, IFL_WATCH_MODEL, at->session, &device, 1, &to, &error);
    if (status == IFL_OK) {
        wait_for(STOP_NANOSECONDS);
        status =
            ifl_session_run(at->session, &to, &way, watch.observers, watch.count, &ran, &error);
        wait_for(0);
        if (ran.result.states)
            report(&watch, &to, ran.result.states);
        ifl_session_end(&ran);
    }
    ifl_watch_end(&watch);
    if (status == IFL_INTERNAL)
        abort();
}

static void lower_and_run(const place *at)
{
    static ifl_module module = {.path = "fuzz.cubin"};
    static ifl_loaded loaded = {.module = &module};
    const ifl_placed_object placed = {.object = at->object};
    const ifl_object_text *text = ifl_object_find(at->object, kernel_name);
    const ifl_kernel kernel = {.name = kernel_name, .target = "sm_0"};
    ifl_ready_kernel ready = {.loaded = &loaded,
                              .module = &module,
                              .kernel = &kernel,
                              .signature = kernel_name,
                              .object = &placed,
                              .text = text};
    ifl_error error;
    const ifl_status status = ifl_sass_lower(
        &(ifl_sass_lowering){.object = at->object, .kernel = text}, &ready.image, &error);
    if (status == IFL_INTERNAL)
        abort();
    if (status != IFL_OK)
        return;
    launch(at, &ready);
    ifl_analysed_free(ready.analysed);
    ifl_image_free(&ready.image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= WORD_BYTES || size > MOST_CODE_BYTES)
        return 0;
    const place *at = place_of(*data % ROOMS);
    set_code(at, data + 1, (size - 1) / WORD_BYTES * WORD_BYTES);
    lower_and_run(at);
    return 0;
}
