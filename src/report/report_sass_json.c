/* SPDX-License-Identifier: Apache-2.0
 * The JSON report on machine code, schema "inflight-sass/1": docs/sass.md. */
#include "report/report_sass.h"

#include "report/code_part.h"
#include "report/tree.h"

#include <string.h>

/* "global loads" is the key global_loads. */
static const char *key_of(ifl_tree *tree, ifl_sass_class c)
{
    const char *text = ifl_sass_class_text(c);
    char *key = ifl_arena_text(&tree->arena, text, strlen(text));
    for (char *at = key; at && *at; at++)
        *at = *at == ' ' ? '_' : *at;
    tree->no_memory |= !key;
    return key ? key : "";
}

/* ---- loops and blocks ------------------------------------------------------------------------ */

static json_t *widths_of(ifl_tree *tree, const uint32_t count[IFL_SASS_WIDTHS])
{
    static const char *const keys[IFL_SASS_WIDTHS] = {"1", "2", "4", "8", "16", "32"};
    json_t *object = json_object();
    for (int w = 0; w < IFL_SASS_WIDTHS; w++)
        if (count[w])
            ifl_tree_put_count(tree, object, keys[w], count[w]);
    return object;
}

static json_t *classes_of(ifl_tree *tree, const uint32_t count[IFL_SASS_CLASSES])
{
    json_t *object = json_object();
    for (ifl_sass_class c = 0; c < IFL_SASS_CLASSES; c++)
        if (count[c])
            ifl_tree_put_count(tree, object, key_of(tree, c), count[c]);
    return object;
}

static json_t *accesses_of(ifl_tree *tree, const ifl_sass_loop *loop)
{
    json_t *object = json_object();
    for (ifl_sass_class c = 0; c < IFL_SASS_CLASSES; c++) {
        uint32_t all = 0;
        for (int w = 0; w < IFL_SASS_WIDTHS; w++)
            all += loop->width_count[c][w];
        if (all)
            ifl_tree_put(tree, object, key_of(tree, c), widths_of(tree, loop->width_count[c]));
    }
    return object;
}

static void put_place(ifl_tree *tree, json_t *object, const ifl_sass_facts *facts, size_t l)
{
    const char *file;
    uint32_t first, last;
    if (!ifl_sass_loop_lines(facts, l, &file, &first, &last))
        return;
    ifl_tree_put_text(tree, object, "file", file);
    ifl_tree_put_count(tree, object, "first_line", first);
    ifl_tree_put_count(tree, object, "last_line", last);
}

static json_t *loop_of(ifl_tree *tree, const ifl_sass_facts *facts, size_t l)
{
    const ifl_sass_kernel *kernel = &facts->kernel;
    const ifl_sass_loop *loop = &kernel->loops[l];
    json_t *object = json_object();
    ifl_tree_put_count(tree, object, "header_offset",
                       kernel->instructions[kernel->flow.blocks[loop->at.header].first].offset);
    if (loop->at.outer >= 0)
        ifl_tree_put_count(tree, object, "outer", (uint64_t)loop->at.outer);
    ifl_tree_put_count(tree, object, "depth", loop->at.depth);
    ifl_tree_put_flag(tree, object, "innermost", loop->at.is_innermost);
    put_place(tree, object, facts, l);
    ifl_tree_put_count(tree, object, "instructions", loop->instructions);
    ifl_tree_put_count(tree, object, "useful", loop->useful);
    ifl_tree_put_count(tree, object, "address_arithmetic", loop->address_arithmetic);
    ifl_tree_put_count(tree, object, "exposed_latencies", loop->exposed_latencies);
    ifl_tree_put_count(tree, object, "register_reuses", loop->register_reuses);
    ifl_tree_put_count(tree, object, "bytes_in_flight", loop->load_bytes_in_flight);
    ifl_tree_put_count(tree, object, "spill_loads", loop->spill_loads);
    ifl_tree_put_count(tree, object, "spill_stores", loop->spill_stores);
    ifl_tree_put(tree, object, "classes", classes_of(tree, loop->loads));
    ifl_tree_put(tree, object, "accesses", accesses_of(tree, loop));
    return object;
}

static void put_instructions(ifl_tree *tree, json_t *object, const ifl_sass_kernel *kernel,
                             const ifl_flow_block *block)
{
    uint32_t classes[IFL_SASS_CLASSES] = {0}, in_flight = 0;
    for (size_t i = block->first; i < block->last; i++) {
        const uint8_t class = kernel->instructions[i].sass_class;
        classes[class < IFL_SASS_CLASSES ? class : IFL_SASS_OTHER]++;
        if (kernel->wait_bytes[i] > in_flight)
            in_flight = kernel->wait_bytes[i];
    }
    ifl_tree_put_count(tree, object, "instructions", block->last - block->first);
    ifl_tree_put(tree, object, "classes", classes_of(tree, classes));
    if (in_flight)
        ifl_tree_put_count(tree, object, "bytes_in_flight", in_flight);
}

