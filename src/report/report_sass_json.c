/* SPDX-License-Identifier: Apache-2.0
 * The JSON report on machine code, schema "inflight-sass/1": docs/sass.md. */
#include "report/report_sass.h"

#include "report/figure.h"

#include <jansson.h>
#include <string.h>

/* Any failure to allocate shows as a false `whole` at the end. */
typedef struct builder {
    ifl_arena arena;
    bool whole;
    const ifl_sass_report *report;
} builder;

static void put(builder *b, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        b->whole = false;
}

static void append(builder *b, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        b->whole = false;
}

static void put_text(builder *b, json_t *object, const char *key, const char *text)
{
    char *clean = ifl_clean_utf8(&b->arena, text);
    put(b, object, key, clean ? json_string(clean) : NULL);
}

/* JSON integers are signed here; a count past 2^63 is written as a real. */
static void put_count(builder *b, json_t *object, const char *key, uint64_t value)
{
    put(b, object, key,
        value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value));
}

/* "global loads" is the key global_loads. */
static const char *key_of(builder *b, ifl_sass_class c)
{
    const char *text = ifl_sass_class_text(c);
    char *key = ifl_arena_text(&b->arena, text, strlen(text));
    for (char *at = key; at && *at; at++)
        *at = *at == ' ' ? '_' : *at;
    b->whole &= key != NULL;
    return key ? key : "";
}

/* ---- loops and blocks ------------------------------------------------------------------------ */

static json_t *widths_of(builder *b, const uint32_t count[IFL_SASS_WIDTHS])
{
    static const char *const keys[IFL_SASS_WIDTHS] = {"1", "2", "4", "8", "16", "32"};
    json_t *object = json_object();
    for (int w = 0; w < IFL_SASS_WIDTHS; w++)
        if (count[w])
            put_count(b, object, keys[w], count[w]);
    return object;
}

static json_t *classes_of(builder *b, const uint32_t count[IFL_SASS_CLASSES])
{
    json_t *object = json_object();
    for (ifl_sass_class c = 0; c < IFL_SASS_CLASSES; c++)
        if (count[c])
            put_count(b, object, key_of(b, c), count[c]);
    return object;
}

static json_t *accesses_of(builder *b, const ifl_sass_loop *loop)
{
    json_t *object = json_object();
    for (ifl_sass_class c = 0; c < IFL_SASS_CLASSES; c++) {
        uint32_t all = 0;
        for (int w = 0; w < IFL_SASS_WIDTHS; w++)
            all += loop->width_count[c][w];
        if (all)
            put(b, object, key_of(b, c), widths_of(b, loop->width_count[c]));
    }
    return object;
}

static void put_place(builder *b, json_t *object, const ifl_sass_facts *facts, size_t l)
{
    const char *file;
    uint32_t first, last;
    if (!ifl_sass_loop_lines(facts, l, &file, &first, &last))
        return;
    put_text(b, object, "file", file);
    put_count(b, object, "first_line", first);
    put_count(b, object, "last_line", last);
}

static json_t *loop_of(builder *b, const ifl_sass_facts *facts, size_t l)
{
    const ifl_sass_kernel *kernel = &facts->kernel;
    const ifl_sass_loop *loop = &kernel->loops[l];
    json_t *object = json_object();
    put_count(b, object, "header_offset",
              kernel->instructions[kernel->blocks[loop->header].first].offset);
    if (loop->outer >= 0)
        put_count(b, object, "outer", (uint64_t)loop->outer);
    put_count(b, object, "depth", loop->depth);
    put(b, object, "innermost", json_boolean(loop->is_innermost));
    put_place(b, object, facts, l);
    put_count(b, object, "instructions", loop->instructions);
    put_count(b, object, "useful", loop->useful);
    put_count(b, object, "address_arithmetic", loop->address_arithmetic);
    put_count(b, object, "exposed_latencies", loop->exposed_latencies);
    put_count(b, object, "register_reuses", loop->register_reuses);
    put_count(b, object, "bytes_in_flight", loop->load_bytes_in_flight);
    put_count(b, object, "spill_loads", loop->spill_loads);
    put_count(b, object, "spill_stores", loop->spill_stores);
    put(b, object, "classes", classes_of(b, loop->loads));
    put(b, object, "accesses", accesses_of(b, loop));
    return object;
}

