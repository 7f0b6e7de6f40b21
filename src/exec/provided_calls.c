/* SPDX-License-Identifier: Apache-2.0
 * printf, malloc, free, assert and the conditions of graphs as kernels call them: vprintf(format,
 * arguments), malloc(bytes), free(pointer), __assertfail(message, file, line, function, size of a
 * character). CUDA C++ Programming Guide, "Formatted Output", "Dynamic Global Memory Allocation and
 * Operations", "Assertion". */
#include "exec/provided_call.h"
#include "exec/texture_calls.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 4, PLANE = WORD * IFL_WARP_LANES, FIRST_ARGUMENT = IFL_PROVIDED_FIRST_REGISTER };

uint32_t *ifl_provided_register(const ifl_provided_lane *call, uint32_t index)
{
    return (uint32_t *)(void *)(call->frame->slots + call->frame->routine->registers +
                                (size_t)index * PLANE) +
           call->lane;
}

/* Of a call in PTX: how many of the bytes there are. */
static size_t read_argument(const ifl_provided_lane *call, uint32_t index, void *to, size_t bytes)
{
    const ifl_call_op *op = call->code->extra;
    if (index >= op->argument_count)
        return 0;
    const ifl_call_value *a = &op->arguments[index];
    const ifl_frame *frame = call->frame;
    const void *from =
        a->slot_bytes
            ? (const void *)(frame->slots + a->from + (size_t)call->lane * a->slot_bytes)
            : (const void *)(frame->params + call->lane * frame->routine->param_bytes + a->from);
    bytes = a->bytes < bytes ? a->bytes : bytes;
    memcpy(to, from, bytes);
    return bytes;
}

uint64_t ifl_provided_argument(const ifl_provided_lane *call, uint32_t index)
{
    uint64_t value = 0;
    if (call->is_machine) {
        /* Machine code hands arguments over in registers, each in an even one and what follows
         * it. */
        const uint32_t at = FIRST_ARGUMENT + 2 * index;
        return *ifl_provided_register(call, at) | (uint64_t)*ifl_provided_register(call, at + 1)
                                                      << 32;
    }
    read_argument(call, index, &value, sizeof value);
    return value;
}

void ifl_provided_words(const ifl_provided_lane *call, uint32_t index, uint32_t *to, uint32_t count)
{
    memset(to, 0, count * sizeof *to);
    if (!call->is_machine)
        read_argument(call, index, to, count * sizeof *to);
    for (uint32_t i = 0; call->is_machine && i < count; i++)
        to[i] = *ifl_provided_register(call, FIRST_ARGUMENT + 2 * index + i);
}

void ifl_provided_result(const ifl_provided_lane *call, uint64_t value)
{
    const ifl_call_op *op = call->code->extra;
    if (call->is_machine) {
        *ifl_provided_register(call, FIRST_ARGUMENT) = (uint32_t)value;
        if (call->returns_pair)
            *ifl_provided_register(call, FIRST_ARGUMENT + 1) = (uint32_t)(value >> 32);
        return;
    }
    if (!op->result_count)
        return;
    const ifl_call_value *r = &op->results[0];
    const ifl_frame *frame = call->frame;
    void *to = r->slot_bytes
                   ? (void *)(frame->slots + r->from + (size_t)call->lane * r->slot_bytes)
                   : (void *)(frame->params + call->lane * frame->routine->param_bytes + r->from);
    memcpy(to, &value, r->bytes < 8 ? r->bytes : 8);
}

/* A NUL-terminated text of the device, cut at `size` - 1 bytes; false after a fault. */
static bool read_text(const ifl_provided_lane *call, uint64_t address, char *to, size_t size)
{
    size_t length = 0;
    for (; length + 1 < size; length++) {
        const uint8_t *at =
            ifl_warp_reach(call->warp, call->code, call->lane, address + length, 1, false);
        if (!at)
            return false;
        if (!(to[length] = (char)*at))
            return true;
    }
    to[length] = '\0';
    return true;
}

/* ---- printf ---------------------------------------------------------------------------------- */

typedef struct printer {
    const ifl_provided_lane *call;
    uint64_t arguments; /* device address of the next */
    char text[4096];
    size_t length;
    uint32_t values; /* that had a directive */
    bool failed;
} printer;