static json_t *block_of(ifl_tree *tree, const ifl_sass_facts *facts, size_t index)
{
    const ifl_sass_kernel *kernel = &facts->kernel;
    const ifl_flow_block *block = &kernel->flow.blocks[index];
    json_t *object = json_object(), *to = json_array();
    ifl_tree_put_count(tree, object, "offset", kernel->instructions[block->first].offset);
    for (uint32_t s = block->successor_count; s-- > 0;) /* the next block first */
        ifl_tree_append(tree, to, json_integer(block->successor[s]));
    ifl_tree_put(tree, object, "to", to);
    if (block->loop >= 0)
        ifl_tree_put_count(tree, object, "loop", (uint64_t)block->loop);
    ifl_tree_put_flag(tree, object, "reached", kernel->reached[index]);
    put_instructions(tree, object, kernel, block);
    if (facts->executed)
        ifl_tree_put_count(tree, object, "executed", facts->executed[index]);
    return object;
}

/* ---- opcodes, instructions ------------------------------------------------------------------- */

static void put_opcodes(ifl_tree *tree, json_t *object, const ifl_sass_facts *facts)
{
    json_t *all = json_object(), *useful = json_object(), *executed = json_object();
    for (size_t i = 0; i < facts->opcode_count; i++) {
        const ifl_sass_opcode *opcode = &facts->opcodes[i];
        ifl_tree_put_count(tree, all, opcode->name, opcode->count);
        if (opcode->useful)
            ifl_tree_put_count(tree, useful, opcode->name, opcode->useful);
        if (facts->executed)
            ifl_tree_put_count(tree, executed, opcode->name, opcode->executed);
    }
    ifl_tree_put(tree, object, "opcodes", all);
    ifl_tree_put(tree, object, "useful_opcodes", useful);
    ifl_tree_put(tree, object, "executed_opcodes", executed);
    if (facts->executed)
        ifl_tree_put_count(tree, object, "executed_instructions", facts->all_executed);
    else
        json_object_del(object, "executed_opcodes");
}

static json_t *instruction_of(ifl_tree *tree, const ifl_sass_facts *facts, size_t i)
{
    enum { TEXT = 256, ALWAYS = 7 };
    const ifl_sass_instruction *instruction = &facts->kernel.instructions[i];
    const ifl_machine_line *line = ifl_machine_line_at(facts->kernel.kernel, instruction->offset);
    char text[TEXT] = "", control[IFL_SASS_CONTROL_BYTES];
    json_t *object = json_object();
    ifl_tree_put_count(tree, object, "offset", instruction->offset);
    if (instruction->op)
        ifl_tree_put_text(tree, object, "text", ifl_sass_text(instruction, text, sizeof text));
    ifl_tree_put_text(tree, object, "control", ifl_sass_control_text(instruction, control));
    if (instruction->guard != ALWAYS || instruction->guard_negated) {
        ifl_tree_put_count(tree, object, "guard", instruction->guard);
        ifl_tree_put_flag(tree, object, "guard_negated", instruction->guard_negated);
        ifl_tree_put_flag(tree, object, "guard_uniform", instruction->guard_uniform);
    }
    if (instruction->memory_bytes)
        ifl_tree_put_count(tree, object, "memory_bytes", instruction->memory_bytes);
    ifl_tree_put_text(tree, object, "purpose",
                      ifl_sass_purpose_text((ifl_sass_purpose)facts->kernel.purpose[i]));
    if (facts->kernel.wait_bytes[i])
        ifl_tree_put_count(tree, object, "bytes_in_flight", facts->kernel.wait_bytes[i]);
    if (facts->stalls && facts->stalls[i].reason) {
        ifl_tree_put_real(tree, object, "stall_share", facts->stalls[i].share);
        ifl_tree_put_text(tree, object, "stall_reason", facts->stalls[i].reason);
    }
    if (line && line->line) {
        ifl_tree_put_text(tree, object, "file", ifl_sass_file_of(facts->machine, line));
        ifl_tree_put_count(tree, object, "line", line->line);
    }
    return object;
}

/* ---- a kernel -------------------------------------------------------------------------------- */

static void put_resources(ifl_tree *tree, json_t *object, const ifl_machine_kernel *kernel)
{
    const uint64_t threads =
        (uint64_t)kernel->max_threads[0] * kernel->max_threads[1] * kernel->max_threads[2];
    ifl_tree_put_text(tree, object, "kernel", kernel->name);
    if (kernel->demangled)
        ifl_tree_put_text(tree, object, "signature", kernel->demangled);
    ifl_tree_put_flag(tree, object, "is_kernel", kernel->is_kernel);
    ifl_tree_put_count(tree, object, "sm", kernel->sm);
    if (kernel->registers)
        ifl_tree_put_count(tree, object, "registers", kernel->registers);
    ifl_tree_put_count(tree, object, "static_shared_bytes", kernel->static_shared_bytes);
    ifl_tree_put_count(tree, object, "stack_bytes", kernel->frame_bytes);
    ifl_tree_put_count(tree, object, "barriers", kernel->barriers);
    if (threads)
        ifl_tree_put_count(tree, object, "max_threads", threads);
}

