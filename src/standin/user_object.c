/* SPDX-License-Identifier: Apache-2.0
 * See user_object.h. */
#include "standin/user_object.h"

struct ifl_user_object {
    void *user;
    void (*destroy)(void *);
    uint64_t own, held; /* by the program, by graphs */
};

ifl_user_object *ifl_user_object_new(void *user, void (*destroy)(void *), uint64_t count)
{
    ifl_user_object *object = malloc(sizeof *object);
    if (!object || !ifl_handle_add(IFL_HANDLE_USER_OBJECT, object)) {
        free(object);
        return NULL;
    }
    *object = (ifl_user_object){user, destroy, count, 0};
    return object;
}

ifl_user_object *ifl_user_object_of(const void *handle)
{
    return ifl_handle_find(IFL_HANDLE_USER_OBJECT, handle);
}

static void take(ifl_user_object *object, uint64_t *from, uint64_t count)
{
    *from -= count < *from ? count : *from;
    if (object->own || object->held)
        return;
    ifl_handle_remove(object);
    object->destroy(object->user);
    free(object);
}

void ifl_user_object_retain(ifl_user_object *object, uint64_t count)
{
    object->own += count;
}

void ifl_user_object_release(ifl_user_object *object, uint64_t count)
{
    take(object, &object->own, count);
}

bool ifl_graph_hold(ifl_graph *graph, ifl_user_object *object, uint64_t count)
{
    size_t i = 0;
    while (i < graph->holds.count && graph->holds.at[i].object != object)
        i++;
    if (i == graph->holds.count && !ifl_vec_push(&graph->holds, ((ifl_user_hold){object, 0})))
        return false;
    graph->holds.at[i].count += count;
    object->held += count;
    return true;
}

bool ifl_graph_let_go(ifl_graph *graph, ifl_user_object *object, uint64_t count)
{
    for (size_t i = 0; i < graph->holds.count; i++) {
        ifl_user_hold *hold = &graph->holds.at[i];
        if (hold->object != object || hold->count < count)
            continue;
        hold->count -= count;
        if (!hold->count)
            *hold = graph->holds.at[--graph->holds.count];
        take(object, &object->held, count);
        return true;
    }
    return false;
}

void ifl_graph_let_all_go(ifl_graph *graph)
{
    for (size_t i = 0; i < graph->holds.count; i++)
        take(graph->holds.at[i].object, &graph->holds.at[i].object->held, graph->holds.at[i].count);
    ifl_vec_free(&graph->holds);
}
