/* SPDX-License-Identifier: Apache-2.0
 * See placed_objects.h. */
#include "session/placed_objects.h"

#include "code/value.h"

#include <string.h>

typedef struct loading {
    ifl_objects *out;
    ifl_memory *memory;
} loading;

static ifl_status place_variable(ifl_object_variable *variable, ifl_memory *memory,
                                 ifl_error *error)
{
    char label[112];
    ifl_allocation *at;
    snprintf(label, sizeof label, "%s variable %s (%llu bytes)", ifl_space_text(variable->space),
             variable->name, (unsigned long long)variable->bytes);
    const uint32_t managed = variable->is_managed ? IFL_ALLOCATION_MANAGED : 0;
    const ifl_status status = ifl_memory_allocate(
        memory, variable->bytes, 0, IFL_ALLOCATION_MODULE | managed, label, &at, error);
    if (status == IFL_OK)
        variable->address = at->address;
    return status;
}

static void reset(const ifl_placed_object *placed, const ifl_memory *memory)
{
    const ifl_object *object = placed->object;
    for (size_t v = 0; v < object->variable_count; v++) {
        const ifl_object_variable *variable = &object->variables[v];
        const ifl_allocation *at =
            variable->space == IFL_SPACE_GLOBAL ? ifl_memory_find(memory, variable->address) : NULL;
        if (!at || !at->host || !variable->bytes)
            continue;
        if (variable->data)
            memcpy(at->host, variable->data, variable->bytes);
        else
            memset(at->host, 0, variable->bytes);
    }
    if (placed->constants)
        memcpy(placed->constants->host, object->constants, object->constant_bytes);
}

static ifl_status place(ifl_placed_object *placed, ifl_memory *memory, ifl_error *error)
{
    ifl_object *object = placed->object;
    ifl_status status = IFL_OK;
    for (size_t v = 0; v < object->variable_count && status == IFL_OK; v++)
        if (object->variables[v].space == IFL_SPACE_GLOBAL)
            status = place_variable(&object->variables[v], memory, error);
    if (status == IFL_OK && object->constant_bytes)
        status = ifl_memory_allocate(memory, object->constant_bytes, 0,
                                     IFL_ALLOCATION_MODULE | IFL_ALLOCATION_CONSTANT,
                                     "constant variables", &placed->constants, error);
    if (status != IFL_OK)
        return status;
    ifl_object_place(object, placed->constants ? placed->constants->address : 0);
    reset(placed, memory);
    return IFL_OK;
}

static ifl_status add_object(void *user, const char *name, const uint8_t *bytes, size_t size,
                             ifl_error *error)
{
    loading *l = user;
    ifl_placed_object placed = {0};
    ifl_status status = ifl_object_open(name, bytes, size, &placed.object, error);
    if (status != IFL_OK)
        return status;
    status = place(&placed, l->memory, error);
    if (status == IFL_OK && !ifl_vec_push(&l->out->list, placed))
        status = ifl_fail_memory(error, sizeof placed);
    if (status != IFL_OK)
        ifl_object_close(placed.object);
    return status;
}

ifl_status ifl_objects_load(const ifl_machine_source *source, uint32_t sm, ifl_memory *memory,
                            ifl_objects *out, ifl_error *error)
{
    loading l = {out, memory};
    return ifl_machine_each_runnable(source, sm, add_object, &l, error);
}

void ifl_objects_reset(const ifl_objects *objects, const ifl_memory *memory)
{
    for (size_t i = 0; i < objects->list.count; i++)
        reset(&objects->list.at[i], memory);
}

static void drop(ifl_memory *memory, uint64_t address)
{
    ifl_allocation *at = address ? ifl_memory_find(memory, address) : NULL;
    if (at && !(at->flags & IFL_ALLOCATION_FREED))
        ifl_memory_drop(memory, at);
}

void ifl_objects_drop(const ifl_objects *objects, ifl_memory *memory)
{
    for (size_t i = 0; i < objects->list.count; i++) {
        const ifl_placed_object *placed = &objects->list.at[i];
        for (size_t v = 0; v < placed->object->variable_count; v++)
            if (placed->object->variables[v].space == IFL_SPACE_GLOBAL)
                drop(memory, placed->object->variables[v].address);
        if (placed->constants)
            drop(memory, placed->constants->address);
    }
}

void ifl_objects_free(ifl_objects *objects)
{
    for (size_t i = 0; i < objects->list.count; i++)
        ifl_object_close(objects->list.at[i].object);
    ifl_vec_free(&objects->list);
}

const ifl_placed_object *ifl_objects_find(const ifl_objects *objects, const char *kernel,
                                          const ifl_object_text **text)
{
    for (size_t i = 0; i < objects->list.count; i++) {
        const ifl_object_text *found = ifl_object_find(objects->list.at[i].object, kernel);
        if (!found || !found->kernel->is_kernel)
            continue;
        *text = found;
        return &objects->list.at[i];
    }
    return NULL;
}

uint64_t ifl_objects_variable(const ifl_objects *objects, const char *name, uint64_t *bytes)
{
    for (size_t i = 0; i < objects->list.count; i++) {
        const ifl_object *object = objects->list.at[i].object;
        for (size_t v = 0; v < object->variable_count; v++)
            if (strcmp(object->variables[v].name, name) == 0) {
                *bytes = object->variables[v].bytes;
                return object->variables[v].address;
            }
    }
    return 0;
}
