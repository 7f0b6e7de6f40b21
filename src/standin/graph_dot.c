/* SPDX-License-Identifier: Apache-2.0
 * See graph_dot.h. */
#include "standin/graph_dot.h"

#include <inttypes.h>
#include <stdio.h>

static const char *kind_of(ifl_op_kind kind)
{
    static const char *const names[] = {
        [IFL_DO_EMPTY_NODE] = "empty",
        [IFL_DO_KERNEL] = "kernel",
        [IFL_DO_COPY] = "memcpy",
        [IFL_DO_SET] = "memset",
        [IFL_DO_HOST] = "host",
        [IFL_DO_EVENT_RECORD] = "event record",
        [IFL_DO_EVENT_WAIT] = "event wait",
        [IFL_DO_CHILD_GRAPH] = "child graph",
        [IFL_DO_ALLOCATE] = "mem alloc",
        [IFL_DO_RELEASE] = "mem free",
        [IFL_DO_CONDITION] = "conditional",
        [IFL_DO_WRITE_VALUE] = "write value",
        [IFL_DO_WAIT_VALUE] = "wait for value",
        [IFL_DO_WORDS] = "batch of values",
    };
    return names[kind];
}

static void print_copy(FILE *to, const ifl_op_copy *c, bool is_detailed)
{
    static const char *const kinds[] = {"host to host", "host to device", "device to host",
                                        "device to device", "by the addresses"};
    fprintf(to, "\\n%s", kinds[c->kind]);
    if (is_detailed)
        fprintf(to, "\\n%p from %p\\n%zu x %zu x %zu bytes", c->to, c->from, c->width, c->height,
                c->depth);
}

static void print_set(FILE *to, const ifl_op_set *s)
{
    fprintf(to, "\\n%p\\n%zu x %zu elements of %u bytes: %" PRIu32, s->to, s->width, s->height,
            s->element_bytes, s->value);
}

static void print_node(FILE *to, const char *prefix, const ifl_node *node, bool is_detailed)
{
    const ifl_op *op = &node->op;
    fprintf(to, "\"%s%u\" [label=\"%u: %s", prefix, node->number, node->number, kind_of(op->kind));
    if (op->kind == IFL_DO_KERNEL) {
        fprintf(to, "\\n%s", op->of.kernel.kernel->signature);
        if (is_detailed)
            fprintf(to, "\\n<<<(%u,%u,%u), (%u,%u,%u), %" PRIu64 ">>>", op->of.kernel.grid[0],
                    op->of.kernel.grid[1], op->of.kernel.grid[2], op->of.kernel.block[0],
                    op->of.kernel.block[1], op->of.kernel.block[2], op->of.kernel.shared_bytes);
    } else if (op->kind == IFL_DO_COPY)
        print_copy(to, &op->of.copy, is_detailed);
    else if (op->kind == IFL_DO_SET && is_detailed)
        print_set(to, &op->of.set);
    fprintf(to, "\"];\n");
}

/* Nodes of graphs in a node have its name before theirs. */
static void print_graph(FILE *to, const char *prefix, const ifl_graph *graph, bool is_detailed)
{
    const ifl_graph *inner;
    char name[64];
    fprintf(to, "subgraph \"cluster_%s\" {\nlabel=\"%s graph %u\";\n", prefix, prefix,
            graph->number);
    for (size_t i = 0; i < graph->nodes.count; i++)
        print_node(to, prefix, graph->nodes.at[i], is_detailed);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const ifl_node *node = graph->nodes.at[i];
        for (size_t w = 0; w < node->waits_for.count; w++)
            fprintf(to, "\"%s%u\" -> \"%s%u\";\n", prefix, node->waits_for.at[w]->number, prefix,
                    node->number);
        for (unsigned n = 0; (inner = ifl_node_inner(node, n)); n++) {
            snprintf(name, sizeof name, "%s%u.%u.", prefix, node->number, n);
            print_graph(to, name, inner, is_detailed);
        }
    }
    fprintf(to, "}\n");
}

bool ifl_graph_print(const ifl_graph *graph, const char *path, unsigned flags)
{
    FILE *to = fopen(path, "w");
    if (!to)
        return false;
    fprintf(to, "digraph dot {\n");
    print_graph(to, "graph.", graph, flags != 0);
    fprintf(to, "}\n");
    const bool is_whole = !ferror(to);
    return fclose(to) == 0 && is_whole;
}
