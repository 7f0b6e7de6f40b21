/* SPDX-License-Identifier: Apache-2.0
 * See condition.h. */
#include "standin/condition.h"

#include "base/vec.h"

#include <string.h>

typedef struct condition {
    uint64_t handle;
    uint32_t initial;
    bool resets, is_taken;
} condition;

static IFL_VEC(condition) conditions;

ifl_cuda_error ifl_condition_new(ifl_session *session, uint64_t *handle, uint32_t initial,
                                 bool resets)
{
    ifl_allocation *word;
    if (!ifl_vec_reserve(&conditions, 1) ||
        ifl_memory_allocate(ifl_session_memory(session), sizeof(uint32_t), 0, IFL_ALLOCATION_MODULE,
                            "condition of a graph", &word, NULL) != IFL_OK)
        return ifl_cudaErrorMemoryAllocation;
    memcpy(word->host, &initial, sizeof initial);
    *handle = word->address;
    conditions.at[conditions.count++] =
        (condition){.handle = *handle, .initial = initial, .resets = resets};
    return ifl_cudaSuccess;
}

bool ifl_condition_take(uint64_t handle, ifl_op_condition *of)
{
    for (size_t i = 0; i < conditions.count; i++) {
        condition *c = &conditions.at[i];
        if (c->handle != handle || c->is_taken)
            continue;
        c->is_taken = true;
        of->handle = handle;
        of->initial = c->initial;
        of->resets = c->resets;
        return true;
    }
    return false;
}

void ifl_condition_leave(uint64_t handle)
{
    for (size_t i = 0; i < conditions.count; i++)
        conditions.at[i].is_taken &= conditions.at[i].handle != handle;
}

static uint32_t value_of(ifl_session *session, const ifl_op_condition *of)
{
    uint32_t value = 0;
    const ifl_allocation *word = ifl_memory_find(ifl_session_memory(session), of->handle);
    if (word)
        memcpy(&value, word->host, sizeof value);
    return value;
}

/* cudaConditionalNodeParams: if: the first body where the value is not 0, else the second one, if
 * there is one; while: the body where it is not 0; switch: the body with the value's number, if
 * there is one. */
struct ifl_graph *ifl_condition_body(ifl_session *session, const ifl_op_condition *of)
{
    const uint32_t value = value_of(session, of),
                   chosen = of->type == IFL_CONDITION_SWITCH ? value : !value;
    return of->bodies && chosen < of->count ? of->bodies[chosen] : NULL;
}

ifl_op ifl_condition_default(const ifl_op_condition *of)
{
    return (ifl_op){
        .kind = IFL_DO_WRITE_VALUE,
        .of.value = {.address = of->handle, .value = of->initial, .bytes = sizeof of->initial}};
}