static void put_instructions(builder *b, json_t *object, const ifl_sass_kernel *kernel,
                             const ifl_sass_block *block)
{
    uint32_t classes[IFL_SASS_CLASSES] = {0}, in_flight = 0;
    for (size_t i = block->first; i < block->last; i++) {
        const uint8_t class = kernel->instructions[i].sass_class;
        classes[class < IFL_SASS_CLASSES ? class : IFL_SASS_OTHER]++;
        if (kernel->wait_bytes[i] > in_flight)
            in_flight = kernel->wait_bytes[i];
    }
    put_count(b, object, "instructions", block->last - block->first);
    put(b, object, "classes", classes_of(b, classes));
    if (in_flight)
        put_count(b, object, "bytes_in_flight", in_flight);
}

static json_t *block_of(builder *b, const ifl_sass_facts *facts, size_t index)
{
    const ifl_sass_kernel *kernel = &facts->kernel;
    const ifl_sass_block *block = &kernel->blocks[index];
    json_t *object = json_object(), *to = json_array();
    put_count(b, object, "offset", kernel->instructions[block->first].offset);
    for (int s = 0; s < 2; s++)
        if (block->successor[s] != UINT32_MAX)
            append(b, to, json_integer(block->successor[s]));
    put(b, object, "to", to);
    if (block->loop >= 0)
        put_count(b, object, "loop", (uint64_t)block->loop);
    put(b, object, "reached", json_boolean(kernel->reached[index]));
    put_instructions(b, object, kernel, block);
    if (facts->counts.known && facts->counts.known[index])
        put_count(b, object, "executed", facts->counts.block[index]);
    return object;
}

/* ---- opcodes, instructions ------------------------------------------------------------------- */

static void put_opcodes(builder *b, json_t *object, const ifl_sass_facts *facts)
{
    json_t *all = json_object(), *useful = json_object(), *executed = json_object();
    for (size_t i = 0; i < facts->opcode_count; i++) {
        const ifl_sass_opcode *opcode = &facts->opcodes[i];
        put_count(b, all, opcode->name, opcode->count);
        if (opcode->useful)
            put_count(b, useful, opcode->name, opcode->useful);
        if (opcode->executed_known)
            put_count(b, executed, opcode->name, opcode->executed);
    }
    put(b, object, "opcodes", all);
    put(b, object, "useful_opcodes", useful);
    put(b, object, "executed_opcodes", executed);
    if (!facts->counts.known)
        json_object_del(object, "executed_opcodes");
    if (facts->counts.all)
        put_count(b, object, "executed_instructions", facts->counts.executed);
}

static json_t *instruction_of(builder *b, const ifl_sass_facts *facts, size_t i)
{
    enum { TEXT = 256, ALWAYS = 7 };
    const ifl_sass_instruction *instruction = &facts->kernel.instructions[i];
    const ifl_machine_line *line = ifl_machine_line_at(facts->kernel.kernel, instruction->offset);
    char text[TEXT] = "", control[IFL_SASS_CONTROL_BYTES];
    json_t *object = json_object();
    put_count(b, object, "offset", instruction->offset);
    if (instruction->opcode)
        put_text(b, object, "text", ifl_sass_text(instruction, text, sizeof text));
    put_text(b, object, "control", ifl_sass_control_text(instruction, control));
    if (instruction->guard != ALWAYS || instruction->guard_negated) {
        put_count(b, object, "guard", instruction->guard);
        put(b, object, "guard_negated", json_boolean(instruction->guard_negated));
        put(b, object, "guard_uniform", json_boolean(instruction->guard_uniform));
    }
    if (instruction->memory_bytes)
        put_count(b, object, "memory_bytes", instruction->memory_bytes);
    put_text(b, object, "purpose",
             ifl_sass_purpose_text((ifl_sass_purpose)facts->kernel.purpose[i]));
    if (facts->kernel.wait_bytes[i])
        put_count(b, object, "bytes_in_flight", facts->kernel.wait_bytes[i]);
    if (line && line->line) {
        put_text(b, object, "file", ifl_sass_file_of(facts->machine, line));
        put_count(b, object, "line", line->line);
    }
    return object;
}

/* ---- a kernel -------------------------------------------------------------------------------- */

static void put_resources(builder *b, json_t *object, const ifl_machine_kernel *kernel)
{
    const uint64_t threads =
        (uint64_t)kernel->max_threads[0] * kernel->max_threads[1] * kernel->max_threads[2];
    put_text(b, object, "kernel", kernel->name);
    if (kernel->demangled)
        put_text(b, object, "signature", kernel->demangled);
    put(b, object, "is_kernel", json_boolean(kernel->is_kernel));
    put_count(b, object, "sm", kernel->sm);
    if (kernel->registers)
        put_count(b, object, "registers", kernel->registers);
    put_count(b, object, "static_shared_bytes", kernel->static_shared_bytes);
    put_count(b, object, "stack_bytes", kernel->frame_bytes);
    put_count(b, object, "barriers", kernel->barriers);
    if (threads)
        put_count(b, object, "max_threads", threads);
}