/* Arguments stand at the end of the stack. A format that asks for more of them finds 0 there on an H200, and does not fault. */
static bool is_behind_stack(const printer *p, unsigned bytes)
{
    uint8_t space = IFL_SPACE_GENERIC;
    const uint64_t place = ifl_warp_place(p->call->warp, &space, p->arguments);
    const ifl_frame *frame = p->call->warp->frame;
    return space == IFL_SPACE_LOCAL && place + bytes > frame->local_start + frame->local_bytes;
}

static uint64_t next_value(printer *p, unsigned bytes)
{
    uint64_t value = 0;
    p->arguments = (p->arguments + bytes - 1) / bytes * bytes;
    if (is_behind_stack(p, bytes))
        return 0;
    const uint8_t *at =
        ifl_warp_reach(p->call->warp, p->call->code, p->call->lane, p->arguments, bytes, false);
    p->arguments += bytes;
    if (at)
        memcpy(&value, at, bytes);
    p->failed |= !at;
    return value;
}

static void add_text(printer *p, const char *text, size_t length)
{
    size_t room = sizeof p->text - 1 - p->length;
    length = length < room ? length : room;
    memcpy(p->text + p->length, text, length);
    p->length += length;
}

/* A width or precision: digits, or `*` for an argument. More than the text holds changes nothing
 * that is shown, and would take the C library as long as it is large. */
static const char *read_count(printer *p, const char *from, int *count)
{
    const int most = (int)sizeof p->text;
    *count = 0;
    if (*from == '*') {
        const int given = (int)next_value(p, 4);
        *count = given > most ? most : given < -most ? -most : given;
        return from + 1;
    }
    for (; *from >= '0' && *from <= '9'; from++)
        *count = *count < most ? *count * 10 + (*from - '0') : most;
    *count = *count < most ? *count : most;
    return from;
}

/* The flags, width and precision of a directive, as numbers. A negative precision is none. */
static const char *read_directive(printer *p, const char *from, char *to, size_t size)
{
    enum { FLAGS = 5 };
    const size_t flags = strspn(from + 1, "-+ #0");
    int width = 0, precision = -1;
    size_t length =
        (size_t)snprintf(to, size, "%.*s", 1 + (int)(flags < FLAGS ? flags : FLAGS), from);
    from = read_count(p, from + 1 + flags, &width);
    if (*from == '.')
        from = read_count(p, from + 1, &precision);
    if (width)
        length += (size_t)snprintf(to + length, size - length, "%d", width);
    if (precision >= 0)
        snprintf(to + length, size - length, ".%d", precision);
    return from;
}

static void print_value(printer *p, const char *directive, unsigned longs, char conversion)
{
    char format[64], *out = p->text + p->length;
    const size_t room = sizeof p->text - p->length;
    int length = 0;
    if (strchr("diouxX", conversion)) {
        unsigned bytes = longs ? 8 : 4;
        uint64_t value = next_value(p, bytes);
        bool is_signed = conversion == 'd' || conversion == 'i';
        snprintf(format, sizeof format, "%sll%c", directive, conversion);
        length = snprintf(out, room, format,
                          bytes == 4 && is_signed ? (unsigned long long)(int32_t)value
                                                  : (unsigned long long)value);
    } else if (strchr("eEfFgGaA", conversion)) {
        uint64_t bits = next_value(p, 8);
        double value;
        memcpy(&value, &bits, 8);
        snprintf(format, sizeof format, "%s%c", directive, conversion);
        length = snprintf(out, room, format, value);
    } else if (conversion == 'c') {
        snprintf(format, sizeof format, "%sc", directive);
        length = snprintf(out, room, format, (int)next_value(p, 4));
    } else if (conversion == 'p') {
        snprintf(format, sizeof format, "%sp", directive);
        length = snprintf(out, room, format, (void *)(uintptr_t)next_value(p, 8));
    } else if (conversion == 's') {
        char text[1024] = "(null)";
        uint64_t at = next_value(p, 8);
        p->failed |= at && !read_text(p->call, at, text, sizeof text);
        snprintf(format, sizeof format, "%ss", directive);
        length = p->failed ? 0 : snprintf(out, room, format, text);
    }
    if (length > 0)
        p->length += (size_t)length < room ? (size_t)length : room - 1;
}

