/* SPDX-License-Identifier: Apache-2.0
 * See lead.h. A function that is led begins with a jump through its record, whose target is at
 * first the piece of assembly below: that keeps all arguments, has the targets looked up, and goes
 * on to the one that was meant. */
#include "audit/lead.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct led_call {
    void *target; /* first: the code below and the jumps read it */
    const char *name;
    struct led_runtime *runtime;
} led_call;

typedef struct led_runtime {
    const char *owner; /* path of the library that its calls are led to */
    size_t count;
    led_call calls[];
} led_runtime;

/* ---- the first call -------------------------------------------------------------------------- */

extern void ifl_lead_enter(void);
__attribute__((visibility("hidden"))) void *ifl_lead_resolve(led_call *call);

/* r11, which no argument uses, has the record. Eight words and 128 bytes behind the return address
 * keep the stack aligned to 16 bytes (System V ABI, AMD64, 3.2.2 and 3.2.3). */
__asm__(".text\n"
        ".hidden ifl_lead_enter\n"
        ".globl ifl_lead_enter\n"
        ".type ifl_lead_enter, @function\n"
        "ifl_lead_enter:\n"
        "  push %rdi\n  push %rsi\n  push %rdx\n  push %rcx\n"
        "  push %r8\n  push %r9\n  push %rax\n  push %r11\n"
        "  sub $128, %rsp\n"
        "  movups %xmm0, (%rsp)\n  movups %xmm1, 16(%rsp)\n  movups %xmm2, 32(%rsp)\n  movups "
        "%xmm3, 48(%rsp)\n"
        "  movups %xmm4, 64(%rsp)\n  movups %xmm5, 80(%rsp)\n  movups %xmm6, 96(%rsp)\n  movups "
        "%xmm7, 112(%rsp)\n"
        "  sub $8, %rsp\n"
        "  mov %r11, %rdi\n"
        "  call ifl_lead_resolve\n"
        "  add $8, %rsp\n"
        "  mov %rax, %r10\n"
        "  movups (%rsp), %xmm0\n  movups 16(%rsp), %xmm1\n  movups 32(%rsp), %xmm2\n  movups "
        "48(%rsp), %xmm3\n"
        "  movups 64(%rsp), %xmm4\n  movups 80(%rsp), %xmm5\n  movups 96(%rsp), %xmm6\n  movups "
        "112(%rsp), %xmm7\n"
        "  add $128, %rsp\n"
        "  pop %r11\n  pop %rax\n  pop %r9\n  pop %r8\n"
        "  pop %rcx\n  pop %rdx\n  pop %rsi\n  pop %rdi\n"
        "  jmp *%r10\n"
        ".size ifl_lead_enter, . - ifl_lead_enter\n");

_Noreturn static void give_up(const char *what)
{
    enum { OWN_FAULT = 6 };
    dprintf(STDERR_FILENO,
            "inflight: error: cannot load the replacement of the CUDA runtime: "
            "%s\n",
            what ? what : "");
    _exit(OWN_FAULT);
}

/* Threads may come here at the same time, and all find the same. No lock is held while the loader,
 * which has its own, works. */
void *ifl_lead_resolve(led_call *call)
{
    led_runtime *runtime = call->runtime;
    void *library = dlmopen(LM_ID_BASE, runtime->owner, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        give_up(dlerror());
    for (size_t i = 0; i < runtime->count; i++) {
        void *target = dlsym(library, runtime->calls[i].name);
        if (!target)
            give_up(dlerror());
        __atomic_store_n(&runtime->calls[i].target, target, __ATOMIC_RELEASE);
    }
    return call->target;
}

/* ---- jumps ----------------------------------------------------------------------------------- */

/* movabs r11, record; jmp [r11] */
static void write_jump(uint8_t *to, const led_call *call)
{
    const uint64_t record = (uintptr_t)call;
    const uint8_t move[] = {0x49, 0xbb}, jump[] = {0x41, 0xff, 0x23};
    memcpy(to, move, sizeof move);
    memcpy(to + sizeof move, &record, sizeof record);
    memcpy(to + sizeof move + sizeof record, jump, sizeof jump);
}

/* The code can be written and not run, or has its own rights again. */
static bool protect(const ifl_object_file *file, uintptr_t base, bool is_writable)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < file->segment_count; i++) {
        const Elf64_Phdr *segment = &file->segments[i];
        const uint64_t start = segment->p_vaddr / page * page;
        const int own = PROT_READ | PROT_EXEC | (segment->p_flags & PF_W ? PROT_WRITE : 0);
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) &&
            mprotect((void *)(base + start), segment->p_vaddr + segment->p_filesz - start,
                     is_writable ? PROT_READ | PROT_WRITE : own) != 0)
            return false;
    }
    return true;
}

static led_runtime *new_runtime(const ifl_own_runtime *found, const char *library)
{
    led_runtime *runtime = malloc(sizeof *runtime + found->count * sizeof *runtime->calls);
    if (!runtime)
        return NULL;
    *runtime = (led_runtime){.owner = library, .count = found->count};
    for (size_t i = 0; i < found->count; i++)
        runtime->calls[i] = (led_call){(void *)ifl_lead_enter, found->calls[i].name, runtime};
    return runtime;
}

bool ifl_lead_calls(const ifl_object_file *file, const ifl_own_runtime *found, uintptr_t base,
                    const char *library)
{
    led_runtime *runtime = new_runtime(found, library);
    if (!runtime)
        return false;
    const bool is_open = protect(file, base, true);
    for (size_t i = 0; i < found->count && is_open; i++)
        write_jump((uint8_t *)(base + found->calls[i].address), &runtime->calls[i]);
    const bool is_closed = protect(file, base, false);
    if (!is_open)
        free(runtime);
    return is_open && is_closed;
}
