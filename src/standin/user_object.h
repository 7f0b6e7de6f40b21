/* SPDX-License-Identifier: Apache-2.0
 * Objects of a program that graphs keep alive: counted, and destroyed by a call of the program's when
 * nobody holds them any more. The lock of state.h is held. */
#ifndef IFL_STANDIN_USER_OBJECT_H
#define IFL_STANDIN_USER_OBJECT_H

#include "standin/graph.h"

typedef struct ifl_user_object ifl_user_object;

/* The program holds it `count` times; NULL without memory. */
ifl_user_object *ifl_user_object_new(void *user, void (*destroy)(void *), uint64_t count);
/* NULL: it is none. */
ifl_user_object *ifl_user_object_of(const void *handle);
/* The program holds it `count` times more, or less: not at all where it did not so often. */
void ifl_user_object_retain(ifl_user_object *object, uint64_t count);
void ifl_user_object_release(ifl_user_object *object, uint64_t count);

/* The graph and its clones hold it `count` times more; false without memory. */
bool ifl_graph_hold(ifl_graph *graph, ifl_user_object *object, uint64_t count);
/* `count` times less; false where it does not hold it as often. */
bool ifl_graph_let_go(ifl_graph *graph, ifl_user_object *object, uint64_t count);
/* The graph goes. */
void ifl_graph_let_all_go(ifl_graph *graph);

#endif