static void print_format(printer *p, const char *format)
{
    while (*format && !p->failed) {
        char directive[40];
        size_t plain = strcspn(format, "%");
        add_text(p, format, plain);
        format += plain;
        if (*format != '%')
            return;
        if (format[1] == '%') {
            add_text(p, "%", 1);
            format += 2;
            continue;
        }
        format = read_directive(p, format, directive, sizeof directive);
        unsigned longs = 0;
        for (; *format && strchr("hljztL", *format); format++)
            longs += *format != 'h';
        if (*format)
            print_value(p, directive, longs, *format++);
        p->values++;
    }
}

/* CUDA C++ Programming Guide, "Formatted Output": the result is the number of arguments. */
static void call_printf(const ifl_provided_lane *call)
{
    char format[2048];
    printer p = {.call = call, .arguments = ifl_provided_argument(call, 1)};
    if (!read_text(call, ifl_provided_argument(call, 0), format, sizeof format))
        return;
    print_format(&p, format);
    call->warp->worker->prints++;
    const ifl_exec_launch *launch = call->warp->worker->grid->launch;
    if (!p.failed && launch->print)
        launch->print(launch->print_user, p.text, p.length);
    ifl_provided_result(call, p.values);
}

/* ---- memory, assertions ---------------------------------------------------------------------- */

static void call_malloc(const ifl_provided_lane *call)
{
    char label[96];
    const uint32_t *b = call->warp->block->position;
    uint64_t bytes = ifl_provided_argument(call, 0);
    snprintf(label, sizeof label,
             "%llu bytes of the kernel's malloc (block (%u,%u,%u), warp %u, lane %u)",
             (unsigned long long)bytes, b[0], b[1], b[2], call->warp->index, call->lane);
    ifl_allocation *a = NULL;
    call->warp->worker->heap_calls++;
    if (bytes <= UINT64_MAX - IFL_HEAP_FRONT)
        ifl_memory_allocate(call->warp->worker->grid->launch->memory, bytes + IFL_HEAP_FRONT, 0,
                            IFL_ALLOCATION_DEVICE | IFL_ALLOCATION_UNWRITTEN, label, &a, NULL);
    ifl_provided_result(call, a ? a->address + IFL_HEAP_FRONT : 0);
}

static void call_free(const ifl_provided_lane *call)
{
    uint64_t address = ifl_provided_argument(call, 0);
    ifl_memory *memory = call->warp->worker->grid->launch->memory;
    ifl_allocation *a = address ? ifl_memory_find(memory, address) : NULL;
    if (!address)
        return;
    call->warp->worker->heap_calls++;
    bool is_ours = a && a->address + IFL_HEAP_FRONT == address &&
                   a->flags & IFL_ALLOCATION_DEVICE && !(a->flags & IFL_ALLOCATION_MODULE);
    if (!is_ours || a->flags & IFL_ALLOCATION_FREED) {
        ifl_fault_raise(call->warp, call->code, IFL_FAULT_OTHER, call->lane, "free of 0x%llx, %s",
                        (unsigned long long)address,
                        is_ours ? "which was freed before"
                                : "which the kernel's malloc did not give");
        return;
    }
    for (size_t i = 0; i < call->warp->worker->grid->image->sites.count; i++)
        if (call->warp->worker->hint[i].allocation == a)
            call->warp->worker->hint[i] = (ifl_hint){0};
    ifl_memory_release(memory, a);
}

static void call_assert(const ifl_provided_lane *call)
{
    char message[256], file[256], function[192];
    if (read_text(call, ifl_provided_argument(call, 0), message, sizeof message) &&
        read_text(call, ifl_provided_argument(call, 1), file, sizeof file) &&
        read_text(call, ifl_provided_argument(call, 3), function, sizeof function))
        ifl_fault_raise(call->warp, call->code, IFL_FAULT_ASSERT, call->lane,
                        "assertion failed: `%s` in %s (%s:%u)", message, function, file,
                        (unsigned)ifl_provided_argument(call, 2));
}

/* cudaGraphSetConditional(condition, value): a condition is the address of its value. */
static void call_set_condition(const ifl_provided_lane *call)
{
    const uint32_t value = (uint32_t)ifl_provided_argument(call, 1);
    uint8_t *at = ifl_warp_reach(call->warp, call->code, call->lane, ifl_provided_argument(call, 0),
                                 sizeof value, true);
    if (at)
        memcpy(at, &value, sizeof value);
}

/* get_intrinsic_handle(scope) -> handle, sync(handle, flags) -> error: of the grid, cudaCGScopeGrid
 * of driver_types.h; the other scope is that of a grid on several GPUs. */
