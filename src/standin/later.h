/* SPDX-License-Identifier: Apache-2.0
 * What streams were given and is not done yet. A kernel may wait for memory that the host or another
 * kernel changes after its launch; then the launch is over for the host all the same, and what
 * follows it by the rules of streams is kept until it has ended. It goes on in calls that wait for
 * it, and, while the host makes none, in a thread of its own. So does a loop of a graph that goes
 * round often. All else is done at once, as ever: in a program whose kernels do not wait for the
 * host there is nothing here. The lock of state.h is held. */
#ifndef IFL_STANDIN_LATER_H
#define IFL_STANDIN_LATER_H

#include "standin/op.h"

struct ifl_stream;

/* Runs the operation now, or keeps a copy of it behind what it must follow. */
ifl_cuda_error ifl_later_give(ifl_session *session, const struct ifl_stream *stream,
                              const ifl_op *op);
/* The same for all nodes of an instantiated graph, each behind those that it waits for. */
ifl_cuda_error ifl_later_give_graph(ifl_session *session, const struct ifl_stream *stream,
                                    struct ifl_graph *graph);
/* Whether something is not done that work given to the stream now would follow; that was given
 * before the event was recorded last; at all. */
bool ifl_later_holds(const struct ifl_stream *stream);
bool ifl_later_records(const void *event);
bool ifl_later_is_any(void);
/* Waits until it is, other threads' calls being served meanwhile. */
void ifl_later_finish(ifl_session *session, const struct ifl_stream *stream);
void ifl_later_finish_event(ifl_session *session, const void *event);
void ifl_later_finish_all(ifl_session *session);
/* A kernel changes a node of a graph that it has not begun. */
void ifl_later_change_node(const ifl_graph_change *change);
/* It will never be done: the program ends. */
void ifl_later_drop(ifl_session *session);
/* In a child process, whose threads are not here. */
void ifl_later_forget(void);

#endif