static void put_flow(builder *b, json_t *object, const ifl_sass_facts *facts)
{
    const ifl_sass_kernel *kernel = &facts->kernel;
    json_t *loops = json_array(), *blocks = json_array();
    for (size_t l = 0; l < kernel->loop_count; l++)
        append(b, loops, loop_of(b, facts, l));
    put(b, object, "loops", loops);
    for (size_t i = 0; i < kernel->block_count; i++)
        append(b, blocks, block_of(b, facts, i));
    put(b, object, "blocks", blocks);
}

static json_t *kernel_of(builder *b, const ifl_sass_facts *facts)
{
    const ifl_sass_kernel *kernel = &facts->kernel;
    json_t *object = json_object(), *purposes = json_object();
    put_resources(b, object, kernel->kernel);
    put_count(b, object, "spill_load_bytes", kernel->spill_load_bytes);
    put_count(b, object, "spill_store_bytes", kernel->spill_store_bytes);
    put_count(b, object, "instructions", facts->reached);
    put_count(b, object, "unknown_instructions", kernel->unknown);
    put_count(b, object, "bytes_in_flight", kernel->bytes_in_flight);
    put_count(b, object, "exposed_latencies_outside_loops", kernel->exposed_latencies);
    for (ifl_sass_purpose p = 0; p < IFL_SASS_PURPOSES; p++)
        put_count(b, purposes, ifl_sass_purpose_text(p), facts->purpose[p]);
    put(b, object, "purposes", purposes);
    put_opcodes(b, object, facts);
    put_flow(b, object, facts);
    return object;
}

static void put_listing(builder *b, json_t *object, const ifl_sass_facts *facts)
{
    json_t *array = json_array();
    for (size_t i = 0; i < facts->kernel.instruction_count; i++)
        append(b, array, instruction_of(b, facts, i));
    put(b, object, "listing", array);
}

/* A kernel of a list, or of a target that is not known here. */
static json_t *unread_kernel_of(builder *b, const ifl_machine_kernel *kernel)
{
    json_t *object = json_object();
    put_resources(b, object, kernel);
    put_count(b, object, "code_bytes", kernel->code_bytes);
    return object;
}

static ifl_status append_kernel(builder *b, json_t *kernels, size_t index, ifl_error *error)
{
    const ifl_machine_options *options = b->report->options;
    const ifl_machine_kernel *kernel = &b->report->machine->kernels[index];
    ifl_arena arena = {0};
    ifl_sass_facts facts;
    if (b->report->machine->is_list || !ifl_sass_supports(kernel->sm)) {
        append(b, kernels, unread_kernel_of(b, kernel));
        return IFL_OK;
    }
    ifl_status status = ifl_sass_report_facts(b->report, index, &arena, &facts, error);
    if (status == IFL_OK) {
        json_t *object = kernel_of(b, &facts);
        if (options->listing)
            put_listing(b, object, &facts);
        append(b, kernels, object);
    }
    ifl_arena_free(&arena);
    return status;
}

ifl_status ifl_sass_write_json(const ifl_sass_report *report, FILE *out, ifl_error *error)
{
    builder b = {.whole = true, .report = report};
    json_t *root = json_object(), *kernels = json_array();
    ifl_status status = IFL_OK;
    put(&b, root, "schema", json_string("inflight-sass/1"));
    put_text(&b, root, "file", report->machine->file);
    for (size_t i = 0; i < report->chosen_count && status == IFL_OK; i++)
        status = append_kernel(&b, kernels, report->chosen[i], error);
    put(&b, root, "kernels", kernels);
    if (status == IFL_OK && (!root || !b.whole))
        status = ifl_fail_memory(error, sizeof *report);
    /* A failing stream stays marked as one, and the caller looks; else jansson ran out of
     * memory. */
    if (status == IFL_OK && json_dumpf(root, out, JSON_INDENT(1)) != 0 && !ferror(out))
        status = ifl_fail_memory(error, sizeof *report);
    fputc('\n', out);
    json_decref(root);
    ifl_arena_free(&b.arena);
    return status;
}