static void call_group_handle(const ifl_provided_lane *call)
{
    enum { SCOPE_GRID = 1 };
    ifl_provided_result(call, ifl_provided_argument(call, 0) == SCOPE_GRID ? SCOPE_GRID : 0);
}

/* The lanes wait in the barrier of the grid (converge.c). */
static void call_group_sync(const ifl_provided_lane *call)
{
    if (!ifl_provided_argument(call, 0))
        ifl_fault_raise(call->warp, call->code, IFL_FAULT_UNSUPPORTED, call->lane,
                        "the synchronization of something else than the grid");
    ifl_provided_result(call, 0);
}

void ifl_provided_call(ifl_warp *warp, ifl_fragment *fragment, ifl_provided function)
{
    static void (*const run[IFL_PROVIDED_COUNT])(const ifl_provided_lane *call) = {
        [IFL_PROVIDED_PRINTF] = call_printf,
        [IFL_PROVIDED_MALLOC] = call_malloc,
        [IFL_PROVIDED_FREE] = call_free,
        [IFL_PROVIDED_ASSERT] = call_assert,
        [IFL_PROVIDED_SET_CONDITION] = call_set_condition,
        [IFL_PROVIDED_GRAPH_LAUNCH] = ifl_graph_call_launch,
        [IFL_PROVIDED_GRAPH_SET_PARAM] = ifl_graph_call_param,
        [IFL_PROVIDED_GRAPH_SET_ENABLED] = ifl_graph_call_enabled,
        [IFL_PROVIDED_GRAPH_SET_GRID] = ifl_graph_call_grid,
        [IFL_PROVIDED_GRAPH_APPLY] = ifl_graph_call_apply,
        [IFL_PROVIDED_NESTED_PARAMETERS] = ifl_nested_parameters,
        [IFL_PROVIDED_NESTED_LAUNCH] = ifl_nested_launch,
        [IFL_PROVIDED_NESTED_STREAM_CREATE] = ifl_nested_create,
        [IFL_PROVIDED_NESTED_STREAM_DESTROY] = ifl_nested_ignore,
        [IFL_PROVIDED_NESTED_STREAM_WAIT] = ifl_nested_ignore,
        [IFL_PROVIDED_NESTED_EVENT_CREATE] = ifl_nested_create,
        [IFL_PROVIDED_NESTED_EVENT_DESTROY] = ifl_nested_ignore,
        [IFL_PROVIDED_NESTED_EVENT_RECORD] = ifl_nested_ignore,
        [IFL_PROVIDED_NESTED_GET_ERROR] = ifl_nested_get_error,
        [IFL_PROVIDED_NESTED_SET_ERROR] = ifl_nested_set_error,
        [IFL_PROVIDED_NESTED_DEVICE] = ifl_nested_device,
        [IFL_PROVIDED_NESTED_DEVICES] = ifl_nested_devices,
        [IFL_PROVIDED_NESTED_ATTRIBUTE] = ifl_nested_refuse,
        [IFL_PROVIDED_NESTED_LIMIT] = ifl_nested_refuse,
        [IFL_PROVIDED_NESTED_FUNCTION] = ifl_nested_refuse,
        [IFL_PROVIDED_NESTED_OCCUPANCY] = ifl_nested_refuse,
        [IFL_PROVIDED_NESTED_CACHE] = ifl_nested_refuse,
        [IFL_PROVIDED_NESTED_BANKS] = ifl_nested_refuse,
        [IFL_PROVIDED_GROUP_HANDLE] = call_group_handle,
        [IFL_PROVIDED_GROUP_SYNC] = call_group_sync,
    };
    if (ifl_provided_asks_textures(function)) {
        ifl_texture_call(warp, fragment, function);
        return;
    }
    ifl_provided_lane call = {.warp = warp,
                              .code = fragment->code,
                              .frame = fragment->frame,
                              .is_machine = fragment->frame->routine->range_count != 0,
                              .returns_pair = function == IFL_PROVIDED_MALLOC ||
                                              function == IFL_PROVIDED_NESTED_PARAMETERS ||
                                              function == IFL_PROVIDED_GROUP_HANDLE};
    for (uint32_t m = fragment->mask; m && !warp->worker->fault.is_set; m &= m - 1) {
        call.lane = (uint32_t)__builtin_ctz(m);
        run[function](&call);
    }
}
