/* SPDX-License-Identifier: Apache-2.0
 * Graphs that run, and those that their kernels launch (CUDA C++ Programming Guide, "Device Graph
 * Launch"). A run ends when its nodes and the runs that it launched have ended; then the graphs that
 * it launched as tails run in its place, one after the other. Who runs the nodes (later.c) says how
 * many are left, and asks what to begin. The lock of state.h is held. */
#ifndef IFL_STANDIN_GRAPH_RUN_H
#define IFL_STANDIN_GRAPH_RUN_H

#include "standin/graph.h"

/* cudaGraphInstantiateFlagDeviceLaunch */
enum { IFL_GRAPH_FROM_DEVICE = 4 };

/* A run of the graph, launched by the host; 0 without memory. It has one node until ifl_graph_run_less
 * says that all are there. */
uint64_t ifl_graph_run_begin(const ifl_graph *exec);
void ifl_graph_run_more(uint64_t run);
void ifl_graph_run_less(uint64_t run);
/* Of those that kernels launched the next one to begin, with its graph; 0: there is none. It has one
 * node in the same way. */
uint64_t ifl_graph_run_next(const ifl_graph **exec);
void ifl_graph_runs_forget(void);

/* A kernel begins, or goes on, as a node of the run; 0: of none. */
void ifl_graph_run_enter(uint64_t run);
/* What it may launch, and the graph that it is in, as it names it. */
const ifl_grapher *ifl_graph_run_grapher(void);
uint64_t ifl_graph_run_current(void);
/* A kernel that launches graphs, which is a node of one. */
bool ifl_op_launches_graphs(const ifl_op *op);

#endif
