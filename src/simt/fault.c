/* SPDX-License-Identifier: Apache-2.0
 * Words for what a kernel did wrong: which access, by whom, and what lies nearest. */
#include "simt/warp.h"

#include <stdarg.h>

static void thread_position(const ifl_warp *warp, uint32_t lane, uint32_t *xyz)
{
    const uint32_t *block = warp->worker->grid->launch->block;
    uint32_t thread = warp->index * IFL_WARP_LANES + lane;
    xyz[0] = thread % block[0];
    xyz[1] = thread / block[0] % block[1];
    xyz[2] = thread / block[0] / block[1];
}

ifl_reason ifl_fault_raise(ifl_warp *warp, const ifl_code *code, ifl_status status, uint32_t lane, const char *format,
                           ...)
{
    ifl_fault *fault = &warp->worker->fault;
    if (fault->is_set)
        return IFL_REASON_FAULT;
    char what[512];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    uint32_t t[3];
    const uint32_t *b = warp->block->position;
    thread_position(warp, lane, t);
    *fault = (ifl_fault){.is_set = true, .block = warp->block->index, .status = status, .instruction = code->instruction};
    snprintf(fault->text, sizeof fault->text, "%s\nkernel %s, block (%u,%u,%u), thread (%u,%u,%u)", what,
             warp->worker->grid->image->routines[0].function->name, b[0], b[1], b[2], t[0], t[1], t[2]);
    return IFL_REASON_FAULT;
}

/* "4 bytes past the end of argument 3, f32×1000" */
static void describe_global(char *to, size_t size, const ifl_memory *memory, uint64_t address, uint64_t bytes,
                            bool is_write)
{
    const ifl_allocation *inside = ifl_memory_find(memory, address);
    const ifl_allocation *near = inside ? inside : ifl_memory_nearest(memory, address);
    if (address < 4096)
        snprintf(to, size, "a null pointer");
    else if (inside && inside->flags & IFL_ALLOCATION_FREED)
        snprintf(to, size, "%llu bytes into %s, which was freed", (unsigned long long)(address - inside->address),
                 inside->label);
    else if (inside && is_write && inside->flags & IFL_ALLOCATION_READ_ONLY)
        snprintf(to, size, "%llu bytes into %s, which is read-only", (unsigned long long)(address - inside->address),
                 inside->label);
    else if (inside)
        snprintf(to, size, "the last %llu of %llu bytes past the end of %s",
                 (unsigned long long)(address + bytes - inside->address - inside->bytes), (unsigned long long)bytes,
                 inside->label);
    else if (address >> 47)
        snprintf(to, size, "not an address of the GPU: a host pointer, or none at all");
    else if (!near)
        snprintf(to, size, "there are no allocations");
    else if (address < near->address)
        snprintf(to, size, "%llu bytes before the start of %s", (unsigned long long)(near->address - address),
                 near->label);
    else if (address == near->address + near->bytes)
        snprintf(to, size, "right past the end of %s", near->label);
    else
        snprintf(to, size, "%llu bytes past the end of %s",
                 (unsigned long long)(address - near->address - near->bytes), near->label);
}

static void describe(char *to, size_t size, const ifl_warp *warp, ifl_space space, uint64_t address, uint64_t bytes,
                     bool is_write)
{
    const ifl_grid *grid = warp->worker->grid;
    if (space == IFL_SPACE_SHARED)
        snprintf(to, size, "%s the block's %llu bytes of shared memory",
                 address >= grid->shared_bytes ? "past the end of" : "over the end of",
                 (unsigned long long)grid->shared_bytes);
    else if (space == IFL_SPACE_LOCAL)
        snprintf(to, size, "outside of the thread's local memory");
    else
        describe_global(to, size, grid->launch->memory, address, bytes, is_write);
}

static const char *space_name(ifl_space space)
{
    return space == IFL_SPACE_SHARED || space == IFL_SPACE_LOCAL ? ifl_space_text(space) : "global";
}

void ifl_fault_access(ifl_warp *warp, const ifl_code *code, ifl_space space, uint32_t lane, uint64_t address,
                      uint64_t bytes, bool is_write)
{
    char name[96], where[256];
    const ifl_instruction *instruction = &warp->worker->grid->image->program->instructions[code->instruction];
    ifl_instruction_name(instruction, name, sizeof name);
    bool is_aligned = bytes && (bytes & (bytes - 1)) == 0 && address % bytes == 0;
    describe(where, sizeof where, warp, space, address, bytes, is_write);
    if (!is_aligned && bytes && (bytes & (bytes - 1)) == 0)
        ifl_fault_raise(warp, code, IFL_FINDING, lane,
                        "misaligned address: %s %s %llu bytes of %s memory at 0x%llx, which is not a multiple of %llu",
                        name, is_write ? "writes" : "reads", (unsigned long long)bytes, space_name(space),
                        (unsigned long long)address, (unsigned long long)bytes);
    else
        ifl_fault_raise(warp, code, IFL_FINDING, lane, "illegal address: %s %s %llu bytes of %s memory at 0x%llx, %s",
                        name, is_write ? "writes" : "reads", (unsigned long long)bytes, space_name(space),
                        (unsigned long long)address, where);
}

void ifl_warn_unwritten(ifl_warp *warp, const ifl_code *code, ifl_space space, uint32_t lane, uint64_t address)
{
    ifl_read_warning *warning = &warp->worker->unwritten[code->instruction];
    warning->times++;
    bool is_earlier = warp->block->index < warning->block ||
                      (warp->block->index == warning->block && warp->index < warning->warp);
    if (warning->is_set && !is_earlier)
        return;
    warning->is_set = true;
    warning->block = warp->block->index;
    warning->warp = warp->index;
    warning->lane = lane;
    warning->address = address;
    warning->space = (uint8_t)space;
}
