/* SPDX-License-Identifier: Apache-2.0
 * See context_value.h. */
#include "standin/context_value.h"

#include "base/vec.h"
#include "standin/driver_served.h"

typedef struct entry {
    void *context, *key, *value;
    ifl_context_value_end *end;
} entry;

static struct {
    IFL_VEC(entry) entries;
} kept; /* behind the state's lock */

static entry *find(const void *context, const void *key)
{
    for (size_t i = 0; i < kept.entries.count; i++)
        if (kept.entries.at[i].context == context && kept.entries.at[i].key == key)
            return &kept.entries.at[i];
    return NULL;
}

static void take_out(entry *one)
{
    *one = kept.entries.at[--kept.entries.count];
}

static ifl_cuda_error put(void *context, void *key, void *value, ifl_context_value_end *end)
{
    entry *before = find(context, key);
    const entry one = {context, key, value, end};
    if (!ifl_driver_is_context(context))
        return (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT;
    if (before)
        *before = one;
    return before || ifl_vec_push(&kept.entries, one) ? ifl_cudaSuccess
                                                      : ifl_cudaErrorMemoryAllocation;
}

ifl_cuda_error ifl_context_value_put(void *context, void *key, void *value,
                                     ifl_context_value_end *end)
{
    DRIVE_EARLY(put(context ? context : ifl_driver_current(), key, value, end));
}

static ifl_cuda_error get(void **value, const void *context, const void *key)
{
    const entry *one = find(context, key);
    if (!value || !one)
        return value ? (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE : ifl_cudaErrorInvalidValue;
    *value = one->value;
    return ifl_cudaSuccess;
}

ifl_cuda_error ifl_context_value_get(void **value, void *context, void *key)
{
    DRIVE_EARLY(get(value, context ? context : ifl_driver_current(), key));
}

static ifl_cuda_error take(const void *context, const void *key)
{
    entry *one = find(context, key);
    if (!one)
        return (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE;
    take_out(one);
    return ifl_cudaSuccess;
}

ifl_cuda_error ifl_context_value_remove(void *context, void *key)
{
    DRIVE_EARLY(take(context ? context : ifl_driver_current(), key));
}

void ifl_context_values_end(void *context)
{
    for (size_t i = 0; i < kept.entries.count;) {
        const entry one = kept.entries.at[i];
        if (one.context != context) {
            i++;
            continue;
        }
        take_out(&kept.entries.at[i]);
        if (one.end)
            one.end(one.context, one.key, one.value);
    }
}