static void put_flow(ifl_tree *tree, json_t *object, const ifl_sass_facts *facts)
{
    const ifl_sass_kernel *kernel = &facts->kernel;
    json_t *loops = json_array(), *blocks = json_array();
    for (size_t l = 0; l < kernel->loop_count; l++)
        ifl_tree_append(tree, loops, loop_of(tree, facts, l));
    ifl_tree_put(tree, object, "loops", loops);
    for (size_t i = 0; i < kernel->flow.block_count; i++)
        ifl_tree_append(tree, blocks, block_of(tree, facts, i));
    ifl_tree_put(tree, object, "blocks", blocks);
}

static json_t *kernel_of(ifl_tree *tree, const ifl_sass_facts *facts)
{
    const ifl_sass_kernel *kernel = &facts->kernel;
    json_t *object = json_object(), *purposes = json_object();
    put_resources(tree, object, kernel->kernel);
    ifl_tree_put_count(tree, object, "spill_load_bytes", kernel->spill_load_bytes);
    ifl_tree_put_count(tree, object, "spill_store_bytes", kernel->spill_store_bytes);
    ifl_tree_put_count(tree, object, "instructions", facts->reached);
    ifl_tree_put_count(tree, object, "unknown_instructions", kernel->unknown);
    ifl_tree_put_count(tree, object, "bytes_in_flight", kernel->bytes_in_flight);
    ifl_tree_put_count(tree, object, "exposed_latencies_outside_loops", kernel->exposed_latencies);
    for (ifl_sass_purpose p = 0; p < IFL_SASS_PURPOSES; p++)
        ifl_tree_put_count(tree, purposes, ifl_sass_purpose_text(p), facts->purpose[p]);
    ifl_tree_put(tree, object, "purposes", purposes);
    put_opcodes(tree, object, facts);
    put_flow(tree, object, facts);
    return object;
}

static void put_listing(ifl_tree *tree, json_t *object, const ifl_sass_facts *facts)
{
    json_t *array = json_array();
    for (size_t i = 0; i < facts->kernel.instruction_count; i++)
        ifl_tree_append(tree, array, instruction_of(tree, facts, i));
    ifl_tree_put(tree, object, "listing", array);
}

/* A kernel of a list, or of a target that is not known here. */
static json_t *unread_kernel_of(ifl_tree *tree, const ifl_machine_kernel *kernel)
{
    json_t *object = json_object();
    put_resources(tree, object, kernel);
    ifl_tree_put_count(tree, object, "code_bytes", kernel->code_bytes);
    return object;
}

static ifl_status append_kernel(ifl_tree *tree, json_t *kernels, const ifl_sass_report *report,
                                size_t index, ifl_error *error)
{
    const ifl_machine_kernel *kernel = &report->machine->kernels[index];
    ifl_arena arena = {0};
    ifl_sass_facts facts;
    if (report->machine->is_list || !ifl_sass_supports(kernel->sm)) {
        ifl_tree_append(tree, kernels, unread_kernel_of(tree, kernel));
        return IFL_OK;
    }
    ifl_status status = ifl_sass_report_facts(report, index, &arena, &facts, error);
    ifl_profile *beside = NULL;
    if (status == IFL_OK)
        status = ifl_sass_report_beside(report, index, &beside, error);
    if (status == IFL_OK) {
        json_t *object = kernel_of(tree, &facts);
        if (beside)
            ifl_tree_put(tree, object, "ptx", ifl_code_part_json(tree, &beside->ptx));
        if (report->options->listing)
            put_listing(tree, object, &facts);
        ifl_tree_append(tree, kernels, object);
    }
    if (beside)
        ifl_profile_destroy(beside);
    ifl_arena_free(&arena);
    return status;
}

ifl_status ifl_sass_write_json(const ifl_sass_report *report, FILE *out, ifl_error *error)
{
    ifl_tree tree = {0};
    json_t *root = json_object(), *kernels = json_array();
    ifl_status status = IFL_OK;
    ifl_tree_put_text(&tree, root, "schema", "inflight-sass/1");
    ifl_tree_put_text(&tree, root, "file", report->machine->file);
    for (size_t i = 0; i < report->chosen_count && status == IFL_OK; i++)
        status = append_kernel(&tree, kernels, report, report->chosen[i], error);
    ifl_tree_put(&tree, root, "kernels", kernels);
    return ifl_tree_finish(&tree, root, status, out, error);
}
