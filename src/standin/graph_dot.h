/* SPDX-License-Identifier: Apache-2.0
 * Graphs as text for Graphviz. */
#ifndef IFL_STANDIN_GRAPH_DOT_H
#define IFL_STANDIN_GRAPH_DOT_H

#include "standin/graph.h"

/* Nodes with their kinds and the kernels' names, and edges; with any flag, sizes and addresses too.
 * False where the file cannot be written. */
bool ifl_graph_print(const ifl_graph *graph, const char *path, unsigned flags);

#endif
